"""Convergence of chains: R-hat, effective sample size, Monte-Carlo error.

Every chain is split into halves. With W the mean of their variances and B the variance of their means,

    var+ = (n - 1)/n W + B,      R-hat = sqrt(var+ / W)

is near one when all halves agree; it is computed on normal scores of ranks, so that heavy tails do
not hide disagreement (Vehtari, Gelman, Simpson, Carpenter and Burkner 2021). The effective sample
size is m n / (1 + 2 sum rho_t), the autocorrelations rho_t = 1 - (W - mean autocovariance) / var+
summed in pairs as long as the pairs are positive, and made monotone (Geyer 1992). The standard
error of a mean is its standard deviation over the square root of that size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Mixing(NamedTuple):
    """Diagnostics of the chains of each row: standard error of the mean, R-hat, effective sample size."""

    error: Array
    rhat: Array
    ess: Array

    @classmethod
    def exact(cls, *shape: int) -> Mixing:
        """Return the diagnostics of rows that need no chains."""
        return cls(np.zeros(shape), np.ones(shape), np.full(shape, np.inf))


def diagnose(values: Array) -> Mixing:
    """Return the diagnostics of chains of numbers.

    Parameters
    ----------
    values : sweeps by rows by chains.

    Returns
    -------
    Mixing, one entry per row. Numbers that never change have error 0, R-hat 1 and their full number.

    >>> values = np.random.default_rng(1).normal(size=(200, 1, 4))
    >>> mixing = diagnose(values)
    >>> bool(mixing.rhat[0] < 1.02), bool(500 < mixing.ess[0] < 1200)
    (True, True)
    """
    rows = np.moveaxis(values, 1, 0)  # rows by sweeps by chains
    size = effective_size(rows)
    still = _still(rows)
    spread = np.where(still, 0.0, rows.reshape(len(rows), -1).std(axis=1))
    return Mixing(spread / np.sqrt(size), split_rhat(rows), size)


def _still(rows: Array) -> NDArray[np.bool_]:
    """Return the rows whose numbers differ by rounding at most."""
    flat = rows.reshape(len(rows), -1)
    same: NDArray[np.bool_] = np.ptp(flat, axis=1) <= 1e-12 * np.abs(flat).max(axis=1)
    return same


def _halves(rows: Array) -> Array:
    """Return chains split in two: rows by sweeps / 2 by chains x 2; an odd sweep in the middle is dropped."""
    half = rows.shape[1] // 2
    return np.concatenate([rows[:, :half], rows[:, rows.shape[1] - half :]], axis=2)


def split_rhat(rows: Array) -> Array:
    """Split R-hat on normal scores of ranks, for numbers given rows by sweeps by chains."""
    from scipy.special import ndtri

    if rows.shape[1] < 4:
        return np.full(len(rows), np.nan)
    flat = rows.reshape(len(rows), -1)
    halves = _halves(ndtri((_ranks(flat) - 0.375) / (flat.shape[1] + 0.25)).reshape(rows.shape))
    within = halves.var(axis=1, ddof=1).mean(axis=1)
    n = halves.shape[1]
    total = (n - 1) / n * within + halves.mean(axis=1).var(axis=1, ddof=1)
    out: Array = np.sqrt(total / np.maximum(within, 1e-300))
    return np.where(_still(rows), 1.0, out)


def _ranks(flat: Array) -> Array:
    """Return ranks from 1 on in each row; equal numbers get the mean of their ranks."""
    order = np.argsort(flat, axis=1, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=1)
    places = np.arange(flat.shape[1])
    new = np.ones(flat.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    ends = np.ones(flat.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.where(ends, places, flat.shape[1] - 1)[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    ranks = np.empty(flat.shape)
    np.put_along_axis(ranks, order, 1.0 + (first + last) / 2.0, axis=1)
    return ranks


def effective_size(rows: Array) -> Array:
    """Return the effective sample size of the mean, for numbers given rows by sweeps by chains."""
    count = rows.shape[1] * rows.shape[2]
    if rows.shape[1] < 8:  # too short to tell: each chain counts once
        return np.full(len(rows), float(rows.shape[2]))
    halves = _halves(rows)
    n = halves.shape[1]
    covariance = _autocovariance(halves)
    within = covariance[:, 0] * n / (n - 1)
    total = covariance[:, 0] + halves.mean(axis=1).var(axis=1, ddof=1)
    safe = np.where(total > 0, total, 1.0)[:, None]
    rho = 1.0 - (within[:, None] - covariance) / safe
    rho[:, 0] = 1.0
    pairs = rho[:, 0 : n - n % 2 : 2] + rho[:, 1 : n - n % 2 + 1 : 2]
    positive = np.cumprod(pairs > 0, axis=1)
    tau = -1.0 + 2.0 * (np.minimum.accumulate(np.maximum(pairs, 0.0), axis=1) * positive).sum(
        axis=1
    )
    size = count / np.maximum(tau, 1.0 / np.log10(count))  # antithetic chains may claim no more
    return np.where(_still(rows), float(count), size)


def _autocovariance(halves: Array) -> Array:
    """Return the mean autocovariance of the chains at every lag (divisor n), by Fourier transform."""
    n = halves.shape[1]
    centred = halves - halves.mean(axis=1, keepdims=True)
    size = 1 << (2 * n - 1).bit_length()
    power = np.abs(np.fft.rfft(centred, size, axis=1)) ** 2
    lags: Array = np.fft.irfft(power.mean(axis=2), size, axis=1)[:, :n] / n
    return lags
