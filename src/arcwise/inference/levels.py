"""Laws of discrete variables: a probability for each level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.inference.laws import shares

__all__ = ["LevelRows", "level_numbers"]

Array = NDArray[np.float64]


def level_numbers(variable: Variable) -> Array:
    """The levels as numbers; NaN where they are text or truth values.

    >>> level_numbers(Variable("n", (1, 3))).tolist()
    [1.0, 3.0]
    """
    levels = variable.levels or ()
    return np.array(levels, dtype=float) if variable.numeric else np.full(len(levels), np.nan)


@dataclass(frozen=True, eq=False)
class LevelRows:
    """Probabilities of levels, one row each. Values are the codes of the levels.

    Parameters
    ----------
    variable : whose levels they are.
    chances : rows by levels; each row sums to one.

    >>> law = LevelRows(Variable("n", (1, 3)), np.array([[0.25, 0.75]]))
    >>> law.mean.tolist(), law.quantiles(np.array([0.5])).tolist()
    ([2.5], [[3.0]])
    """

    variable: Variable
    chances: Array

    @cached_property
    def numbers(self) -> Array:
        """The levels as numbers; NaN where they are none."""
        return level_numbers(self.variable)

    @cached_property
    def mean(self) -> Array:
        """Expected number of each row; NaN where levels are no numbers."""
        mean: Array = self.chances @ self.numbers
        return mean

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row; NaN where levels are no numbers."""
        off = self.numbers - self.mean[:, None]
        sd: Array = np.sqrt((self.chances * off**2).sum(axis=1))
        return sd

    def cdf(self, x: Array) -> Array:
        """Share of levels that are numbers at or below x."""
        lines = x.reshape(len(x), -1)
        below = self.numbers[None, None, :] <= lines[:, :, None]
        out: Array = (below * self.chances[:, None, :]).sum(axis=2)
        return out.reshape(x.shape)

    def quantiles(self, q: Array) -> Array:
        """Smallest level that has at least a share q at or below it; NaN for text."""
        order = np.argsort(self.numbers)
        heap = np.cumsum(self.chances[:, order], axis=1)
        reached = heap[:, None, :] >= q[None, :, None] - 1e-12
        out: Array = self.numbers[order][reached.argmax(axis=2)]
        return out

    def logdensity(self, x: Array) -> Array:
        """Log probability of the levels with codes x."""
        lines = x.reshape(len(x), -1).astype(np.intp)
        with np.errstate(divide="ignore"):
            out: Array = np.log(np.take_along_axis(self.chances, lines, axis=1))
        return out.reshape(x.shape)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Codes drawn by their probabilities (rows by draws)."""
        heap = np.cumsum(self.chances, axis=1)
        chance = rng.random((len(heap), draws)) * heap[:, -1:]
        codes: Array = (heap[:, None, :-1] <= chance[:, :, None]).sum(axis=2).astype(float)
        return codes

    def pooled(self, size: int, weights: Array | None = None) -> LevelRows:
        """Average of each run of `size` rows, evenly or by weights."""
        share = shares(size, len(self.chances), weights)
        lines = self.chances.reshape(len(share), size, -1)
        return LevelRows(self.variable, np.einsum("rs,rsl->rl", share, lines))
