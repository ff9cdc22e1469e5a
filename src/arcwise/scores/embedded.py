r"""Scores of mixed tables from one covariance matrix: log determinants of embedded columns.

Each column is embedded: a category as the indicators of its levels, a number as itself or with polynomials
of it. The embedded columns are scored as if they were jointly normal. With :math:`\Sigma_A` the correlation
matrix of the columns of a set A, r(A) its rank, and n rows, a set has the value

.. math:: f(A) = -\tfrac{n}{2} \log \det \Sigma_A - \tfrac{\log n}{4} r(A) (r(A) + 3),

and a family of a child c and parents S scores f(S + c) - f(S) plus the log-likelihood of the child alone,
normal or by the shares of levels. So the penalty is (log n) / 2 for each mean, each covariance within the
child, and each product of a dimension of the child and one of the parents. Equivalent graphs have equal
scores, and for untransformed numbers the score is BIC.

The *degenerate Gaussian* score uses untransformed numbers (Andrews, Ramsey and Cooper 2019), the *truncated
basis* score adds polynomials up to a degree (Ramsey, Andrews and Spirtes 2025). They are fast and need no
fitted models, but they are not likelihoods of categories: they compare graphs of one table, not densities.

Rules: a level with fewer than 5 rows counts as the most frequent one. A dimension that the earlier
ones of its set determine up to `TOLERANCE` of its variance adds the logarithm of that tolerance, and no
parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.data import Table, Variable
from arcwise.errors import FitError
from arcwise.scores.score import Array, Parents, ParentSets, Score

__all__ = ["EmbeddedScore", "degenerate_gaussian", "truncated_basis"]

RARE = 5.0
"""Rows below which a level counts as the most frequent one."""

TOLERANCE = 1e-4
"""Share of variance below which a dimension is determined, as in the local models: an sd of 0.01."""

_CHUNK = 1 << 14  # rows of cross-products at a time
_CUT = 3.0  # standard deviations beyond which polynomials are constant
_KEPT = 1e-8  # variance of a standardised dimension that is dropped
_SAFE = 1e-3  # pivots above which all orders of a factorisation agree to 1e-12


class EmbeddedScore(Score):
    """The score of embedded columns.

    Parameters
    ----------
    fits : a family bound to the rows; the sets for which it has models are scored.
    degree : of the polynomials of numbers; 1 for the numbers alone.
    gamma : the penalty per parent is gamma log p.
    """

    def __init__(self, fits: Fits, degree: int, gamma: float) -> None:
        table = fits.statistics.rows("An embedded score needs")
        self.fits, self.nodes, self.rows = fits, fits.nodes, fits.rows
        self.matrix, self.columns = correlations(table, degree)
        self.alone = np.array([_alone(*pair, self.rows, table.weights) for pair in _pairs(table)])
        self.charge = 0.25 * float(np.log(max(self.rows, 2.0)))
        self.per_parent = gamma * float(np.log(max(len(self.nodes), 2)))
        self.equivalent = not any(fits.never(child) for child in range(len(self.nodes)))
        self._values: dict[Parents, float] = {(): 0.0}

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return the differences of the values of a family and of the parents alone, minus penalties."""
        valid = [i for i, s in enumerate(sets) if self.equivalent or self.fits.takes(child, s)]
        families = [tuple(sorted((*sets[i], child))) for i in valid]
        self._evaluate([sets[i] for i in valid])
        self._evaluate(families)
        scores = np.full(len(sets), -np.inf)
        scores[valid] = self.alone[child]
        for i, family in zip(valid, families, strict=True):
            scores[i] += self._values[family] - self._values[tuple(sets[i])]
            scores[i] -= self.per_parent * len(sets[i])
        return scores

    def _evaluate(self, sets: Iterable[Parents]) -> None:
        """Compute missing values of sets, all of one dimension at once."""
        groups: dict[int, list[Parents]] = {}
        for s in dict.fromkeys(map(tuple, sets)):
            if s not in self._values:
                groups.setdefault(sum(len(self.columns[j]) for j in s), []).append(s)
        for size, members in groups.items():
            indices = np.array([[i for j in s for i in self.columns[j]] for s in members], np.intp)
            indices = indices.reshape(len(members), size)
            logs, ranks = log_determinants(self.matrix[indices[:, :, None], indices[:, None, :]])
            values = -0.5 * self.rows * logs - self.charge * ranks * (ranks + 3)
            self._values |= dict(zip(members, values.tolist(), strict=True))


def log_determinants(matrices: Array) -> tuple[Array, Array]:
    """Return the log determinants and ranks of correlation matrices, (sets, dimensions, dimensions).

    >>> log_determinants(np.array([np.eye(2), np.ones((2, 2))]))[1].tolist()
    [2.0, 1.0]
    """
    count, size = matrices.shape[:2]
    if not size:
        return np.zeros(count), np.zeros(count)
    try:
        diagonal = np.diagonal(np.linalg.cholesky(matrices), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return _with_skips(matrices)
    logs, ranks = 2.0 * np.log(diagonal).sum(axis=1), np.full(count, float(size))
    near = np.flatnonzero(diagonal.min(axis=1) ** 2 < _SAFE)
    if len(near):
        logs[near], ranks[near] = _with_skips(matrices[near])
    return logs, ranks


def _with_skips(matrices: Array) -> tuple[Array, Array]:
    """Return log determinants and ranks, skipping dimensions that the earlier ones determine."""
    left, logs, ranks = matrices.copy(), np.zeros(len(matrices)), np.zeros(len(matrices))
    for j in range(left.shape[1]):
        pivot = left[:, j, j]
        free = pivot > TOLERANCE
        logs += np.log(np.where(free, pivot, TOLERANCE))
        ranks += free
        line = np.where(free, 1.0 / np.where(free, pivot, 1.0), 0.0)[:, None] * left[:, j, j + 1 :]
        left[:, j + 1 :, j + 1 :] -= left[:, j + 1 :, j, None] * line[:, None, :]
    return logs, ranks


def _pairs(table: Table) -> list[tuple[Variable, NDArray[np.generic]]]:
    """Return the variables of a table with their columns."""
    return list(zip(table.variables, table.columns, strict=True))


def _alone(
    variable: Variable, column: NDArray[np.generic], rows: float, weights: Array | None
) -> float:
    """Return the largest log-likelihood of a column alone; 0 for a number that does not vary."""
    if variable.levels is not None:
        counts = np.bincount(column.astype(np.intp), weights)
        counts = counts[counts > 0]
        return float(counts @ np.log(counts / rows))
    part = Embedding.of(column, 0, np.ones(len(column)) if weights is None else weights, 1)
    return -rows * (np.log(part.sd) + 0.5 * np.log(2 * np.pi) + 0.5) if part.size else 0.0


# -- embedding -------------------------------------------------------------------------------------


class Embedding(NamedTuple):
    """The embedding of a column as columns of numbers: indicators of some levels, or polynomials.

    `kept` are the levels with an indicator, None for numbers, which are standardised by `centre` and `sd`.
    """

    kept: tuple[int, ...] | None
    centre: float = 0.0
    sd: float = 1.0
    degree: int = 1

    @classmethod
    def of(cls, column: NDArray[np.generic], levels: int, weights: Array, degree: int) -> Embedding:
        """Return the embedding of a column without missing values; `levels` is 0 for numbers."""
        if levels:
            counts = np.bincount(column.astype(np.intp), weights, minlength=levels)
            most = int(counts.argmax())
            return cls(tuple(k for k in range(levels) if counts[k] >= RARE and k != most))
        centre = float(np.average(column.astype(float), weights=weights))
        off = column.astype(float) - centre
        sd = float(np.sqrt(np.average(off**2, weights=weights)))
        constant = sd <= 1e-12 * max(1.0, abs(centre))
        return cls(None, centre, 1.0 if constant else sd, 0 if constant else degree)

    @property
    def size(self) -> int:
        """The number of embedded columns."""
        return self.degree if self.kept is None else len(self.kept)

    def columns(self, column: NDArray[np.generic]) -> Array:
        """Return the columns of numbers of some rows, (rows, size).

        >>> Embedding((1, 2)).columns(np.array([0, 1, 1, 2])).sum(axis=0).tolist()
        [2.0, 1.0]
        """
        if self.kept is not None:
            kept = np.array(self.kept, dtype=np.intp)
            return np.asarray(column.astype(np.intp)[:, None] == kept, dtype=float)
        z = (column.astype(float) - self.centre) / self.sd
        cut = np.clip(z, -_CUT, _CUT)
        powers = [z, *(cut**power for power in range(2, self.degree + 1))]
        return np.stack(powers[: self.degree], axis=1) if self.degree else np.zeros((len(z), 0))


def correlations(table: Table, degree: int) -> tuple[Array, list[tuple[int, ...]]]:
    """Return the correlation matrix of all embedded columns, and the positions of each column in it.

    The columns of a variable are made orthonormal, so that its block is an identity matrix.
    """
    weights = np.ones(table.rows) if table.weights is None else table.weights
    pairs = _pairs(table)
    parts = [Embedding.of(x, len(v.levels or ()), weights, degree) for v, x in pairs]
    ends = np.cumsum([0, *(part.size for part in parts)])
    sums, products = np.zeros(ends[-1]), np.zeros((ends[-1], ends[-1]))
    for low in range(0, table.rows, _CHUNK):
        rows = slice(low, low + _CHUNK)
        whole = np.concatenate(
            [part.columns(x[rows]) for part, (_, x) in zip(parts, pairs, strict=True)], axis=1
        )
        sums += weights[rows] @ whole
        products += (whole * weights[rows, None]).T @ whole
    mean = sums / weights.sum()
    covariance = products / weights.sum() - np.outer(mean, mean)
    turns = [_whitening_matrix(covariance[a:b, a:b]) for a, b in pairwise(ends.tolist())]
    inner = np.cumsum([0, *(turn.shape[1] for turn in turns)]).tolist()
    whole_turn = np.zeros((ends[-1], inner[-1]))
    for turn, (a, b), (c, d) in zip(turns, pairwise(ends), pairwise(inner), strict=True):
        whole_turn[a:b, c:d] = turn
    matrix = whole_turn.T @ covariance @ whole_turn
    return matrix, [tuple(range(c, d)) for c, d in pairwise(inner)]


def _whitening_matrix(covariance: Array) -> Array:
    """Return the matrix that makes columns with a covariance orthonormal."""
    variances = np.diag(covariance)
    if not len(variances):
        return covariance
    scale = np.sqrt(np.where(variances > _KEPT, variances, 1.0))  # z^2 of -1 and 1 is constant
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    positive = values > _KEPT
    return np.asarray(vectors[:, positive] / np.sqrt(values[positive]) / scale[:, None])


def degenerate_gaussian(fits: Fits, *, gamma: float = 0.5) -> Score:
    """Return the score of indicators and untransformed numbers as normal (degenerate Gaussian score)."""
    return EmbeddedScore(fits, 1, _checked_gamma(gamma))


def truncated_basis(fits: Fits, *, degree: int = 3, gamma: float = 0.5) -> Score:
    """Return the score of indicators and polynomials of numbers as normal (truncated basis score)."""
    if not isinstance(degree, int) or isinstance(degree, bool) or not 1 <= degree <= 9:
        raise FitError(f"degree must be an integer from 1 to 9, got {degree!r}.")
    return EmbeddedScore(fits, degree, _checked_gamma(gamma))


def _checked_gamma(gamma: float) -> float:
    if not 0 <= gamma < np.inf:
        raise FitError(f"gamma must be a non-negative number, got {gamma!r}.")
    return float(gamma)
