"""Searches that change one arc at a time: greedy, tabu, iterated, and simulated annealing.

Hill climbing by single arcs, and three ways to leave local optima: tolerance, tabu walks and random changes.

*Greedy search*: the best change of one arc (add, drop or flip), until no change helps.

 With a tolerance (Hofmann and Tresp 1995, note 7) changes
smaller in size than the tolerance count as zero, so that small *decreases* are allowed; the search never
returns to a visited graph, and its result is the best one.

*Tabu search*: climb, walk through worse graphs, climb again (Glover 1989).

From each local optimum a *tabu walk* takes the best change even if it lowers the score, while the
pairs of variables changed in the last steps are forbidden, so that the walk does not return at once. After
the walk the search climbs again, from the best graph of the walk if it is a new best, and otherwise from the
end of the walk. It ends when several walks in a row have no better graph, and may restart from random graphs.
The best graph of all steps is returned.

*Iterated local search*: change the best graph at random, climb, keep the better graph (Lourenco et al. 2003).

Simulated annealing over graphs (Kirkpatrick, Gelatt and Vecchi 1983).

A random change of one arc is always accepted if it raises the score, and otherwise with probability
exp(gain / temperature). The temperature falls geometrically from `hot` to `cold`. The search climbs to a
local optimum first and anneals from there (which gave better scores on ecoli70, arth150 and simulated data);
at the end it climbs again.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Watch
from arcwise.scores import Score
from arcwise.search.climb import Climb, Gain, Peak, least_gain
from arcwise.search.run import Run, search_with_restarts

__all__ = ["anneal", "ascend", "climb_and_walk", "greedy", "iterate_climbs", "tabu"]


def ascend(climb: Climb, run: Run) -> None:
    """Climb to a local optimum, or until the run must stop."""
    least = least_gain(climb.score)
    while (move := climb.best()) is not None and move.gain > least:
        before, move = climb.total, climb.choose_direction(move)
        climb.apply(move)
        if not climb.total > before:  # a gain that was rounding: it must not be chased for ever
            return
        if run.add(move.what, climb.total, climb.arcs, move.tail, move.head):
            return


def greedy(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator | None = None,
    limits: Limits | None = None,
    tolerance: float = 0.0,
    restarts: int = 0,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Take the best legal change of one arc until none helps.

    Parameters
    ----------
    score : the score to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the restarts.
    limits : rules bound to the score's columns.
    tolerance : nats per row; changes below it in size count as zero (0: only real gains).
    restarts : further searches, each from a random graph; the best result counts.
    max_steps : largest number of steps.
    on_step : called with each step, and between small batches of local fits if the score is slow;
        returning True ends the search with the best graph so far.

    Returns
    -------
    Result : a graph that no single change improves by more than the tolerance.
    """

    def search(run: Run) -> Result:
        climb = run.climb()
        if tolerance > 0:
            best = _drift(climb, run, tolerance * score.rows)
        else:
            ascend(climb, run)
            best = climb.graph()
        return run.result(best, "no change of one arc is better")

    return search_with_restarts(
        Run(score, start, limits, on_step, max_steps), search, restarts, rng
    )


def _drift(climb: Climb, run: Run, slack: float) -> DAG:
    """Continue with changes that cost less than the slack, never to a visited graph."""
    peak = Peak(climb)
    visited = {peak.graph}
    while not run.is_over and (move := _unseen(climb, slack, visited)) is not None:
        climb.apply(move)
        visited.add(climb.graph())
        run.add(move.what, climb.total, climb.arcs, move.tail, move.head)
        peak.see()
    return peak.graph


def _unseen(climb: Climb, slack: float, visited: set[DAG]) -> Gain | None:
    """Return the best move above -slack to a graph that was not visited."""
    return next((m for m in climb.above(-slack) if climb.after(m) not in visited), None)


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
    score : the score to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the starts.
    limits : rules bound to the score's columns.
    tabu_length : how many steps a changed pair of variables stays forbidden.
    walk_length : steps of one walk.
    walks : walks in a row without a better graph before the search ends.
    restarts : further searches, each from a random graph.
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph of all climbs and walks.
    """
    run = Run(score, start, limits, on_step, max_steps)
    climb = run.climb()
    graph, bounds = climb.graph(), climb.limits
    peak = Peak(climb)
    climb_and_walk(climb, run, peak, (tabu_length, walk_length, walks))
    for _ in range(restarts):
        climb.go_to(graph if bounds.condition else bounds.start())
        climb.shake(rng, 2 * len(score.nodes))
        if run.is_over or run.add("restart", climb.total, climb.arcs):
            break
        walker = Peak(climb)
        climb_and_walk(climb, run, walker, (tabu_length, walk_length, walks))
        if walker.score > peak.score + peak.least:
            peak = walker
    return run.result(peak.graph, f"{walks} walks in a row had no improvement")


def climb_and_walk(
    climb: Climb, run: Run, peak: Peak, lengths: Sequence[int] = (15, 30, 5)
) -> None:
    """Run one search from the present graph of the climb; the peak records every graph that may be its best.

    `lengths` are those of the tabu list and of a walk, and the walks in a row without a better graph.
    """
    tabu_length, walk_length, walks = lengths
    ascend(climb, run)
    peak.see()
    failures = 0
    while failures < walks and not run.is_over:
        better = _walk(climb, run, peak, tabu_length, walk_length)
        if better:
            climb.go_to(peak.graph)
        if not run.is_over:
            ascend(climb, run)
        failures = 0 if peak.see() or better else failures + 1


def _walk(climb: Climb, run: Run, peak: Peak, tabu_length: int, walk_length: int) -> bool:
    """Take the best moves that are not tabu, up or down; return whether one led to the best graph so far."""
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
        if run.add(f"walk {move.what}", climb.total, climb.arcs, move.tail, move.head):
            break
    for pair in recent:
        climb.unblock(*pair)
    return better


def iterate_climbs(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    rounds: int = 25,
    shake: int = 8,
    restarts: int = 0,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Climb; then `rounds` times, make `shake` random changes of the best graph and climb again.

    Parameters
    ----------
    score : the score to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the changes.
    limits : rules bound to the score's columns.
    rounds : number of rounds.
    shake : random legal changes of one arc in each round.
    restarts, max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph of all rounds.
    """

    def search(run: Run) -> Result:
        climb = run.climb()
        ascend(climb, run)
        peak = Peak(climb)
        for _ in range(rounds):
            if run.is_over:
                break
            climb.go_to(peak.graph)
            climb.shake(rng, shake)
            if not run.add("restart", climb.total, climb.arcs):
                ascend(climb, run)
            peak.see()
        return run.result(peak.graph, f"{rounds} rounds are over")

    return search_with_restarts(
        Run(score, start, limits, on_step, max_steps), search, restarts, rng
    )


_BATCH = 512  # draws made at a time, and how often the watcher is told


def anneal(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    steps: int | None = None,
    hot: float | None = None,
    cold: float | None = None,
    restarts: int = 0,
    on_step: Watch | None = None,
) -> Result:
    """Make random changes at a falling temperature, then climb.

    Parameters
    ----------
    score : the score to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the changes.
    limits : rules bound to the score's columns.
    steps : draws in all; by default 40 for each ordered pair of variables, 20 000 to 100 000.
    hot, cold : first and last temperature, in nats of total score; `hot` is by default the median
        loss of a change at the first optimum, so that about a third of such changes are accepted at
        first, and `cold` a tenth of it.
    restarts, on_step : as in `greedy`.

    Returns
    -------
    Result : the best graph.
    """

    def search(run: Run) -> Result:
        return _anneal(run, rng, (steps, hot, cold))

    return search_with_restarts(Run(score, start, limits, on_step), search, restarts, rng)


def _anneal(
    run: Run,
    rng: np.random.Generator,
    schedule: tuple[int | None, float | None, float | None],
) -> Result:
    """Anneal once, from the start of the run."""
    climb = run.climb()
    ascend(climb, run)
    peak = Peak(climb)
    draws, first, last = _schedule(climb, *schedule)
    for first_draw in range(0, draws if not run.is_over else 0, _BATCH):
        share = np.arange(first_draw, min(first_draw + _BATCH, draws)) / draws
        _cool(climb, rng, first * (last / first) ** share, peak)
        if run.tick("cool", climb.total, climb.arcs):
            break
    if not run.is_over:
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
    """Return the number of draws and the first and last temperature."""
    p = climb.p
    draws = int(np.clip(40 * p * p, 20_000, 100_000)) if steps is None else steps
    losses = -climb.gains[np.isfinite(climb.gains) & (climb.gains < 0)]
    if p < 2 or not len(losses):
        return 0, 1.0, 1.0
    first = float(np.median(losses)) if hot is None else hot
    last = first / 10 if cold is None else cold
    if not first >= last > 0:
        raise FitError(
            f"The temperatures must be hot >= cold > 0, got hot={first} and cold={last}."
        )
    return draws, first, last


def _cool(
    climb: Climb, rng: np.random.Generator, temperatures: NDArray[np.float64], peak: Peak
) -> None:
    """Run one batch of draws; the peak records every graph on the way."""
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
