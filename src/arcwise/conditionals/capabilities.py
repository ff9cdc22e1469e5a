"""What a local model can be read as: a linear regression, a table of probabilities, windows around rows.

Engines and divergences ask for these readings, not for types: a new kind of local model that has one is
answered in closed form, too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from arcwise.conditionals.base import Array, Columns, Conditional

if TYPE_CHECKING:
    from arcwise.conditionals.clg import ConditionalGaussianModel
    from arcwise.conditionals.parzen import ParzenConditional

__all__ = ["Linear", "linear_of", "regressions_of", "slopes_of", "table_of", "windows_of"]


class Linear(Protocol):
    """A local model read as a linear regression with normal noise.

    `spread` is the covariance matrix of (intercept, coefficients), and `freedom` the degrees of freedom of
    the noise variance, 0 if the parameters are taken as known; `rows` is 0 if it was not fitted to rows, and
    `at_floor` says that the noise is at its lower bound.
    """

    @property
    def intercept(self) -> float:
        """Expected value where all parents are 0."""
        ...

    @property
    def coefficients(self) -> Array:
        """One for each parent."""
        ...

    @property
    def sd(self) -> float:
        """Standard deviation of the noise; 0 for a value that was set."""
        ...

    @property
    def variance(self) -> float:
        """Its square."""
        ...

    @property
    def spread(self) -> Array:
        """Covariance matrix of the parameters."""
        ...

    @property
    def rows(self) -> float:
        """Rows that it was fitted to."""
        ...

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the noise variance."""
        ...

    @property
    def centre(self) -> Array:
        """Values of the parents at which intercept and coefficients are uncorrelated."""
        ...

    @property
    def at_floor(self) -> bool:
        """Whether parents determine the variable."""
        ...


def linear_of(model: Conditional) -> Linear | None:
    """Return the linear regression that a local model is, or None; a model is one if it has a property
    `linear`.

    >>> from arcwise.conditionals import DiscreteConditional
    >>> linear_of(DiscreteConditional(np.array([0.5, 0.5]))) is None
    True
    """
    found: Linear | None = getattr(model, "linear", None)
    return found


def regressions_of(model: Conditional) -> "ConditionalGaussianModel | None":
    """Return the regressions for configurations of discrete parents that a local model is, or None.

    A model is one if it has a property `regressions`.
    """
    found: ConditionalGaussianModel | None = getattr(model, "regressions", None)
    return found


def slopes_of(model: Conditional, positions: Sequence[int], xs: Columns, size: int) -> Array | None:
    """Return the coefficients of some parents in each row, or None where the model is not linear in them
    together.

    A model that is linear in some parents given the others has a method `slopes_at` that gives them.

    Parameters
    ----------
    model : the local model of a number.
    positions : of the parents, all of them numbers.
    xs : the columns of all parents; those at `positions` are not read.
    size : number of rows.

    >>> from arcwise.conditionals import GaussianConditional
    >>> line = GaussianConditional(0.0, np.array([2.0, 3.0]), 1.0, np.zeros((3, 3)), 0.0)
    >>> slopes_of(line, [1], (np.zeros(2), np.zeros(2)), 2)
    array([[3.],
           [3.]])
    """
    line = linear_of(model)
    if line is not None:
        chosen = line.coefficients[list(positions)]
        return np.broadcast_to(chosen, (size, len(positions)))
    own = getattr(model, "slopes_at", None)
    slopes: Array | None = None if own is None else own(positions, xs, size)
    return slopes


def table_of(model: Conditional, levels: int) -> Array | None:
    """Return the table of probabilities that a local model is, or None.

    It has one axis for each parent, and the variable's own, of this many levels, last. A model is one if it
    has a method `as_table` that gives it.
    """
    own = getattr(model, "as_table", None)
    table = None if own is None else own(levels)
    return None if table is None else np.asarray(table)


def windows_of(model: Conditional) -> "ParzenConditional | None":
    """Return the windows around rows of the data that a local model is, or None: it has a property
    `windows`.
    """
    found: ParzenConditional | None = getattr(model, "windows", None)
    return found
