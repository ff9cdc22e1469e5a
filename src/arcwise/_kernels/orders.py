"""Search over orders of the variables, and local scores that compiled searches evaluate themselves.

`Orders` keeps what it has learnt about parent sets from one climb to the next, so that further climbs
from other orders are cheap.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack, unpack

__all__ = [
    "Batches",
    "Climbed",
    "Compiled",
    "GaussianScores",
    "Orders",
    "Rows",
    "Watch",
    "Work",
    "called",
]

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]
Rows = Callable[[int, tuple[int, ...], list[int]], Array | None]
Watch = Callable[[int, float, int], bool]


class Work(NamedTuple):
    """How many times dearer local scores are than those from moments: in sweeps, and over all subsets."""

    sweep: float = 1.0
    subset: float = 1.0


class Compiled:
    """Local scores that compiled searches evaluate themselves; `native` is what they call."""

    native: Any
    work: Work = Work()


class Batches(Compiled, ABC):
    """Compiled scores that answer batches of sets by themselves, charges included."""

    @abstractmethod
    def many(self, child: int, sets: Sets) -> Array:
        """Scores of several parent sets."""

    @abstractmethod
    def toggles(self, child: int, base: tuple[int, ...], among: Sequence[int]) -> Array:
        """The score of `base`, then those with each of `among` put in or taken out; -inf for the child."""

    @abstractmethod
    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array:
        """Scores of `always` with every subset of `candidates`, by bit mask; NaN beyond `most` parents."""

    @abstractmethod
    def charged(self, extra: Array) -> Self:
        """The same with something added by the number of parents."""


class GaussianScores(Compiled):
    """Local scores of linear regressions in closed form.

    With m parents B that leave the share r of the child's variance, the score is

        offset[m] + slope[m] (log r + shift[child]) + weight (log det R_BB + sum of spread over B).

    Parameters
    ----------
    matrix : (p, p) correlations, or another positive semi-definite matrix of unit diagonal.
    tolerance : variables that the others leave a smaller share of are passed over.
    floor : smallest r.
    knee : below it log r goes on as a straight line, log knee + r / knee - 1.
    offset, slope : (p + 1,) by the number of parents; slopes are negative.
    shift, spread : (p,) by variable.
    weight : of the determinants.
    """

    def __init__(
        self,
        matrix: Array,
        *,
        tolerance: float,
        floor: float,
        knee: float,
        offset: Array,
        slope: Array,
        shift: Array,
        weight: float = 0.0,
        spread: Array | None = None,
    ) -> None:
        tables = [offset, slope, shift, np.zeros(len(matrix)) if spread is None else spread]
        offset, slope, shift, spread = (np.ascontiguousarray(t, dtype=float) for t in tables)
        self.native = _native.GaussianScores(
            matrix, tolerance, floor, knee, offset, slope, shift, weight, spread
        )


class Climbed(NamedTuple):
    """An order with its graph: the parents of each column, and the total score.

    `asked` counts the sets scored and `cleared` how often the memory was full, over all climbs so far;
    `ended` says that the watcher asked for an end, in which case the total is -inf if no graph was known yet.
    """

    order: list[int]
    parents: list[tuple[int, ...]]
    total: float
    asked: int
    cleared: int
    ended: bool


class Orders:
    """The parent sets of orders, grown and shrunk among the variables before each.

    Parameters
    ----------
    source : compiled scores, or a callback (child, base, among) -> the score of `base` and those with
        each of `among` toggled; None ends the climb.
    barred, kept : for each column the parents that it may not have, and those that it keeps.
    max_parents : largest number of parents.
    tolerance : smallest gain that counts.
    most : numbers that may be kept (4 bytes each, roughly); beyond, the memory is cleared.
    """

    def __init__(
        self,
        source: Compiled | Rows,
        barred: Sets,
        kept: Sets,
        *,
        max_parents: int,
        tolerance: float,
        most: int,
    ) -> None:
        self.asked = self.cleared = 0
        self._source = source.native if isinstance(source, Compiled) else called(source)
        self._native = _native.Orders(
            len(barred), *pack(barred), *pack(kept), max_parents, tolerance, most
        )

    def climb(self, order: Sequence[int], turns: Sequence[int], watch: Watch) -> Climbed:
        """Move variables to their best places until none has a better one.

        Parameters
        ----------
        order : all columns; kept parents come before their children.
        turns : in which order variables are tried.
        watch : told (column, total, arcs) after each move, and with the column -1 every so often;
            True ends the climb.
        """
        found, indptr, indices, *rest = self._native.climb(
            self._source,
            np.asarray(order, dtype=np.int64),
            np.asarray(turns, dtype=np.int64),
            watch,
        )
        climbed = Climbed(found.tolist(), unpack(indptr, indices), *rest)
        self.asked, self.cleared = climbed.asked, climbed.cleared
        return climbed


def called(rows: Rows) -> Callable[[int, NDArray[np.int64], NDArray[np.int64]], Array | None]:
    """A callback as compiled searches call it, with arrays."""

    def ask(child: int, base: NDArray[np.int64], among: NDArray[np.int64]) -> Array | None:
        return rows(child, tuple(base.tolist()), among.tolist())

    return ask
