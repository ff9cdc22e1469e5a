"""A progress line, a time budget and Ctrl-C, as one watcher of searches.

The line goes to standard error, only where a person is looking, and only for work over half a second.
Ctrl-C asks the work to stop with the best so far; pressed again, it interrupts as usual.
"""

import math
import signal
import sys
import threading
import time
from collections.abc import Callable
from numbers import Real
from types import FrameType, TracebackType
from typing import Any, Self

from arcwise.errors import WordError
from arcwise.results import Step

__all__ = ["Progress"]

_EVERY = 0.1  # seconds between two refreshes of the line
_FIRST = 0.5  # quick work shows nothing


class Progress:
    """Watches steps: shows a line, and says stop when time is up or Ctrl-C was pressed."""

    def __init__(self, label: str, limit: float | None = None, show: bool | None = None) -> None:
        if limit is not None and (not isinstance(limit, Real) or not float(limit) >= 0):
            raise WordError(f"time= is a number of seconds from 0 on, or None, but {limit!r} came.")
        self.label, self.limit = label, limit
        self.show = sys.stderr.isatty() if show is None else show
        self.began = self._shown = time.monotonic()
        self._lines = False
        self.reason = ""
        self._before: Any = None

    def __enter__(self) -> Self:
        """Take over Ctrl-C, in the main thread."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give Ctrl-C back and clear the line."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._lines:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.reason:
            raise KeyboardInterrupt
        self.reason = "stopped by Ctrl-C"

    def __call__(self, step: Step) -> bool:
        """Take note of a step; True asks the search to stop."""
        now = time.monotonic()
        if self.limit is not None and now - self.began > self.limit and not self.reason:
            self.reason = f"the time budget of {self.limit:g} s is used up"
        if self.show and step.number < 0:  # said before any step is made
            sys.stderr.write(f"{self.label}: {step.what}\n")
        elif self.show and now - self._shown > (_EVERY if self._lines else _FIRST):
            self._draw(step, now)
        return bool(self.reason)

    def share(self, part: float) -> Callable[[Step], bool]:
        """A watcher that also says stop once a part of the time budget is used up."""

        def watch(step: Step) -> bool:
            used = time.monotonic() - self.began
            return self(step) or (self.limit is not None and used > part * self.limit)

        return watch

    def _draw(self, step: Step, now: float) -> None:
        known = f"  score {step.score:.2f}" if math.isfinite(step.score) else ""
        score = f"{known}  edges {step.edges}" if step.edges else ""
        what = f"{self.label}: {step.what}{score}  step {step.number}  {now - self.began:.1f} s"
        sys.stderr.write(f"\r\x1b[K{what[:110]}")
        sys.stderr.flush()
        self._shown, self._lines = now, True
