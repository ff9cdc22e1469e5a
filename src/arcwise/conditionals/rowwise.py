"""Generic fits of a family: from the rows, or view by view.

`RowFits` is the default: every local model is fitted from the rows. `ViewFits` is for statistics in which
parent sets use different rows: these have a uniform view for each child and parent set (see
`Statistics.view`). The family is bound to each view once, and sets with the same view are scored in one
batch. Equivalent graphs need not have equal scores then, since they are scored on different rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import (
    Array,
    Conditional,
    Family,
    Fits,
    HeldOutFits,
    ParentSets,
    Parts,
)
from arcwise.conditionals.refusals import no_count, no_model
from arcwise.data import Statistics, Table
from arcwise.errors import FitError
from arcwise.notes import Fix

__all__ = ["RowFits", "RowHeldOut", "ViewFits", "possible"]

Ask = Callable[[int, ParentSets], Array]


class RowFits(Fits):
    """Default fits: each parent set is fitted from the rows."""

    def __init__(self, family: Family, statistics: Statistics) -> None:
        self.family, self.statistics = family, statistics
        self.table = family.rows_of(statistics)
        self.nodes, self.rows = statistics.names, statistics.total
        self.models, self.closed = family.models_of(self.nodes), family.closed
        self._counts: dict[tuple[int, tuple[int, ...]], int | None] = {}

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """Return the fitted local model of `child` given `parents`."""
        model = _fit(self.family, self.table, child, parents)
        self._counts[child, parents] = model.n_params
        return model

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether the family has such a model."""
        return bool(possible(self.family, self.table, child, (parents,)))

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the log-likelihood of the data under the fitted model, for each parent set."""
        return self.asked(child, sets, self._loglik)

    def _loglik(self, child: int, sets: ParentSets) -> Array:
        return np.array([_loglik(self.conditional(child, s), self.table, child, s) for s in sets])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Return the number of free parameters of the model for each parent set; 0 without a model."""
        return self.asked(child, sets, self._n_params, 0.0)

    def _n_params(self, child: int, sets: ParentSets) -> Array:
        for s in sets:
            if (child, s) not in self._counts:  # else it was fitted for its likelihood
                self.conditional(child, s)
        counts = [self._counts[child, s] for s in sets]
        if None in counts:
            no_count(self.family)
        return np.array(counts, dtype=float)

    def asked(self, child: int, sets: ParentSets, ask: Ask, impossible: float = -np.inf) -> Array:
        """Return values for the sets that the family has models for, and `impossible` for the others."""
        valid, out = possible(self.family, self.table, child, sets), np.full(len(sets), impossible)
        if valid:
            out[valid] = ask(child, [sets[i] for i in valid])
        return out

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return the leave-one-out log-likelihood by fitting again without one unit of each row in turn."""
        table, valid = self.table, possible(self.family, self.table, child, sets)
        out, lost = np.full(len(sets), -np.inf), table.unit_weights()
        out[valid] = 0.0
        weights = np.ones(table.rows) if table.weights is None else table.weights
        for row in np.flatnonzero(weights > 0):
            one, left = table.take([row]), weights.copy()
            left[row] -= lost[row]
            rest = table.with_weights(None if table.weights is None else left).take(left > 0)
            for i in valid:
                out[i] += _loglik(_fit(self.family, rest, child, sets[i]), one, child, sets[i])
        return out

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind the family to parts of the rows that are held out in turn."""
        return RowHeldOut(self.family, table or self.table, tuple(parts))


@dataclass(frozen=True)
class RowHeldOut(HeldOutFits):
    """Default held-out fits: each part's model is fitted from the rows outside it."""

    family: Family
    table: Table
    parts: tuple[NDArray[np.intp], ...]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the log-likelihood of the parts, each under the model fitted to the rows outside it."""
        out, valid = np.full(len(sets), -np.inf), possible(self.family, self.table, child, sets)
        out[valid] = 0.0
        for part in self.parts:
            rest = self.table.take(np.setdiff1d(np.arange(self.table.rows), part))
            inside = self.table.take(part)
            for i in valid:
                model = _fit(self.family, rest, child, sets[i])
                out[i] += _loglik(model, inside, child, sets[i])
        return out


def possible(family: Family, table: Table, child: int, sets: ParentSets) -> list[int]:
    """Return a mask of the sets that the family has models for."""
    variable, variables = table.variables[child], table.variables
    return [i for i, s in enumerate(sets) if family.takes(variable, [variables[j] for j in s])]


def _fit(family: Family, table: Table, child: int, parents: tuple[int, ...]) -> Conditional:
    xs = tuple(table.columns[j] for j in parents)
    variables = tuple(table.variables[j] for j in parents)
    if not family.takes(table.variables[child], variables):
        raise no_model(family.name, table.variables[child], variables)
    return family.fit(
        table.columns[child], xs, table.variables[child], variables, weights=table.weights
    )


def _loglik(model: Conditional, table: Table, child: int, parents: tuple[int, ...]) -> float:
    logs = model.logpdf(table.columns[child], tuple(table.columns[j] for j in parents))
    return float(logs.sum() if table.weights is None else table.weights @ logs)


class ViewFits(Fits):
    """The fits of all views of some statistics."""

    def __init__(self, family: Family, statistics: Statistics, options: Mapping[str, Any]) -> None:
        self.family, self.statistics, self.options = family, statistics, options
        self.nodes, self.rows = statistics.names, statistics.total
        self.models, self.closed = family.models_of(self.nodes), family.closed
        self._bound: dict[int, tuple[Statistics, Fits]] = {}

    def part(self, child: int, parents: tuple[int, ...]) -> Fits:
        """Return the family bound to the view of a parent set."""
        view = self.statistics.view(child, parents)
        if (
            id(view) not in self._bound
        ):  # the view is kept with its fits, so that its id stays its own
            self._bound[id(view)] = view, self.family.bind(view, **self.options)
        return self._bound[id(view)][1]

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """Return the fitted local model of `child` given `parents`."""
        return self.part(child, parents).conditional(child, parents)

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether there is such a model."""
        return self.part(child, parents).takes(child, parents)

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the log-likelihood of the rows of each parent set's view."""
        return self._batched(child, sets, lambda fits, some: fits.loglik(child, some))

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Return the number of free parameters of the model for each parent set."""
        return self._batched(child, sets, lambda fits, some: fits.n_params(child, some))

    def choice(self, child: int, sets: ParentSets) -> Array:
        """Return the cost of choosing the form of a model, for each parent set."""

        def costs(fits: Fits, some: ParentSets) -> Array:
            values = fits.choice(child, some)
            return np.zeros(len(some)) if values is None else values

        return self._batched(child, sets, costs)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return the leave-one-out log-likelihood of the rows of each parent set's view."""
        return self._batched(child, sets, lambda fits, some: fits.loo(child, some))

    def marginal(self, child: int, sets: ParentSets) -> Array:
        """Return the log marginal likelihood of the rows of each parent set's view."""
        sets = sets or ((),)  # so that a family without one raises its error
        return self._batched(child, sets, lambda fits, some: fits.marginal(child, some))

    def _batched(
        self, child: int, sets: ParentSets, values: Callable[[Fits, ParentSets], Array]
    ) -> Array:
        """Return the values of all sets, in one call for those that share their view."""
        shares: dict[Fits, list[int]] = {}
        for i, parents in enumerate(sets):
            shares.setdefault(self.part(child, parents), []).append(i)
        out = np.empty(len(sets))
        for fits, places in shares.items():
            out[places] = values(fits, [sets[i] for i in places])
        return out

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Raise an error: held-out parts have no meaning if each model uses other rows."""
        raise FitError(
            "Held-out scores need models of the same rows: use bic, or {score=}.",
            fixes=[Fix("score", "loo")],
        )
