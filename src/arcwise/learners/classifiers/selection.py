"""Features chosen by the accuracy that they give on rows left out (wrapper search).

Forward selection starts with no feature and adds the one that raises the accuracy most (as long as none does,
because one class is frequent, the one that lowers log-loss most); backward
elimination starts with all and leaves out the one whose loss raises it most; both end where nothing does,
and a feature whose loss costs nothing is left out, too (Langley and Sage 1994, Kohavi and John 1997). With
*joining* (Pazzani 1996), naive Bayes may also take two features as one, whose levels are all pairs of
levels: forward, a feature is added by itself or joined to one that is in; backward, a feature is left out
or two are joined. As a network, joined features have arcs among them.

The accuracy of naive Bayes on discrete features is that of leaving one row out, in closed form; of all other
structures, that of five folds.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.discrete import Smoothing
from arcwise.data import Table, folds
from arcwise.errors import FitError, unknown
from arcwise.graphs import DAG
from arcwise.learners.classifiers.relations import Relations
from arcwise.learners.classifiers.structures import with_class

if TYPE_CHECKING:
    from arcwise.learners.classifiers.classifier import Classifier, ClassifierSpec

__all__ = ["SELECTIONS", "leave_one_out", "selected"]

Array = NDArray[np.float64]
Group = tuple[int, ...]
Groups = tuple[Group, ...]

SELECTIONS = ("forward", "backward", "forward-joining", "backward-joining")
"""Ways to choose features."""

_FOLDS = 5
_LEAST = 1e-12  # a difference of accuracies that is not rounding
_MOST_CELLS = 1 << 20  # of a joined feature's table


def selected(
    table: Table,
    target: str,
    spec: "ClassifierSpec",
    learn: Callable[[Table, str, "ClassifierSpec"], "Classifier"],
) -> tuple[Table, DAG | None, str]:
    """The table with the chosen features only, their graph where naive Bayes was asked for, and a sentence.

    Raises
    ------
    WordError : an unknown way to select.
    FitError : joining is asked of another structure than naive Bayes, or of continuous features.
    """
    word = spec.select
    if word not in SELECTIONS:
        raise unknown("way to select features", word, SELECTIONS)
    relations = Relations(table, table.index(target))
    plain = spec.plan.structure == "naive" and all(v.discrete for v in table.variables)
    if word.endswith("joining") and not plain:
        raise FitError(
            "Features are joined in naive Bayes with discrete features: take structure='naive' and "
            "features='discretise'."
        )
    judge = _LeftOut(relations, spec.smoothing) if plain else _Folded(table, target, spec, learn)
    groups, accuracy = _walk(relations, judge, word)
    chosen = sorted(feature for group in groups for feature in group)
    names = [name for name in table.order if name == target or table.index(name) in chosen]
    kept = table.select(names)
    left_out = len(relations.features) - len(chosen)
    joined = [" with ".join(table.names[i] for i in group) for group in groups if len(group) > 1]
    note = f"{len(chosen)} of {len(relations.features)} features kept by {word} selection"
    note += f" ({judge.what} accuracy {accuracy:.4f})" + (
        f"; joined: {', '.join(joined)}" if joined else ""
    )
    if not plain:
        return kept, None, f"{note}."
    renumbered = {i: kept.index(table.names[i]) for i in chosen}
    parents = {
        renumbered[i]: tuple(renumbered[j] for j in group[:place])
        for group in groups
        for place, i in enumerate(group)
    }
    return (
        kept,
        with_class(kept.names, kept.index(target), parents),
        f"{note}." if left_out or joined else "",
    )


def _walk(relations: Relations, judge: "_LeftOut | _Folded", word: str) -> tuple[Groups, float]:
    """Take the best step as long as one raises the accuracy.

    One feature alone may change no decision where one class is frequent: forward selection then goes on by
    log-loss, until some step has raised the accuracy.
    """
    forward, joining = word.startswith("forward"), word.endswith("joining")
    groups: Groups = () if forward else tuple((i,) for i in relations.features)
    best, sure = judge(groups)
    none = best
    while True:
        steps = _forward(relations, groups, joining) if forward else _backward(groups, joining)
        found = [_Step(*judge(each), each) for each in steps]
        by_loss = forward and best <= none + _LEAST
        chosen = _better(found, _Step(best, sure, groups), by_loss)
        if chosen is None:
            break
        best, sure, groups = chosen
    if not groups or (
        forward and best <= none + _LEAST
    ):  # no better than no feature: one costs nothing
        groups = ((max(relations.features, key=lambda i: (relations.relevance[i], -i)),),)
        best, _ = judge(groups)
    return groups, best


class _Step(NamedTuple):
    """Groups of features with what they are worth: accuracy and mean log probability of the own class."""

    accuracy: float
    sure: float
    groups: Groups


def _better(steps: Sequence[_Step], now: _Step, by_loss: bool) -> _Step | None:
    """The step of highest accuracy if it is worth taking: it is more accurate, or has fewer features.

    With `by_loss` an equally accurate one will do that is surer.
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
    """How many features are in."""
    return sum(map(len, groups))


def _forward(relations: Relations, groups: Groups, joining: bool) -> Iterator[Groups]:
    inside = {i for group in groups for i in group}
    for i in relations.features:
        if i not in inside:
            yield (*groups, (i,))
            for place, group in enumerate(groups) if joining else ():
                yield (*groups[:place], tuple(sorted((*group, i))), *groups[place + 1 :])


def _backward(groups: Groups, joining: bool) -> Iterator[Groups]:
    for place in range(len(groups)):
        yield (*groups[:place], *groups[place + 1 :])
    for one in range(len(groups)) if joining else ():
        for two in range(one + 1, len(groups)):
            rest = tuple(g for place, g in enumerate(groups) if place not in (one, two))
            yield (*rest, tuple(sorted((*groups[one], *groups[two]))))


class _LeftOut:
    """The leave-one-out accuracy of naive Bayes with groups of features, from counts."""

    what = "leave-one-out"

    def __init__(self, relations: Relations, smoothing: Smoothing) -> None:
        self.relations, self.smoothing = relations, smoothing
        self.own = relations.table.columns[relations.target].astype(np.intp)
        self.prior = _class_logs(relations, smoothing)
        self.known: dict[tuple[int, Group], Array] = {}

    def __call__(self, groups: Groups) -> tuple[float, float]:
        logs = self.prior.copy()
        for group in groups:
            for place, feature in enumerate(group):
                logs += self._logs(feature, group[:place])
        return _judged(logs, self.own, self.relations.table.weights)

    def _logs(self, feature: int, parents: Group) -> Array | float:
        key = (feature, parents)
        if key not in self.known:
            sizes = [float(self.relations.levels(m)) for m in (*parents, feature)]
            if np.prod(sizes) * len(self.relations.classes) > _MOST_CELLS:
                return -np.inf  # never worth it
            if len(parents) > 0 and len(self.known) > 4 * len(self.relations.features):
                return _feature_logs(self.relations, feature, parents, self.smoothing)
            self.known[key] = _feature_logs(self.relations, feature, parents, self.smoothing)
        return self.known[key]


class _Folded:
    """The accuracy of a classifier with some features, on folds."""

    what = f"{_FOLDS}-fold"

    def __init__(
        self,
        table: Table,
        target: str,
        spec: "ClassifierSpec",
        learn: Callable[[Table, str, "ClassifierSpec"], "Classifier"],
    ) -> None:
        self.target, self.learn = target, learn
        self.spec = replace(spec, select=None)
        rng = copy.deepcopy(
            spec.plan.rng
        )  # so that one specification learns the same from the same rows
        self.table, self.parts = folds(table, min(_FOLDS, table.units), rng)

    def __call__(self, groups: Groups) -> tuple[float, float]:
        names = [self.target, *(self.table.names[i] for group in groups for i in group)]
        codes = self.table.column(self.target).astype(np.intp)
        logs = np.zeros((self.table.rows, len(self.table.variable(self.target).levels or ())))
        weights = self.table.weights
        for part in self.parts:
            rest = np.setdiff1d(np.arange(self.table.rows), part)
            if len(names) == 1 or len(np.unique(codes[rest])) < 2:
                own = None if weights is None else weights[rest]
                counts = np.bincount(codes[rest], own, minlength=logs.shape[1])
                logs[part] = np.log(counts + 1.0)
                continue
            found = self.learn(self.table.take(rest).select(names), self.target, self.spec)
            logs[part] = found.log_joint(found.rows_of(self.table.take(part).select(names)))
        return _judged(logs, codes, self.table.weights)


def _judged(logs: Array, own: NDArray[np.intp], weights: Array | None) -> tuple[float, float]:
    """Accuracy, and mean log probability of the own class."""
    right = np.average(logs.argmax(axis=1) == own, weights=weights)
    with np.errstate(invalid="ignore"):
        gain = logs[np.arange(len(own)), own] - np.logaddexp.reduce(logs, axis=1)
    return float(right), float(np.average(np.nan_to_num(gain, nan=-np.inf), weights=weights))


# -- one row left out ------------------------------------------------------------------------------


def leave_one_out(relations: Relations, graph: DAG, smoothing: Smoothing) -> Array:
    """Log probability of each row with each class, by tables from all other rows; structure held fixed.

    The row leaves the tables of its own class only, so two looks into each table are enough. In naive Bayes
    missing features are passed over.

    Returns
    -------
    Array (rows, classes), in nats.

    Raises
    ------
    FitError : a feature has a gap and is joined to others: it would have to be summed out row by row.
    """
    logs = _class_logs(relations, smoothing)
    table = relations.table
    gaps = table.missing()
    for feature in relations.features:
        parents = tuple(p for p in graph.parents[feature] if p != relations.target)
        if relations.target not in graph.parents[feature]:
            continue
        if parents and gaps[:, [feature, *parents]].any():
            raise FitError(
                f"{table.names[feature]!r} or its parents have gaps: leave one row out in naive Bayes, or "
                "fill them in."
            )
        logs += _feature_logs(relations, feature, parents, smoothing)
    return logs


def _class_logs(relations: Relations, smoothing: Smoothing) -> Array:
    """Log probability of each class by all rows but one."""
    table, own = relations.table, relations.table.columns[relations.target].astype(np.intp)
    counts = np.tile(relations.classes, (table.rows, 1))
    counts[np.arange(table.rows), own] -= table.unit_weights()
    raised = counts + smoothing.cell(counts.shape[1], 1.0)
    with np.errstate(divide="ignore"):
        out: Array = np.log(raised) - np.log(raised.sum(axis=1, keepdims=True))
    return out


def _feature_logs(
    relations: Relations, feature: int, parents: Group, smoothing: Smoothing
) -> Array:
    """Log probability of a feature given parents and each class, by all rows but one; 0 at a gap."""
    table, classes = relations.table, len(relations.classes)
    members = (*parents, feature)
    counts = relations.counts((*members, relations.target))
    levels = counts.shape[-2]
    gaps = table.missing()[:, list(members)].any(axis=1)
    rows = np.flatnonzero(~gaps)
    codes = tuple(table.columns[m][rows].astype(np.intp) for m in members)
    own = table.columns[relations.target][rows].astype(np.intp)
    cells, sums = counts[codes], counts.sum(axis=-2)[codes[:-1]]
    sums = np.broadcast_to(sums, cells.shape).copy()
    lost = table.unit_weights()[rows]
    cells[np.arange(len(rows)), own] -= lost
    sums[np.arange(len(rows)), own] -= lost
    a = smoothing.cell(levels, float(counts.size // levels))
    known = sums + a * levels > 1e-9
    out = np.zeros((table.rows, classes))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.maximum(cells, 0.0) + a) - np.log(sums + a * levels)
    out[rows] = np.where(known, logs, -np.log(levels))
    return out
