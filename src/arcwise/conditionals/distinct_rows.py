"""Distinct rows of a table, so that neither the order of rows nor the form of copies changes a fit."""

import numpy as np

from arcwise.conditionals.parzen.windows import canonical_order
from arcwise.data import Table

__all__ = ["count_rows"]


def count_rows(table: Table) -> Table:
    """Return the distinct rows, sorted by their contents, with their counts."""
    weights = np.ones(table.rows) if table.weights is None else table.weights
    order = canonical_order(table.columns, weights)
    order = order[weights[order] > 0]
    new = np.zeros(len(order), dtype=bool)
    new[0] = True
    for column in table.columns:
        new[1:] |= column[order][1:] != column[order][:-1]
    totals = np.add.reduceat(weights[order], np.flatnonzero(new))
    return table.take(order[new]).with_weights(None if (totals == 1).all() else totals)
