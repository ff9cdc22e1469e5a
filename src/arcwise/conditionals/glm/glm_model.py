"""A fitted generalised linear model: a normal regression of a number, or a multinomial logit of a category.

The columns of its design matrix are products of at most two functions of single parents. The functions of a
number are its standardised value z, and z^2 - 1, z^3 - 3 z, |z|, |z - 1| and |z + 1| with z cut at three
standard deviations; those of a category are indicators of its levels except the most frequent one.
Coefficients, and the variance of a number, may differ between the configurations of some categories: a
regression by configuration is a conditional Gaussian model, and a logit with an intercept for each
configuration is a table. The log variance of a number may be linear in functions of parents instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns
from arcwise.conditionals.regression import GaussianConditional
from arcwise.data import Variable
from arcwise.data.variable import code_type
from arcwise.distributions import Categorical, Normal
from arcwise.errors import FitError
from arcwise.frame import Frame, Series, unused

__all__ = ["FORMS", "FUNCTIONS", "GlmConditional", "atoms"]

_LOG_2PI = float(np.log(2 * np.pi))
_CUT = 3.0  # standard deviations from the mean beyond which curves are straight on

FORMS = {
    "marginal": "no effect of its parents",
    "additive": "main effects",
    "selected": "main effects with curves or products",
    "configurations": "a regression for each configuration of the categories",
    "spreads": "a spread that depends on its parents",
    "table": "a probability for each configuration of the categories",
}
"""What a form is."""

FUNCTIONS = ("{}", "({}^2 - 1)", "({0}^3 - 3 {0})", "|{}|", "|{} - 1|", "|{} + 1|")
"""Functions of a standardised number, as they are written."""


def atoms(standardised: Array) -> tuple[Array, ...]:
    """The functions of a standardised number, all but the first of the cut one."""
    z = np.clip(standardised, -_CUT, _CUT)
    return standardised, z * z - 1, z * (z * z - 3), np.abs(z), np.abs(z - 1), np.abs(z + 1)


@dataclass(frozen=True, eq=False)
class GlmConditional:
    """One fitted model.

    Parameters
    ----------
    form : its word in `FORMS`.
    levels : of the child; 0 for a number.
    centres, scales : of each parent that is a number; 0 and 1 for a category.
    groups : for each parent that is a category the group of each level; empty for a number. Rare levels
        share group 0 with the most frequent one.
    columns : (C, 4) the design: parent, function, second parent, its function; -1 for no parent.
    by : the positions of the categories whose configurations have coefficients of their own.
    coefficients : (configurations, C, 1), for a category (configurations, C, levels).
    variances : (configurations,) for a number.
    parameters : how many are free.
    spread : covariance matrix of (intercept, coefficients) of a linear regression on numbers; else empty.
    rows : that it was fitted to.
    noise_columns : (C, 4) columns that the log variance of a number depends on.
    noise_slopes : what these add to it.
    noise_range : the smallest and the largest log variance of the rows; beyond them it is constant.
    limits : the smallest and the largest standardised value of each parent, beyond which a model with curves,
        products of numbers or a spread that depends on numbers is constant; none if empty.
    runner_up, lead : the best form of another kind, and the nats of BIC that it loses.

    >>> model = GlmConditional(
    ...     "additive", 0, np.array([1.0]), np.array([2.0]), (np.zeros(0, int),),
    ...     np.array([[-1, 0, -1, 0], [0, 0, -1, 0]]), (), np.array([[[5.0], [4.0]]]), np.ones(1), 3,
    ...     np.zeros((0, 0)), 10.0,
    ... )
    >>> model.mean((np.array([1.0, 3.0]),), 2).tolist()
    [5.0, 9.0]
    """

    word: ClassVar[str] = "glm"

    form: str
    levels: int
    centres: Array
    scales: Array
    groups: Columns
    columns: NDArray[np.int64]
    by: tuple[int, ...]
    coefficients: Array
    variances: Array
    parameters: int
    spread: Array
    rows: float
    noise_columns: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    noise_slopes: Array = field(default_factory=lambda: np.zeros(0))
    noise_range: Array = field(default_factory=lambda: np.zeros(0))
    limits: Array = field(default_factory=lambda: np.zeros((2, 0)))
    runner_up: str = ""
    lead: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers and close the arrays."""
        shape, parents = self.coefficients.shape, len(self.groups)
        sizes = [int(self.groups[i].max(initial=0)) + 1 for i in self.by]
        expected = (int(np.prod(sizes, dtype=float)), len(self.columns), self.levels or 1)
        at_most = len(self.centres) == len(self.scales) == parents
        if shape != expected or not at_most or self.columns.shape != (shape[1], 4):
            raise FitError("A glm model needs a coefficient for each column of its design.")
        spreads = len(self.variances) == (0 if self.levels else shape[0])
        noise = (self.noise_slopes, self.noise_range)
        arrays = (self.centres, self.scales, self.coefficients, self.variances, *noise)
        finite = all(np.isfinite(each).all() for each in arrays)
        if self.form not in FORMS or not spreads or not finite or not (self.variances > 0).all():
            raise FitError("A glm model needs finite coefficients and positive variances.")
        ends = (2,) if len(self.noise_slopes) else (0,)
        if (
            self.noise_columns.shape != (len(self.noise_slopes), 4)
            or self.noise_range.shape != ends
        ):
            raise FitError(
                "A glm model needs a coefficient for each column of its log variance, and its range."
            )
        every = np.concatenate([self.columns, self.noise_columns])
        if every[:, [0, 2]].max(initial=-1) >= parents:
            raise FitError("A glm model needs the parents that its design names.")
        if self.limits.shape not in ((2, parents), (2, 0)):
            raise FitError("A glm model needs the range of each of its parents.")
        for array in (
            *arrays,
            self.limits,
            self.columns,
            self.noise_columns,
            self.spread,
            *self.groups,
        ):
            array.setflags(write=False)

    @property
    def n_params(self) -> int:
        """Free coefficients and variances."""
        return self.parameters

    @property
    def linear(self) -> GaussianConditional | None:
        """The linear regression that this model is, if it is one (see `linear_of`)."""
        if not len(self.spread):
            return None
        slopes = np.zeros(len(self.scales))
        slopes[self.columns[1:, 0]] = self.coefficients[0, 1:, 0]
        slopes /= self.scales
        intercept = float(self.coefficients[0, 0, 0] - slopes @ self.centres)
        variance = float(self.variances[0])
        return GaussianConditional(intercept, slopes, variance, self.spread.copy(), self.rows)

    def as_table(self, levels: int) -> Array | None:
        """The table of probabilities that this model is, if it is one (see `table_of`)."""
        if not self.levels or not all(len(groups) for groups in self.groups):
            return None
        shape = tuple(len(groups) for groups in self.groups)
        if np.prod(shape, dtype=float) * self.levels > _LARGEST:
            return None
        codes = tuple(axis.ravel() for axis in np.indices(shape))
        size = int(np.prod(shape))
        return np.exp(self._log_probabilities(codes, size)).reshape(*shape, self.levels)

    def slopes_at(self, positions: Sequence[int], xs: Columns, size: int) -> Array | None:
        """Coefficients of some parents in each row, None if there are curves or products of them.

        See `slopes_of`; the other parents may enter in any form.
        """
        depends = np.isin(self.noise_columns[:, [0, 2]], list(positions)).any()
        if self.levels or depends:
            return None
        design = np.zeros((len(positions), size, len(self.columns)))
        for c, (one, function, two, other) in enumerate(self.columns.tolist()):
            pairs = [(one, function), (two, other)]
            inside = [pair for pair in pairs if pair[0] in positions]
            if not inside:
                continue
            if len(inside) > 1 or inside[0][1] or self._is_bent:
                return None
            k = list(positions).index(inside[0][0])
            design[k, :, c] = 1 / self.scales[inside[0][0]]
            for parent, which in pairs:
                if parent >= 0 and parent not in positions:
                    design[k, :, c] *= self._atom(parent, which, xs[parent])
        slopes = [self._weighted(rows, xs)[:, 0] for rows in design]
        return np.stack(slopes, axis=1)

    def _predictor(self, xs: Columns, size: int) -> Array:
        """(size, outputs) the linear predictors."""
        return self._weighted(self._design(self.columns, xs, size), xs)

    def _weighted(self, design: Array, xs: Columns) -> Array:
        """Rows of a design times the coefficients of their configurations."""
        if not self.by:
            found: Array = design @ self.coefficients[0]
            return found
        codes = [self.groups[i][np.asarray(xs[i], np.intp)] for i in self.by]
        sizes = [int(self.groups[i].max(initial=0)) + 1 for i in self.by]
        place = np.ravel_multi_index(tuple(codes), tuple(sizes))
        rows: Array = np.einsum("nc,nco->no", design, self.coefficients[place])
        return rows

    def _design(self, columns: NDArray[np.int64], xs: Columns, size: int) -> Array:
        """(size, columns) the values of columns of a design."""
        design = np.ones((size, len(columns)))
        for c, (one, function, two, other) in enumerate(columns.tolist()):
            for parent, which in ((one, function), (two, other)):
                if parent >= 0:
                    design[:, c] *= self._atom(parent, which, xs[parent])
        return design

    @cached_property
    def _is_bent(self) -> bool:
        """Whether the model is constant beyond the rows, since it is not linear in the numbers.

        Otherwise drawn values would grow without bounds along a chain of such models.
        """
        number = [not len(groups) for groups in self.groups]
        mean = any(
            number[one] and (function > 0 or (two >= 0 and number[two]))
            for one, function, two, _ in self.columns.tolist()
            if one >= 0
        )
        mean = mean or any(
            two >= 0 and number[two] and other > 0 for _, _, two, other in self.columns.tolist()
        )
        noise = any(number[one] for one in self.noise_columns[:, 0].tolist() if one >= 0)
        return bool(self.limits.size) and (mean or noise)

    def _atom(self, parent: int, which: int, column: NDArray[Any]) -> Array:
        groups = self.groups[parent]
        if len(groups):
            return np.asarray(groups[np.asarray(column, np.intp)] == which, dtype=float)
        z = (np.asarray(column, dtype=float) - self.centres[parent]) / self.scales[parent]
        return atoms(np.clip(z, *self.limits[:, parent]) if self._is_bent else z)[which]

    def _variance(self, xs: Columns, size: int) -> Array:
        if len(self.noise_slopes):
            logs = self._design(self.noise_columns, xs, size) @ self.noise_slopes
            return np.asarray(np.exp(np.clip(np.log(self.variances[0]) + logs, *self.noise_range)))
        if not self.by:
            return np.full(size, self.variances[0])
        codes = [self.groups[i][np.asarray(xs[i], np.intp)] for i in self.by]
        sizes = [int(self.groups[i].max(initial=0)) + 1 for i in self.by]
        return np.asarray(self.variances[np.ravel_multi_index(tuple(codes), tuple(sizes))])

    def _log_probabilities(self, xs: Columns, size: int) -> Array:
        logs = self._predictor(xs, size)
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def mean(self, xs: Columns, size: int) -> Array:
        """Expected value of each row, of a number."""
        return self._predictor(xs, size)[:, 0]

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Log density (log probability of a level) of each row."""
        if self.levels:
            logs = self._log_probabilities(xs, len(y))
            return np.asarray(logs[np.arange(len(y)), np.asarray(y, np.intp)])
        variance = self._variance(xs, len(y))
        residual = y - self.mean(xs, len(y))
        out: Array = -0.5 * (_LOG_2PI + np.log(variance) + residual**2 / variance)
        return out

    def distribution(self, xs: Columns, size: int) -> Normal | Categorical:
        """The normal distribution, or the probabilities of the levels, of each row."""
        if self.levels:
            return Categorical(np.exp(self._log_probabilities(xs, size)))
        return Normal(self.mean(xs, size), np.sqrt(self._variance(xs, size)))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row."""
        if not self.levels:
            sd = np.sqrt(self._variance(xs, size))
            drawn: Array = self.mean(xs, size) + sd * rng.standard_normal(size)
            return drawn
        heap = np.cumsum(np.exp(self._log_probabilities(xs, size)), axis=1)
        codes: NDArray[Any] = (rng.random((size, 1)) * heap[:, -1:] >= heap[:, :-1]).sum(axis=1)
        return codes.astype(code_type(self.levels))

    def words(self, child: Variable, parents: Sequence[Variable]) -> str:
        """The form in a sentence, and the coefficients that are the same in all configurations."""
        head = f"{child.name}: {FORMS[self.form]}{self._lead}"
        if self.by:
            names = ", ".join(parents[i].name for i in self.by)
            return f"{head} ({names}: {len(self.coefficients)})"
        if self.linear is not None:
            return self.linear.words(child, parents)
        labels = [self._label(row, parents) for row in self.columns.tolist()]
        if not self.levels:
            sd = np.sqrt(self.variances[0])
            terms = _sum(self.coefficients[0, :, 0], labels)
            noise = [self._label(row, parents) for row in self.noise_columns.tolist()]
            factor = f" exp({_sum(0.5 * self.noise_slopes, noise)})" if noise else ""
            return f"{head}\n  {child.name} = {terms} + noise with sd {sd:.4g}{factor}"
        *levels, last = child.levels or ()
        lines = [
            f"  log odds of {level} against {last}: {_sum(own, labels)}"
            for level, own in zip(levels, self.coefficients[0].T, strict=False)
        ]
        return "\n".join([head, *lines])

    def frame_of(self, child: Variable, parents: Sequence[Variable]) -> Frame:
        """One row per term and configuration; of a category a column per level, of a number one value."""
        labels = [self._label(row, parents) or "intercept" for row in self.columns.tolist()]
        sizes = [int(self.groups[i].max(initial=0)) + 1 for i in self.by]
        states = np.indices(sizes).reshape(len(sizes), -1) if sizes else np.zeros((0, 1), int)
        own = [
            Series(
                parents[i].name,
                [self._levels(parents[i], i, g) for g in np.repeat(row, len(labels))],
            )
            for i, row in zip(self.by, states, strict=True)
        ]
        taken = [each.name for each in own]
        noise = [
            f"log variance: {self._label(row, parents)}" for row in self.noise_columns.tolist()
        ]
        terms = labels * len(self.coefficients) + (["log variance", *noise] if noise else [])
        term = Series(unused("term", taken), terms)
        heads = list(map(str, child.levels or ())) if self.levels else ["value"]
        flat = self.coefficients.reshape(-1, self.coefficients.shape[2]).T
        if noise:
            logs = np.concatenate([np.log(self.variances), self.noise_slopes])
            flat = np.concatenate([flat, logs[None]], axis=1)
        values = (
            Series(unused(head, [*taken, "term"]), row, ".5g")
            for head, row in zip(heads, flat, strict=True)
        )
        return Frame((*own, term, *values))

    @property
    def _lead(self) -> str:
        """What the runner-up loses, after the name of the form."""
        if not self.runner_up:
            return ""
        return f" ({FORMS[self.runner_up]}: {-self.lead:.1f} nats)"

    def _levels(self, variable: Variable, parent: int, group: int) -> str:
        """The levels of a group, in one text."""
        codes = np.flatnonzero(self.groups[parent] == group).tolist()
        return " or ".join(str((variable.levels or ())[code]) for code in codes)

    def _label(self, row: list[int], parents: Sequence[Variable]) -> str:
        parts = [
            self._function(parents[parent], parent, which)
            for parent, which in (row[:2], row[2:])
            if parent >= 0
        ]
        return " * ".join(parts)

    def _function(self, variable: Variable, parent: int, which: int) -> str:
        if not len(self.groups[parent]):
            return FUNCTIONS[which].format(f"z({variable.name})")
        levels = np.flatnonzero(self.groups[parent] == which).tolist()
        return f"[{variable.name}={(variable.levels or ())[levels[0]]}]"


def _sum(values: Array, labels: Sequence[str]) -> str:
    """Coefficients with what they belong to; z is a standardised value."""
    return " ".join(f"{v:+.4g} {label}".rstrip() for v, label in zip(values, labels, strict=True))


_LARGEST = 1 << 20  # probabilities of a table that is written out
