"""Learning specification: all choices of a run apart from the data, and the preparation of data for it."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from arcwise.conditionals import Choice, DefaultScore, Family, choose, prepare
from arcwise.conditionals.choose import recast
from arcwise.data import Incomplete, Statistics, Table, Variable
from arcwise.data.prepare import checked_policy
from arcwise.errors import GraphError
from arcwise.graphs import DAG, Rules
from arcwise.io.checkpoint import option_text
from arcwise.learners.parallel import cores
from arcwise.results import Trail, Watch
from arcwise.scores import SCORES

__all__ = ["Specification", "prepare_data", "prepared_cases", "recast_rows"]


SYNONYMS = {"hc": "greedy"}
"""Names of searches in other packages."""

_APART = ("rng", "threads", "pseudo_rows")  # known by the seed and the data, or of no consequence


@dataclass(frozen=True, eq=False)
class Specification:
    """The choices of a learning run; see `learn` for their meaning.

    `rng` is never advanced: each use takes a copy, so that a specification has the same result for the same
    rows. `penalty` None is the family's default, and `rule` the name of a rule that chooses it; `missing` is
    the policy for missing values; `threads` the number of threads of a family (-1: one per core);
    `score_default` replaces the family's default score; `search_options` and `score_options` are those of the
    search and the score, `model_options` those of the models of these names.
    """

    rng: np.random.Generator
    graph: str = "directed"
    model: Choice = "auto"
    score: str | None = None
    search: str = "auto"
    start: str | DAG = "empty"
    penalty: float | None = None
    rule: str | None = None
    rules: Rules = field(default_factory=Rules)
    expert: DAG | None = None
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1
    pseudo_rows: Any = None
    missing: str = "auto"
    threads: int = 1
    score_default: DefaultScore | None = None
    search_options: Mapping[str, Any] = field(default_factory=dict)
    score_options: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what the registries do not check; replace synonyms of other packages."""
        if isinstance(self.search, str):
            object.__setattr__(self, "search", SYNONYMS.get(self.search, self.search))
        if not isinstance(self.rules, Rules):
            raise GraphError(
                f"Rules must be made by Rules(required=[...], ...), got {self.rules!r}."
            )
        if not isinstance(self.expert, DAG | None):
            raise GraphError(f"The expert's graph must be a DAG, got {self.expert!r}.")
        object.__setattr__(self, "threads", cores(self.threads))

    def but(self, **changes: Any) -> "Specification":
        """Return the specification with some other choices."""
        return replace(self, **changes)

    @property
    def family(self) -> Family:
        """The family of each variable, once it is chosen."""
        if not isinstance(self.model, Family):
            raise TypeError("the specification has no families yet: prepare it for the data first")
        return self.model

    def chosen(self, variables: Sequence[Variable]) -> "Specification":
        """Return the specification with the family of each variable chosen."""
        return self.but(model=choose(self.model, variables, graph=self.graph))

    @property
    def about(self) -> dict[str, str]:
        """Return the key of checkpoints: every choice except the data, the seed and threads."""
        field_names = (field.name for field in fields(self) if field.name not in _APART)
        return {name: option_text(getattr(self, name)) for name in field_names}

    def generator(self) -> np.random.Generator:
        """Return a copy of the random generator."""
        return copy.deepcopy(self.rng)

    def stream(self, number: int) -> np.random.Generator:
        """Return an independent generator: 0 for parts of rows, 1 for starts, 2 for searches, 3 for
        families.
        """
        return self.generator().spawn(4)[number]


def prepare_data(
    spec: Specification,
    statistics: Statistics,
    graph: DAG | None = None,
    watch: Watch | None = None,
) -> tuple[Specification, Statistics]:
    """Choose the family of each variable, and convert the data for them.

    The specification that is returned has the choice in it, which is not made again. Missing values are drawn
    from a network on `graph`, if there is one; `watch` may stop this, and EM.
    """
    spec = spec.chosen(statistics.variables)
    family = spec.family
    if draws_values(spec, statistics):
        from arcwise.learners.completion import (
            complete_rows,  # which learns networks by this module
        )

        return spec, complete_rows(spec, recast_rows(spec, statistics), graph, watch)
    ready = prepare(family, statistics, spec.missing)
    if isinstance(ready, Incomplete):
        trail = Trail(watch)
        ready.estimate(lambda: trail.tick("EM of missing values", float("nan"), 0))
    return spec, ready


def prepared_cases(
    spec: Specification, statistics: Statistics, use: str
) -> tuple[Specification, Table]:
    """Choose the family of each variable, and return the rows of folds; see `prepare_data`."""
    spec = spec.chosen(statistics.variables)
    if draws_values(spec, statistics):
        return spec, recast_rows(spec, statistics)
    return spec, prepare(spec.family, statistics, spec.missing).cases(use)


def recast_rows(spec: Specification, statistics: Statistics) -> Table:
    """Return the rows with the kinds that the families take, and at least one value each."""
    table = recast(spec.family, statistics.rows("Missing values can be drawn for"))
    empty = table.missing().all(axis=1)
    return table.take(~empty) if empty.any() else table


def draws_values(spec: Specification, statistics: Statistics) -> bool:
    """Return whether missing values are drawn: a family or a score of the specification needs complete
    rows.
    """
    policy = checked_policy(spec.missing)
    if policy in ("drop", "weights") or not statistics.has_rows:
        return False
    if policy == "auto" and spec.family.takes_gaps and spec.score not in _PREDICTIVE:
        return False
    return bool(statistics.rows("Missing values can be drawn for").missing().any())


_PREDICTIVE = tuple(word for word, entry in SCORES.items() if entry.meaning == "predictive")
"""Scores of held-out rows, which need complete rows."""
