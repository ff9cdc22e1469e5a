// Answers from draws of the joint distribution. Levels must agree with the evidence; numbers may be off by a window,
// whose draws count less the farther they are, and answers follow them linearly to the evidence itself (as local
// linear regression does; Beaumont, Zhang and Balding 2002). With fewer draws that agree there is no answer.

import { fraction, uncertainty } from "./information.js";

const GROUPS = 12; // of numbers
const NEAR = 400; // draws inside the window
const FEWEST = 30; // effective size below which there is no answer
const QUARTILES = 1.349; // standard deviations between the quartiles of a normal distribution
const WIDE = 1; // standard deviations from which on a window is named

export function drawsEngine(answers, variables) {
  const columns = answers.columns.map((column, i) => decoded(column, variables[i]));
  const sds = columns.map((values, i) => (variables[i].levels ? 1 : spreadOf(values)));
  const everything = { weights: new Float64Array(answers.size).fill(1 / answers.size), offsets: [], window: 0 };

  // Evidence maps a variable to a value, or to the weights of its levels. Gives beliefs with their standard errors
  // and effective size, or null where too few draws agree.
  // With `only`, it is that of one variable alone.
  function answer(evidence, forced, only = null) {
    const chosen = weighted(evidence);
    const size = effective(chosen.weights);
    if (size < FEWEST) return null;
    const solve = localLinear(chosen.weights, chosen.offsets);
    const beliefs = columns.map((values, i) => {
      if (only !== null && i !== only) return null;
      if (variables[i].levels) return levelBelief(values, variables[i].levels.length, chosen.weights, solve, size);
      if (evidence.has(i)) return { mean: evidence.get(i), sd: 0, low: evidence.get(i), high: evidence.get(i), error: 0, size };
      return numberBelief(values, chosen.weights, chosen.offsets, solve, size);
    });
    return Object.assign(beliefs, { size, window: chosen.window > WIDE ? chosen.window : 0 });
  }

  const weighted = (evidence) => (evidence.size ? windowOf(evidence, columns, sds, answers.size) : everything);

  // Shares of entropy or variance, from draws grouped by each other variable; expected values of noise are taken off.
  function reductions(evidence, forced, target) {
    const { weights } = weighted(evidence);
    const size = effective(weights);
    if (size < FEWEST) return null;
    const groups = (node, levels, most) => (levels ? { codes: columns[node], count: levels.length } : binned(columns[node], weights, most));
    return columns.map((_, node) => {
      if (node === target || evidence.has(node)) return null;
      const among = groups(node, variables[node].levels, GROUPS);
      return variables[target].levels ? informationShare(columns[target], variables[target].levels.length, among, weights, size) : varianceShare(columns[target], among, weights, size);
    });
  }

  return { answer, reductions };
}

// Numbers in equally probable groups.
function binned(values, weights, count) {
  const order = Array.from(values.keys()).filter((n) => weights[n] > 0).sort((one, two) => values[one] - values[two]);
  const codes = new Uint16Array(values.length);
  let sum = 0;
  for (const n of order) {
    codes[n] = Math.min(count - 1, Math.floor(count * sum));
    sum += weights[n];
  }
  return { codes, count };
}

// The adjusted share of the variance that lies between groups (Ezekiel 1930).
function varianceShare(values, { codes, count }, weights, size) {
  const sums = new Float64Array(count);
  const totals = new Float64Array(count);
  let mean = 0;
  let squares = 0;
  for (let n = 0; n < values.length; n++) {
    totals[codes[n]] += weights[n];
    sums[codes[n]] += weights[n] * values[n];
    mean += weights[n] * values[n];
  }
  for (let n = 0; n < values.length; n++) squares += weights[n] * (values[n] - mean) ** 2;
  let between = 0;
  sums.forEach((sum, k) => { if (totals[k] > 0) between += totals[k] * (sum / totals[k] - mean) ** 2; });
  return fraction(1 - ((1 - between / squares) * (size - 1)) / Math.max(1, size - count), 1);
}

// The mutual information less what independent variables would show (Miller 1955), as a share of the entropy.
function informationShare(codes, levels, among, weights, size) {
  const joint = new Float64Array(levels * among.count);
  const rows = new Float64Array(levels);
  const columns = new Float64Array(among.count);
  for (let n = 0; n < codes.length; n++) {
    joint[codes[n] * among.count + among.codes[n]] += weights[n];
    rows[codes[n]] += weights[n];
    columns[among.codes[n]] += weights[n];
  }
  const there = (sums) => sums.filter((p) => p > 0).length;
  let information = -((there(rows) - 1) * (there(columns) - 1)) / (2 * size);
  joint.forEach((p, i) => { if (p > 0) information += p * Math.log(p / (rows[Math.floor(i / among.count)] * columns[i % among.count])); });
  return fraction(information, uncertainty(rows, { levels: true }));
}

function decoded(column, variable) {
  const bytes = Uint8Array.from(atob(column.values), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  if (variable.levels) return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true));
  return Float64Array.from({ length: bytes.length / 4 }, (_, i) => column.centre + view.getFloat32(4 * i, true));
}

// The standard deviation that a normal distribution with these quartiles has, which far draws do not change.
function spreadOf(values) {
  const sorted = values.slice().sort();
  const at = (part) => sorted[Math.floor(part * (sorted.length - 1))];
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return (at(0.75) - at(0.25)) / QUARTILES || Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length) || 1;
}

// Weights of all draws, what they are off the evidence, and the half width of the window in standard deviations.
function windowOf(evidence, columns, sds, count) {
  const weights = new Float64Array(count).fill(1);
  const distances = new Float64Array(count);
  const offsets = [];
  for (const [node, value] of evidence) {
    const values = columns[node];
    if (typeof value !== "number") {
      for (let n = 0; n < count; n++) weights[n] *= value[values[n]];
      continue;
    }
    const off = new Float64Array(count);
    for (let n = 0; n < count; n++) {
      off[n] = (values[n] - value) / sds[node];
      distances[n] += off[n] * off[n];
    }
    offsets.push(off);
  }
  let width = 0;
  if (offsets.length) {
    const sorted = distances.filter((_, n) => weights[n] > 0).sort();
    width = Math.sqrt(sorted[Math.min(NEAR, sorted.length) - 1] || 0) * 1.0001 + 1e-9;
    for (let n = 0; n < count; n++) weights[n] *= Math.max(0, 1 - distances[n] / (width * width));
  }
  const sum = weights.reduce((total, w) => total + w, 0);
  if (sum > 0) for (let n = 0; n < count; n++) weights[n] /= sum;
  return { weights, offsets, window: width };
}

function effective(weights) {
  const squares = weights.reduce((sum, w) => sum + w * w, 0);
  return squares > 0 ? 1 / squares : 0;
}

// Local linear regression on the offsets: gives coefficients, intercept first, and the weights whose sum with the
// values is the intercept.
function localLinear(weights, offsets) {
  const size = offsets.length + 1;
  const rows = [];
  for (let n = 0; n < weights.length; n++) if (weights[n] > 0) rows.push(n);
  const design = (n, k) => (k ? offsets[k - 1][n] : 1);
  const matrix = Array.from({ length: size }, () => new Float64Array(2 * size));
  for (let k = 0; k < size; k++) {
    for (let l = 0; l < size; l++) for (const n of rows) matrix[k][l] += weights[n] * design(n, k) * design(n, l);
    if (k) matrix[k][k] += 1e-9 + 1e-6 * matrix[k][k];
    matrix[k][size + k] = 1;
  }
  const inverse = inverted(matrix, size);
  return {
    rows,
    fit(value) {
      const sums = new Float64Array(size);
      for (const n of rows) {
        const y = weights[n] * value(n);
        for (let k = 0; k < size; k++) sums[k] += y * design(n, k);
      }
      return inverse.map((row) => row.reduce((sum, x, k) => sum + x * sums[k], 0));
    },
    pull: (n) => weights[n] * inverse[0].reduce((sum, x, k) => sum + x * design(n, k), 0),
  };
}

function inverted(matrix, size) {
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(matrix[i][k]) > Math.abs(matrix[pivot][k])) pivot = i;
    [matrix[k], matrix[pivot]] = [matrix[pivot], matrix[k]];
    const scale = matrix[k][k] || 1e-12;
    for (let j = 0; j < 2 * size; j++) matrix[k][j] /= scale;
    for (let i = 0; i < size; i++) {
      const part = matrix[i][k];
      if (i === k || part === 0) continue;
      for (let j = 0; j < 2 * size; j++) matrix[i][j] -= part * matrix[k][j];
    }
  }
  return matrix.map((row) => Array.from(row.subarray(size)));
}

function levelBelief(codes, count, weights, solve, size) {
  const found = new Float64Array(count);
  const errors = new Float64Array(count);
  for (let level = 0; level < count; level++) {
    const value = (n) => (codes[n] === level ? 1 : 0);
    const coefficients = solve.fit(value);
    found[level] = Math.min(1, Math.max(0, coefficients[0]));
    for (const n of solve.rows) errors[level] += (solve.pull(n) * (value(n) - found[level])) ** 2;
  }
  const sum = found.reduce((total, x) => total + x, 0) || 1;
  return Object.assign(found.map((x) => x / sum), { error: Math.sqrt(Math.max(...errors)), size });
}

function numberBelief(values, weights, offsets, solve, size) {
  const coefficients = solve.fit((n) => values[n]);
  const mean = coefficients[0];
  let variance = 0;
  let error = 0;
  const moved = solve.rows.map((n) => {
    let y = values[n];
    for (let k = 0; k < offsets.length; k++) y -= coefficients[k + 1] * offsets[k][n];
    variance += weights[n] * (y - mean) ** 2;
    error += (solve.pull(n) * (y - mean)) ** 2;
    return [y, weights[n]];
  });
  moved.sort((one, two) => one[0] - two[0]);
  const sd = Math.sqrt(variance);
  return { mean, sd, low: quantile(moved, 0.025), high: quantile(moved, 0.975), error: Math.sqrt(error), size, density: smoothed(moved, sd, size) };
}

function quantile(sorted, part) {
  let sum = 0;
  for (const [value, weight] of sorted) {
    sum += weight;
    if (sum >= part) return value;
  }
  return sorted[sorted.length - 1][0];
}

// A kernel density estimate of weighted values.
function smoothed(sorted, sd, size) {
  const between = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / QUARTILES;
  const width = 0.9 * Math.min(sd, between || sd) * size ** -0.2 || 1e-9;
  return (x) => {
    let sum = 0;
    for (const [value, weight] of sorted) {
      const z = (x - value) / width;
      if (z < 4 && z > -4) sum += weight * Math.exp(-0.5 * z * z);
    }
    return sum / width;
  };
}
