"""Independent pieces of work: one after the other, or shared out to processes.

A piece is a function of its number, so results do not depend on how many processes there are. Where the
watcher asks to stop, the pieces done so far are returned. A watcher cannot be sent to other processes; what
pieces ask there is `inside`.
"""

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.data import Moments, Table
from arcwise.errors import WordError
from arcwise.results import Step, Watch

_LARGE = 10**11  # multiplications for the moments of a table: seconds

Runner = Callable[[Callable[[int], Any], int], Sequence[Any]]


def cores(n_jobs: int) -> int:
    """A number of processes or threads; -1 is as many as there are cores.

    >>> cores(3), cores(-1) >= 1
    (3, True)
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise WordError(f"n_jobs is a number of processes, or -1 for all cores, not {n_jobs!r}.")
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1


@contextlib.contextmanager
def one_thread(source: Table | Moments) -> Generator[None]:
    """Keep the linear algebra to one thread, unless the table is so large that others pay.

    Threads that wait for each other on small matrices cost ten times the work itself on a busy machine,
    and sums in another order change the last digits.
    """
    rows = source.rows if isinstance(source, Table) else 1
    if rows * len(source.names) ** 2 > _LARGE:
        yield
        return
    from threadpoolctl import ThreadpoolController

    with ThreadpoolController().limit(limits=1, user_api="blas"):
        yield


def inside(n_jobs: int, watch: Watch | None) -> Watch | None:
    """The watcher that pieces of work ask: the same here, one that can be sent to other processes."""
    if n_jobs == 1:
        return watch
    away = getattr(watch, "away", None)
    return away() if away is not None else None


def runner(n_jobs: int, watch: Watch | None = None) -> Runner:
    """How to do `count` pieces of work: here, or in `n_jobs` processes (-1 for all cores)."""
    cores(n_jobs)

    def run(work: Callable[[int], Any], count: int) -> list[Any]:
        done: list[Any] = []
        with contextlib.closing(_results(work, count, n_jobs)) as results:
            for result in results:
                done.append(result)
                step = Step(len(done), f"part {len(done)} of {count}", -1, -1, 0.0, 0, 0.0)
                if watch is not None and watch(step):
                    break
        return done

    return run


def _results(work: Callable[[int], Any], count: int, n_jobs: int) -> Generator[Any]:
    """The results in the order of the pieces, as they come."""
    if n_jobs == 1 or count == 1:
        yield from map(work, range(count))
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    sent = _Sent(work, os.getpid())
    results = pool(delayed(sent)(number) for number in range(count))
    try:
        # Not "yield from", which would hand an early end on to the results, past the lines below.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with (
            warnings.catch_warnings()
        ):  # pieces that nobody waits for any more are meant to be left
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@dataclass(frozen=True)
class _Sent:
    """A piece of work in another process: Ctrl-C, which a terminal sends to all, is for the first one."""

    work: Callable[[int], Any]
    home: int

    def __call__(self, number: int) -> Any:
        here = threading.current_thread() is threading.main_thread()
        if os.getpid() != self.home and here:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self.work(number)
