"""The graph that a search starts from, by its word."""

import numpy as np

from arcwise.errors import GraphError, unknown
from arcwise.graphs import DAG, Limits, random_dag

__all__ = ["over", "start_graph"]


def start_graph(start: str | DAG, limits: Limits, rng: np.random.Generator) -> DAG | None:
    """The graph that the search starts from; None for the required arcs alone."""
    if isinstance(start, DAG):
        return over(start, limits.nodes, "start graph")
    if start == "empty":
        return None
    if start == "complete":
        return _complete(limits, rng)
    if start == "random":
        graph = random_dag(limits.nodes, min(2.0, len(limits.nodes) - 1), rng)
        return graph if limits.allows_graph(graph) else None
    raise unknown("start", start, ("empty", "complete", "random"))


def over(graph: DAG, nodes: tuple[str, ...], what: str) -> DAG:
    """A user's graph on the columns of the data; `what` names it in errors."""
    extra = sorted(set(graph.nodes) - set(nodes))
    if extra:
        raise GraphError(f"The {what} has variables that the data lack: {', '.join(extra[:5])}.")
    return graph.over(nodes)


def _complete(limits: Limits, rng: np.random.Generator) -> DAG:
    """A complete DAG in random order, as far as the rules allow."""
    order = _order(limits, rng)
    place = {node: i for i, node in enumerate(order)}
    parents = []
    for child in range(len(limits.nodes)):
        required = limits.required[child]
        earlier = [x for x in limits.candidates(child).tolist() if place[x] < place[child]]
        room = len(earlier) if limits.max_parents is None else limits.max_parents - len(required)
        parents.append(tuple(sorted([*required, *earlier[:room]])))
    return DAG(limits.nodes, tuple(parents))


def _order(limits: Limits, rng: np.random.Generator) -> list[int]:
    """A random order in which required parents come first."""
    key = rng.permutation(len(limits.nodes))
    required, placed = limits.start(), list[int]()
    waiting = [len(row) for row in required.parents]
    ready = [v for v, count in enumerate(waiting) if not count]
    while ready:
        node = min(ready, key=lambda v: key[v])
        ready.remove(node)
        placed.append(node)
        for child in required.children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return placed
