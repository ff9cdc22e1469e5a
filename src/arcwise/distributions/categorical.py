"""Distributions of a discrete variable: a probability for each level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions.distribution import Array, Readings, interval, run_weights
from arcwise.errors import DataError, FitError, close_to
from arcwise.values import is_number


@dataclass(frozen=True, eq=False)
class Categorical(Readings):
    """Probabilities of levels, one row each. Draws, and values of a density, are codes of levels.

    Parameters
    ----------
    probabilities : rows by levels; each row sums to one.
    levels : the levels in the order of their codes; None for the codes 0, 1, ... themselves.
    name : the variable, for messages.

    >>> found = Categorical(np.array([[0.25, 0.75]]), (1, 3))
    >>> found.mean.tolist(), found.quantile(np.array([0.5])).tolist(), found.probability([3]).tolist()
    ([2.5], [[3.0]], [0.75])
    """

    probabilities: Array
    levels: tuple[Any, ...] | None = None
    name: str = ""

    @classmethod
    def from_logs(
        cls, logs: Array, levels: tuple[Any, ...] | None = None, name: str = ""
    ) -> Categorical:
        """Make them from log weights (rows by levels), tiny ones too.

        Raises
        ------
        FitError : a row in which every level has probability zero.
        """
        top = logs.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise FitError(
                f"The evidence is impossible: with it, every level of {name!r} has probability zero."
            )
        weights = np.exp(logs - top)
        return cls(weights / weights.sum(axis=1, keepdims=True), levels, name)

    def with_levels(self, levels: tuple[Any, ...], name: str) -> Categorical:
        """Return the same with the levels and the name of a variable."""
        return replace(self, levels=levels, name=name)

    @property
    def categorical(self) -> Categorical:
        """Itself."""
        return self

    @property
    def nominal(self) -> Categorical | None:
        """Itself, where the levels are no numbers."""
        return None if self.numeric else self

    @property
    def shares(self) -> Array:
        """The probabilities."""
        return self.probabilities

    def with_shares(self, shares: Array) -> Categorical:
        """Return the same levels with other probabilities."""
        return replace(self, probabilities=shares)

    def chances(self, levels: int) -> Array:
        """Return the probability of each level (rows by levels)."""
        return self.probabilities

    @property
    def numeric(self) -> bool:
        """Whether the levels are numbers; booleans are not."""
        return all(map(is_number, self.levels or ()))

    @cached_property
    def numbers(self) -> Array:
        """The levels as numbers; text and booleans have none."""
        if not self.numeric:
            raise no_numbers(self.name)
        count = self.probabilities.shape[1]
        return (
            np.arange(float(count)) if self.levels is None else np.array(self.levels, dtype=float)
        )

    @cached_property
    def mean(self) -> Array:
        """Return the expected number of each row."""
        return self.probabilities @ self.numbers

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        off = self.numbers - self.mean[:, None]
        sd: Array = np.sqrt((self.probabilities * off**2).sum(axis=1))
        return sd

    @property
    def codes(self) -> NDArray[np.intp]:
        """The most probable level of each row."""
        codes: NDArray[np.intp] = self.probabilities.argmax(axis=1)
        return codes

    def cdf(self, x: Array) -> Array:
        """Return the probability of levels that are numbers at or below x."""
        lines = x.reshape(len(x), -1)
        below = self.numbers[None, None, :] <= lines[:, :, None]
        out: Array = (below * self.probabilities[:, None, :]).sum(axis=2)
        return out.reshape(x.shape)

    def quantile(self, q: Array) -> Array:
        """Return the smallest level that has at least a share q at or below it."""
        order = np.argsort(self.numbers)
        heap = np.cumsum(self.probabilities[:, order], axis=1)
        reached = heap[:, None, :] >= q[None, :, None] - 1e-12
        out: Array = self.numbers[order][reached.argmax(axis=2)]
        return out

    def logpdf(self, x: Array) -> Array:
        """Return the log probability of the levels with codes x."""
        lines = x.reshape(len(x), -1).astype(np.intp)
        with np.errstate(divide="ignore"):
            out: Array = np.log(np.take_along_axis(self.probabilities, lines, axis=1))
        return out.reshape(x.shape)

    def probability(self, event: Any) -> Array:
        """Return the probability of a level, of several in a list or set, or of an interval where
        levels are numbers.
        """
        out: Array = self.probabilities[:, self.holds(event)].sum(axis=1)
        return out

    def holds(self, event: Any) -> NDArray[np.bool_]:
        """Return the levels that an event holds for."""
        if isinstance(event, tuple) and self.numeric:
            low, high = interval(self.name, event)
            return (self.numbers >= low) & (self.numbers <= high)
        levels = list(event) if isinstance(event, list | set | frozenset | tuple) else [event]
        codes = self.code_of(levels)
        if np.isnan(codes).any():
            level = levels[int(np.isnan(codes).argmax())]
            names = map(str, self.levels or ())
            raise DataError(f"{self.name!r} has no level {level!r}. {close_to(level, names)}")
        return np.isin(np.arange(self.probabilities.shape[1]), codes)

    def code_of(self, values: Iterable[Any]) -> Array:
        """Return the codes of levels; NaN for what is not a level."""
        count = self.probabilities.shape[1]
        levels = range(count) if self.levels is None else self.levels
        codes = {level: float(code) for code, level in enumerate(levels)}
        return np.array([codes.get(value, np.nan) for value in values])

    def values(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the levels behind codes, as users know them: numbers, or objects."""
        levels = self.numbers if self.numeric else np.array(self.levels, dtype=object)
        return levels[codes.astype(np.intp)]

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return the codes drawn by their probabilities (rows by draws)."""
        heap = np.cumsum(self.probabilities, axis=1)
        chance = rng.random((len(heap), draws)) * heap[:, -1:]
        codes: Array = (heap[:, None, :-1] <= chance[:, :, None]).sum(axis=2).astype(float)
        return codes

    def pool_rows(self, size: int, weights: Array | None = None) -> Categorical:
        """Average of each run of `size` rows, evenly or by weights."""
        share = run_weights(size, len(self.probabilities), weights)
        lines = self.probabilities.reshape(len(share), size, -1)
        return replace(self, probabilities=np.einsum("rs,rsl->rl", share, lines))

    def take(self, rows: Any) -> Categorical:
        """Return the distributions of some rows."""
        return replace(self, probabilities=self.probabilities[rows])


def no_numbers(name: str) -> DataError:
    """Return the error for a mean, an sd or a quantile of text."""
    return DataError(
        f"The levels of {name!r} are not numbers, so it has no mean, sd or quantile: use its "
        "probabilities."
    )
