"""Results of searches: a graph, its score, the steps and the reason for the end.

`Trail` is the record that every search keeps while it runs; `Result` is what it returns.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from arcwise.graphs import DAG
from arcwise.notes import NOT_STOPPED, Stop, StopReason

__all__ = [
    "ASKED",
    "FULL",
    "Result",
    "SearchEnd",
    "Step",
    "Trail",
    "Watch",
    "patient",
    "patient_check",
]  # fmt: skip

ASKED = Stop(StopReason.CALLBACK)
"""The reason for an end by the callback."""

FULL = Stop(StopReason.MAX_STEPS)
"""The reason for an end by the largest number of steps."""


@dataclass(frozen=True)
class Step:
    """One step of a search: the change of an arc, and the result.

    `what` is a name such as "add", "drop", "flip", "insert", "delete", "turn", "restart", "remove";
    `tail` and `head` are column numbers (-1 if the step concerns no single arc); `score` is the
    total after the step, `elapsed` the time since the start in seconds.
    """

    number: int
    what: str
    tail: int
    head: int
    score: float
    edges: int
    elapsed: float


Watch = Callable[[Step], bool | None]
"""A callback with each step; returning True stops the search with the best result so far."""


class SearchEnd(Exception):  # noqa: N818 - nothing went wrong
    """Raised within a step if the callback stops the search; every search catches it."""


def patient(watch: Watch | None, seconds: float = 0.5) -> Watch | None:
    """Return a callback that stops only after some time, for the work after a search.

    The last fits usually take milliseconds, and are worth them even if the time is up.
    """
    if watch is None:
        return None
    began = time.perf_counter()
    return lambda step: bool(watch(step)) and time.perf_counter() - began > seconds


class Trail:
    """The record of a search: collects steps and passes each to the callback."""

    def __init__(self, on_step: Watch | None = None, max_steps: int | None = None) -> None:
        self.steps: list[Step] = []
        self.watch, self.max_steps = on_step, max_steps
        self.began = time.perf_counter()
        self.stopped = NOT_STOPPED

    def add(self, what: str, score: float, edges: int, tail: int = -1, head: int = -1) -> bool:
        """Record a step; return True if the search should end."""
        elapsed = time.perf_counter() - self.began
        step = Step(len(self.steps) + 1, what, tail, head, score, edges, elapsed)
        self.steps.append(step)
        return self._is_end_asked(step)

    def tick(self, what: str, score: float, edges: int) -> bool:
        """Report progress to the callback without recording it; return True if the search should end."""
        elapsed = time.perf_counter() - self.began
        return self._is_end_asked(Step(len(self.steps), what, -1, -1, score, edges, elapsed))

    def check(self) -> None:
        """Call the callback within a step that takes many local fits.

        Raises
        ------
        Interrupted : the callback stops the search.
        """
        last = self.steps[-1] if self.steps else None
        score, edges = (last.score, last.edges) if last else (float("nan"), 0)
        if self.watch is not None and self.tick("look", score, edges) and self.stopped == ASKED:
            raise SearchEnd

    def pass_on(self, step: Step) -> bool:
        """Record the step of a nested search, which has its own trail."""
        return self._is_end_asked(step)

    @property
    def is_over(self) -> bool:
        """Whether the search must end."""
        return self.stopped.reason is not StopReason.NONE

    def _is_end_asked(self, step: Step) -> bool:
        if self.stopped == ASKED:
            return True
        if self.watch is not None and self.watch(step):
            self.stopped = ASKED
        elif self.max_steps is not None and len(self.steps) >= self.max_steps:
            self.stopped = FULL
        return self.is_over


def patient_check(watch: Watch | None) -> Callable[[], None]:
    """Return a check that raises `SearchEnd` if a patient callback stops the work."""
    return Trail(patient(watch)).check


@dataclass(frozen=True)
class Result:
    """A graph found by a search.

    `stopped` is the reason for the end; `optimal` is True only if the graph is proved
    to have the best score of all graphs that the rules allow and whose parent sets all have a score.
    """

    graph: DAG
    score: float
    trace: tuple[Step, ...]
    stopped: Stop
    optimal: bool = False
