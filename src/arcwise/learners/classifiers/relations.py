"""What a classifier's structure is made from: counts, and how much features tell of the class and each other.

Counts are of *available cases*: a row counts for a group of variables if it has a value of each of them.
From them come the mutual information of a feature X and the class C, I(X; C), and of two features given the
class, I(X; Y | C), in nats per row. For continuous features both are those of normal distributions with a
mean and covariances of their own in each class:

    I(X; C) = log v / 2 - sum_c p_c log v_c / 2,    I(X; Y | C) = - sum_c p_c log(1 - r_c^2) / 2.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.errors import unknown

__all__ = ["GAINS", "Relations"]

Array = NDArray[np.float64]

_TINY = 1e-300  # whose logarithm is finite
_NEAR = 1 - 1e-12  # the largest squared correlation: copies tell all, but not infinitely much


@dataclass(frozen=True, eq=False)
class Relations:
    """A table of features and a class, with its counts.

    Parameters
    ----------
    table : without gaps in the class.
    target : the number of the class, a discrete column.
    """

    table: Table
    target: int

    @cached_property
    def features(self) -> tuple[int, ...]:
        """The numbers of the columns beside the class."""
        return tuple(i for i in range(len(self.table.names)) if i != self.target)

    @cached_property
    def _codes(self) -> dict[int, NDArray[np.intp]]:
        """Codes of discrete columns; the last one is a gap."""
        return {
            i: column.astype(np.intp)
            for i, column in enumerate(self.table.columns)
            if self.table.variables[i].discrete
        }

    def levels(self, column: int) -> int:
        """How many levels a discrete column has."""
        return len(self.table.variables[column].levels or ())

    def counts(self, members: Sequence[int]) -> Array:
        """Rows in each configuration of discrete columns, one axis for each; rows with a gap do not count."""
        shape = tuple(self.levels(m) + 1 for m in members)
        places = self._codes[members[0]]
        for m, size in zip(members[1:], shape[1:], strict=True):
            places = places * size + self._codes[m]
        cells = np.bincount(places, self.table.weights, minlength=int(np.prod(shape)))
        found: Array = cells.reshape(shape)[tuple(slice(size - 1) for size in shape)].astype(float)
        return found

    @cached_property
    def classes(self) -> Array:
        """Rows in each class."""
        return self.counts((self.target,))

    # -- features and the class ------------------------------------------------------------------

    @cached_property
    def relevance(self) -> dict[int, float]:
        """I(X; C) of each feature, in nats per row."""
        return {i: self._relevance(i) for i in self.features}

    def _relevance(self, feature: int) -> float:
        if not self.table.variables[feature].discrete:
            return self._spread_relevance(feature)
        joint = self.counts((feature, self.target))
        rows = np.asarray(joint.sum())
        tell = _self_information(joint) + _self_information(rows)
        tell -= _self_information(joint.sum(axis=0)) + _self_information(joint.sum(axis=1))
        return tell / float(rows) if rows else 0.0

    def _spread_relevance(self, feature: int) -> float:
        spread = self._spread
        i = self._continuous.index(feature)
        rows, variances = spread.rows[:, i, i], spread.covariances[:, i, i]
        total = rows.sum()
        if not total:
            return 0.0
        p = rows / total
        means = spread.means[:, i]
        mean = p @ means
        whole = p @ (variances + (means - mean) ** 2)
        least = 1e-10 * whole + 1e-300
        return float(0.5 * np.log(whole + least) - 0.5 * p @ np.log(variances + least))

    # -- pairs of features -----------------------------------------------------------------------

    def gains(self, score: str) -> Array:
        """What an arc between two features gains, the class being a parent of both; features by features.

        Parameters
        ----------
        score : "loglik" (rows times I(X; Y | C)), "aic", "bic" or "bdeu".

        Returns
        -------
        A symmetric matrix in the order of `features`, in nats; minus infinity for pairs of other kinds.
        """
        if score not in GAINS:
            raise unknown("score of an arc between features", score, GAINS)
        found = np.full((len(self.features),) * 2, -np.inf)
        numbers = {feature: number for number, feature in enumerate(self.features)}
        discrete = [i for i in self.features if self.levels(i) > 1]  # one level tells nothing
        gain = GAINS[score]
        for place, one in enumerate(discrete):
            for two in discrete[place + 1 :]:
                value = gain(self.counts((one, two, self.target)), self.table.total)
                found[numbers[one], numbers[two]] = found[numbers[two], numbers[one]] = value
        if self._continuous:
            where = [numbers[i] for i in self._continuous]
            found[np.ix_(where, where)] = self._normal_gains(score)
        return found

    def _normal_gains(self, score: str) -> Array:
        """The same for continuous features; an arc has a slope for each class, and BDeu is BIC here."""
        spread = self._spread
        sd = np.sqrt(np.einsum("cii->ci", spread.covariances))
        product = sd[:, :, None] * sd[:, None, :]
        squares = np.zeros_like(product)
        np.divide(spread.covariances, product, out=squares, where=product > 0)
        squares = np.minimum(squares**2, _NEAR)
        found: Array = -0.5 * (spread.rows * np.log1p(-squares)).sum(axis=0)
        slopes = len(self.classes)
        charge = {"loglik": 0.0, "aic": 1.0}.get(score, 0.5 * np.log(max(self.table.total, 1.0)))
        found[spread.rows.sum(axis=0) == 0] = -np.inf  # never seen together
        np.fill_diagonal(found, -np.inf)
        found -= charge * slopes
        return found

    @cached_property
    def _continuous(self) -> list[int]:
        return [i for i in self.features if not self.table.variables[i].discrete]

    @cached_property
    def _spread(self) -> "_Spread":
        """Means and covariances of continuous features in each class, each pair from the rows with both."""
        x = np.column_stack([self.table.columns[i] for i in self._continuous])
        centre = np.nanmean(x, axis=0, where=~np.isnan(x)) if len(x) else np.zeros(x.shape[1])
        weights = np.ones(len(x)) if self.table.weights is None else self.table.weights
        own = self._codes[self.target]
        parts = [
            _spread_of(x[own == c] - centre, weights[own == c]) for c in range(len(self.classes))
        ]
        return _Spread(*(np.array(each) for each in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class _Spread:
    rows: Array
    means: Array
    covariances: Array


def _spread_of(x: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Rows with both, means and covariances of pairs of columns, with divisor n."""
    there = ~np.isnan(x)
    filled = np.where(there, x, 0.0)
    weighted = weights[:, None] * there
    rows = weighted.T @ there
    safe = np.maximum(rows, 1e-300)
    first = (weights[:, None] * filled).T @ there / safe  # mean of i in the rows with i and j
    cross = (weights[:, None] * filled).T @ filled / safe
    found = cross - first * first.T
    np.fill_diagonal(found, np.maximum(np.diag(found), 0.0))
    return rows, np.diag(first).copy(), found


def _self_information(counts: Array) -> float:
    """Sum of n log n over all cells; an empty one adds nothing."""
    return float((counts * np.log(np.maximum(counts, _TINY))).sum())


def _loglik_gain(counts: Array, rows: float) -> float:
    """Rows times I(X; Y | C), from counts (X, Y, C)."""
    value = _self_information(counts) + _self_information(counts.sum(axis=(0, 1)))
    value -= _self_information(counts.sum(axis=0)) + _self_information(counts.sum(axis=1))
    return max(value, 0.0)


def _parameters(counts: Array) -> int:
    """Further parameters of an arc between two features."""
    one, two, classes = counts.shape
    return int((one - 1) * (two - 1) * classes)


def _aic_gain(counts: Array, rows: float) -> float:
    return _loglik_gain(counts, rows) - _parameters(counts)


def _bic_gain(counts: Array, rows: float) -> float:
    return _loglik_gain(counts, rows) - 0.5 * math.log(max(rows, 1.0)) * _parameters(counts)


def _bdeu_gain(counts: Array, rows: float) -> float:
    """The gain in BDeu with an equivalent sample size of one; equal in both directions."""
    from scipy.special import gammaln

    def term(cells: Array) -> float:
        share = 1.0 / cells.size
        return float((gammaln(cells + share) - gammaln(share)).sum())

    return (
        term(counts)
        - term(counts.sum(axis=0))
        - term(counts.sum(axis=1))
        + term(counts.sum(axis=(0, 1)))
    )


GAINS: dict[str, Callable[[Array, float], float]] = {
    "loglik": _loglik_gain,
    "aic": _aic_gain,
    "bic": _bic_gain,
    "bdeu": _bdeu_gain,
}
"""Scores of an arc between two discrete features given the class."""
