"""The columns that regressions are made of, and their cross-products, computed once for a table."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.glm_model import atoms
from arcwise.data import Table

__all__ = ["RARE", "Configurations", "Design", "DesignColumn"]

RARE = 5.0
"""Rows below which a level of a parent counts as the most frequent one."""

_CONSTANT = 1e-12  # share of the mean up to which a spread is rounding
_SMALLEST = 1e-6  # standard deviation of a constant column, in units of max(1, |mean|)
_CHUNK = 1 << 14  # rows of cross-products at a time

DesignColumn = tuple[int, int, int, int]
"""A column of a design: variable, function, second variable, its function; -1 for no variable."""

INTERCEPT: DesignColumn = (-1, 0, -1, 0)


class Configurations(NamedTuple):
    """The configurations of some categories: that of each row, and how many there can be."""

    places: NDArray[np.intp]
    total: int
    weights: Array


class Design:
    """A table as standardised numbers, functions of these, and indicators of levels.

    `levels` are those of each variable, 0 for numbers; `groups` those of its levels.
    """

    def __init__(self, table: Table) -> None:
        self.table, self.size = table, table.rows
        self.weights = np.ones(table.rows) if table.weights is None else table.weights
        self.total = float(self.weights.sum())
        self.levels = tuple(len(v.levels or ()) for v in table.variables)
        self.centres, self.scales = np.zeros(len(self.levels)), np.ones(len(self.levels))
        self.groups: list[NDArray[np.int64]] = []
        self.blocks: list[tuple[int, ...]] = []  # the first columns of each variable
        found: list[Array] = [np.ones(table.rows)]
        for j, column in enumerate(table.columns):
            first = len(found)
            if self.levels[j]:
                self.groups.append(self._group(column, self.levels[j]))
                codes = self.groups[j][column.astype(np.intp)]
                found += [(codes == g).astype(float) for g in range(1, self.groups[j].max() + 1)]
            else:
                self.groups.append(np.zeros(0, dtype=np.int64))
                found += atoms(self._standardised(j, column))
            self.blocks.append(tuple(range(first, len(found))))
        self.columns = np.ascontiguousarray(np.array(found))  # (columns, rows)
        self._numbers = {pair: c for c, pair in enumerate(self._functions)}
        self._pairs: dict[tuple[int, int], Array] = {}
        self._configurations: dict[tuple[int, ...], Configurations] = {}
        self._by: dict[tuple[int, ...], Array] = {}

    def _standardised(self, j: int, column: Array) -> Array:
        mean = float(np.average(column, weights=self.weights))
        spread = float(np.sqrt(np.average((column - mean) ** 2, weights=self.weights)))
        least = _SMALLEST * max(1.0, abs(mean))
        constant = spread <= _CONSTANT * max(abs(mean), 1e-300) or spread == 0
        self.centres[j], self.scales[j] = mean, least if constant else spread
        return np.zeros(len(column)) if constant else (column - mean) / spread

    def _group(self, column: NDArray[np.unsignedinteger], levels: int) -> NDArray[np.int64]:
        """0 for the most frequent level and rare ones, then 1, 2, ... in the order of levels."""
        counts = np.bincount(column, self.weights, levels)
        own = counts >= RARE
        own[int(counts.argmax())] = False
        groups = np.zeros(levels, dtype=np.int64)
        groups[own] = np.arange(1, own.sum() + 1)
        return groups

    least_variance = 1e-4
    """Smallest variance of a model, as a share of its variable's: a hundredth of the standard deviation."""

    @cached_property
    def binary(self) -> frozenset[int]:
        """The columns of numbers with two values, of which curves say nothing between these."""
        columns = map(self.number, self.numbers)
        return frozenset(c for c in columns if len(np.unique(self.columns[c])) == 2)

    def limits(self, members: Sequence[int]) -> Array:
        """The smallest and the largest standardised value of numbers; 0 for categories."""
        columns = [self.columns[self.number(j)] if not self.levels[j] else (0.0,) for j in members]
        return (
            np.array([[min(c, default=0.0), max(c, default=0.0)] for c in columns]).reshape(-1, 2).T
        )

    def number(self, j: int) -> int:
        """The column of a standardised number."""
        return self.blocks[j][0]

    def main(self, j: int) -> tuple[int, ...]:
        """The columns of a variable's main effect."""
        return self.blocks[j] if self.levels[j] else self.blocks[j][:1]

    def describe(self, column: int) -> tuple[int, int]:
        """The variable of a column, and which of its functions it is."""
        return self._functions[column]

    def column(self, variable: int, function: int) -> int:
        """The column of a function of a variable."""
        return self._numbers[variable, function]

    @cached_property
    def _functions(self) -> list[tuple[int, int]]:
        found = [(-1, 0)]
        for j, block in enumerate(self.blocks):
            first = 1 if self.levels[j] else 0
            found += [(j, first + k) for k in range(len(block))]
        return found

    @cached_property
    def products(self) -> Array:
        """Weighted sums of products of all columns."""
        found = np.zeros((len(self.columns),) * 2)
        for low in range(0, self.size, _CHUNK):
            part = self.columns[:, low : low + _CHUNK]
            found += (part * self.weights[low : low + _CHUNK]) @ part.T
        return found

    def pair(self, one: Sequence[int], two: Sequence[int]) -> Array:
        """(columns, rows) the products of two blocks of columns."""
        found = self.columns[list(one)][:, None, :] * self.columns[list(two)][None, :, :]
        return found.reshape(-1, self.size)

    def cross(self, i: int, j: int) -> Array:
        """Sums of the products of two variables' main effects with all columns, then with each other."""
        if (i, j) not in self._pairs:
            own = self.pair(self.main(i), self.main(j))
            weighted = own * self.weights
            self._pairs[i, j] = np.hstack([weighted @ self.columns.T, weighted @ own.T])
        return self._pairs[i, j]

    def configurations(self, members: tuple[int, ...]) -> Configurations:
        """The configurations of some categories, rare levels among the most frequent ones."""
        if members not in self._configurations:
            sizes = [int(self.groups[j].max(initial=0)) + 1 for j in members]
            total = int(min(np.prod(sizes, dtype=float), 1 << 62))
            places = np.zeros(self.size, dtype=np.intp)
            if total <= 1 << 40:
                for j, size in zip(members, sizes, strict=True):
                    places = places * size + self.groups[j][self.table.columns[j].astype(np.intp)]
            counts = np.zeros(0)
            if total <= MOST:
                counts = np.bincount(places, self.weights, total).astype(float)
            self._configurations[members] = Configurations(places, total, counts)
        return self._configurations[members]

    def by_configuration(self, members: tuple[int, ...]) -> Array:
        """(configurations, 1 + numbers, 1 + numbers) sums of products of (1, standardised numbers)."""
        if members not in self._by:
            known = self.configurations(members)
            rows = self.columns[[0, *(self.number(j) for j in self.numbers)]]
            order = np.argsort(known.places, kind="stable")
            ends = np.searchsorted(known.places[order], np.arange(known.total + 1))
            rows, weights = rows[:, order], self.weights[order]
            found = np.zeros((known.total, len(rows), len(rows)))
            for k in np.flatnonzero(np.diff(ends)).tolist():
                part = rows[:, ends[k] : ends[k + 1]]
                found[k] = (part * weights[ends[k] : ends[k + 1]]) @ part.T
            self._by[members] = found
        return self._by[members]

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The variables that are numbers."""
        return tuple(j for j, levels in enumerate(self.levels) if not levels)


MOST = 4096
"""Configurations beyond which no form by configuration is fitted."""
