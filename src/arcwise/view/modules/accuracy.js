// How well each variable is predicted from all others, on held-out rows.

import { element, nameOf } from "./elements.js";
import { percent, shortNumber } from "./numbers.js";

export function makeAccuracy(state) {
  const { held_out: found, variables } = state.page;
  if (!found) return [element("p", {}, "Not known. In Python, net.report(..., validation=aw.validate(data)) shows it.")];
  const rows = found.variables.map((entry) => {
    const variable = variables[entry.variable];
    const fill = element("span", { class: "fill" });
    fill.style.width = `${100 * Math.max(0, entry.gain)}%`;
    return element(
      "tr",
      {},
      element("td", {}, nameOf(variable.name)),
      element("td", { class: "gain" }, element("span", { class: "track" }, fill)),
      element("td", { class: "right" }, entry.rmse !== null ? entry.gain.toFixed(2) : percent(entry.accuracy)),
      element("td", { class: "right" }, entry.rmse !== null ? `± ${shortNumber(entry.rmse, 3)}` : `most frequent: ${percent(entry.majority)}`),
    );
  });
  const heads = ["variable", "", "R² or accuracy", "typical error, or guessing"].map((head, k) => element("th", { scope: "col", class: k > 1 ? "right" : null }, head || element("span", { class: "hidden" }, "gain")));
  return [
    element("p", {}, found.text),
    element("p", { class: "note" }, `Bars: R² of numbers; for levels the share of errors avoided that the most frequent level would make. Mean held-out ${found.measure}: ${shortNumber(found.mean)} ± ${shortNumber(found.error, 2)} nats per row.`),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Errors of predictions" }, element("table", { class: "accuracy" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
  ];
}
