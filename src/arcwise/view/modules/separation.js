// Which variables a variable still depends on given others, and by which path: one that is open in the graph, by
// d-separation in directed graphs (Geiger, Verma and Pearl 1990) and by plain separation in undirected ones.

export function connected(page, start, given) {
  return new Set(arrivals(page, start, given).keys());
}

// A shortest open path between two variables, as a list of variables; null if they are separated.
export function openPath(page, start, end, given) {
  let step = arrivals(page, start, given).get(end);
  if (!step) return null;
  const path = [];
  for (; step; step = step.before) path.push(step.node);
  return path.reverse();
}

// The first step of an open path that arrives at each variable which is not given.
function arrivals({ variables, directed }, start, given) {
  return directed ? byArcs(variables, start, given) : byEdges(variables, start, given);
}

function byEdges(variables, start, given) {
  const reached = new Map();
  const waiting = [{ node: start, before: null }];
  for (let k = 0; k < waiting.length; k++) {
    const step = waiting[k];
    if (reached.has(step.node) || given.has(step.node)) continue;
    reached.set(step.node, step);
    for (const node of variables[step.node].neighbours) waiting.push({ node, before: step });
  }
  return reached;
}

// A path arrives at a node from a child ("up") or from a parent ("down"). It passes a collider only where the
// collider or a descendant is given.
function byArcs(variables, start, given) {
  const above = ancestors(variables, given);
  const reached = new Map();
  const visited = new Set();
  const waiting = [{ node: start, way: "up", before: null }];
  for (let k = 0; k < waiting.length; k++) {
    const step = waiting[k];
    const { node, way } = step;
    if (visited.has(`${node} ${way}`)) continue;
    visited.add(`${node} ${way}`);
    const { parents, children } = variables[node];
    if (!given.has(node) && !reached.has(node)) reached.set(node, step);
    if (way === "up" && given.has(node)) continue;
    if (way === "up" || above.has(node)) for (const parent of parents) waiting.push({ node: parent, way: "up", before: step });
    if (!given.has(node)) for (const child of children) waiting.push({ node: child, way: "down", before: step });
  }
  return reached;
}

// Variables with their ancestors.
function ancestors(variables, nodes) {
  const found = new Set();
  const waiting = [...nodes];
  while (waiting.length) {
    const node = waiting.pop();
    if (found.has(node)) continue;
    found.add(node);
    waiting.push(...variables[node].parents);
  }
  return found;
}
