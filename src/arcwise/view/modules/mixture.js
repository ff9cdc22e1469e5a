// Exact answers of conditional Gaussian networks: tables of levels, and for each configuration of the levels that
// numbers depend on ("mixers") a joint normal distribution, which the evidence on numbers makes more or less likely
// (Lauritzen and Wermuth 1989). Beliefs about numbers are mixtures of normal distributions.

import { condition, jointOf } from "./regressions.js";
import { normalTail } from "./numbers.js";
import { tablesEngine } from "./tables.js";

const NEGLIGIBLE = 1e-7; // probability of a configuration

export function mixtureEngine(answers, variables) {
  const tables = tablesEngine(answers, variables);
  const position = new Map(answers.models.map((model, i) => [model.variable, i]));
  const configurations = listed(answers.mixers.map((mixer) => variables[mixer].levels.length));
  const joints = configurations.map((codes) => jointIn(answers, position, new Map(answers.mixers.map((mixer, k) => [mixer, codes[k]])), variables));

  function answer(evidence) {
    const seen = [...evidence].filter(([variable]) => position.has(variable));
    const levels = new Map([...evidence].filter(([variable]) => !position.has(variable)));
    const parts = joints.map((joint) => given(joint, position, seen));
    const best = Math.max(...parts.map((part) => part.log));
    if (best === -Infinity) return null;
    const likelihoods = Float64Array.from(parts, (part) => Math.exp(part.log - best));
    const found = tables.answer(levels, { variables: answers.mixers, values: likelihoods });
    if (found === null) return null;
    const shares = tables.joint(answers.mixers);
    return variables.map((variable, i) => (variable.levels ? found[i] : mixed(parts, shares, position.get(i))));
  }

  return { answer };
}

// All configurations of some levels, the last one changing fastest.
function listed(counts) {
  return counts.reduce((found, count) => found.flatMap((codes) => Array.from({ length: count }, (_, level) => [...codes, level])), [[]]);
}

function jointIn(answers, position, codes, variables) {
  const models = answers.models.map((model) => {
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
