"""Simulated annealing over graphs (Kirkpatrick, Gelatt and Vecchi 1983).

A random change of one arc is always taken when it raises the score, and otherwise with probability
exp(gain / temperature). The temperature falls geometrically from `hot` to `cold`; at the end the
search climbs to the nearest optimum.
"""

import numpy as np

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, starting_graph
from arcwise.search.greedy import ascend
from arcwise.search.trail import Trail

__all__ = ["annealing"]

_BATCH = 512  # draws made at a time, and how often the watcher is told


def annealing(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    steps: int | None = None,
    hot: float | None = None,
    cold: float = 0.5,
    on_step: Watch | None = None,
) -> Result:
    """Take random changes at a falling temperature, then climb.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random changes.
    limits : rules bound to the score's columns.
    steps : draws in all; by default 100 for each ordered pair of variables, 20 000 to 500 000.
    hot, cold : first and last temperature, in nats of total score; `hot` is by default 0.02 nats
        for each row and at least 10, so that weak arcs come and go freely at first.
    on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph met.
    """
    graph, bounds = starting_graph(score, start, limits)
    p = len(score.nodes)
    draws = int(np.clip(100 * p * p, 20_000, 500_000)) if steps is None else steps
    top = max(10.0, 0.02 * score.rows) if hot is None else hot
    if not top >= cold > 0:
        raise FitError(f"Annealing needs hot >= cold > 0, but hot={top} and cold={cold} came.")
    climb, trail = Climb(score, graph, bounds), Trail(on_step)
    best, value = climb.graph(), climb.total
    temperatures = np.geomspace(top, cold, max(draws, 1))
    for begin in range(0, draws if p > 1 else 0, _BATCH):
        _cool(climb, rng, temperatures[begin : begin + _BATCH])
        if climb.total > value:
            best, value = climb.graph(), climb.total
        if trail.tick("cool", climb.total, climb.arcs):
            break
    if not trail.stopped:
        ascend(climb, trail)
    if value > climb.total:  # the best graph met on the way may be better than where it ended
        climb.go_to(best)
        ascend(climb, trail)
    stopped = trail.stopped or "cooled down"
    found = climb.graph()
    return Result(found, total(score, found), tuple(trail.steps), stopped)


def _cool(climb: Climb, rng: np.random.Generator, temperatures: np.ndarray) -> None:
    """One batch of draws."""
    count = len(temperatures)
    tails = rng.integers(climb.p, size=count)
    heads = rng.integers(climb.p - 1, size=count)
    heads += heads >= tails
    turns = rng.random(count) < 0.5
    thresholds = np.log(rng.random(count)) * temperatures
    draws = zip(tails.tolist(), heads.tolist(), turns.tolist(), thresholds.tolist(), strict=True)
    for tail, head, turn, threshold in draws:
        move = climb.move_of(tail, head, turn)
        if move is not None and move.gain > threshold:
            climb.apply(move)
