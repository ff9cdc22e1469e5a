"""The search for people who do not want to choose one.

* Where the exact program is quick (few variables, or rules that leave few parents), it is run: no graph
  can be better.
* Otherwise, for scores that treat equivalent graphs alike, equivalence search (GES) is run and iterated:
  the best graph is shaken by random changes of arcs and improved again, and the better one is kept.
* For other scores the same is done with greedy search.

It ends when many shakes in a row have brought nothing, so that easy problems end early.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, starting_graph
from arcwise.search.equivalence import ges
from arcwise.search.exact import exact
from arcwise.search.greedy import ascend, least_gain
from arcwise.search.trail import Trail

__all__ = ["auto"]

_QUICK_SETS = {True: 1 << 22, False: 1 << 12}  # parent sets that the exact program may score


def auto(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    patience: int | None = None,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Choose the search by the size of the problem.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random shakes.
    limits : rules bound to the score's columns.
    patience : shakes in a row without a better graph before the search ends; by default fewer for
        more variables (40 up to 60 variables, none beyond 600).
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : `optimal` is True where the exact program was run.
    """
    graph, bounds = starting_graph(score, start, limits)
    if max_steps is None and _parent_sets(bounds) <= _QUICK_SETS[score.lattice]:
        return exact(score, graph, limits=bounds, on_step=on_step)
    trail = Trail(on_step, max_steps)
    tries = _patience(len(score.nodes)) if patience is None else patience
    best, top = _improve(score, graph, bounds, trail)
    failures, climb = 0, None
    while failures < tries and not trail.stopped:
        climb = climb or Climb(score, best, bounds)
        climb.go_to(best)
        climb.shake(rng, 3 + failures % 10)
        found, value = _improve(score, climb.graph(), bounds, trail)
        failures += 1
        if value > top + least_gain(score):
            best, top, failures = found, value, 0
            trail.add("better", top, best.n_arcs)
    stopped = trail.stopped or (
        f"{tries} shakes in a row found nothing better" if tries else "no change is better"
    )
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def _parent_sets(limits: Limits) -> float:
    p = len(limits.nodes)
    if p > 64:
        return np.inf
    return float(sum(2.0 ** len(limits.candidates(child)) for child in range(p)))


def _patience(p: int) -> int:
    """Shakes in a row without success: a budget that keeps the whole search to seconds."""
    return int(np.clip(40 * (60 / p) ** 1.6, 0, 40)) if p <= 600 else 0


def _improve(score: Score, start: DAG, limits: Limits, trail: Trail) -> tuple[DAG, float]:
    """Climb from a graph, by equivalence classes where the score allows it."""
    if score.equivalent:
        result = ges(score, start, limits=limits, on_step=trail.passing)
        if result.stopped == "asked to stop":
            trail.stopped = result.stopped
        trail.steps.extend(result.trace)
        return result.graph, result.score
    climb = Climb(score, start, limits)
    ascend(climb, trail)
    return climb.graph(), climb.total
