// Exact answers of discrete networks: messages in a tree of cliques (Lauritzen and Spiegelhalter 1988).

import { byAnswers } from "./information.js";

const NONE = new Set();

export function tablesEngine(answers, variables) {
  const levels = variables.map((variable) => (variable.levels ? variable.levels.length : 0));
  const tree = makeTree(answers, levels);
  const homes = variables.map((_, variable) => smallest(tree.filter((clique) => clique.codes.has(variable))));
  const indices = new Map(); // of tables over several variables

  // Evidence maps a variable to the weights of its levels; `forced` are variables that are set by intervention, so
  // that their own tables no longer count; `more` are further tables, each over variables of one clique.
  function load(evidence, forced, more) {
    for (const clique of tree) clique.work.set(potentialOf(clique, forced));
    for (const [variable, weights] of evidence) weigh(homes[variable], variable, weights);
    for (const { variables: scope, values } of more) {
      const { work, index } = indexOf(scope);
      for (let i = 0; i < work.length; i++) work[i] *= values[index[i]];
    }
  }

  // The probabilities of each discrete variable; null where the evidence is impossible.
  const answer = (evidence, forced = NONE) => propagate(evidence, forced, []);

  function propagate(evidence, forced, more) {
    load(evidence, forced, more);
    if (collect(tree, false) === -Infinity) return null;
    distribute(tree);
    return levels.map((count, variable) => (count ? marginal(homes[variable], variable, count) : null));
  }

  // The most probable levels of all variables together, the logarithm of their probability together with the
  // evidence, and that of the evidence alone; null where the evidence is impossible.
  function explain(evidence, forced = NONE, more = []) {
    load(evidence, forced, more);
    const total = collect(tree, false);
    load(evidence, forced, more);
    const log = collect(tree, true);
    return log === -Infinity ? null : { values: traced(tree, levels), log, total };
  }

  // Probabilities of variables of one clique together, after an answer.
  function joint(scope) {
    const found = new Float64Array(scope.reduce((product, v) => product * levels[v], 1));
    const { work, index } = indexOf(scope);
    for (let i = 0; i < work.length; i++) found[index[i]] += work[i];
    return found;
  }

  // Beliefs if the parents of a forced variable were others, in an equivalent graph: the joint distribution is the same,
  // and that of the variable given these parents no longer counts. Null where it is zero.
  function alternative(evidence, variable, parents) {
    if (!answer(new Map())) return null;
    const scope = [...parents, variable];
    const both = joint(scope);
    const above = joint(parents);
    const count = levels[variable];
    const values = both.map((p, i) => (p > 0 ? above[Math.floor(i / count)] / p : 0));
    const level = evidence.get(variable).findIndex((weight) => weight > 0);
    if (above.some((p, i) => p > 0 && !(both[i * count + level] > 0))) return null;
    return propagate(evidence, NONE, [{ variables: scope, values }]);
  }

  function indexOf(scope) {
    const key = scope.join();
    if (!indices.has(key)) {
      const clique = tree.find((each) => scope.every((variable) => each.codes.has(variable)));
      indices.set(key, { work: clique.work, index: indexInto(clique, scope, levels) });
    }
    return indices.get(key);
  }

  const reductions = (evidence, forced, target) => byAnswers(answer, variables, evidence, forced, target);
  return { answer, propagate, explain, joint, alternative, reductions };
}

function smallest(cliques) {
  return cliques.reduce((best, clique) => (!best || clique.work.length < best.work.length ? clique : best), null);
}

function makeTree(answers, levels) {
  const tree = answers.cliques.map((clique) => {
    const size = clique.variables.reduce((product, v) => product * levels[v], 1);
    return {
      variables: clique.variables,
      parent: clique.parent,
      factors: [],
      potential: null,
      work: new Float64Array(size),
      codes: new Map(),
    };
  });
  for (const clique of tree) {
    clique.variables.forEach((variable) => clique.codes.set(variable, codesOf(clique, variable, levels)));
    if (clique.parent >= 0) linkToParent(clique, tree[clique.parent], levels);
  }
  for (const { clique, variables, values } of answers.factors) {
    tree[clique].factors.push({ child: variables[variables.length - 1], index: indexInto(tree[clique], variables, levels), values });
  }
  for (const clique of tree) clique.potential = product(clique, clique.factors);
  return tree;
}

function product(clique, factors) {
  const found = new Float64Array(clique.work.length).fill(1);
  for (const { index, values } of factors) {
    for (let i = 0; i < index.length; i++) found[i] *= values[index[i]];
  }
  return found;
}

// The product of a clique's tables, without those of forced variables.
function potentialOf(clique, forced) {
  if (!clique.factors.some((factor) => forced.has(factor.child))) return clique.potential;
  return product(clique, clique.factors.filter((factor) => !forced.has(factor.child)));
}

// The level of a variable in each entry of a clique.
function codesOf(clique, variable, levels) {
  let stride = 1;
  for (let k = clique.variables.length - 1; clique.variables[k] !== variable; k--) stride *= levels[clique.variables[k]];
  const codes = new Uint16Array(clique.work.length);
  const count = levels[variable];
  for (let i = 0; i < codes.length; i++) codes[i] = Math.floor(i / stride) % count;
  return codes;
}

// For each entry of a clique the place in a table over some of its variables, the last one changing fastest.
function indexInto(clique, variables, levels) {
  const index = new Int32Array(clique.work.length);
  let stride = 1;
  for (let k = variables.length - 1; k >= 0; k--) {
    const codes = clique.codes.get(variables[k]);
    for (let i = 0; i < index.length; i++) index[i] += stride * codes[i];
    stride *= levels[variables[k]];
  }
  return index;
}

function linkToParent(clique, parent, levels) {
  const shared = clique.variables.filter((variable) => parent.variables.includes(variable));
  const size = shared.reduce((product, v) => product * levels[v], 1);
  clique.message = new Float64Array(size);
  clique.ratio = new Float64Array(size);
  clique.inward = indexInto(clique, shared, levels);
  clique.outward = indexInto(parent, shared, levels);
}

function weigh({ work, codes }, variable, weights) {
  const levels = codes.get(variable);
  for (let i = 0; i < levels.length; i++) work[i] *= weights[levels[i]];
}

// Messages from the leaves to the roots, sums or maxima. Gives the logarithm of the sum (or maximum) over all entries.
function collect(tree, best) {
  let log = 0;
  for (let n = tree.length - 1; n >= 0; n--) {
    const { work, parent, message, inward, outward } = tree[n];
    log += Math.log(normalised(work, best));
    if (log === -Infinity) return log;
    if (parent < 0) continue;
    message.fill(0);
    if (best) for (let i = 0; i < work.length; i++) message[inward[i]] = Math.max(message[inward[i]], work[i]);
    else for (let i = 0; i < work.length; i++) message[inward[i]] += work[i];
    const above = tree[parent].work;
    for (let i = 0; i < above.length; i++) above[i] *= message[outward[i]];
  }
  return log;
}

// The levels of the largest entry, clique by clique from the roots.
function traced(tree, levels) {
  const chosen = levels.map(() => -1);
  for (const { work, variables, codes } of tree) {
    const fixed = variables.filter((variable) => chosen[variable] >= 0);
    let at = -1;
    for (let i = 0; i < work.length; i++) {
      if ((at < 0 || work[i] > work[at]) && fixed.every((variable) => codes.get(variable)[i] === chosen[variable])) at = i;
    }
    for (const variable of variables) chosen[variable] = codes.get(variable)[at];
  }
  return chosen;
}

// Messages from the roots to the leaves: what the parent now says over what was sent to it.
function distribute(tree) {
  for (const { work, parent, message, ratio, inward, outward } of tree) {
    if (parent < 0) continue;
    const above = tree[parent].work;
    ratio.fill(0);
    for (let i = 0; i < above.length; i++) ratio[outward[i]] += above[i];
    for (let i = 0; i < ratio.length; i++) ratio[i] = message[i] > 0 ? ratio[i] / message[i] : 0;
    for (let i = 0; i < work.length; i++) work[i] *= ratio[inward[i]];
    normalised(work);
  }
}

// Divide by the sum, or by the maximum, and give it.
function normalised(work, best = false) {
  let scale = 0;
  if (best) for (let i = 0; i < work.length; i++) scale = Math.max(scale, work[i]);
  else for (let i = 0; i < work.length; i++) scale += work[i];
  if (!(scale > 0)) return 0;
  for (let i = 0; i < work.length; i++) work[i] /= scale;
  return scale;
}

function marginal({ work, codes }, variable, count) {
  const found = new Float64Array(count);
  const levels = codes.get(variable);
  for (let i = 0; i < levels.length; i++) found[levels[i]] += work[i];
  const sum = found.reduce((total, x) => total + x, 0);
  return found.map((x) => x / sum);
}
