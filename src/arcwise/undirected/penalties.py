"""What the graphical lasso is asked: a covariance and a penalty for every entry, checked.

Bad input is answered in words, where it comes in. A problem then hands out blocks of itself, scaled so
that the covariance to be fitted has a unit diagonal: the graphical lasso with a matrix of penalties
does not change under scaling, Theta -> D Theta D, S -> S / DD, P -> P / DD.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import gather
from arcwise.errors import FitError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Pairs = Iterable[tuple[int, int]]

# Differences between mirror images, and correlations above one, up to here are rounding.
_ROUNDING = 1e-8


def checked_covariance(covariance: ArrayLike) -> Array:
    """Take a covariance matrix, or say what is wrong with it.

    Mirror images that differ by rounding are both replaced by their mean, so that no search depends on which
    of the two it looks at.

    Raises
    ------
    FitError : not square, not finite, not symmetric, a column without variance, or a correlation
        beyond one.

    Examples
    --------
    >>> checked_covariance([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    matrix: Array = np.ascontiguousarray(covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise FitError(f"A covariance is a square matrix, got one of shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise FitError(
            f"The covariance of {{columns}} is {matrix[row, column]}, but all have to be finite "
            "numbers; rows with gaps have to be left out or need pairwise moments.",
            [row, column],
        )
    variance = matrix.diagonal()
    if not (variance > 0).all():
        column = int(np.argmin(variance))
        raise FitError(
            f"{{columns}} has variance {variance[column]:g}, but a Gaussian network needs columns that "
            "vary; leave constant ones out.",
            [column],
        )
    _check_pairs_of_entries(matrix)
    return matrix if np.array_equal(matrix, matrix.T) else 0.5 * (matrix + matrix.T)


def _check_pairs_of_entries(matrix: Array) -> None:
    """Mirror images agree, and no correlation is beyond one."""
    root = np.sqrt(matrix.diagonal())
    work = matrix - matrix.T
    row, column = _largest(work, root)
    if work[row, column] > _ROUNDING:
        raise FitError(
            f"A covariance is symmetric, but entry ({row}, {column}) is {matrix[row, column]:.6g} and "
            f"({column}, {row}) is {matrix[column, row]:.6g}."
        )
    work[...] = matrix
    row, column = _largest(work, root)
    if work[row, column] > 1 + _ROUNDING:
        raise FitError(
            "The covariance is indefinite: {columns} would have a correlation of "
            f"{work[row, column]:.6g}; one from the same rows for all entries never is.",
            [row, column],
        )


def _largest(work: Array, root: Array) -> tuple[int, int]:
    """Make entries absolute and relative to standard deviations; the place of the largest."""
    np.abs(work, out=work)
    work /= root[:, None]
    work /= root
    place = int(work.argmax())
    return place // len(work), place % len(work)


def frozen(matrix: Array) -> Array:
    """Make an array read-only."""
    matrix.setflags(write=False)
    return matrix


class Piece(NamedTuple):
    """Some variables of a problem, scaled: moments / scale scale', penalties / scale scale'.

    It is `even` where the penalty beside the diagonal is one number before scaling.
    """

    members: Indices
    moments: Array
    penalties: Array
    scale: Array
    even: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """A covariance and its penalties.

    `off` is the penalty of the entries beside the diagonal, one number or a matrix whose infinite
    entries hold Theta at zero; `diagonal` that of the diagonal entries.
    """

    moments: Array
    off: float | Array
    diagonal: Array

    @classmethod
    def of(
        cls,
        covariance: Array,
        penalty: ArrayLike,
        *,
        factors: ArrayLike | None = None,
        penalise_diagonal: bool = True,
        required: Pairs | None = None,
        forbidden: Pairs | None = None,
    ) -> "Problem":
        """Check the penalty and the pairs against a checked covariance.

        `factors` is a matrix that the penalty is multiplied with, entry by entry.

        Raises
        ------
        FitError : a penalty that is negative, not a number or of the wrong shape, or a pair that is
            no pair of columns, or both required and forbidden.
        """
        size = len(covariance)
        off = _checked_penalty(penalty, size)
        if factors is not None:
            off = _multiplied(off, checked_factors(factors, size))
        own = np.full(size, off) if isinstance(off, float) else off.diagonal().copy()
        if penalise_diagonal and not np.isfinite(own).all():
            raise FitError(
                "The diagonal penalty of {columns} has to be finite; give a number, or leave the "
                "diagonal without penalty.",
                np.flatnonzero(~np.isfinite(own))[:1].tolist(),
            )
        off = _ruled(off, size, _checked_pairs(required, size), _checked_pairs(forbidden, size))
        return cls(covariance, off, own if penalise_diagonal else np.zeros(size))

    def table(self) -> Array:
        """The penalties beside the diagonal, (p, p), or (1, 1) where all are the same."""
        return np.full((1, 1), self.off) if isinstance(self.off, float) else self.off

    def piece(self, members: Indices) -> Piece:
        """Cut out some variables, scaled so that the fitted covariance has a unit diagonal."""
        scale = np.sqrt(self.moments.diagonal()[members] + self.diagonal[members])
        over = 1.0 / scale
        moments = gather(self.moments, members, over, over)
        if isinstance(self.off, float):
            penalties = np.outer(self.off * over, over)
        else:
            penalties = gather(self.off, members, over, over)
        np.fill_diagonal(penalties, self.diagonal[members] * over**2)
        np.fill_diagonal(moments, 1.0 - penalties.diagonal())
        return Piece(members, moments, penalties, scale, isinstance(self.off, float))


def checked_factors(factors: ArrayLike, size: int) -> Array:
    """Take a matrix of factors of the penalty, or say what is wrong with it.

    Examples
    --------
    >>> checked_factors([[1, 2], [2, 1]], 2)
    array([[1., 2.],
           [2., 1.]])
    """
    found = _checked_penalty(factors, size)
    if isinstance(found, float):
        raise FitError(f"Factors of the penalty are a matrix of shape {(size, size)}, not {found}.")
    return found


def _multiplied(off: float | Array, factors: Array) -> Array:
    """The product; infinite factors hold an entry at zero whatever the penalty."""
    held = np.isinf(factors)
    return np.where(held, np.inf, off * np.where(held, 1.0, factors))


def _checked_penalty(penalty: ArrayLike, size: int) -> float | Array:
    matrix: Array = np.ascontiguousarray(penalty, dtype=np.float64)
    if np.isnan(matrix).any() or (matrix < 0).any():
        raise FitError(f"A penalty is a non-negative number, got {np.min(matrix):g}.")
    if np.ndim(penalty) == 0:
        if not np.isfinite(matrix).all():
            raise FitError("A penalty is a finite number; to leave out an edge, forbid it.")
        return float(matrix.reshape(-1)[0])
    if matrix.shape != (size, size):
        raise FitError(
            f"Penalties are one number or a matrix of shape {(size, size)}, not {matrix.shape}."
        )
    if not np.array_equal(matrix, matrix.T):
        row, column = np.argwhere(matrix != matrix.T)[0]
        raise FitError(
            f"A matrix of penalties is symmetric, but entry ({row}, {column}) is "
            f"{matrix[row, column]:g} and ({column}, {row}) is {matrix[column, row]:g}."
        )
    return matrix


def _checked_pairs(pairs: Pairs | None, size: int) -> set[tuple[int, int]]:
    found = {(min(pair), max(pair)) for pair in pairs or ()}
    for one, two in found:
        if not 0 <= one < two < size:
            raise FitError(
                f"({one}, {two}) is not a pair of two columns out of 0 to {size - 1}; rules for the "
                "graphical lasso are pairs of column numbers."
            )
    return found


def _ruled(
    off: float | Array, size: int, required: set[tuple[int, int]], forbidden: set[tuple[int, int]]
) -> float | Array:
    """No penalty for required pairs, an infinite one for forbidden pairs."""
    if both := required & forbidden:
        raise FitError(f"The pair {min(both)} is both required and forbidden.")
    if not required and not forbidden:
        return off
    matrix: Array = np.full((size, size), off) if isinstance(off, float) else off.copy()
    for pairs, value in ((required, 0.0), (forbidden, np.inf)):
        for one, two in pairs:
            matrix[one, two] = matrix[two, one] = value
    return matrix
