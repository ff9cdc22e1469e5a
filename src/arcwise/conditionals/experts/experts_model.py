"""A fitted mixture of experts (Jacobs, Jordan, Nowlan and Hinton 1991): a density of any shape given inputs.

p(y | x) = sum_k g_k(x) N(y; a_k + b_k x, s_k^2),   g = softmax of linear functions of x.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns
from arcwise.data import Variable
from arcwise.distributions import Mixture
from arcwise.errors import FitError
from arcwise.frame import Frame, Series, unused

__all__ = ["ExpertsConditional"]

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class ExpertsConditional:
    """One fitted mixture.

    Parameters
    ----------
    centres, scales : of each parent that is a number; 0 and 1 for a category.
    groups : for each parent that is a category the group of each level, 0 for the most frequent one and for
        rare levels; empty for a number.
    inputs : (d, 2) the parent of each input, and the group that it indicates, 0 for a number.
    gates : (1 + d, experts) coefficients of the log weights of the experts.
    coefficients : (1 + d, experts) of the experts' means.
    sds : (experts,) standard deviations of the experts.
    shares : (experts,) mean weights of the experts over the training rows.
    parameters : number of free parameters.
    rows : number of training rows.
    limits : smallest and largest standardised value of each parent, beyond which experts are constant; none
        if empty.

    >>> model = ExpertsConditional(
    ...     np.zeros(1), np.ones(1), (np.zeros(0, int),), np.array([[0, 0]]), np.zeros((2, 2)),
    ...     np.array([[-1.0, 1.0], [0.0, 2.0]]), np.ones(2), np.full(2, 0.5), 8, 10.0,
    ... )
    >>> model.mean((np.array([0.0, 3.0]),), 2).tolist()
    [0.0, 3.0]
    """

    word: ClassVar[str] = "experts"

    centres: Array
    scales: Array
    groups: Columns
    inputs: NDArray[np.int64]
    gates: Array
    coefficients: Array
    sds: Array
    shares: Array
    parameters: int
    rows: float
    limits: Array = field(default_factory=lambda: np.zeros((2, 0)))

    def __post_init__(self) -> None:
        """Check the parameters and make the arrays read-only."""
        shape, parents = (1 + len(self.inputs), len(self.sds)), len(self.groups)
        fits = self.gates.shape == self.coefficients.shape == shape and shape[1] > 0
        if not fits or self.inputs.shape != (shape[0] - 1, 2) or len(self.shares) != shape[1]:
            raise FitError("A mixture of experts needs a coefficient for each input and expert.")
        if (
            not len(self.centres)
            == len(self.scales)
            == parents
            > self.inputs[:, :1].max(initial=-1)
        ):
            raise FitError("A mixture of experts needs the parents that its inputs name.")
        arrays = (self.centres, self.scales, self.gates, self.coefficients, self.sds, self.shares)
        if not all(np.isfinite(array).all() for array in arrays):
            raise FitError("A mixture of experts needs finite coefficients.")
        if not (self.sds > 0).all() or not (self.scales > 0).all():
            raise FitError("A mixture of experts needs positive standard deviations.")
        if self.limits.shape not in ((2, parents), (2, 0)):
            raise FitError("A mixture of experts needs the range of each of its parents.")
        for array in (*arrays, self.limits, self.inputs, *self.groups):
            array.setflags(write=False)

    @property
    def n_params(self) -> int:
        """The number of free coefficients and standard deviations."""
        return self.parameters

    def _parts(self, xs: Columns, size: int) -> tuple[Array, Array]:
        """Return the (size, experts) log weights and means of the experts in each row."""
        values = np.ones((size, 1 + len(self.inputs)))
        for k, (parent, group) in enumerate(self.inputs.tolist(), start=1):
            if len(self.groups[parent]):
                values[:, k] = self.groups[parent][np.asarray(xs[parent], np.intp)] == group
            else:
                z = (xs[parent] - self.centres[parent]) / self.scales[parent]
                values[:, k] = np.clip(z, *self.limits[:, parent]) if self.limits.size else z
        logs = values @ self.gates
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs, values @ self.coefficients

    def mean(self, xs: Columns, size: int) -> Array:
        """Return the expected value of each row."""
        logs, means = self._parts(xs, size)
        out: Array = (np.exp(logs) * means).sum(axis=1)
        return out

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density of each row."""
        logs, means = self._parts(xs, len(y))
        z = (y[:, None] - means) / self.sds
        logs = logs - 0.5 * (_LOG_2PI + z * z) - np.log(self.sds)
        out: Array = np.logaddexp.reduce(logs, axis=1)
        return out

    def distribution(self, xs: Columns, size: int) -> Mixture:
        """Return the mixture of normal distributions of each row."""
        logs, means = self._parts(xs, size)
        return Mixture(means, self.sds[None, :], np.exp(logs))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> Array:
        """Draw one value for each row: an expert by its weight, then a value of it."""
        logs, means = self._parts(xs, size)
        heap = np.cumsum(np.exp(logs), axis=1)
        experts = (rng.random((size, 1)) * heap[:, -1:] >= heap[:, :-1]).sum(axis=1)
        drawn: Array = means[np.arange(size), experts] + self.sds[experts] * rng.standard_normal(
            size
        )
        return drawn

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """Return the experts as text, one per line by decreasing share, in the units of the data."""
        count = len(self.sds)
        head = f"{child.name}: {count} linear expert{'s' * (count > 1)}"
        head += ", with shares that depend on the parents" if count > 1 and len(self.inputs) else ""
        labels = ["", *(self._label(i, g, parents) for i, g in self.inputs.tolist())]
        lines = []
        for k in np.argsort(-self.shares, kind="stable").tolist():
            values = self.coefficients[:, k]
            terms = " ".join(f"{v:+.4g} {x}".rstrip() for v, x in zip(values, labels, strict=True))
            lines.append(f"  {self.shares[k]:.0%}: {terms} + noise with sd {self.sds[k]:.4g}")
        return "\n".join([head, *lines])

    def frame_of(self, child: Variable, parents: Sequence[Variable]) -> Frame:
        """Return one row per expert: share, intercept, coefficients of standardised inputs, and noise."""
        labels = ["intercept", *(self._label(i, g, parents) for i, g in self.inputs.tolist())]
        names = ["share", "noise sd"]
        columns = [Series("share", self.shares, ".3g")]
        for label, row in zip(labels, self.coefficients, strict=True):
            columns.append(Series(unused(label, names), row, ".4g"))
            names.append(columns[-1].name)
        return Frame((*columns, Series("noise sd", self.sds, ".4g")))

    def _label(self, parent: int, group: int, parents: Sequence[Variable]) -> str:
        if not len(self.groups[parent]):
            return f"z({parents[parent].name})"
        level = int(np.flatnonzero(self.groups[parent] == group)[0])
        return f"[{parents[parent].name}={(parents[parent].levels or ())[level]}]"
