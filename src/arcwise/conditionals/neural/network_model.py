"""A fitted neural network with one hidden layer: a normal distribution, or probabilities of levels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns
from arcwise.data import Variable
from arcwise.data.variable import code_type
from arcwise.distributions import Categorical, Normal
from arcwise.errors import FitError
from arcwise.frame import Frame, Series, unused

__all__ = ["LEAST_SD", "NeuralConditional", "hidden"]

LEAST_SD = 0.01
"""Smallest standard deviation of a model, relative to that of its variable."""

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class NeuralConditional:
    """One fitted network.

    Parameters
    ----------
    levels : of the child; 0 for a number.
    centre, scale : of the child; 0 and 1 for a category.
    centres, scales : of each parent that is a number; 0 and 1 for a category.
    groups : for each parent that is a category the group of each level, 0 for the most frequent one and for
        rare levels; empty for a number.
    inputs : (d, 2) the parent of each input, and the group that it indicates, 0 for a number.
    weights : (d, width) from inputs to hidden units.
    biases : (width,) of the hidden units.
    coefficients : (1 + d + width, outputs) of 1, the inputs and the hidden units. The outputs are mean and
        log standard deviation of a standardised number, or the logits of the levels.
    log_sds : limits of the logarithm of the standard deviation of a standardised number.
    trained : whether all weights were trained; else those from inputs to hidden units are random.
    explained : share of a number's variance, or of a category's log loss, that the network explains.
    sds : standard deviations of a number at the rows, their 10 % and 90 % quantiles.
    rows : number of training rows.
    limits : smallest and largest standardised value of each parent, beyond which outputs are constant; none
        if empty.

    >>> model = NeuralConditional(
    ...     0, 1.0, 2.0, np.zeros(1), np.ones(1), (np.zeros(0, int),), np.array([[0, 0]]), np.ones((1, 1)),
    ...     np.zeros(1), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), (-2.0, 2.0), False, 0.5,
    ...     (2.0, 2.0), 10.0,
    ... )
    >>> model.mean((np.array([0.0, 3.0]),), 2).tolist()
    [1.0, 7.0]
    """

    word: ClassVar[str] = "neural"

    levels: int
    centre: float
    scale: float
    centres: Array
    scales: Array
    groups: Columns
    inputs: NDArray[np.int64]
    weights: Array
    biases: Array
    coefficients: Array
    log_sds: tuple[float, float]
    trained: bool
    explained: float
    sds: tuple[float, float]
    rows: float
    limits: Array = field(default_factory=lambda: np.zeros((2, 0)))

    def __post_init__(self) -> None:
        """Check the parameters and make the arrays read-only."""
        d, width = len(self.inputs), len(self.biases)
        shapes = (
            self.inputs.shape == (d, 2)
            and self.weights.shape == (d, width)
            and self.coefficients.shape == (1 + d + width, self.levels or 2)
            and len(self.centres) == len(self.scales) == len(self.groups)
        )
        if not shapes or self.inputs[:, :1].max(initial=-1) >= len(self.groups):
            raise FitError("A neural model needs a weight for each input and each hidden unit.")
        arrays = (self.centres, self.scales, self.weights, self.biases, self.coefficients)
        numbers = np.array([self.centre, self.scale, *self.log_sds])
        if not all(np.isfinite(array).all() for array in (*arrays, numbers)):
            raise FitError("A neural model needs finite weights.")
        if not (self.scales > 0).all() or not self.scale > 0:
            raise FitError("A neural model needs positive scales.")
        if self.limits.shape not in ((2, len(self.groups)), (2, 0)):
            raise FitError("A neural model needs the range of each of its parents.")
        for array in (*arrays, self.limits, self.inputs, *self.groups):
            array.setflags(write=False)

    @property
    def n_params(self) -> None:
        """None, since weights under a prior are not free parameters."""
        return None

    def _outputs(self, xs: Columns, size: int) -> Array:
        """Return the (size, outputs) outputs of the network."""
        values = np.empty((size, len(self.inputs)))
        for k, (parent, group) in enumerate(self.inputs.tolist()):
            if len(self.groups[parent]):
                values[:, k] = self.groups[parent][np.asarray(xs[parent], np.intp)] == group
            else:
                z = (xs[parent] - self.centres[parent]) / self.scales[parent]
                values[:, k] = np.clip(z, *self.limits[:, parent]) if self.limits.size else z
        first, split = self.coefficients[0], 1 + len(self.inputs)
        out: Array = first + values @ self.coefficients[1:split]
        if len(self.biases):
            out += hidden(values, self.weights, self.biases) @ self.coefficients[split:]
        return out

    def _normal(self, xs: Columns, size: int) -> tuple[Array, Array]:
        """Return mean and standard deviation of each row."""
        outputs = self._outputs(xs, size)
        log_sd = np.clip(outputs[:, 1], *self.log_sds)
        return self.centre + self.scale * outputs[:, 0], self.scale * np.exp(log_sd)

    def _log_probabilities(self, xs: Columns, size: int) -> Array:
        logs = self._outputs(xs, size)
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def mean(self, xs: Columns, size: int) -> Array:
        """Return the expected value of each row, for a number."""
        return self._normal(xs, size)[0]

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density (log probability of a level) of each row."""
        if self.levels:
            logs = self._log_probabilities(xs, len(y))
            return np.asarray(logs[np.arange(len(y)), np.asarray(y, np.intp)])
        mean, sd = self._normal(xs, len(y))
        out: Array = -0.5 * (_LOG_2PI + ((y - mean) / sd) ** 2) - np.log(sd)
        return out

    def distribution(self, xs: Columns, size: int) -> Normal | Categorical:
        """Return the normal distribution, or the probabilities of the levels, of each row."""
        if self.levels:
            return Categorical(np.exp(self._log_probabilities(xs, size)))
        return Normal(*self._normal(xs, size))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row."""
        if not self.levels:
            mean, sd = self._normal(xs, size)
            drawn: Array = mean + sd * rng.standard_normal(size)
            return drawn
        heap = np.cumsum(np.exp(self._log_probabilities(xs, size)), axis=1)
        codes: NDArray[Any] = (rng.random((size, 1)) * heap[:, -1:] >= heap[:, :-1]).sum(axis=1)
        return codes.astype(code_type(self.levels))

    @property
    def varies(self) -> bool:
        """Whether the spread of a number depends on its parents."""
        return not self.levels and bool((np.abs(self.coefficients[1:, 1]) > 1e-9).any())

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """Return the network as a few lines of text."""
        if not len(self.inputs):
            return f"{child.name}: no effect of its parents"
        units = f"{len(self.biases)} {'trained' if self.trained else 'random'} hidden units"
        kind = f"neural network with {units}" if len(self.biases) else "linear function"
        names = ", ".join(variable.name for variable in parents)
        lines = [f"{child.name}: {kind} of {names}"]
        what = "log loss" if self.levels else "variance"
        lines.append(f"  explains {self.explained:.0%} of the {what} of {self.rows:g} rows")
        if not self.levels:
            low, high = self.sds
            text = (
                f"between {low:.4g} and {high:.4g} (80 % of the rows)"
                if self.varies
                else f"{low:.4g}"
            )
            lines.append(f"  noise with sd {text}")
        return "\n".join(lines)

    def frame_of(self, child: Variable, parents: Sequence[Variable]) -> Frame:
        """Return one row per input: its linear effect, and the size of its weights to the hidden units."""
        labels = [self._label(parent, group, parents) for parent, group in self.inputs.tolist()]
        split = 1 + len(self.inputs)
        strength = np.abs(self.coefficients[split:]).sum(axis=1)
        size = np.sqrt(self.weights**2 @ strength / max(float(strength.sum()), 1e-300))
        heads = list(map(str, child.levels or ("mean", "log sd")))
        return Frame(
            (
                Series("input", labels),
                Series("weights", size, ".3g"),
                *(
                    Series(unused(head, ["input", "weights"]), column, ".3g")
                    for head, column in zip(heads, self.coefficients[1:split].T, strict=True)
                ),
            )
        )

    def _label(self, parent: int, group: int, parents: Sequence[Variable]) -> str:
        if not len(self.groups[parent]):
            return f"z({parents[parent].name})"
        level = int(np.flatnonzero(self.groups[parent] == group)[0])
        return f"[{parents[parent].name}={(parents[parent].levels or ())[level]}]"


def hidden(values: Array, weights: Array, biases: Array) -> Array:
    """Return the (rows, width) values of hidden units."""
    out = values @ weights
    out += biases
    return np.tanh(out, out=out)
