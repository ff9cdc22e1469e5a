r"""Columns that follow from others: where the likelihood has no maximum, a little noise gives it one.

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
from numpy.typing import NDArray

from arcwise.data.variable import sentence_list

Array = NDArray[np.float64]

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
