// What is beside the graph: how to use it, or all about the selected variable.

import { button, element, inText, nameOf, replaceChildren } from "./elements.js";
import { makePlots } from "./conditional.js";
import { percent, shortNumber } from "./numbers.js";
import { connected, openPath } from "./separation.js";
import { makeCard } from "./variables.js";

const MOST = 6; // variables that would tell most
const MAX_NAMES = 12; // in a sentence

export function makePanel(state) {
  const shape = element("aside", { class: "panel", "aria-label": "Selected variable" });
  let selected;
  let parts = { update: () => {}, leave: () => {} };
  state.listen(() => {
    if (selected !== state.selected) {
      selected = state.selected;
      parts.leave();
      parts = selected === null ? makeHelp(state) : makeSelected(state, selected);
      replaceChildren(shape, parts.shapes);
    }
    parts.update();
  });
  return shape;
}

function makeHelp(state) {
  const direct = state.page.picture.beliefs;
  const lines = [
    direct ? "Click a level, or press and drag in a curve, to say what is the case." : "Click a name, then a level or a value, to say what is the case.",
    "Click a name for all about a variable: its local model, its plots, its paths to others, and which variables are most informative about it.",
    "By keyboard: Tab to a box, arrow keys set the level or value, Delete clears it, Enter selects.",
    "Drag the background to move the graph; zoom with the buttons, or with the wheel and Ctrl.",
  ];
  const most = makeExplanation(state);
  return { shapes: [element("h3", {}, "How to use it"), element("ul", {}, lines.map((text) => element("li", {}, text))), most.shape], update: () => {}, leave: most.leave };
}

// The most probable values of all variables together, once that is opened.
function makeExplanation(state) {
  if (!state.canExplain) return { shape: null, leave: () => {} };
  const { variables, order } = state.page;
  const list = element("dl", { class: "values" });
  const note = element("p", { class: "note" });
  const shape = element("details", {}, element("summary", {}, "Most probable values of all together"), note, list);
  const update = () => {
    if (!shape.open) return;
    const found = state.explain();
    const numbers = variables.some((variable) => !variable.levels);
    note.textContent = !found ? "The evidence is impossible." : numbers ? "The values at which the density of all together is highest, given the evidence." : `Probability given the evidence: ${shortNumber(Math.exp(found.log - found.total))}.`;
    const value = (i) => (variables[i].levels ? variables[i].levels[found.values[i]] : shortNumber(found.values[i]));
    replaceChildren(list, found ? order.map((i) => [element("dt", {}, nameOf(variables[i].name)), element("dd", { class: state.evidence.has(i) ? "evidence" : null }, nameOf(value(i)))]) : []);
  };
  shape.addEventListener("toggle", update);
  return { shape, leave: state.listenLate(update) };
}

function makeSelected(state, i) {
  const card = makeCard(state, i);
  const path = makePaths(state, i);
  const telling = makeTelling(state, i);
  const plots = makePlots(state, i);
  return {
    shapes: [card.shape, relations(state, i), telling.shape, plots, path.shape, button("Close", () => state.select(null))],
    update: () => {
      card.update();
      path.update();
    },
    leave: () => {
      telling.leave();
      card.leave();
    },
  };
}

function relations(state, i) {
  const { variables, directed } = state.page;
  const variable = variables[i];
  const list = (label, numbers) => (numbers.length ? element("p", {}, `${label}: `, numbers.map((other) => button(nameOf(variables[other].name), () => state.select(other), { class: "link" }))) : null);
  const parts = directed ? [list("Parents", variable.parents), list("Children", variable.children)] : [list("Neighbours", variable.neighbours)];
  return element("div", { class: "relations" }, parts, list("Markov blanket", variable.blanket));
}

// By how much the uncertainty of a variable is expected to fall if another one were seen.
function makeTelling(state, i) {
  const { variables } = state.page;
  const list = element("div", { class: "telling" });
  const what = variables[i].levels ? "entropy" : "variance";
  const shape = element("details", { open: true }, element("summary", {}, "Most informative about it"), element("p", { class: "note" }, `Share of its ${what} that is expected to vanish if the variable were observed, given the evidence.`), list);
  const update = () => {
    if (!shape.open) return;
    const shares = state.evidence.has(i) ? null : state.reductions(i);
    const ranked = shares ? shares.map((value, node) => ({ value, node })).filter(({ value }) => value !== null && value >= 0.0005).sort((one, two) => two.value - one.value) : [];
    const rows = ranked.slice(0, MOST).map(({ value, node }) => {
      const fill = element("span", { class: "fill" });
      fill.style.width = `${100 * value}%`;
      const row = button(nameOf(variables[node].name), () => state.select(node), { class: "level" });
      row.append(element("span", { class: "track" }, fill), element("span", { class: "value" }, percent(value)));
      return row;
    });
    const none = state.evidence.has(i) ? "Its value is given." : shares ? "No other variable is informative about it." : "No answer.";
    replaceChildren(list, rows.length ? rows : element("p", { class: "note" }, none));
  };
  shape.addEventListener("toggle", update);
  return { shape, leave: state.listenLate(update) };
}

// What a variable depends on, given the evidence, as far as the graph tells, and by which path.
function makePaths(state, i) {
  const { page } = state;
  const text = element("p", {});
  const result = element("p", { class: "path", role: "status" });
  const all = element("input", { type: "checkbox" });
  all.checked = state.focus === "connected";
  const others = page.order.filter((node) => node !== i);
  const end = element("select", { "aria-label": `Path from ${inText(page.variables[i].name)} to` }, element("option", { value: "" }, "choose a variable"), others.map((node) => element("option", { value: node }, inText(page.variables[node].name))));
  all.addEventListener("change", () => {
    end.value = "";
    state.stress(all.checked ? "connected" : "blanket");
  });
  end.addEventListener("change", () => {
    all.checked = false;
    state.stress(end.value ? "trail" : "blanket", end.value ? Number(end.value) : null);
  });
  const update = () => {
    const given = [...state.evidence.keys()].filter((node) => node !== i);
    text.textContent = separated(page, i, given);
    if (state.focus !== "trail") end.value = "";
    result.textContent = end.value ? pathText(page, i, Number(end.value), given) : "";
  };
  const shape = element(
    "details",
    { class: "relations", open: true },
    element("summary", {}, "What it depends on"),
    text,
    element("label", { class: "choice" }, all, " Show in the graph what it depends on"),
    others.length ? element("label", { class: "choice" }, "Path to ", end) : null,
    result,
  );
  return { shape, update };
}

function separated(page, i, given) {
  const reached = connected(page, i, new Set(given));
  const names = (nodes) => nodes.map((node) => inText(page.variables[node].name)).join(", ");
  const apart = page.order.filter((node) => node !== i && !reached.has(node) && !given.includes(node));
  const condition = given.length ? `Given ${names(given)}, the graph makes it` : "The graph makes it";
  const others = apart.length > MAX_NAMES ? `${names(apart.slice(0, MAX_NAMES))} and ${apart.length - MAX_NAMES} more` : names(apart);
  return apart.length ? `${condition} independent of ${others}.` : `${condition} independent of no other variable.`;
}

function pathText(page, start, end, given) {
  const names = (nodes) => nodes.map((node) => inText(page.variables[node].name)).join(", ");
  const condition = given.length ? ` given ${names(given)}` : "";
  if (given.includes(end)) return `${inText(page.variables[end].name)} is given.`;
  const path = openPath(page, start, end, new Set(given));
  if (!path) return `${names([start])} and ${names([end])} are separated${condition}.`;
  const steps = path.map((node, k) => (k ? `${between(page, path[k - 1], node)} ${inText(page.variables[node].name)}` : inText(page.variables[node].name)));
  return `An open path${condition}: ${steps.join(" ")}.`;
}

function between({ variables, directed }, one, two) {
  if (!directed) return "—";
  return variables[two].parents.includes(one) ? "→" : "←";
}
