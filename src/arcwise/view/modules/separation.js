// Which variables a variable still depends on given others: those reached by paths that are open in the graph, by
// d-separation in directed graphs (Geiger, Verma and Pearl 1990) and by plain separation in undirected ones.

export function connected({ variables, directed }, start, given) {
  return directed ? byArcs(variables, start, given) : byEdges(variables, start, given);
}

function byEdges(variables, start, given) {
  const reached = new Set();
  const waiting = [start];
  while (waiting.length) {
    const node = waiting.pop();
    if (reached.has(node) || given.has(node)) continue;
    reached.add(node);
    waiting.push(...variables[node].neighbours);
  }
  return reached;
}

// A path arrives at a node from a child ("up") or from a parent ("down"). It passes a collider only where the
// collider or a descendant is given.
function byArcs(variables, start, given) {
  const above = ancestors(variables, given);
  const reached = new Set();
  const visited = new Set();
  const waiting = [[start, "up"]];
  while (waiting.length) {
    const [node, way] = waiting.pop();
    if (visited.has(`${node} ${way}`)) continue;
    visited.add(`${node} ${way}`);
    const { parents, children } = variables[node];
    if (!given.has(node)) reached.add(node);
    if (way === "up" && given.has(node)) continue;
    if (way === "up" || above.has(node)) for (const parent of parents) waiting.push([parent, "up"]);
    if (!given.has(node)) for (const child of children) waiting.push([child, "down"]);
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
