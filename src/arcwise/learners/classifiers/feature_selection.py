"""Feature selection by the accuracy on held-out rows (wrapper search).

Forward selection starts with no feature and adds the one that raises the accuracy most (if none does
because one class is frequent, the one that lowers log-loss most). Backward elimination starts with all and
removes the one whose removal raises it most. Both end if no step helps, and a feature whose removal costs
nothing is removed, too (Langley and Sage 1994, Kohavi and John 1997). With
*joining* (Pazzani 1996), naive Bayes may also combine two features into one, whose levels are all pairs
of levels: forward, a feature is added alone or combined with an included one; backward, a feature is removed
or two are combined. In the network, combined features are adjacent.

The accuracy of naive Bayes on discrete features is leave-one-out in closed form; that of all other structures
uses five folds.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.discrete import PseudoCounts
from arcwise.data import Table, folds
from arcwise.data.statistics.complete import cell_counts
from arcwise.errors import FitError, unknown
from arcwise.graphs import DAG
from arcwise.learners.classifiers.class_graph import ClassGraph
from arcwise.notes import Fix

if TYPE_CHECKING:
    from arcwise.learners.classifiers.classifier import Classifier, ClassifierSpec

__all__ = ["SELECTIONS", "held_out_logs", "leave_one_out", "select_features"]

Array = NDArray[np.float64]
Group = tuple[int, ...]
Groups = tuple[Group, ...]

SELECTIONS = ("forward", "backward", "forward-joining", "backward-joining")
"""Methods of feature selection."""

_FOLDS = 5
_LEAST = 1e-12  # a difference of accuracies that is not rounding
_MOST_CELLS = 1 << 20  # of a joined feature's table


def select_features(
    table: Table,
    target: str,
    spec: "ClassifierSpec",
    learn: Callable[[Table, str, "ClassifierSpec"], "Classifier"],
) -> tuple[Table, DAG | None, str]:
    """Return the table with the chosen features only, their graph for naive Bayes, and a
    sentence.

    Raises
    ------
    OptionError : an unknown method.
    FitError : joining with another structure than naive Bayes, or with continuous features.
    """
    word = spec.select
    if word not in SELECTIONS:
        raise unknown("way to select features", word, SELECTIONS)
    problem = spec.problem(table, target)
    plain = spec.structure == "naive" and all(v.discrete for v in table.variables)
    if word.endswith("joining") and not plain:
        raise FitError(
            "Joining features needs naive Bayes with discrete features: use {structure=} "
            "and {features=}.",
            fixes=[Fix("structure", "naive"), Fix("features", "discretise")],
        )
    judge = (
        _LeftOut(problem, spec.smoothing) if plain else _FoldAccuracy(table, target, spec, learn)
    )
    groups, accuracy = _walk(problem, judge, word)
    features = sorted(feature for group in groups for feature in group)
    names = [name for name in table.order if name == target or table.index(name) in features]
    selected = table.select(names)
    left_out = len(problem.features) - len(features)
    pairs = [" with ".join(table.names[i] for i in group) for group in groups if len(group) > 1]
    note = f"{len(features)} of {len(problem.features)} features kept by {word} selection"
    note += f" ({judge.what} accuracy {accuracy:.4f})" + (
        f"; joined: {', '.join(pairs)}" if pairs else ""
    )
    if not plain:
        return selected, None, f"{note}."
    rows = {target: ()} | {
        table.names[i]: (target, *(table.names[j] for j in group[:rank]))
        for group in groups
        for rank, i in enumerate(group)
    }
    graph = DAG(
        selected.names, tuple(tuple(sorted(map(selected.index, rows[n]))) for n in selected.names)
    )
    return selected, graph, f"{note}." if left_out or pairs else ""


def _walk(
    problem: ClassGraph, judge: "_LeftOut | _FoldAccuracy", word: str
) -> tuple[Groups, float]:
    """Return the groups after the best steps, as long as one raises the accuracy.

    If one class is frequent, one feature alone may change no decision: forward selection then continues by
    log-loss, until some step has raised the accuracy.
    """
    forward, joining = word.startswith("forward"), word.endswith("joining")
    groups: Groups = () if forward else tuple((i,) for i in problem.features)
    best, sure = judge(groups)
    none = best
    while True:
        steps = _forward(problem, groups, joining) if forward else _backward(groups, joining)
        candidates = [_Step(*judge(step), step) for step in steps]
        by_loss = forward and best <= none + _LEAST
        best_step = _better(candidates, _Step(best, sure, groups), by_loss)
        if best_step is None:
            break
        best, sure, groups = best_step
    if not groups or (
        forward and best <= none + _LEAST
    ):  # no better than no feature: one costs nothing
        groups = ((max(problem.features, key=lambda i: (problem.relevance[i], -i)),),)
        best, _ = judge(groups)
    return groups, best


class _Step(NamedTuple):
    """Groups of features with their accuracy and mean log probability of the true class."""

    accuracy: float
    sure: float
    groups: Groups


def _better(steps: Sequence[_Step], now: _Step, by_loss: bool) -> _Step | None:
    """Return the step of highest accuracy if it is more accurate, or has fewer features.

    With `by_loss` equal accuracy with a smaller log-loss is enough.
    """
    top = max((step.accuracy for step in steps), default=-np.inf)
    if top < now.accuracy - _LEAST:
        return None
    ties = [step for step in steps if step.accuracy >= top - _LEAST]
    smallest = min(ties, key=lambda step: _size(step.groups))
    if top > now.accuracy + _LEAST or _size(smallest.groups) < _size(now.groups):
        return smallest
    surest = max(ties, key=lambda step: step.sure)
    return surest if by_loss and surest.sure > now.sure + _LEAST else None


def _size(groups: Groups) -> int:
    """Return the number of included features."""
    return sum(map(len, groups))


def _forward(problem: ClassGraph, groups: Groups, joining: bool) -> Iterator[Groups]:
    inside = {i for group in groups for i in group}
    for i in problem.features:
        if i not in inside:
            yield (*groups, (i,))
            for k, group in enumerate(groups) if joining else ():
                yield (*groups[:k], tuple(sorted((*group, i))), *groups[k + 1 :])


def _backward(groups: Groups, joining: bool) -> Iterator[Groups]:
    for k in range(len(groups)):
        yield (*groups[:k], *groups[k + 1 :])
    for one in range(len(groups)) if joining else ():
        for two in range(one + 1, len(groups)):
            rest = tuple(g for i, g in enumerate(groups) if i not in (one, two))
            yield (*rest, tuple(sorted((*groups[one], *groups[two]))))


class _LeftOut:
    """The leave-one-out accuracy of naive Bayes with groups of features, from counts."""

    what = "leave-one-out"

    def __init__(self, problem: ClassGraph, smoothing: PseudoCounts) -> None:
        self.table, self.target, self.smoothing = problem.table, problem.target, smoothing
        self.own = self.table.columns[self.target].astype(np.intp)
        self.prior = _class_logs(self.table, self.target, smoothing)
        self.most = 4 * len(problem.features)
        self.known: dict[tuple[int, Group], Array] = {}

    def __call__(self, groups: Groups) -> tuple[float, float]:
        logs = self.prior.copy()
        for group in groups:
            for rank, feature in enumerate(group):
                logs += self._logs(feature, group[:rank])
        return _judge(logs, self.own, self.table.weights)

    def _logs(self, feature: int, parents: Group) -> Array | float:
        key = (feature, parents)
        if key in self.known:
            return self.known[key]
        members = (*parents, feature, self.target)
        if np.prod([float(_levels(self.table, m)) for m in members]) > _MOST_CELLS:
            return -np.inf  # never worth it
        logs = _feature_logs(self.table, self.target, feature, parents, self.smoothing)
        if not parents or len(self.known) <= self.most:
            self.known[key] = logs
        return logs


class _FoldAccuracy:
    """The accuracy of a classifier with some features, by cross-validation."""

    what = f"{_FOLDS}-fold"

    def __init__(
        self,
        table: Table,
        target: str,
        spec: "ClassifierSpec",
        learn: Callable[[Table, str, "ClassifierSpec"], "Classifier"],
    ) -> None:
        self.target, self.learn = (
            target,
            lambda rows: learn(rows, target, replace(spec, select=None)),
        )
        # A copy of the generator, so that a specification gives the same result for the same rows.
        self.table, self.parts = folds(table, min(_FOLDS, table.units), copy.deepcopy(spec.rng))

    def __call__(self, groups: Groups) -> tuple[float, float]:
        names = [self.target, *(self.table.names[i] for group in groups for i in group)]
        table = self.table.select(names)
        logs = held_out_logs(table, self.target, self.parts, self.learn)
        return _judge(logs, table.column(self.target).astype(np.intp), table.weights)


def held_out_logs(
    table: Table,
    target: str,
    parts: Sequence[NDArray[np.intp]],
    learn: Callable[[Table], "Classifier"],
) -> Array:
    """Return log probabilities of all classes in each row, by a classifier learned without its part.

    Without features, or with a single class outside a part, they are the shares of classes.
    """
    features = [name for name in table.order if name != target]
    logs = np.zeros((table.rows, len(table.variable(target).levels or ())))
    for part in parts:
        rest = table.take(np.delete(np.arange(table.rows), part))
        classes = rest.column(target).astype(np.intp)
        if features and len(np.unique(classes)) > 1:
            classifier = learn(rest)
            logs[part] = classifier.log_proba(classifier.rows_of(table.take(part).select(features)))
        else:
            shares = np.bincount(classes, rest.weights, logs.shape[1]) + 1.0
            logs[part] = np.log(shares / shares.sum())
    return logs


def _judge(logs: Array, classes: NDArray[np.intp], weights: Array | None) -> tuple[float, float]:
    """Return accuracy, and mean log probability of the true class."""
    right = np.average(logs.argmax(axis=1) == classes, weights=weights)
    with np.errstate(invalid="ignore"):
        gain = logs[np.arange(len(classes)), classes] - np.logaddexp.reduce(logs, axis=1)
    return float(right), float(np.average(np.nan_to_num(gain, nan=-np.inf), weights=weights))


# -- leave-one-out ---------------------------------------------------------------------------


def leave_one_out(table: Table, graph: DAG, target: str, smoothing: PseudoCounts) -> Array:
    """Return the log probability of each row with each class, by tables from all other rows, for a fixed
    graph.

    The row changes only the tables of its class, so two lookups per table are enough. Naive Bayes ignores
    missing features.

    Returns
    -------
    Array (rows, classes), in nats.

    Raises
    ------
    FitError : a feature with a missing value is combined with others: it would have to be summed out row by
        row.
    """
    class_index = table.index(target)
    logs, gaps = _class_logs(table, class_index, smoothing), table.missing()
    for feature in graph.children[class_index]:
        parents = tuple(p for p in graph.parents[feature] if p != class_index)
        if parents and gaps[:, [feature, *parents]].any():
            raise FitError(
                f"{table.names[feature]!r} or its parents have missing values: use naive Bayes, "
                "or impute them."
            )
        logs += _feature_logs(table, class_index, feature, parents, smoothing)
    return logs


def _levels(table: Table, column: int) -> int:
    return len(table.variables[column].levels or ())


def _class_logs(table: Table, target: int, smoothing: PseudoCounts) -> Array:
    """Return the log probability of each class by all rows but one."""
    classes = table.columns[target].astype(np.intp)
    counts = np.tile(
        cell_counts([classes], (_levels(table, target),), table.weights), (table.rows, 1)
    )
    counts[np.arange(table.rows), classes] -= table.unit_weights()
    raised = counts + smoothing.cell(counts.shape[1], 1.0)
    with np.errstate(divide="ignore"):
        out: Array = np.log(raised) - np.log(raised.sum(axis=1, keepdims=True))
    return out


def _feature_logs(
    table: Table, target: int, feature: int, parents: Group, smoothing: PseudoCounts
) -> Array:
    """Return log probabilities of a feature given parents and each class, by all rows but one; 0 if
    missing.
    """
    members = (*parents, feature, target)
    shape = tuple(_levels(table, m) for m in members)
    rows = np.flatnonzero(~table.missing()[:, members].any(axis=1))
    *codes, classes = (table.columns[m][rows].astype(np.intp) for m in members)
    weights = None if table.weights is None else table.weights[rows]
    counts, levels = cell_counts([*codes, classes], shape, weights), shape[-2]
    cells, sums = counts[tuple(codes)], counts.sum(axis=-2)[tuple(codes[:-1])]
    sums = np.broadcast_to(sums, cells.shape).copy()
    lost = table.unit_weights()[rows]
    cells[np.arange(len(rows)), classes] -= lost
    sums[np.arange(len(rows)), classes] -= lost
    a = smoothing.cell(levels, float(counts.size // levels))
    nonempty = sums + a * levels > 1e-9
    out = np.zeros((table.rows, shape[-1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.maximum(cells, 0.0) + a) - np.log(sums + a * levels)
    out[rows] = np.where(nonempty, logs, -np.log(levels))
    return out
