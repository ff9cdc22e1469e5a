// The graph: beliefs in its boxes, evidence by click, drag and keys; pan, zoom, search, and the blanket of a node.

import { button, element, inText, replaceChildren, setAttribute, setText, svg } from "./elements.js";
import { percent, shortNumber } from "./numbers.js";
import { edgeFilter } from "./filter.js";
import { connected, openPath } from "./separation.js";
import { curvePath, share } from "./shapes.js";

const HEAD = 24;
const ROW = 17;
const CURVE = 40;
const SIDE = 7;
const LABEL = "11px system-ui, sans-serif";
const TITLE = "600 12px system-ui, sans-serif";
const LONGEST = 200; // characters of a name that are looked at
const LEVEL_END = 56; // pixels after a bar
const STEP = 1 / 50; // of its range that a key moves a value

export function makeGraph(state) {
  const { picture } = state.page;
  const lines = svg("g", { class: "lines" }, picture.lines.map((line) => lineOf(state, line)));
  const nodes = state.page.variables.map((_, i) => makeNode(state, i));
  const further = svg("g", { class: "further" });
  const camera = svg("g", {}, further, lines, svg("g", { class: "nodes" }, nodes.map((node) => node.shape)));
  const root = svg("svg", { class: "graph", role: "group", "aria-label": "Graph of the network" }, camera);
  const view = makeCamera(root, picture);
  const edgeShapes = [...lines.children];

  let shown;
  state.listen(() => {
    for (const node of nodes) node.update();
    const key = JSON.stringify([state.selected, state.focus, state.target, [...state.evidence.keys()], [...state.forced], [...state.hidden], state.further]);
    if (shown === key) return;
    shown = key;
    replaceChildren(further, state.further.map(([one, two]) => svg("path", { class: "more", d: `M${centre(picture.nodes[one])}L${centre(picture.nodes[two])}` })));
    const path = pathOf(state);
    const steps = new Set((path || []).flatMap((node, k) => (k ? [`${path[k - 1]} ${node}`, `${node} ${path[k - 1]}`] : [])));
    const focus = path ? new Set([...path, ...state.evidence.keys()]) : focusOf(state);
    nodes.forEach((node, i) => {
      node.shape.classList.toggle("faint", focus !== null && !focus.has(i));
      node.shape.classList.toggle("selected", state.selected === i);
    });
    picture.lines.forEach((line, n) => {
      const { tail, head } = state.page.edges[line.edge];
      edgeShapes[n].classList.toggle("away", state.hidden.has(line.edge));
      edgeShapes[n].classList.toggle("step", steps.has(`${tail} ${head}`));
      edgeShapes[n].classList.toggle("cut", state.forced.has(head));
      edgeShapes[n].classList.toggle("faint", focus !== null && (path ? !steps.has(`${tail} ${head}`) : !(focus.has(tail) && focus.has(head))));
    });
  });

  const frame = element("div", { class: "frame" }, root);
  const tools = element(
    "div",
    { class: "tools" },
    searchBox(state, (i) => {
      state.select(i);
      view.show(picture.nodes[i]);
      nodes[i].shape.focus({ preventScroll: true });
    }),
    button("+", () => view.zoom(1.3), { "aria-label": "Zoom in", title: "Zoom in" }),
    button("−", () => view.zoom(1 / 1.3), { "aria-label": "Zoom out", title: "Zoom out" }),
    button("Fit", () => view.fit(), { title: "Show the whole graph" }),
    edgeFilter(state),
  );
  return { frame, tools };
}

function centre({ x, y }) {
  return `${x} ${y}`;
}

// An open path from the selected variable to the target, if one is asked for.
function pathOf(state) {
  if (state.focus !== "trail" || state.selected === null) return null;
  return openPath(state.page, state.selected, state.target, new Set(state.evidence.keys())) || [state.selected, state.target];
}

// The selected variable with its Markov blanket, or with all that it depends on given the evidence; null where
// nothing is selected.
function focusOf(state) {
  if (state.selected === null) return null;
  const given = new Set(state.evidence.keys());
  if (state.focus === "connected") return new Set([state.selected, ...connected(state.page, state.selected, given), ...given]);
  return new Set([state.selected, ...state.page.variables[state.selected].blanket]);
}

function searchBox(state, found) {
  const input = element("input", { type: "search", placeholder: "Find a variable", "aria-label": "Find a variable", list: "names", autocomplete: "off" });
  const list = element("datalist", { id: "names" }, state.page.variables.map((variable) => element("option", { value: variable.name.slice(0, LONGEST) })));
  const go = (whole) => {
    const text = input.value.toLowerCase();
    const names = state.page.variables.map((variable) => variable.name.toLowerCase());
    let i = names.indexOf(text);
    if (i < 0 && !whole && text) i = names.findIndex((name) => name.includes(text));
    if (i >= 0) found(i);
  };
  input.addEventListener("change", () => go(false));
  input.addEventListener("input", (event) => { if (!event.inputType) go(true); });
  return element("span", {}, input, list);
}

// -- lines --

function lineOf(state, line) {
  const edge = state.page.edges[line.edge];
  const sign = edge.sign > 0 ? "positive" : edge.sign < 0 ? "negative" : "plain";
  const path = `M${pair(line.points[0])}C${line.points.slice(1).map(pair).join(" ")}`;
  const dashes = edge.sign < 0 ? dashesOf(line) : null;
  const shape = svg(
    "g",
    { class: `line ${sign}`, "data-edge": line.edge },
    svg("title", {}, edgeTitle(state, edge)),
    svg("path", { class: "hit", d: path }),
    svg("path", { class: "rim", d: path, "stroke-width": line.width + 3 }),
    svg("path", { class: "ink", d: path, "stroke-width": line.width, "stroke-dasharray": dashes, opacity: Math.max(0.25, line.ink) }),
    line.head.length ? svg("polygon", { points: line.head.map(pair).join(" "), opacity: Math.max(0.25, line.ink) }) : null,
  );
  shape.addEventListener("click", () => state.select(edge.head));
  return shape;
}

// Dashes and gaps; those of a short line are short, so that it does not look solid.
function dashesOf({ points, width }) {
  const [first, last] = [points[0], points[points.length - 1]];
  const most = Math.hypot(last[0] - first[0], last[1] - first[1]) / 4;
  return [3 * width + 3, width + 3].map((long) => Math.min(long, most).toFixed(1)).join(" ");
}

export function edgeTitle(state, edge) {
  const { variables } = state.page;
  const parts = [`${inText(variables[edge.tail].name)} ${edge.arrow ? "→" : "—"} ${inText(variables[edge.head].name)}`];
  if (edge.strength !== null) parts.push(`strength ${shortNumber(edge.strength, 3)} nats per row`);
  if (edge.certainty !== null) parts.push(`certainty ${edge.certainty.toFixed(2)}`);
  if (edge.effect) parts.push(`effect ${edge.effect}`);
  return parts.join("\n");
}

function pair([x, y]) {
  return `${x} ${y}`;
}

// -- nodes --

function makeNode(state, i) {
  const box = state.page.picture.nodes[i];
  const variable = state.page.variables[i];
  const { width, height } = box;
  const cross = svg("g", { class: "cross", "aria-hidden": "true", transform: `translate(${width - 3} 3)` }, svg("circle", { r: 8 }), svg("path", { d: "M-3 -3L3 3M-3 3L3 -3" }));
  const content = makeContent(state, i, variable, box);
  content.shape.setAttribute("aria-hidden", "true"); // the label of the box says the same
  const shown = cut(variable.name, width - 2 * SIDE, TITLE);
  const shape = svg(
    "g",
    { class: "node", tabindex: 0, role: "slider", "aria-valuemin": variable.levels ? 0 : variable.axis[0], "aria-valuemax": variable.levels ? variable.levels.length - 1 : variable.axis[1], transform: `translate(${box.x - width / 2} ${box.y - height / 2})` },
    shown === variable.name ? null : svg("title", {}, variable.name.slice(0, LONGEST)),
    svg("rect", { class: "box", width, height, rx: 7 }),
    svg("text", { class: "title", x: width / 2, y: 16, "text-anchor": "middle" }, shown),
    content.shape,
    cross,
  );
  shape.addEventListener("click", () => state.select(state.selected === i ? null : i));
  cross.addEventListener("click", (event) => {
    event.stopPropagation();
    state.set(i, null);
  });
  shape.addEventListener("keydown", (event) => onKey(state, i, event));
  const update = () => {
    shape.classList.toggle("evidence", state.evidence.has(i));
    shape.classList.toggle("forced", state.forced.has(i));
    shape.classList.toggle("impossible", !state.possible);
    content.update();
  };
  state.listenLate(() => {
    setAttribute(shape, "aria-label", `${inText(variable.name)}: ${beliefText(state, i)}`);
    setAttribute(shape, "aria-valuenow", valueNow(state, i));
  });
  return { shape, update };
}

// The value that arrow keys change: the evidence, or the best guess.
function valueNow(state, i) {
  const belief = (state.beliefs || state.prior)[i];
  if (state.evidence.has(i)) return state.evidence.get(i);
  return state.page.variables[i].levels ? belief.indexOf(Math.max(...belief)) : Number(belief.mean.toPrecision(6));
}

// A belief in a few words.
export function beliefText(state, i) {
  const variable = state.page.variables[i];
  if (state.evidence.has(i)) {
    const value = state.evidence.get(i);
    return `= ${variable.levels ? inText(variable.levels[value]) : shortNumber(value)}`;
  }
  if (!state.beliefs) return "no answer";
  const belief = state.beliefs[i];
  if (!variable.levels) return `${shortNumber(belief.mean)} ± ${shortNumber(belief.sd)}`;
  const best = belief.indexOf(Math.max(...belief));
  return `${inText(variable.levels[best])} ${percent(belief[best])}`;
}

function onKey(state, i, event) {
  const variable = state.page.variables[i];
  const way = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
  if (event.key === "Enter" || event.key === " ") state.select(state.selected === i ? null : i);
  else if (event.key === "Delete" || event.key === "Backspace") state.set(i, null);
  else if (event.key === "Escape") state.select(null);
  else if (way && !event.ctrlKey && !event.metaKey && !event.altKey) state.set(i, moved(state, i, variable, way, event.key));
  else return;
  event.preventDefault();
}

// The next level, or a value a step further.
function moved(state, i, variable, way, key) {
  const before = state.evidence.get(i);
  if (variable.levels) {
    if (before === undefined) return way > 0 ? 0 : variable.levels.length - 1;
    return (before + way + variable.levels.length) % variable.levels.length;
  }
  const [low, high] = variable.axis;
  const up = key === "ArrowUp" || key === "ArrowRight" ? 1 : -1;
  const start = before === undefined ? (state.beliefs || state.prior)[i].mean : before;
  return rounded(start + up * STEP * (high - low), variable.axis);
}

// A value with as many digits as its range can show.
export function rounded(value, [low, high]) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 200));
  return Number((Math.round(value / step) * step).toPrecision(12));
}

function makeContent(state, i, variable, box) {
  if (!state.page.picture.beliefs) return makeStrip(state, i, variable, box);
  return variable.levels ? makeLevels(state, i, variable, box) : makeCurve(state, i, variable, box);
}

function makeLevels(state, i, variable, { width, rows }) {
  const longest = Math.max(...variable.levels.slice(0, rows).map((level) => widthOf(level, LABEL)));
  const left = Math.round(Math.min(SIDE + 7 + longest, width - LEVEL_END - 36));
  const long = width - left - LEVEL_END;
  const shown = variable.levels.slice(0, rows).map((level, k) => {
    const bar = svg("rect", { class: "bar", x: left, y: 4, height: ROW - 8, width: 0 });
    const before = svg("path", { class: "before", d: "" });
    const text = svg("text", { class: "value", x: width - SIDE, y: 12.5, "text-anchor": "end" });
    const row = svg(
      "g",
      { class: "level", transform: `translate(0 ${HEAD + ROW * k})` },
      svg("title", {}, level.slice(0, LONGEST)),
      svg("rect", { class: "hit", x: 2, width: width - 4, height: ROW }),
      svg("text", { class: "label", x: SIDE, y: 12.5 }, cut(level, left - SIDE - 5, LABEL)),
      svg("rect", { class: "track", x: left, y: 4, height: ROW - 8, width: long }),
      bar,
      before,
      text,
    );
    row.addEventListener("click", (event) => {
      event.stopPropagation();
      state.set(i, state.evidence.get(i) === k ? null : k);
    });
    return { row, bar, before, text };
  });
  const rest = variable.levels.length - rows;
  const more = rest ? svg("text", { class: "label", x: SIDE, y: HEAD + ROW * rows + 12.5 }, `… ${rest} more`) : null;
  const update = () => {
    shown.forEach(({ row, bar, before, text }, k) => {
      const belief = state.beliefs ? state.beliefs[i][k] : 0;
      setAttribute(bar, "width", (long * belief).toFixed(1));
      const x = (left + long * state.prior[i][k]).toFixed(1);
      setAttribute(before, "d", state.evidence.size ? `M${x} 2V${ROW - 2}` : "");
      setText(text, state.beliefs ? percent(belief) : "–");
      row.classList.toggle("set", state.evidence.get(i) === k);
    });
  };
  return { shape: svg("g", {}, shown.map(({ row }) => row), more), update };
}

function makeCurve(state, i, variable, { width }) {
  const place = { x: SIDE, y: HEAD, width: width - 2 * SIDE, height: CURVE };
  const before = svg("path", { class: "before" });
  const curve = svg("path", { class: "curve" });
  const mark = svg("path", { class: "mark" });
  const text = svg("text", { class: "value", x: width / 2, y: HEAD + CURVE + 14, "text-anchor": "middle" });
  const hit = svg("rect", { class: "hit drag", ...place, height: CURVE + 2 });
  const shape = svg("g", {}, before, curve, svg("path", { class: "axis", d: `M${SIDE} ${HEAD + CURVE}H${width - SIDE}` }), mark, text, hit);
  setAttribute(before, "d", curvePath(state.prior[i].density, variable.axis, place, false));
  draggable(hit, (part) => state.set(i, rounded(variable.axis[0] + part * (variable.axis[1] - variable.axis[0]), variable.axis)));
  const update = () => {
    const fixed = state.evidence.has(i);
    const belief = state.beliefs ? state.beliefs[i] : null;
    setAttribute(curve, "d", fixed || !belief ? "" : curvePath(belief.density, variable.axis, place, true));
    const x = (place.x + place.width * share(fixed ? state.evidence.get(i) : belief ? belief.mean : 0, variable.axis)).toFixed(1);
    setAttribute(mark, "d", fixed || belief ? `M${x} ${HEAD}V${HEAD + CURVE}` : "");
    setText(text, beliefText(state, i));
  };
  return { shape, update };
}

// In graphs of many variables: a strip under the name, the share of each level, or where mean and interval lie.
function makeStrip(state, i, variable, { width, height }) {
  const long = width - 2 * SIDE;
  const y = height - 9;
  const count = variable.levels ? Math.min(variable.levels.length, 12) : 2;
  const parts = Array.from({ length: count }, (_, k) => svg("rect", { class: variable.levels ? `part part${k % 6}` : k ? "mean" : "part part0", y, height: 4 }));
  const update = () => {
    const belief = state.beliefs ? state.beliefs[i] : null;
    let from = 0;
    parts.forEach((part, k) => {
      let [x, wide] = [0, 0];
      if (belief && variable.levels) [x, wide] = [from, state.evidence.has(i) ? (state.evidence.get(i) === k ? 1 : 0) : belief[k]];
      else if (belief && k) [x, wide] = [share(belief.mean, variable.axis) - 0.01, 0.02];
      else if (belief) [x, wide] = [share(belief.low, variable.axis), share(belief.high, variable.axis) - share(belief.low, variable.axis)];
      setAttribute(part, "x", (SIDE + long * x).toFixed(1));
      setAttribute(part, "width", Math.max(0, long * wide).toFixed(1));
      from += wide;
    });
  };
  return { shape: svg("g", {}, svg("rect", { class: "track", x: SIDE, y, height: 4, width: long }), parts), update };
}

// Report where in a shape, from 0 to 1, a pointer is pressed or dragged.
function draggable(shape, moved) {
  const report = (event) => {
    const { left, width } = shape.getBoundingClientRect();
    moved(Math.min(1, Math.max(0, (event.clientX - left) / width)));
  };
  shape.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
    shape.setPointerCapture(event.pointerId);
    report(event);
  });
  shape.addEventListener("pointermove", (event) => { if (shape.hasPointerCapture(event.pointerId)) report(event); });
  shape.addEventListener("click", (event) => event.stopPropagation());
}

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text, font) {
  pen.font = font;
  return pen.measureText(text.slice(0, LONGEST)).width;
}

// A text that fits into a width, or its beginning.
function cut(text, width, font) {
  if (text.length < LONGEST && widthOf(text, font) <= width) return text;
  const signs = [...text.slice(0, LONGEST)];
  while (signs.length > 1 && widthOf(`${signs.join("")}…`, font) > width) signs.pop();
  return `${signs.join("")}…`;
}

// -- pan and zoom --

const MARGIN = 14;

function makeCamera(root, picture) {
  const whole = { x: -MARGIN, y: -MARGIN, width: picture.width + 2 * MARGIN, height: picture.height + 2 * MARGIN };
  let view = { ...whole };
  const pointers = new Map();

  function show() {
    root.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  // Zoom around a point of the picture, the middle by default.
  function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
    const part = Math.min(Math.max(1 / factor, 60 / view.width), (4 * whole.width) / view.width);
    view = { x: x - (x - view.x) * part, y: y - (y - view.y) * part, width: view.width * part, height: view.height * part };
    show();
  }

  function fit() {
    view = { ...whole };
    show();
  }

  // Move a box into view, to the middle if it is outside.
  function reveal({ x, y, width, height }) {
    const inside = x - width / 2 >= view.x && x + width / 2 <= view.x + view.width && y - height / 2 >= view.y && y + height / 2 <= view.y + view.height;
    if (!inside) view = { ...view, x: x - view.width / 2, y: y - view.height / 2 };
    show();
  }

  // Pixels of the screen to units of the picture.
  function unit() {
    const matrix = root.getScreenCTM();
    return matrix ? 1 / matrix.a : 1;
  }

  function at(event) {
    const matrix = root.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : { x: 0, y: 0 };
  }

  root.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !root.contains(document.activeElement)) return;
    event.preventDefault();
    const point = at(event);
    zoom(Math.exp(-event.deltaY * 0.002), point.x, point.y);
  }, { passive: false });
  root.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".node")) return;
    pointers.set(event.pointerId, event);
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
    if (other) {
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      const point = at(other);
      zoom(apart(event) / apart(before), point.x, point.y);
    } else {
      view = { ...view, x: view.x - (event.clientX - before.clientX) * unit(), y: view.y - (event.clientY - before.clientY) * unit() };
      show();
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, (event) => pointers.delete(event.pointerId));
  root.style.aspectRatio = `${whole.width} / ${whole.height}`;
  root.style.maxWidth = `${(whole.width / 13).toFixed(1)}rem`; // a little larger than its text is meant
  show();
  return { zoom, fit, show: reveal };
}
