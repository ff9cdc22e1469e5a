r"""The normal distribution behind an undirected Gaussian network, by its mean and precision matrix.

.. math:: p(x) \propto \exp\bigl(-\tfrac12 (x - \mu)^T \Theta (x - \mu)\bigr)

Given all others, variable i is a linear regression on its neighbours, those with theta_ij != 0
(Lauritzen 1996, section 5.1):

.. math:: x_i \mid \text{rest} \sim N\Bigl(\mu_i - \sum_j \tfrac{\theta_{ij}}{\theta_{ii}} (x_j - \mu_j),
          \ 1/\theta_{ii}\Bigr)

Along any order of the variables the chain rule writes the same distribution as a directed network. With
Theta = R R', R upper triangular in that order, variable k has the noise variance 1 / r_kk^2 and the
coefficients -r_jk / r_kk on the variables j before it. In an order of maximum cardinality this adds no
edge to a decomposable graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, GaussianConditional
from arcwise.errors import FitError
from arcwise.graphs import UGraph, cardinality_order

Array = NDArray[np.float64]

# Mirror images may differ by rounding only.
_ROUNDING = 1e-9

_POINTS = 512
"""Most rows that stand for a distribution."""


class Joint(Protocol):
    """The joint distribution behind an undirected network, whose local models are its own."""

    def check(self, graph: UGraph) -> None:
        """Refuse another number of variables, or a dependence that the graph denies."""
        ...

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Partial correlations of pairs given all other variables; NaN where they have no meaning."""
        ...

    def points(self) -> Array:
        """Rows that stand for the distribution, made without chance; chains start from them."""
        ...

    def local(self, node: int, inputs: Sequence[int]) -> Conditional:
        """One variable given its neighbours."""
        ...

    def chain(self, graph: UGraph) -> tuple[Sequence[tuple[int, ...]], Sequence[Conditional]]:
        """The parents and local models of a directed network with this distribution."""
        ...


@dataclass(frozen=True, eq=False)
class NormalJoint:
    """A joint normal distribution by its mean and precision matrix.

    Parameters
    ----------
    mean : one number a variable.
    precision : symmetric and positive definite, in the order of the variables.

    Raises
    ------
    FitError : numbers that are no normal distribution.

    >>> joint = NormalJoint(np.zeros(2), np.array([[2.0, -1.0], [-1.0, 2.0]]))
    >>> joint.covariance.round(4).tolist()
    [[0.6667, 0.3333], [0.3333, 0.6667]]
    >>> joint.partial(np.array([0]), np.array([1])).round(6).tolist()
    [0.5]
    """

    mean: Array
    precision: Array

    def __post_init__(self) -> None:
        size = self.mean.shape[0] if self.mean.ndim == 1 else -1
        if self.precision.shape != (size, size) or size < 1:
            raise FitError(
                "A normal distribution needs one mean a variable and a square precision matrix of that "
                f"size, got shapes {self.mean.shape} and {self.precision.shape}."
            )
        if not (np.isfinite(self.mean).all() and np.isfinite(self.precision).all()):
            raise FitError("Means and precision matrix of a normal distribution have to be finite.")
        own = self.precision.diagonal()
        if not (own > 0).all() or self._root is None:
            raise FitError(
                "The precision matrix of a normal distribution is not positive definite."
            )
        apart = np.abs(self.precision - self.precision.T)
        if (apart > _ROUNDING * np.sqrt(np.outer(own, own))).any():
            raise FitError("The precision matrix of a normal distribution is not symmetric.")
        self.mean.flags.writeable = False
        self.precision.flags.writeable = False

    @property
    def _scale(self) -> Array:
        """What makes the diagonal of the precision matrix one: units do not matter then."""
        return 1.0 / np.sqrt(self.precision.diagonal())

    @cached_property
    def _root(self) -> Array | None:
        """Lower triangle L with L L' the scaled precision matrix; None where there is none."""
        return _triangle(self.precision * np.outer(self._scale, self._scale))

    @cached_property
    def covariance(self) -> Array:
        """The covariance matrix."""
        scaled = np.linalg.inv(self.precision * np.outer(self._scale, self._scale))
        covariance: Array = 0.5 * (scaled + scaled.T) * np.outer(self._scale, self._scale)
        covariance.flags.writeable = False
        return covariance

    def check(self, graph: UGraph) -> None:
        """Refuse another number of variables, or an entry for a pair that the graph does not join."""
        if len(self.mean) != len(graph.nodes):
            raise FitError(
                f"The joint distribution is of {len(self.mean)} variables, but the network has "
                f"{len(graph.nodes)}."
            )
        linked = self.precision != 0
        np.fill_diagonal(linked, False)
        for node, row in enumerate(graph.neighbours):
            linked[node, list(row)] = False
        for one, two in np.argwhere(linked)[:1].tolist():
            raise FitError(
                f"The precision matrix joins {graph.nodes[one]!r} and {graph.nodes[two]!r}, but the "
                "graph has no edge between them."
            )

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Partial correlations of pairs given all other variables."""
        found: Array = -self.precision[first, second] * self._scale[first] * self._scale[second]
        return found + 0.0  # no minus zero

    def points(self) -> Array:
        """Rows with this mean and covariance, made without chance: at most 512 by variables.

        Standardised they are signs (Sylvester 1867): each column sums to zero and is orthogonal to all
        others. Beyond 511 variables the signs repeat, and the covariance is met in part only.

        >>> joint = NormalJoint(np.array([5.0]), np.array([[4.0]]))
        >>> joint.points().ravel().tolist()
        [4.5, 5.5]
        """
        signs = np.ones((1, 1))
        while len(signs) <= len(self.mean) and len(signs) < _POINTS:
            signs = np.block([[signs, -signs], [signs, signs]])
        places = 1 + np.arange(len(self.mean)) % (len(signs) - 1)  # the first column is constant
        root = np.eye(len(self.mean)) if self._root is None else self._root  # there is one: checked
        return self.mean + np.linalg.solve(root.T, signs[:, places].T).T * self._scale

    def local(self, node: int, inputs: Sequence[int]) -> GaussianConditional:
        """One variable given its neighbours; `inputs` are all with an entry in its row.

        >>> joint = NormalJoint(np.array([1.0, 0.0]), np.array([[2.0, -1.0], [-1.0, 2.0]]))
        >>> model = joint.local(0, (1,))
        >>> model.intercept, model.coefficients.tolist(), model.variance
        (1.0, [0.5], 0.5)
        """
        own = float(self.precision[node, node])
        slopes = -self.precision[node, list(inputs)] / own
        intercept = float(self.mean[node] - slopes @ self.mean[list(inputs)])
        return _model(intercept, slopes, 1.0 / own)

    def chain(
        self, graph: UGraph
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[GaussianConditional, ...]]:
        """The parents and local models of a directed network with this distribution."""
        order = np.array(cardinality_order(graph), dtype=np.intp)[::-1]
        scale = self._scale[order]
        root = _triangle(self.precision[np.ix_(order, order)] * np.outer(scale, scale))
        if root is None:
            raise FitError(
                "The precision matrix of a normal distribution is not positive definite."
            )
        parents: list[tuple[int, ...]] = [()] * len(order)
        models: list[GaussianConditional | None] = [None] * len(order)
        for place, node in enumerate(order.tolist()):
            below = place + 1 + np.flatnonzero(root[place + 1 :, place])
            slopes = -root[below, place] / root[place, place] * scale[place] / scale[below]
            into = order[below]
            sort = np.argsort(into)
            parents[node] = tuple(into[sort].tolist())
            intercept = float(self.mean[node] - slopes @ self.mean[into])
            variance = float((scale[place] / root[place, place]) ** 2)
            models[node] = _model(intercept, slopes[sort], variance)
        return tuple(parents), tuple(model for model in models if model is not None)


def _model(intercept: float, slopes: Array, variance: float) -> GaussianConditional:
    size = len(slopes)
    nothing = np.zeros((size + 1, size + 1))
    return GaussianConditional(
        intercept, np.array(slopes), variance, nothing, 0.0, redundant=(False,) * size
    )


def _triangle(matrix: Array) -> Array | None:
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
