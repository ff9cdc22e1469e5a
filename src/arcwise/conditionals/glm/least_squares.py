"""Small least-squares problems from sums of products, and which further columns would help most."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.lapack import dposv, dpotrf, dpotrs
from arcwise.conditionals.base import Array

__all__ = ["LeastSquares", "gains", "independent", "solve"]

_REDUNDANT = 1e-8
"""Share of a column's sum of squares, beyond the columns before it, below which it is redundant."""


class LeastSquares(NamedTuple):
    """The columns that are not redundant, their coefficients, and the factor of their products."""

    kept: NDArray[np.intp]
    coefficients: Array
    factor: Array


def independent(gram: Array) -> NDArray[np.intp]:
    """The columns that do not follow from those before them.

    >>> independent(np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [0, 2]
    """
    size = np.diag(gram)
    factor, info = dpotrf(gram, clean=0)
    if not info and (np.diag(factor) ** 2 > _REDUNDANT * size).all():
        return np.arange(len(gram))
    left, kept = gram.copy(), []
    for j in range(len(gram)):
        if left[j, j] > _REDUNDANT * size[j]:
            kept.append(j)
            left = left - np.outer(left[:, j], left[j]) / left[j, j]
    return np.array(kept, dtype=np.intp)


def solve(gram: Array, right: Array) -> LeastSquares:
    """Coefficients of least squares; redundant columns are left out."""
    factor, found, info = dposv(gram, right)
    if not info and (np.diag(factor) ** 2 > _REDUNDANT * np.diag(gram)).all():
        return LeastSquares(np.arange(len(gram)), found, factor)
    kept = independent(gram)
    factor, found, _ = dposv(gram[np.ix_(kept, kept)], right[kept])
    return LeastSquares(kept, found, factor)


def gains(
    factor: Array, cross: Array, own: Sequence[Array], slopes: Array, ends: Sequence[int]
) -> list[tuple[float, int]]:
    """What blocks of further columns would gain, each beside the columns of a solution, and their ranks.

    Parameters
    ----------
    factor : of the products of the columns there are.
    cross : (further, columns) products of further columns with these.
    own : the products of each block with itself.
    slopes : (further,) products of the further columns with what is left to explain.
    ends : where each block ends.
    """
    explained, _ = dpotrs(factor, cross.T)
    found, first = [], 0
    for block, end in zip(own, ends, strict=True):
        rest = block - cross[first:end] @ explained[:, first:end]
        found.append(_gain(rest, np.diag(block), slopes[first:end]))
        first = end
    return found


def _gain(rest: Array, size: Array, slopes: Array) -> tuple[float, int]:
    if len(slopes) == 1:
        small = not rest[0, 0] > _REDUNDANT * size[0]
        return (0.0, 0) if small else (float(slopes[0] ** 2 / rest[0, 0]), 1)
    factor, found, info = dposv(rest, slopes)
    if info or not (np.diag(factor) ** 2 > _REDUNDANT * size).all():
        kept = [j for j in range(len(size)) if rest[j, j] > _REDUNDANT * size[j]]
        chosen = [kept[j] for j in independent(rest[np.ix_(kept, kept)])] if kept else []
        if not chosen:
            return 0.0, 0
        factor, found, _ = dposv(rest[np.ix_(chosen, chosen)], slopes[chosen])
        return float(slopes[chosen] @ found), len(chosen)
    return float(slopes @ found), len(slopes)
