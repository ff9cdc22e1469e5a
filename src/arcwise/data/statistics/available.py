"""The statistics of a table with missing values: each local model sees the rows that know all its variables.

These rows are its available cases. Likelihoods of parent sets that see different rows do not compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data.statistics.base import Statistics
from arcwise.data.statistics.complete import Complete, cell_counts
from arcwise.data.table import Table
from arcwise.data.variable import Variable, gaps_of

__all__ = ["Available"]


@dataclass(frozen=True, eq=False)
class Available(Complete):
    """A table with missing values.

    >>> from arcwise.data.frames import table
    >>> source = Available(table({"rain": ["no", "yes", None], "wet": ["no", None, "yes"]}))
    >>> source.view(0, ()).total, source.view(0, (1,)).total
    (2.0, 1.0)
    """

    @cached_property
    def uniform(self) -> bool:  # type: ignore[override]
        """Whether nothing is missing."""
        return not any(self._has_gaps)

    def _changed(self, table: Table) -> Available:
        return Available(table)

    @cached_property
    def _has_gaps(self) -> tuple[bool, ...]:
        pairs = zip(self.table.variables, self.table.columns, strict=True)
        return tuple(bool(gaps_of(variable, column).any()) for variable, column in pairs)

    @cached_property
    def _views(self) -> dict[tuple[int, ...], _View]:
        return {}

    def view(self, child: int, parents: tuple[int, ...]) -> Statistics:
        """Return the rows that know a child and its parents."""
        members = tuple(i for i in sorted((child, *parents)) if self._has_gaps[i])
        if members not in self._views:
            self._views[members] = _View(self.table, members)
        return self._views[members]


class _View(Complete):
    """The rows that know some columns; what is missing elsewhere has any value, which no model sees."""

    source: Table
    members: tuple[int, ...]

    def __init__(self, source: Table, members: tuple[int, ...]) -> None:
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "members", members)

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        """The variables of the table."""
        return self.source.variables

    @property
    def _there(self) -> NDArray[np.bool_]:
        there = np.ones(self.source.rows, dtype=bool)
        for i in self.members:
            there &= ~gaps_of(self.variables[i], self.source.columns[i])
        return there

    @cached_property
    def total(self) -> float:  # type: ignore[override]
        """The number of these rows, or the sum of their weights."""
        there, weights = self._there, self.source.weights
        return float(there.sum() if weights is None else weights[there].sum())

    @cached_property
    def table(self) -> Table:
        """These rows, filled."""
        found = self.source.take(self._there)
        pairs = zip(found.variables, found.columns, strict=True)
        filled = (np.where(gaps_of(v, c), 0, c).astype(c.dtype) for v, c in pairs)
        return replace(found, columns=tuple(filled))

    def counts(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the number of these rows with each combination of levels of some variables."""
        there, source = self._there, self.source
        shape = tuple(len(self.variables[i].levels or ()) for i in members)
        weights = None if source.weights is None else source.weights[there]
        return cell_counts([source.columns[i][there] for i in members], shape, weights)
