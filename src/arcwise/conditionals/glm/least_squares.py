"""Small least-squares problems from sums of products, and which further columns would help most."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.lapack import dposv, dpotrf, dpotrs
from arcwise.conditionals.base import Array

__all__ = ["LeastSquares", "diagonal_blocks", "gains", "independent", "solve", "submatrix"]

_REDUNDANT = 1e-8
"""Share of a column's sum of squares, beyond the columns before it, below which it is redundant."""


class LeastSquares(NamedTuple):
    """The columns that are not redundant, their coefficients, and the factor of their products."""

    kept: NDArray[np.intp]
    coefficients: Array
    factor: Array


def submatrix(matrix: Array, rows: Sequence[int], columns: Sequence[int]) -> Array:
    """Some rows and columns of a matrix; `np.ix_` takes five times as long for small ones."""
    found: Array = matrix[np.array(rows, dtype=np.intp)[:, None], columns]
    return found


def diagonal_blocks(matrix: Array, ends: Sequence[int]) -> list[Array]:
    """The square blocks on the diagonal of a matrix that end at these columns."""
    return [matrix[a:b, a:b] for a, b in pairwise([0, *ends])]


def independent(gram: Array) -> NDArray[np.intp]:
    """The columns that do not follow from those before them.

    >>> independent(np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [0, 2]
    """
    size = gram.diagonal()
    factor, info = dpotrf(gram, clean=0)
    if not info and (factor.diagonal() ** 2 > _REDUNDANT * size).all():
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
    if not info and (factor.diagonal() ** 2 > _REDUNDANT * gram.diagonal()).all():
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
    known, found, first = cross @ explained, [], 0
    single, least = slopes.tolist(), known.diagonal().tolist()
    for block, end in zip(own, ends, strict=True):
        if end - first == 1:
            size = float(block[0, 0])
            rest = size - least[first]
            small = not rest > _REDUNDANT * size
            found.append((0.0, 0) if small else (single[first] ** 2 / rest, 1))
        else:
            rests = block - known[first:end, first:end]
            found.append(_gain(rests, block.diagonal(), slopes[first:end]))
        first = end
    return found


def _gain(rest: Array, size: Array, slopes: Array) -> tuple[float, int]:
    factor, found, info = dposv(rest, slopes)
    if info or not (factor.diagonal() ** 2 > _REDUNDANT * size).all():
        kept = [j for j in range(len(size)) if rest[j, j] > _REDUNDANT * size[j]]
        chosen = [kept[j] for j in independent(submatrix(rest, kept, kept))] if kept else []
        if not chosen:
            return 0.0, 0
        factor, found, _ = dposv(submatrix(rest, chosen, chosen), slopes[chosen])
        return float(slopes[chosen] @ found), len(chosen)
    return float(slopes @ found), len(slopes)
