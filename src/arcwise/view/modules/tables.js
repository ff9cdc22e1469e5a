// Exact answers of discrete networks: messages in a tree of cliques (Lauritzen and Spiegelhalter 1988).

export function tablesEngine(answers, variables) {
  const levels = variables.map((variable) => (variable.levels ? variable.levels.length : 0));
  const tree = makeTree(answers, levels);

  const places = new Map(); // of tables over several variables

  // Evidence maps a variable to the weights of its levels; `more` is a further table over variables of one clique.
  // Gives the probabilities of each discrete variable, or null where the evidence is impossible.
  function answer(evidence, more = null) {
    for (let i = 0; i < tree.length; i++) tree[i].work.set(tree[i].potential);
    for (const [variable, weights] of evidence) weigh(tree, levels, variable, weights);
    if (more !== null) {
      const { work, index } = placeOf(more.variables);
      for (let i = 0; i < work.length; i++) work[i] *= more.values[index[i]];
    }
    if (!collect(tree)) return null;
    distribute(tree);
    return levels.map((count, variable) => (count ? marginal(tree, variable, count) : null));
  }

  // Probabilities of variables of one clique together, after an answer.
  function joint(chosen) {
    const found = new Float64Array(chosen.reduce((product, v) => product * levels[v], 1));
    const { work, index } = placeOf(chosen);
    for (let i = 0; i < work.length; i++) found[index[i]] += work[i];
    return found;
  }

  function placeOf(chosen) {
    const key = chosen.join();
    if (!places.has(key)) {
      const clique = tree.find((each) => chosen.every((variable) => each.codes.has(variable)));
      places.set(key, { work: clique.work, index: indexInto(clique, chosen, levels) });
    }
    return places.get(key);
  }

  return { answer, joint };
}

function makeTree(answers, levels) {
  const tree = answers.cliques.map((clique) => {
    const size = clique.variables.reduce((product, v) => product * levels[v], 1);
    return {
      variables: clique.variables,
      parent: clique.parent,
      potential: new Float64Array(size).fill(1),
      work: new Float64Array(size),
      codes: new Map(),
    };
  });
  for (const clique of tree) {
    clique.variables.forEach((variable) => clique.codes.set(variable, codesOf(clique, variable, levels)));
    if (clique.parent >= 0) linkToParent(clique, tree[clique.parent], levels);
  }
  for (const factor of answers.factors) {
    const clique = tree[factor.clique];
    const index = indexInto(clique, factor.variables, levels);
    for (let i = 0; i < index.length; i++) clique.potential[i] *= factor.values[index[i]];
  }
  return tree;
}

// The level of a variable in each entry of a clique.
function codesOf(clique, variable, levels) {
  let stride = 1;
  for (let k = clique.variables.length - 1; clique.variables[k] !== variable; k--) stride *= levels[clique.variables[k]];
  const codes = new Uint16Array(clique.potential.length);
  const count = levels[variable];
  for (let i = 0; i < codes.length; i++) codes[i] = Math.floor(i / stride) % count;
  return codes;
}

// For each entry of a clique the place in a table over some of its variables, the last one changing fastest.
function indexInto(clique, variables, levels) {
  const index = new Int32Array(clique.potential.length);
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

function weigh(tree, levels, variable, weights) {
  const home = tree.find((clique) => clique.codes.has(variable));
  const codes = home.codes.get(variable);
  for (let i = 0; i < codes.length; i++) home.work[i] *= weights[codes[i]];
}

// Messages from the leaves to the roots; false where everything is zero.
function collect(tree) {
  for (let n = tree.length - 1; n >= 0; n--) {
    const { work, parent, message, inward, outward } = tree[n];
    if (!normalised(work)) return false;
    if (parent < 0) continue;
    message.fill(0);
    for (let i = 0; i < work.length; i++) message[inward[i]] += work[i];
    const above = tree[parent].work;
    for (let i = 0; i < above.length; i++) above[i] *= message[outward[i]];
  }
  return true;
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

function normalised(work) {
  let sum = 0;
  for (let i = 0; i < work.length; i++) sum += work[i];
  if (!(sum > 0)) return false;
  for (let i = 0; i < work.length; i++) work[i] /= sum;
  return true;
}

function marginal(tree, variable, count) {
  let smallest = null;
  for (const clique of tree) {
    if (clique.codes.has(variable) && (!smallest || clique.work.length < smallest.work.length)) smallest = clique;
  }
  const found = new Float64Array(count);
  const codes = smallest.codes.get(variable);
  for (let i = 0; i < codes.length; i++) found[codes[i]] += smallest.work[i];
  const sum = found.reduce((total, x) => total + x, 0);
  return found.map((x) => x / sum);
}
