// A slider over the edges of the graph: over the penalty if there is a path, else over their certainty or strength.
// Answers do not change.

import { element } from "./elements.js";
import { shortNumber } from "./numbers.js";

export function edgeFilter(state) {
  const { edges, path } = state.page;
  if (path && path.knots.length > 1) return pathSlider(state, path);
  if (edges.length < 2) return null;
  return edges.some((edge) => edge.certainty !== null) ? certaintySlider(state, edges) : strengthSlider(state, edges);
}

function certaintySlider(state, edges) {
  return slider("Certainty at least", { min: 0, max: 1, step: 0.01, value: 0 }, (value) => {
    const hidden = hide(state, edges, (edge) => edge.certainty !== null && edge.certainty < value);
    return `${value.toFixed(2)}: ${edges.length - hidden} of ${edges.length} edges`;
  });
}

function strengthSlider(state, edges) {
  return slider("Strongest", { min: 1, max: edges.length, step: 1, value: edges.length }, (value) => {
    hide(state, edges, (edge, i) => i >= value);
    return `${value} of ${edges.length} edges`;
  });
}

// Edges of the path that the network lacks are straight lines.
function pathSlider(state, { knots, at, unit }) {
  const { edges } = state.page;
  const key = (one, two) => (one < two ? `${one} ${two}` : `${two} ${one}`);
  const present = new Set(edges.map((edge) => key(edge.tail, edge.head)));
  const last = knots.findLastIndex((knot) => knot.penalty <= at);
  return slider("Penalty", { min: 0, max: knots.length - 1, step: 1, value: Math.max(0, last), title: unit }, (value) => {
    const knot = knots[value];
    const there = new Set(knot.edges.map(([one, two]) => key(one, two)));
    hide(state, edges, (edge) => !there.has(key(edge.tail, edge.head)), knot.edges.filter(([one, two]) => !present.has(key(one, two))));
    return `${shortNumber(knot.penalty, 3)}: ${knot.edges.length} edges`;
  });
}

// Hide some edges and draw further ones; gives the number of those that are hidden.
function hide(state, edges, test, further = []) {
  const hidden = edges.flatMap((edge, i) => (test(edge, i) ? [i] : []));
  state.hide(new Set(hidden), further);
  return hidden.length;
}

function slider(label, attributes, change) {
  const text = element("output", {});
  const input = element("input", { type: "range", ...attributes });
  const update = () => { text.textContent = change(Number(input.value)); };
  input.addEventListener("input", update);
  update();
  return element("label", { class: "filter" }, label, input, text);
}
