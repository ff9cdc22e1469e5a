"""Iterated local search: shake the best graph, climb, keep what is better (Lourenco et al. 2003)."""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, Peak, starting_graph
from arcwise.search.greedy import ascend

__all__ = ["iterated"]


def iterated(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    rounds: int = 25,
    shake: int = 8,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Climb; then make `shake` random changes of the best graph and climb again, `rounds` times.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random changes.
    limits : rules bound to the score's columns.
    rounds : how often the best graph is shaken.
    shake : random legal changes of one arc in each round.
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph of all rounds.
    """
    graph, bounds = starting_graph(score, start, limits)
    trail = Trail(on_step, max_steps)
    climb = Climb(score.watched(trail.check), graph, bounds)
    ascend(climb, trail)
    peak = Peak(climb)
    for _ in range(rounds):
        if trail.stopped:
            break
        climb.go_to(peak.graph)
        climb.shake(rng, shake)
        if not trail.add("restart", climb.total, climb.arcs):
            ascend(climb, trail)
        peak.see()
    stopped = trail.stopped or f"{rounds} rounds are over"
    return Result(peak.graph, total(score, peak.graph), tuple(trail.steps), stopped)
