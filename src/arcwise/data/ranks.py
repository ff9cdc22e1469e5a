r"""Moments that do not trust the numbers as they are: ranks, and columns with gaps.

The *nonparanormal* model says that each column is an unknown increasing function of a Gaussian one. Two
ways lead back:

* normal scores (H. Liu, J. Lafferty and L. Wasserman, "The nonparanormal", JMLR 10 (2009)): values are
  replaced by normal quantiles of their ranks, cut off at

  .. math:: \delta_n = \frac{1}{4 n^{1/4} \sqrt{\pi \log n}}

* the correlations that ranks imply (Liu, Han, Yuan, Lafferty and Wasserman 2012, the "skeptic"):
  2 sin(pi r / 6) for Spearman's r.

With gaps, each covariance can use the rows that have both columns. Such a matrix, like the skeptic's,
may be indefinite; `repaired` puts that right and says by how much.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError

Floats = NDArray[np.float64]

# The smallest eigenvalue of correlations after a repair.
_FLOOR = 1e-4


class Repair(NamedTuple):
    """A positive definite matrix near another.

    `least` is the smallest eigenvalue of the correlations before, `changed` the largest change of a
    correlation, `note` the same in words (empty where nothing had to be done).
    """

    matrix: Floats
    least: float
    changed: float
    note: str


class Pairwise(NamedTuple):
    """Moments of columns with gaps.

    `rows` counts, for every pair, the rows with both; `repair` tells what was changed to make the
    covariance positive definite.
    """

    mean: Floats
    covariance: Floats
    rows: NDArray[np.int64]
    repair: Repair


def normal_scores(column: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Replace numbers by normal quantiles of their ranks, with mean 0 and variance 1.

    Parameters
    ----------
    column : numbers; NaN is a gap and stays one. Equal numbers share the mean of their ranks.
    weights : how often each row counts.

    Raises
    ------
    DataError : fewer than two different numbers.

    Examples
    --------
    >>> normal_scores([1.0, 10.0, 1000.0]).round(3)
    array([-1.225,  0.   ,  1.225])
    """
    from scipy.special import ndtri

    values = np.asarray(column, dtype=np.float64)
    count = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    known = ~np.isnan(values) & (count > 0)
    _, group = np.unique(values[known], return_inverse=True)
    if group.max(initial=0) < 1:
        raise DataError("Normal scores need a column with at least two different numbers.")
    inside = count[known]
    total = float(inside.sum())
    mass = np.bincount(group, inside)
    share = (np.cumsum(mass) - 0.5 * mass) / total  # the mean rank of a group, less a half
    # From the article; never more than a small sample bears.
    cut = 1.0 / (4.0 * total**0.25 * np.sqrt(np.pi * np.log(max(total, 2.0))))
    scores = ndtri(np.clip(share, cut, 1.0 - cut))[group]
    mean = float(inside @ scores) / total
    sd = float(np.sqrt(inside @ (scores - mean) ** 2 / total))
    found = np.full(len(values), np.nan)
    found[known] = (scores - mean) / sd
    return found


def pairwise(rows: ArrayLike, *, floor: float = _FLOOR) -> Pairwise:
    """Moments of columns with gaps: each entry from the rows that have both columns.

    Variances use all numbers of a column; a covariance is the correlation over common rows times the two
    standard deviations. Divisors are numbers of rows.

    Parameters
    ----------
    rows : numbers, NaN for gaps.
    floor : smallest eigenvalue of the correlations that is let be.

    Raises
    ------
    DataError : two columns with fewer than two common rows, or that do not vary there.

    Examples
    --------
    >>> found = pairwise([[0.0, 1.0], [2.0, np.nan], [4.0, 5.0], [2.0, 4.0]])
    >>> found.rows.tolist(), found.covariance.round(3).tolist()
    ([[4, 3], [3, 3]], [[2.0, 2.309], [2.309, 2.889]])
    """
    x = np.asarray(rows, dtype=np.float64)
    known = ~np.isnan(x)
    count = known.sum(axis=0)
    if x.ndim != 2 or not (count > 0).all():
        raise DataError("Pairwise moments need rows of columns that each have a number.")
    mean = np.where(known, x, 0.0).sum(axis=0) / count
    z, present = np.where(known, x - mean, 0.0), known.astype(np.float64)
    both = present.T @ present
    if both.min() < 2:
        pair = np.unravel_index(int(both.argmin()), both.shape)
        raise DataError(
            f"{{columns}} have {int(both.min())} rows in common; two are needed at least.",
            map(int, pair),
        )
    correlation = _common_correlations(z, present, both)
    sd = np.sqrt(np.sum(z**2, axis=0) / count)
    repair = repaired(correlation, floor=floor)
    covariance = repair.matrix * np.outer(sd, sd)
    return Pairwise(mean, covariance, both.astype(np.int64), repair)


def repaired(matrix: ArrayLike, *, floor: float = _FLOOR) -> Repair:
    """Make a symmetric matrix positive definite: eigenvalues of its correlations raised to a floor.

    The diagonal is kept. Nothing changes where no eigenvalue lies below the floor, or where none is
    negative beyond rounding (a singular covariance is left as it is).

    Examples
    --------
    >>> found = repaired([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    >>> round(found.least, 3), round(found.changed, 3)
    (-0.8, 0.4)
    """
    given: Floats = np.array(matrix, dtype=np.float64)
    sd = np.sqrt(given.diagonal())
    correlation = given / np.outer(sd, sd)
    values, vectors = np.linalg.eigh(correlation)
    least = float(values[0])
    if least > -1e-8:
        return Repair(given, least, 0.0, "")
    better = (vectors * np.maximum(values, floor)) @ vectors.T
    own = np.sqrt(better.diagonal())
    better /= np.outer(own, own)
    changed = float(np.abs(better - correlation).max())
    raised = int(np.sum(values < floor))
    note = (
        f"The matrix of pairwise moments was indefinite (smallest eigenvalue of the correlations "
        f"{least:.3g}); raising {raised} eigenvalue{'s' * (raised != 1)} to {floor:g} changed "
        f"correlations by up to {changed:.3g}."
    )
    return Repair(better * np.outer(sd, sd), least, changed, note)


def _common_correlations(z: Floats, present: Floats, both: Floats) -> Floats:
    """Correlations over the rows that two columns have in common, each with its own means."""
    sums, squares = z.T @ present, (z**2).T @ present
    variance = squares / both - (sums / both) ** 2
    product = z.T @ z / both - (sums / both) * (sums.T / both)
    least = np.minimum(variance, variance.T)
    if not (least > 0).all():
        pair = np.unravel_index(int(least.argmin()), least.shape)
        raise DataError("In the rows that {columns} share, one does not vary.", map(int, pair))
    found: Floats = np.clip(product / np.sqrt(variance * variance.T), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found
