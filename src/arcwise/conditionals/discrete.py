"""The discrete local model: a table of probabilities, one row for each configuration of the parents.

With N_jk rows in which the parents are in configuration j and the child has level k, and pseudo-counts a_jk,

    p(k | j) = (N_jk + a_jk) / (N_j + a_j),    N_j = sum_k N_jk,    a_j = sum_k a_jk,

the expected probabilities under a Dirichlet prior. By default one imaginary sample of `SAMPLE_SIZE` rows is
spread evenly over the cells of the joint distribution, so that a table of q configurations and r levels has
a_jk = size / (q r): the BDeu prior of Heckerman, Geiger and Chickering (1995). Its size is the
`equivalent_sample_size`. Equivalent graphs then have the same joint distribution, and neither names nor the
order of columns change an answer. Two rules without this property are options: `alpha` pseudo-counts for each
cell (1 is Laplace's rule), and `row_alpha` for each row of a table (1 is Perks' rule, 1947).
A configuration that was never seen has even probabilities under every rule. `alpha=0` is maximum likelihood.

Scores that charge for parameters take the largest likelihood, sum N_jk log(N_jk / N_j), whatever the
smoothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.local_scores import DiscreteScores, DiscreteTable
from arcwise.conditionals.base import (
    Array,
    Columns,
    DefaultScore,
    Family,
    Fits,
    HeldOut,
    ParentSets,
    Parts,
)
from arcwise.data import Complete, Statistics, Table, Variable
from arcwise.data.statistics.complete import cell_counts
from arcwise.data.variable import code_type
from arcwise.distributions import Categorical
from arcwise.errors import DataError, FitError

__all__ = [
    "MOST_CELLS",
    "SAMPLE_SIZE",
    "Discrete",
    "DiscreteConditional",
    "DiscreteFits",
    "Smoothing",
]

SAMPLE_SIZE = 5.0
"""Imaginary rows by default, by held-out density (benchmarks/smoothing.py)."""

MOST_CELLS = 1 << 24
"""Largest table of a local model: 16 million probabilities, 128 MB."""

_MOST_LEVELS = 65_535  # codes of compiled counts are of 16 bits
_SHOWN = 32  # rows of a table in words
_FOLDED = 4  # rows are folded into weights where they repeat as often on average


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteConditional:
    """Probabilities of the child's levels (last axis) for each configuration of the parents (axes before).

    >>> wet = DiscreteConditional(np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> wet.n_params, wet.logpdf(np.array([1, 1]), (np.array([0, 1]),)).round(3).tolist()
    (2, [-2.303, -0.223])
    """

    word: ClassVar[str] = "discrete"

    table: Array

    def __post_init__(self) -> None:
        """Check the numbers and close the array."""
        table = np.asarray(self.table, dtype=float)
        if table.ndim == 0 or table.size == 0:
            raise FitError("A table of probabilities needs at least one level.")
        off = np.abs(table.sum(axis=-1) - 1.0)
        if not np.isfinite(table).all() or (table < 0).any() or (off > 1e-9).any():
            raise FitError("The rows of a table of probabilities must be from 0 to 1 and sum to 1.")
        table.setflags(write=False)
        object.__setattr__(self, "table", table)

    def __repr__(self) -> str:
        rows, levels = self.table.size // self.table.shape[-1], self.table.shape[-1]
        return f"<DiscreteConditional of {levels} levels, {rows} row{'s' * (rows != 1)}>"

    @property
    def n_params(self) -> int:
        """Probabilities that are free: one less than levels in each row."""
        levels = int(self.table.shape[-1])
        return self.table.size // levels * (levels - 1)

    def rows_of(self, xs: Columns, size: int) -> Array:
        """The row of the table for each row of the parents."""
        rows: Array = self.table[tuple(np.asarray(x, dtype=np.intp) for x in xs)]
        return np.broadcast_to(rows, (size, self.table.shape[-1]))

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Log probability of each row; -inf where a level is impossible."""
        cells = self.table[tuple(np.asarray(x, dtype=np.intp) for x in (*xs, y))]
        with np.errstate(divide="ignore"):
            out: Array = np.log(cells)
        return out

    def distribution(self, xs: Columns, size: int) -> Categorical:
        """The probabilities of each row."""
        return Categorical(self.rows_of(xs, size))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw a code for each row."""
        heap = np.cumsum(self.table, axis=-1)
        chance = rng.random((size, 1))
        rows = np.broadcast_to(
            heap[tuple(np.asarray(x, dtype=np.intp) for x in xs)], (size, heap.shape[-1])
        )
        codes: NDArray[Any] = (chance * rows[:, -1:] >= rows[:, :-1]).sum(axis=1)
        return codes.astype(code_type(heap.shape[-1]))

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """The table as one writes it: a line for each configuration of the parents."""
        levels = [str(level) for level in child.levels or ()]
        flat = self.table.reshape(-1, len(levels))
        if not parents:
            return f"{child.name}: {', '.join(map(' '.join, zip(levels, map(_share, flat[0]), strict=True)))}"
        above = [list(map(str, parent.levels or ())) for parent in parents]
        lines = [[*(parent.name for parent in parents), *levels]]
        for state, row in zip(islice(product(*above), _SHOWN), flat, strict=False):
            lines.append([*state, *map(_share, row)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        pads = [str.ljust] * len(above) + [str.rjust] * len(levels)
        written = [
            "  ".join(pad(text, width) for pad, text, width in zip(pads, line, widths, strict=True))
            for line in lines
        ]
        more = [f"... and {len(flat) - _SHOWN} more rows"] * (len(flat) > _SHOWN)
        head = f"{child.name} given {', '.join(parent.name for parent in parents)}:"
        return "\n  ".join([head, *map(str.rstrip, [*written, *more])])


def _share(probability: float) -> str:
    """A probability with as many digits as tell it from 0 and 1."""
    return f"{probability:.4g}" if 0 < probability < 0.001 else f"{probability:.3f}"


@dataclass(frozen=True)
class Smoothing:
    """Pseudo-counts: `size` of them for the whole table, for each row or for each cell.

    >>> Smoothing(1.0).cell(levels=2, configurations=4.0)
    0.125
    """

    size: float = SAMPLE_SIZE
    each: str = "table"

    def cell(self, levels: int, configurations: float) -> float:
        """The pseudo-count of a cell of a table."""
        share = {"cell": 1.0, "row": levels, "table": levels * configurations}[self.each]
        return self.size / share

    def rows(self, counts: Array, configurations: float) -> Array:
        """Probabilities from counts (..., levels); even where nothing is known of a row."""
        levels = counts.shape[-1]
        raised = counts + self.cell(levels, configurations)
        sums = raised.sum(axis=-1, keepdims=True)
        even = np.full(counts.shape, 1.0 / levels)
        shares: Array = np.divide(raised, sums, out=even, where=sums > 0)
        return shares


def _smoothing(**sizes: float | None) -> Smoothing:
    """The smoothing that options ask for: the size for each table, row or cell."""
    chosen = [(size, each) for each, size in sizes.items() if size is not None]
    if len(chosen) > 1:
        raise FitError(
            "equivalent_sample_size is the number of pseudo-counts of a whole table, row_alpha that of each "
            "row and alpha that of each cell: give one of them."
        )
    return Smoothing(*chosen[0]) if chosen else Smoothing()


class Discrete(Family):
    """Tables of probabilities for columns of levels."""

    name = "discrete"
    conditional = DiscreteConditional
    kinds = parent_kinds = frozenset({"discrete"})
    closed = counts = True

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> DiscreteConditional:
        """Fit the table of column `y` given the columns `xs`, smoothed by the family's default."""
        variables = (*parents, child)
        check_cells(variables)
        shape = tuple(len(variable.levels or ()) for variable in variables)
        return smooth(cell_counts((*xs, y), shape, weights), Smoothing())

    def prepare(self, table: Table) -> Table:
        """At least two rows, and no column of more levels than can be counted."""
        if table.total < 2:
            raise DataError("Learning needs at least two rows, but there is one.")
        for variable in table.variables:
            if len(variable.levels or ()) > _MOST_LEVELS:
                raise DataError(
                    f"{variable.name!r} has {len(variable.levels or ())} levels, and at most {_MOST_LEVELS} "
                    "can be counted: leave it out with select(), or put levels together."
                )
        return table

    def set_apart(self, table: Table) -> tuple[str, ...]:
        """Columns with more than a level for every two rows.

        A configuration that one row has tells nothing, but the even prior of BDeu takes it for a good
        prediction where the child's levels are even.
        """
        return tuple(
            v.name for v in table.variables if 2 * len(v.levels or ()) > max(table.units, 20)
        )

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """BDeu with one equivalent row, and 1.5 log p off for each parent (benchmarks/discrete.py).

        With expected counts below 5 (Cochran's rule) that charge is too small: a single row in which two rare
        levels meet is worth log n nats. There the gain of the most influential row is charged, too.
        """
        options = {
            "equivalent_sample_size": 1.0,
            "gamma": 1.5,
            "cells_per_row": 10.0,
            "jackknife": 5.0,
        }
        return DefaultScore("bdeu", options)

    def fits(
        self,
        statistics: Statistics,
        *,
        equivalent_sample_size: float | None = None,
        row_alpha: float | None = None,
        alpha: float | None = None,
    ) -> "DiscreteFits":
        """Tie the family to counts; the options are pseudo-counts of a whole table, a row or a cell."""
        smoothing = _smoothing(table=equivalent_sample_size, row=row_alpha, cell=alpha)
        return DiscreteFits(statistics, smoothing)


def check_cells(variables: Sequence[Variable]) -> None:
    """Check that a table of the variables, the child last, is small enough to keep.

    Raises
    ------
    FitError : the table would be too large; says its size.
    """
    size = float(np.prod([float(len(variable.levels or ())) for variable in variables]))
    if size > MOST_CELLS:
        child, parents = variables[-1].name, ", ".join(repr(v.name) for v in variables[:-1])
        raise FitError(
            f"The table of {child!r} given {parents} has {size:.3g} probabilities, above the "
            f"{MOST_CELLS:.3g} that are kept: take fewer parents (max_parents=), or put levels together."
        )


def smooth(counts: Array, smoothing: Smoothing) -> DiscreteConditional:
    """A table of probabilities from counts, the child's axis last."""
    return DiscreteConditional(smoothing.rows(counts, counts.size / counts.shape[-1]))


class DiscreteFits(Fits):
    """Tables of probabilities tied to counts."""

    closed = True
    equivalent = True
    smoothed = True

    def __init__(self, statistics: Statistics, smoothing: Smoothing) -> None:
        if not statistics.total > 0:
            raise FitError(
                "A discrete model needs at least one row with weight, but there is none."
            )
        self.statistics, self.smoothing = statistics, smoothing
        self.nodes, self.rows = statistics.names, statistics.total
        self.models = (Discrete.name,) * len(self.nodes)
        self.levels = tuple(len(variable.levels or ()) for variable in statistics.variables)
        self.lattice = statistics.has_rows

    @property
    def tabular(self) -> "DiscreteFits":
        """These fits."""
        return self

    @cached_property
    def table(self) -> Table:
        """The rows, for compiled counts of many parent sets."""
        return self.statistics.rows("Scores of tables need")

    @property
    def same_joint(self) -> bool:
        """Pseudo-counts of whole tables are shares of one joint table, as are none."""
        return self.smoothing.each == "table" or self.smoothing.size == 0

    @cached_property
    def counted(self) -> DiscreteTable:
        """The columns for compiled counts; rows that repeat often are folded into weights."""
        codes = np.array(self.table.columns, dtype=np.uint16).reshape(len(self.levels), -1)
        return DiscreteTable(*_folded(codes, self.levels, self.table.weights))

    @cached_property
    def likelihoods(self) -> DiscreteScores:
        """Largest log-likelihoods."""
        return DiscreteScores(self.counted, "likelihood", most_cells=MOST_CELLS)

    def conditional(self, child: int, parents: tuple[int, ...]) -> DiscreteConditional:
        """The fitted table of `child` given `parents`."""
        members = (*parents, child)
        check_cells([self.statistics.variables[i] for i in members])
        return smooth(self.statistics.counts(members), self.smoothing)

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Whether the table is small enough."""
        return self.cells(child, parents) <= MOST_CELLS

    def cells(self, child: int, parents: tuple[int, ...]) -> float:
        """Probabilities of a table."""
        return float(np.prod([float(self.levels[i]) for i in (child, *parents)]))

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Largest log-likelihood of the data for each parent set."""
        if self.statistics.has_rows:
            return self.likelihoods.many(child, sets)
        return np.array([_largest(self.statistics.counts((*s, child))) for s in sets])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free probabilities."""
        r = self.levels[child]
        return np.array([self.cells(child, s) / r * (r - 1) for s in sets])

    def compiled(self, charges: Array, per_param: float = 0.0) -> DiscreteScores | None:
        """Largest log-likelihoods minus charges, where there are rows to count."""
        if not self.statistics.has_rows:
            return None
        return DiscreteScores(
            self.counted, "likelihood", per_param=per_param, by_size=charges, most_cells=MOST_CELLS
        )

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood in closed form: one unit is taken out of the counts of its cell."""
        lost = self.table.unit_weights()
        if self.smoothing.size > 0 and (self.table.weights is None or self.table.copies == "apart"):
            return self._loo.many(child, sets)
        rows = [np.arange(self.table.rows)]
        return _CountedHeldOut(self, rows, lost).loglik(child, sets)

    @cached_property
    def _loo(self) -> DiscreteScores:
        size, each = self.smoothing.size, self.smoothing.each
        return DiscreteScores(self.counted, "loo", alpha=size, each=each, most_cells=MOST_CELLS)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOut:
        """Tie the family to parts of the rows; each part needs only its own counts."""
        return _CountedHeldOut(
            self if table is None else DiscreteFits(Complete(table), self.smoothing), parts
        )


def _largest(counts: Array) -> float:
    """Largest log-likelihood of a table with these counts, the child's axis last."""
    given = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)[counts > 0]
    seen = counts[counts > 0]
    return float(seen @ (np.log(seen) - np.log(given)))


def _folded(
    codes: NDArray[np.uint16], levels: tuple[int, ...], weights: Array | None
) -> tuple[NDArray[np.uint16], tuple[int, ...], Array | None]:
    """Rows that occur several times as one row each, where that makes the table much shorter.

    Rows have a number of their own as long as the product of levels allows; then a sort tells the different
    ones. Fewer than `_FOLDED` copies on average do not pay: rows that count once are counted 64 at a time.
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


class _CountedHeldOut(HeldOut):
    """Parts of the rows under tables of the rest: the counts of all rows minus those of the part.

    With `lost`, every row is a part of its own, scored while its weight is less by that.
    """

    def __init__(self, fits: DiscreteFits, parts: Parts, lost: Array | None = None) -> None:
        self.fits, self.parts, self.lost = fits, tuple(parts), lost
        table = fits.table
        self.weights: Array = np.ones(table.rows) if table.weights is None else table.weights

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihoods of the parts, each under the table of the rows outside it."""
        return np.array([self._total(child, s) for s in sets])

    def _total(self, child: int, parents: tuple[int, ...]) -> float:
        fits, w = self.fits, self.weights
        own = np.asarray(fits.table.columns[child], dtype=np.intp)
        groups = _groups(fits, parents)
        r, configurations = fits.levels[child], fits.cells(child, parents) / fits.levels[child]
        a = fits.smoothing.cell(r, configurations)
        places = np.unique(groups * r + own, return_inverse=True)[1]
        in_cell = np.asarray(np.bincount(places, w), dtype=float)[places]
        in_row = np.asarray(np.bincount(groups, w), dtype=float)[groups]
        if self.lost is not None:
            return _log_sum(w, in_cell - self.lost + a, in_row - self.lost + a * r, r)
        total = 0.0
        for part in self.parts:
            inside = w[part]
            less = np.bincount(places[part], inside)[places[part]]
            fewer = np.asarray(np.bincount(groups[part], inside), dtype=float)[groups[part]]
            total += _log_sum(inside, in_cell[part] - less + a, in_row[part] - fewer + a * r, r)
        return total


def _log_sum(weights: Array, cell: Array, row: Array, levels: int) -> float:
    """Weighted sum of log(cell / row); rows of which nothing is known have even probabilities."""
    known = row > 1e-9
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(cell[known], 0.0)) - np.log(row[known])
    return float(weights[known] @ logs - weights[~known].sum() * np.log(levels))


def _groups(fits: DiscreteFits, parents: tuple[int, ...]) -> NDArray[np.intp]:
    """The configuration of each row, numbered by what occurs."""
    groups = np.zeros(fits.table.rows, dtype=np.intp)
    for parent in parents:
        keys = groups * fits.levels[parent] + fits.table.columns[parent]
        groups = np.unique(keys, return_inverse=True)[1].astype(np.intp)
    return groups
