"""Statistics of rows with imputed values, drawn several times and counted as fewer complete rows.

With n rows, and the harmonic mean m of the numbers of rows that have both columns of a pair (see
`incomplete`), they count as the geometric mean of n and m. Counted as m, alarm and insurance (1000 rows, 30 %
missing) lack three edges more, since draws dilute dependence themselves; counted as n, 20 independent columns
with 500 rows have half a false edge.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.statistics.complete import Complete
from arcwise.data.statistics.incomplete import complete_equivalent, gap_notes, pair_counts
from arcwise.data.table import Table
from arcwise.notes import Fix

__all__ = ["CompletedRows", "Representatives"]

Redraw = Callable[[NDArray[np.float64], np.random.Generator], Any]


class Representatives(Complete):
    """Complete rows that represent rows with missing values, which are `observed`."""

    observed: Table

    def cases(
        self, use: str, otherwise: str = "read the file as a table", fixes: Sequence[Fix] = ()
    ) -> Table:
        """Return the rows with their missing values."""
        return self.observed

    def prepared(self, change: Callable[[Table], Table]) -> Complete:
        """Return the statistics of the changed table, which represent the same rows."""
        table = change(self.table)
        if table.names != self.table.names or table.rows != self.table.rows:
            return Complete(table)
        changed = copy.copy(self)
        changed.__dict__.pop("_moments", None)
        Complete.__init__(changed, table)
        changed.effective_rows = self.effective_rows
        return changed


class CompletedRows(Representatives):
    """Rows whose missing values were drawn.

    Parameters
    ----------
    filled : each row as often as it was drawn, with weights that sum to the number of rows.
    observed : the rows with their missing values, from which replicates are drawn.
    how : what was done, for a note.
    owners : the number of the observed row that each filled one represents.
    redraw : from weights of the observed rows and a random generator to other completed rows, whose values
        are drawn again with the parameters that these weights lead to.
    """

    def __init__(
        self,
        filled: Table,
        observed: Table,
        how: str,
        owners: NDArray[np.intp],
        redraw: Redraw | None = None,
    ) -> None:
        counts = pair_counts(observed)
        worth = float(np.round(np.sqrt(complete_equivalent(counts) * observed.total)))
        weights = filled.weights
        if weights is not None:
            filled = filled.with_weights(weights * (worth / observed.total), "together")
        super().__init__(filled.with_notes(*gap_notes(observed, counts, worth, how)))
        self.observed, self.owners, self.redraw = observed, owners, redraw
        self.effective_rows = worth * observed.effective_rows / observed.total

    def one_draw(
        self, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights of the filled rows for weights of the observed ones: one draw of each row counts.

        So replicates differ by what was drawn, too.
        """
        own = self.table.weights if self.table.weights is not None else np.ones(self.table.rows)
        chance = np.log(np.maximum(own, 1e-300)) + rng.gumbel(size=len(own))
        order = np.lexsort((chance, self.owners))
        last = np.append(np.diff(self.owners[order]) > 0, True)
        result = np.zeros(len(own))
        chosen = order[last]
        result[chosen] = weights[self.owners[chosen]] * (self.total / self.observed.total)
        return result
