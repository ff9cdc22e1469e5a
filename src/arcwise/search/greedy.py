"""Greedy search: the best change of one arc, until no change helps.

Adds, drops or flips one arc at a time. With a tolerance (Hofmann and Tresp 1995, note 7) changes
smaller in size than the tolerance count as zero, so that small *decreases* are allowed and the search
may drift sideways; it never returns to a graph it has visited, and hands back the best one.
"""

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, Gain, Peak, least_gain, starting_graph

__all__ = ["ascend", "greedy"]


def ascend(climb: Climb, trail: Trail) -> None:
    """Climb to a local optimum, or until the trail says stop."""
    least = least_gain(climb.score)
    while (move := climb.best()) is not None and move.gain > least:
        before, move = climb.total, climb.settled(move)
        climb.apply(move)
        if not climb.total > before:  # a gain that was rounding: it must not be chased for ever
            return
        if trail.add(move.what, climb.total, climb.arcs, move.tail, move.head):
            return


def greedy(
    score: Score,
    start: DAG | None = None,
    *,
    limits: Limits | None = None,
    tolerance: float = 0.0,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Take the best legal change of one arc until none helps.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    limits : rules bound to the score's columns.
    tolerance : nats per row; changes below it in size count as zero (0: only real gains).
    max_steps : largest number of steps.
    on_step : called with each step, and between small batches of local fits where the score is dear;
        returning True ends the search with the best graph so far.

    Returns
    -------
    Result : a graph that no single change improves by more than the tolerance.
    """
    graph, bounds = starting_graph(score, start, limits)
    trail = Trail(on_step, max_steps)
    climb = Climb(score.watched(trail.check), graph, bounds)
    if tolerance > 0:
        best = _drift(climb, trail, tolerance * score.rows)
    else:
        ascend(climb, trail)
        best = climb.graph()
    stopped = trail.stopped or "no change of one arc is better"
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def _drift(climb: Climb, trail: Trail, slack: float) -> DAG:
    """Walk on through changes that cost less than the slack, never to a graph seen before."""
    peak = Peak(climb)
    seen = {peak.graph}
    while not trail.stopped and (move := _unseen(climb, slack, seen)) is not None:
        climb.apply(move)
        seen.add(climb.graph())
        trail.add(move.what, climb.total, climb.arcs, move.tail, move.head)
        peak.see()
    return peak.graph


def _unseen(climb: Climb, slack: float, seen: set[DAG]) -> Gain | None:
    """The best move above -slack that leads to a graph not seen before."""
    return next((m for m in climb.above(-slack) if climb.after(m) not in seen), None)
