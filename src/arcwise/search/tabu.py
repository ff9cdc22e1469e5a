"""Tabu search: climb, walk on through worse graphs, climb again (Glover 1989).

From each local optimum a *tabu walk* takes the best change even where it lowers the score, while the
pairs of variables changed in the last steps are forbidden, so that the walk cannot fall straight back.
After the walk the search climbs again, from the best graph that the walk has met where that is better than
all before it, and otherwise from its end. It ends when several walks in a row have found nothing better,
and may start again from random graphs. The best graph of all steps is returned.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, Peak, starting_graph
from arcwise.search.greedy import ascend

__all__ = ["climb_and_walk", "tabu"]


def tabu(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    tabu_length: int = 15,
    walk_length: int = 30,
    walks: int = 5,
    restarts: int = 0,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Climb, and leave each optimum by walks through worse graphs.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random starts.
    limits : rules bound to the score's columns.
    tabu_length : how many steps a changed pair of variables stays forbidden.
    walk_length : steps of one walk.
    walks : walks in a row without a better graph before the search gives up.
    restarts : further searches, each from a random graph.
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph of all climbs and walks.
    """
    graph, bounds = starting_graph(score, start, limits)
    trail = Trail(on_step, max_steps)
    climb = Climb(score.watched(trail.check), graph, bounds)
    peak = Peak(climb)
    climb_and_walk(climb, trail, peak, (tabu_length, walk_length, walks))
    for _ in range(restarts):
        climb.go_to(graph if bounds.condition else bounds.start())
        climb.shake(rng, 2 * len(score.nodes))
        if trail.stopped or trail.add("restart", climb.total, climb.arcs):
            break
        own = Peak(climb)
        climb_and_walk(climb, trail, own, (tabu_length, walk_length, walks))
        if own.score > peak.score + peak.least:
            peak = own
    stopped = trail.stopped or f"{walks} walks in a row found nothing better"
    return Result(peak.graph, total(score, peak.graph), tuple(trail.steps), stopped)


def climb_and_walk(
    climb: Climb, trail: Trail, peak: Peak, lengths: Sequence[int] = (15, 30, 5)
) -> None:
    """One search from where the climb stands; the peak sees every graph that may be its best.

    `lengths` are those of the tabu list and of a walk, and the walks in a row without a better graph.
    """
    tabu_length, walk_length, walks = lengths
    ascend(climb, trail)
    peak.see()
    failures = 0
    while failures < walks and not trail.stopped:
        better = _walk(climb, trail, peak, tabu_length, walk_length)
        if better:
            climb.go_to(peak.graph)
        if not trail.stopped:
            ascend(climb, trail)
        failures = 0 if peak.see() or better else failures + 1


def _walk(climb: Climb, trail: Trail, peak: Peak, tabu_length: int, walk_length: int) -> bool:
    """Take the best moves that are not tabu, up or down; whether one led to the best graph so far."""
    recent: deque[tuple[int, int]] = deque()
    better = False
    for _ in range(walk_length):
        move = climb.best()
        if move is None or move.gain == -np.inf:
            break
        climb.apply(move)
        better = peak.see() or better
        recent.append((move.tail, move.head))
        climb.block(move.tail, move.head)
        if len(recent) > tabu_length:
            climb.unblock(*recent.popleft())
        if trail.add(f"walk {move.what}", climb.total, climb.arcs, move.tail, move.head):
            break
    for pair in recent:
        climb.unblock(*pair)
    return better
