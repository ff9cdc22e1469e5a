"""The record of a search: its steps, the clock, and the wish to stop."""

import time

from arcwise.results import ASKED, Step, Watch

__all__ = ["FULL", "Trail"]

FULL = "reached the largest number of steps"


class Trail:
    """Collects steps and passes each on to the one who watches."""

    def __init__(self, on_step: Watch | None = None, max_steps: int | None = None) -> None:
        self.steps: list[Step] = []
        self.watch, self.max_steps = on_step, max_steps
        self.began = time.perf_counter()
        self.stopped = ""

    def add(self, what: str, score: float, edges: int, tail: int = -1, head: int = -1) -> bool:
        """Record a step; True if the search should end."""
        elapsed = time.perf_counter() - self.began
        step = Step(len(self.steps) + 1, what, tail, head, score, edges, elapsed)
        self.steps.append(step)
        return self._asked(step)

    def tick(self, what: str, score: float, edges: int) -> bool:
        """Tell the watcher where the search is without recording it; True if it should end."""
        elapsed = time.perf_counter() - self.began
        return self._asked(Step(len(self.steps), what, -1, -1, score, edges, elapsed))

    @property
    def left(self) -> int | None:
        """How many more steps may be recorded; None for any number."""
        return None if self.max_steps is None else self.max_steps - len(self.steps)

    def passing(self, step: Step) -> bool:
        """Pass on the step of a search inside this one, which keeps its own record."""
        return self._asked(step)

    def _asked(self, step: Step) -> bool:
        if self.watch is not None and self.watch(step):
            self.stopped = ASKED
        elif self.max_steps is not None and len(self.steps) >= self.max_steps:
            self.stopped = FULL
        return bool(self.stopped)
