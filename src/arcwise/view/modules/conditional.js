// Plots of a child against one parent: what the model says of the child if the parent alone were seen, and the data in
// bins. They are made when they are opened, one in a frame.

import { element, inText, nameOf, replaceChildren, shortened, svg } from "./elements.js";
import { shortNumber } from "./numbers.js";

const BOX = { left: 46, top: 8, width: 264, height: 150 };
const SIZE = { width: 320, height: 190 };
const POINTS = 24;
const FEW = 8; // points in networks of many variables
const MANY = 60; // variables
const MOST = 6; // plots of a variable
const MAX_LEVELS = 8;

export function makePlots(state, i) {
  const edges = state.page.edges.filter((edge) => edge.tail === i || edge.head === i);
  edges.sort((one, two) => (one.head === i ? 0 : 1) - (two.head === i ? 0 : 1) || (two.strength || 0) - (one.strength || 0));
  if (!edges.length) return null;
  const list = element("div", { class: "plots" });
  const few = state.page.variables.length <= MANY;
  const shape = element("details", { class: "conditional", open: few }, element("summary", {}, "Plots against its neighbours"), list);
  shape.addEventListener("toggle", () => {
    if (shape.open && !list.childElementCount) addPlots(state, list, edges.slice(0, MOST), edges.length);
  });
  return shape;
}

function addPlots(state, list, edges, count) {
  const waiting = [...edges];
  const next = () => {
    if (!waiting.length) {
      const some = count > edges.length ? ` The ${edges.length} strongest of ${count} edges.` : "";
      list.append(element("p", { class: "note" }, noteOf(edges, state.page) + some));
      return;
    }
    list.append(plotOf(state, waiting.shift()));
    requestAnimationFrame(next);
  };
  next();
}

function plotOf(state, edge) {
  const { variables } = state.page;
  const [child, parent] = [variables[edge.head], variables[edge.tail]];
  const draw = child.levels ? drawShares : drawNumbers;
  const made = element("figure", { class: "plot" }, element("figcaption", {}, nameOf(child.name), " against ", nameOf(parent.name)));
  made.append(draw(state, edge, child, parent));
  return made;
}

// How to read the plots.
function noteOf(edges, { variables, rows }) {
  const numbers = edges.some((edge) => !variables[edge.head].levels);
  const levels = edges.some((edge) => variables[edge.head].levels);
  const data = edges.some((edge) => edge.pair && edge.pair.at.length);
  const parts = [];
  if (numbers) parts.push(`Line and band: mean and 95 % of the model if this variable alone is seen${data ? "; dots and bars: mean ± sd of the data in bins" : ""}${rows ? "; points: rows of the data" : ""}.`);
  if (levels) parts.push(`Wide bars: the model if this variable alone is seen${data ? "; thin bars: the data" : ""}.`);
  return parts.join(" ");
}

// Values of the parent at which the model is evaluated: levels, or numbers over its range.
function places(state, parent) {
  if (parent.levels) return parent.levels.slice(0, MAX_LEVELS).map((_, level) => level);
  const count = state.page.variables.length > MANY ? FEW : POINTS;
  const [low, high] = parent.axis;
  return Array.from({ length: count + 1 }, (_, k) => low + ((high - low) * k) / count);
}

// -- numbers --

function drawNumbers(state, edge, child, parent) {
  const at = places(state, parent);
  const beliefs = at.map((value) => state.conditional(edge.head, edge.tail, value));
  const across = parent.levels ? (level) => BOX.left + (BOX.width * (level + 0.5)) / at.length : scale(parent.axis, BOX.left, BOX.width);
  const up = scale(child.axis, BOX.top + BOX.height, -BOX.height);
  const points = at.map((value, k) => ({ x: across(value), belief: beliefs[k] })).filter(({ belief }) => belief);
  const model = parent.levels
    ? points.map(({ x, belief }) => [svg("path", { class: "band", d: `M${text(x - 9)} ${text(up(belief.low))}H${text(x + 9)}V${text(up(belief.high))}H${text(x - 9)}Z` }), svg("path", { class: "model", d: `M${text(x - 9)} ${text(up(belief.mean))}h18` })])
    : curves(points, up);
  const dots = binned(edge.pair, at, parent).map(({ x, k }) => {
    const [mean, sd] = [edge.pair.means[k], edge.pair.sds[k]];
    if (mean === undefined) return null;
    const [place, radius] = [text(across(x)), text(radiusOf(edge.pair, k))];
    return [svg("path", { class: "whisker", d: `M${place} ${text(up(mean - sd))}V${text(up(mean + sd))}` }), svg("circle", { class: "dot", cx: place, cy: text(up(mean)), r: radius })];
  });
  const ticks = parent.levels ? levelTicks(parent, at, across) : numberTicks(parent.axis);
  return frame(`${inText(child.name)} against ${inText(parent.name)}`, inside(rowDots(state.page.rows, edge, across, up, parent), model, dots), ticks, sideTicks(child.axis));
}

// Rows of the data, which are in the file only if its author asked for them; levels are spread to the sides.
function rowDots(rows, edge, across, up, parent) {
  if (!rows) return null;
  const [xs, ys] = [rows[edge.tail], rows[edge.head]];
  const spread = (k) => (parent.levels ? 16 * (((k * 0.6180339887) % 1) - 0.5) : 0);
  const marks = xs.flatMap((x, k) => (x === null || ys[k] === null || ys[k] === undefined ? [] : [`M${text(across(x) + spread(k))} ${text(up(ys[k]))}h0`]));
  return svg("path", { class: "rows", d: marks.join("") });
}

function curves(points, up) {
  if (points.length < 2) return [];
  const high = points.map(({ x, belief }) => `${text(x)} ${text(up(belief.high))}`);
  const low = points.map(({ x, belief }) => `${text(x)} ${text(up(belief.low))}`).reverse();
  const mean = points.map(({ x, belief }) => `${text(x)} ${text(up(belief.mean))}`);
  return [svg("path", { class: "band", d: `M${[...high, ...low].join("L")}Z` }), svg("path", { class: "model", d: `M${mean.join("L")}` })];
}

// -- levels --

// For each place of the parent a bar of the child's levels on top of each other, and a thin one for the data.
function drawShares(state, edge, child, parent) {
  const at = parent.levels ? places(state, parent) : middles(edge.pair, parent);
  const wide = BOX.width / at.length;
  const thin = edge.pair && edge.pair.shares.length ? 0.22 : 0;
  const bars = at.map((value, k) => {
    const belief = state.conditional(edge.head, edge.tail, value);
    const left = BOX.left + wide * (k + 0.08);
    const data = thin ? sharesAt(edge.pair, value) : null;
    return [belief ? stacked(belief, left, wide * (0.82 - thin), "model") : null, data ? stacked(data, left + wide * (0.84 - thin), wide * thin, "data") : null];
  });
  const centre = (k) => BOX.left + wide * (k + 0.5);
  const ticks = parent.levels ? levelTicks(parent, at, centre) : at.map((value, k) => (k % Math.ceil(at.length / 5) ? null : tick(centre(k), shortNumber(value, 3))));
  const key = element("p", { class: "levelkey" }, child.levels.slice(0, MAX_LEVELS).map((level, k) => element("span", { class: `share${k % 8}` }, nameOf(level))));
  return element("div", {}, frame(`Shares of the levels of ${inText(child.name)} against ${inText(parent.name)}`, bars, null, ticks, sideTicks([0, 1])), key);
}

function middles(pair, { axis: [low, high] }) {
  if (pair && pair.at.length > 1) return pair.at;
  return Array.from({ length: 9 }, (_, k) => low + ((high - low) * (k + 0.5)) / 9);
}

function sharesAt(pair, value) {
  const k = pair.at.indexOf(value);
  return k < 0 ? null : pair.shares[k];
}

function stacked(shares, x, width, kind) {
  let from = BOX.top + BOX.height;
  return Array.from(shares, (share, k) => {
    const height = BOX.height * share;
    from -= height;
    return svg("rect", { class: `share${k % 8} ${kind}`, x: text(x), y: text(from), width: text(width), height: text(height) });
  });
}

// -- axes --

function binned(pair, at, parent) {
  if (!pair) return [];
  return pair.at.map((x, k) => ({ x, k })).filter(({ x }) => !parent.levels || at.includes(x));
}

function radiusOf(pair, k) {
  return 1.8 + 2.2 * Math.sqrt(pair.rows[k] / Math.max(...pair.rows));
}

function scale([low, high], start, length) {
  return (value) => start + (length * (value - low)) / (high - low);
}

function numberTicks(axis) {
  const across = scale(axis, BOX.left, BOX.width);
  return [axis[0], (axis[0] + axis[1]) / 2, axis[1]].map((value) => tick(across(value), shortNumber(value)));
}

function levelTicks(parent, at, across) {
  const most = Math.max(2, Math.floor(BOX.width / at.length / 6));
  return at.map((level, k) => tick(across(k), shortened(parent.levels[level], most)));
}

function tick(x, label) {
  return svg("text", { class: "tick", x: text(x), y: BOX.top + BOX.height + 16, "text-anchor": "middle" }, label);
}

function sideTicks(axis) {
  const up = scale(axis, BOX.top + BOX.height, -BOX.height);
  return [axis[0], (axis[0] + axis[1]) / 2, axis[1]].map((value) => svg("text", { class: "tick", x: BOX.left - 5, y: text(up(value) + 4), "text-anchor": "end" }, shortNumber(value)));
}

// What lies outside the box is cut off.
function inside(...parts) {
  const { left, top, width, height } = BOX;
  const shape = svg("svg", { x: left, y: top, width, height, viewBox: `${left} ${top} ${width} ${height}` });
  replaceChildren(shape, parts);
  return shape;
}

function frame(title, ...parts) {
  const shape = svg("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label": title }, svg("rect", { class: "ground", x: BOX.left, y: BOX.top, width: BOX.width, height: BOX.height }));
  replaceChildren(shape, shape.firstChild, parts);
  return shape;
}

function text(x) {
  return Number(x).toFixed(1);
}
