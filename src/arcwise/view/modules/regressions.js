// Exact answers of linear-Gaussian networks. The uncertainty of fitted parameters widens them: mean and variance of a
// plug-in answer depend on the parameters, and are expanded to first order around them (docs/inference.md).

import { fraction } from "./information.js";
import { digamma, inverseTrigamma, logMinusDigamma, studentQuantile, trigamma } from "./numbers.js";

const NEW = 1e-9; // of its variance that evidence must leave unexplained to say something new
const SLACK = 1e-3; // of its standard deviation that superfluous evidence may be off
const MAX_FREEDOM = 1e12;

const NONE = new Set();

export function regressionsEngine(answers) {
  const models = answers.models.map(prepared);
  const size = models.length;
  const prior = jointOf(models, answers.order);

  // The joint distribution given the evidence, and the models behind it: variables that are set by intervention have
  // their value and no parents. Null where the evidence contradicts itself.
  function conditioned(evidence, forced) {
    const used = forced.size ? models.map((model, node) => (forced.has(node) ? fixed(evidence.get(node)) : model)) : models;
    const joint = forced.size ? jointOf(used, answers.order) : prior;
    const mean = joint.mean.slice();
    const covariance = joint.covariance.slice();
    for (const [node, value] of evidence) {
      if (!forced.has(node) && !condition(mean, covariance, joint.covariance, node, value)) return null;
    }
    return { used, mean, covariance };
  }

  // Evidence maps variables to values. Gives for each variable mean, sd, an interval, or null.
  function answer(evidence, forced = NONE) {
    const found = conditioned(evidence, forced);
    if (!found) return null;
    const { used, mean, covariance } = found;
    const widened = widen(used, mean, covariance, evidence);
    return models.map((_, node) => belief(mean[node], covariance[node * size + node], widened, node));
  }

  // The joint density is largest at the means.
  function explain(evidence, forced = NONE) {
    const found = conditioned(evidence, forced);
    return found && { values: [...found.mean] };
  }

  // Expected values if the parents of a forced variable were others, in an equivalent graph: x adds to each other
  // variable its coefficient in the regression on x and these parents (Maathuis, Kalisch and Buehlmann 2009).
  function alternative(evidence, variable, parents) {
    const joint = { mean: prior.mean.slice(), covariance: prior.covariance.slice() };
    intervene(joint, variable, parents, evidence.get(variable));
    const { mean, covariance } = joint;
    const before = covariance.slice();
    for (const [node, value] of evidence) {
      if (node !== variable && !condition(mean, covariance, before, node, value)) return null;
    }
    return models.map((_, node) => ({ mean: mean[node] }));
  }

  // Squared correlations given the evidence, as the parameters have them.
  function reductions(evidence, forced, target) {
    const found = conditioned(evidence, forced);
    if (!found) return null;
    const at = (i, j) => found.covariance[i * size + j];
    return models.map((_, node) => (node === target || evidence.has(node) ? null : fraction(at(node, target) ** 2, at(node, node) * at(target, target))));
  }

  return { answer, explain, alternative, reductions };
}

function fixed(value) {
  return { parents: [], coefficients: [], intercept: value, variance: 0, fitted: false };
}

// Set a variable: what it adds to the others is cut from their covariances, and added to their means.
function intervene({ mean, covariance }, variable, parents, value) {
  const size = mean.length;
  const partial = covariance.slice();
  const unused = new Float64Array(size);
  for (const parent of parents) condition(unused, partial, covariance, parent, 0);
  const left = partial[variable * size + variable];
  const slope = Float64Array.from(mean, (_, node) => (node === variable || !(left > 0) ? 0 : partial[node * size + variable] / left));
  const own = Float64Array.from(mean, (_, node) => covariance[node * size + variable]);
  for (let i = 0; i < size; i++) {
    mean[i] += slope[i] * (value - mean[variable]);
    for (let j = 0; j < size; j++) covariance[i * size + j] += slope[i] * slope[j] * own[variable] - slope[i] * own[j] - slope[j] * own[i];
  }
  mean[variable] = value;
  for (let i = 0; i < size; i++) {
    covariance[i * size + variable] = 0;
    covariance[variable * size + i] = 0;
  }
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
