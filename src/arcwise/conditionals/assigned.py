"""A family for each variable: networks whose local models are of several kinds.

`Assigned` is itself a family. It prepares each column for the models of its own family, and ties every family
to the table. A parent set that a variable's family has no model for scores -inf. All likelihoods are of one
table in its own units, so they add up to that of the network whatever the families; so do BIC, where every
family counts its parameters, and the leave-one-out likelihood, which all families have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

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
)
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Moments, Table, Variable
from arcwise.graphs import DAG


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
        """Tie each family to the table; `options` of families, by their words."""
        given, table = options or {}, self.rows_of(source)
        parts = {f.name: f.bind(_seen(f, table), **given.get(f.name, {})) for f, _ in self.shares()}
        return AssignedFits(self, table, parts)


def _seen(family: Family, table: Table) -> Table:
    """A table as a family can be tied to it: columns that it can do nothing with are constants."""
    known, columns = family.kinds | family.parent_kinds, list(table.columns)
    variables = list(table.variables)
    for i, variable in enumerate(table.variables):
        if variable.kind not in known:
            levels = ("none",) if "discrete" in known else None
            variables[i] = Variable(variable.name, levels)
            columns[i] = np.zeros(table.rows, dtype=np.uint8 if levels else float)
    return replace(table, variables=tuple(variables), columns=tuple(columns))


class AssignedFits(RowFits):
    """Families tied to one table, by their words."""

    def __init__(self, family: Assigned, table: Table, parts: Mapping[str, Fits]) -> None:
        super().__init__(family, table)
        self.assigned = family
        self.words, self.parts = [family.families[name].name for name in table.names], parts
        self.threads = max(part.threads for part in parts.values())

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The fitted local model of `child` given `parents`, of its own family."""
        if not self.takes(child, parents):
            own, *given = (self.table.variables[j] for j in (child, *parents))
            raise no_model(self.words[child], own, given)
        return self.parts[self.words[child]].conditional(child, parents)

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihoods, -inf where the child's family has no model."""
        return self.asked(child, sets, self.parts[self.words[child]].loglik)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihoods, -inf where the child's family has no model."""
        return self.asked(child, sets, self.parts[self.words[child]].loo)

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters, 0 where the child's family has no model."""
        return self.asked(child, sets, self.parts[self.words[child]].n_params, 0.0)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOut:
        """Tie all families to parts of the rows that are left out in turn."""
        rows, shares = table or self.table, self.assigned.shares()
        held = {f.name: self.parts[f.name].held_out(parts, _seen(f, rows)) for f, _ in shares}
        return _AssignedHeldOut(self, held)

    def retuned(self, graph: DAG) -> Self | None:
        """The same with what local models of a family share tuned to a graph; None if nothing changes."""
        found = {word: fits.retuned(graph) for word, fits in self.parts.items()}
        if not any(found.values()):
            return None
        parts = {word: new or self.parts[word] for word, new in found.items()}
        return type(self)(self.assigned, self.table, parts)


@dataclass(frozen=True)
class _AssignedHeldOut(HeldOut):
    fits: AssignedFits
    parts: Mapping[str, HeldOut]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihoods of the parts, -inf where the child's family has no model."""
        return self.fits.asked(child, sets, self.parts[self.fits.words[child]].loglik)
