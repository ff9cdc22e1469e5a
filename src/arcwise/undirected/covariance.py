r"""Covariances that a Gaussian graph is learned from, checked and made regular; partial correlations.

Columns that follow from others: where the likelihood has no maximum, a little noise gives it one.

A copy of a column (in other units, or rounded) has correlation 1 with it. On every graph that joins the
two the likelihood grows without bound, so graphs cannot be compared, and none can be fitted. Here such
columns get noise of `NOISE` of their variance, as if measured with that error:

.. math:: r_{ij} \to r_{ij} / \sqrt{(1 + \delta_i)(1 + \delta_j)},\quad i \ne j .

With more rows than columns these are all columns in a combination that hardly varies. With fewer rows
every column follows from others; only copies are looked for.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import sentence_list
from arcwise.errors import FitError
from arcwise.graphs import UGraph

Array = NDArray[np.float64]

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


NOISE = 1e-5
"""The share of its variance that a column gets as noise: a standard deviation of three thousandths."""

# The part of a column, relative to the largest, from which it is in a combination.
_LOADING = 0.05


class Steady(NamedTuple):
    """Correlations, and the columns that got noise."""

    matrix: Array
    columns: tuple[int, ...]

    def note(self, nodes: Sequence[str]) -> str:
        """A sentence on the columns that got noise; nothing where none did."""
        if not self.columns:
            return ""
        return (
            f"{sentence_list([nodes[i] for i in self.columns])} follow from one another (a copy, a sum, or "
            f"few distinct rows): each is taken as measured with an error of {100 * NOISE**0.5:.1g} % of its "
            "standard deviation, as the likelihood has no maximum otherwise; leave one out to see what the "
            "rest depend on."
        )


def steadied(correlations: Array, rows: float) -> Steady:
    """Give noise to columns that follow from others.

    Parameters
    ----------
    correlations : of columns that vary.
    rows : how many rows they are from.

    Examples
    --------
    >>> found = steadied(np.array([[1.0, 1.0, 0.3], [1.0, 1.0, 0.3], [0.3, 0.3, 1.0]]), 50)
    >>> found.columns, found.matrix[0].round(6).tolist()
    ((0, 1), [1.0, 0.99999, 0.299999])
    """
    guilty = (
        _combined(correlations) if rows > len(correlations) else np.unique(_copies(correlations))
    )
    if not len(guilty):
        return Steady(correlations, ())
    noise = np.zeros(len(correlations))
    noise[guilty] = NOISE
    scale = 1.0 / np.sqrt(1.0 + noise)
    matrix: Array = correlations * scale[:, None] * scale
    np.fill_diagonal(matrix, 1.0)
    return Steady(matrix, tuple(guilty.tolist()))


def _copies(correlations: Array) -> NDArray[np.intp]:
    """Pairs whose difference hardly varies."""
    return np.argwhere(np.triu(1.0 - np.abs(correlations) < NOISE, 1))


def _combined(correlations: Array) -> NDArray[np.intp]:
    """Columns with a part in a combination that hardly varies."""
    values, vectors = np.linalg.eigh(correlations)
    # How much of each column lies in the space of such combinations, whichever span it.
    part = np.linalg.norm(vectors[:, values < NOISE], axis=1)
    if not part.any():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(part > _LOADING * part.max())


def edge_partials(graph: UGraph, precision: NDArray[np.float64] | None) -> tuple[float, ...] | None:
    """Give the partial correlations of the edges of a graph, in their order.

    Parameters
    ----------
    graph : an undirected graph.
    precision : of its variables; None where there is none, and then there is no answer either.

    Examples
    --------
    >>> edge_partials(UGraph.complete(["a", "b"]), np.array([[2.0, -1.0], [-1.0, 2.0]]))
    (0.5,)
    """
    if precision is None:
        return None
    first, second = np.array(graph.numbered_edges, dtype=np.intp).reshape(-1, 2).T
    own = np.diag(precision)
    values = -precision[first, second] / np.sqrt(own[first] * own[second])
    return tuple(values.tolist())
