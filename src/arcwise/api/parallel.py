"""Independent pieces of work: one after the other, or shared out to processes.

A piece is a function of its number, so results do not depend on how many processes there are.
"""

from collections.abc import Callable, Sequence
from typing import Any

from arcwise.errors import WordError
from arcwise.results import Step

__all__ = ["Runner", "runner"]

Runner = Callable[[Callable[[int], Any], int], Sequence[Any]]


def runner(n_jobs: int, watch: Callable[[Step], bool] | None = None) -> Runner:
    """How to do `count` pieces of work: here, or in `n_jobs` processes (-1 for all cores)."""
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise WordError(f"n_jobs is a number of processes, or -1 for all cores, not {n_jobs!r}.")

    def run(work: Callable[[int], Any], count: int) -> list[Any]:
        if n_jobs == 1 or count == 1:
            return [_watched(work, number, count, watch) for number in range(count)]
        from joblib import Parallel, delayed

        return list(Parallel(n_jobs=n_jobs)(delayed(work)(number) for number in range(count)))

    return run


def _watched(
    work: Callable[[int], Any], number: int, count: int, watch: Callable[[Step], bool] | None
) -> Any:
    done = work(number)
    step = Step(number + 1, f"part {number + 1} of {count}", -1, -1, 0.0, 0, 0.0)
    if watch is not None and watch(step):
        raise KeyboardInterrupt  # half a cross-validation has no meaning
    return done
