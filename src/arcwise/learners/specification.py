"""A learning specification: all choices of a run apart from the data; and the rows that it is for.

Preparing rows has three steps: kinds, then what to do about gaps, then each family's own check of them.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, overload

import numpy as np

from arcwise.conditionals import FAMILIES, Assigned, DefaultScore, Family, suited
from arcwise.data import Moments, Table
from arcwise.data.prepare import as_numbers, without_gaps
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, GraphError, unknown
from arcwise.graphs import DAG, Rules
from arcwise.io.checkpoint import told

__all__ = ["Specification", "prepared", "rows_for", "settled_model", "with_kinds"]


SYNONYMS = {"kde": "parzen", "hc": "greedy"}
"""Words of other libraries for models and searches."""

_APART = ("rng", "threads", "pseudo_rows")  # known by the seed and the data, or of no consequence


@dataclass(frozen=True, eq=False)
class Specification:
    """The choices of a learning run; see `learn` for their meaning.

    `rng` is never advanced: each use takes a copy, so that one specification learns the same from the same
    rows. `penalty` None is the family's own; `rule` says by which rule it is to be chosen; `missing` what to
    do about gaps; `threads` how many of them a family may use inside; `score_default` takes the place of the
    family's own score where none is asked for.
    """

    rng: np.random.Generator
    graph: str = "directed"
    model: str = "auto"
    score: str | None = None
    search: str = "auto"
    start: str | DAG = "empty"
    penalty: float | None = None
    rule: str | None = None
    rules: Rules = field(default_factory=Rules)
    expert: DAG | None = None
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1
    pseudo_rows: Any = None
    missing: str = "drop"
    threads: int = 1
    score_default: DefaultScore | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what no register can; understand other libraries' words."""
        if isinstance(self.search, str):
            object.__setattr__(self, "search", SYNONYMS.get(self.search, self.search))
        if not isinstance(self.rules, Rules):
            raise GraphError(f"Rules are made by Rules(required=[...], ...), not {self.rules!r}.")
        if not isinstance(self.expert, DAG | None):
            raise GraphError(f"The expert's graph must be a DAG, got {self.expert!r}.")

    def but(self, **changes: Any) -> "Specification":
        """The same with some other choices."""
        return replace(self, **changes)

    @property
    def about(self) -> dict[str, str]:
        """What a checkpoint has to agree with: every choice but for the data, the seed and threads."""
        own = (each.name for each in fields(self) if each.name not in _APART)
        return {name: told(getattr(self, name)) for name in own}

    def generator(self) -> np.random.Generator:
        """A copy of the random generator."""
        return copy.deepcopy(self.rng)

    def stream(self, number: int) -> np.random.Generator:
        """An independent generator: 0 for parts of rows, 1 for starts, 2 for searches, 3 for families."""
        return self.generator().spawn(4)[number]


def settled_model(model: str, source: Table | Moments) -> str:
    """The family's word; "auto" goes by the kinds of columns."""
    if model == "auto":
        return suited(source.variables)
    model = SYNONYMS.get(model, model) if isinstance(model, str) else model
    if not isinstance(model, str) or model not in FAMILIES:
        raise unknown("model", model, FAMILIES)
    return model


@overload
def prepared(source: Table, family: Family, missing: str = "drop") -> Table: ...
@overload
def prepared(source: Moments, family: Family, missing: str = "drop") -> Moments: ...
def prepared(source: Table | Moments, family: Family, missing: str = "drop") -> Table | Moments:
    """Bring data into the form that a family takes; moments are in it already.

    First kinds: numeric levels become numbers unless their kind was asked for. Then gaps, by the policy
    `missing`. Then the family's check of its columns.
    """
    if isinstance(source, Moments):
        return source
    table = family.prepare(without_gaps(with_kinds(source, family), missing))
    if table.weights is None:
        return table
    table = table.take(np.flatnonzero(table.weights > 0))  # a row that never happened is no row
    if table.total < 2:
        raise DataError(
            f"Weights say how often rows count, and these sum to {table.total:g}: give numbers of "
            "rows, not shares."
        )
    return table


def with_kinds(source: Table, family: Family) -> Table:
    """A table with the kinds that a family takes; columns that it does not take are named all at once."""
    if isinstance(family, Assigned):
        parts = (with_kinds(source.select(names), own) for own, names in family.shares())
        kinds = {v.name: v.kind for part in parts for v in part.variables}
        return source.recast({n: k for n, k in kinds.items() if k != source.variable(n).kind})
    table = source if "discrete" in family.kinds else as_numbers(source)
    wrong = [v.name for v in table.variables if v.kind not in family.kinds]
    if not wrong:
        return table
    others = [
        f"model={word!r}"
        for word, each in FAMILIES.items()
        if all(v.kind in each.kinds for v in table.variables)
    ]
    several = len(wrong) > 1
    ways = [f"leave {'them' if several else 'it'} out with select()"]
    if not all(v.discrete for v in table.variables):
        ways.append("cut the numbers into levels with discretise()")
    if others:
        ways.append(f"take {' or '.join(others)}")
    advice = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
    what = "levels (text, truth values, or asked for by kinds=)"
    what, only = (what, "numbers") if "continuous" in family.kinds else ("numbers", "levels")
    raise DataError(
        f"{sentence_list(wrong)} {'hold' if several else 'holds'} {what}, and {family.name} models take "
        f"{only} only: {advice}."
    )


def rows_for(spec: Specification, source: Table) -> Table:
    """The rows that learning takes its numbers from: those without gaps, unless pairs of columns do."""
    if spec.options.get("gaps") == "pairwise":
        return with_kinds(source, FAMILIES["gaussian"])
    return prepared(source, FAMILIES[settled_model(spec.model, source)], spec.missing)
