"""Larger families: parents added one after the other even at a loss, and kept if they gain together.

A child may need several parents at once: of five causes that are all necessary, one alone explains little and
does not pay its penalty. Single additions stop there. `grow_families` adds the best parent again and again,
whatever it costs, keeps the best set on the way, and then removes what the set can spare.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Trail
from arcwise.scores import Score
from arcwise.scores.base import Array, Parents
from arcwise.search.climb import least_gain

__all__ = ["grow_families"]

_DEPTH = 6  # parents that are added in a row


def grow_families(score: Score, graph: DAG, limits: Limits, trail: Trail) -> DAG:
    """The graph with larger families where they score higher; one pass over all children.

    Parents come from the non-descendants of a child, so the graph stays acyclic.
    """
    for child in range(len(graph.nodes)):
        if trail.tick("grow", np.nan, graph.n_arcs):
            break
        below = {graph.index(name) for name in graph.descendants_of(child)}
        others = [x for x in limits.candidates(child).tolist() if x not in below]
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
