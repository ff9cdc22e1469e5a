"""Several parents at once.

Pairs: what shows in three variables together, but in no two of them, such as parity.

Searches that change one arc at a time see no gain in the first of two such arcs. So every child is tried with
every two further parents, p^3 / 2 sets for p variables.

Larger families: parents added one after the other even at a loss, and kept if they gain together.

A child may need several parents at once: of five causes that are all necessary, one alone explains little and
does not pay its penalty. Single additions stop there. `grow_families` adds the best parent again and again,
whatever it costs, keeps the best set on the way, and then removes what the set can spare.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.scores import Score
from arcwise.scores.base import Array, Parents
from arcwise.search.climb import least_gain
from arcwise.search.run import Run

__all__ = ["best_pair", "grow_families"]


def best_pair(score: Score, graph: DAG, limits: Limits) -> DAG | None:
    """The graph with the two further parents of one child that raise its score most; None if no two do.

    Ties go to the child, and then to the parents, with the lowest column numbers.
    """
    least, best = least_gain(score), (0.0, -1, (0, 0))
    for child, parents in enumerate(graph.parents):
        free = [x for x in _candidates(graph, limits, child) if x not in parents]
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


def _candidates(graph: DAG, limits: Limits, child: int) -> list[int]:
    """Parents that a child has, or may get without a cycle."""
    below = {child, *(graph.index(name) for name in graph.descendants_of(child))}
    return [x for x in limits.candidates(child).tolist() if x not in below]


def _room(limits: Limits, size: int) -> bool:
    return limits.max_parents is None or size <= limits.max_parents


_DEPTH = 6  # parents that are added in a row


def grow_families(run: Run, graph: DAG) -> DAG:
    """The graph with larger families where they score higher; one pass over all children.

    Parents come from the non-descendants of a child, so the graph stays acyclic.
    """
    score, limits = run.score, run.limits
    for child in range(run.p):
        if run.tick("grow", np.nan, graph.n_arcs):
            break
        others = _candidates(graph, limits, child)
        family = _grow(score, child, graph.parents[child], others, limits)
        if family != graph.parents[child]:
            rows = list(graph.parents)
            rows[child] = family
            graph = DAG(graph.nodes, tuple(rows))
    return graph


def _grow(score: Score, child: int, parents: Parents, others: list[int], limits: Limits) -> Parents:
    """The best family on the way from `parents` through the best additions; `parents` if none is better."""
    least = least_gain(score)
    best, top, current = parents, score.local(child, parents) + least, parents
    for _ in range(_DEPTH):
        outside = [x for x in others if x not in current]
        if not outside or not limits.allows(child, (*current, outside[0])):
            break
        values = score.toggles(child, current, outside)
        place = _first_best(values, least)
        if not np.isfinite(values[place]):
            break
        current = tuple(sorted((*current, outside[place])))
        if values[place] > top and limits.allows(child, current):
            best, top = current, float(values[place])
    return parents if best == parents else _shrink(score, child, best, top, limits)


def _shrink(score: Score, child: int, family: Parents, value: float, limits: Limits) -> Parents:
    """The family without the parents whose removal raises the score, worst first."""
    spare = [x for x in family if x not in limits.required[child]]
    while spare:
        values = score.toggles(child, family, spare)
        place = _first_best(values, least_gain(score))
        if not values[place] > value + least_gain(score):
            break
        value = float(values[place])
        gone = spare.pop(place)
        family = tuple(x for x in family if x != gone)
    return family


def _first_best(values: Array, least: float) -> int:
    """The first of the largest values; differences up to `least` are ties."""
    return int(np.argmax(values >= values.max() - least))
