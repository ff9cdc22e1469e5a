"""Statistics of a table with missing values: each local model uses the rows with all its variables.

These are its available cases. Likelihoods of parent sets with different rows are not comparable.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data.statistics.complete import Complete, cell_counts
from arcwise.data.statistics.protocol import Statistics
from arcwise.data.table import Table
from arcwise.data.variable import gaps_of

__all__ = ["Available"]


class Available(Complete):
    """A table with missing values.

    >>> from arcwise.data.frames import table
    >>> source = Available(table({"rain": ["no", "yes", None], "wet": ["no", None, "yes"]}))
    >>> source.view(0, ()).total, source.view(0, (1,)).total
    (2.0, 1.0)
    """

    def __init__(self, table: Table) -> None:
        pairs = zip(table.variables, table.columns, strict=True)
        self._has_gaps = tuple(bool(gaps_of(variable, column).any()) for variable, column in pairs)
        self._views: dict[tuple[int, ...], _View] = {}
        self.uniform = not any(self._has_gaps)
        super().__init__(table)

    def _changed(self, table: Table) -> Available:
        return Available(table)

    def view(self, child: int, parents: tuple[int, ...]) -> Statistics:
        """Return the rows in which a child and its parents are observed."""
        members = tuple(i for i in sorted((child, *parents)) if self._has_gaps[i])
        if members not in self._views:
            self._views[members] = _View(self.table, members)
        return self._views[members]


class _View(Complete):
    """The rows in which some columns are observed; missing values elsewhere are replaced and never used."""

    def __init__(self, source: Table, members: tuple[int, ...]) -> None:
        usable = np.ones(source.rows, dtype=bool)
        for i in members:
            usable &= ~gaps_of(source.variables[i], source.columns[i])
        self.source, self._there, self.has_rows = source, usable, True
        self.variables, self.names = source.variables, source.names
        self.order, self.notes = source.order, source.notes
        weights = source.weights
        self.total = float(usable.sum() if weights is None else weights[usable].sum())
        self.effective_rows = self.total

    @cached_property
    def table(self) -> Table:  # type: ignore[override]
        """These rows, with missing values replaced."""
        rows = self.source.take(self._there)
        pairs = zip(rows.variables, rows.columns, strict=True)
        filled = (np.where(gaps_of(v, c), 0, c).astype(c.dtype) for v, c in pairs)
        return replace(rows, columns=tuple(filled))

    def counts(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the number of these rows with each combination of levels of some variables."""
        usable, table = self._there, self.source
        shape = tuple(len(self.variables[i].levels or ()) for i in members)
        weights = None if table.weights is None else table.weights[usable]
        return cell_counts([table.columns[i][usable] for i in members], shape, weights)
