// The page, from top to bottom.

import { button, element, inText, nameOf, replaceChildren } from "./elements.js";
import { shortNumber } from "./numbers.js";
import { makeState } from "./state.js";
import { makeGraph, beliefText } from "./graph.js";
import { makeAccuracy } from "./accuracy.js";
import { makePanel } from "./panel.js";
import { makeCard } from "./variables.js";
import { makeEdges, copyButton } from "./edges.js";

const page = JSON.parse(document.getElementById("document").textContent);
const state = makeState(page);

replaceChildren(
  document.getElementById("page"),
  element("header", { class: "top" }, element("h1", {}, nameOf(page.title)), page.sentences.map((text) => element("p", { class: "lead" }, text))),
  graphSection(),
  section("Edges", page.edges.length ? makeEdges(state) : element("p", {}, "The graph has no edges."), legend()),
  section("Variables", element("p", {}, "Curves and bars are what the model says, given the evidence; thin lines are without it, and grey columns the data."), cards()),
  section("What to doubt", page.doubts.length ? doubts() : element("p", {}, "Nothing in particular.")),
  section("How well it predicts", makeAccuracy(state)),
  section("How it was made", making()),
  section("Privacy", element("p", {}, privacyText())),
);
document.documentElement.dataset.ready = "yes";
performance.mark("ready");

function section(title, ...content) {
  return element("section", {}, element("h2", {}, title), ...content);
}

function graphSection() {
  const { frame, tools } = makeGraph(state);
  const chips = element("div", { class: "chips" });
  const status = element("p", { class: "status", role: "status" });
  let shown = "";
  state.listen(() => {
    const set = JSON.stringify([[...state.evidence], [...state.forced]]);
    if (shown === set) return;
    shown = set;
    replaceChildren(chips, [...state.evidence.keys()].map(chip), state.evidence.size > 1 ? button("Clear all", () => state.clear()) : null);
    status.textContent = statusText();
  });
  return element("section", { class: "answering" }, element("h2", {}, "Graph and answers"), tools, chips, status, element("div", { class: "beside" }, element("div", {}, frame, key()), makePanel(state)));
}

function chip(variable) {
  const { name } = page.variables[variable];
  return button([state.forced.has(variable) ? "do " : null, nameOf(name), ` ${beliefText(state, variable)} `, element("span", { "aria-hidden": "true" }, "×")], () => state.set(variable, null), { class: "chip", "aria-label": `Clear the evidence on ${inText(name)}` });
}

function statusText() {
  const draws = page.answers.kind === "draws";
  if (!state.possible) {
    return draws
      ? "Too few draws of the model agree with this evidence for an answer: clear some of it, or ask net.query in Python."
      : "This evidence is impossible in the model: clear some of it.";
  }
  if (!state.evidence.size) return page.picture.beliefs ? "Click a level or drag in a curve: every other belief follows." : "Click a name, then set its level or value: every other belief follows.";
  if (!draws) return state.forced.size ? forcedText() : "Exact answers, given the evidence above.";
  const { size, window } = state.beliefs;
  const wide = window ? ` Few draws are near: those within ${shortNumber(window, 2)} standard deviations are used, so that answers are rough.` : "";
  return `Answers from ${page.answers.size} draws of the model; effective size ${Math.round(size)}.${wide}`;
}

// What setting variables does depends on directions, which data do not always tell.
function forcedText() {
  const [variable] = state.forced;
  const names = [...state.forced].map((node) => inText(page.variables[node].name)).join(", ");
  const text = `Exact answers if ${names} ${state.forced.size > 1 ? "are" : "is"} set by intervention in this graph.`;
  const open = [...state.forced].filter((node) => page.variables[node].parent_sets.length > 1);
  if (!open.length) return text;
  if (state.forced.size > 1 || page.answers.kind === "mixture") return `${text} The data do not tell all directions: net.query(..., do=...) in Python has the range over equivalent graphs.`;
  return `${text} The data allow ${page.variables[variable].parent_sets.length} sets of parents for it; each variable below shows its range over them.`;
}

function key() {
  const signs = new Set(page.edges.map((edge) => edge.sign));
  const items = [
    signs.has(1) ? element("span", { class: "positive" }, "positive effect") : null,
    signs.has(-1) ? element("span", { class: "negative" }, "negative effect (dashed)") : null,
    page.edges.length ? element("span", {}, "wide lines: strong edges") : null,
    page.edges.some((edge) => edge.certainty !== null) ? element("span", {}, "pale lines: uncertain edges") : null,
    page.directed && page.edges.some((edge) => !edge.arrow) ? element("span", {}, "no head: the direction is open") : null,
  ];
  return element("p", { class: "key" }, items);
}

function legend() {
  return page.legend.length ? element("ul", { class: "legend" }, page.legend.map((text) => element("li", {}, text))) : null;
}

function cards() {
  const made = page.order.map((i) => makeCard(state, i));
  const visible = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const found = made.find((each) => each.shape === entry.target);
      if (entry.isIntersecting) {
        visible.add(found);
        found.update();
      } else visible.delete(found);
    }
  }, { rootMargin: "200px" });
  made.forEach((each) => {
    each.update();
    watcher.observe(each.shape);
  });
  state.listen(() => visible.forEach((each) => each.update()));
  addEventListener("beforeprint", () => made.forEach((each) => each.update()));
  return element("div", { class: "cards" }, made.map((each) => each.shape));
}

function doubts() {
  return element("dl", { class: "doubts" }, page.doubts.map(({ about, text, fix }) => [element("dt", {}, about), element("dd", {}, text, fix ? element("span", { class: "fix" }, ` ${fix}`) : null)]));
}

function making() {
  const { facts, versions, written, fingerprint, python, command } = page.making;
  const more = [
    ["written", written],
    ["versions", Object.entries(versions).map((each) => each.join(" ")).join(", ")],
    ["fingerprint of the data", fingerprint],
  ].filter(([, text]) => text);
  return [
    element("dl", { class: "facts" }, [...facts, ...more].map(([label, text]) => [element("dt", {}, label), element("dd", {}, text)])),
    code("The same in Python", python),
    command ? code("The same in a shell", command) : null,
  ];
}

function code(title, text) {
  return element("div", { class: "code" }, element("h3", {}, title, " ", copyButton(() => text)), element("pre", { tabindex: 0 }, text));
}

function privacyText() {
  const summaries = page.variables.some((variable) => variable.summary) ? " Of the data it has counts, means and quantiles of each column, and of pairs of columns in bins of at least five rows." : "";
  const draws = page.answers.kind === "draws" ? " Its answers come from draws of the model." : "";
  const first = page.rows ? "This file contains rows of the data, as its author chose (rows=True)." : "This file contains no row of the data.";
  return `${first}${summaries}${draws} It works without a network and sends nothing anywhere.`;
}
