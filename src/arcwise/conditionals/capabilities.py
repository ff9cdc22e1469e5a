"""Forms of a local model: a linear regression, a table of probabilities, windows around rows.

Engines and divergences use these forms, not types: a new kind of local model that has one gets closed-form
inference, too.
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
    """A local model in the form of a linear regression with normal noise.

    `spread` is the covariance matrix of (intercept, coefficients), and `freedom` the degrees of freedom of
    the noise variance, 0 if the parameters are exact; `rows` is 0 if it was not fitted to rows, and
    `at_floor` is whether the noise is at its lower bound.
    """

    @property
    def intercept(self) -> float:
        """The expected value if all parents are 0."""
        ...

    @property
    def coefficients(self) -> Array:
        """The coefficient of each parent."""
        ...

    @property
    def sd(self) -> float:
        """Return the standard deviation of the noise; 0 for a value that was set."""
        ...

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        ...

    @property
    def spread(self) -> Array:
        """Return the covariance matrix of the parameters."""
        ...

    @property
    def rows(self) -> float:
        """The number of rows that it was fitted to."""
        ...

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the noise variance."""
        ...

    @property
    def centre(self) -> Array:
        """The values of the parents at which intercept and coefficients are uncorrelated."""
        ...

    @property
    def at_floor(self) -> bool:
        """Whether parents determine the variable."""
        ...


def linear_of(model: Conditional) -> Linear | None:
    """Return the linear regression of a local model: its property `linear`, or None without
    one.

    >>> from arcwise.conditionals import DiscreteConditional
    >>> linear_of(DiscreteConditional(np.array([0.5, 0.5]))) is None
    True
    """
    regression: Linear | None = getattr(model, "linear", None)
    return regression


def regressions_of(model: Conditional) -> "ConditionalGaussianModel | None":
    """Return the regressions of a local model for configurations of discrete parents, or None.

    They are the property `regressions` of the model.
    """
    regressions: ConditionalGaussianModel | None = getattr(model, "regressions", None)
    return regressions


def slopes_of(model: Conditional, positions: Sequence[int], xs: Columns, size: int) -> Array | None:
    """Return the coefficients of some parents in each row, or None if the model is not linear in them.

    A model that is linear in some parents given the others has a method `slopes_at` for this.

    Parameters
    ----------
    model : the local model of a number.
    positions : of the parents, all of them numbers.
    xs : the columns of all parents; those at `positions` are ignored.
    size : number of rows.

    >>> from arcwise.conditionals import GaussianConditional
    >>> line = GaussianConditional(0.0, np.array([2.0, 3.0]), 1.0, np.zeros((3, 3)), 0.0)
    >>> slopes_of(line, [1], (np.zeros(2), np.zeros(2)), 2)
    array([[3.],
           [3.]])
    """
    line = linear_of(model)
    if line is not None:
        selected = line.coefficients[list(positions)]
        return np.broadcast_to(selected, (size, len(positions)))
    method = getattr(model, "slopes_at", None)
    slopes: Array | None = None if method is None else method(positions, xs, size)
    return slopes


def table_of(model: Conditional, levels: int) -> Array | None:
    """Return the table of probabilities of a local model, or None.

    It has one axis for each parent, and the variable's own, of this many levels, last. It is the
    result of the method `as_table` of the model.
    """
    method = getattr(model, "as_table", None)
    table = None if method is None else method(levels)
    return None if table is None else np.asarray(table)


def windows_of(model: Conditional) -> "ParzenConditional | None":
    """Return the windows around rows of a local model: its property `windows`, or None without one."""
    windows: ParzenConditional | None = getattr(model, "windows", None)
    return windows
