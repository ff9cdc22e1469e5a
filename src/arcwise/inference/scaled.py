"""Tables of non-negative numbers, each with a power of two of its own: products of thousands do not vanish.

Their digits are those of doubles. Sums are as exact as those of doubles, and cost some five times as much:
they are for the questions in which doubles underflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scaled"]

Array = NDArray[np.float64]

_FAR = -1100  # powers of two that vanish beside one
_LOG_TWO = float(np.log(2.0))


class Scaled(NamedTuple):
    """The numbers ``digits * 2 ** powers``; digits are 0, or from a half to below one.

    >>> tiny = Scaled.of(np.array([1e-200, 3e-200]))
    >>> product = tiny.times(tiny)
    >>> product.total((0,)).log().round(3).tolist(), product.shares().round(3).tolist()
    (-918.731, [0.1, 0.9])
    """

    digits: Array
    powers: NDArray[np.int64]

    @classmethod
    def of(cls, table: Array) -> Scaled:
        """The same numbers."""
        digits, powers = np.frexp(table)
        return cls(np.asarray(digits), np.asarray(powers, dtype=np.int64))

    @classmethod
    def of_logs(cls, logs: Array) -> Scaled:
        """The numbers whose natural logarithms are given; minus infinity is zero."""
        there = np.isfinite(logs)
        safe = np.where(there, logs, 0.0)
        powers = np.floor(safe / _LOG_TWO)
        parts = np.where(there, np.exp(safe - powers * _LOG_TWO), 0.0)
        return cls.of(parts)._shifted(powers.astype(np.int64))

    def _shifted(self, powers: NDArray[np.int64]) -> Scaled:
        return Scaled(self.digits, np.where(self.digits > 0.0, self.powers + powers, 0))

    def times(self, other: Scaled) -> Scaled:
        """The product, cell by cell; shapes are stretched as those of arrays are."""
        return Scaled.of(self.digits * other.digits)._shifted(self.powers + other.powers)

    def total(self, axes: tuple[int, ...]) -> Scaled:
        """The sums over some axes."""
        if not axes:
            return self
        there = self.digits > 0.0
        top = np.where(there, self.powers, np.iinfo(np.int64).min // 2).max(axes, keepdims=True)
        apart = np.maximum(self.powers - top, _FAR)
        parts = np.where(there, np.ldexp(self.digits, apart.astype(np.int32)), 0.0)
        return Scaled.of(parts.sum(axis=axes))._shifted(top.squeeze(axes))

    def shaped(self, axes: list[int], shape: list[int]) -> Scaled:
        """The same with axes in another order, and then in another shape."""
        return Scaled(
            self.digits.transpose(axes).reshape(shape), self.powers.transpose(axes).reshape(shape)
        )

    def log(self) -> Array:
        """Natural logarithms; minus infinity for zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.digits) + self.powers * _LOG_TWO)

    def shares(self) -> Array:
        """The numbers divided by their sum; zeros where all are."""
        whole = self.total(tuple(range(self.digits.ndim)))
        if not whole.digits > 0.0:
            return np.zeros(self.digits.shape)
        apart = np.clip(self.powers - whole.powers, _FAR, -_FAR).astype(np.int32)
        return np.asarray(np.ldexp(self.digits / whole.digits, apart))
