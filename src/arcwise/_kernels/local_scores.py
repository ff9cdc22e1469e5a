"""Local scores that compiled searches evaluate themselves: linear regressions in closed form, and counts."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]
Rows = Callable[[int, tuple[int, ...], list[int]], Array | None]


class Work(NamedTuple):
    """How many times more expensive local scores are than those from moments: in sweeps, and over all
    subsets.
    """

    sweep: float = 1.0
    subset: float = 1.0


class NativeScores:
    """Local scores in compiled code; `native` is the compiled object."""

    native: Any
    work: Work = Work()


def native_of(source: NativeScores | Rows) -> Any:
    """Return the compiled scores, or a callback on arrays."""
    if isinstance(source, NativeScores):
        return source.native

    def ask(child: int, base: NDArray[np.int64], among: NDArray[np.int64]) -> Array | None:
        return source(child, tuple(base.tolist()), among.tolist())

    return ask


class Batches(NativeScores, ABC):
    """Compiled scores that answer batches of sets by themselves, charges included."""

    @abstractmethod
    def many(self, child: int, sets: Sets) -> Array:
        """Return the scores of several parent sets."""

    @abstractmethod
    def toggles(self, child: int, base: tuple[int, ...], among: Sequence[int]) -> Array:
        """Return the score of `base`, then those with each of `among` added or removed; -inf for the
        child.
        """

    @abstractmethod
    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array:
        """Return the scores of `always` with every subset of `candidates`, by bit mask; NaN beyond
        `most` parents.
        """

    @abstractmethod
    def with_charges(self, extra: Array) -> Self:
        """Return the same with something added by the number of parents."""


class GaussianScores(NativeScores):
    """Local scores of linear regressions in closed form.

    With m parents B that leave the share r of the child's variance, the score is

        offset[m] + slope[m] (log r + shift[child]) + weight (log det R_BB + sum of spread over B).

    Parameters
    ----------
    matrix : (p, p) correlations, or another positive semi-definite matrix of unit diagonal.
    tolerance : variables that the others leave a smaller share of are skipped.
    floor : smallest r.
    knee : below it log r continues as a straight line, log knee + r / knee - 1.
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


# -- counts --------------------------------------------------------------------------------------

SUMS = ("likelihood", "marginal", "loo")
"""What is summed over the configurations of the parents, see `DiscreteScores`."""

EACH = ("cell", "row", "table", "seen")
"""What pseudo-counts are for, see `DiscreteScores`."""


_OPTIONS = ("each", "alpha", "per_param", "nml", "most_cells", "jackknife")


class DiscreteTable:
    """Columns of codes, with a bit for each row and level next to them.

    Parameters
    ----------
    codes : (p, n) integers below the column's number of levels.
    levels : (p,) numbers of levels.
    weights : (n,), or None if each row counts once.
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
    """Sums over the configurations j of the parents, with counts N_jk of the child's r levels, minus
    penalties.

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
        # A set takes 6 ns a row, one of a sweep about a twentieth of that (alarm and win95pts).
        self.work = Work(1.0 + table.shape[1] / 600, 1.0 + table.shape[1] / 30)
        self._options = each, alpha, per_param, nml, most_cells, jackknife
        words, sizes = (
            (SUMS.index(kind), EACH.index(each)),
            np.ascontiguousarray(self.by_size, float),
        )
        rest = alpha, per_param, sizes, nml, most_cells, jackknife
        self.native = _native.DiscreteScores(table.native, *words, *rest)

    def with_charges(self, extra: Array) -> Self:
        """Return the scores with further terms by the number of parents; both share a cache."""
        other = object.__new__(type(self))
        other.table, other.kind, other._options = self.table, self.kind, self._options
        other.work = self.work
        other.by_size = np.ascontiguousarray(self.by_size - extra, dtype=float)
        other.native = _native.DiscreteScores(self.native, other.by_size)
        return other

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Send the scores to another process."""
        options: dict[str, Any] = dict(zip(_OPTIONS, self._options, strict=True))
        return partial(type(self), self.table, self.kind, by_size=self.by_size, **options), ()

    def many(self, child: int, sets: Sets) -> Array:
        """Return the scores of several parent sets."""
        scores: Array = self.native.many(child, *pack(sets))
        return scores

    def toggles(self, child: int, base: tuple[int, ...], among: Sequence[int]) -> Array:
        """Return the score of `base`, then those with each of `among` added or removed; -inf for the
        child.
        """
        sets = (np.asarray(values, dtype=np.int64) for values in (base, among))
        scores: Array = self.native.toggles(child, *sets)
        return scores

    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array:
        """Return the scores of `always` with every subset of `candidates`, by bit mask; NaN beyond
        `most` parents.
        """
        sets = (np.asarray(values, dtype=np.int64) for values in (candidates, always))
        scores: Array = self.native.subsets(child, *sets, most)
        return scores
