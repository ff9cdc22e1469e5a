"""The conditional linear Gaussian local model: a regression for each configuration of the discrete parents.

With discrete parents in configuration j and continuous parents x (Lauritzen and Wermuth 1989),

    y = b_j + sum_k w_jk x_k + sqrt(v_j) e,    e standard normal.

Coefficients are least squares within each configuration. Its variance has one pseudo-row: v_j = (RSS_j + v) /
(n_j + 1), v being the variance of the regression on all rows, so that a feature without variance within a
class still has a density. A configuration with fewer rows than coefficients takes the regression on all rows.
Without discrete parents the model is the linear Gaussian one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns, DefaultScore, Family
from arcwise.conditionals.gaussian import FLOOR
from arcwise.conditionals.refusals import check_sizes
from arcwise.data import Table, Variable
from arcwise.distributions import Normal
from arcwise.errors import FitError
from arcwise.frame import Frame, Series, unused

__all__ = ["ConditionalGaussian", "ConditionalGaussianModel"]

_LOG_2PI = float(np.log(2 * np.pi))
_SMALLEST = 1e-6  # standard deviation of a constant column, in units of max(1, |mean|)


@dataclass(frozen=True, eq=False)
class ConditionalGaussianModel:
    """Fitted regressions, one for each configuration of the discrete parents.

    `discrete` marks the discrete parents; the other fields have an axis for each of these, and `slopes` one
    more for the continuous parents.

    >>> model = ConditionalGaussianModel((True,), np.array([0.0, 5.0]), np.zeros((2, 0)), np.ones(2))
    >>> model.mean((np.array([1, 0]),), 2).tolist()
    [5.0, 0.0]
    """

    word: ClassVar[str] = "clg"

    discrete: tuple[bool, ...]
    intercepts: Array
    slopes: Array
    variances: Array

    def __post_init__(self) -> None:
        """Check the parameters and make the arrays read-only."""
        shape, continuous = self.intercepts.shape, self.discrete.count(False)
        fits = len(shape) == self.discrete.count(True) and self.variances.shape == shape
        arrays = (self.intercepts, self.slopes, self.variances)
        if not fits or self.slopes.shape != (*shape, continuous):
            raise FitError(
                "A conditional Gaussian model must have one regression for each configuration."
            )
        if not all(np.isfinite(array).all() for array in arrays) or not (self.variances > 0).all():
            raise FitError(
                "A conditional Gaussian model must have finite coefficients and positive variances."
            )
        for array in arrays:
            array.setflags(write=False)

    @property
    def regressions(self) -> Self:
        """The regressions for configurations of discrete parents: the model itself."""
        return self

    @property
    def n_params(self) -> int:
        """The number of coefficients, intercepts and variances."""
        return self.intercepts.size * (self.discrete.count(False) + 2)

    def matches(self, variable: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether there is a regression for each configuration of these parents."""
        levels = tuple(len(parent.levels or ()) for parent in parents if parent.discrete)
        kinds = tuple(parent.discrete for parent in parents)
        return not variable.discrete and self.discrete == kinds and self.intercepts.shape == levels

    def _split(self, xs: Columns) -> tuple[tuple[NDArray[np.intp], ...], list[NDArray[Any]]]:
        pairs = list(zip(self.discrete, xs, strict=True))
        codes = tuple(np.asarray(x, dtype=np.intp) for discrete, x in pairs if discrete)
        return codes, [x for discrete, x in pairs if not discrete]

    def mean(self, xs: Columns, size: int) -> Array:
        """Return the expected value of each row."""
        codes, numbers = self._split(xs)
        out: Array = np.broadcast_to(self.intercepts[codes], size).astype(float)
        for k, column in enumerate(numbers):
            out += self.slopes[(*codes, k)] * column
        return out

    def slopes_at(self, positions: Sequence[int], xs: Columns, size: int) -> Array:
        """Return the coefficients of some continuous parents in each row (see `slopes_of`)."""
        numbers = [i for i, is_level in enumerate(self.discrete) if not is_level]
        rows = self.slopes[self._split(xs)[0]][..., [numbers.index(i) for i in positions]]
        return np.broadcast_to(rows, (size, len(positions)))

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density of each row."""
        variance = self.variances[self._split(xs)[0]]
        residual = y - self.mean(xs, len(y))
        out: Array = -0.5 * (_LOG_2PI + np.log(variance) + residual**2 / variance)
        return out

    def distribution(self, xs: Columns, size: int) -> Normal:
        """Return the normal distribution of each row."""
        sd = np.sqrt(self.variances[self._split(xs)[0]])
        return Normal(self.mean(xs, size), np.broadcast_to(sd, size).astype(float))

    def frame_of(self, child: Variable, parents: Sequence[Variable]) -> Frame:
        """Return one row per configuration of the discrete parents: intercept, coefficients and sd."""
        levels = [parent for parent, flag in zip(parents, self.discrete, strict=True) if flag]
        numbers = [parent for parent, flag in zip(parents, self.discrete, strict=True) if not flag]
        codes = np.indices(self.intercepts.shape).reshape(len(levels), self.intercepts.size)
        states = [
            Series(parent.name, [(parent.levels or ())[code] for code in row.tolist()])
            for parent, row in zip(levels, codes, strict=True)
        ]
        slopes = self.slopes.reshape(self.intercepts.size, len(numbers)).T
        names = [parent.name for parent in parents]
        return Frame(
            (
                *states,
                Series(unused("intercept", names), self.intercepts.ravel(), ".5g"),
                *(Series(n.name, row, ".5g") for n, row in zip(numbers, slopes, strict=True)),
                Series(unused("sd", names), np.sqrt(self.variances.ravel()), ".5g"),
            )
        )

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """Return the regressions as a table."""
        inputs = ", ".join(parent.name for parent in parents)
        lines = self.frame_of(child, parents).to_text().splitlines()
        return "\n  ".join(
            [f"{child.name} given {inputs}: regressions" if inputs else child.name, *lines]
        )

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> Array:
        """Draw one value for each row."""
        sd = np.sqrt(self.variances[self._split(xs)[0]])
        return self.mean(xs, size) + sd * rng.standard_normal(size)


class ConditionalGaussian(Family):
    """Regressions for each configuration of discrete parents."""

    name = "clg"
    conditional = ConditionalGaussianModel
    parent_kinds = frozenset({"continuous", "discrete"})

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> ConditionalGaussianModel:
        """Fit the regressions of column `y` given the columns `xs`."""
        w = np.ones(len(y)) if weights is None else weights
        if not w.sum() > 0:
            raise FitError(f"A model of {child.name!r} needs at least one row with weight.")
        levels = [len(p.levels) for p in parents if p.levels is not None]
        codes = [np.asarray(x, np.intp) for x, p in zip(xs, parents, strict=True) if p.discrete]
        numbers = [x for x, p in zip(xs, parents, strict=True) if not p.discrete]
        design = np.column_stack([np.ones(len(y)), *numbers])
        least = _floor(y, w)
        pooled, v = _regression(design, y, w, 0.0, least)
        size = int(np.prod(levels, dtype=float))
        configurations = (
            np.ravel_multi_index(tuple(codes), tuple(levels)) if codes else np.zeros(len(y), int)
        )
        coefficients = np.tile(pooled, (size, 1))
        variances = np.full(size, v)
        order = np.argsort(configurations, kind="stable")
        ends = np.searchsorted(configurations[order], np.arange(size + 1))
        for j in range(size):
            rows = order[ends[j] : ends[j + 1]]
            if w[rows].sum() >= design.shape[1] and len(rows):
                coefficients[j], variances[j] = _regression(
                    design[rows], y[rows], w[rows], v, least
                )
        return ConditionalGaussianModel(
            tuple(p.discrete for p in parents),
            coefficients[:, 0].reshape(levels).copy(),
            coefficients[:, 1:].reshape(*levels, len(numbers)).copy(),
            variances.reshape(levels),
        )

    def prepare(self, table: Table) -> Table:
        """Raise an error for numbers whose squares overflow or vanish."""
        check_sizes(table)
        return table

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return BIC."""
        return DefaultScore("bic")

    def default_parents(self, rows: float) -> int:
        """Return a tenth of the rows: with fewer rows per parent, a regression explains noise."""
        return max(1, int(rows // 10))


def _floor(y: Array, w: Array) -> float:
    """Return the smallest variance of a column's models."""
    mean = float(np.average(y, weights=w))
    spread = float(np.average((y - mean) ** 2, weights=w))
    return max(FLOOR * spread, (_SMALLEST * max(1.0, abs(mean))) ** 2 if spread == 0 else 0.0)


def _regression(
    design: Array, y: Array, w: Array, pseudo: float, least: float
) -> tuple[Array, float]:
    """Return the coefficients of a weighted regression, and its variance, with a pseudo-row if given."""
    root = np.sqrt(w)
    scales = np.abs(design).max(axis=0)
    scales[scales == 0] = 1.0
    slopes = np.linalg.lstsq(design / scales * root[:, None], y * root, rcond=1e-10)[0] / scales
    rss = float(w @ (y - design @ slopes) ** 2)
    extra = 1.0 if pseudo else 0.0
    return slopes, max((rss + extra * pseudo) / (float(w.sum()) + extra), least)
