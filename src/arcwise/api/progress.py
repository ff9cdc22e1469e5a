"""A progress line, a time budget and Ctrl-C, as one watcher of searches.

The line goes to standard error, only where a person is looking, and only for work over half a second.
Ctrl-C asks the work to stop with the best so far; pressed again, it interrupts as usual. Work in other
processes has a watcher of its own (`Away`), which knows when the time is up and where Ctrl-C is told.
"""

import math
import os
import secrets
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from arcwise.errors import OptionError
from arcwise.notes import NOT_STOPPED, Note, Stop, StopReason
from arcwise.results import Step
from arcwise.values import is_number

_EVERY = 0.1  # seconds between two refreshes of the line
_LEAST = 0.5  # seconds for strengths of edges where time is up
_FIRST = 0.5  # quick work shows nothing


@dataclass(frozen=True)
class CertaintyBudget:
    """What a quick certainty may cost: seconds, processes and a progress line; `why` there is none at all.

    Seconds are those of the processor, so that a busy machine changes no result; `wall` bounds the clock.
    """

    seconds: float = 0.0
    wall: float = 0.0
    n_jobs: int = 1
    progress: bool | None = None
    why: Note | None = None

    def watch(self, part: float = 1.0) -> "Progress":
        """A watcher that ends when a part of the budget is used up."""
        cpu = part * self.seconds if self.n_jobs == 1 else None
        return Progress("certainty", part * self.wall, self.progress, cpu)


@dataclass(frozen=True)
class Away:
    """A watcher that can be sent to other processes.

    `deadline` is by the clock on the wall, None for no end; `flag` is the path of a file that is made
    when Ctrl-C is pressed.
    """

    deadline: float | None
    flag: str

    def __call__(self, step: Step) -> bool:
        """True asks the work to stop."""
        late = self.deadline is not None and time.time() > self.deadline
        return late or os.path.exists(self.flag)


class Progress:
    """Watches steps: shows a line, and says stop when time is up or Ctrl-C was pressed."""

    def __init__(
        self,
        label: str,
        limit: float | None = None,
        show: bool | None = None,
        cpu: float | None = None,
    ) -> None:
        if limit is not None and not (is_number(limit) and limit >= 0):
            raise OptionError(
                f"time_limit must be a non-negative number of seconds or None, got {limit!r}."
            )
        self.label, self.limit, self.cpu = label, limit, cpu
        self._cpu_began = time.thread_time()
        self.show = sys.stderr.isatty() if show is None else show
        self.began = self._shown = time.monotonic()
        self._lines = False
        self.stopped = NOT_STOPPED
        self._before: Any = None
        self._flag = Path(tempfile.gettempdir(), f"arcwise-{secrets.token_hex(8)}.stop")

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
        self._flag.unlink(missing_ok=True)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = Stop(StopReason.INTERRUPTED)
        self._flag.touch()

    def __call__(self, step: Step) -> bool:
        """Take note of a step; True asks the search to stop."""
        now = time.monotonic()
        for limit, used in ((self.limit, now - self.began), (self.cpu, self.cpu_used)):
            if limit is not None and used > limit and not self.stopped:
                self.stopped = Stop(StopReason.TIME_LIMIT, f"{round(limit, 2):g}")
        if self.show and step.number < 0:  # said before any step is made
            sys.stderr.write(f"{self.label}: {step.what}\n")
        elif self.show and now - self._shown > (_EVERY if self._lines else _FIRST):
            self._draw(step, now)
        return self.stopped.reason is not StopReason.NONE

    @property
    def cpu_used(self) -> float:
        """Seconds of the processor so far."""
        return time.thread_time() - self._cpu_began

    @property
    def left(self) -> float | None:
        """Seconds for what is asked for later, half a second at least; None where there is no limit."""
        if self.stopped or self.limit is None:
            return _LEAST if self.stopped else None
        return max(_LEAST, self.limit - (time.monotonic() - self.began))

    def share(self, part: float) -> "Share":
        """A watcher that also says stop once a part of the time budget is used up."""
        return Share(self, part)

    def away(self, part: float = 1.0) -> Away:
        """A watcher for work in other processes, with a part of the time budget."""
        if self.limit is None:
            return Away(None, str(self._flag))
        used = time.monotonic() - self.began
        return Away(time.time() + part * self.limit - used, str(self._flag))

    def _draw(self, step: Step, now: float) -> None:
        known = f"  score {step.score:.2f}" if math.isfinite(step.score) else ""
        score = f"{known}  edges {step.edges}" if step.edges else ""
        what = f"{self.label}: {step.what}{score}  step {step.number}  {now - self.began:.1f} s"
        sys.stderr.write(f"\r\x1b[K{what[:110]}")
        sys.stderr.flush()
        self._shown, self._lines = now, True


@dataclass(frozen=True)
class Share:
    """A watcher with a part of another one's time budget."""

    whole: Progress
    part: float

    def __call__(self, step: Step) -> bool:
        """Take note of a step; True asks the work to stop."""
        used = time.monotonic() - self.whole.began
        limit = self.whole.limit
        return self.whole(step) or (limit is not None and used > self.part * limit)

    def away(self) -> Away:
        """A watcher for work in other processes."""
        return self.whole.away(self.part)
