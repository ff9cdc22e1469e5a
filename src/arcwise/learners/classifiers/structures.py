"""Structures of Bayesian classifiers: the class has an arc into every feature, and features have few others.

* naive: no arcs between features;
* tan: a tree over the features, that of the largest conditional mutual information (Friedman, Geiger and
  Goldszmidt 1997), or the best forest by a score;
* kdb: features in the order of their information on the class; each has the k before it that tell most about
  it given the class as parents, too (Sahami 1996);
* aode: one feature in turn is parent of all others, and the classifiers are averaged (Webb, Boughton and
  Wang 2005);
* free: any directed graph in which nothing points to the class, and the class has a child;
* averaged: graphs of that kind drawn from their posterior by a chain over partitions (Kuipers and Moffa
  2017), each with the weight of its draws.

Features are parents of features of their own kind only.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arcwise.data import Table
from arcwise.errors import FitError, unknown
from arcwise.graphs import DAG, Rules, rooted, spanning_forest
from arcwise.learners.classifiers.relations import Relations
from arcwise.learners.directed import Directed
from arcwise.learners.specification import Specification
from arcwise.mcmc import SAMPLERS, run
from arcwise.results import Watch

__all__ = ["STRUCTURES", "Plan", "structures_of"]

_NOTHING = 1e-9  # nats per row that an arc gains by rounding alone
_MOST_CELLS = 1 << 27  # of all tables together
_EACH = 64  # cells that a table of any size costs
_SOURCED = ("naive", "tan", "kdb", "aode", "free", "averaged")
_DRAWN, _BURN_IN, _THIN = (
    100,
    200,
    10,
)  # graphs that are drawn; steps for each variable before, and between


@dataclass(frozen=True)
class Plan:
    """How the structure of a classifier is found.

    `structure` is a word of `STRUCTURES`; `k` the most feature parents (kdb, free; None for no bound);
    `score` what an arc between features has to raise: "loglik" never objects, so that tan gives a whole tree;
    of free, any score of discrete networks; `search` and `rng` are for free.
    """

    rng: np.random.Generator
    structure: str = "tan"
    k: int | None = 2
    score: str | None = None
    search: str = "auto"
    watch: Watch | None = None


Parents = dict[int, tuple[int, ...]]


def _naive(relations: Relations, plan: Plan) -> list[Parents]:
    return [dict.fromkeys(relations.features, ())]


def _tan(relations: Relations, plan: Plan) -> list[Parents]:
    """One tree, away from the feature that tells most about the class; ties go by name."""
    features = relations.features
    gains = relations.gains(plan.score or "loglik")
    gains[gains <= _least(relations, plan)] = -np.inf
    roots = sorted(range(len(features)), key=lambda i: (-relations.relevance[features[i]], i))
    rows = rooted(len(features), spanning_forest(gains), roots)
    return [{features[i]: tuple(features[j] for j in row) for i, row in enumerate(rows)}]


def _least(relations: Relations, plan: Plan) -> float:
    """What an arc has to gain; the likelihood alone takes every arc, as the papers do."""
    if plan.score in (None, "loglik"):
        return -np.inf
    return _NOTHING * max(1.0, relations.table.total)


def _kdb(relations: Relations, plan: Plan) -> list[Parents]:
    features, most = relations.features, 1 if plan.k is None else plan.k
    gains = relations.gains(plan.score or "loglik")
    least = _least(relations, plan)
    order = sorted(range(len(features)), key=lambda i: (-relations.relevance[features[i]], i))
    found: Parents = {}
    for place, i in enumerate(order):
        before = [j for j in order[:place] if gains[i, j] > least]
        chosen = sorted(before, key=lambda j: (-gains[i, j], j))[:most]
        found[features[i]] = tuple(sorted(features[j] for j in chosen))
    return [found]


def _aode(relations: Relations, plan: Plan) -> list[Parents]:
    """One graph for each feature as the parent of all others, then that of naive Bayes."""
    features, variables = relations.features, relations.table.variables
    if not all(variables[i].discrete for i in features):
        name = next(variables[i].name for i in features if not variables[i].discrete)
        raise FitError(
            f"aode averages over the levels of features, and {name!r} is continuous: take "
            "features='discretise'."
        )
    _check_pairs(relations)
    own: list[Parents] = [
        {i: () if i == parent else (parent,) for i in features} for parent in features
    ]
    return [*own, *_naive(relations, plan)]


def _check_pairs(relations: Relations) -> None:
    """Refuse tables of all pairs of features that would not fit."""
    levels = np.array([relations.levels(i) for i in relations.features], dtype=float)
    cells = len(relations.classes) * float(levels.sum() ** 2)
    pairs = float(len(levels)) ** 2
    if max(cells, _EACH * pairs) > _MOST_CELLS:
        raise FitError(
            f"aode keeps tables of all pairs of features, {pairs:.3g} with {cells:.3g} cells, which is "
            "too much: take fewer features, or another structure."
        )


def structures_of(relations: Relations, plan: Plan) -> list[DAG]:
    """The graphs of a classifier: one; of aode one for each feature and that of naive Bayes; or those drawn.

    Raises
    ------
    WordError : a structure that is not known.
    """
    if plan.structure == "free":
        return [_free(relations.table, relations.target, plan)]
    if plan.structure == "averaged":
        return _drawn(relations.table, relations.target, plan)
    if plan.structure not in STRUCTURES:
        raise unknown("structure of a classifier", plan.structure, _SOURCED)
    graphs = STRUCTURES[plan.structure](relations, plan)
    return [with_class(relations.table.names, relations.target, each) for each in graphs]


def with_class(names: tuple[str, ...], target: int, parents: Parents) -> DAG:
    """A graph from the parents that features have beside the class; features not named have none at all."""
    rows = [tuple(sorted((target, *parents[i]))) if i in parents else () for i in range(len(names))]
    return DAG(names, tuple(rows))


STRUCTURES: dict[str, Callable[[Relations, Plan], list[Parents]]] = {
    "naive": _naive,
    "tan": _tan,
    "kdb": _kdb,
    "aode": _aode,
}
"""Structures that follow from information alone; "free" is searched for."""


# -- free ------------------------------------------------------------------------------------------


def _problem(table: Table, target: int, plan: Plan) -> Directed:
    """Graphs in which nothing points to the class, and the class has a child, with their score."""
    continuous = [v.name for v in table.variables if not v.discrete]
    if continuous:
        raise FitError(
            f"A {plan.structure} structure is searched for among discrete features, and {continuous[0]!r} is "
            "continuous: take features='discretise'."
        )
    rules = Rules(max_parents=None if plan.k is None else plan.k + 1, target=table.names[target])
    spec = Specification(
        plan.rng, model="discrete", score=plan.score, search=plan.search, rules=rules
    )
    return Directed.bind(spec, table)


def _free(table: Table, target: int, plan: Plan) -> DAG:
    """The best graph by a score."""
    problem = _problem(table, target, plan)
    graph = problem.learn(problem.penalty, plan.watch).net.graph
    if not isinstance(graph, DAG):
        raise FitError("A classifier needs a directed graph.")
    return graph


def _drawn(table: Table, target: int, plan: Plan) -> list[DAG]:
    """Graphs from their posterior, as often as they were drawn, those drawn most often first."""
    problem, p = _problem(table, target, plan), len(table.names)
    sampler = SAMPLERS["partition"](problem.penalised(problem.penalty), problem.limits)
    rng = problem.spec.stream(2)
    chain = run(
        sampler, None, rng, _DRAWN, burn_in=_BURN_IN * p, thin=_THIN * p, on_step=plan.watch
    )
    return [graph for graph, times in chain.counts().items() for _ in range(times)]
