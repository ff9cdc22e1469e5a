"""Laws of many rows put together: from several parts, or from a model asked when needed.

`ModelRows` keeps a conditional and its inputs, and works the laws out block by block each time, so
that a large table needs no memory for weights. `JoinedRows` holds parts of a table's rows whose laws
came about in different ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional
from arcwise.data import Variable
from arcwise.errors import DataError
from arcwise.inference.averaging import law_of
from arcwise.inference.laws import RowLaw

__all__ = ["JoinedRows", "ModelRows", "Part"]

Array = NDArray[np.float64]
Part = tuple[NDArray[np.intp], RowLaw]

BLOCK = 1024
"""Rows whose laws are worked out at once."""


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Laws of rows whose inputs are all known: the conditional itself."""

    model: Conditional
    variable: Variable
    xs: tuple[NDArray[Any], ...]
    size: int

    def _each(self, of: Callable[[RowLaw, slice], Array]) -> Array:
        """Results of blocks of rows, one after the other."""
        parts = []
        for low in range(0, max(self.size, 1), BLOCK):
            rows = slice(low, min(low + BLOCK, self.size))
            xs = tuple(column[rows] for column in self.xs)
            parts.append(of(law_of(self.model, self.variable, xs, rows.stop - low), rows))
        return np.concatenate(parts)

    def laws(self) -> RowLaw:
        """The laws of all rows at once."""
        return law_of(self.model, self.variable, self.xs, self.size)

    @cached_property
    def _moments(self) -> Array:
        return self._each(lambda law, _: np.stack([law.mean, law.sd], axis=1))

    @property
    def mean(self) -> Array:
        """Expected value of each row."""
        return self._moments[:, 0]

    @property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        return self._moments[:, 1]

    def cdf(self, x: Array) -> Array:
        """Share at or below x."""
        return self._each(lambda law, rows: law.cdf(x[rows]))

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares)."""
        return self._each(lambda law, _: law.quantiles(q))

    def logdensity(self, x: Array) -> Array:
        """Log density at x."""
        return self._each(lambda law, rows: law.logdensity(x[rows]))

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        return self._each(lambda law, _: law.sample(rng, draws))

    def pooled(self, size: int, weights: Array | None = None) -> RowLaw:
        """Average of each run of `size` rows, evenly or by weights."""
        return law_of(self.model, self.variable, self.xs, self.size).pooled(size, weights)


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """Laws of parts of the rows; each part says which rows it has."""

    parts: tuple[Part, ...]
    size: int

    def _each(self, of: Callable[[RowLaw, NDArray[np.intp]], Array], width: int = 0) -> Array:
        out = np.empty((self.size, width) if width else self.size)
        for places, law in self.parts:
            if len(places):
                out[places] = of(law, places)
        return out

    @cached_property
    def mean(self) -> Array:
        """Expected value of each row."""
        return self._each(lambda law, _: law.mean)

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        return self._each(lambda law, _: law.sd)

    def cdf(self, x: Array) -> Array:
        """Share at or below x, one value a row."""
        return self._each(lambda law, places: law.cdf(x[places]))

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares)."""
        return self._each(lambda law, _: law.quantiles(q), len(q))

    def logdensity(self, x: Array) -> Array:
        """Log density at x, one value a row."""
        return self._each(lambda law, places: law.logdensity(x[places]))

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        return self._each(lambda law, _: law.sample(rng, draws), draws)

    def pooled(self, size: int, weights: Array | None = None) -> RowLaw:
        """Average of each run of `size` rows; only where all rows are of one part."""
        if len(self.parts) != 1:
            raise DataError("Laws of rows that came about in different ways cannot be averaged.")
        return self.parts[0][1].pooled(size, weights)
