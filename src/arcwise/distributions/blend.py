"""Weighted averages of distributions of the same rows: what several models say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from arcwise.distributions.categorical import Categorical
from arcwise.distributions.distribution import Array, Distribution, log_sum
from arcwise.distributions.mixture import Mixture, Normal
from arcwise.errors import DataError

_HALVINGS = 60
"""Of an interval around a quantile: down to the last digit of a double."""


def blended(parts: Sequence[Distribution], weights: Array) -> Distribution:
    """The average of distributions of the same rows.

    Parameters
    ----------
    parts : one for each model.
    weights : models by rows, or one number a model; they sum to one over models.

    Normals make a mixture, levels have averaged probabilities, others stay side by side.

    >>> both = blended([Normal(0.0, 1.0), Normal(4.0, 1.0)], np.array([0.25, 0.75]))
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
    if isinstance(first, Categorical):
        chances = np.stack([part.probabilities for part in parts])  # type: ignore[attr-defined]
        lines = _lines(weights, chances.shape[1])
        return replace(first, probabilities=np.einsum("kr,krl->rl", lines, chances))
    return Blend(tuple(parts), _lines(weights, len(first.mean)))


def _lines(weights: Array, rows: int) -> Array:
    """Weights as models by rows."""
    own = weights[:, None] if weights.ndim == 1 else weights
    return np.broadcast_to(own, (len(weights), rows))


@dataclass(frozen=True, eq=False)
class Blend:
    """Distributions of the same rows, with the weight of each in every row (models by rows)."""

    parts: tuple[Distribution, ...]
    weights: Array

    def _summed(self, values: Sequence[Array]) -> Array:
        """The weighted sum of what the parts say, row by row."""
        stacked = np.stack(values)
        lines = self.weights.reshape(self.weights.shape + (1,) * (stacked.ndim - 2))
        found: Array = (lines * stacked).sum(axis=0)
        return found

    @cached_property
    def mean(self) -> Array:
        """Expected value of each row."""
        return self._summed([part.mean for part in self.parts])

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row: that within the parts and that between them."""
        squares = [part.sd**2 + (part.mean - self.mean) ** 2 for part in self.parts]
        spread: Array = np.sqrt(self._summed(squares))
        return spread

    def cdf(self, x: Array) -> Array:
        """Probability of a value at or below x."""
        return self._summed([part.cdf(x) for part in self.parts])

    def quantile(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares), between those of the parts."""
        ends = np.stack([part.quantile(q) for part in self.parts])
        low, high = ends.min(axis=0), ends.max(axis=0)
        with np.errstate(invalid="ignore"):
            for _ in range(_HALVINGS):
                middle = low + 0.5 * (high - low)
                above = self.cdf(middle) >= q
                low, high = np.where(above, low, middle), np.where(above, middle, high)
        found: Array = high
        return found

    def logpdf(self, x: Array) -> Array:
        """Log density at x."""
        logs = np.stack([part.logpdf(x) for part in self.parts], axis=-1)
        shape = (self.weights.shape[1],) + (1,) * (x.ndim - 1) + (len(self.parts),)
        with np.errstate(divide="ignore"):
            return log_sum(logs + np.log(self.weights.T).reshape(shape))

    def probability(self, event: Any) -> Array:
        """Probability of an event in each row."""
        return self._summed([part.probability(event) for part in self.parts])

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws): of a part by chance, then from it."""
        rows = self.weights.shape[1]
        upto = np.cumsum(self.weights, axis=0).T  # rows by parts
        which = (rng.random((rows, draws, 1)) * upto[:, None, -1:] > upto[:, None, :]).sum(axis=2)
        out = np.empty((rows, draws))
        for number, part in enumerate(self.parts):
            chosen = which == number
            out[chosen] = part.sample(rng, draws)[chosen]
        return out

    def pooled(self, size: int, weights: Array | None = None) -> Distribution:
        """Averages of runs of rows are made of the parts, not of their average."""
        raise DataError("An average over models is no state of a chain and is not pooled.")

    def take(self, rows: Any) -> Distribution:
        """The distributions of some rows."""
        return Blend(tuple(part.take(rows) for part in self.parts), self.weights[:, rows])
