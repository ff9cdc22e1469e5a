"""Statistics: the data of local models, and the rows that each child uses.

A local model is fitted from `Statistics`, whatever their source: a whole table, moments of a file,
expected counts, or rows with interventions. Each kind of source is one class that implements what it
can; for the rest it raises an error.

Most sources are `uniform`: every local model uses the same rows, families use compiled code, and
equivalent graphs have equal scores. In others the rows depend on the local model, as with interventions
in some rows. These have a uniform `view` for each child and parent set, and a family is bound
to each view once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import Variable
from arcwise.errors import FitError
from arcwise.notes import Fix, Note

if TYPE_CHECKING:
    from arcwise.data.moments import Moments
    from arcwise.data.table import Table

__all__ = ["Statistics"]


class Statistics(ABC):
    """The data of local models.

    `variables` and `names` are sorted by name, `order` is the user's, `total` is the number of cases, and
    `effective_rows` the number of rows of equal weight with the same precision of means (Kish). `has_rows` is
    whether there are rows that every local model uses. `notes` report dropped rows and columns, and `content`
    names the kind of source, for errors.
    """

    variables: tuple[Variable, ...]
    names: tuple[str, ...]
    order: tuple[str, ...]
    notes: tuple[Note, ...]
    total: float
    effective_rows: float
    uniform: bool = True
    has_rows: bool = False
    content: str = "statistics"

    def view(self, child: int, parents: tuple[int, ...]) -> Statistics:
        """Return the uniform statistics that the model of `child` given `parents` is fitted from.

        Views are compared by identity: parent sets with the same rows have the same object.
        """
        return self

    def rows(
        self, use: str, otherwise: str = "read the file as a table", fixes: Sequence[Fix] = ()
    ) -> Table:
        """Return the rows that every local model uses.

        Parameters
        ----------
        use : who needs them, with a verb, for the error.
        otherwise : the remedy if there are none.
        fixes : what both have places for.

        Raises
        ------
        FitError : there are no such rows.
        """
        raise FitError(
            f"{use} the rows of the table, got only {self.content}: {otherwise}.", fixes=fixes
        )

    def cases(
        self, use: str, otherwise: str = "read the file as a table", fixes: Sequence[Fix] = ()
    ) -> Table:
        """Return the rows from which replicates and folds are drawn, with their missing values."""
        return self.rows(use, otherwise, fixes)

    def moments(self) -> Moments:
        """Return number of cases, means and scatter matrix of all variables."""
        raise FitError(f"A gaussian model needs means and covariances, got only {self.content}.")

    def counts(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the number of cases with each combination of levels of some variables, an axis for each."""
        raise FitError(f"A table needs counts of levels, got only {self.content}.")

    @abstractmethod
    def typical(self, most: int) -> tuple[NDArray[Any], ...]:
        """Return at most `most` typical rows, as columns, as starts of chains."""

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return all numbers that results depend on, for a hash of the data."""
        return (np.array([self.total]), *self.typical(1 << 20))

    @abstractmethod
    def constant(self) -> tuple[str, ...]:
        """Return the names of the variables that do not vary."""

    def select(self, names: Iterable[str]) -> Statistics:
        """Return these variables only, presented in this order."""
        raise FitError(f"From {self.content} no variables can be selected: name all of them.")

    def prepared(self, change: Callable[[Table], Table]) -> Statistics:
        """Return the statistics after a change of the table; unchanged without one."""
        return self

    def reweighted(self, weights: ArrayLike, copies: str | None = None) -> Statistics:
        """Return the statistics with other row weights, as in replicates."""
        raise FitError(f"Other weights need the rows of the table, got only {self.content}.")

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of both sets of cases."""
        raise FitError(f"No cases can be added to {self.content}: give a table.")
