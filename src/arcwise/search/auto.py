"""The search for people who do not want to choose one.

* Where the exact program takes seconds (about 20 variables, or rules that leave few parents), it is run:
  no graph can be better.
* Otherwise, for scores that treat equivalent graphs alike, equivalence search (GES) is run and iterated:
  the best graph is disturbed and improved again, and the better one is kept. Disturbing means thinning (a
  random tenth to half of the arcs is taken out) and shaking (random changes of arcs) in turn: measured on
  ecoli70, magic-niab, arth150 and simulated networks thinning led further than shaking, tabu walks or
  clearing one variable's surroundings, and on dense tables (sonar, wine) the two together.
* For other scores, such as those of Parzen windows, greedy search takes the place of GES, and disturbing
  means clearing the surroundings of one to three variables, every other time with two random changes: on
  Boston housing (Parzen windows of one width) this led from 3.956 to 4.158 nats per row from every seed,
  within 30 rounds and 600 local models, where shaking needed thousands, and thinning led nowhere.

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
        fewer for more than 66 variables (10 000 / variables); 40 at most where equivalent graphs
        differ in score.
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : `optimal` is True where the exact program was run.
    """
    graph, bounds = starting_graph(score, start, limits)
    trail = Trail(on_step, max_steps)
    if max_steps is None and _parent_sets(bounds) <= _QUICK_SETS[score.lattice]:
        found, _ = _improve(score, graph, bounds, trail)  # to hand back if time runs out
        if trail.stopped:
            return Result(found, total(score, found), tuple(trail.steps), trail.stopped)
        return exact(score, found, limits=bounds, on_step=on_step)
    tries = _patience(score) if patience is None else patience
    best, top = _improve(score, graph, bounds, trail)
    failures, climb = 0, None
    while failures < tries and not trail.stopped:
        begin, moves = _disturbed(best, bounds, rng, failures, score.equivalent)
        if moves and len(score.nodes) <= _SHAKEN_COLUMNS:
            climb = climb or Climb(score.watched(trail.check), best, bounds)
            climb.go_to(begin)
            climb.shake(rng, moves)
            begin = climb.graph()
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


def _patience(score: Score) -> int:
    """Rounds in a row without success: a budget that keeps the whole search to seconds."""
    return min(150 if score.equivalent else 40, 10_000 // len(score.nodes))


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


def _cleared(graph: DAG, limits: Limits, rng: np.random.Generator) -> DAG:
    """The graph without any arc at one to three variables; required ones stay."""
    p = len(graph.nodes)
    bare = set(rng.choice(p, min(p, int(rng.integers(1, 4))), replace=False).tolist())
    rows = tuple(
        tuple(x for x in row if x in limits.required[child] or not bare & {x, child})
        for child, row in enumerate(graph.parents)
    )
    return DAG.unchecked(graph.nodes, rows)


def _disturbed(
    graph: DAG, limits: Limits, rng: np.random.Generator, failures: int, equivalent: bool
) -> tuple[DAG, int]:
    """A graph to start from again, and how many random changes are to be made to it first."""
    if not equivalent:
        return _cleared(graph, limits, rng), 2 * (failures % 2)
    if failures % 2 and len(graph.nodes) <= _SHAKEN_COLUMNS:
        return graph, int(rng.integers(5, max(10, graph.n_arcs // 2)))
    return _thinned(graph, limits, rng), 0


def _improve(score: Score, start: DAG, limits: Limits, trail: Trail) -> tuple[DAG, float]:
    """Climb from a graph, by equivalence classes where the score allows it."""
    if score.equivalent:
        result = ges(score, start, limits=limits, max_steps=trail.left, on_step=trail.passing)
        if result.stopped in (ASKED, FULL):
            trail.stopped = result.stopped
        trail.steps.extend(result.trace)
        return result.graph, result.score
    climb = Climb(score.watched(trail.check), start, limits)
    ascend(climb, trail)
    return climb.graph(), climb.total
