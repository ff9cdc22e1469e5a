// One card for each variable: its belief with a control, what the data say of it, and its local model.

import { button, element, inText, nameOf, setAttribute, setText, svg } from "./elements.js";
import { percent, shortNumber } from "./numbers.js";
import { barsPath, curvePath, share } from "./shapes.js";
import { rounded } from "./graph.js";

const BOX = { x: 4, y: 4, width: 312, height: 84 };

export function makeCard(state, i, heading = "h3") {
  const variable = state.page.variables[i];
  const control = variable.levels ? levelControl(state, i, variable) : valueControl(state, i, variable);
  const clear = button("Clear", () => state.set(i, null), { class: "clear" });
  const intervention = interventionControl(state, i, variable);
  const range = element("p", { class: "range" });
  const shape = element(
    "article",
    { class: "card", "data-variable": i },
    element("header", {}, element(heading, {}, nameOf(variable.name)), clear),
    intervention.shape,
    control.shape,
    range,
    element("p", { class: "summary" }, summaryText(variable)),
    element("details", {}, element("summary", {}, `Local model: ${variable.local.form}`), element("pre", { tabindex: 0 }, variable.local.text)),
  );
  const update = () => {
    shape.classList.toggle("evidence", state.evidence.has(i));
    clear.hidden = !state.evidence.has(i);
    intervention.update();
    control.update();
  };
  const leave = state.listenLate(() => setText(range, state.ranges && !state.evidence.has(i) ? rangeText(state.ranges, i, variable) : ""));
  return { shape, update, leave };
}

// Whether evidence was observed or set by intervention, which cuts the variable off from its parents.
function interventionControl(state, i, variable) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => state.force(i, box.checked));
  const shape = element("label", { class: "choice", hidden: true, title: `${inText(variable.name)} is set from outside: its parents do not act on it` }, box, " set by intervention: do()");
  const update = () => {
    shape.hidden = !state.canForce || !state.evidence.has(i);
    box.checked = state.forced.has(i);
  };
  return { shape, update };
}

function rangeText({ count, nodes }, i, { levels }) {
  const over = `Over ${count} sets of parents in equivalent graphs`;
  if (!levels) return nodes[i][0] < nodes[i][1] ? `${over}: mean between ${shortNumber(nodes[i][0])} and ${shortNumber(nodes[i][1])}` : `${over}: the same mean`;
  const apart = nodes[i].map(([low, high], level) => [inText(levels[level]), percent(low), percent(high)]).filter(([, low, high]) => low !== high);
  return apart.length ? `${over}: ${apart.map(([level, low, high]) => `${level} ${low} to ${high}`).join(", ")}` : `${over}: the same`;
}

function summaryText({ summary, levels }) {
  if (!summary) return "";
  const gaps = summary.missing ? `, ${summary.missing} missing` : "";
  const rows = `${summary.rows} rows${gaps}`;
  if (levels) return `In the data: ${rows}.`;
  const [low, , middle, , high] = summary.quantiles.map((x) => shortNumber(x));
  return `In the data: ${rows}; mean ${shortNumber(summary.mean)}, sd ${shortNumber(summary.sd)}; median ${middle}, 90 % between ${low} and ${high}.`;
}

function levelControl(state, i, variable) {
  const rows = variable.levels.map((level, k) => {
    const fill = element("span", { class: "fill" });
    const before = element("span", { class: "before" });
    const text = element("span", { class: "value" });
    const row = button(nameOf(level), () => state.set(i, state.evidence.get(i) === k ? null : k), { class: "level", "aria-pressed": "false" });
    row.append(element("span", { class: "track" }, fill, before), text);
    return { row, fill, before, text };
  });
  const update = () => {
    rows.forEach(({ row, fill, before, text }, k) => {
      const belief = state.beliefs ? state.beliefs[i][k] : 0;
      fill.style.width = `${100 * belief}%`;
      before.style.left = `${100 * state.prior[i][k]}%`;
      before.hidden = !state.evidence.size;
      setText(text, state.beliefs ? percent(belief) : "–");
      setAttribute(row, "aria-pressed", String(state.evidence.get(i) === k));
    });
  };
  return { shape: element("div", { class: "levels", role: "group" }, rows.map(({ row }) => row)), update };
}

function valueControl(state, i, variable) {
  const [low, high] = variable.axis;
  const step = 10 ** Math.floor(Math.log10((high - low) / 200));
  const before = svg("path", { class: "before", d: curvePath(state.prior[i].density, variable.axis, BOX, false) });
  const curve = svg("path", { class: "curve" });
  const mark = svg("path", { class: "mark" });
  const { summary } = variable;
  const bars = summary && summary.histogram ? svg("path", { class: "bars", d: barsPath(summary.histogram, variable.axis, BOX) }) : null;
  const picture = svg("svg", { class: "density", viewBox: "0 0 320 92", "aria-hidden": "true" }, bars, before, curve, mark, svg("path", { class: "axis", d: "M4 88H316" }));
  const slider = element("input", { type: "range", min: low, max: high, step, "aria-label": `Value of ${inText(variable.name)}` });
  const number = element("input", { type: "number", step: "any", placeholder: "value", "aria-label": `Exact value of ${inText(variable.name)}` });
  const text = element("p", { class: "belief" });
  slider.addEventListener("input", () => state.set(i, rounded(Number(slider.value), variable.axis)));
  number.addEventListener("change", () => {
    const value = number.value.trim() === "" ? null : Number(number.value);
    if (value === null || Number.isFinite(value)) state.set(i, value);
  });
  const ends = element("div", { class: "ends" }, element("span", {}, shortNumber(low)), element("span", {}, shortNumber(high)));
  const update = () => {
    const fixed = state.evidence.get(i);
    const belief = state.beliefs ? state.beliefs[i] : null;
    setAttribute(curve, "d", fixed !== undefined || !belief ? "" : curvePath(belief.density, variable.axis, BOX, true));
    const at = fixed !== undefined ? fixed : belief ? belief.mean : null;
    setAttribute(mark, "d", at === null ? "" : `M${(BOX.x + BOX.width * share(at, variable.axis)).toFixed(1)} 4V88`);
    if (document.activeElement !== slider && at !== null) slider.value = at;
    if (document.activeElement !== number) number.value = fixed === undefined ? "" : fixed;
    setText(text, fixed !== undefined ? `= ${shortNumber(fixed, 6)} (set by you)` : valueText(belief));
  };
  return { shape: element("div", { class: "number" }, picture, ends, slider, element("div", { class: "row" }, text, number)), update };
}

// The same words and digits as a belief in Python.
export function valueText(belief) {
  if (!belief) return "no answer";
  const error = belief.error ? ` (standard error ${shortNumber(belief.error, 2)})` : "";
  return `mean ${shortNumber(belief.mean)}${error}, sd ${shortNumber(belief.sd)}; 95 % between ${shortNumber(belief.low)} and ${shortNumber(belief.high)}`;
}
