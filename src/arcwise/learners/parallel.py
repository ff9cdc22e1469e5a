"""Independent pieces of work: one after the other, or in parallel processes.

A piece is a function of its number, so results do not depend on the number of processes. If the
callback stops the run, the finished pieces are returned. A callback cannot be sent to other processes; pieces
there use `watch_inside`.
"""

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.data import Source, Table
from arcwise.errors import OptionError, unknown
from arcwise.results import Step, Watch
from arcwise.values import is_integer

BACKENDS = ("joblib", "dask")
"""Backends that run pieces in processes."""

_THREADS = "OPENBLAS_NUM_THREADS"
_LARGE = 10**11  # multiplications for the moments of a table: seconds

Runner = Callable[[Callable[[int], Any], int], Sequence[Any]]


def cores(n_jobs: int) -> int:
    """Return a number of processes or threads; -1 is the number of cores.

    >>> cores(3), cores(-1) >= 1
    (3, True)
    """
    if not is_integer(n_jobs) or n_jobs == 0 or n_jobs < -1:
        raise OptionError(
            f"n_jobs must be a number of processes, or -1 for all cores, got {n_jobs!r}."
        )
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1


@contextlib.contextmanager
def one_thread(source: Source) -> Generator[None]:
    """Limit linear algebra to one thread, unless the table is so large that more threads pay.

    With small matrices, waiting threads cost ten times the work itself on a busy machine,
    and sums in another order change the last digits.
    """
    rows = source.rows if isinstance(source, Table) else 1
    if rows * len(source.names) ** 2 > _LARGE:
        yield
        return
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController().select(user_api="blas")
    threads = [each.num_threads for each in controller.lib_controllers]
    with controller.limit(limits=1), _load_with_one_thread():
        yield
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        if library.filepath not in {each.filepath for each in controller.lib_controllers}:
            library.set_num_threads(max(threads, default=1))


@contextlib.contextmanager
def _load_with_one_thread() -> Generator[None]:
    """Let libraries of linear algebra that are loaded here begin with one thread.

    SciPy brings its own and is imported with its first use, after the limit was set.
    """
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


def watch_inside(n_jobs: int, watch: Watch | None) -> Watch | None:
    """Return the callback of pieces of work: the same here, or one that can be sent to other processes."""
    if n_jobs == 1:
        return watch
    away = getattr(watch, "away", None)
    return away() if away is not None else None


def runner(n_jobs: int, watch: Watch | None = None) -> Runner:
    """Return a function that runs `count` pieces of work: here, or in `n_jobs` processes (-1 for all
    cores).
    """
    cores(n_jobs)

    def run(work: Callable[[int], Any], count: int) -> list[Any]:
        done: list[Any] = []
        with contextlib.closing(pieces(work, range(count), n_jobs)) as results:
            for result in results:
                done.append(result)
                step = Step(len(done), f"part {len(done)} of {count}", -1, -1, 0.0, 0, 0.0)
                if watch is not None and watch(step):
                    break
        return done

    return run


def pieces(
    work: Callable[[int], Any], numbers: Sequence[int], n_jobs: int = 1, backend: str = "joblib"
) -> Generator[Any]:
    """Yield the results of pieces of work in the order of their numbers.

    Parameters
    ----------
    work : a function of a piece's number.
    numbers : the requested pieces.
    n_jobs : processes; 1 for this process.
    backend : "joblib" for processes of this machine, "dask" for the workers of dask's current client, or
        of a new local cluster with `n_jobs` processes if there is none.
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if backend == "dask":
        yield from _on_dask(work, numbers, n_jobs)
        return
    if n_jobs == 1 or len(numbers) == 1:
        yield from map(work, numbers)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    sent = _RemoteWork(work, os.getpid())
    results = pool(delayed(sent)(number) for number in numbers)
    try:
        # Not "yield from", which would pass an early end on to the results, past the lines below.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with (
            warnings.catch_warnings()
        ):  # pieces that nobody waits for any more are meant to be left
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _on_dask(work: Callable[[int], Any], numbers: Sequence[int], n_jobs: int) -> Generator[Any]:
    """Yield the results of pieces computed by dask's workers; the pieces of a lost worker are repeated."""
    try:
        import distributed
    except ImportError:
        raise OptionError("backend='dask' needs dask: pip install 'arcwise[dask]'.") from None
    dask: Any = distributed  # its types are not told
    with contextlib.ExitStack() as closing:
        try:
            client = dask.get_client()
        except ValueError:
            settings = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
            try:
                cluster = dask.LocalCluster(n_workers=cores(n_jobs), **settings)
            except RuntimeError:
                raise OptionError(
                    "dask could not start workers: create a client first (distributed.Client), "
                    "or call this below if __name__ == '__main__'."
                ) from None
            client = closing.enter_context(dask.Client(closing.enter_context(cluster)))
        shared = client.scatter(work, broadcast=True, hash=False)
        waiting = client.map(_piece, numbers, work=shared, pure=False, retries=3)
        closing.callback(client.cancel, waiting)
        for future in waiting:
            yield future.result()


def _piece(number: int, work: Callable[[int], Any]) -> Any:
    return work(number)


@dataclass(frozen=True)
class _RemoteWork:
    """A piece of work in another process, which ignores Ctrl-C: only the first process handles it."""

    work: Callable[[int], Any]
    home: int

    def __call__(self, number: int) -> Any:
        here = threading.current_thread() is threading.main_thread()
        if os.getpid() != self.home and here:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self.work(number)
