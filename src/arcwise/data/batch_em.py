"""EM of mean and covariance for rows that come in batches, such as those of a file larger than memory.

A first pass gathers the observed values of each column and the rows that have each pair. Each round of EM
(`normal_em`) is one more pass, since expected sums add up over batches. It starts from the moments of the
complete rows if these are many, which saves most rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from arcwise.data.moments import Moments
from arcwise.data.normal_em import RIDGE, NormalEstimate, Patterns, maximise_normal

__all__ = ["ObservedSums", "fit_batches"]

Floats = NDArray[np.float64]
Batch = tuple[Floats, Floats | None]
Batches = Callable[[], Iterator[Batch]]

TOLERANCE = 1e-7
"""Nats per row that a round must gain to continue: a tenth of a nat with a million rows."""

_MANY = 10  # complete rows per column, from which these are the start


class ObservedSums:
    """Sums of the observed values of each column, and the number of rows that have each pair of columns.

    >>> sums = ObservedSums(2)
    >>> sums.add(np.array([[1.0, 2.0], [3.0, np.nan]]), None)
    >>> sums.centre.tolist(), sums.pairs.tolist()
    ([2.0, 2.0], [[2.0, 1.0], [1.0, 1.0]])
    """

    def __init__(self, size: int) -> None:
        self.pairs = np.zeros((size, size))
        self.rows, self.total, self.cells = 0, 0.0, np.zeros(size)
        self._shift, self._sums, self._squares = (
            np.full(size, np.nan),
            np.zeros(size),
            np.zeros(size),
        )

    def add(self, rows: Floats, weights: Floats | None) -> None:
        """Add a batch of rows, which may have missing values."""
        there = ~np.isnan(rows)
        heights = np.ones(len(rows)) if weights is None else weights
        fresh = np.isnan(self._shift) & there.any(axis=0)
        first = there.argmax(axis=0)
        self._shift[fresh] = rows[first[fresh], np.flatnonzero(fresh)]
        weighted = there * heights[:, None]
        off = np.where(there, rows - self._shift, 0.0)
        self._sums += heights @ off
        self._squares += heights @ off**2
        self.pairs += weighted.T @ there
        self.rows += len(rows)
        self.cells += there.sum(axis=0)
        self.total += float(heights[there.any(axis=1)].sum())

    @property
    def centre(self) -> Floats:
        """The mean of the observed values of each column."""
        result: Floats = self._shift + self._sums / np.diag(self.pairs)
        return result

    @property
    def scale(self) -> Floats:
        """The standard deviation of the observed values; 0 of a column that does not vary."""
        counts = np.diag(self.pairs)
        variance = self._squares / counts - (self._sums / counts) ** 2
        spread = np.sqrt(np.maximum(variance, 0.0))
        return np.where(spread > 1e-7 * np.sqrt(self._squares / counts), spread, 0.0)


class _StandardBatches:
    """Rows in batches, in standard units, as EM takes them (see `Patterns`)."""

    def __init__(
        self, batches: Batches, sums: ObservedSums, kept: NDArray[np.bool_], total: float
    ) -> None:
        self.batches, self.kept, self.total = batches, kept, total
        self.centre, self.scale = sums.centre[kept], sums.scale[kept]

    def expect(
        self, mean: Floats, covariance: Floats, precision: Floats
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood of the observed values, and the expected mean and covariance."""
        loglik, step, squares = 0.0, np.zeros_like(mean), np.zeros_like(covariance)
        for rows, weights in self.batches():
            standard = (rows[:, self.kept] - self.centre) / self.scale
            there = ~np.isnan(standard).all(axis=1)
            heights = np.ones(len(rows)) if weights is None else weights
            part = Patterns(standard[there], heights[there])
            own, centre, spread = part.expect(mean, covariance, precision)
            off = centre - mean
            loglik += own
            step += part.total * off
            squares += part.total * (spread + np.outer(off, off))
        step /= self.total
        return loglik, mean + step, squares / self.total - np.outer(step, step)


def fit_batches(
    batches: Batches, sums: ObservedSums, complete: Moments | None, prior: float
) -> NormalEstimate:
    """Fit mean and covariance by EM, a pass over all batches per round.

    Parameters
    ----------
    batches : gives all rows again, with their weights, at each call.
    sums : of all rows.
    complete : the moments of the complete rows; None if there are none.
    prior : rows of unrelated columns that are added (see `normal_em.fit_normal`).
    """
    size = len(sums.pairs)
    kept = sums.scale > 0
    centre, scale = sums.centre, sums.scale
    mean, covariance = centre.copy(), np.zeros((size, size))
    if not kept.any():
        return NormalEstimate(mean, covariance, (), True)
    total = _total(batches, sums, kept)
    rows = _StandardBatches(batches, sums, kept, total)
    own = prior * np.eye(int(kept.sum()))

    def update(mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        return mean, (total * covariance + own) / (total + prior)

    begin, spread = np.zeros(len(own)), np.eye(len(own))
    if complete is not None and complete.n >= _MANY * size:
        begin = (complete.mean[kept] - centre[kept]) / scale[kept]
        spread = complete.scatter[np.ix_(kept, kept)] / complete.n
        spread = spread / np.outer(scale[kept], scale[kept]) + RIDGE * np.eye(len(own))
    fit = maximise_normal(rows, begin, spread, update, prior, tolerance=TOLERANCE * total)
    mean[kept] += scale[kept] * fit.mean
    covariance[np.ix_(kept, kept)] = fit.covariance * np.outer(scale[kept], scale[kept])
    return NormalEstimate(mean, covariance, fit.logliks, fit.converged)


def _total(batches: Batches, sums: ObservedSums, kept: NDArray[np.bool_]) -> float:
    """Return the weight of the rows that have a value in a column that varies."""
    if kept.all():
        return sums.total
    parts = ((~np.isnan(rows[:, kept]).all(axis=1), weights) for rows, weights in batches())
    return float(sum(t.sum() if w is None else w[t].sum() for t, w in parts))
