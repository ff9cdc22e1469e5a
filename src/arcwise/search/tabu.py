"""Tabu search: climb, walk on through worse graphs, climb again (Glover 1989).

From each local optimum a *tabu walk* takes the best change even where it lowers the score, while the
pairs of variables changed in the last steps are forbidden, so that the walk cannot fall straight back.
After the walk the search climbs again. It ends when several walks in a row have found nothing better,
and may start again from random graphs. The best graph of all is returned.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, least_gain, starting_graph
from arcwise.search.greedy import ascend

__all__ = ["tabu"]


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
    best, top = _run(climb, trail, (tabu_length, walk_length, walks))
    for _ in range(restarts):
        climb.go_to(graph if bounds.condition else bounds.start())
        climb.shake(rng, 2 * len(score.nodes))
        if trail.stopped or trail.add("restart", climb.total, climb.arcs):
            break
        found, value = _run(climb, trail, (tabu_length, walk_length, walks))
        if value > top + least_gain(score):
            best, top = found, value
    stopped = trail.stopped or f"{walks} walks in a row found nothing better"
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def _run(climb: Climb, trail: Trail, lengths: Sequence[int]) -> tuple[DAG, float]:
    """One search from where the climb stands: the best graph and its score."""
    tabu_length, walk_length, walks = lengths
    ascend(climb, trail)
    best, top, failures = climb.graph(), climb.total, 0
    while failures < walks and not trail.stopped:
        _walk(climb, trail, tabu_length, walk_length)
        if not trail.stopped:
            ascend(climb, trail)
        failures += 1
        if climb.total > top + least_gain(climb.score):
            best, top, failures = climb.graph(), climb.total, 0
    return best, top


def _walk(climb: Climb, trail: Trail, tabu_length: int, walk_length: int) -> None:
    """Take the best moves that are not tabu, up or down."""
    recent: deque[tuple[int, int]] = deque()
    for _ in range(walk_length):
        move = climb.best()
        if move is None or move.gain == -np.inf:
            break
        climb.apply(move)
        recent.append((move.tail, move.head))
        climb.block(move.tail, move.head)
        if len(recent) > tabu_length:
            climb.unblock(*recent.popleft())
        if trail.add(f"walk {move.what}", climb.total, climb.arcs, move.tail, move.head):
            break
    for pair in recent:
        climb.unblock(*pair)
