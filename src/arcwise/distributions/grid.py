"""Densities on a grid: any distribution of one variable, tabulated where its mass lies.

A density that is known up to a factor is evaluated at coarse points first, then once more at points that
crowd where there is mass: their density follows the fourth root of the coarse one, so that a normal is
covered to six standard deviations and narrow peaks get their share. Integrals are sums of trapezia; values
between the points lie on straight lines of the logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from arcwise.distributions.distribution import Array, Readings, log_sum, run_weights
from arcwise.errors import FitError

LogDensity = Callable[[Array], Array]

POINTS = 400
"""Points of a grid; the first, even one has half as many."""

_AVERAGED = 2000
"""Most points of an average of grids."""

_LOWEST = -700.0
"""Logarithms below the largest one by more than this count as zero."""


@dataclass(frozen=True, eq=False)
class Grid(Readings):
    """Densities known at points.

    Parameters
    ----------
    points : rows by points, ascending in each row.
    logs : log densities there, up to a constant for each row, which is removed here.

    Raises
    ------
    FitError : a row whose density is zero at every point.

    >>> x = np.linspace(-8, 8, 400)[None, :]
    >>> found = Grid(x, -0.5 * x**2)
    >>> bool(abs(found.mean[0]) < 1e-9), found.quantile(np.array([0.975])).round(3).tolist()
    (True, [[1.96]])
    """

    tabulated: ClassVar[bool] = True

    points: Array
    logs: Array

    def __post_init__(self) -> None:
        top = self.logs.max(axis=1, keepdims=True)
        if np.isneginf(top).any():
            raise FitError("The evidence is impossible: with it, every value has density zero.")
        level = np.maximum(self.logs - top, _LOWEST)
        mass = _trapezia(self.points, np.exp(level)).sum(axis=1, keepdims=True)
        object.__setattr__(self, "logs", level - np.log(mass))

    @cached_property
    def _density(self) -> Array:
        return np.exp(self.logs)

    @cached_property
    def _mass(self) -> Array:
        """Mass of each piece between two points."""
        return _trapezia(self.points, self._density)

    def _moment(self, values: Array) -> Array:
        total: Array = _trapezia(self.points, self._density * values).sum(axis=1)
        return total

    @cached_property
    def mean(self) -> Array:
        """Return the expected value of each row."""
        middle = self.points[:, :1]
        return middle[:, 0] + self._moment(self.points - middle)

    @cached_property
    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        return np.sqrt(self._moment((self.points - self.mean[:, None]) ** 2))

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, points in enumerate(self.points):
            heap = np.concatenate([[0.0], np.cumsum(self._mass[row])])
            out[row] = np.interp(lines[row], points, heap)
        return np.minimum(out, 1.0).reshape(x.shape)

    def probability(self, event: Any) -> Array:
        """Return the probability of an interval in each row."""
        ends = (np.clip(end, self.points[:, 0], self.points[:, -1]) for end in event)
        low, high = (self.cdf(end) for end in ends)
        return np.where(np.isposinf(event[1]), 1.0, high) - low

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares)."""
        out = np.stack([self.inverse(row, q) for row in range(len(self.points))])
        out[:, q == 0.0], out[:, q == 1.0] = -np.inf, np.inf
        return out

    def take(self, rows: Any) -> Grid:
        """Return the distributions of some rows."""
        return Grid(self.points[rows], self.logs[rows])

    def inverse(self, row: int, shares: Array) -> Array:
        """Return the values at shares of the mass; within a piece the density is a straight line."""
        heap = np.concatenate([[0.0], np.cumsum(self._mass[row])])
        want = shares * heap[-1]
        cell = np.clip(np.searchsorted(heap, want, side="right") - 1, 0, len(heap) - 2)
        x, f = self.points[row], self._density[row]
        width, left, right = x[cell + 1] - x[cell], f[cell], f[cell + 1]
        part = np.clip((want - heap[cell]) / np.maximum(self._mass[row][cell], 1e-300), 0.0, 1.0)
        root = np.sqrt(left**2 + part * (right**2 - left**2))
        inner: Array = x[cell] + width * part * (left + right) / np.maximum(left + root, 1e-300)
        return inner

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x; beyond the points the last straight line continues."""
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, (points, logs) in enumerate(zip(self.points, self.logs, strict=True)):
            out[row] = np.interp(lines[row], points, logs)
            for end, side in ((0, -1.0), (-1, 1.0)):
                inner = np.flatnonzero(points != points[end])[end]  # averages may repeat a point
                beyond = side * (lines[row] - points[end])
                slope = side * (logs[end] - logs[inner]) / (points[end] - points[inner])
                out[row] += np.where(beyond > 0, beyond * min(slope, -1e-9), 0.0)
        return out.reshape(x.shape)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        chance = rng.random((len(self.points), draws))
        return np.stack([self.inverse(row, share) for row, share in enumerate(chance)])

    def pool_rows(self, size: int, weights: Array | None = None) -> Grid:
        """Average of each run of `size` rows, evenly or by weights.

        It is known at points of all of them, so that nothing is smeared between peaks that lie far apart.

        >>> x = np.linspace(-8, 8, 400)[None, :]
        >>> both = Grid(np.vstack([x, x + 100]), np.vstack([-0.5 * x**2] * 2)).pool_rows(2)
        >>> both.mean.round(4).tolist(), both.cdf(np.array([50.0])).round(6).tolist()
        ([50.0], [0.5])
        """
        share = run_weights(size, len(self.points), weights)
        every = np.sort(self.points.reshape(len(share), -1), axis=1)
        places = np.linspace(0, every.shape[1] - 1, min(_AVERAGED, every.shape[1]))
        points = every[:, places.round().astype(np.intp)]
        logs = np.empty(points.shape)
        with np.errstate(divide="ignore"):
            levels = np.log(share)
        for row, at in enumerate(points):
            parts = self.take(slice(row * size, (row + 1) * size))
            logs_of_parts = parts.logpdf(np.broadcast_to(at, (size, len(at))))
            logs[row] = log_sum((logs_of_parts + levels[row][:, None]).T)
        return Grid(points, logs)


def _trapezia(points: Array, values: Array) -> Array:
    return 0.5 * np.diff(points, axis=1) * (values[:, 1:] + values[:, :-1])


def tabulate(logf: LogDensity, low: Array, high: Array, hints: Array, points: int = POINTS) -> Grid:
    """Tabulate densities that are known up to a factor.

    Parameters
    ----------
    logf : log densities, up to a constant a row, at points given rows by points.
    low, high : where to look, one pair a row.
    hints : rows by anything: values near which mass may lie, such as draws of a proposal.
    points : of the grid.

    Returns
    -------
    A Grid with this many points a row.

    >>> found = tabulate(lambda x: -0.5 * (x - 3) ** 2, np.array([-50.0]), np.array([50.0]), np.zeros((1, 1)))
    >>> found.mean.round(4).tolist(), found.sd.round(4).tolist()
    ([3.0], [1.0])
    """
    even = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, max(points // 2, 2))
    coarse = np.sort(np.concatenate([even, np.clip(hints, low[:, None], high[:, None])], axis=1))
    logs = logf(coarse)
    crowded = np.stack([_dense_points(x, y, points) for x, y in zip(coarse, logs, strict=True)])
    return Grid(crowded, logf(crowded))


def _dense_points(points: Array, logs: Array, count: int) -> Array:
    """Return the points whose density follows the fourth root of a coarse density."""
    top = logs.max()
    level = np.exp(0.25 * np.maximum(logs - (top if np.isfinite(top) else 0.0), _LOWEST))
    width = np.diff(points)
    mass = width * np.maximum(level[1:], level[:-1])
    heap = np.concatenate([[0.0], np.cumsum(mass)])
    keep = np.concatenate([[True], np.diff(heap) > 0])
    even = np.linspace(0.0, heap[-1], count)
    crowded: Array = np.interp(even, heap[keep], points[keep])
    return crowded
