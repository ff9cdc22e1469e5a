// Exact answers of linear-Gaussian networks. The uncertainty of fitted parameters widens them: mean and variance of a
// plug-in answer depend on the parameters, and are expanded to first order around them (docs/inference.md).

import { digamma, inverseTrigamma, logMinusDigamma, studentQuantile, trigamma } from "./numbers.js";

const NEW = 1e-9; // of its variance that evidence must leave unexplained to say something new
const SLACK = 1e-3; // of its standard deviation that superfluous evidence may be off
const MAX_FREEDOM = 1e12;

export function regressionsEngine(answers) {
  const models = answers.models.map(prepared);
  const size = models.length;
  const prior = jointOf(models, answers.order);

  // Evidence maps variables to values. Gives for each variable mean, sd, an interval, or null where the evidence
  // contradicts itself.
  function answer(evidence) {
    const mean = prior.mean.slice();
    const covariance = prior.covariance.slice();
    for (const [node, value] of evidence) {
      if (!condition(mean, covariance, prior.covariance, node, value)) return null;
    }
    const widened = widen(models, mean, covariance, evidence);
    return models.map((_, node) => belief(mean[node], covariance[node * size + node], widened, node));
  }

  return { answer };
}

function prepared(model) {
  const half = model.freedom / 2;
  if (!(model.freedom > 0)) return { ...model, fitted: false };
  return { ...model, fitted: true, doubt: trigamma(half), level: Math.log(model.rows / 2) - digamma(half) };
}

export function jointOf(models, order) {
  const size = models.length;
  const mean = new Float64Array(size);
  const covariance = new Float64Array(size * size);
  order.forEach((node, done) => {
    const { parents, intercept, coefficients, variance } = models[node];
    mean[node] = intercept;
    parents.forEach((parent, k) => { mean[node] += coefficients[k] * mean[parent]; });
    for (let j = 0; j < done; j++) {
      const other = order[j];
      let sum = 0;
      for (let k = 0; k < parents.length; k++) sum += coefficients[k] * covariance[parents[k] * size + other];
      covariance[node * size + other] = sum;
      covariance[other * size + node] = sum;
    }
    let own = variance;
    for (let k = 0; k < parents.length; k++) own += coefficients[k] * covariance[parents[k] * size + node];
    covariance[node * size + node] = own;
  });
  return { mean, covariance };
}

// Put in the value of one variable; false where others say something else.
export function condition(mean, covariance, prior, node, value) {
  const size = mean.length;
  const left = covariance[node * size + node];
  const before = prior[node * size + node];
  const off = value - mean[node];
  if (left <= NEW * before || left <= 0) {
    return Math.abs(off) <= SLACK * Math.sqrt(before) + 1e-9 * Math.abs(value);
  }
  const column = new Float64Array(size);
  for (let i = 0; i < size; i++) column[i] = covariance[i * size + node];
  for (let i = 0; i < size; i++) {
    const gain = column[i] / left;
    if (gain === 0) continue;
    mean[i] += gain * off;
    const row = i * size;
    for (let j = 0; j < size; j++) covariance[row + j] -= gain * column[j];
  }
  for (let i = 0; i < size; i++) {
    covariance[i * size + node] = 0;
    covariance[node * size + i] = 0;
  }
  mean[node] = value;
  return true;
}

// Scales and degrees of freedom of all variables given the evidence.
function widen(models, mean, covariance, evidence) {
  const size = models.length;
  const sums = { shift: new Float64Array(size), spread: new Float64Array(size), bias: new Float64Array(size), between: new Float64Array(size) };
  models.forEach((model, node) => {
    if (model.fitted) addModel(sums, model, node, mean, covariance);
  });
  const scale = new Float64Array(size);
  const freedom = new Float64Array(size).fill(Infinity);
  for (let t = 0; t < size; t++) {
    const variance = covariance[t * size + t];
    if (!(variance > 0) || evidence.has(t)) continue;
    const spread = sums.spread[t];
    freedom[t] = Math.min(2 * inverseTrigamma(spread), MAX_FREEDOM);
    const logScale = sums.shift[t] + Math.max(0, -sums.bias[t]) - logMinusDigamma(freedom[t] / 2);
    scale[t] = Math.sqrt(variance * Math.exp(spread > 0 ? logScale : 0) + sums.between[t]);
  }
  return { scale, freedom };
}

// What one local model adds for each target t. With C the covariances of its variables with t, a is the covariance
// of its residual with t; `spread` are the covariances of its coefficients.
function addModel(sums, model, node, mean, covariance) {
  const size = mean.length;
  const { parents, coefficients: w, variance, spread, centre, freedom, doubt, level } = model;
  const count = parents.length;
  const at = (i, j) => covariance[i * size + j];
  let residual = mean[node] - model.intercept;
  let residualVariance = at(node, node);
  const xs = new Float64Array(count);
  const beside = new Float64Array(count);
  let trace = 0;
  for (let k = 0; k < count; k++) {
    residual -= w[k] * mean[parents[k]];
    xs[k] = mean[parents[k]] - centre[k];
    beside[k] = at(parents[k], node);
    residualVariance -= 2 * w[k] * at(node, parents[k]);
    for (let l = 0; l < count; l++) {
      const both = at(parents[k], parents[l]);
      beside[k] -= w[l] * both;
      residualVariance += w[k] * w[l] * both;
      trace += spread[k][l] * both;
    }
  }
  const others = new Float64Array(count);
  const turned = new Float64Array(count);
  const slant = new Float64Array(count);
  for (let t = 0; t < size; t++) {
    const target = at(t, t);
    if (!(target > 0)) continue;
    let own = at(node, t);
    let moves = false;
    for (let k = 0; k < count; k++) {
      others[k] = at(parents[k], t);
      own -= w[k] * others[k];
      moves = moves || others[k] !== 0;
    }
    if (own === 0 && !moves) continue;
    const weight = own / variance;
    const share = (own * weight) / target;
    sums.shift[t] += share * level;
    sums.bias[t] += 0.5 * doubt * share * ((2 * residualVariance) / variance - 1 - share);
    sums.spread[t] += share * share * doubt;
    sums.between[t] += weight * weight * (variance / freedom + residual * residual * doubt);
    if (!count) continue;
    let quadratic = 0; // C' S C
    let crossed = 0; // beside' S C
    for (let k = 0; k < count; k++) {
      turned[k] = 0;
      for (let l = 0; l < count; l++) turned[k] += spread[k][l] * others[l];
      quadratic += others[k] * turned[k];
      crossed += beside[k] * turned[k];
      slant[k] = xs[k] * weight + (residual * others[k]) / variance;
    }
    const wide = (4 * weight * weight * quadratic) / (target * target);
    sums.spread[t] += wide;
    const bent = (residualVariance / variance - 1) * quadratic + 2 * weight * crossed + own * weight * trace;
    sums.bias[t] += bent / variance / target - 0.5 * wide;
    for (let k = 0; k < count; k++) {
      for (let l = 0; l < count; l++) sums.between[t] += slant[k] * spread[k][l] * slant[l];
    }
  }
}

function belief(mean, variance, widened, node) {
  const freedom = widened.freedom[node];
  const scale = variance > 0 ? widened.scale[node] : 0;
  const sd = freedom > 2 ? scale * (freedom < MAX_FREEDOM ? Math.sqrt(freedom / (freedom - 2)) : 1) : scale > 0 ? Infinity : 0;
  const half = scale > 0 ? studentQuantile(freedom) * scale : 0;
  return { mean, sd, low: mean - half, high: mean + half, density: (x) => shape((x - mean) / scale, freedom) / scale };
}

// Student's density up to a factor that is the same everywhere.
function shape(z, freedom) {
  return freedom > 1e6 ? Math.exp(-0.5 * z * z) : Math.exp(-0.5 * (freedom + 1) * Math.log1p((z * z) / freedom));
}
