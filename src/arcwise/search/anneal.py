"""Simulated annealing over graphs (Kirkpatrick, Gelatt and Vecchi 1983).

A random change of one arc is always taken when it raises the score, and otherwise with probability
exp(gain / temperature). The temperature falls geometrically from `hot` to `cold`. The search climbs to
a local optimum first and anneals from there, since annealing is wanted as the way out of local optima
(and, measured on ecoli70, arth150 and simulated data, gets further that way); at the end it climbs again.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Watch
from arcwise.scores import Score
from arcwise.search.climb import Climb, Peak
from arcwise.search.hill_climbing import ascend
from arcwise.search.run import Run

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
    cold: float | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Take random changes at a falling temperature, then climb.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random changes.
    limits : rules bound to the score's columns.
    steps : draws in all; by default 40 for each ordered pair of variables, 20 000 to 100 000.
    hot, cold : first and last temperature, in nats of total score; `hot` is by default the median
        loss of a change at the first optimum, so that about a third of such changes are taken at
        first, and `cold` a tenth of it.
    on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph met.
    """
    run = Run(score, start, limits, on_step)
    climb = run.climb()
    ascend(climb, run)
    peak = Peak(climb)
    draws, first, last = _schedule(climb, steps, hot, cold)
    for first_draw in range(0, draws if not run.stopped else 0, _BATCH):
        share = np.arange(first_draw, min(first_draw + _BATCH, draws)) / draws
        _cool(climb, rng, first * (last / first) ** share, peak)
        if run.tick("cool", climb.total, climb.arcs):
            break
    if not run.stopped:
        ascend(climb, run)
    peak.see()
    if (
        peak.score > climb.total + peak.least
    ):  # a graph met on the way is better than where it ended
        climb.go_to(peak.graph)
        ascend(climb, run)
    return run.result(climb.graph(), "cooled down")


def _schedule(
    climb: Climb, steps: int | None, hot: float | None, cold: float | None
) -> tuple[int, float, float]:
    """Number of draws, first and last temperature."""
    p = climb.p
    draws = int(np.clip(40 * p * p, 20_000, 100_000)) if steps is None else steps
    losses = -climb.gains[np.isfinite(climb.gains) & (climb.gains < 0)]
    if p < 2 or not len(losses):
        return 0, 1.0, 1.0
    first = float(np.median(losses)) if hot is None else hot
    last = first / 10 if cold is None else cold
    if not first >= last > 0:
        raise FitError(f"Annealing needs hot >= cold > 0, got hot={first} and cold={last}.")
    return draws, first, last


def _cool(
    climb: Climb, rng: np.random.Generator, temperatures: NDArray[np.float64], peak: Peak
) -> None:
    """One batch of draws; the peak sees every graph on the way."""
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
            peak.see()
