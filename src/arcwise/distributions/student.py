"""Student's t distributions: what a regression with unknown coefficients and variance predicts.

A normal whose variance is known only from `df` degrees of freedom has wider tails: mean + scale T with T of
Student's distribution (Student 1908). It has a standard deviation, scale sqrt(df / (df - 2)), above two
degrees only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arcwise.distributions.composites import Blend
from arcwise.distributions.distribution import Array, Distribution, Readings, run_weights
from arcwise.distributions.mixture import standard_quantiles


@dataclass(frozen=True, eq=False)
class Student(Readings):
    """Student's t distributions, shifted and scaled.

    Parameters
    ----------
    mean : the centre, one number per row.
    scale : likewise, or one number for all; 0 if the value is certain.
    df : degrees of freedom, likewise.

    >>> found = Student(np.array([2.0]), 1.0, 10.0)
    >>> found.quantile(np.array([0.5, 0.975])).round(3).tolist(), found.sd.round(3).tolist()
    ([[2.0, 4.228]], [1.118])
    """

    mean: Array
    scale: Array
    df: Array

    def __post_init__(self) -> None:
        mean = np.atleast_1d(np.asarray(self.mean, dtype=float))
        object.__setattr__(self, "mean", mean)
        for name in ("scale", "df"):
            values = np.broadcast_to(np.asarray(getattr(self, name), dtype=float), mean.shape)
            object.__setattr__(self, name, values)

    @property
    def bell(self) -> tuple[Array, Array]:
        """Centre and scale."""
        return self.mean, self.scale

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation of each row; infinite up to two degrees of freedom."""
        spare = np.maximum(self.df - 2.0, 0.0)
        ratio = np.divide(self.df, spare, out=np.full(self.df.shape, np.inf), where=spare > 0)
        with np.errstate(invalid="ignore"):
            return np.where(self.scale > 0, self.scale * np.sqrt(ratio), 0.0)

    def _standard(self, x: Array) -> tuple[Array, Array, Array]:
        """Return the values in units of the scale, with scales and degrees of freedom in the shape that
        x needs.
        """
        lines = (-1,) + (1,) * (x.ndim - 1)
        scale, df = self.scale.reshape(lines), self.df.reshape(lines)
        off = x - self.mean.reshape(lines)
        return off / np.where(scale > 0, scale, 1.0), scale, df

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        from scipy.special import stdtr

        z, scale, df = self._standard(x)
        return np.where(scale > 0, stdtr(df, z), (z >= 0).astype(float))

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares)."""
        from scipy.special import stdtrit

        standard_quantiles(q)  # refuses what is not a share
        ends = np.where(q <= 0, -np.inf, np.inf)
        inside = (q > 0) & (q < 1)
        z = np.where(inside, stdtrit(self.df[:, None], np.where(inside, q, 0.5)), ends)
        with np.errstate(invalid="ignore"):
            steps = np.where(self.scale[:, None] > 0, self.scale[:, None] * z, 0.0)
        quantiles: Array = self.mean[:, None] + steps
        return quantiles

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x; infinite if a value is certain."""
        from scipy.special import betaln

        z, scale, df = self._standard(x)
        with np.errstate(divide="ignore", over="ignore"):
            level = -np.log(scale) - 0.5 * np.log(df) - betaln(0.5, 0.5 * df)
            logs: Array = level - 0.5 * (df + 1) * np.log1p(z**2 / df)
        return np.where(scale > 0, logs, np.where(z == 0, np.inf, -np.inf))

    def probability(self, event: Any) -> Array:
        """Return the probability of an interval in each row; exact far out in either tail."""
        from scipy.special import stdtr

        (low, scale, df), (high, _, _) = (
            self._standard(np.full(self.mean.shape, float(end))) for end in event
        )
        inside = np.where(
            low > 0, stdtr(df, -low) - stdtr(df, -high), stdtr(df, high) - stdtr(df, low)
        )
        return np.where(scale > 0, inside, (low <= 0) & (high >= 0))

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        shape = (len(self.mean), draws)
        noise = rng.standard_t(np.broadcast_to(self.df[:, None], shape))
        return self.mean[:, None] + self.scale[:, None] * noise

    def pool_rows(self, size: int, weights: Array | None = None) -> Distribution:
        """Average of each run of `size` rows, evenly or by weights."""
        share = run_weights(size, len(self.mean), weights)
        parts = tuple(self.take(slice(first, None, size)) for first in range(size))
        return Blend(parts, share.T)

    def take(self, rows: Any) -> Student:
        """Return the distributions of some rows."""
        return Student(self.mean[rows], self.scale[rows], self.df[rows])
