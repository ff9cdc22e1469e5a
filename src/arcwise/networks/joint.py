r"""Joint distributions of undirected networks: normal, or a product of tables.

*Normal*, by its mean and precision matrix:

.. math:: p(x) \propto \exp\bigl(-\tfrac12 (x - \mu)^T \Theta (x - \mu)\bigr)

Given all others, variable i is a linear regression on its neighbours, those with theta_ij != 0
(Lauritzen 1996, section 5.1):

.. math:: x_i \mid \text{rest} \sim N\Bigl(\mu_i - \sum_j \tfrac{\theta_{ij}}{\theta_{ii}} (x_j - \mu_j),
          \ 1/\theta_{ii}\Bigr)

Along any order of the variables the chain rule writes the same distribution as a directed network. With
Theta = R R', R upper triangular in that order, variable k has the noise variance 1 / r_kk^2 and the
coefficients -r_jk / r_kk on the variables j before it. In an order of maximum cardinality this adds no
edge to a decomposable graph.

*Tables* over joined variables:

.. math:: p(x) = \prod_C \psi_C(x_C)

By the factorisation over cliques every variable, given its neighbours, is independent of all others
(Lauritzen 1996, section 3.2), and its local model is the normalised product of the tables that it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import JunctionTree, plan
from arcwise.conditionals import Conditional, GaussianConditional
from arcwise.conditionals.discrete import MOST_CELLS, DiscreteConditional
from arcwise.errors import FitError
from arcwise.graphs import UGraph, cardinality_order

Array = NDArray[np.float64]

_INDEFINITE = "The precision matrix of a normal distribution must be positive definite."
# Mirror images may differ by rounding only.
_ROUNDING = 1e-9

_POINTS = 512
"""Largest number of rows that represent a distribution."""


class Joint(Protocol):
    """The joint distribution of an undirected network, which implies its local models."""

    def check(self, graph: UGraph) -> None:
        """Raise an error for another number of variables, or a dependence that the graph excludes."""
        ...

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return the partial correlations of pairs given all other variables; NaN if they have no meaning."""
        ...

    def points(self) -> Array:
        """Return rows that represent the distribution, not random; chains start from them."""
        ...

    def local(self, node: int, inputs: Sequence[int]) -> Conditional:
        """Return the local model of one variable given its neighbours."""
        ...

    def chain(self, graph: UGraph) -> tuple[Sequence[tuple[int, ...]], Sequence[Conditional]]:
        """Return the parents and local models of a directed network with this distribution."""
        ...


def _check_size(size: int, graph: UGraph) -> None:
    if size != len(graph.nodes):
        raise FitError(
            f"The joint distribution has {size} variables, but the network has {len(graph.nodes)}."
        )


def normal_of(joint: Joint | None) -> NormalJoint | None:
    """Return the normal distribution of a joint: its property `normal`, or None without one."""
    normal: NormalJoint | None = getattr(joint, "normal", None)
    return normal


def factors_of(joint: Joint | None) -> TableJoint | None:
    """Return the product of tables of a joint: its property `factors`, or None without one."""
    factors: TableJoint | None = getattr(joint, "factors", None)
    return factors


@dataclass(frozen=True, eq=False)
class NormalJoint:
    """A joint normal distribution by its mean and precision matrix.

    Parameters
    ----------
    mean : one number per variable.
    precision : symmetric and positive definite, in the order of the variables.

    Raises
    ------
    FitError : not a normal distribution.

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
                "A normal distribution must have one mean per variable and a square precision "
                f"matrix of that size, got shapes {self.mean.shape} and {self.precision.shape}."
            )
        if not (np.isfinite(self.mean).all() and np.isfinite(self.precision).all()):
            raise FitError("Means and precision matrix of a normal distribution must be finite.")
        diagonal = self.precision.diagonal()
        if not (diagonal > 0).all() or self._root is None:
            raise FitError(_INDEFINITE)
        apart = np.abs(self.precision - self.precision.T)
        if (apart > _ROUNDING * np.sqrt(np.outer(diagonal, diagonal))).any():
            raise FitError("The precision matrix of a normal distribution must be symmetric.")
        self.mean.flags.writeable = False
        self.precision.flags.writeable = False

    @property
    def _scale(self) -> Array:
        """Return the factors that make the diagonal of the precision matrix one, so that units do not
        matter.
        """
        return 1.0 / np.sqrt(self.precision.diagonal())

    @cached_property
    def _root(self) -> Array | None:
        """Return the lower triangle L with L L' the scaled precision matrix; None if there is none."""
        return _triangle(self.precision * np.outer(self._scale, self._scale))

    @cached_property
    def covariance(self) -> Array:
        """The covariance matrix."""
        scaled = np.linalg.inv(self.precision * np.outer(self._scale, self._scale))
        covariance: Array = 0.5 * (scaled + scaled.T) * np.outer(self._scale, self._scale)
        covariance.flags.writeable = False
        return covariance

    @property
    def normal(self) -> Self:
        """The distribution itself."""
        return self

    def check(self, graph: UGraph) -> None:
        """Raise an error for another number of variables, or a nonzero entry for a pair that is not
        adjacent.
        """
        _check_size(len(self.mean), graph)
        linked = self.precision != 0
        np.fill_diagonal(linked, False)
        for node, row in enumerate(graph.neighbours):
            linked[node, list(row)] = False
        for one, two in np.argwhere(linked)[:1].tolist():
            raise FitError(
                f"The precision matrix connects {graph.nodes[one]!r} and {graph.nodes[two]!r}, "
                "but the graph has no edge between them."
            )

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return the partial correlations of pairs given all other variables."""
        partials: Array = -self.precision[first, second] * self._scale[first] * self._scale[second]
        return partials + 0.0  # no minus zero

    def points(self) -> Array:
        """Return rows with this mean and covariance, not random: at most 512 by variables.

        Standardised they are signs (Sylvester 1867): each column sums to zero and is orthogonal to all
        others. Beyond 511 variables the signs repeat, and the covariance is only approximate.

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
        """Return the local model of one variable given its neighbours; `inputs` have a nonzero entry in its
        row.

        >>> joint = NormalJoint(np.array([1.0, 0.0]), np.array([[2.0, -1.0], [-1.0, 2.0]]))
        >>> model = joint.local(0, (1,))
        >>> model.intercept, model.coefficients.tolist(), model.variance
        (1.0, [0.5], 0.5)
        """
        diagonal = float(self.precision[node, node])
        slopes = -self.precision[node, list(inputs)] / diagonal
        intercept = float(self.mean[node] - slopes @ self.mean[list(inputs)])
        return _model(intercept, slopes, 1.0 / diagonal)

    def chain(
        self, graph: UGraph
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[GaussianConditional, ...]]:
        """Return the parents and local models of a directed network with this distribution."""
        order = np.array(cardinality_order(graph), dtype=np.intp)[::-1]
        scale = self._scale[order]
        root = _triangle(self.precision[np.ix_(order, order)] * np.outer(scale, scale))
        if root is None:
            raise FitError(_INDEFINITE)
        parents: list[tuple[int, ...]] = [()] * len(order)
        models: list[GaussianConditional | None] = [None] * len(order)
        for row, node in enumerate(order.tolist()):
            below = row + 1 + np.flatnonzero(root[row + 1 :, row])
            slopes = -root[below, row] / root[row, row] * scale[row] / scale[below]
            into = order[below]
            sort = np.argsort(into)
            parents[node] = tuple(into[sort].tolist())
            intercept = float(self.mean[node] - slopes @ self.mean[into])
            variance = float((scale[row] / root[row, row]) ** 2)
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


# -- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TableJoint:
    """A distribution of discrete variables as a product of tables.

    Parameters
    ----------
    levels : number of levels of each variable.
    scopes : the variables of each table, ascending; every variable is in some.
    tables : one axis for each variable of the scope; the product sums to one.
    apart : the largest difference of a fitted frequency to the data, if fitting did not converge.

    Raises
    ------
    FitError : scopes and tables that do not fit together, or numbers that are negative or not finite.

    >>> joint = TableJoint((2, 2), ((0, 1),), (np.array([[0.4, 0.1], [0.1, 0.4]]),))
    >>> joint.local(0, (1,)).table.tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """

    levels: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Array, ...]
    apart: float = 0.0

    def __post_init__(self) -> None:
        if {v for scope in self.scopes for v in scope} != set(range(len(self.levels))):
            raise FitError("The tables of a joint distribution must be over all of its variables.")
        for scope, table in zip(self.scopes, self.tables, strict=True):
            if list(scope) != sorted(set(scope)) or table.shape != tuple(
                self.levels[v] for v in scope
            ):
                raise FitError(
                    "A table of a joint distribution must have one axis for each "
                    "variable of its scope."
                )
            if not np.isfinite(table).all() or (table < 0).any() or not table.any():
                raise FitError(
                    "The tables of a joint distribution must have finite non-negative numbers."
                )
            table.flags.writeable = False

    @property
    def factors(self) -> Self:
        """The tables themselves."""
        return self

    def check(self, graph: UGraph) -> None:
        """Raise an error unless the tables have the graph's variables and connect adjacent pairs only."""
        _check_size(len(self.levels), graph)
        for scope in self.scopes:
            for one in scope:
                for two in set(scope) - {one, *graph.neighbours[one]}:
                    raise FitError(
                        f"A table connects {graph.nodes[one]!r} and {graph.nodes[two]!r}, but "
                        "the graph has no edge between them."
                    )

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return NaN: levels have no partial correlations."""
        return np.full(len(first), np.nan)

    def points(self) -> Array:
        """Return rows in which every level occurs; chains start from them."""
        rows = np.arange(max(self.levels))[:, None]
        points: Array = (rows % np.array(self.levels)).astype(float)
        return points

    def local(self, node: int, inputs: Sequence[int]) -> DiscreteConditional:
        """Return the local model of one variable given its neighbours; uniform for impossible
        configurations.
        """
        scope = (*inputs, node)
        shape = tuple(self.levels[v] for v in scope)
        if prod(shape) > MOST_CELLS:
            raise FitError(f"The table of variable number {node} has {prod(shape):.3g} cells.")
        product = np.ones(shape)
        for members, table in zip(self.scopes, self.tables, strict=True):
            if node in members:
                order = sorted(range(len(members)), key=lambda i: scope.index(members[i]))
                wide = [self.levels[v] if v in members else 1 for v in scope]
                product *= table.transpose(order).reshape(wide)
        return _rows(product)

    def chain(
        self, graph: UGraph
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[DiscreteConditional, ...]]:
        """Return the parents and local models of a directed network with this distribution.

        It reverses an elimination order: the parents of a variable are the later ones that share a table
        with it when it is eliminated.
        """
        order = plan(self.levels, self.scopes).order
        near: list[set[int]] = [set() for _ in self.levels]
        for scope in self.scopes:
            for node in scope:
                near[node] |= set(scope) - {node}
        parents: list[tuple[int, ...]] = [()] * len(near)
        for node in order.tolist():
            parents[node] = tuple(sorted(near[node]))
            for other in near[node]:
                near[other] |= near[node] - {other}
                near[other].discard(node)
        tree = JunctionTree(self.levels, self.scopes, self.tables, order)
        nothing = np.full((1, len(near)), -1)
        families = [(*row, node) for node, row in enumerate(parents)]
        shares = (marginal[0] for marginal in tree.ask(nothing, families)[1])
        return tuple(parents), tuple(map(_rows, shares))


def _rows(shares: Array) -> DiscreteConditional:
    """Return the last variable given the others; uniform for impossible configurations."""
    sums = shares.sum(axis=-1, keepdims=True)
    even = np.full(shares.shape, 1.0 / shares.shape[-1])
    return DiscreteConditional(np.divide(shares, sums, out=even, where=sums > 0))
