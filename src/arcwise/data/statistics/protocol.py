"""Statistics: what local models are fitted from, and which rows count for which child.

A local model never asks where its numbers came from. It is given `Statistics`: a whole table, moments
gathered from a file, expected counts, rows in which a variable was set from outside. Each kind is one
class that answers what it can, and whose error names what it lacks.

Most sources show every local model the same rows: they are `uniform`, families use their compiled paths on
them, and equivalent graphs tie. Others decide model by model, such as tables in which a variable was set
from outside in some rows. These have a uniform `view` for each child and parent set, and a family is bound
to each view once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import Variable
from arcwise.errors import FitError
from arcwise.notes import Note

if TYPE_CHECKING:
    from arcwise.data.moments import Moments
    from arcwise.data.table import Table

__all__ = ["Statistics"]


class Statistics(ABC):
    """What local models are fitted from.

    `variables` are sorted by name, `names` are theirs, `order` is that of the user, `total` the number of
    cases, `effective_rows` as many rows of equal weight as give means as certain as these; `has_rows` says
    that there are rows that every local model sees, and `notes` say what was left out or decided on the
    way. `content` names what there is, for errors.
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

        Views are compared by identity: parent sets that see the same rows get the same object.
        """
        return self

    def rows(self, use: str, otherwise: str = "read the file as a table") -> Table:
        """Return the rows that every local model sees.

        Parameters
        ----------
        use : who needs them, with its verb, for the error.
        otherwise : what to do where there are none.

        Raises
        ------
        FitError : there are no such rows.
        """
        raise FitError(f"{use} the rows of the table, got only {self.content}: {otherwise}.")

    def cases(self, use: str, otherwise: str = "read the file as a table") -> Table:
        """Return the rows from which replicates and folds are drawn, with their missing values."""
        return self.rows(use, otherwise)

    def moments(self) -> Moments:
        """Return number of cases, means and scatter matrix of all variables."""
        raise FitError(f"A gaussian model needs means and covariances, got only {self.content}.")

    def counts(self, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the number of cases with each combination of levels of some variables, an axis for each."""
        raise FitError(f"A table needs counts of levels, got only {self.content}.")

    @abstractmethod
    def typical(self, most: int) -> tuple[NDArray[Any], ...]:
        """Return at most this many typical rows, as columns, for chains to start from."""

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return all numbers that results depend on, from which a name of the data is made."""
        return (np.array([self.total]), *self.typical(1 << 20))

    @abstractmethod
    def constant(self) -> tuple[str, ...]:
        """Return the names of the variables that do not vary."""

    def select(self, names: Iterable[str]) -> Statistics:
        """Keep these variables only, presented in this order."""
        raise FitError(f"From {self.content} no variables can be selected: name all of them.")

    def prepared(self, change: Callable[[Table], Table]) -> Statistics:
        """Return the same after a change of their table; unchanged if there is none."""
        return self

    def reweighted(self, weights: ArrayLike, copies: str | None = None) -> Statistics:
        """Return the same rows other weights, as replicates do."""
        raise FitError(f"Other weights need the rows of the table, got only {self.content}.")

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of both sets of cases."""
        raise FitError(f"No cases can be added to {self.content}: give a table.")
