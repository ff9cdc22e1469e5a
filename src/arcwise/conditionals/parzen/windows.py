"""One fitted conditional density by Parzen windows, and columns in the form of the kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals.base import Array, Columns
from arcwise.data import Variable
from arcwise.data.variable import is_complete
from arcwise.distributions import Categorical, Mixture
from arcwise.errors import FitError
from arcwise.frame import Frame, Series

__all__ = ["Block", "ParzenConditional", "block_of", "canonical_order", "origin_of"]

_SMALLEST = 1e-6  # standard deviation of a constant column, in units of max(1, |mean|)
_FARTHEST = 1e15  # distances beyond it are all the same, so that their squares can be computed
_TAIL = 2.0  # standard deviation of the wide normal, in those of the column
_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class ParzenConditional:
    """Fitted conditional Parzen windows.

    Parameters
    ----------
    output, inputs : the columns of the data, in their own units (codes for discrete variables).
    weights : row weights.
    scales : units of bandwidths and distances, of the output and of each input.
    bandwidths : of the inputs and of the output.
    levels : number of the output's levels, 0 for a continuous one.
    unordered : for each input, whether its distance is 0 or 1.
    tail_weight : weight of the wide component.
    loo : leave-one-out log-likelihood per row, in the units of the data, with the wide component.
    at_minimum : whether a bandwidth is the smallest one allowed.

    >>> x = np.array([0.0, 0.0, 1.0, 1.0])
    >>> model = ParzenConditional(3 * x, (x,), np.ones(4), np.ones(2), np.array([0.1, 0.5]))
    >>> model.mean((np.array([0.0, 1.0, 0.5]),), 3).round(6).tolist()
    [0.0, 3.0, 1.5]
    """

    word: ClassVar[str] = "parzen"

    output: NDArray[Any]
    inputs: tuple[NDArray[Any], ...]
    weights: Array
    scales: Array
    bandwidths: Array
    levels: int = 0
    unordered: tuple[bool, ...] = ()
    tail_weight: float = 0.0
    loo: float = float("nan")
    at_minimum: bool = False

    def __post_init__(self) -> None:
        """Check the parameters and make the arrays read-only."""
        rows, k = len(self.output), len(self.inputs)
        arrays = (self.output, *self.inputs, self.weights)
        if not rows or any(array.shape != (rows,) for array in arrays):
            raise FitError("Parzen windows must have as many inputs and weights as output values.")
        if self.scales.shape != (k + 1,) or len(self.unordered) not in (0, k):
            raise FitError(f"Parzen windows with {k} inputs need {k + 1} scales.")
        numbers = (*self.scales.tolist(), *self.bandwidths.tolist())
        if self.bandwidths.shape != (2,) or not all(0 < number < np.inf for number in numbers):
            raise FitError("Scales and bandwidths of Parzen windows must be positive numbers.")
        if not np.isfinite(self.weights).all() or not (self.weights >= 0).all():
            raise FitError("Weights of rows must be non-negative numbers.")
        if not self.weights.sum() > 0 or not 0 <= self.tail_weight < 1:
            raise FitError(
                "The weight of some row must be positive, and tail_weight must be below 1."
            )
        for array in (self.weights, self.scales, self.bandwidths):
            array.setflags(write=False)

    def matches(self, variable: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether the rows are values of these variables, none missing."""
        columns = [*zip(parents, self.inputs, strict=True), (variable, self.output)]
        levels = len(variable.levels or ())
        return self.levels == levels and all(is_complete(*pair) for pair in columns)

    @property
    def windows(self) -> "ParzenConditional":
        """The model itself (see `windows_of`)."""
        return self

    @property
    def n_params(self) -> None:
        """None: models that keep their rows have no meaningful number of parameters."""
        return None

    @cached_property
    def _origins(self) -> Array:
        """The origins of output and inputs: single precision would fail far from 0."""
        inputs = [origin_of(column) for column in self.inputs]
        return np.array([0.0 if self.levels else origin_of(self.output), *inputs])

    def scaled(self, column: NDArray[Any], place: int) -> Array:
        """Return the values of the output (place 0) or of an input, from its origin and in its scale."""
        off = np.asarray(column, dtype=float) - self._origins[place]
        out: Array = np.clip(off / self.scales[place], -_FARTHEST, _FARTHEST)
        return out

    @cached_property
    def _centres(self) -> Array:
        """The inputs in their scales, one per row."""
        return self._queries(self.inputs, len(self.output))

    @cached_property
    def _apart(self) -> NDArray[np.uint8]:
        flags = self.unordered or (False,) * len(self.inputs)
        return np.array(flags, dtype=np.uint8)

    @cached_property
    def _values(self) -> Array:
        """The output in its scale."""
        return self.scaled(self.output, 0)

    def _queries(self, xs: Columns, size: int) -> Array:
        out = np.empty((len(xs), size))
        for i, column in enumerate(xs):
            out[i] = self.scaled(column, i + 1)
        return out

    @property
    def _own_weight(self) -> Array:
        """The mean and standard deviation of the wide component."""
        values = self.output.astype(float)
        mean = np.average(values, weights=self.weights)
        spread = np.sqrt(np.average((values - mean) ** 2, weights=self.weights))
        return np.array([mean, _TAIL * max(spread, self.scales[0])])

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density, or log probability of a level, of each row."""
        values = self.scaled(y, 0)
        out = kernel.log_density(
            self._centres,
            self._apart,
            self.weights,
            self._values,
            self.levels,
            self._queries(xs, len(values)),
            values,
            float(self.bandwidths[0]),
            float(self.bandwidths[1]),
        )
        if not self.levels:
            out = out - np.log(self.scales[0])
        return (
            np.logaddexp(np.log1p(-self.tail_weight) + out, self.tail_log(y))
            if self.tail_weight
            else out
        )

    def tail_log(self, y: NDArray[Any]) -> Array:
        """Return the log of the wide component's part of the density."""
        if self.levels:
            return np.full(len(y), np.log(self.tail_weight / self.levels))
        mean, sd = self._own_weight
        wide: Array = (
            np.log(self.tail_weight) - 0.5 * (_LOG_2PI + ((y - mean) / sd) ** 2) - np.log(sd)
        )
        return wide

    def shares(self, xs: Columns, size: int) -> Array:
        """Return the weight of each row of the data (columns) for each query row."""
        queries = self._queries(xs, size)
        return kernel.shares(
            self._centres, self._apart, self.weights, queries, float(self.bandwidths[0])
        )

    def mean(self, xs: Columns, size: int) -> Array:
        """Return the expected value of each row of a continuous output; faster than by its distribution."""
        queries, width = self._queries(xs, size), float(self.bandwidths[0])
        values, _ = kernel.means(
            self._centres, self._apart, self.weights, self._values, queries, width
        )
        out: Array = self._origins[0] + values * self.scales[0]
        share = self.tail_weight
        return out if not share else (1 - share) * out + share * self._own_weight[0]

    def distribution(self, xs: Columns, size: int) -> Mixture | Categorical:
        """Return mixtures of normals around the output's values, or probabilities of codes for a
        discrete output.
        """
        weights = self.shares(xs, size)
        if self.levels:
            return Categorical(self._probabilities(weights))
        centres = np.asarray(self.output, dtype=float)[None, :]
        sd = np.full((1, len(self.output)), self.bandwidths[1] * self.scales[0])
        if not self.tail_weight:
            return Mixture(centres, sd, weights)
        mean, wide = self._own_weight
        last = np.full((size, 1), self.tail_weight)
        parts = np.hstack([(1 - self.tail_weight) * weights, last])
        return Mixture(np.append(centres, [[mean]], axis=1), np.append(sd, [[wide]], axis=1), parts)

    def _probabilities(self, weights: Array) -> Array:
        """Return the probability of each level (columns) in each row."""
        one_hot = np.eye(self.levels)[self.output.astype(np.intp)]
        stay, other = self._kernel
        smooth = other + (stay - other) * (weights @ one_hot)
        out: Array = (1 - self.tail_weight) * smooth + self.tail_weight / self.levels
        return out

    @property
    def _kernel(self) -> tuple[float, float]:
        """Return the kernel's probability of a row's level, and of each other level."""
        apart = np.exp(-0.5 / float(self.bandwidths[1]) ** 2)
        stay = 1.0 / (1.0 + (self.levels - 1) * apart)
        return stay, stay * apart

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row: a row of the data by its share, then its kernel."""
        queries = self._queries(xs, size)
        row = kernel.draw(
            self._centres,
            self._apart,
            self.weights,
            queries,
            rng.random(size),
            float(self.bandwidths[0]),
        )
        if self.levels:
            return self._sample_levels(self.output[row], rng)
        noise = rng.standard_normal(size)
        out: Array = self.output[row] + self.bandwidths[1] * self.scales[0] * noise
        if self.tail_weight:
            mean, sd = self._own_weight
            out = np.where(rng.random(size) < self.tail_weight, mean + sd * noise, out)
        return out

    def _sample_levels(self, codes: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Keep the drawn levels, except those that the kernel or the tail changes."""
        stay, _ = self._kernel
        moved = rng.random(len(codes)) >= stay
        shift = rng.integers(1, self.levels, len(codes)) if self.levels > 1 else 0
        out = np.where(moved, (codes.astype(np.intp) + shift) % self.levels, codes)
        if self.tail_weight:
            anywhere = rng.integers(0, self.levels, len(codes))
            out = np.where(rng.random(len(codes)) < self.tail_weight, anywhere, out)
        return out.astype(self.output.dtype)

    def frame_of(self, child: Variable, parents: Sequence[Variable]) -> Frame:
        """Return one row per variable: its bandwidth in standard deviations and, for numbers, in its unit."""
        inner, outer = (float(width) for width in self.bandwidths)
        variables = [child, *parents]
        widths = [outer, *[inner] * len(parents)]
        units = [
            width * float(scale) if not variable.discrete else float("nan")
            for variable, width, scale in zip(variables, widths, self.scales, strict=True)
        ]
        return Frame(
            (
                Series("variable", [variable.name for variable in variables]),
                Series("bandwidth", widths, ".3g"),
                Series("in_its_unit", units, ".3g", "in its unit"),
            ),
            index="variable",
        )

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """Return the model as one sentence."""
        name, inputs = child.name, [parent.name for parent in parents]
        condition = f" given {', '.join(inputs)}" if inputs else ""
        h_in, h_out = (float(width) for width in self.bandwidths)
        parts = [f"bandwidth of the inputs {h_in:.3g} sd"] if inputs else []
        unit_text = "" if self.levels else f" ({h_out * self.scales[0]:.3g} in its unit)"
        parts.append(
            f"of {name} {h_out:.3g} sd{unit_text}"
            if inputs
            else f"bandwidth {h_out:.3g} sd{unit_text}"
        )
        least = "; a bandwidth is at its minimum, since values repeat" if self.at_minimum else ""
        wide = f" with tail weight {self.tail_weight:g}" if self.tail_weight else ""
        return (
            f"{name}{condition}: Parzen windows on {self.weights.sum():g} rows, {', '.join(parts)}; "
            f"leave-one-out {self.loo:.4f} nats per row{wide}{least}"
        )


class Block(NamedTuple):
    """Columns in the form of the kernels.

    `columns` (p, n) in their scales, `apart` (p,) whether distances are 0 or 1, `scales` (p,), and
    `levels` (p,), 0 for continuous ones.
    """

    columns: Array
    apart: NDArray[np.uint8]
    scales: Array
    levels: tuple[int, ...]


def origin_of(column: NDArray[Any]) -> float:
    """Return a value in the middle of a column, so that differences to it keep every digit."""
    middle = len(column) // 2
    return float(np.partition(column, middle)[middle])


def canonical_order(columns: Columns, weights: Array) -> NDArray[np.intp]:
    """Return an order of the rows by their contents: sorted by the columns, then by weight."""
    return np.lexsort((weights, *reversed(columns)))


def block_of(variables: tuple[Variable, ...], columns: Columns, weights: Array) -> Block:
    """Return columns in their scales, relative to their middle.

    The scale is the standard deviation, or the largest rank for ordered levels.
    """
    out = np.empty((len(columns), len(weights)))
    scales = np.empty(len(columns))
    for i, (variable, column) in enumerate(zip(variables, columns, strict=True)):
        off = column.astype(float) - (0.0 if variable.discrete else origin_of(column))
        scales[i] = _scale(variable, column, off, weights)
        out[i] = off / scales[i]
    apart = np.array([v.discrete and not v.ordered for v in variables], dtype=np.uint8)
    levels = tuple(len(v.levels) if v.levels else 0 for v in variables)
    return Block(out, apart, scales, levels)


def _scale(variable: Variable, column: NDArray[Any], off: Array, weights: Array) -> float:
    """Return the unit of a column's distances; `off` is the column minus its middle."""
    if variable.levels is not None:
        return float(max(len(variable.levels) - 1, 1)) if variable.ordered else 1.0
    mean = float(np.average(off, weights=weights))
    spread = float(np.sqrt(np.average((off - mean) ** 2, weights=weights)))
    smallest = _SMALLEST * max(1.0, abs(float(column[0])))
    return smallest if (column == column[0]).all() or not spread > 0 else spread
