"""One run of a search: the score, the limits, the start, and the record of its steps.

Every search makes one `Run` from its parameters, which checks the start and makes slow scores
interruptible. `Run.result` makes the result of the search.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.notes import Fix, Stop, StopReason
from arcwise.results import ASKED, FULL, Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, least_gain

__all__ = ["Run", "search_with_restarts", "starting_graph"]


def starting_graph(score: Score, start: DAG | None, limits: Limits | None) -> tuple[DAG, Limits]:
    """Return the graph a search starts from (the required arcs by default) and its limits, checked."""
    bounds = Limits.none(score.nodes) if limits is None else limits
    if bounds.nodes != score.nodes:
        raise FitError("The rules must be bound to the variables of the score.")
    if start is not None and start.nodes != score.nodes:
        raise FitError("The start graph must have the variables of the data.")
    return bounds.start_from(start), bounds


class Run:
    """One run of a search.

    `score` is maximised, `start` and `limits` are checked, and `least` is the largest gain that may be
    rounding. `careful` is the same score, which calls the callback between its batches if it is slow.
    """

    def __init__(
        self,
        score: Score,
        start: DAG | None = None,
        limits: Limits | None = None,
        on_step: Watch | None = None,
        max_steps: int | None = None,
    ) -> None:
        self.score, self.p = score, len(score.nodes)
        self.start, self.limits = starting_graph(score, start, limits)
        self.least = least_gain(score)
        self._trail, self._max_steps = Trail(on_step, max_steps), max_steps

    @cached_property
    def careful(self) -> Score:
        """The score, which raises `SearchEnd` between its batches if the callback stops the run."""
        return self.score.interruptible(self._trail.check)

    @cached_property
    def candidates(self) -> list[NDArray[np.intp]]:
        """Return for each variable the parents that it may have besides its required ones."""
        return [self.limits.candidates(child) for child in range(self.p)]

    @property
    def is_over(self) -> bool:
        """Return whether the run must end."""
        return self._trail.stopped.reason is not StopReason.NONE

    @property
    def n_steps(self) -> int:
        """The number of recorded steps."""
        return len(self._trail.steps)

    def add(self, what: str, score: float, edges: int, tail: int = -1, head: int = -1) -> bool:
        """Record a step; return True if the search must end."""
        return self._trail.add(what, score, edges, tail, head)

    def tick(self, what: str, score: float, edges: int) -> bool:
        """Report progress without recording it; return True if the search must end."""
        return self._trail.tick(what, score, edges)

    def check(self) -> None:
        """Raise `SearchEnd` if the callback stops the search."""
        self._trail.check()

    def graph(self, parents: Iterable[tuple[int, ...]]) -> DAG:
        """Return the graph with these parents, which must be acyclic."""
        return DAG.make_unchecked(self.score.nodes, tuple(parents))

    def total(self, graph: DAG) -> float:
        """Return the score of a graph."""
        return total(self.score, graph)

    def climb(self, start: DAG | None = None) -> Climb:
        """Return a climb at the run's start, or at another graph, which the callback may interrupt."""
        return Climb(self.careful, self.start if start is None else start, self.limits)

    def refuse_condition(self, search: str) -> None:
        """Raise an error for a condition on whole graphs, in searches that cannot obey one."""
        if self.limits.condition is not None:
            raise FitError(
                f"The {search} search takes rules on arcs, but no condition on the whole graph: "
                "use {search=}, or another search.",
                fixes=[Fix("search", "auto")],
            )

    def within(self, start: DAG) -> Self:
        """Return a nested run from another start, with the remaining steps."""
        most = self._max_steps
        steps_left = None if most is None else most - self.n_steps
        return type(self)(self.score, start, self.limits, self._trail.pass_on, steps_left)

    def take(self, inner: Result) -> None:
        """Add the record of a nested search to this one."""
        if inner.stopped in (ASKED, FULL):
            self._trail.stopped = inner.stopped
        self._trail.steps.extend(inner.trace)

    def result(
        self, graph: DAG, reason: str = "", *, score: float | None = None, optimal: bool = False
    ) -> Result:
        """Return the result of a run that ended by this rule, or earlier; `score` is the graph's score
        if known.
        """
        trail, value = self._trail, self.total(graph) if score is None else score
        ended = trail.stopped or Stop.converged(reason)
        if optimal:
            ended = Stop(StopReason.OPTIMAL)
        return Result(graph, value, tuple(trail.steps), ended, optimal)


def search_with_restarts(
    run: Run,
    search: Callable[[Run], Result],
    restarts: int,
    rng: np.random.Generator | None,
) -> Result:
    """Return the best result of a search from the run's start and from some random graphs."""
    if restarts == 0:
        return search(run)
    if rng is None:
        raise FitError("Restarts must have a random generator: give rng=.")
    best = search(run.within(run.start))
    run.take(best)
    for _ in range(restarts):
        if run.is_over:
            break
        start = _random_start(run, rng)
        if run.add("restart", run.total(start), start.n_arcs):
            break
        result = search(run.within(start))
        run.take(result)
        if result.score > best.score + run.least:
            best = result
    return run.result(best.graph, best.stopped.detail, score=best.score)


def _random_start(run: Run, rng: np.random.Generator) -> DAG:
    """Return a random graph that obeys the rules: random changes of the sparsest one, or of the start."""
    climb = run.climb(None if run.limits.condition else run.limits.start())
    climb.shake(rng, 2 * run.p)
    return climb.graph()
