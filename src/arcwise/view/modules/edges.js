// The table of edges: sorted by any column, filtered, copied, saved as CSV.

import { button, element, nameOf, replaceChildren } from "./elements.js";
import { shortNumber } from "./numbers.js";

export function makeEdges(state) {
  const { edges, variables } = state.page;
  const name = (i) => variables[i].name;
  const columns = [
    { key: "from", value: (edge) => name(edge.tail), cell: (edge) => nameOf(name(edge.tail)) },
    { key: "", value: () => 0, cell: (edge) => (edge.arrow ? "→" : "—"), text: (edge) => (edge.arrow ? "->" : "--") },
    { key: "to", value: (edge) => name(edge.head), cell: (edge) => nameOf(name(edge.head)) },
    number("strength", "strength", (x) => shortNumber(x, 3)),
    number("certainty", "certainty", (x) => x.toFixed(2)),
    number("direction", "direction_support", (x) => x.toFixed(2)),
    { key: "effect", value: (edge) => Number(edge.effect), cell: (edge) => element("span", { class: signClass(edge) }, edge.effect), text: (edge) => edge.effect, missing: (edge) => !edge.effect, right: true },
    number("partial r", "partial_correlation", (x) => x.toFixed(2)),
  ].filter((column) => !column.missing || edges.some((edge) => !column.missing(edge)));
  const shown = { column: columns.find((column) => column.key === "strength") || columns[0], down: true, filter: "" };
  const body = element("tbody");
  const heads = columns.map((column) => {
    if (!column.key) return element("th", { scope: "col" }, element("span", { class: "hidden" }, "direction of the edge"));
    const sort = button(column.key, () => {
      shown.down = shown.column === column ? !shown.down : Boolean(column.right);
      shown.column = column;
      draw();
    });
    return element("th", { scope: "col", class: column.right ? "right" : null }, sort);
  });
  const count = element("span", { class: "count", role: "status" });
  const filter = element("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter edges by name" });
  filter.addEventListener("input", () => {
    shown.filter = filter.value.toLowerCase();
    draw();
  });

  function rows() {
    const wanted = edges.filter((edge) => `${name(edge.tail)} ${name(edge.head)}`.toLowerCase().includes(shown.filter));
    const { column, down } = shown;
    return wanted.sort((one, two) => (down ? -1 : 1) * compare(column, one, two, down));
  }

  function draw() {
    columns.forEach((column, k) => {
      if (column === shown.column) heads[k].setAttribute("aria-sort", shown.down ? "descending" : "ascending");
      else heads[k].removeAttribute("aria-sort");
    });
    const found = rows();
    replaceChildren(body, found.map((edge) => {
      const row = element("tr", {}, columns.map((column) => element("td", { class: column.right ? "right" : null }, column.missing && column.missing(edge) ? "" : column.cell(edge))));
      row.addEventListener("click", () => state.select(edge.head));
      return row;
    }));
    count.textContent = found.length === edges.length ? `${edges.length} edges` : `${found.length} of ${edges.length} edges`;
  }

  const lines = (separator) => [columns.map((column) => column.key || "edge"), ...rows().map((edge) => columns.map((column) => (column.missing && column.missing(edge) ? "" : column.text ? column.text(edge) : String(column.value(edge)))))]
    .map((cells) => cells.map((cell) => quoted(cell, separator)).join(separator))
    .join("\n");

  const tools = element("div", { class: "tools" }, filter, count, copyButton(() => lines("\t")), button("CSV", () => save("edges.csv", `${lines(",")}\n`), { title: "Save these edges as a file" }));
  draw();
  return element("div", {}, tools, element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Edges" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), body)));
}

function number(key, field, write) {
  return { key, value: (edge) => edge[field], cell: (edge) => write(edge[field]), missing: (edge) => edge[field] === null, right: true };
}

function signClass(edge) {
  return edge.sign > 0 ? "positive" : edge.sign < 0 ? "negative" : "";
}

// Empty cells come last in either order.
function compare(column, one, two, down) {
  const gaps = (column.missing && column.missing(one) ? 1 : 0) - (column.missing && column.missing(two) ? 1 : 0);
  if (gaps) return down ? -gaps : gaps;
  const [a, b] = [column.value(one), column.value(two)];
  if (column.missing && column.missing(one)) return 0;
  return typeof a === "string" ? a.localeCompare(b) * (down ? 1 : 1) : a - b;
}

// A cell for a table; what a spreadsheet would run as a formula is marked as text.
function quoted(cell, separator) {
  const text = /^[=+@\t\r-]/.test(cell) && Number.isNaN(Number(cell)) && cell !== "->" && cell !== "--" ? `'${cell}` : cell;
  return text.includes(separator) || /["\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function copyButton(text) {
  const made = button("Copy", async () => {
    const done = await copied(text());
    made.textContent = done ? "Copied" : "Not allowed";
    setTimeout(() => { made.textContent = "Copy"; }, 1500);
  });
  return made;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
