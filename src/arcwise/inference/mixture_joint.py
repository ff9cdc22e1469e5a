"""The joint distribution of numbers and categories: normal given each configuration of some categories.

Densities, correlations and the probabilities of levels, and of one number jointly with them, are sums over
the components. The most probable point is exact if each combination of the levels requested has one
component; else it is the best of the limits of fixed-point steps from the components of largest
density (Carreira-Perpinan 2000). Mutual information with numbers, and joint probabilities of several
dependent numbers, are computed from independent draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.distributions import log_sum, no_numbers
from arcwise.errors import DataError
from arcwise.inference.belief import Array, Probability, generator, share_of
from arcwise.inference.joint_answers import States

__all__ = ["MixtureJoint"]

DRAWS = 20_000
"""Number of draws for quantities without a formula."""

_STARTS = 32
"""Number of components from which the most probable point is searched."""

_STEPS = 200
_CLOSE = 1e-10  # of a standard deviation, that a step still moves
_BLOCK = 1 << 21  # numbers held at once


@dataclass(frozen=True, eq=False)
class MixtureJoint:
    """Components with a weight, levels of the categories, and a normal distribution of the numbers.

    Parameters
    ----------
    variables : in the order requested.
    weights : (components,); they sum to one.
    codes : (components, categories), in the order requested.
    means, factors : (components, numbers) and Cholesky factors (components, numbers, numbers).

    >>> pair = Variable("a", ("u", "v")), Variable("x")
    >>> joint = MixtureJoint(
    ...     pair, np.array([0.25, 0.75]), np.array([[0], [1]]), np.array([[0.0], [1.0]]), np.ones((2, 1, 1))
    ... )
    >>> joint.mode.tolist(), round(joint.box({0: np.array([True, False]), 1: (0.0, np.inf)}), 3)
    ([1.0, 1.0], 0.125)
    """

    variables: tuple[Variable, ...]
    weights: Array
    codes: NDArray[np.intp]
    means: Array
    factors: Array
    cells: ClassVar[None] = None

    def __post_init__(self) -> None:
        for array in (self.weights, self.codes, self.means, self.factors):
            array.setflags(write=False)

    @cached_property
    def _categories(self) -> list[int]:
        return [i for i, variable in enumerate(self.variables) if variable.discrete]

    @cached_property
    def _numbers(self) -> list[int]:
        return [i for i, variable in enumerate(self.variables) if not variable.discrete]

    @cached_property
    def _peaks(self) -> Array:
        """Return the log weight of each component times its largest density."""
        diagonal = np.diagonal(self.factors, axis1=1, axis2=2)
        size = np.log(diagonal).sum(axis=1) + 0.5 * len(self._numbers) * np.log(2 * np.pi)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.weights) - size)

    @cached_property
    def correlation(self) -> Array:
        """The correlation matrix; off-diagonal entries of a determined variable are 0."""
        values = np.empty((len(self.weights), len(self.variables)))
        for k, i in enumerate(self._categories):
            variable = self.variables[i]
            if not variable.numeric:
                raise no_numbers(variable.name)
            values[:, i] = np.array(variable.levels, dtype=float)[self.codes[:, k]]
        values[:, self._numbers] = self.means
        off = values - self.weights @ values
        covariance = (off * self.weights[:, None]).T @ off
        inner = np.einsum("m,mij,mkj->ik", self.weights, self.factors, self.factors)
        covariance[np.ix_(self._numbers, self._numbers)] += inner
        sd = np.sqrt(np.diag(covariance))
        correlation: Array = covariance / np.outer(*[np.where(sd > 0, sd, 1.0)] * 2)
        np.fill_diagonal(correlation, 1.0)
        return np.clip(correlation, -1.0, 1.0)

    @property
    def mode(self) -> Array:
        """The most probable combination of levels and numbers."""
        best, top = np.zeros(len(self.variables)), -np.inf
        for m in np.argsort(-self._peaks, kind="stable")[:_STARTS].tolist():
            point = np.empty(len(self.variables))
            point[self._categories] = self.codes[m]
            point[self._numbers] = self._climb(m)
            height = float(self.logpdf(point[None])[0])
            if height > top + 1e-12 * abs(height):
                best, top = point, height
        return best

    def _climb(self, start: int) -> Array:
        """Return the numbers of a local maximum of the density, with the levels of a component."""
        matching = np.flatnonzero((self.codes == self.codes[start]).all(axis=1))
        point: Array = self.means[start].copy()
        if len(matching) == 1 or not len(point):
            return point
        inverse = np.linalg.inv(self.factors[matching])
        precision = np.einsum("mji,mjk->mik", inverse, inverse)
        pulled = np.einsum("mij,mj->mi", precision, self.means[matching])
        width = np.sqrt(
            np.einsum("mij,mij->mi", self.factors[matching], self.factors[matching]).min(axis=0)
        )
        for _ in range(_STEPS):
            z = np.einsum("mij,mj->mi", inverse, point - self.means[matching])
            logs = self._peaks[matching] - 0.5 * (z**2).sum(axis=1)
            share = np.exp(logs - logs.max())
            fresh = np.linalg.solve(
                np.einsum("m,mij->ij", share, precision), np.einsum("m,mi->i", share, pulled)
            )
            moved = np.abs(fresh - point) / width
            point = fresh
            if moved.max() < _CLOSE:
                break
        return point

    @property
    def entropy(self) -> float:
        """Raise an error: the entropy of a mixture of normals has no formula."""
        raise DataError(
            "The entropy of numbers and categories together has no formula: use the entropy of each "
            "variable, or average logdensity over draws."
        )

    @cached_property
    def _states(self) -> States:
        """The draws for quantities without a formula, by a fixed seed."""
        drawn = self.sample(generator(0), DRAWS)
        return States(self.variables, drawn.T[:, :, None].copy())

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Return the mutual information of two groups of variables in nats, from draws by nearest
        neighbours.
        """
        return self._states.mutual_information(a, b)

    def logpdf(self, columns: Array) -> Array:
        """Return the log density of rows: levels by their codes, and numbers."""
        rows = np.asarray(columns, dtype=float)
        codes = rows[:, self._categories].astype(np.intp)
        inverse = np.linalg.inv(self.factors)
        step = max(1, _BLOCK // max(1, self.means.size + self.codes.size))
        densities = np.empty(len(rows))
        for low in range(0, len(rows), step):
            part = slice(low, low + step)
            off = rows[part][:, None, self._numbers] - self.means
            z = np.einsum("mij,rmj->rmi", inverse, off)
            same = (codes[part][:, None, :] == self.codes).all(axis=2)
            logs = np.where(same, self._peaks - 0.5 * (z**2).sum(axis=2), -np.inf)
            densities[part] = log_sum(logs)
        return densities

    def box(self, limits: Mapping[int, Any]) -> Probability:
        """Return the probability of marked levels and of bounds on numbers."""
        from scipy.special import ndtr

        inside = self.weights.copy()
        for k, i in enumerate(self._categories):
            if i in limits:
                inside[~np.asarray(limits[i], dtype=bool)[self.codes[:, k]]] = 0.0
        bounded = [k for k, i in enumerate(self._numbers) if i in limits]
        rows = self.factors[:, bounded]
        covariance = np.einsum("mij,mkj->mik", rows, rows)
        sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        apart = covariance - np.einsum("mi,ij->mij", sd**2, np.eye(len(bounded)))
        if (np.abs(apart) > 1e-12 * sd[:, :, None] * sd[:, None, :]).any():
            return self._states.box(dict(limits))
        for j, k in enumerate(bounded):
            low, high = limits[self._numbers[k]]
            a, b = ((end - self.means[:, k]) / sd[:, j] for end in (low, high))
            inside *= np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
        return Probability(float(min(inside.sum(), 1.0)))

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Return the probability of an event given as a function of draws."""
        return share_of(float(holds(self.sample(rng, draws)).mean()), draws)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return draws, one per row."""
        heap = np.cumsum(self.weights)
        component = np.searchsorted(heap, rng.random(draws) * heap[-1], side="right")
        component = np.minimum(component, len(heap) - 1)
        noise = rng.standard_normal((draws, len(self._numbers)))
        out = np.empty((draws, len(self.variables)))
        out[:, self._categories] = self.codes[component]
        out[:, self._numbers] = self.means[component] + np.einsum(
            "rij,rj->ri", self.factors[component], noise
        )
        return out
