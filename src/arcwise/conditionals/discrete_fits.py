"""Tables of probabilities bound to counts: likelihoods of many parent sets, and of held-out rows."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.local_scores import DiscreteScores, DiscreteTable
from arcwise.conditionals.base import Array, Fits, HeldOutFits, ParentSets, Parts
from arcwise.conditionals.discrete import (
    MOST_CELLS,
    DiscreteConditional,
    DiscreteFamily,
    PseudoCounts,
    check_cells,
    smooth,
)
from arcwise.data import Complete, Statistics, Table
from arcwise.errors import FitError

__all__ = ["DiscreteFits"]

_FOLDED = 4  # rows are folded into weights where they repeat as often on average


class DiscreteFits(Fits):
    """Tables of probabilities bound to counts."""

    closed = True
    equivalent = True
    smoothed = True

    def __init__(self, statistics: Statistics, smoothing: PseudoCounts) -> None:
        levels = all(variable.discrete for variable in statistics.variables)
        if not (statistics.has_rows or levels):
            raise FitError(f"A discrete model needs counts of levels, got {statistics.content}.")
        self.statistics, self.smoothing = statistics, smoothing
        self.nodes, self.rows = statistics.names, statistics.total
        self.models = (DiscreteFamily.name,) * len(self.nodes)
        self.levels = tuple(len(variable.levels or ()) for variable in statistics.variables)
        self.lattice = statistics.has_rows

    @property
    def tabular(self) -> "DiscreteFits":
        """These fits."""
        return self

    @cached_property
    def table(self) -> Table:
        """The rows, for compiled counts of many parent sets."""
        if not self.rows > 0:
            raise FitError("Scores of tables need at least one row with weight, but there is none.")
        return self.statistics.rows("Scores of tables need")

    @property
    def same_joint(self) -> bool:
        """Whether equivalent graphs have the same joint: pseudo-counts of whole tables are shares of
        one, or zero.
        """
        return self.smoothing.each == "table" or self.smoothing.size == 0

    @cached_property
    def counted(self) -> DiscreteTable:
        """The columns for compiled counts; repeated rows are merged into weights."""
        codes = np.array(self.table.columns, dtype=np.uint16).reshape(len(self.levels), -1)
        return DiscreteTable(*_fold(codes, self.levels, self.table.weights))

    @cached_property
    def likelihoods(self) -> DiscreteScores:
        """The largest log-likelihoods."""
        return DiscreteScores(self.counted, "likelihood", most_cells=MOST_CELLS)

    def conditional(self, child: int, parents: tuple[int, ...]) -> DiscreteConditional:
        """Return the fitted table of `child` given `parents`."""
        members = (*parents, child)
        check_cells([self.statistics.variables[i] for i in members])
        return smooth(self.statistics.counts(members), self.smoothing)

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether the table is small enough."""
        return self.cells(child, parents) <= MOST_CELLS

    def cells(self, child: int, parents: tuple[int, ...]) -> float:
        """Return the probabilities of a table."""
        return float(np.prod([float(self.levels[i]) for i in (child, *parents)]))

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the largest log-likelihood of the data for each parent set."""
        if self.statistics.has_rows:
            return self.likelihoods.many(child, sets)
        return np.array([_largest(self.statistics.counts((*s, child))) for s in sets])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Return the number of free probabilities for each parent set."""
        r = self.levels[child]
        return np.array([self.cells(child, s) / r * (r - 1) for s in sets])

    def compiled(self, charges: Array, per_param: float = 0.0) -> DiscreteScores | None:
        """Return largest log-likelihoods minus penalties, if there are rows to count."""
        if not self.statistics.has_rows:
            return None
        return DiscreteScores(
            self.counted, "likelihood", per_param=per_param, by_size=charges, most_cells=MOST_CELLS
        )

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return the leave-one-out log-likelihood in closed form: the count of a cell minus one unit."""
        lost = self.table.unit_weights()
        if self.smoothing.size > 0 and (self.table.weights is None or self.table.copies == "apart"):
            return self._loo.many(child, sets)
        rows = [np.arange(self.table.rows)]
        return _CountedHeldOut(self, rows, lost).loglik(child, sets)

    @cached_property
    def _loo(self) -> DiscreteScores:
        size, each = self.smoothing.size, self.smoothing.each
        return DiscreteScores(self.counted, "loo", alpha=size, each=each, most_cells=MOST_CELLS)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind the family to parts of the rows; each part needs only its counts."""
        return _CountedHeldOut(
            self if table is None else DiscreteFits(Complete(table), self.smoothing), parts
        )


def _largest(counts: Array) -> float:
    """Return the largest log-likelihood of a table with these counts, the child's axis last."""
    rows = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)[counts > 0]
    seen = counts[counts > 0]
    return float(seen @ (np.log(seen) - np.log(rows)))


def _fold(
    codes: NDArray[np.uint16], levels: tuple[int, ...], weights: Array | None
) -> tuple[NDArray[np.uint16], tuple[int, ...], Array | None]:
    """Merge repeated rows if that makes the table much shorter.

    Distinct rows are found by sorting their configuration numbers, or the rows if the product of levels is
    too large. Fewer than `_FOLDED` copies on average do not pay: rows of weight 1 are counted 64 at a time.
    """
    n = codes.shape[1]
    size = float(np.prod(np.array(levels, dtype=float)))
    if size > 2.0**62 or n < 2:
        return codes, levels, weights
    keys = np.zeros(n, dtype=np.int64)
    for row, count in zip(codes, levels, strict=True):
        keys = keys * count + row
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) * (_FOLDED if weights is None else 1) >= n:
        return codes, levels, weights
    return np.ascontiguousarray(codes[:, first]), levels, np.bincount(where, weights).astype(float)


class _CountedHeldOut(HeldOutFits):
    """Held-out parts under tables of the other rows: the counts of all rows minus those of the part.

    With `lost`, every row is a separate part, which loses this weight.
    """

    def __init__(self, fits: DiscreteFits, parts: Parts, lost: Array | None = None) -> None:
        self.fits, self.parts, self.lost = fits, tuple(parts), lost
        table = fits.table
        self.weights: Array = np.ones(table.rows) if table.weights is None else table.weights

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return log-likelihoods of the parts, each under the table of the rows outside it."""
        return np.array([self._total(child, s) for s in sets])

    def _total(self, child: int, parents: tuple[int, ...]) -> float:
        fits, w = self.fits, self.weights
        child_codes = np.asarray(fits.table.columns[child], dtype=np.intp)
        groups = _groups(fits, parents)
        r, configurations = fits.levels[child], fits.cells(child, parents) / fits.levels[child]
        a = fits.smoothing.cell(r, configurations)
        cells = np.unique(groups * r + child_codes, return_inverse=True)[1]
        in_cell = np.asarray(np.bincount(cells, w), dtype=float)[cells]
        in_row = np.asarray(np.bincount(groups, w), dtype=float)[groups]
        if self.lost is not None:
            return _log_sum(w, in_cell - self.lost + a, in_row - self.lost + a * r, r)
        total = 0.0
        for part in self.parts:
            inside = w[part]
            less = np.bincount(cells[part], inside)[cells[part]]
            fewer = np.asarray(np.bincount(groups[part], inside), dtype=float)[groups[part]]
            total += _log_sum(inside, in_cell[part] - less + a, in_row[part] - fewer + a * r, r)
        return total


def _log_sum(weights: Array, cell: Array, row: Array, levels: int) -> float:
    """Return the weighted sum of log(cell / row); rows without counts have uniform probabilities."""
    nonempty = row > 1e-9
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(cell[nonempty], 0.0)) - np.log(row[nonempty])
    return float(weights[nonempty] @ logs - weights[~nonempty].sum() * np.log(levels))


def _groups(fits: DiscreteFits, parents: tuple[int, ...]) -> NDArray[np.intp]:
    """Return the configuration of each row, numbered among those that occur."""
    groups = np.zeros(fits.table.rows, dtype=np.intp)
    for parent in parents:
        keys = groups * fits.levels[parent] + fits.table.columns[parent]
        groups = np.unique(keys, return_inverse=True)[1].astype(np.intp)
    return groups
