"""The family of each variable: one for all, or one for each.

`FAMILIES` is the registry: name to family. `choose` is called once per table, and `prepare` converts the
table for the chosen families. A uniform choice is the family itself, with its compiled code; else it is a
`MixedFamily`, which prepares each column for the models of its family and binds every family to the table.
A parent set without a model scores -inf. All likelihoods are of one table in its own units, so they add up
to that of the network whatever the families; so do BIC, if every family counts its parameters, and the
leave-one-out likelihood, which all families have.
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
    DefaultScore,
    Family,
    Fits,
    HeldOutFits,
    ParentSets,
    Parts,
)
from arcwise.conditionals.clg import ConditionalGaussian
from arcwise.conditionals.discrete import DiscreteFamily
from arcwise.conditionals.experts import ExpertsFamily
from arcwise.conditionals.gaussian import GaussianFamily
from arcwise.conditionals.glm import CurvedFamily, GlmFamily
from arcwise.conditionals.neural import NeuralFamily
from arcwise.conditionals.parzen import ParzenFamily
from arcwise.conditionals.refusals import no_model
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Complete, Kind, Source, Statistics, Table, Variable, WeightedRows
from arcwise.data.prepare import checked_policy
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, close_to, unknown
from arcwise.graphs import DAG
from arcwise.notes import Fix, mention

__all__ = ["FAMILIES", "Choice", "MixedFamily", "choose", "prepare"]

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        GaussianFamily(),
        ParzenFamily(),
        DiscreteFamily(),
        ConditionalGaussian(),
        GlmFamily(),
        NeuralFamily(),
        ExpertsFamily(),
        CurvedFamily(),
    )
}

_KNOWN = {"kde": "parzen"}  # names of models in other packages

Choice = str | Mapping[str, str] | Family
"""A name for all variables, a mapping of variables to names ("*" for all others), or a chosen family."""


def choose(model: Choice, variables: Sequence[Variable], *, graph: str = "directed") -> Family:
    """Choose the family of each variable; a family is returned unchanged.

    "auto" depends on the kinds of all columns: tables if all are discrete, linear models if all can be
    numbers, and generalised linear models for text or booleans together with numbers.

    Parameters
    ----------
    model : the choice of the user.
    variables : their kinds decide for "auto".
    graph : the kind of graph that is learned.

    >>> kinds = (Variable("price"), Variable("town", ("a", "b")))
    >>> choose("auto", kinds).models_of(("price", "town"))
    ('glm', 'glm')
    """
    if isinstance(model, Family):
        return model
    words = _words(model, variables)
    automatic = _automatic(variables, graph)
    families = {name: FAMILIES[_checked(words[name], automatic)] for name in words}
    several = {family.name for family in families.values()}
    return MixedFamily(families) if len(several) > 1 else next(iter(families.values()))


def _words(model: str | Mapping[str, str], variables: Sequence[Variable]) -> dict[str, str]:
    """Return the name of a family, or "auto", for each variable."""
    names = [variable.name for variable in variables]
    if not isinstance(model, Mapping):
        return dict.fromkeys(names, model)
    for name in model:
        if name != "*" and name not in names:
            raise DataError(f"There is no variable {name!r}. {close_to(name, names)}")
    return {name: model.get(name, model.get("*", "auto")) for name in names}


def _checked(word: str, automatic: str) -> str:
    """Return the name of a family that exists; `automatic` where the word is "auto"."""
    if word == "auto":
        return automatic
    word = _KNOWN.get(word, word) if isinstance(word, str) else word
    if not isinstance(word, str) or word not in FAMILIES:
        raise unknown("model", word, FAMILIES)
    return word


def _automatic(variables: Sequence[Variable], graph: str) -> str:
    """Return the family that suits a table with such columns."""
    if all(variable.discrete for variable in variables):
        return "discrete"
    if not any(variable.discrete and not variable.numeric for variable in variables):
        return "gaussian"
    return "parzen" if graph == "undirected" else "glm"


def prepare(family: Family, statistics: Statistics, missing: str = "drop") -> Statistics:
    """Convert data for a family; statistics without rows are unchanged.

    First kinds: numeric levels become numbers unless their kind was requested. Then missing values, by the
    policy `missing`: a family that learns from rows with missing values gets them, others get the complete
    rows, with weights by "weights". Then the family's check of its columns.
    """
    policy = checked_policy(missing)
    keep = policy == "auto" and family.takes_gaps

    def prepared(table: Table) -> Table:
        ready = recast(family, table)
        return _check_weights(family.prepare(ready if keep else ready.complete()))

    if policy == "weights" and isinstance(statistics, Complete):
        table = recast(family, statistics.table)
        if table.missing().any():
            return WeightedRows(table).prepared(prepared)
    ready = statistics.prepared(prepared)
    if keep and isinstance(ready, Complete) and ready.table.missing().any():
        return family.with_gaps(ready.table)
    return ready


def _check_weights(table: Table) -> Table:
    """Return the rows of positive weight; weights must sum to numbers of rows."""
    if table.weights is None:
        return table
    table = table.take(np.flatnonzero(table.weights > 0))  # a row that never happened is no row
    if table.total < 2:
        raise DataError(
            f"Weights are counts of rows, and these sum to {table.total:g}: give counts, not shares."
        )
    return table


def recast(family: Family, table: Table) -> Table:
    """Return a table with the kinds that a family accepts; one error names all columns that it rejects."""
    table = family.recast(table)
    wrong = [v.name for v in table.variables if v.kind not in family.kinds_of(v.name)]
    if not wrong:
        return table
    others = [
        Fix("model", word)
        for word, family in FAMILIES.items()
        if all(v.kind in family.kinds for v in table.variables)
    ]
    several = len(wrong) > 1
    ways = [f"leave {'them' if several else 'it'} out with {{select()}}"]
    if not all(v.discrete for v in table.variables):
        ways.append("cut the numbers into levels with {in categories()}")
        others.append(Fix("model", "auto"))
    ways.append(f"take {' or '.join(fix.place for fix in others)}")
    what = "levels (text, booleans, or by {kinds=})"
    what, only = (what, "numbers") if table.variable(wrong[0]).discrete else ("numbers", "levels")
    raise DataError(
        f"{sentence_list(wrong)} {'hold' if several else 'holds'} {what}, and {family.name} models take "
        f"{only} only: {', '.join(ways[:-1])}, or {ways[-1]}.",
        fixes=[mention("kinds"), Fix(verb="select"), Fix(verb="in categories"), *others],
    )


@dataclass(frozen=True, eq=False)
class MixedFamily(Family):
    """A family for each variable, by its name.

    >>> from arcwise.conditionals import FAMILIES
    >>> MixedFamily({"a": FAMILIES["gaussian"], "b": FAMILIES["parzen"]}).name
    'gaussian, parzen'
    """

    families: Mapping[str, Family]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of all families."""
        return ", ".join(sorted({family.name for family in self.families.values()}))

    @property
    def closed(self) -> bool:  # type: ignore[override]
        """Whether all families have closed-form inference."""
        return all(family.closed for family in self.families.values())

    @property
    def counts(self) -> bool:  # type: ignore[override]
        """Whether some models are tables of counts."""
        return any(family.counts for family in self.families.values())

    @property
    def replicates(self) -> int:  # type: ignore[override]
        """The fewest of all families."""
        return min(family.replicates for family in self.families.values())

    def models_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the name of each variable's family."""
        return tuple(self.families[name].name for name in names)

    def kinds_of(self, name: str) -> frozenset[Kind]:
        """Return the kinds of columns that the variable's models accept."""
        return self.families[name].kinds

    def takes(self, child: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether the child's family has such a model."""
        return self.families[child.name].takes(child, parents)

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> Conditional:
        """Fit the model of the child's family."""
        return self.families[child.name].fit(y, xs, child, parents, weights)

    def recast(self, table: Table) -> Table:
        """Return each column with the kind that its family accepts."""
        parts = (family.recast(part) for family, part in self._parts(table))
        kinds = {v.name: v.kind for part in parts for v in part.variables}
        return table.recast({n: k for n, k in kinds.items() if k != table.variable(n).kind})

    def prepare(self, table: Table) -> Table:
        """Return the columns checked by their families; all rows stay, and notes report surprises."""
        checked = [family.prepare(part).notes for family, part in self._parts(table)]
        notes = dict.fromkeys(
            note for family_notes in checked for note in family_notes if note not in table.notes
        )
        return table.with_notes(*notes)

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return BIC if every family counts its parameters, else a likelihood of held-out rows.

        That is the leave-one-out likelihood, unless a family would fit every model once for each row.
        """
        scores = {f.default_score(columns, rows).word for f, _ in self.shares()}
        if "marginal" in scores:
            return DefaultScore("kfold")
        return DefaultScore("loo" if "loo" in scores else "ebic")

    def default_parents(self, rows: float) -> int | None:
        """Return the smallest bound of all families, if any."""
        bounds = (family.default_parents(rows) for family in self.members)
        return min((bound for bound in bounds if bound is not None), default=None)

    def shares(self) -> list[tuple[Family, list[str]]]:
        """Return each family with the variables that it has models of."""
        families = {family.name: family for family in self.families.values()}
        return [
            (family, [name for name, member in self.families.items() if member.name == word])
            for word, family in sorted(families.items())
        ]

    def _parts(self, table: Table) -> list[tuple[Family, Table]]:
        """Return each family with the columns of its variables."""
        return [(family, table.select(names)) for family, names in self.shares()]

    @property
    def members(self) -> tuple[Family, ...]:
        """Return the families of the variables, each once."""
        return tuple(family for family, _ in self.shares())

    def set_apart(self, table: Table) -> tuple[str, ...]:
        """Return the columns without arcs under the default score, by their families."""
        apart = [family.set_apart(part) for family, part in self._parts(table)]
        return tuple(sorted(name for names in apart for name in names))

    def bind_members(self, source: Source, options: Mapping[str, Mapping[str, Any]]) -> Fits:
        """Bind each family to the data with its options."""
        return self.bind(source, options=options)

    def fits(
        self, statistics: Statistics, *, options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Fits:
        """Bind each family to the rows; `options` of families, by their names."""
        member_options, table = options or {}, self.rows_of(statistics)
        parts = {
            f.name: f.bind(_view(f, table), **member_options.get(f.name, {}))
            for f, _ in self.shares()
        }
        return MixedFits(self, statistics, parts)


def _view(family: Family, table: Table) -> Table:
    """Return a table that a family can be bound to: columns without a model become constants."""
    allowed, columns = family.kinds | family.parent_kinds, list(table.columns)
    variables = list(table.variables)
    for i, variable in enumerate(table.variables):
        if variable.kind not in allowed:
            levels = ("none",) if "discrete" in allowed else None
            variables[i] = Variable(variable.name, levels)
            columns[i] = np.zeros(table.rows, dtype=np.uint8 if levels else float)
    return replace(table, variables=tuple(variables), columns=tuple(columns))


class MixedFits(RowFits):
    """Families bound to one table, by name."""

    def __init__(
        self, family: MixedFamily, statistics: Statistics, parts: Mapping[str, Fits]
    ) -> None:
        super().__init__(family, statistics)
        self.mixed, self.parts = family, parts
        self.shared = any(part.shared for part in parts.values())
        self.threads = max(part.threads for part in parts.values())

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """Return the fitted local model of `child` given `parents`, of the child's family."""
        if not self.takes(child, parents):
            variable, *inputs = (self.table.variables[j] for j in (child, *parents))
            raise no_model(self.models[child], variable, inputs)
        return self.parts[self.models[child]].conditional(child, parents)

    def never(self, child: int) -> frozenset[int]:
        """Return the variables of kinds that the child's family does not accept as parents."""
        others = range(len(self.nodes))
        return frozenset(x for x in others if x != child and not self.takes(child, (x,)))

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return log-likelihoods, -inf if the child's family has no model."""
        return self.asked(child, sets, self.parts[self.models[child]].loglik)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return leave-one-out log-likelihoods, -inf if the child's family has no model."""
        return self.asked(child, sets, self.parts[self.models[child]].loo)

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Return the numbers of free parameters, 0 if the child's family has no model."""
        return self.asked(child, sets, self.parts[self.models[child]].n_params, 0.0)

    def choice(self, child: int, sets: ParentSets) -> Array | None:
        """Return the cost of choosing the form of a model, if the child's family has several."""

        def costs(member: int, some: ParentSets) -> Array:
            value = self.parts[self.models[member]].choice(member, some)
            return np.zeros(len(some)) if value is None else value

        return self.asked(child, sets, costs, 0.0)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind all families to parts of the rows that are held out in turn."""
        rows, shares = table or self.table, self.mixed.shares()
        bound = {f.name: self.parts[f.name].held_out(parts, _view(f, rows)) for f, _ in shares}
        return _MixedHeldOut(self, bound)

    def retuned(self, graph: DAG) -> Self | None:
        """Return fits with shared parameters tuned to a graph; None if nothing changes."""
        tuned = {word: fits.retuned(graph) for word, fits in self.parts.items()}
        if not any(tuned.values()):
            return None
        parts = {word: new or self.parts[word] for word, new in tuned.items()}
        return type(self)(self.mixed, self.statistics, parts)


@dataclass(frozen=True)
class _MixedHeldOut(HeldOutFits):
    fits: MixedFits
    parts: Mapping[str, HeldOutFits]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return log-likelihoods of the parts, -inf if the child's family has no model."""
        return self.fits.asked(child, sets, self.parts[self.fits.models[child]].loglik)
