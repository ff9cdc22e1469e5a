"""Bayesian classifiers: learned from a table, and asked for the probabilities of classes.

A classifier is one network or several (aode, averaged) in which the class is known by its name, and what raw
rows become before they are asked about. Levels are those that the table's variables declare, seen or not.
"""

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import FAMILIES, Conditional, DiscreteConditional
from arcwise.conditionals.discrete import MOST_CELLS, Smoothing
from arcwise.data import Table, Variable, conform
from arcwise.data.discretise import discretise
from arcwise.data.variable import gaps_of, sentence_list
from arcwise.errors import DataError, FitError, unknown
from arcwise.graphs import DAG
from arcwise.inference.class_posterior import class_log_joint, normalised
from arcwise.learners.classifiers.relations import Relations
from arcwise.learners.classifiers.selection import selected
from arcwise.learners.classifiers.structures import Plan, structures_of
from arcwise.networks import BayesNet

__all__ = [
    "FEATURES", "Classifier", "ClassifierSpec", "decide", "learn_classifier", "prepared_classes",
]  # fmt: skip

Array = NDArray[np.float64]

FEATURES = ("auto", "discretise", "gaussian", "parzen")
"""What becomes of continuous features; "auto" is "discretise"."""

LAPLACE = Smoothing(1.0, "cell")
"""One pseudo-count for each cell of a table."""

_POINTS = 201  # of a grid on which a missing continuous feature is summed out
_BEYOND = 2.0  # standard deviations that a grid reaches beyond the data


@dataclass(frozen=True)
class ClassifierSpec:
    """The choices of a classifier.

    Parameters
    ----------
    plan : how its structure is found.
    features : what becomes of continuous features, a word of `FEATURES`.
    smoothing : pseudo-counts of tables.
    min_count : rows that a level must have for its feature to be a parent of all others (aode).
    select : None, or how features are chosen by cross-validated accuracy.
    """

    plan: Plan
    features: str = "auto"
    smoothing: Smoothing = LAPLACE
    min_count: float = 30.0
    select: str | None = None


@dataclass(frozen=True, eq=False)
class Classifier:
    """A learned classifier.

    Parameters
    ----------
    nets : one network; of aode, one for each feature as parent of the others, and naive Bayes last; of
        averaged, those drawn, the most frequent first.
    target : the name of the class.
    order : the features' names in the order of the user.
    grids : points on which missing continuous features are summed out, by their numbers.
    frequencies : of aode, for each network but the last the rows of each level of its parent; levels of fewer
        rows than `min_count` do not count.
    table : the rows it was learned from, in the networks' coding.
    weights : of averaged, the share of each network.
    """

    nets: tuple[BayesNet, ...]
    target: str
    order: tuple[str, ...]
    grids: Mapping[int, Array] = field(default_factory=dict)
    frequencies: tuple[tuple[int, Array], ...] = ()
    min_count: float = 0.0
    notes: tuple[str, ...] = ()
    table: Table | None = None
    weights: tuple[float, ...] = ()

    @property
    def net(self) -> BayesNet:
        """The network; of aode, that of the parent feature which tells most about the class."""
        return self.nets[0]

    @property
    def variable(self) -> Variable:
        """The class."""
        return self.net.variables[self.net.index(self.target)]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The levels of the class."""
        return self.variable.levels or ()

    def rows_of(self, data: Any) -> Table:
        """Rows in the networks' coding; a level that is not known is a gap, and there is a warning."""
        strange: dict[str, list[Any]] = {}
        needed = [v for v in self.net.variables if v.name != self.target]
        found = conform(data, needed, unseen=strange.__setitem__) if needed else None
        if strange:
            said = [
                f"{name!r} ({sentence_list([str(v) for v in v_], 3)})"
                for name, v_ in strange.items()
            ]
            warnings.warn(
                f"Levels that were not there when the classifier was learned count as missing: "
                f"{', '.join(said[:5])}.",
                UserWarning,
                stacklevel=3,
            )
        rows = len(data) if found is None else found.rows
        own = self.variable
        gap = np.full(rows, len(own.levels or ()), dtype=np.min_scalar_type(len(own.levels or ())))
        if found is None:
            return Table((own,), (gap,))
        return Table((*found.variables, own), (*found.columns, gap), found.weights)

    def log_joint(self, table: Table) -> Array:
        """Log probability of each row with each class, features that are missing summed out."""
        target = self.net.index(self.target)
        if self.weights:
            parts = zip(self.nets, np.log(self.weights), strict=True)
            logs = [w + class_log_joint(net, target, table.columns) for net, w in parts]
            return np.asarray(np.logaddexp.reduce(logs, axis=0))
        if not self.frequencies:
            return class_log_joint(self.net, target, table.columns, self.grids)
        return self._averaged(table, target)

    def _averaged(self, table: Table, target: int) -> Array:
        """The mean of the networks whose parent feature has a level that is frequent enough (aode)."""
        total = np.full((table.rows, len(self.classes)), -np.inf)
        votes = np.zeros(table.rows)
        for net, (parent, counts) in zip(self.nets, self.frequencies, strict=False):
            enough = np.append(counts >= self.min_count, False)[table.columns[parent]]
            if not enough.any():
                continue
            some = tuple(column[enough] for column in table.columns)
            total[enough] = np.logaddexp(total[enough], class_log_joint(net, target, some))
            votes[enough] += 1
        rest = votes == 0
        if rest.any():
            some = tuple(column[rest] for column in table.columns)
            total[rest] = class_log_joint(self.nets[-1], target, some)
        return total - np.log(np.maximum(votes, 1.0))[:, None]

    def log_proba(self, table: Table) -> Array:
        """Log probability of each class in each row."""
        return normalised(self.log_joint(table))


def decide(proba: Array, loss: Array | None) -> NDArray[np.intp]:
    """The class of least expected loss in each row, `loss[i, j]` being that of j where i is true.

    Without losses it is the most probable class.
    """
    if loss is None:
        return np.asarray(proba.argmax(axis=1))
    return np.asarray((proba @ loss).argmin(axis=1))


# -- learning --------------------------------------------------------------------------------------


def prepared_classes(table: Table, target: str) -> Table:
    """The rows whose class is known and that count, after checking that there is a class to learn.

    Raises
    ------
    DataError : the class is continuous, has one level only, or there are no features.
    """
    variable, column = table.variable(target), table.column(target)
    if variable.levels is None:
        raise DataError(
            f"The class {target!r} is continuous: give a column of levels, or say "
            f"kinds={{{target!r}: 'discrete'}}."
        )
    if len(table.names) < 2:
        raise DataError(f"There is no feature beside the class {target!r}.")
    keep = ~gaps_of(variable, column)
    if table.weights is not None:
        keep &= table.weights > 0
    seen = np.unique(column[keep])
    if len(seen) < 2:
        only = f"only {variable.levels[int(seen[0])]!r}" if len(seen) else "none"
        raise DataError(
            f"A classifier needs rows of two classes at least; of the class {target!r} there is {only}."
        )
    left_out = int((gaps_of(variable, column)).sum())
    if keep.all():
        return table
    note = f"{left_out} of {table.rows} rows left out because their class is not known."
    return table.take(keep).with_notes(*([note] if left_out else []))


def learn_classifier(table: Table, target: str, spec: ClassifierSpec) -> Classifier:
    """Learn a classifier from a table.

    Parameters
    ----------
    table : features and the class; gaps are taken.
    target : the name of the class, a discrete column.
    spec : what to learn.

    Raises
    ------
    DataError : there is no class to learn.
    WordError : an unknown structure, or kind of features.
    """
    ready = _featured(prepared_classes(table, target), target, spec)
    notes, graph = list(ready.notes), None
    if spec.select is not None:
        ready, graph, note = selected(ready, target, spec, learn_classifier)
        notes.append(note)
    relations = Relations(ready, ready.index(target))
    graphs = structures_of(relations, spec.plan) if graph is None else [graph]
    local = _Local(relations, spec)
    frequencies: tuple[tuple[int, Array], ...] = ()
    if spec.plan.structure == "aode":
        graphs, frequencies = _ranked(relations, graphs)
    weights: tuple[float, ...] = ()
    if spec.plan.structure == "averaged":
        drawn = Counter(graphs)
        graphs, weights = list(drawn), tuple(times / len(graphs) for times in drawn.values())
    nets = tuple(BayesNet(ready.variables, graph, local.models(graph)) for graph in graphs)
    order = tuple(name for name in table.order if name != target)
    return Classifier(
        nets,
        target,
        order,
        _grids(ready),
        frequencies,
        spec.min_count,
        tuple(dict.fromkeys(filter(None, notes))),
        ready,
        weights,
    )


def _featured(table: Table, target: str, spec: ClassifierSpec) -> Table:
    """Features in the form that the classifier takes, without those that have no value at all."""
    if spec.features not in FEATURES:
        raise unknown("way to take continuous features", spec.features, FEATURES)
    pairs = zip(table.variables, table.columns, strict=True)
    empty = [v.name for v, column in pairs if gaps_of(v, column).all()]
    if empty:
        kept = [name for name in table.order if name not in empty]
        if len(kept) < 2:
            raise DataError(f"No feature beside the class {target!r} has any value.")
        note = f"Left out, as all their values are missing: {sentence_list(empty)}."
        table = table.select(kept).with_notes(note)
    if spec.features in ("auto", "discretise"):
        return discretise(table, "entropy", target=target)
    free = [v.name for v in table.variables if v.numeric and v.name not in (*table.fixed, target)]
    return table.recast(dict.fromkeys(free, "continuous"))


def _ranked(
    relations: Relations, graphs: list[DAG]
) -> tuple[list[DAG], tuple[tuple[int, Array], ...]]:
    """Graphs of aode, that of the parent which tells most about the class first; and rows of its levels."""
    features, known = relations.features, relations.relevance
    order = sorted(range(len(features)), key=lambda i: (-known[features[i]], i))
    found = tuple((features[i], relations.counts((features[i],))) for i in order)
    return [*(graphs[i] for i in order), graphs[-1]], found


def _grids(table: Table) -> dict[int, Array]:
    """Points for each continuous feature, from below its least value to beyond its largest."""
    found = {}
    for number, (variable, column) in enumerate(zip(table.variables, table.columns, strict=True)):
        if not variable.discrete:
            values = column[~np.isnan(column)]
            reach = _BEYOND * float(values.std()) or max(1.0, abs(float(values[0])))
            found[number] = np.linspace(values.min() - reach, values.max() + reach, _POINTS)
    return found


@dataclass(frozen=True, eq=False)
class _Local:
    """Local models, each fitted to the rows that have all its variables; those of several graphs once."""

    relations: Relations
    spec: ClassifierSpec
    known: dict[tuple[int, tuple[int, ...]], Conditional] = field(default_factory=dict)

    def models(self, graph: DAG) -> tuple[Conditional, ...]:
        """The local models of a graph."""
        for key in enumerate(graph.parents):
            if key not in self.known:
                self.known[key] = self._model(*key)
        return tuple(self.known[key] for key in enumerate(graph.parents))

    def _model(self, child: int, parents: tuple[int, ...]) -> Conditional:
        table = self.relations.table
        if table.variables[child].discrete:
            return self._table(child, parents)
        family = FAMILIES["parzen" if self.spec.features == "parzen" else "clg"]
        if family.name == "parzen":
            table = table.expanded()  # its bandwidths leave out one unit at a time
        members = (*parents, child)
        gaps = [gaps_of(table.variables[m], table.columns[m]) for m in members]
        there = ~np.any(gaps, axis=0)
        weights = None if table.weights is None else table.weights[there]
        *xs, y = (table.columns[m][there] for m in members)
        variables = tuple(table.variables[m] for m in parents)
        return family.fit(y, tuple(xs), table.variables[child], variables, weights)

    def _table(self, child: int, parents: tuple[int, ...]) -> DiscreteConditional:
        members = (*parents, child)
        cells = float(np.prod([float(self.relations.levels(m)) for m in members]))
        if cells > MOST_CELLS:
            names = [self.relations.table.names[m] for m in members]
            raise FitError(
                f"The table of {names[-1]!r} given {sentence_list(names[:-1])} has {cells:.3g} cells, above "
                f"the {MOST_CELLS:.3g} that are kept: take a smaller k, or put levels together."
            )
        counts = self.relations.counts(members)
        return DiscreteConditional(self.spec.smoothing.rows(counts, cells / counts.shape[-1]))


def without_table(classifier: Classifier) -> Classifier:
    """The same without the rows it was learned from."""
    return replace(classifier, table=None)
