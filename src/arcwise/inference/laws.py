"""Laws of rows: one distribution of one variable for each row; here mixtures of normals.

Three kinds of law carry every answer that is not a single normal distribution:

* `MixtureRows`: row r is sum_k weights[r, k] N(centres[k], widths[k]^2), as Parzen windows are;
* `GridRows` (see ``grid``): a density known at points;
* `LevelRows` (see ``levels``): probabilities of the levels of a discrete variable.

Averages over rows stay within a kind (`pooled`), which is what Rao-Blackwell averages over states
of a chain need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["MixtureRows", "RowLaw", "blocks", "log_sum", "shares"]

Array = NDArray[np.float64]

_LOG_2PI = float(np.log(2 * np.pi))
_CELLS = 2_000_000
"""Numbers held at once where rows are looked at in blocks."""

_REACH = 9.0
"""Standard deviations beyond which a normal holds nothing that a double can tell from zero."""

_STEPS = 80
"""Most steps towards a quantile: halving alone reaches the last digit in so many."""


class RowLaw(Protocol):
    """What every kind of law answers, row by row."""

    @property
    def mean(self) -> Array:
        """Expected value of each row."""
        ...

    @property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        ...

    def cdf(self, x: Array) -> Array:
        """Share at or below x, which has one value or one line of values for each row."""
        ...

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares)."""
        ...

    def logdensity(self, x: Array) -> Array:
        """Log density at x, which has one value or one line of values for each row."""
        ...

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws)."""
        ...

    def pooled(self, size: int, weights: Array | None = None) -> RowLaw:
        """Average of each run of `size` rows, evenly or by weights."""
        ...


def shares(size: int, rows: int, weights: Array | None) -> Array:
    """Weights of rows within their runs of `size`, one run a line; each line sums to one."""
    if weights is None:
        return np.full((rows // size, size), 1.0 / size)
    lines = weights.reshape(-1, size)
    share: Array = lines / lines.sum(axis=1, keepdims=True)
    return share


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Rows in pieces of at most `_CELLS` numbers, `width` a row."""
    step = max(1, _CELLS // max(width, 1))
    return (slice(low, min(low + step, rows)) for low in range(0, rows, step))


@dataclass(frozen=True, eq=False)
class MixtureRows:
    """Mixtures of normals.

    Parameters
    ----------
    centres : of the normals: one line for all rows (1 by k), or one line a row.
    widths : their standard deviations, likewise; a single number may stand for all.
    weights : rows by k; each row sums to one.

    >>> law = MixtureRows(np.array([[0.0, 4.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]]))
    >>> law.mean.tolist(), law.quantiles(np.array([0.5])).round(6).tolist()
    ([2.0], [[2.0]])
    """

    centres: Array
    widths: Array
    weights: Array

    @property
    def common(self) -> bool:
        """Whether all rows have the same normals."""
        return len(self.centres) == 1 and len(self.widths) == 1

    def _expected(self, values: Array) -> Array:
        """Weighted sums of values that stand one a normal."""
        if len(values) == 1:
            product: Array = self.weights @ values[0]
            return product
        wide = np.broadcast_to(values, self.weights.shape)
        summed: Array = np.einsum("rk,rk->r", self.weights, wide)
        return summed

    @cached_property
    def mean(self) -> Array:
        """Expected value of each row."""
        return self._expected(self.centres)

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of each row."""
        middle = np.median(self.centres)  # digits are lost only to the spread, not to the place
        off = self.centres - middle
        square = self._expected(self.widths**2 + off**2) - self._expected(off) ** 2
        return np.sqrt(np.maximum(square, 0.0))

    def _part(self, rows: slice) -> MixtureRows:
        """The same for some rows."""
        both = (self.centres, self.widths)
        centres, widths = (each if len(each) == 1 else each[rows] for each in both)
        return MixtureRows(centres, widths, self.weights[rows])

    def _blockwise(self, x: Array, of: Callable[[MixtureRows, Array], Array]) -> Array:
        """Apply a function of rows and lines of values, in blocks of rows and of values."""
        lines, k = x.reshape(len(x), -1), self.weights.shape[1]
        out = np.empty(lines.shape)
        for rows in blocks(len(lines), k):
            part = self._part(rows)
            for columns in blocks(lines.shape[1], k * len(part.weights)):
                out[rows, columns] = of(part, lines[rows, columns])
        return out.reshape(x.shape)

    def cdf(self, x: Array) -> Array:
        """Share at or below x."""
        return self._blockwise(x, _mixture_cdf)

    def logdensity(self, x: Array) -> Array:
        """Log density at x; finite as long as x is, however far out."""
        return self._blockwise(x, _mixture_logs)

    def quantiles(self, q: Array) -> Array:
        """Quantiles of each row (rows by shares), by bracketing and Newton steps."""
        out = np.empty((len(self.weights), len(q)))
        for rows in blocks(len(self.weights), self.weights.shape[1]):
            part = self._part(rows)
            for column, share in enumerate(q.tolist()):
                out[rows, column] = _mixture_quantile(part, share)
        return out

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws: a normal by its weight, then a value of it."""
        out = np.empty((len(self.weights), draws))
        for row in range(len(out)):
            part = self._part(slice(row, row + 1))
            heap = np.cumsum(part.weights[0])
            chosen = np.searchsorted(heap, rng.random(draws) * heap[-1], side="right")
            chosen = np.minimum(chosen, len(heap) - 1)
            normal = rng.standard_normal(draws)
            out[row] = part.centres[0][chosen] + _line(part.widths, chosen) * normal
        return out

    def pooled(self, size: int, weights: Array | None = None) -> MixtureRows:
        """Average of each run of `size` rows, evenly or by weights."""
        share = shares(size, len(self.weights), weights)
        lines = self.weights.reshape(len(share), size, -1)
        if self.common:
            return MixtureRows(self.centres, self.widths, np.einsum("rs,rsk->rk", share, lines))
        wide = (lines * share[:, :, None]).reshape(len(share), -1)
        centres = np.broadcast_to(self.centres, self.weights.shape).reshape(wide.shape)
        widths = self.widths
        if widths.size > 1:
            widths = np.broadcast_to(widths, self.weights.shape).reshape(wide.shape)
        return MixtureRows(centres, widths, wide)


def _line(values: Array, chosen: NDArray[np.intp]) -> Array:
    line: Array = values[0] if values.shape[1] == 1 else values[0][chosen]
    return line


def _mixture_cdf(law: MixtureRows, x: Array) -> Array:
    """Shares at or below x (rows by values)."""
    from scipy.special import ndtr

    below = ndtr((x[:, :, None] - law.centres[:, None, :]) / law.widths[:, None, :])
    share: Array = np.einsum("rk,rxk->rx", law.weights, below)
    return share


def _mixture_logs(law: MixtureRows, x: Array) -> Array:
    """Log densities at x (rows by values)."""
    with np.errstate(divide="ignore", over="ignore"):
        level = np.log(law.weights) - np.log(law.widths) - 0.5 * _LOG_2PI
        z = (x[:, :, None] - law.centres[:, None, :]) / law.widths[:, None, :]
        return log_sum(level[:, None, :] - 0.5 * z**2)


def log_sum(logs: Array) -> Array:
    """Logarithm of the sum of exponentials along the last axis.

    >>> log_sum(np.log(np.array([[0.25, 0.75]]))).round(6).tolist()
    [0.0]
    """
    top = logs.max(axis=-1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        out: Array = safe + np.log(np.exp(logs - safe[..., None]).sum(axis=-1))
    return out


def _mixture_quantile(law: MixtureRows, share: float) -> Array:
    """Quantile of each row: Newton steps that never leave a bracket."""
    if share in (0.0, 1.0):
        return np.full(len(law.weights), -np.inf if share == 0.0 else np.inf)
    wide = np.broadcast_to(law.centres, law.weights.shape)
    live = law.weights > 0
    low = np.where(live, wide - _REACH * law.widths, np.inf).min(axis=1)
    high = np.where(live, wide + _REACH * law.widths, -np.inf).max(axis=1)
    x, finest = np.clip(law.mean, low, high), law.widths.min(axis=1)
    for count in range(_STEPS):
        off = _mixture_cdf(law, x[:, None])[:, 0] - share
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = x - off * np.exp(-_mixture_logs(law, x[:, None])[:, 0])
        if (np.abs(step - x) <= 1e-13 * np.abs(x) + 1e-9 * finest).all():
            break
        newton = (step > low) & (step < high) & (count % 3 < 2)  # every third step halves
        x = np.where(newton, step, 0.5 * (low + high))
    return x
