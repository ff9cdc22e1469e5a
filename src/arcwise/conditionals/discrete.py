"""The discrete local model: a table of probabilities, one row for each configuration of the parents.

With N_jk rows in which the parents are in configuration j and the child has level k, and pseudo-counts a_jk,

    p(k | j) = (N_jk + a_jk) / (N_j + a_j),    N_j = sum_k N_jk,    a_j = sum_k a_jk,

the expected probabilities under a Dirichlet prior. By default an imaginary sample of `SAMPLE_SIZE` rows is
spread evenly over the cells of the joint distribution, so that a table of q configurations and r levels has
a_jk = size / (q r): the BDeu prior of Heckerman, Geiger and Chickering (1995). Its size is the
`equivalent_sample_size`. Equivalent graphs then have the same joint distribution, and results do not depend
on names or on the order of columns. Two rules without this property are options: `alpha` pseudo-counts for
each cell (1 is Laplace's rule), and `row_alpha` for each row of a table (1 is Perks' rule, 1947).
A configuration without rows has uniform probabilities under every rule. `alpha=0` is maximum likelihood.

Penalised scores use the largest likelihood, sum N_jk log(N_jk / N_j), whatever the
smoothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import (
    Array,
    Columns,
    DefaultScore,
    Family,
    Fits,
)
from arcwise.data import Statistics, Table, Variable
from arcwise.data.statistics.complete import cell_counts
from arcwise.data.variable import code_type
from arcwise.distributions import Categorical
from arcwise.errors import DataError, FitError
from arcwise.notes import Fix

__all__ = [
    "MOST_CELLS",
    "SAMPLE_SIZE",
    "DiscreteConditional",
    "DiscreteFamily",
    "PseudoCounts",
]

SAMPLE_SIZE = 5.0
"""Default imaginary rows, chosen by held-out density (benchmarks/smoothing.py)."""

MOST_CELLS = 1 << 24
"""Largest table of a local model: 16 million probabilities, 128 MB."""

_MOST_LEVELS = 65_535  # codes of compiled counts are of 16 bits
_SHOWN = 32  # rows of a table in words


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
        """Check the probabilities and make the array read-only."""
        table = np.asarray(self.table, dtype=float)
        if table.ndim == 0 or table.size == 0:
            raise FitError("A probability table must have at least one level.")
        off = np.abs(table.sum(axis=-1) - 1.0)
        if not np.isfinite(table).all() or (table < 0).any() or (off > 1e-9).any():
            raise FitError("The rows of a probability table must be from 0 to 1 and sum to 1.")
        table.setflags(write=False)
        object.__setattr__(self, "table", table)

    def __repr__(self) -> str:
        rows, levels = self.table.size // self.table.shape[-1], self.table.shape[-1]
        return f"<DiscreteConditional of {levels} levels, {rows} row{'s' * (rows != 1)}>"

    @property
    def n_params(self) -> int:
        """The number of free probabilities: one less than levels in each row."""
        levels = int(self.table.shape[-1])
        return self.table.size // levels * (levels - 1)

    def matches(self, variable: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether the table has a row for each configuration of these parents, and these levels.

        >>> table = DiscreteConditional(np.array([0.5, 0.5]))
        >>> table.matches(Variable("a", ("x", "y")), ()), table.matches(Variable("a"), ())
        (True, False)
        """
        return self.table.shape == tuple(
            len(parent.levels or ()) for parent in (*parents, variable)
        )

    def as_table(self, levels: int) -> Array:
        """Return the table itself (see `table_of`)."""
        return self.table

    def rows_of(self, xs: Columns, size: int) -> Array:
        """Return the row of the table for each row of the parents."""
        rows: Array = self.table[tuple(np.asarray(x, dtype=np.intp) for x in xs)]
        return np.broadcast_to(rows, (size, self.table.shape[-1]))

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log probability of each row; -inf if a level is impossible."""
        cells = self.table[tuple(np.asarray(x, dtype=np.intp) for x in (*xs, y))]
        with np.errstate(divide="ignore"):
            out: Array = np.log(cells)
        return out

    def distribution(self, xs: Columns, size: int) -> Categorical:
        """Return the probabilities of each row."""
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
        """Return the table as text: one line for each configuration of the parents."""
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
    """Return a probability with enough digits to distinguish it from 0 and 1."""
    return f"{probability:.4g}" if 0 < probability < 0.001 else f"{probability:.3f}"


@dataclass(frozen=True)
class PseudoCounts:
    """Pseudo-counts: `size` of them for the whole table, for each row or for each cell.

    >>> PseudoCounts(1.0).cell(levels=2, configurations=4.0)
    0.125
    """

    size: float = SAMPLE_SIZE
    each: str = "table"

    def cell(self, levels: int, configurations: float) -> float:
        """Return the pseudo-count of a cell of a table."""
        share = {"cell": 1.0, "row": levels, "table": levels * configurations}[self.each]
        return self.size / share

    def rows(self, counts: Array, configurations: float) -> Array:
        """Return probabilities from counts (..., levels); uniform for a row without counts."""
        levels = counts.shape[-1]
        raised = counts + self.cell(levels, configurations)
        sums = raised.sum(axis=-1, keepdims=True)
        even = np.full(counts.shape, 1.0 / levels)
        shares: Array = np.divide(raised, sums, out=even, where=sums > 0)
        return shares


def _pseudo_counts(**sizes: float | None) -> PseudoCounts:
    """Return the smoothing that the options select: the size for each table, row or cell."""
    options = [(size, unit) for unit, size in sizes.items() if size is not None]
    if len(options) > 1:
        raise FitError(
            "equivalent_sample_size is the number of pseudo-counts of a whole table, row_alpha that of each "
            "row and alpha that of each cell: give one of them."
        )
    return PseudoCounts(*options[0]) if options else PseudoCounts()


class DiscreteFamily(Family):
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
        """Fit the table of column `y` given the columns `xs`, with the family's default smoothing."""
        variables = (*parents, child)
        check_cells(variables)
        shape = tuple(len(variable.levels or ()) for variable in variables)
        return smooth(cell_counts((*xs, y), shape, weights), PseudoCounts())

    def prepare(self, table: Table) -> Table:
        """Check that there are two rows, and that no column has too many levels."""
        if table.total < 2:
            raise DataError("Learning needs at least two rows, but there is one.")
        for variable in table.variables:
            if len(variable.levels or ()) > _MOST_LEVELS:
                raise DataError(
                    f"{variable.name!r} has {len(variable.levels or ())} levels, and at most "
                    f"{_MOST_LEVELS} can be counted: drop it with {{select()}}, or merge levels.",
                    fixes=[Fix(verb="select")],
                )
        return table

    def set_apart(self, table: Table) -> tuple[str, ...]:
        """Return the columns with more than one level per two rows.

        A configuration with one row is uninformative, but the uniform prior of BDeu counts it as a good
        prediction if the child's levels are uniform.
        """
        return tuple(
            v.name for v in table.variables if 2 * len(v.levels or ()) > max(table.units, 20)
        )

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return BDeu with three equivalent rows and a penalty of 1.5 log p per parent
        (benchmarks/discrete.py).

        With expected counts below 5 (Cochran's rule) that penalty is too small: a single row with two rare
        levels gains log n nats. Then the gain of the most influential row is subtracted, too.
        """
        options = {
            "equivalent_sample_size": 3.0,
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
    ) -> Fits:
        """Bind the family to counts; the options are pseudo-counts of a whole table, a row or a cell."""
        smoothing = _pseudo_counts(table=equivalent_sample_size, row=row_alpha, cell=alpha)
        from arcwise.conditionals.discrete_fits import DiscreteFits

        return DiscreteFits(statistics, smoothing)


def check_cells(variables: Sequence[Variable]) -> None:
    """Check that a table of the variables, the child last, is small enough to store.

    Raises
    ------
    FitError : the table would be too large; the message has its size.
    """
    size = float(np.prod([float(len(variable.levels or ())) for variable in variables]))
    if size > MOST_CELLS:
        child, parents = variables[-1].name, ", ".join(repr(v.name) for v in variables[:-1])
        raise FitError(
            f"The table of {child!r} given {parents} has {size:.3g} probabilities, above the "
            f"{MOST_CELLS:.3g} that are stored: use fewer parents ({{max_parents=}}), or merge "
            "levels.",
            fixes=[Fix("max_parents")],
        )


def smooth(counts: Array, smoothing: PseudoCounts) -> DiscreteConditional:
    """Return a table of probabilities from counts, the child's axis last."""
    return DiscreteConditional(smoothing.rows(counts, counts.size / counts.shape[-1]))
