"""Densities on a grid: any law of one variable, tabulated where its mass lies.

A law that is known up to a factor is evaluated at coarse points first, then once more at
points that crowd where there is mass: their density follows the fourth root of the coarse one, so
that a normal is covered to six standard deviations and narrow peaks get their share. Integrals are
sums of trapezia; values between the points lie on straight lines of the logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.inference.laws import log_sum, shares

__all__ = ["POINTS", "GridRows", "PooledRows", "tabulate"]

Array = NDArray[np.float64]
LogDensity = Callable[[Array], Array]

POINTS = 400
"""Points of a grid; the first, even one has half as many."""

_TABLE = 4000
"""Points at which the shares of an average of grids are known."""

_LOWEST = -700.0
"""Logarithms below the largest one by more than this count as zero."""


@dataclass(frozen=True, eq=False)
class GridRows:
    """Densities known at points.

    Parameters
    ----------
    points : rows by points, ascending in each row.
    logs : log densities there, up to a constant for each row, which is taken out here.

    >>> x = np.linspace(-8, 8, 400)[None, :]
    >>> law = GridRows(x, -0.5 * x**2)
    >>> bool(abs(law.mean[0]) < 1e-9), law.quantiles(np.array([0.975])).round(3).tolist()
    (True, [[1.96]])
    """

    points: Array
    logs: Array

    def __post_init__(self) -> None:
        top = self.logs.max(axis=1, keepdims=True)
        level = np.maximum(self.logs - np.where(np.isfinite(top), top, 0.0), _LOWEST)
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
        """Expected value of each row."""
        middle = self.points[:, :1]
        return middle[:, 0] + self._moment(self.points - middle)

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        return np.sqrt(self._moment((self.points - self.mean[:, None]) ** 2))

    def cdf(self, x: Array) -> Array:
        """Share at or below x."""
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, points in enumerate(self.points):
            heap = np.concatenate([[0.0], np.cumsum(self._mass[row])])
            out[row] = np.interp(lines[row], points, heap)
        return np.minimum(out, 1.0).reshape(x.shape)

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares)."""
        out = np.empty((len(self.points), len(q)))
        for row in range(len(out)):
            out[row] = self.inverse(row, q)
        out[:, q == 0.0], out[:, q == 1.0] = -np.inf, np.inf
        return out

    def taken(self, rows: NDArray[np.intp]) -> GridRows:
        """Some of the rows."""
        return GridRows(self.points[rows], self.logs[rows])

    def inverse(self, row: int, shares_: Array) -> Array:
        """Values at shares of the mass; within a piece the density is a straight line."""
        heap = np.concatenate([[0.0], np.cumsum(self._mass[row])])
        want = shares_ * heap[-1]
        cell = np.clip(np.searchsorted(heap, want, side="right") - 1, 0, len(heap) - 2)
        x, f = self.points[row], self._density[row]
        width, left, right = x[cell + 1] - x[cell], f[cell], f[cell + 1]
        part = np.clip((want - heap[cell]) / np.maximum(self._mass[row][cell], 1e-300), 0.0, 1.0)
        root = np.sqrt(left**2 + part * (right**2 - left**2))
        inner: Array = x[cell] + width * part * (left + right) / np.maximum(left + root, 1e-300)
        return inner

    def logdensity(self, x: Array) -> Array:
        """Log density at x; beyond the points the last straight line goes on."""
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, (points, logs) in enumerate(zip(self.points, self.logs, strict=True)):
            out[row] = np.interp(lines[row], points, logs)
            for end, inner, side in ((0, 1, -1.0), (-1, -2, 1.0)):
                beyond = side * (lines[row] - points[end])
                slope = side * (logs[end] - logs[inner]) / (points[end] - points[inner])
                out[row] += np.where(beyond > 0, beyond * min(slope, -1e-9), 0.0)
        return out.reshape(x.shape)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        chance = rng.random((len(self.points), draws))
        return np.stack([self.inverse(row, each) for row, each in enumerate(chance)])

    def pooled(self, size: int, weights: Array | None = None) -> PooledRows:
        """Average of each run of `size` rows, evenly or by weights."""
        return PooledRows(self, shares(size, len(self.points), weights))


@dataclass(frozen=True, eq=False)
class PooledRows:
    """Averages of densities known at points: each row is a mixture of several of them.

    The parts are kept, so that nothing is smeared between peaks that lie far apart.

    Parameters
    ----------
    parts : the densities, those of a row side by side.
    share : their weights, rows by parts of a row; each row sums to one.

    >>> x = np.linspace(-8, 8, 400)[None, :]
    >>> both = GridRows(np.vstack([x, x + 100]), np.vstack([-0.5 * x**2] * 2)).pooled(2)
    >>> both.mean.round(6).tolist(), both.cdf(np.array([50.0])).round(6).tolist()
    ([50.0], [0.5])
    """

    parts: GridRows
    share: Array

    def _rows(self) -> Iterator[tuple[int, GridRows, Array]]:
        """Each row: its number, its parts that count, and their weights."""
        size = self.share.shape[1]
        for row, weights in enumerate(self.share):
            chosen = row * size + np.flatnonzero(weights > 0)
            yield row, self.parts.taken(chosen), weights[weights > 0]

    def _expected(self, values: Array) -> Array:
        total: Array = (self.share * values.reshape(self.share.shape)).sum(axis=1)
        return total

    @cached_property
    def mean(self) -> Array:
        """Expected value of each row."""
        return self._expected(self.parts.mean)

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        off = self.parts.mean.reshape(self.share.shape) - self.mean[:, None]
        square: Array = self._expected(self.parts.sd**2) + (self.share * off**2).sum(axis=1)
        return np.sqrt(square)

    def cdf(self, x: Array) -> Array:
        """Share at or below x."""
        return self._mixed(x, lambda part, at: part.cdf(at))

    def logdensity(self, x: Array) -> Array:
        """Log density at x."""
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, part, weights in self._rows():
            at = np.broadcast_to(lines[row], (len(weights), lines.shape[1]))
            out[row] = log_sum((part.logdensity(at) + np.log(weights)[:, None]).T)
        return out.reshape(x.shape)

    def _mixed(self, x: Array, of: Callable[[GridRows, Array], Array]) -> Array:
        lines = x.reshape(len(x), -1)
        out = np.empty(lines.shape)
        for row, part, weights in self._rows():
            at = np.broadcast_to(lines[row], (len(weights), lines.shape[1]))
            out[row] = weights @ of(part, at)
        return out.reshape(x.shape)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Points of each row, and the exact shares below them."""
        every = np.sort(self.parts.points.reshape(len(self.share), -1), axis=1)
        places = np.linspace(0, every.shape[1] - 1, min(_TABLE, every.shape[1]))
        points = every[:, places.round().astype(np.intp)]
        return points, self.cdf(points)

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares)."""
        table = zip(*self._table, strict=True)
        out: Array = np.stack([np.interp(q, below, x) for x, below in table])
        out[:, q == 0.0], out[:, q == 1.0] = -np.inf, np.inf
        return out

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws): a part by its weight, then a value of it."""
        out = np.empty((len(self.share), draws))
        for row, part, weights in self._rows():
            chosen = rng.choice(len(weights), size=draws, p=weights / weights.sum())
            chance = rng.random(draws)
            for i in np.unique(chosen).tolist():
                out[row, chosen == i] = part.inverse(i, chance[chosen == i])
        return out

    def pooled(self, size: int, weights: Array | None = None) -> PooledRows:
        """Average of each run of `size` rows, evenly or by weights."""
        share = shares(size, len(self.share), weights)
        wide = self.share.reshape(len(share), size, -1) * share[:, :, None]
        return PooledRows(self.parts, wide.reshape(len(share), -1))


def _trapezia(points: Array, values: Array) -> Array:
    out: Array = 0.5 * np.diff(points, axis=1) * (values[:, 1:] + values[:, :-1])
    return out


def tabulate(
    logf: LogDensity, low: Array, high: Array, hints: Array, points: int = POINTS
) -> GridRows:
    """Tabulate laws that are known up to a factor.

    Parameters
    ----------
    logf : log densities, up to a constant a row, at points given rows by points.
    low, high : where to look, one pair a row.
    hints : rows by anything: values near which mass may lie, such as draws of a proposal.
    points : of the grid.

    Returns
    -------
    GridRows with so many points a row.

    >>> law = tabulate(lambda x: -0.5 * (x - 3) ** 2, np.array([-50.0]), np.array([50.0]), np.zeros((1, 1)))
    >>> law.mean.round(4).tolist(), law.sd.round(4).tolist()
    ([3.0], [1.0])
    """
    even = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, max(points // 2, 2))
    coarse = np.sort(np.concatenate([even, np.clip(hints, low[:, None], high[:, None])], axis=1))
    logs = logf(coarse)
    crowded = np.stack([_crowded(x, y, points) for x, y in zip(coarse, logs, strict=True)])
    return GridRows(crowded, logf(crowded))


def _crowded(points: Array, logs: Array, count: int) -> Array:
    """Points whose density follows the fourth root of a coarse density."""
    top = logs.max()
    level = np.exp(0.25 * np.maximum(logs - (top if np.isfinite(top) else 0.0), _LOWEST))
    width = np.diff(points)
    mass = width * np.maximum(level[1:], level[:-1])
    heap = np.concatenate([[0.0], np.cumsum(mass)])
    keep = np.concatenate([[True], np.diff(heap) > 0])
    even = np.linspace(0.0, heap[-1], count)
    crowded: Array = np.interp(even, heap[keep], points[keep])
    return crowded
