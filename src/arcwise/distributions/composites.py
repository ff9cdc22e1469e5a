"""Composite distributions: weighted averages of several models, and rows of several parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from arcwise.distributions.distribution import Array, Distribution, Readings, Rows, log_sum
from arcwise.distributions.mixture import Mixture, Normal
from arcwise.errors import DataError, FitError

_HALVINGS = 60
"""Halvings of an interval around a quantile: down to the last digit of a double."""


def blend(parts: Sequence[Distribution], weights: Array) -> Distribution:
    """Return the average of distributions of the same rows.

    Parameters
    ----------
    parts : one for each model.
    weights : models by rows, or one number per model; they sum to one over models.

    Normals make a mixture, levels have averaged probabilities, others remain separate.

    >>> both = blend([Normal(0.0, 1.0), Normal(4.0, 1.0)], np.array([0.25, 0.75]))
    >>> both.mean.tolist(), round(float(both.cdf(np.array([2.0]))[0]), 4)
    ([3.0], 0.2614)
    """
    if not parts:
        raise DataError("An average needs at least one distribution.")
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Normal) and (part.sd > 0).all() for part in parts):
        means, spreads = (np.stack([getattr(p, w) for p in parts], axis=1) for w in ("mean", "sd"))
        return Mixture(means, spreads, _lines(weights, len(means)).T)
    first = parts[0]
    if (categorical := first.categorical) is not None:
        chances = np.stack([part.chances(len(categorical.probabilities.T)) for part in parts])
        lines = _lines(weights, chances.shape[1])
        return categorical.with_shares(np.einsum("kr,krl->rl", lines, chances))
    return Blend(tuple(parts), _lines(weights, len(first.mean)))


def _lines(weights: Array, rows: int) -> Array:
    """Return the weights as models by rows."""
    lines = weights[:, None] if weights.ndim == 1 else weights
    return np.broadcast_to(lines, (len(weights), rows))


@dataclass(frozen=True, eq=False)
class Blend(Readings):
    """Distributions of the same rows, with the weight of each in every row (models by rows)."""

    parts: tuple[Distribution, ...]
    weights: Array

    def _weighted_sum(self, values: Sequence[Array]) -> Array:
        """Return the weighted sum of values of the parts, row by row."""
        stacked = np.stack(values)
        lines = self.weights.reshape(self.weights.shape + (1,) * (stacked.ndim - 2))
        sums: Array = (lines * stacked).sum(axis=0)
        return sums

    @cached_property
    def mean(self) -> Array:
        """Return the expected value of each row."""
        return self._weighted_sum([part.mean for part in self.parts])

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation of each row: that within the parts and that between them."""
        squares = [part.sd**2 + (part.mean - self.mean) ** 2 for part in self.parts]
        spread: Array = np.sqrt(self._weighted_sum(squares))
        return spread

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        return self._weighted_sum([part.cdf(x) for part in self.parts])

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares), between those of the parts."""
        ends = np.stack([part.quantile(q) for part in self.parts])
        low, high = ends.min(axis=0), ends.max(axis=0)
        with np.errstate(invalid="ignore"):
            for _ in range(_HALVINGS):
                middle = low + 0.5 * (high - low)
                above = self.cdf(middle) >= q
                low, high = np.where(above, low, middle), np.where(above, middle, high)
        values: Array = high
        return values

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x."""
        logs = np.stack([part.logpdf(x) for part in self.parts], axis=-1)
        shape = (self.weights.shape[1],) + (1,) * (x.ndim - 1) + (len(self.parts),)
        with np.errstate(divide="ignore"):
            return log_sum(logs + np.log(self.weights.T).reshape(shape))

    def probability(self, event: Any) -> Array:
        """Return the probability of an event in each row."""
        return self._weighted_sum([part.probability(event) for part in self.parts])

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return independent draws of each row (rows by draws): a random part, then a draw from it."""
        rows = self.weights.shape[1]
        upto = np.cumsum(self.weights, axis=0).T  # rows by parts
        which = (rng.random((rows, draws, 1)) * upto[:, None, -1:] > upto[:, None, :]).sum(axis=2)
        out = np.empty((rows, draws))
        for number, part in enumerate(self.parts):
            mask = which == number
            out[mask] = part.sample(rng, draws)[mask]
        return out

    def pool_rows(self, size: int, weights: Array | None = None) -> Distribution:
        """Raise an error: averages over rows need the parts."""
        raise DataError("An average over models cannot be pooled.")

    def take(self, rows: Any) -> Distribution:
        """Return the distributions of some rows."""
        return Blend(tuple(part.take(rows) for part in self.parts), self.weights[:, rows])


Part = tuple[Rows, "Distribution | Callable[[], Distribution]"]

_FEW = 1024
"""Rows whose distributions may be held at once."""


@dataclass(frozen=True, eq=False)
class RowParts(Readings):
    """Distributions of parts of the rows; each part has its row numbers.

    A part may also be a function that computes its distributions on demand, so that a large table needs no
    memory for the weights of mixtures.

    >>> from arcwise.distributions import Normal
    >>> both = RowParts(((np.array([1]), Normal(5.0, 1.0)), (np.array([0]), lambda: Normal(3.0, 1.0))), 2)
    >>> both.mean.tolist(), both.cdf(np.array([3.0, 5.0])).tolist()
    ([3.0, 5.0], [0.5, 0.5])
    """

    parts: tuple[Part, ...]
    size: int

    @classmethod
    def of(cls, parts: Iterable[Part], size: int) -> Distribution:
        """Combine parts; a small part with all rows is returned itself."""
        filled = tuple((places, part) for places, part in parts if len(places))
        if len(filled) == 1 and size <= _FEW and (np.diff(filled[0][0]) == 1).all():
            return cls(filled, size)._single()
        return cls(filled, size)

    def _each(self, of: Callable[[Distribution, Rows], Array], *width: int) -> Array:
        out = np.empty((self.size, *width))
        for places, part in self.parts:
            if len(places):
                out[places] = of(part() if callable(part) else part, places)
        return out

    @cached_property
    def _moments(self) -> Array:
        return self._each(lambda part, _: np.stack([part.mean, part.sd], axis=1), 2)

    @property
    def mean(self) -> Array:
        """Return the expected value of each row."""
        return self._moments[:, 0]

    @property
    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        return self._moments[:, 1]

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        return self._each(lambda part, places: part.cdf(x[places]), *x.shape[1:])

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares)."""
        return self._each(lambda part, _: part.quantile(q), len(q))

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x."""
        return self._each(lambda part, places: part.logpdf(x[places]), *x.shape[1:])

    def probability(self, event: Any) -> Array:
        """Return the probability of an event in each row."""
        return self._each(lambda part, _: part.probability(event))

    def chances(self, levels: int) -> Array:
        """Return the probability of each level (columns) in each row, of a discrete variable."""
        return self._each(lambda part, _: part.chances(levels), levels)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return independent draws of each row (rows by draws)."""
        return self._each(lambda part, _: part.sample(rng, draws), draws)

    def pool_rows(self, size: int, weights: Array | None = None) -> Distribution:
        """Return the average of each run of `size` rows; for a single part only."""
        return self._single().pool_rows(size, weights)

    def take(self, rows: Any) -> Distribution:
        """Return the distributions of some rows; for a single part only."""
        return self._single().take(rows)

    def _single(self) -> Distribution:
        if len(self.parts) != 1:
            raise DataError("Distributions of different kinds cannot be pooled.")
        part = self.parts[0][1]
        return part() if callable(part) else part


class Average:
    """The running average of distributions of the same rows.

    If they have components in common, weights or probabilities are summed; others are kept separately.

    >>> from arcwise.distributions import Normal
    >>> average = Average()
    >>> for mean in (1.0, 3.0):
    ...     average.add(Normal(mean, 1.0))
    >>> average.found().mean.tolist()
    [2.0]
    """

    def __init__(self) -> None:
        self.count = 0
        self.total = np.zeros(0)
        self.kept: list[Distribution] = []

    def add(self, distribution: Distribution) -> None:
        """Add distributions of all rows."""
        self.count += 1
        shares = distribution.shares
        if shares is None:
            self.kept.append(distribution)
        else:
            self.total = self.total + shares if self.kept else shares.copy()
            self.kept = [distribution]

    def found(self) -> Distribution:
        """Return the average, one distribution per row."""
        last = self.kept[-1]
        if last.shares is not None:
            return last.with_shares(self.total / self.count)
        return _side_by_side(self.kept).pool_rows(len(self.kept))


def _side_by_side(distributions: list[Distribution]) -> Distribution:
    """Return the distributions of each row as a run of rows."""
    names = [part.name for part in fields(distributions[0])]  # type: ignore[arg-type]
    columns = {
        name: np.stack([getattr(part, name) for part in distributions], axis=1) for name in names
    }
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in columns.items()}
    return replace(distributions[0], **flat)  # type: ignore[type-var]


def centre(distribution: Distribution) -> Array:
    """Return a number per row whose spread over states shows the mixing of chains: the mean, or the mean
    code.
    """
    levels = distribution.nominal
    if levels is None:
        return distribution.mean
    codes: Array = levels.probabilities @ np.arange(levels.probabilities.shape[1])
    return codes


def refuse_beyond(distribution: Distribution, name: str) -> None:
    """Raise an error for distributions with overflow, as after evidence of 1e200."""
    if not np.isfinite(centre(distribution)).all():
        raise FitError(
            f"The answer for {name!r} is beyond the largest number: the evidence is too extreme."
        )
