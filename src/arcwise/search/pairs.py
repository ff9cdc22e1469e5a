"""Pairs of parents at once: what shows in three variables together, but in no two of them, such as parity.

Searches that change one arc at a time see no gain in the first of two such arcs. So every child is tried with
every two further parents, p^3 / 2 sets for p variables.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.scores import Score
from arcwise.search.climb import least_gain

__all__ = ["best_pair"]


def best_pair(score: Score, graph: DAG, limits: Limits) -> DAG | None:
    """The graph with the two further parents of one child that raise its score most; None if no two do.

    Ties go to the child, and then to the parents, with the lowest column numbers.
    """
    least, best = least_gain(score), (0.0, -1, (0, 0))
    for child, parents in enumerate(graph.parents):
        free = _free(graph, limits, child)
        if len(free) < 2 or not _room(limits, len(parents) + 2):
            continue
        among = np.zeros((len(free), len(graph.nodes)), dtype=bool)
        for row, one in enumerate(free):
            among[row, [two for two in free if two > one]] = True
        bases = [tuple(sorted((*parents, one))) for one in free]
        gains = score.sweep((child,) * len(free), bases, among)[1] - score.local(child, parents)
        gains[~among] = -np.inf
        top = float(gains.max())
        if top > best[0] + least:
            row, two = divmod(int(np.argmax(gains >= top - least)), len(graph.nodes))
            best = (top, child, (free[row], two))
    if best[1] < 0:
        return None
    rows = list(graph.parents)
    rows[best[1]] = tuple(sorted((*rows[best[1]], *best[2])))
    return DAG.unchecked(graph.nodes, tuple(rows))


def _free(graph: DAG, limits: Limits, child: int) -> list[int]:
    """Parents that a child may get without a cycle."""
    below = {graph.index(name) for name in graph.descendants_of(graph.nodes[child])}
    taken = {child, *graph.parents[child], *below}
    return [other for other in limits.candidates(child).tolist() if other not in taken]


def _room(limits: Limits, size: int) -> bool:
    return limits.max_parents is None or size <= limits.max_parents
