"""Normal distributions and mixtures of them, as linear regressions and Parzen windows give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.distributions.distribution import Array, Readings, blocks, log_sum, run_weights
from arcwise.errors import DataError

_LOG_2PI = float(np.log(2 * np.pi))

_REACH = 9.0
"""Standard deviations beyond which a normal holds nothing that a double can distinguish from zero."""

_STEPS = 80
"""Most steps towards a quantile: halving alone reaches the last digit in this many."""


def standard_quantiles(q: ArrayLike) -> Array:
    """Return the quantiles of the standard normal; shares outside [0, 1] are rejected."""
    from scipy.special import ndtri

    try:
        shares = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        shares = np.array(np.nan)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise DataError(f"The share of a quantile must be between 0 and 1, got {q!r}.")
    quantiles: Array = ndtri(shares)
    return quantiles


@dataclass(frozen=True, eq=False)
class Normal(Readings):
    """Normal distributions.

    Parameters
    ----------
    mean : one number a row.
    sd : likewise, or one number for all; 0 if the value is certain.

    >>> Normal(np.array([2.0]), 1.0).quantile(np.array([0.5])).tolist()
    [[2.0]]
    """

    mean: Array
    sd: Array

    def __post_init__(self) -> None:
        mean = np.atleast_1d(np.asarray(self.mean, dtype=float))
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "sd", np.broadcast_to(np.asarray(self.sd, float), mean.shape))

    @property
    def bell(self) -> tuple[Array, Array]:
        """Return the mean and standard deviation."""
        return self.mean, self.sd

    def _lines(self, x: Array) -> tuple[Array, Array]:
        """Return the means and standard deviations in the shape that x needs."""
        lines = (-1,) + (1,) * (x.ndim - 1)
        return self.mean.reshape(lines), self.sd.reshape(lines)

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        from scipy.special import ndtr

        mean, sd = self._lines(x)
        below: Array = ndtr((x - mean) / np.where(sd > 0, sd, 1.0))
        return np.where(sd > 0, below, (x >= mean).astype(float))

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares)."""
        return self.mean[:, None] + self.sd[:, None] * standard_quantiles(q)

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x; infinite if a value is certain."""
        mean, sd = self._lines(x)
        off = x - mean
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs: Array = -0.5 * (off / sd) ** 2 - np.log(sd) - 0.5 * _LOG_2PI
        return np.where(sd > 0, logs, np.where(off == 0, np.inf, -np.inf))

    def probability(self, event: Any) -> Array:
        """Return the probability of an interval in each row; exact far out in either tail."""
        inside: Array = (event[0] <= self.mean) & (self.mean <= event[1])
        return np.where(self.sd > 0, _mass(self.mean, self.sd, *event), inside)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        noise = rng.standard_normal((len(self.mean), draws))
        return self.mean[:, None] + self.sd[:, None] * noise

    def pool_rows(self, size: int, weights: Array | None = None) -> Mixture:
        """Average of each run of `size` rows, evenly or by weights."""
        share = run_weights(size, len(self.mean), weights)
        return Mixture(self.mean.reshape(share.shape), self.sd.reshape(share.shape), share)

    def take(self, rows: Any) -> Normal:
        """Return the distributions of some rows."""
        return Normal(self.mean[rows], self.sd[rows])


def _mass(mean: Array, sd: Array, low: float, high: float) -> Array:
    """Return the share of N(mean, sd^2) in [low, high]."""
    from scipy.special import ndtr

    scale = np.where(sd > 0, sd, 1.0)
    a, b = (low - mean) / scale, (high - mean) / scale
    share: Array = np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    return share


@dataclass(frozen=True, eq=False)
class Mixture(Readings):
    """Mixtures of normals: row r is sum_k weights[r, k] N(centres[k], widths[k]^2).

    Parameters
    ----------
    centres : of the normals: one line for all rows (1 by k), or one line a row.
    widths : their standard deviations, likewise; a single number may represent all.
    weights : rows by k; each row sums to one.

    >>> found = Mixture(np.array([[0.0, 4.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]]))
    >>> found.mean.tolist(), found.quantile(np.array([0.5])).round(6).tolist()
    ([2.0], [[2.0]])
    """

    centres: Array
    widths: Array
    weights: Array

    def __post_init__(self) -> None:
        shape = (max(len(self.centres), len(self.widths)), self.weights.shape[1])
        for word in ("centres", "widths"):
            object.__setattr__(self, word, np.broadcast_to(getattr(self, word), shape))

    @property
    def common(self) -> bool:
        """Whether all rows have the same normals."""
        return len(self.centres) == 1

    @property
    def shares(self) -> Array | None:
        """The weights, where all rows have the same normals."""
        return self.weights if self.common else None

    def with_shares(self, shares: Array) -> Mixture:
        """Return the same normals with other weights."""
        return replace(self, weights=shares)

    def _weighted_means(self, values: Array) -> Array:
        """Return the weighted sums of values that stand one a normal."""
        if len(values) == 1:
            product: Array = self.weights @ values[0]
            return product
        summed: Array = np.einsum("rk,rk->r", self.weights, values)
        return summed

    @cached_property
    def mean(self) -> Array:
        """Return the expected value of each row."""
        return self._weighted_means(self.centres)

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        middle = np.median(self.centres)  # digits are lost only to the spread, not to the place
        off = self.centres - middle
        square = self._weighted_means(self.widths**2 + off**2) - self._weighted_means(off) ** 2
        return np.sqrt(np.maximum(square, 0.0))

    def take(self, rows: Any) -> Mixture:
        """Return the distributions of some rows."""
        common = slice(None) if self.common else rows
        return Mixture(self.centres[common], self.widths[common], self.weights[rows])

    def _blockwise(self, x: Array, of: Callable[[Mixture, Array], Array]) -> Array:
        """Apply a function of rows and lines of values, in blocks of rows and of values."""
        lines, k = x.reshape(len(x), -1), self.weights.shape[1]
        out = np.empty(lines.shape)
        for rows in blocks(len(lines), k):
            part = self.take(rows)
            for columns in blocks(lines.shape[1], k * len(part.weights)):
                out[rows, columns] = of(part, lines[rows, columns])
        return out.reshape(x.shape)

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        return self._blockwise(x, _cdf)

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x; finite as long as x is, however far out."""
        return self._blockwise(x, _logs)

    def probability(self, event: Any) -> Array:
        """Return the probability of an interval in each row."""
        return self._weighted_means(_mass(self.centres, self.widths, *event))

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares), by bracketing and Newton steps."""
        out = np.empty((len(self.weights), len(q)))
        for rows in blocks(len(self.weights), self.weights.shape[1]):
            part = self.take(rows)
            for column, share in enumerate(q.tolist()):
                out[rows, column] = _quantile(part, share)
        return out

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws: a normal by its weight, then a value of it."""
        out = np.empty((len(self.weights), draws))
        for row in range(len(out)):
            part = self.take(slice(row, row + 1))
            heap = np.cumsum(part.weights[0])
            picks = np.searchsorted(heap, rng.random(draws) * heap[-1], side="right")
            picks = np.minimum(picks, len(heap) - 1)
            normal = rng.standard_normal(draws)
            out[row] = part.centres[0][picks] + part.widths[0][picks] * normal
        return out

    def pool_rows(self, size: int, weights: Array | None = None) -> Mixture:
        """Average of each run of `size` rows, evenly or by weights."""
        share = run_weights(size, len(self.weights), weights)
        lines = self.weights.reshape(len(share), size, -1)
        if self.common:
            return Mixture(self.centres, self.widths, np.einsum("rs,rsk->rk", share, lines))
        wide = (lines * share[:, :, None]).reshape(len(share), -1)
        return Mixture(self.centres.reshape(wide.shape), self.widths.reshape(wide.shape), wide)


def _cdf(mixture: Mixture, x: Array) -> Array:
    """Return the probabilities of values at or below x (rows by values)."""
    from scipy.special import ndtr

    below = ndtr((x[:, :, None] - mixture.centres[:, None, :]) / mixture.widths[:, None, :])
    share: Array = np.einsum("rk,rxk->rx", mixture.weights, below)
    return share


def _logs(mixture: Mixture, x: Array) -> Array:
    """Return the log densities at x (rows by values)."""
    with np.errstate(divide="ignore", over="ignore"):
        level = np.log(mixture.weights) - np.log(mixture.widths) - 0.5 * _LOG_2PI
        z = (x[:, :, None] - mixture.centres[:, None, :]) / mixture.widths[:, None, :]
        return log_sum(level[:, None, :] - 0.5 * z**2)


def _quantile(mixture: Mixture, share: float) -> Array:
    """Quantile of each row: Newton steps that never leave a bracket."""
    if share in (0.0, 1.0):
        return np.full(len(mixture.weights), -np.inf if share == 0.0 else np.inf)
    wide = np.broadcast_to(mixture.centres, mixture.weights.shape)
    live = mixture.weights > 0
    low = np.where(live, wide - _REACH * mixture.widths, np.inf).min(axis=1)
    high = np.where(live, wide + _REACH * mixture.widths, -np.inf).max(axis=1)
    x, finest = np.clip(mixture.mean, low, high), mixture.widths.min(axis=1)
    for count in range(_STEPS):
        off = _cdf(mixture, x[:, None])[:, 0] - share
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = x - off * np.exp(-_logs(mixture, x[:, None])[:, 0])
        if (np.abs(step - x) <= 1e-13 * np.abs(x) + 1e-9 * finest).all():
            break
        newton = (step > low) & (step < high) & (count % 3 < 2)  # every third step halves
        x = np.where(newton, step, 0.5 * (low + high))
    return x
