"""The search for people who do not want to choose one.

* Where the exact program takes seconds (about 20 variables, or rules that leave few parents), it is run:
  no graph can be better.
* Otherwise, for scores that treat equivalent graphs alike, equivalence search (GES) is run and iterated:
  the best graph is disturbed and improved again, and the better one is kept. Disturbing means thinning (a
  random tenth to half of the arcs is taken out) and shaking (random changes of arcs) in turn: measured on
  ecoli70, magic-niab, arth150 and simulated networks thinning led further than shaking, tabu walks or
  clearing one variable's surroundings, and on dense tables (sonar, wine) the two together.
* For other scores the same is done with greedy search.

It ends when many rounds in a row have brought nothing, so that easy problems end early.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import ASKED, FULL, Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, least_gain, starting_graph
from arcwise.search.equivalence import ges
from arcwise.search.exact import exact
from arcwise.search.greedy import ascend

__all__ = ["auto"]

_QUICK_COLUMNS = 22  # beyond, the program's one number for each set of variables takes seconds
_QUICK_SETS = {True: 1 << 24, False: 1 << 12}  # parent sets that the exact program may score
_SHAKEN_COLUMNS = 500  # beyond, keeping the gains of all arcs for shaking costs more than it brings


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
    patience : rounds in a row without a better graph before the search ends; by default 150, and
        fewer for more than 66 variables (10 000 / variables).
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : `optimal` is True where the exact program was run.
    """
    graph, bounds = starting_graph(score, start, limits)
    if max_steps is None and _parent_sets(bounds) <= _QUICK_SETS[score.lattice]:
        found, _ = _improve(score, graph, bounds, Trail())  # to hand back if time runs out
        return exact(score, found, limits=bounds, on_step=on_step)
    trail = Trail(on_step, max_steps)
    tries = _patience(len(score.nodes)) if patience is None else patience
    best, top = _improve(score, graph, bounds, trail)
    failures, climb = 0, None
    while failures < tries and not trail.stopped:
        if failures % 2 and len(score.nodes) <= _SHAKEN_COLUMNS:
            climb = climb or Climb(score, best, bounds)
            begin = _shaken(climb, best, rng)
        else:
            begin = _thinned(best, bounds, rng)
        found, value = _improve(score, begin, bounds, trail)
        failures += 1
        if value > top + least_gain(score):
            best, top, failures = found, value, 0
    stopped = trail.stopped or f"{tries} rounds in a row found nothing better"
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def _parent_sets(limits: Limits) -> float:
    p = len(limits.nodes)
    if p > _QUICK_COLUMNS:
        return np.inf
    return float(sum(2.0 ** len(limits.candidates(child)) for child in range(p)))


def _patience(p: int) -> int:
    """Rounds in a row without success: a budget that keeps the whole search to seconds."""
    return min(150, 10_000 // p)


def _thinned(graph: DAG, limits: Limits, rng: np.random.Generator) -> DAG:
    """The graph without a random tenth to half of its arcs; required ones stay."""
    share = rng.uniform(0.1, 0.5)
    rows = []
    for child, parents in enumerate(graph.parents):
        kept = rng.random(len(parents)) >= share
        required = limits.required[child]
        rows.append(
            tuple(p for p, stay in zip(parents, kept, strict=True) if stay or p in required)
        )
    return DAG.unchecked(graph.nodes, tuple(rows))


def _shaken(climb: Climb, graph: DAG, rng: np.random.Generator) -> DAG:
    """The graph after random legal changes, up to half as many as it has arcs."""
    climb.go_to(graph)
    climb.shake(rng, int(rng.integers(5, max(10, graph.n_arcs // 2))))
    return climb.graph()


def _improve(score: Score, start: DAG, limits: Limits, trail: Trail) -> tuple[DAG, float]:
    """Climb from a graph, by equivalence classes where the score allows it."""
    if score.equivalent:
        result = ges(score, start, limits=limits, max_steps=trail.left, on_step=trail.passing)
        if result.stopped in (ASKED, FULL):
            trail.stopped = result.stopped
        trail.steps.extend(result.trace)
        return result.graph, result.score
    climb = Climb(score, start, limits)
    ascend(climb, trail)
    return climb.graph(), climb.total
