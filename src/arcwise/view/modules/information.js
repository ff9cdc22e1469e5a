// What would tell most about a variable: by how much its uncertainty is expected to fall if another one were seen. For
// levels this is the mutual information, as a share of the entropy; for numbers the expected reduction of the
// variance, as a share of the variance (the correlation ratio). Definitions: docs/report.md.

const GRID = 160; // points of densities
const POINTS = 25; // at which expected values are taken
const SMALL = 1e-7; // probability
const RANGE = 5; // standard deviations

// The share for each other variable, from further answers alone; null for variables with evidence. `meanAt` may give the
// expected value of a number if another one has a value, where there is a faster way than an answer.
export function byAnswers(answer, variables, evidence, forced, target, meanAt = null) {
  const beliefs = answer(evidence, forced);
  if (!beliefs) return null;
  const whole = uncertainty(beliefs[target], variables[target]);
  const given = (node, value) => answer(new Map([...evidence, [node, value]]), forced);
  const expected = (node, value) => {
    if (meanAt && !variables[node].levels) return meanAt(node, value);
    const found = given(node, value);
    return found ? found[target].mean : null;
  };
  const open = (node) => node !== target && !evidence.has(node);
  if (variables[target].levels) {
    const parts = [...beliefs[target]].map((p, level) => (p > 0 ? { p, beliefs: given(target, indicator(level, beliefs[target].length)) } : null)).filter((part) => part && part.beliefs);
    return variables.map((variable, node) => (open(node) ? fraction(informationOf(parts, node, variable, beliefs[node]), whole) : null));
  }
  return variables.map((variable, node) => (open(node) ? fraction(explained(expected, node, variable, beliefs[node]), whole) : null));
}

export function fraction(part, whole) {
  return whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
}

// Entropy in nats, or variance.
export function uncertainty(belief, variable) {
  return variable.levels ? -belief.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0) : belief.sd ** 2;
}

function indicator(level, count) {
  return Array.from({ length: count }, (_, k) => (k === level ? 1 : 0));
}

// The mutual information of the target and a node, from what is believed about the node given each level of the target.
function informationOf(parts, node, variable, belief) {
  const rows = parts.map(({ p, beliefs }) => ({ p, shares: variable.levels ? beliefs[node] : onGrid(beliefs[node], belief) }));
  let information = 0;
  for (let k = 0; k < rows[0].shares.length; k++) {
    const all = rows.reduce((sum, { p, shares }) => sum + p * shares[k], 0);
    for (const { p, shares } of rows) if (shares[k] > 0 && all > 0) information += p * shares[k] * Math.log(shares[k] / all);
  }
  return information;
}

// A density on a grid, as shares.
function onGrid(belief, { mean, sd }, count = GRID) {
  const shares = Array.from({ length: count }, (_, k) => belief.density(placeOf(mean, sd, k, count)));
  const sum = shares.reduce((total, x) => total + x, 0);
  return sum > 0 ? shares.map((x) => x / sum) : shares;
}

function placeOf(mean, sd, k, count) {
  return mean + RANGE * sd * ((2 * k + 1) / count - 1);
}

// The variance of the target's expected value over what a node may be.
function explained(expected, node, variable, belief) {
  const values = variable.levels ? [...belief].map((p, level) => [p, indicator(level, belief.length)]) : onGrid(belief, belief, POINTS).map((p, k) => [p, placeOf(belief.mean, belief.sd, k, POINTS)]);
  const means = values.filter(([p]) => p > SMALL).map(([p, value]) => [p, expected(node, value)]).filter(([, mean]) => mean !== null);
  const total = means.reduce((sum, [p]) => sum + p, 0) || 1;
  const middle = means.reduce((sum, [p, mean]) => sum + p * mean, 0) / total;
  return means.reduce((sum, [p, mean]) => sum + p * (mean - middle) ** 2, 0) / total;
}
