"""The set of graphs of a proof of optimality: those that exact search compared.

Rules, a bound on parents for few rows, columns set apart and tables with too many cells for the rows exclude
graphs from the search. One of these may have a higher score, so the result names the set.
"""

from collections.abc import Sequence

import numpy as np

from arcwise.graphs import Limits
from arcwise.scores import Score

__all__ = ["compared_graphs"]


def compared_graphs(
    score: Score,
    limits: Limits,
    levels: Sequence[int],
    *,
    ruled: bool,
    apart: Sequence[str] = (),
    most_parents: int | None = None,
    cells_per_row: float | None = None,
) -> str:
    """Return the set of graphs that an exact search compared, as text; "" if it is that of all graphs.

    Parameters
    ----------
    score, limits : those of the search.
    levels : number of levels of each column; 1 for numbers.
    ruled : whether the user gave rules.
    apart : columns without arcs.
    most_parents : the bound on parents because of few rows.
    cells_per_row : the largest number of cells of a table for each row, if the score has such a bound.
    """
    parts = ["that the rules allow"] if ruled else []
    if most_parents is not None:
        parts.append(f"with at most {most_parents} parent{'s' * (most_parents != 1)} per variable")
    if apart:
        parts.append("without arcs at columns of too many levels")
    if _has_barred_sets(score, limits, levels):
        bound = "whose local models have a score"
        if cells_per_row is not None:
            bound = f"with at most {cells_per_row:g} cells per row in each table"
        parts.append(bound)
    return f"the graphs {' and '.join(parts)}" if parts else ""


def _has_barred_sets(score: Score, limits: Limits, levels: Sequence[int]) -> bool:
    """Return whether a parent set that the limits allow has no score.

    Larger tables are excluded before smaller ones, so the largest one of each child decides.
    """
    for child in range(len(limits.nodes)):
        required = limits.required[child]
        order = sorted(limits.candidates(child).tolist(), key=lambda x: (-levels[x], x))
        most = len(order) if limits.max_parents is None else limits.max_parents - len(required)
        if np.isneginf(score.local(child, tuple(sorted((*required, *order[:most]))))):
            return True
    return False
