"""Predictions of one variable in every row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.distributions import Categorical, Distribution, format_by_spread, standard_quantiles
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import DataError, plural
from arcwise.frame import Frame, Framed, Series
from arcwise.inference.belief import Array, central, numbers
from arcwise.notes import Note

__all__ = ["Predictions"]

PRINTED = 10
"""Rows that are printed as text."""


@dataclass(frozen=True, eq=False)
class Predictions(Framed):
    """Predictions of one variable, one per row.

    Parameters
    ----------
    name : the variable.
    distribution : its distribution in each row.
    mixing : accuracy of each row: standard error of the mean, R-hat and effective sample size.
    notes : notes on ignored or unknown values, and on limits.
    levels : the levels of a discrete target.
    index : the index of the pandas data frame with the rows, if it was one.

    >>> from arcwise.distributions import Normal
    >>> found = Predictions("y", Normal(np.array([1.0, 2.0]), 0.5), Mixing.exact(2))
    >>> found.quantiles(0.5).tolist(), found.logdensity([1.0, None]).round(4).tolist()
    ([1.0, 2.0], [-0.2258, nan])
    """

    name: str
    distribution: Distribution
    mixing: Mixing
    notes: tuple[Note, ...] = ()
    levels: tuple[Any, ...] | None = None
    index: Any = None

    def __len__(self) -> int:
        return len(self.error)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the expected values, or the most probable levels, for numpy."""
        return np.array(self.mean if self.levels is None else self.labels, dtype=dtype)

    @property
    def error(self) -> Array:
        """The standard error of each mean; 0 if exact."""
        return self.mixing.error

    @property
    def rhat(self) -> Array:
        """The R-hat of the chains of each row; 1 if exact."""
        return self.mixing.rhat

    @property
    def ess(self) -> Array:
        """The effective sample size of each row; infinite if exact."""
        return self.mixing.ess

    @cached_property
    def mean(self) -> Array:
        """The expected values, also of levels that are numbers."""
        return _read_only(self.distribution.mean)

    @cached_property
    def sd(self) -> Array:
        """The standard deviations."""
        return _read_only(self.distribution.sd)

    def quantiles(self, q: ArrayLike) -> Array:
        """Return quantiles of each row: a vector for one probability, one column each for several."""
        standard_quantiles(q)  # refuses what is no share
        values = self.distribution.quantile(np.atleast_1d(np.asarray(q, dtype=float)))
        return values[:, 0] if np.ndim(q) == 0 else values

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Return the lower and upper ends of the central intervals with probability ``level``."""
        ends = self.distribution.quantile(central(level))
        return ends[:, 0], ends[:, 1]

    def logdensity(self, values: Any) -> Array:
        """Return the log density (for levels: log probability) of one value per row; NaN if there is none."""
        codes = self._codes(values)
        valid = ~np.isnan(codes)
        with np.errstate(over="ignore"):
            out = self.distribution.logpdf(np.where(valid, codes, 0.0))
        return np.where(valid, out, np.nan)

    def _codes(self, values: Any) -> Array:
        """Return values in the form of the distributions: numbers, or codes of levels."""
        if self.levels is None:
            column = numbers(self.name, values)
        else:
            every: Sequence[Any] = list(np.asarray(values, dtype=object))
            column = Categorical(np.zeros((0, len(self.levels))), self.levels).code_of(every)
        if column.shape != (len(self),):
            raise DataError(
                f"The densities of {len(self)} predictions must have as many values, got "
                f"{column.size}."
            )
        return column

    @cached_property
    def probabilities(self) -> Array:
        """The probability of each level (columns) in each row, for a discrete target."""
        if self.levels is None:
            raise DataError(f"{self.name!r} is a number and has no levels: use quantiles.")
        return _read_only(self.distribution.chances(len(self.levels)))

    @property
    def labels(self) -> NDArray[Any]:
        """The most probable level of each row, for a discrete target."""
        codes = self.probabilities.argmax(axis=1)
        levels: NDArray[Any] = np.array([*(self.levels or ()), None], dtype=object)[codes]
        return levels

    def log_loss(self, values: Any) -> float:
        """Return the mean of -log p(value) over the rows with a value, for a discrete target, in nats."""
        self.probabilities  # noqa: B018 - refuses a target that is a number
        logs = self.logdensity(values)
        return float(-np.nanmean(logs)) if not np.isnan(logs).all() else float("nan")

    @property
    def frame(self) -> Frame:
        """Return one row per row of the data; see `at_level`."""
        return self.at_level(0.95)

    def at_level(self, level: float) -> Frame:
        """Return mean, sd and the central interval with probability `level`; or levels and their
        probabilities.

        The column `row` has the index of the rows if they were a pandas data frame.
        """
        names = [] if self.index is None else [Series("row", list(self.index))]
        if self.levels is not None:
            shares = zip(self.levels, self.probabilities.T, strict=True)
            columns = [Series("level", list(self.labels), head="most probable")]
            columns += [Series(f"p({level_name})", share, ".4f") for level_name, share in shares]
        else:
            low, high = self.interval(level)
            numbers = {"mean": self.mean, "sd": self.sd, "low": low, "high": high}
            columns = [Series(name, values, ".5g") for name, values in numbers.items()]
            if self.error.any():
                columns.append(Series("error", self.error, ".2g"))
        notes = tuple(map(str, self.notes))
        return Frame((*names, *columns), self._summary(), notes, "row" * len(names), self.index)

    @property
    def brief(self) -> Frame:
        """The range of the predictions, and the first rows."""
        if not len(self):
            return Frame((), self._summary(), tuple(map(str, self.notes)))
        rest = len(self) - PRINTED
        more = (f"... and {plural(rest, 'more row')}",) if rest > 0 else ()
        return replace(self.head(PRINTED), notes=(*more, *map(str, self.notes)))

    def _summary(self) -> str:
        if not len(self):
            return f"{self.name}: no rows to predict"
        if self.levels is None:
            least = float(self.sd.min())
            low, high = (
                format_by_spread(float(x), least) for x in (self.mean.min(), self.mean.max())
            )
            count = plural(len(self), "prediction")
            spread = f"sd {least:.4g} to {float(self.sd.max()):.4g}"
            return f"{self.name}: {count} between {low} and {high}, {spread}"
        likely = np.bincount(self.probabilities.argmax(axis=1), minlength=len(self.levels))
        counts = ", ".join(f"{x} {n}" for x, n in zip(self.levels, likely.tolist(), strict=True))
        return f"{self.name}: {plural(len(self), 'prediction')}; most probable levels: {counts}"


def _read_only(array: Array) -> Array:
    """Return a read-only array."""
    fixed = array.view()
    fixed.flags.writeable = False
    return fixed
