"""Search over orders of the variables.

`Orders` caches parent sets from one climb to the next, so that further climbs from other orders are
cheap.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from arcwise._kernels import _native
from arcwise._kernels.local_scores import NativeScores, Rows, Sets, native_of
from arcwise._kernels.sets import pack, unpack

Watch = Callable[[int, float, int], bool]


class ClimbResult(NamedTuple):
    """An order with its graph: the parents of each column, and the total score.

    `asked` counts the sets scored and `cleared` how often the cache was full, over all climbs so far;
    `ended` is whether the callback stopped the climb; the total is then -inf if there was no graph yet.
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
        source: NativeScores | Rows,
        barred: Sets,
        required: Sets,
        *,
        max_parents: int,
        tolerance: float,
        most: int,
    ) -> None:
        self.asked = self.cleared = 0
        self._source = native_of(source)
        self._native = _native.Orders(
            len(barred), *pack(barred), *pack(required), max_parents, tolerance, most
        )

    def climb(self, order: Sequence[int], turns: Sequence[int], watch: Watch) -> ClimbResult:
        """Move variables to their best positions until none has a better one.

        Parameters
        ----------
        order : all columns; kept parents come before their children.
        turns : the order in which variables are tried.
        watch : called with (column, total, arcs) after each move, and with the column -1 every so often;
            True ends the climb.
        """
        both = (np.asarray(values, dtype=np.int64) for values in (order, turns))
        final, indptr, indices, *rest = self._native.climb(self._source, *both, watch)
        climbed = ClimbResult(final.tolist(), unpack(indptr, indices), *rest)
        self.asked, self.cleared = climbed.asked, climbed.cleared
        return climbed
