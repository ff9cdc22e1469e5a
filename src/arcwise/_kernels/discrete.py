"""Local scores of discrete columns from counts, for compiled searches and in batches."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.orders import Batches, Work
from arcwise._kernels.sets import pack

__all__ = ["EACH", "SUMS", "DiscreteScores", "DiscreteTable"]

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]

SUMS = ("likelihood", "marginal", "loo")
"""What is summed over the configurations of the parents, see `DiscreteScores`."""

EACH = ("cell", "row", "table", "seen")
"""What pseudo-counts are for, see `DiscreteScores`."""


class DiscreteTable:
    """Columns of codes, with a bit for each row and level beside them.

    Parameters
    ----------
    codes : (p, n) whole numbers below the column's number of levels.
    levels : (p,) numbers of levels.
    weights : (n,), or None where each row counts once.
    """

    def __init__(
        self, codes: NDArray[np.uint16], levels: Sequence[int], weights: Array | None
    ) -> None:
        none = np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=float)
        self.shape, self._given = codes.shape, (codes, levels, weights)
        self.native = _native.DiscreteTable(
            np.ascontiguousarray(codes, dtype=np.uint16), np.asarray(levels, dtype=np.int64), none
        )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Send the columns to another process."""
        return type(self), self._given


class DiscreteScores(Batches):
    """Sums over the configurations j of the parents, with counts N_jk of the child's r levels, minus charges.

    * "likelihood": sum_k N_jk log(N_jk / N_j);
    * "marginal": log G(a_j) - log G(a_j + N_j) + sum_k [log G(a_jk + N_jk) - log G(a_jk)];
    * "loo": sum_k N_jk log((N_jk - 1 + a_jk) / (N_j - 1 + a_j)), for counts of whole rows.

    Pseudo-counts: a_jk is alpha for each "cell", alpha / r for each "row" of the table, alpha / (r q) for the
    "table" of q rows, alpha / (r s) for the s rows that are "seen"; a_j = r a_jk.

    Parameters
    ----------
    kind : one of `SUMS`.
    each : one of `EACH`.
    alpha : the size of pseudo-counts.
    per_param : charge for each of the (r - 1) q free probabilities.
    by_size : (p + 1,) charges by the number of parents.
    nml : whether to charge regret(n, r q) - regret(n, q) of normalised maximum likelihood.
    most_cells : sets whose table has more cells score -inf.
    jackknife : expected count. If the rarest levels of a parent and the child are expected together in fewer
        rows, the largest gain that one row gives to the pair is charged, see `cpp/row_influence.hpp`.

    A batch costs O(n) for each set or toggle, and much less where groups and levels are few: then 64 rows are
    counted at a time.
    """

    def __init__(
        self,
        table: DiscreteTable,
        kind: str,
        *,
        each: str = "table",
        alpha: float = 1.0,
        per_param: float = 0.0,
        by_size: Array | None = None,
        nml: bool = False,
        most_cells: float = np.inf,
        jackknife: float = 0.0,
    ) -> None:
        self.table, self.kind = table, kind
        self.by_size = np.zeros(table.shape[0] + 1) if by_size is None else by_size
        self.options: dict[str, Any] = {
            "each": each,
            "alpha": alpha,
            "per_param": per_param,
            "nml": nml,
            "most_cells": most_cells,
            "jackknife": jackknife,
        }
        self.work = _work(table.shape[1])
        self.native = _native.DiscreteScores(
            table.native,
            SUMS.index(kind),
            EACH.index(each),
            alpha,
            per_param,
            np.ascontiguousarray(self.by_size, dtype=float),
            nml,
            most_cells,
            jackknife,
        )

    def charged(self, extra: Array) -> Self:
        """The same with something added by the number of parents; both share what they remember."""
        other = object.__new__(type(self))
        other.table, other.kind, other.options = self.table, self.kind, self.options
        other.work = self.work
        other.by_size = np.ascontiguousarray(self.by_size - extra, dtype=float)
        other.native = _native.DiscreteScores(self.native, other.by_size)
        return other

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Send the scores to another process."""
        return _again, (self.table, self.kind, {**self.options, "by_size": self.by_size})

    def many(self, child: int, sets: Sets) -> Array:
        """Scores of several parent sets."""
        found: Array = self.native.many(child, *pack(sets))
        return found

    def toggles(self, child: int, base: tuple[int, ...], among: Sequence[int]) -> Array:
        """The score of `base`, then those with each of `among` put in or taken out; -inf for the child."""
        sets = (np.asarray(each, dtype=np.int64) for each in (base, among))
        found: Array = self.native.toggles(child, *sets)
        return found

    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array:
        """Scores of `always` with every subset of `candidates`, by bit mask; NaN beyond `most` parents."""
        sets = (np.asarray(each, dtype=np.int64) for each in (candidates, always))
        found: Array = self.native.subsets(child, *sets, most)
        return found


def _work(rows: int) -> Work:
    """A set takes 6 ns a row, one of a sweep about a twentieth of that (alarm and win95pts)."""
    return Work(1.0 + rows / 600, 1.0 + rows / 30)


def _again(table: DiscreteTable, kind: str, options: dict[str, Any]) -> DiscreteScores:
    return DiscreteScores(table, kind, **options)
