"""Local scores of discrete columns from counts, for compiled searches and in batches."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.orders import Compiled
from arcwise._kernels.sets import pack

__all__ = ["KINDS", "DiscreteScores", "DiscreteTable"]

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]

KINDS = ("likelihood", "k2", "bdeu", "bds")
"""What is summed over the configurations of the parents, see `DiscreteScores`."""


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
        self.shape = codes.shape
        self.native = _native.DiscreteTable(
            np.ascontiguousarray(codes, dtype=np.uint16), np.asarray(levels, dtype=np.int64), none
        )


class DiscreteScores(Compiled):
    """Sums over the configurations j of the parents, with counts N_jk of the child's r levels, minus charges.

    * "likelihood": sum_k N_jk log(N_jk / N_j);
    * "k2", "bdeu", "bds": log G(a_j) - log G(a_j + N_j) + sum_k [log G(a_jk + N_jk) - log G(a_jk)] with
      a_j = r a_jk and a_jk = 1, alpha / (r q) or alpha / (r s); q configurations are possible, s occur.

    Parameters
    ----------
    kind : one of `KINDS`.
    alpha : equivalent sample size of "bdeu" and "bds".
    per_param : charge for each of the (r - 1) q free probabilities.
    by_size : (p + 1,) charges by the number of parents.
    nml : whether to charge regret(n, r q) - regret(n, q) of normalised maximum likelihood.

    A batch costs O(n) for each set or toggle, and much less where groups and levels are few: then 64 rows are
    counted at a time.
    """

    def __init__(
        self,
        table: DiscreteTable,
        kind: str,
        *,
        alpha: float = 1.0,
        per_param: float = 0.0,
        by_size: Array | None = None,
        nml: bool = False,
    ) -> None:
        charges = np.zeros(table.shape[0] + 1) if by_size is None else by_size
        self.native = _native.DiscreteScores(
            table.native,
            KINDS.index(kind),
            alpha,
            per_param,
            np.ascontiguousarray(charges, dtype=float),
            nml,
        )

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
