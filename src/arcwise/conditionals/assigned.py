"""A family for each variable: networks whose local models are of several kinds.

`Assigned` is itself a family. It prepares each column for the models of its own family, and ties every family
to the columns that it can take, as a child or as a parent. A parent set that a variable's family has no model
for scores -inf. All likelihoods are of one table in its own units, so they add up to that of the network
whatever the families; so do BIC, where every family counts its parameters, and the leave-one-out likelihood,
which all families have.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import (
    Array,
    Columns,
    Conditional,
    Family,
    Fits,
    HeldOut,
    ParentSets,
    Parts,
    no_model,
    possible,
)
from arcwise.data import Moments, Table, Variable
from arcwise.errors import FitError
from arcwise.graphs import DAG

__all__ = ["Assigned"]

Ask = Callable[[int, ParentSets], Array]


@dataclass(frozen=True, eq=False)
class Assigned(Family):
    """The families of variables, by their names.

    >>> from arcwise.conditionals import FAMILIES
    >>> Assigned({"a": FAMILIES["gaussian"], "b": FAMILIES["parzen"]}).name
    'gaussian, parzen'
    """

    families: Mapping[str, Family]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The words of all families."""
        return ", ".join(sorted({family.name for family in self.families.values()}))

    @property
    def closed(self) -> bool:  # type: ignore[override]
        """Whether networks of such models answer in closed form."""
        return all(family.closed for family in self.families.values())

    def takes(self, child: Variable, parents: Sequence[Variable]) -> bool:
        """Whether the child's own family has such a model."""
        return self.families[child.name].takes(child, parents)

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> Conditional:
        """Fit the model of the child's own family."""
        return self.families[child.name].fit(y, xs, child, parents, weights)

    def prepare(self, table: Table) -> Table:
        """Each family's check of its own columns; all rows stay, and what may surprise is noted."""
        checked = [family.prepare(table.select(names)).notes for family, names in self.shares()]
        notes = dict.fromkeys(note for own in checked for note in own if note not in table.notes)
        return table.with_notes(*notes)

    def shares(self) -> list[tuple[Family, list[str]]]:
        """Each family with the variables that it has models of."""
        families = {family.name: family for family in self.families.values()}
        return [
            (family, [name for name, own in self.families.items() if own.name == word])
            for word, family in sorted(families.items())
        ]

    def bind(
        self, source: Table | Moments, *, options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Fits:
        """Tie each family to the columns that it takes; `options` of families, by their words."""
        if isinstance(source, Moments):
            raise FitError(
                f"Models of several kinds ({self.name}) need the rows of the table, but only means and "
                "covariances were given: read the file as a table."
            )
        parts = []
        for family, names in self.shares():
            columns = [
                i
                for i, variable in enumerate(source.variables)
                if variable.name in names or variable.kind in family.parent_kinds
            ]
            table = source.select([source.names[i] for i in columns])
            given = (options or {}).get(family.name, {})
            parts.append(_Part(family.bind(table, **given), {c: i for i, c in enumerate(columns)}))
        words = [family.name for family, _ in self.shares()]
        owners = tuple(words.index(self.families[name].name) for name in source.names)
        return AssignedFits(self, source, tuple(parts), owners)


class _Part(NamedTuple):
    """A family tied to some of the columns, and their numbers there."""

    fits: Fits
    places: Mapping[int, int]


class AssignedFits(Fits):
    """Families tied to one table; `owners` says for each column which of the parts has its models."""

    def __init__(
        self, family: Assigned, table: Table, parts: tuple[_Part, ...], owners: tuple[int, ...]
    ) -> None:
        self.family, self.table, self.parts, self.owners = family, table, parts, owners
        self.nodes, self.rows = table.names, table.total
        self.shared = any(part.fits.shared for part in parts)
        self.threads = max(part.fits.threads for part in parts)

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The fitted local model of `child` given `parents`, of its own family."""
        if not self.takes(child, parents):
            own, *given = (self.table.variables[j] for j in (child, *parents))
            raise no_model(self.family.families[own.name], own, given)
        fits, places = self.parts[self.owners[child]]
        return fits.conditional(places[child], tuple(places[j] for j in parents))

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Whether the child's own family has such a model."""
        return bool(possible(self.family, self.table, child, (parents,)))

    def asked(
        self, child: int, sets: ParentSets, answers: Sequence[Ask], impossible: float = -np.inf
    ) -> Array:
        """What the child's part answers for the sets that its family has models for."""
        own, places = self.owners[child], self.parts[self.owners[child]].places
        taken = possible(self.family, self.table, child, sets)
        out = np.full(len(sets), impossible)
        if taken:
            inside = [tuple(places[j] for j in sets[i]) for i in taken]
            out[taken] = answers[own](places[child], inside)
        return out

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihoods, -inf where the child's family has no model."""
        return self.asked(child, sets, [part.fits.loglik for part in self.parts])

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihoods, -inf where the child's family has no model."""
        return self.asked(child, sets, [part.fits.loo for part in self.parts])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters, 0 where the child's family has no model."""
        return self.asked(child, sets, [part.fits.n_params for part in self.parts], 0.0)

    def held_out(self, parts: Parts) -> HeldOut:
        """Tie all families to parts of the rows that are left out in turn."""
        return _AssignedHeldOut(self, [part.fits.held_out(parts) for part in self.parts])

    def retuned(self, graph: DAG) -> Self | None:
        """The same with what local models of a family share tuned to a graph; None if nothing changes."""
        found: list[Fits | None] = []
        for number, (fits, places) in enumerate(self.parts):
            rows: list[tuple[int, ...]] = [()] * len(places)
            for child, place in places.items():
                if self.owners[child] == number:
                    rows[place] = tuple(places[j] for j in graph.parents[child] if j in places)
            found.append(fits.retuned(DAG.unchecked(fits.nodes, tuple(rows))))
        if not any(found):
            return None
        parts = [p._replace(fits=new or p.fits) for p, new in zip(self.parts, found, strict=True)]
        return type(self)(self.family, self.table, tuple(parts), self.owners)

    def seconds(self, inputs: int) -> float:
        """How long a local model of the slowest family takes."""
        return max(part.fits.seconds(inputs) for part in self.parts)


@dataclass(frozen=True)
class _AssignedHeldOut(HeldOut):
    fits: AssignedFits
    parts: Sequence[HeldOut]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihoods of the parts, -inf where the child's family has no model."""
        return self.fits.asked(child, sets, [part.loglik for part in self.parts])
