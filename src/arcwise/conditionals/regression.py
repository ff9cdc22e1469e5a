"""A fitted linear regression with normal noise: the local model of linear-Gaussian networks.

Besides the coefficients it keeps the number of rows and the covariance matrix of intercept and
coefficients, for their uncertainty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns
from arcwise.data import Variable
from arcwise.distributions import Normal
from arcwise.errors import FitError

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class GaussianConditional:
    """A fitted linear regression with normal noise.

    `spread` is the covariance matrix of (intercept, coefficients) by the usual theory, with
    RSS / (rows - parameters) as noise variance; `variance` is the maximum-likelihood estimate.

    >>> model = GaussianConditional(1.0, np.array([2.0]), 0.25, np.zeros((2, 2)), 10.0)
    >>> model.mean((np.array([0.0, 3.0]),), 2).tolist()
    [1.0, 7.0]
    """

    word: ClassVar[str] = "gaussian"

    intercept: float
    coefficients: Array
    variance: float
    spread: Array
    rows: float
    at_floor: bool = False
    redundant: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        """Check the parameters and make the arrays read-only."""
        numbers = np.array([self.intercept, self.variance, *self.coefficients])
        if not np.isfinite(numbers).all() or not self.variance > 0:
            raise FitError(
                "A Gaussian local model must have finite coefficients and a positive variance, "
                f"got intercept {self.intercept}, coefficients {list(self.coefficients)}, "
                f"variance {self.variance}."
            )
        size = len(self.coefficients)
        if self.spread.shape != (size + 1, size + 1) or len(self.redundant) not in (0, size):
            raise FitError(
                f"A Gaussian local model with {size} parents needs a spread of shape "
                f"{(size + 1, size + 1)}, got {self.spread.shape}."
            )
        for array in (self.coefficients, self.spread):
            array.setflags(write=False)

    @property
    def linear(self) -> Self:
        """The linear regression of this model (see `linear_of`)."""
        return self

    @property
    def n_params(self) -> int:
        """The number of coefficients, intercept and variance."""
        return len(self.coefficients) + 2

    @property
    def sd(self) -> float:
        """Return the standard deviation of the noise."""
        return float(np.sqrt(self.variance))

    @cached_property
    def freedom(self) -> float:
        """The degrees of freedom of the noise variance; 0 if the uncertainty is unknown."""
        used = len(self.coefficients) + 1 - sum(self.redundant)
        return max(self.rows - used, 0.0) if np.isfinite(self.spread).all() else 0.0

    @cached_property
    def centre(self) -> Array:
        """The means of the parents in the data, derived from `spread`; 0 for redundant parents."""
        slopes = self.spread[1:, 1:]
        scale = np.sqrt(np.diag(slopes))
        used = np.flatnonzero(scale > 0)
        centre = np.zeros(len(self.coefficients))
        if len(used):
            scales = scale[used]
            matrix = slopes[np.ix_(used, used)] / scales / scales[:, None]
            centre[used] = -np.linalg.solve(matrix, self.spread[0, 1:][used] / scales) / scales
        return centre

    @property
    def standard_errors(self) -> Array:
        """The standard errors of (intercept, coefficients)."""
        return np.sqrt(np.diag(self.spread))

    def mean(self, xs: Columns, size: int) -> Array:
        """Return the expected value of each row."""
        out = np.full(size, self.intercept)
        for weight, column in zip(self.coefficients, xs, strict=True):
            out += weight * column
        return out

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density of each row."""
        residual = y - self.mean(xs, len(y))
        out: Array = -0.5 * (_LOG_2PI + np.log(self.variance) + residual**2 / self.variance)
        return out

    def distribution(self, xs: Columns, size: int) -> Normal:
        """Return the normal distribution of each row."""
        return Normal(self.mean(xs, size), np.array(self.sd))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> Array:
        """Draw one value for each row."""
        return self.mean(xs, size) + self.sd * rng.standard_normal(size)

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """Return the model as one sentence, with standard errors if it was fitted to rows."""
        errors = [f" (se {error:.2g})" if self.rows else "" for error in self.standard_errors]
        terms = [f"{self.intercept:.5g}{errors[0]}"]
        for parent, slope, error in zip(parents, self.coefficients, errors[1:], strict=True):
            terms.append(f"{slope:+.5g} {parent.name}{error}")
        floor = "; the variance is at its floor" if self.at_floor else ""
        return f"{child.name} = {' '.join(terms)} + noise with sd {self.sd:.5g}{floor}"
