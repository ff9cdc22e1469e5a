"""The joint distribution of several discrete variables: a probability for each cell of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.distributions import no_numbers
from arcwise.inference.belief import Array, Probability, share_of

__all__ = ["Cells"]

_MOST = 1 << 20
"""Most cells that a function of draws is asked about one by one."""

_SHOWN = 32
"""Most cells that are printed."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A joint distribution by its table.

    Parameters
    ----------
    variables : in the order asked for; all of them discrete.
    table : one axis a variable; sums to one.

    >>> both = Cells((Variable("a", (0, 1)), Variable("b", (0, 1))), np.array([[0.4, 0.1], [0.1, 0.4]]))
    >>> both.correlation.round(3).tolist(), round(both.mutual_information([0], [1]), 4)
    ([[1.0, 0.6], [0.6, 1.0]], 0.1927)
    """

    variables: tuple[Variable, ...]
    table: Array

    def __post_init__(self) -> None:
        self.table.flags.writeable = False

    def marginal(self, places: Sequence[int]) -> Array:
        """The table of some variables, in their order."""
        others = tuple(i for i in range(self.table.ndim) if i not in places)
        kept = sorted(places)
        sums: Array = self.table.sum(axis=others)
        return sums.transpose([kept.index(place) for place in places])

    def lines(self) -> list[str]:
        """The cells as a person would write them, the last variable fastest; none of a large table."""
        if self.table.size > _SHOWN:
            return []
        rows = [[*(variable.name for variable in self.variables), "probability"]]
        for codes in np.ndindex(self.table.shape):
            levels = (str((v.levels or ())[i]) for v, i in zip(self.variables, codes, strict=True))
            rows.append([*levels, f"{self.table[codes]:.4g}"])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]

    def _numbers(self, place: int) -> Array:
        variable = self.variables[place]
        if not variable.numeric:
            raise no_numbers(variable.name)
        return np.array(variable.levels, dtype=float)

    @cached_property
    def correlation(self) -> Array:
        """Correlation matrix; 0 beside the diagonal for a variable that is determined."""
        size = len(self.variables)
        numbers = [self._numbers(i) for i in range(size)]
        off = [each - self.marginal([i]) @ each for i, each in enumerate(numbers)]
        sd = [np.sqrt(self.marginal([i]) @ each**2) for i, each in enumerate(off)]
        found = np.eye(size)
        for i in range(size):
            for j in range(i):
                if sd[i] > 0 and sd[j] > 0:
                    share = off[i] @ self.marginal([i, j]) @ off[j] / (sd[i] * sd[j])
                    found[i, j] = found[j, i] = np.clip(share, -1.0, 1.0)
        return found

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Nats that knowing some variables tells of others."""
        first, second = list(dict.fromkeys(a)), list(dict.fromkeys(b))
        union = list(dict.fromkeys([*first, *second]))
        return float(sum(map(self._entropy, (first, second)))) - self._entropy(union)

    def _entropy(self, places: Sequence[int]) -> float:
        cells = self.marginal(places).ravel()
        return float(-(cells[cells > 0] * np.log(cells[cells > 0])).sum())

    def logpdf(self, columns: Array) -> Array:
        """Log probability of rows of codes."""
        codes = tuple(np.asarray(columns, dtype=np.intp).T)
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.table[codes])
        return logs

    def box(self, limits: Mapping[int, Any]) -> Probability:
        """Probability of marked levels of several variables."""
        table = self.table
        for place, marked in limits.items():
            table = np.compress(marked, table, axis=place)
        return Probability(float(table.sum()))

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Probability of an event given as a function: a sum over cells; of very many, a share of draws."""
        if self.table.size > _MOST:
            return share_of(float(holds(self.sample(rng, draws)).mean()), draws)
        rows = np.indices(self.table.shape).reshape(self.table.ndim, -1).T.astype(float)
        return Probability(float(self.table.ravel()[holds(rows)].sum()))

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Draws, one a row."""
        heap = np.cumsum(self.table.ravel())
        cells = np.searchsorted(heap, rng.random(draws) * heap[-1], side="right")
        return np.stack(np.unravel_index(cells, self.table.shape), axis=1).astype(float)
