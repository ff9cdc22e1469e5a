"""Residual variances and determinants of linear regressions, for many parent sets at once.

All functions take a symmetric positive semi-definite matrix ``R`` (p, p) with unit diagonal (zero
for a constant column). For a child y and a set B of parents,

    residual = R_yy - R_yB R_BB^-1 R_By,        logdet = log det R_BB.

A parent whose pivot (its own residual given the parents before it) is below `tolerance` is a linear
combination of the others and is skipped; residuals never go below `floor`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack

Array = NDArray[np.float64]


class Sweep(NamedTuple):
    """Residual and logdet of m base sets, and of each set with a variable toggled.

    `pivots` (m, p) is the factor by which det changes: multiplied in for a variable that comes in,
    divided out for one that goes.
    """

    residual: Array
    logdet: Array
    toggled: Array
    pivots: Array


def sweep(
    matrix: Array,
    children: Sequence[int],
    bases: Sequence[tuple[int, ...]],
    tolerance: float,
    floor: float,
) -> Sweep:
    """Toggle every variable in every base set: O(k^2 p) a set of size k."""
    shape = len(children), len(matrix)
    result = Sweep(np.empty(shape[0]), np.empty(shape[0]), np.empty(shape), np.empty(shape))
    numbers = np.asarray(children, dtype=np.int64)
    _native.gaussian_sweep(matrix, numbers, *pack(bases), tolerance, floor, *result)
    return result


def many(
    matrix: Array, child: int, sets: Sequence[tuple[int, ...]], tolerance: float, floor: float
) -> tuple[Array, Array]:
    """Residual and logdet (m,) of one child for m sets: O(k^3) a set."""
    result = np.empty(len(sets)), np.empty(len(sets))
    _native.gaussian_many(matrix, child, *pack(sets), tolerance, floor, *result)
    return result


def subsets(
    matrix: Array,
    child: int,
    candidates: Sequence[int],
    always: Sequence[int],
    most: int,
    tolerance: float,
    floor: float,
) -> tuple[Array, Array]:
    """Residual and logdet (2^c,) for `always` with every subset of c candidates, by bit mask.

    About six multiplications a subset. The residual is NaN for sets larger than `most`.
    """
    result = np.empty(1 << len(candidates)), np.empty(1 << len(candidates))
    sets = (np.asarray(values, dtype=np.int64) for values in (candidates, always))
    _native.gaussian_subsets(matrix, child, *sets, most, tolerance, floor, *result)
    return result


def folds(
    train: Array,
    test: Array,
    child: int,
    sets: Sequence[tuple[int, ...]],
    tolerance: float,
    floor: float,
) -> Array:
    """Held-out log-likelihood (m,) summed over folds, from (folds, p + 1, p + 1) sums of products.

    Index 0 of each matrix is the constant column. The regression of each fold is fitted on `train`
    and scored on `test`: O(k^3) a fold and set.
    """
    out = np.empty(len(sets))
    _native.gaussian_folds(train, test, child, *pack(sets), tolerance, floor, out)
    return out


def leave_one_out(
    matrix: Array,
    columns: Array,
    weights: Array,
    lost: Array,
    child: int,
    sets: Sequence[tuple[int, ...]],
    tolerance: float,
    floor: float,
) -> Array:
    """Leave-one-out log-likelihood (m,) in standardised units, from the rows' leverages.

    `columns` (p, n) are standardised by the moments behind `matrix`; a row of weight `weights` is scored by
    the regression on all rows in which its own weight is less by `lost`. O(n k^2) a set.
    """
    out, rows = np.empty(len(sets)), (columns, weights, lost)
    _native.gaussian_loo(matrix, *rows, child, *pack(sets), tolerance, floor, out)
    return out
