"""Statistics of a complete table: every local model uses every row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.moments import Moments
from arcwise.data.statistics.protocol import Statistics
from arcwise.data.table import Table
from arcwise.errors import FitError
from arcwise.notes import Fix

__all__ = ["Complete", "cell_counts"]


def cell_counts(
    codes: Sequence[NDArray[Any]], shape: tuple[int, ...], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Count the rows with each combination of codes.

    >>> cell_counts([np.array([0, 1, 1])], (2,), None)
    array([1., 2.])
    """
    cells = np.array(codes[0], dtype=np.intp)
    for column, levels in zip(codes[1:], shape[1:], strict=True):
        cells *= levels
        cells += column
    return np.bincount(cells, weights, int(np.prod(shape))).reshape(shape).astype(float)


class Complete(Statistics):
    """A table without missing values in the rows of positive weight.

    >>> from arcwise.data.frames import table
    >>> Complete(table({"rain": ["no", "yes", "no"]})).counts((0,))
    array([2., 1.])
    """

    content = "rows that count for some variables only"

    def __init__(self, table: Table) -> None:
        self.table, self.has_rows = table, self.uniform
        self.variables, self.names = table.variables, table.names
        self.order, self.notes = table.order, table.notes
        self.total, self.effective_rows = table.total, table.effective_rows

    def rows(self, use: str, otherwise: str = "", fixes: Sequence[Fix] = ()) -> Table:
        """Return the table."""
        if self.uniform:
            return self.table
        if otherwise:
            return super().rows(use, otherwise, fixes)
        return super().rows(use, "use bic, and {certainty=}", [*fixes, Fix("certainty", False)])

    def moments(self) -> Moments:
        """Return number of cases, means and scatter matrix of all variables."""
        return self._moments

    @cached_property
    def _moments(self) -> Moments:
        return Moments.of(self.table)

    def counts(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the number of cases with each combination of levels of some variables."""
        shape = tuple(len(self.variables[i].levels or ()) for i in members)
        return cell_counts([self.table.columns[i] for i in members], shape, self.table.weights)

    def typical(self, most: int) -> tuple[NDArray[Any], ...]:
        """Return rows evenly spaced in the table; all of them if they are few."""
        if self.table.rows <= most:
            return self.table.columns
        rows = np.linspace(0, self.table.rows - 1, most).round().astype(np.intp)
        return tuple(column[rows] for column in self.table.columns)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the columns, the weights, and whether copies stay together."""
        table = self.table
        together = (np.frombuffer(b"together", np.uint8),) if table.copies == "together" else ()
        return (*together, *table.columns, *(() if table.weights is None else (table.weights,)))

    def constant(self) -> tuple[str, ...]:
        """Return the names of the columns that do not vary."""
        pairs = zip(self.names, self.table.columns, strict=True)
        return tuple(name for name, column in pairs if (column == column[:1]).all())

    def select(self, names: Iterable[str]) -> Complete:
        """Return these columns only, presented in this order."""
        return self._changed(self.table.select(names))

    def prepared(self, change: Callable[[Table], Table]) -> Complete:
        """Return the statistics of the changed table."""
        return self._changed(change(self.table))

    def reweighted(self, weights: ArrayLike, copies: str | None = None) -> Complete:
        """Return the statistics with other row weights, as in replicates."""
        return self._changed(self.table.with_weights(weights, copies))

    def merged(self, other: Statistics) -> Complete:
        """Append the rows of other statistics of the same variables."""
        more = other.rows("Rows to add need")
        weights = None
        if self.table.weights is not None or more.weights is not None:
            both = [np.ones(t.rows) if t.weights is None else t.weights for t in (self.table, more)]
            weights = np.concatenate(both)
        columns = tuple(map(np.concatenate, zip(self.table.columns, more.columns, strict=True)))
        table = replace(self.table, columns=columns, weights=weights)
        return self._changed(table.with_notes(*more.notes))

    def _changed(self, table: Table) -> Complete:
        """Return the statistics of another table; subclasses with views must override this."""
        if not self.uniform:
            raise FitError(
                f"{type(self).__name__} has rows that count for some variables only, and does "
                "not say how they count after this change of its table."
            )
        return Complete(table)
