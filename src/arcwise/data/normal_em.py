r"""Maximum likelihood of a normal distribution from rows with missing values, by EM.

Each round fills the missing values of a row by their mean given the observed values, and adds their
conditional covariance (Orchard and Woodbury 1972; Dempster, Laird and Rubin 1977; Little and Rubin 2019,
section 11.2). The likelihood of the observed values, which no round lowers, is

.. math:: \sum_i w_i \log N(x_{i,o} \mid \mu_o, \Sigma_{oo}), \quad o \text{ observed in row } i .

Rows with the same columns missing form a pattern and share their matrices. With K the inverse of the
covariance, the missing values have the mean :math:`\mu_m - K_{mm}^{-1} K_{mo} (x_o - \mu_o)` and the
covariance :math:`K_{mm}^{-1}`: matrices of the size of the missing part. If most values of a row are missing,
the covariance of the observed ones is the smaller matrix. Patterns of equal size are computed in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NormalEstimate", "Patterns", "StandardRows", "fit_normal", "maximise_normal"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Update = Callable[[Floats, Floats], tuple[Floats, Floats]]

MAX_ROUNDS = 500
"""Rounds of EM; about a hundred are needed with half of the values missing."""

TOLERANCE = 1e-4
"""Least gain of a round in nats, far below any difference between graphs that matters."""

RIDGE = 1e-6
"""Rows of unrelated columns that keep the covariance of copies invertible, with no other effect."""

_BLOCK = 1 << 21  # numbers in a batch of matrices: 16 MB


class NormalEstimate(NamedTuple):
    """A normal distribution fitted to rows with missing values.

    `logliks` are the log-likelihoods of the observed values at the start of each round.
    """

    mean: Floats
    covariance: Floats
    logliks: tuple[float, ...]
    converged: bool


class Expected(Protocol):
    """Rows with missing values, in whatever form, and what a normal distribution expects of them."""

    def expect(
        self, mean: Floats, covariance: Floats, precision: Floats
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood of the observed values, and the expected mean and covariance."""


class _Batch(NamedTuple):
    """Patterns with equally many columns missing.

    `hidden` and `seen` are the missing and the observed columns of each pattern, `rows` the row numbers, and
    `pattern` the index of each row's pattern.
    """

    hidden: Numbers
    seen: Numbers
    rows: Numbers
    pattern: Numbers


class Patterns:
    """Rows with missing values, grouped by the columns that are missing.

    Parameters
    ----------
    rows : a matrix with NaN for missing values; each row has a value.
    weights : row weights.
    """

    def __init__(self, rows: Floats, weights: Floats) -> None:
        self.gaps = np.isnan(rows)
        self.rows = np.where(self.gaps, 0.0, rows)
        self.weights, self.total = weights, float(weights.sum())
        self.observed = float(weights @ (~self.gaps).sum(axis=1))
        packed = np.packbits(self.gaps, axis=1)
        _, first, pattern = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        self.batches = tuple(_batches(self.gaps[first], pattern.ravel()))

    def expect(
        self, mean: Floats, covariance: Floats, precision: Floats
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood of the observed values, and the expected mean and covariance."""
        values = np.where(self.gaps, 0.0, self.rows - mean)
        slopes, squares = values @ precision, np.zeros_like(covariance)
        logdet = float(np.linalg.slogdet(covariance)[1])
        log_dets = np.full(len(values), logdet)
        for batch in self.batches:
            if batch.hidden.shape[1] <= batch.seen.shape[1]:
                more, means, spread = _fill_few(batch, precision, slopes)
                log_dets[batch.rows] += more
            else:
                log_dets[batch.rows], means, spread = _fill_many(batch, covariance, values)
            values[batch.rows[:, None], batch.hidden[batch.pattern]] = means
            _add_spread(squares, batch, spread, self.weights)
        quadratic = np.einsum("ij,ij->i", values @ precision, values)
        loglik = -0.5 * float(self.weights @ (log_dets + quadratic))
        loglik -= 0.5 * self.observed * np.log(2 * np.pi)
        step = self.weights @ values / self.total
        squares += (values * self.weights[:, None]).T @ values
        return loglik, mean + step, squares / self.total - np.outer(step, step)


def _batches(gaps: NDArray[np.bool_], pattern: Numbers) -> Iterator[_Batch]:
    """Yield patterns with missing values, in batches of equal size that fit into memory."""
    n_hidden, size = gaps.sum(axis=1), gaps.shape[1]
    by_pattern = np.argsort(pattern, kind="stable")
    ends = np.searchsorted(pattern[by_pattern], np.arange(len(gaps) + 1))
    for many in np.unique(n_hidden[n_hidden > 0]).tolist():
        alike, width = np.flatnonzero(n_hidden == many), max(many, size - many)
        height = max(1, _BLOCK // max(1, min(many, size - many) * width))
        for start in range(0, len(alike), height):
            part = alike[start : start + height]
            columns = np.argsort(~gaps[part], axis=1, kind="stable")
            rows = [by_pattern[ends[i] : ends[i + 1]] for i in part]
            positions = np.repeat(np.arange(len(part)), [len(row_numbers) for row_numbers in rows])
            yield _Batch(columns[:, :many], columns[:, many:], np.concatenate(rows), positions)


def _invert(matrices: Floats) -> tuple[Floats, Floats]:
    """Return the inverses of positive definite matrices, and the logarithms of their determinants."""
    lower = np.linalg.cholesky(matrices)
    inverse = np.linalg.inv(lower)
    log_dets = 2 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    return inverse.transpose(0, 2, 1) @ inverse, log_dets


def _submatrices(matrix: Floats, rows: Numbers, columns: Numbers) -> Floats:
    return matrix[rows[:, :, None], columns[:, None, :]]


def _fill_few(batch: _Batch, precision: Floats, slopes: Floats) -> tuple[Floats, Floats, Floats]:
    """Impute with the precision of the missing columns: log determinants, means, and covariances by
    pattern.
    """
    hidden, pattern = batch.hidden, batch.pattern
    spread, log_dets = _invert(_submatrices(precision, hidden, hidden))
    sums = slopes[batch.rows[:, None], hidden[pattern]]
    means = -np.einsum("rij,rj->ri", spread[pattern], sums)
    return log_dets[pattern], means, spread


def _fill_many(batch: _Batch, covariance: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Impute with the covariance of the observed columns."""
    hidden, seen, pattern = batch.hidden, batch.seen, batch.pattern
    inverse, log_dets = _invert(_submatrices(covariance, seen, seen))
    across = _submatrices(covariance, hidden, seen)
    slopes = across @ inverse
    spread = _submatrices(covariance, hidden, hidden) - slopes @ across.transpose(0, 2, 1)
    observed = values[batch.rows[:, None], seen[pattern]]
    means = np.einsum("rij,rj->ri", slopes[pattern], observed)
    return log_dets[pattern], means, spread


def _add_spread(squares: Floats, batch: _Batch, spread: Floats, weights: Floats) -> None:
    """Add the covariances of missing values, weighted by pattern."""
    hidden, size = batch.hidden, len(squares)
    counts = np.bincount(batch.pattern, weights[batch.rows], len(hidden))
    cells = hidden[:, :, None] * size + hidden[:, None, :]
    sums = np.bincount(cells.ravel(), (spread * counts[:, None, None]).ravel(), size * size)
    squares += sums.reshape(size, size)


class StandardRows(NamedTuple):
    """Rows with missing values in standard units, without the columns that do not vary.

    A value is `centre` + `scale` times the standard one; `patterns` has the columns that are `varying`.
    """

    patterns: Patterns
    centre: Floats
    scale: Floats
    varying: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: Floats, weights: Floats) -> StandardRows | None:
        """Standardise the columns by their observed values; None if none varies."""
        gaps = np.isnan(rows)
        counts = np.where(gaps, 0.0, weights[:, None])
        n_seen = counts.sum(axis=0)
        first = rows[(~gaps).argmax(axis=0), np.arange(rows.shape[1])]
        shifted = np.where(gaps, 0.0, rows - first)  # a large mean costs no digits
        centre = first + (counts * shifted).sum(axis=0) / n_seen
        deviations = np.where(gaps, 0.0, rows - centre)
        scale = np.sqrt((counts * deviations**2).sum(axis=0) / n_seen)
        varying = scale > 1e-13 * np.abs(centre)
        if not varying.any():
            return None
        standard = (rows[:, varying] - centre[varying]) / scale[varying]
        there_are = ~np.isnan(standard).all(axis=1)
        patterns = Patterns(standard[there_are], weights[there_are])
        return cls(patterns, centre, scale, varying)

    def in_units(self, fit: NormalEstimate) -> NormalEstimate:
        """Return an estimate in the units of the data, with the columns that do not vary."""
        mean, covariance = self.centre.copy(), np.zeros((len(self.centre), len(self.centre)))
        scale = self.scale[self.varying]
        mean[self.varying] += scale * fit.mean
        covariance[np.ix_(self.varying, self.varying)] = fit.covariance * np.outer(scale, scale)
        counts = self.patterns.weights @ ~self.patterns.gaps
        logliks = tuple(loglik - float(counts @ np.log(scale)) for loglik in fit.logliks)
        return NormalEstimate(mean, covariance, logliks, fit.converged)

    def fit(self, prior: float = RIDGE, stop: Callable[[], bool] | None = None) -> NormalEstimate:
        """Fit mean and covariance, in standard units, with rows of unrelated columns added.

        `stop` may end it early (see `maximise_normal`).
        """
        size, total = int(self.varying.sum()), self.patterns.total
        prior_rows = prior * np.eye(size)

        def update(mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
            return mean, (total * covariance + prior_rows) / (total + prior)

        return maximise_normal(self.patterns, np.zeros(size), np.eye(size), update, prior, stop)


def fit_normal(rows: Floats, weights: Floats, *, prior: float = RIDGE) -> NormalEstimate:
    """Fit mean and covariance by EM; a column without variance is unrelated to all others.

    Parameters
    ----------
    rows : a matrix with NaN for missing values; each column has a value.
    weights : row weights.
    prior : rows of unrelated columns with the observed variances that are added. Each round then increases
        the log-likelihood less prior / 2 (tr K - log |K|), K the precision, which `logliks` has.

    >>> nan = np.nan
    >>> fit = fit_normal(np.array([[0.0, 0.0], [2.0, 2.5], [4.0, 3.5], [6.0, nan]]), np.ones(4))
    >>> fit.converged, fit.mean.round(2).tolist()
    (True, [3.0, 2.87])
    """
    standard = StandardRows.of(rows, weights)
    if standard is None:
        size = rows.shape[1]
        return NormalEstimate(np.nanmean(rows, axis=0), np.zeros((size, size)), (), True)
    return standard.in_units(standard.fit(prior))


def maximise_normal(
    patterns: Expected,
    mean: Floats,
    covariance: Floats,
    update: Update,
    prior: float = 0.0,
    stop: Callable[[], bool] | None = None,
    tolerance: float = TOLERANCE,
) -> NormalEstimate:
    """Run EM from a normal distribution until a round gains little.

    Parameters
    ----------
    patterns : the rows, in standard units.
    mean, covariance : the start.
    update : makes expected moments those of a model, such as a graph's.
    prior : rows of unrelated columns that the update adds.
    stop : asked before each further round; True ends the work before it has converged.
    tolerance : nats that a round must gain to continue.
    """
    logliks: list[float] = []
    for _ in range(MAX_ROUNDS):
        if stop is not None and logliks and stop():
            break
        precision = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
        loglik, centre, squares = patterns.expect(mean, covariance, precision)
        if prior:
            loglik -= 0.5 * prior * (np.trace(precision) + np.linalg.slogdet(covariance)[1])
        logliks.append(float(loglik))
        if len(logliks) > 1 and logliks[-1] - logliks[-2] < tolerance:
            return NormalEstimate(mean, covariance, tuple(logliks), True)
        mean, covariance = update(centre, 0.5 * (squares + squares.T))
    return NormalEstimate(mean, covariance, tuple(logliks), False)
