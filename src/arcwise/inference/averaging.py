"""Rao-Blackwell averages: the law of a variable as the mean of its conditionals over states.

If states of the other variables are drawn from their distribution, the average of p(x | state) is
the law of x, with less noise than draws of x itself (Gelfand and Smith 1990). For conditionals that
are mixtures of common normals the average is such a mixture with averaged weights, exactly; for
levels it is the average of the probabilities; other conditionals are kept at some of the states.

`law_of` is the one place where a conditional becomes the law of rows, and `averaged` the one where
laws of states become the law of a row.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Chances, Conditional, GaussianConditional, Mixes
from arcwise.data import Variable
from arcwise.errors import FitError
from arcwise.inference.grid import tabulate
from arcwise.inference.laws import MixtureRows, RowLaw
from arcwise.inference.levels import LevelRows
from arcwise.inference.normal import generator

__all__ = [
    "Average",
    "Tabulated",
    "average_of",
    "averaged",
    "centre",
    "chances",
    "costly",
    "law_of",
    "refuse_beyond",
]

Array = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]

HINTS = 48
"""Draws a row that show where the mass of an unknown kind of conditional lies."""

KEPT = 32
"""States a chain kept of conditionals whose laws have to be tabulated."""


@runtime_checkable
class Tabulated(Protocol):
    """A conditional that gives the laws of its rows itself."""

    def laws(self, xs: Columns, size: int) -> RowLaw:
        """The law of each row."""
        ...


def law_of(model: Conditional, variable: Variable, xs: Columns, size: int) -> RowLaw:
    """The law of a variable in each row, given the columns its model takes.

    Parameters
    ----------
    model : its conditional.
    variable : what it is the conditional of.
    xs : the inputs' columns.
    size : number of rows.

    Returns
    -------
    A law in the closed form of its kind, or tabulated on a grid where it has none.

    >>> model = GaussianConditional(1.0, np.ones(1), 4.0, np.zeros((2, 2)), 0.0)
    >>> law_of(model, Variable("y"), (np.array([0.0, 2.0]),), 2).mean.tolist()
    [1.0, 3.0]
    """
    if variable.discrete:
        return LevelRows(variable, chances(model, variable, xs, size))
    if isinstance(model, Tabulated):
        return model.laws(xs, size)
    if isinstance(model, Mixes):
        centres, widths, weights = model.mixture(xs, size)
        return MixtureRows(centres[None, :], widths[None, :], weights)
    if isinstance(model, GaussianConditional):
        centres = model.mean(xs, size)[:, None]
        return MixtureRows(centres, np.full((1, 1), model.sd), np.ones((size, 1)))
    return _tabulated(model, xs, size)


def costly(model: Conditional, variable: Variable) -> bool:
    """Whether the law of every row has to be worked out on a grid."""
    closed = isinstance(model, Mixes | GaussianConditional) and not isinstance(model, Tabulated)
    return not (variable.discrete or closed)


def _tabulated(model: Conditional, xs: Columns, size: int) -> RowLaw:
    """Laws on a grid, around values drawn from the conditional itself."""
    rng = generator(0)
    wide = tuple(np.repeat(column, HINTS) for column in xs)
    hints = np.asarray(model.sample(wide, rng, size * HINTS), dtype=float).reshape(size, HINTS)
    low, high = hints.min(axis=1), hints.max(axis=1)
    reach = np.maximum(high - low, 1e-9 * np.maximum(1.0, np.abs(high)))

    def logs(points: Array) -> Array:
        count = points.shape[1]
        wide = tuple(np.repeat(column, count) for column in xs)
        return model.logpdf(points.ravel(), wide).reshape(points.shape)

    return tabulate(logs, low - 3 * reach, high + 3 * reach, hints)


def chances(model: Conditional, variable: Variable, xs: Columns, size: int) -> Array:
    """Probability of each level (columns) in each row, from any conditional of a discrete variable."""
    if isinstance(model, Chances):
        return model.probabilities(xs, size)
    levels = range(len(variable.levels or ()))
    logs = np.stack([model.logpdf(np.full(size, code), xs) for code in levels], axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    out: Array = weights / weights.sum(axis=1, keepdims=True)
    return out


def centre(law: RowLaw) -> Array:
    """A number a row whose spread over states tells how well chains mix: the mean, or for levels
    that are no numbers the mean code."""
    if isinstance(law, LevelRows) and not law.variable.numeric:
        codes: Array = law.chances @ np.arange(law.chances.shape[1])
        return codes
    return law.mean


def refuse_beyond(law: RowLaw, name: str) -> None:
    """Refuse laws that are beyond the numbers of a computer, as after evidence of 1e200."""
    if not np.isfinite(centre(law)).all():
        raise FitError(
            f"The answer for {name!r} is beyond the largest number: the evidence is too extreme."
        )


class Average(Protocol):
    """What gathers laws of states while chains run."""

    def add(self, xs: Columns, size: int) -> Array | None:
        """Take in the states of one sweep; gives the number that mixing is judged by.

        None where the sweep was passed over.
        """
        ...

    def law(self) -> RowLaw:
        """The average of what was taken in, one row a chain."""
        ...


def average_of(model: Conditional, variable: Variable, sweeps: int) -> Average:
    """An empty average for a variable, over so many sweeps."""
    closed = variable.discrete or (isinstance(model, Mixes) and not isinstance(model, Tabulated))
    return _Sums(model, variable) if closed else _Kept(model, variable, sweeps)


class _Sums:
    """Average of laws whose average has the same components: weights or probabilities are summed."""

    def __init__(self, model: Conditional, variable: Variable) -> None:
        self.model, self.variable, self.count = model, variable, 0
        self.last: RowLaw | None = None
        self.total = np.zeros(0)

    def add(self, xs: Columns, size: int) -> Array:
        law = law_of(self.model, self.variable, xs, size)
        part = law.weights if isinstance(law, MixtureRows) else _chances(law)
        self.total = self.total + part if self.count else part.copy()
        self.last, self.count = law, self.count + 1
        return centre(law)

    def law(self) -> RowLaw:
        mean = self.total / self.count
        if isinstance(self.last, MixtureRows):
            return MixtureRows(self.last.centres, self.last.widths, mean)
        return LevelRows(self.variable, mean)


def _chances(law: RowLaw) -> Array:
    return law.chances if isinstance(law, LevelRows) else np.zeros((len(law.mean), 0))


class _Kept:
    """Average of laws without common components: states are kept.

    All of them where a law is a single normal, about `KEPT` of each chain where it is a table.
    """

    def __init__(self, model: Conditional, variable: Variable, sweeps: int) -> None:
        self.model, self.variable, self.count = model, variable, 0
        self.step = max(1, sweeps // KEPT) if costly(model, variable) else 1
        self.states: list[tuple[Columns, int]] = []

    def add(self, xs: Columns, size: int) -> Array | None:
        self.count += 1
        if self.count % self.step:
            return None
        self.states.append((tuple(column.copy() for column in xs), size))
        return self.model.mean(xs, size)

    def law(self) -> RowLaw:
        kept, size = len(self.states), self.states[0][1]
        columns = zip(*(xs for xs, _ in self.states), strict=True)
        # One chain's states side by side, so that its laws are a run of rows.
        wide = tuple(np.stack(column, axis=1).ravel() for column in columns)
        return law_of(self.model, self.variable, wide, size * kept).pooled(kept)


def averaged(law: RowLaw, chains: int, weights: Array | None = None) -> RowLaw:
    """The law of each row from the laws of its chains: their even, or weighted, average."""
    return law.pooled(chains, weights)
