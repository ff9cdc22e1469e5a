"""Hidden layers with random weights that depend only on the contents of columns.

Unit j of a layer on the inputs z_1, ..., z_d (standardised numbers, indicators of levels) is

    tanh(s / sqrt(d) sum_k W[k, j] z_k + max(s, 1) b[j]),

with s the scale of the layer. The weights of an input are rapidly varying functions of three means of the
input over the rows,

    W[k, j] = sqrt(2 / 3) sum_i cos(<w_ij, u_k> + c_ij),
    u_k = means of sin(z + 1), cos(2 z) and tanh(1.5 z - 0.5),

with fixed frequencies w, so they look random from column to column, and do not depend on names, units, the
order of columns and rows, or whether copies of rows are counted by weights. Nested parent sets share
the weights of their inputs.
"""

from copy import copy
from functools import cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.least_squares import independent
from arcwise.data import Table

__all__ = ["SCALES", "FittedLayer", "LayerInputs"]

SCALES = (0.5, 1.5)
"""Scales of layers that are compared: nearly quadratic, and with several bends."""

_WAVES = 3
_SLOWEST, _FASTEST = 2e3, 2e4  # frequencies: means that differ by 1e-3 give unrelated weights


@cache
def _constants(width: int, draw: int) -> tuple[Array, Array, Array]:
    """Return fixed frequencies (waves, means, width), phases (waves, width) and biases (width,)."""
    rng = np.random.default_rng(1995 + draw)
    columns = [rng.random(_WAVES * 3 + _WAVES + 2) for _ in range(width)]
    drawn = np.array(columns).T  # a wider layer begins with the units of a narrower one
    speeds = _SLOWEST + (_FASTEST - _SLOWEST) * drawn[: 3 * _WAVES].reshape(_WAVES, 3, width)
    phases = 2 * np.pi * drawn[3 * _WAVES : 4 * _WAVES]
    radius, angle = np.sqrt(-2 * np.log1p(-drawn[-2])), 2 * np.pi * drawn[-1]
    return speeds, phases, radius * np.cos(angle)


class FittedLayer(NamedTuple):
    """A hidden layer with its evidence.

    `columns` are its inputs, `scale` is 0 without hidden units, and `coefficients` (1 + inputs + units,
    outputs) give mean and log standard deviation of a standardised number, or to the logits of levels.
    `log_sds` are the limits of that logarithm.
    """

    evidence: float
    columns: list[int]
    scale: float
    coefficients: Array
    log_sds: tuple[float, float] = (0.0, 0.0)


class LayerInputs:
    """The columns of a table as inputs of hidden layers.

    `design` standardises numbers and makes indicators of levels; rare levels of a parent count as the
    most frequent one. `weights` are those of the rows, `total` their sum. `spread` is whether the standard
    deviation of a number may depend on its parents.
    """

    def __init__(self, table: Table, width: int, spread: bool = True) -> None:
        self.design = design = Design(table)
        self.table, self.width, self.spread = table, width, spread
        self.weights, self.total = design.weights, design.total
        self.uniform = table.weights is None
        self.draw = 0  # another number gives other weights
        self.random: dict[int, Array] = {}  # (width,) weights of each column of the design

    def part(self, rows: NDArray[np.intp]) -> Self:
        """Return some of the rows, with the same scales and random weights."""
        other, design = copy(self), copy(self.design)
        design.__dict__.pop("products", None)
        design.columns, design.weights = design.columns[:, rows], design.weights[rows]
        design.size, design.total = len(rows), float(design.weights.sum())
        other.table = design.table = self.table.take(rows)
        other.design, other.weights, other.total = design, design.weights, design.total
        return other

    def redrawn(self, draw: int) -> Self:
        """Return the inputs with other random weights."""
        other = copy(self)
        other.draw, other.random = draw, {}
        return other

    @property
    def levels(self) -> tuple[int, ...]:
        """The number of levels of each variable, 0 for numbers."""
        return self.design.levels

    def columns(self, parents: tuple[int, ...]) -> list[int]:
        """Return the design columns of some parents, each once: the inputs of their layer."""
        return [c for j in parents for c in self.design.main(j) if self._varies(c)]

    def independent(self, columns: list[int]) -> list[int]:
        """Return the columns that are not linear combinations of those before them."""
        members = [0, *columns]
        kept = independent(self.design.products[np.ix_(members, members)])
        return [members[k] for k in kept.tolist() if k]

    def values(self, columns: list[int]) -> Array:
        """Return the (rows, inputs) values of inputs."""
        return np.ascontiguousarray(self.design.columns[columns].T)

    def layer(self, columns: list[int], scale: float) -> tuple[Array, Array]:
        """Return weights (inputs, width) and biases (width,) of the hidden layer on some inputs."""
        biases = max(scale, 1.0) * _constants(self.width, self.draw)[2]
        stacked = np.array([self._weights(c) for c in columns])
        return stacked * (scale / np.sqrt(max(1, len(columns)))), biases

    def centred(self, values: Array) -> Array:
        """Return values (rows, k) minus their means."""
        return values - self.weights @ values / self.total

    def cross(self, left: Array, right: Array) -> Array:
        """Return weighted sums of products of two sets of columns over the rows."""
        return left.T @ (right if self.uniform else (self.weights * right.T).T)

    def _varies(self, column: int) -> bool:
        spread = self.design.products[column, column] / self.total
        mean = self.design.products[0, column] / self.total
        return bool(spread - mean * mean > 1e-12)

    def _weights(self, column: int) -> Array:
        if column not in self.random:
            speeds, phases, _ = _constants(self.width, self.draw)
            z = self.design.columns[column]
            means = [np.sin(z + 1), np.cos(2 * z), np.tanh(1.5 * z - 0.5)]
            point = np.array([float(self.weights @ values) / self.total for values in means])
            waves = np.cos(np.tensordot(point, speeds, (0, 1)) + phases)
            self.random[column] = np.sqrt(2 / _WAVES) * waves.sum(axis=0)
        return self.random[column]
