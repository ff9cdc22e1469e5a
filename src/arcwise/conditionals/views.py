"""A family tied to statistics in which parent sets see different rows, view by view.

Such statistics have a uniform view for each child and parent set (see `Statistics.view`). The family is
bound to each view once, and sets with the same view are scored in one batch. Equivalent graphs need not
tie then, since they are scored on different rows.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arcwise.conditionals.base import Array, Conditional, Family, Fits, HeldOut, ParentSets, Parts
from arcwise.data import Statistics, Table
from arcwise.errors import FitError

__all__ = ["ViewFits"]


class ViewFits(Fits):
    """The fits of all views of some statistics."""

    def __init__(self, family: Family, statistics: Statistics, options: Mapping[str, Any]) -> None:
        self.family, self.statistics, self.options = family, statistics, options
        self.nodes, self.rows = statistics.names, statistics.total
        self.models, self.closed = family.models_of(self.nodes), family.closed
        self._bound: dict[int, tuple[Statistics, Fits]] = {}

    def part(self, child: int, parents: tuple[int, ...]) -> Fits:
        """The family tied to the view of a parent set."""
        view = self.statistics.view(child, parents)
        if (
            id(view) not in self._bound
        ):  # the view is kept with its fits, so that its id stays its own
            self._bound[id(view)] = view, self.family.bind(view, **self.options)
        return self._bound[id(view)][1]

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The fitted local model of `child` given `parents`."""
        return self.part(child, parents).conditional(child, parents)

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Whether there is such a model."""
        return self.part(child, parents).takes(child, parents)

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the rows that each parent set sees."""
        return self._batched(child, sets, lambda fits, some: fits.loglik(child, some))

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the model for each parent set."""
        return self._batched(child, sets, lambda fits, some: fits.n_params(child, some))

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood of the rows that each parent set sees."""
        return self._batched(child, sets, lambda fits, some: fits.loo(child, some))

    def _batched(
        self, child: int, sets: ParentSets, values: Callable[[Fits, ParentSets], Array]
    ) -> Array:
        """The values of all sets, in one call for those that share their view."""
        shares: dict[Fits, list[int]] = {}
        for i, parents in enumerate(sets):
            shares.setdefault(self.part(child, parents), []).append(i)
        out = np.empty(len(sets))
        for fits, places in shares.items():
            out[places] = values(fits, [sets[i] for i in places])
        return out

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOut:
        """Raise an error: parts of the rows have no meaning where each model sees other rows."""
        raise FitError(
            "Held-out scores need models that see the same rows: take bic, or score='loo'."
        )
