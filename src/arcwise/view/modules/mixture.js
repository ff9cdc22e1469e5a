// Exact answers of conditional Gaussian networks: tables of levels, and for each configuration of the levels that
// numbers depend on ("mixers") a joint normal distribution, which the evidence on numbers makes more or less likely
// (Lauritzen and Wermuth 1989). Beliefs about numbers are mixtures of normal distributions.

import { byAnswers } from "./information.js";
import { condition, jointOf } from "./regressions.js";
import { normalTail } from "./numbers.js";
import { tablesEngine } from "./tables.js";

const NEGLIGIBLE = 1e-7; // probability of a configuration

const NONE = new Set();

export function mixtureEngine(answers, variables) {
  const tables = tablesEngine(answers, variables);
  const position = new Map(answers.models.map((model, i) => [model.variable, i]));
  const configurations = listed(answers.mixers.map((mixer) => variables[mixer].levels.length));
  const jointsWith = (fixed) => configurations.map((codes) => jointIn(answers, position, new Map(answers.mixers.map((mixer, k) => [mixer, codes[k]])), variables, fixed));
  const joints = jointsWith(new Map());

  // The normal distribution of each configuration, and the evidence on levels; null where numbers are impossible.
  function conditioned(evidence, forced) {
    const fixed = new Map([...evidence].filter(([variable]) => position.has(variable) && forced.has(variable)));
    const seen = [...evidence].filter(([variable]) => position.has(variable) && !forced.has(variable));
    const levels = new Map([...evidence].filter(([variable]) => !position.has(variable)));
    const parts = (fixed.size ? jointsWith(fixed) : joints).map((joint) => given(joint, position, seen));
    const best = Math.max(...parts.map((part) => part.log));
    return best === -Infinity ? null : { parts, levels, best };
  }

  function answer(evidence, forced = NONE) {
    const found = conditioned(evidence, forced);
    if (!found) return null;
    const { parts, levels, best } = found;
    const likelihoods = Float64Array.from(parts, (part) => Math.exp(part.log - best));
    const beliefs = tables.propagate(levels, forced, [{ variables: answers.mixers, values: likelihoods }]);
    if (beliefs === null) return null;
    const shares = tables.joint(answers.mixers);
    return variables.map((variable, i) => (variable.levels ? beliefs[i] : mixed(parts, shares, position.get(i))));
  }

  // The levels whose density at the means of the numbers is largest, and these means.
  function explain(evidence, forced = NONE) {
    const found = conditioned(evidence, forced);
    if (!found) return null;
    const { parts, levels } = found;
    const logs = parts.map((part) => part.log - 0.5 * logDeterminant(part.covariance, part.mean.length));
    const best = Math.max(...logs);
    const chosen = tables.explain(levels, forced, [{ variables: answers.mixers, values: Float64Array.from(logs, (log) => Math.exp(log - best)) }]);
    if (!chosen) return null;
    const at = answers.mixers.reduce((index, mixer) => index * variables[mixer].levels.length + chosen.values[mixer], 0);
    return { values: variables.map((variable, i) => (variable.levels ? chosen.values[i] : parts[at].mean[position.get(i)])) };
  }

  function reductions(evidence, forced, target) {
    const beliefs = answer(evidence, forced);
    if (!beliefs || variables[target].levels) return beliefs && byAnswers(answer, variables, evidence, forced, target);
    const shares = tables.joint(answers.mixers);
    const { parts } = conditioned(evidence, forced);
    const meanAt = (node, value) => expectedAt(parts, shares, position.get(target), position.get(node), value);
    return byAnswers(answer, variables, evidence, forced, target, meanAt);
  }

  return { answer, explain, reductions };
}

// All configurations of some levels, the last one changing fastest.
function listed(counts) {
  return counts.reduce((found, count) => found.flatMap((codes) => Array.from({ length: count }, (_, level) => [...codes, level])), [[]]);
}

// Numbers in `fixed` are set by intervention: they have their value and no parents.
function jointIn(answers, position, codes, variables, fixed) {
  const models = answers.models.map((model) => {
    if (fixed.has(model.variable)) return { parents: [], coefficients: [], intercept: fixed.get(model.variable), variance: 0 };
    const at = model.given.reduce((index, mixer) => index * variables[mixer].levels.length + codes.get(mixer), 0);
    return {
      parents: model.parents.map((parent) => position.get(parent)),
      intercept: model.intercepts[at],
      coefficients: model.coefficients[at],
      variance: model.variances[at],
    };
  });
  return jointOf(models, models.map((_, i) => i));
}

// One configuration given numbers, and the log density of these.
function given(joint, position, seen) {
  const mean = joint.mean.slice();
  const covariance = joint.covariance.slice();
  let log = 0;
  for (const [variable, value] of seen) {
    const node = position.get(variable);
    const variance = covariance[node * mean.length + node];
    const off = value - mean[node];
    if (variance > 0) log -= 0.5 * (Math.log(variance) + (off * off) / variance);
    if (!condition(mean, covariance, joint.covariance, node, value)) log = -Infinity;
  }
  return { mean, covariance, log };
}

// Of a covariance matrix, over the variables that still vary (Gaussian elimination).
function logDeterminant(covariance, size) {
  const matrix = covariance.slice();
  let log = 0;
  for (let k = 0; k < size; k++) {
    const pivot = matrix[k * size + k];
    if (!(pivot > 1e-12 * covariance[k * size + k])) continue;
    log += Math.log(pivot);
    for (let i = k + 1; i < size; i++) {
      const part = matrix[i * size + k] / pivot;
      for (let j = k; j < size; j++) matrix[i * size + j] -= part * matrix[k * size + j];
    }
  }
  return log;
}

// The expected value of one number if another one has a value: that of each configuration, weighted by its density there.
function expectedAt(parts, shares, target, node, value) {
  let sum = 0;
  let total = 0;
  parts.forEach(({ mean, covariance }, s) => {
    const variance = covariance[node * mean.length + node];
    if (!(shares[s] > NEGLIGIBLE) || !(variance > 0)) return;
    const off = value - mean[node];
    const weight = (shares[s] * Math.exp((-0.5 * off * off) / variance)) / Math.sqrt(variance);
    total += weight;
    sum += weight * (mean[target] + (covariance[node * mean.length + target] / variance) * off);
  });
  return total > 0 ? sum / total : null;
}

function mixed(parts, shares, node) {
  const bells = [];
  parts.forEach(({ mean, covariance }, s) => {
    if (shares[s] > NEGLIGIBLE) bells.push({ weight: shares[s], mean: mean[node], sd: Math.sqrt(Math.max(0, covariance[node * mean.length + node])) });
  });
  const total = bells.reduce((sum, bell) => sum + bell.weight, 0);
  for (const bell of bells) bell.weight /= total;
  const mean = bells.reduce((sum, bell) => sum + bell.weight * bell.mean, 0);
  const variance = bells.reduce((sum, bell) => sum + bell.weight * (bell.sd ** 2 + (bell.mean - mean) ** 2), 0);
  const density = (x) => bells.reduce((sum, bell) => sum + (bell.weight / bell.sd) * Math.exp(-0.5 * ((x - bell.mean) / bell.sd) ** 2), 0);
  return { mean, sd: Math.sqrt(variance), low: quantile(bells, 0.025), high: quantile(bells, 0.975), density };
}

function quantile(bells, part) {
  let low = Math.min(...bells.map((bell) => bell.mean - 9 * bell.sd));
  let high = Math.max(...bells.map((bell) => bell.mean + 9 * bell.sd));
  for (let i = 0; i < 44 && high > low; i++) {
    const middle = (low + high) / 2;
    const below = bells.reduce((sum, bell) => sum + bell.weight * (bell.sd > 0 ? normalTail((bell.mean - middle) / bell.sd) : Number(bell.mean <= middle)), 0);
    if (below < part) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
