"""Classifiers from any data: learned, and judged on rows that they have not seen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.api.net import Network
from arcwise.api.unknown_parameters import with_advice
from arcwise.conditionals.discrete import DiscreteFamily
from arcwise.data import Table, any_table, fingerprint
from arcwise.data import folds as cut
from arcwise.errors import DataError, FitError
from arcwise.evaluate.accuracy import ClassProbabilities
from arcwise.frame import Frame, Framed
from arcwise.learners.classifiers import (
    Classifier,
    ClassifierSpec,
    decide,
    held_out_logs,
    learn_classifier,
    prepared_classes,
)
from arcwise.notes import Fix
from arcwise.scores import SCORES, Score
from arcwise.values import is_pair

__all__ = ["Classification", "classify", "loss_matrix", "net_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classification(Framed):
    """A classifier learned from all rows, and what it is worth on rows left out.

    Attributes
    ----------
    network : the classifier as a network; of aode, that of the parent which tells most about the class.
    validated : accuracy, log-loss, confusion and calibration on rows left out; None without folds.
    classifier : the plain value.
    """

    network: Network
    validated: ClassProbabilities | None
    classifier: Classifier
    loss: Array | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def predict_proba(self, rows: Any) -> Array:
        """Probabilities of the classes in each row, gaps summed out."""
        return np.exp(self.classifier.log_proba(self.classifier.rows_of(rows)))

    def predict(self, rows: Any) -> NDArray[Any]:
        """The class of least expected loss in each row, by default the most probable one."""
        codes = decide(self.predict_proba(rows), self.loss)
        return np.array(self.classifier.classes)[codes]

    def _summary(self) -> str:
        accuracy = "" if self.validated is None else f", accuracy {self.validated.accuracy:.4f}"
        return f"{self.classifier.target}, {self.settings['structure']}{accuracy}"

    @property
    def frame(self) -> Frame:
        """The confusion matrix of held-out rows; without folds, no column."""
        head = f"{self.settings['structure']} classifier of {self.classifier.target}"
        head = f"{head}: {self.network.graph}"
        if self.validated is None:
            return Frame((), head)
        frame = self.validated.frame
        return replace(frame, title=f"{head}\n{frame.title}")


@with_advice
def classify(
    data: Any,
    target: str,
    *,
    structure: str = "tan",
    features: str = "auto",
    k: int | None = 2,
    arc_score: str | None = None,
    search: str = "auto",
    select: str | None = None,
    alpha: float = 1.0,
    equivalent_sample_size: float | None = None,
    min_count: float = 30,
    loss: Any = None,
    folds: int = 10,
    seed: int = 0,
) -> Classification:
    """Learn a Bayesian classifier and cross-validate it.

    Parameters
    ----------
    data : as for `learn`; features may be missing.
    target : the name of the class, a discrete column.
    structure, features, k, arc_score, search, select, alpha, equivalent_sample_size, min_count, loss : as for
        `BayesClassifier`.
    folds : the number of folds, with equal shares of classes, each held out once; 0 for no validation.
        Everything, including cut points, is learned again without each fold.
    seed : the seed of the folds and of a search.

    Returns
    -------
    Classification.

    >>> import arcwise as aw
    >>> mail = {"spam": ["yes", "no"] * 50, "links": ["many", "few", "many", "few", "few"] * 20}
    >>> found = aw.classify(mail, "spam", structure="naive")
    >>> found.network.children("spam")
    ('links',)
    """
    table = any_table(data)
    if not isinstance(table, Table):
        raise DataError("A classifier needs the rows of a table, got moments.")
    if target not in table.names:
        table.index(target)  # says which names there are
    spec = ClassifierSpec(
        np.random.default_rng(seed), structure, k, arc_score, search, features, alpha,
        equivalent_sample_size, min_count, select,
    )  # fmt: skip
    ready = prepared_classes(table, target)
    costs = loss_matrix(loss, ready.variable(target).levels or ())
    validated = _cross_validate(ready, target, spec, costs, folds, seed) if folds else None
    found = learn_classifier(ready, target, spec)
    choices = {each.name: getattr(spec, each.name) for each in fields(spec) if each.name != "rng"}
    settings = {**{n: value for n, value in choices.items() if value is not None}, "seed": seed}
    return Classification(net_of(found, table, settings), validated, found, costs, settings)


def loss_matrix(loss: Any, classes: Iterable[Any]) -> Array | None:
    """Losses as a matrix: that of deciding for column j where row i is true.

    Parameters
    ----------
    loss : None, a square matrix in the order of the classes, or a mapping of pairs (true, decided) to losses;
        pairs that it does not name cost 1, or 0 where both are equal.
    classes : in their order.
    """
    names = list(classes)
    if loss is None:
        return None
    if isinstance(loss, Mapping):
        matrix = 1.0 - np.eye(len(names))
        for pair, cost in loss.items():
            if not is_pair(pair) or not set(pair) <= set(names):
                raise FitError(
                    "Losses must be given for pairs (true class, decided class) of "
                    f"{names}, got {pair!r}."
                )
            matrix[names.index(pair[0]), names.index(pair[1])] = float(cost)
    else:
        matrix = np.asarray(loss, dtype=float)
    if matrix.shape != (len(names),) * 2 or not np.isfinite(matrix).all():
        raise FitError(
            f"Losses must be finite numbers for each of {len(names)} true and decided classes, "
            f"got an array of shape {matrix.shape}."
        )
    return matrix


def _cross_validate(
    table: Table, target: str, spec: ClassifierSpec, loss: Array | None, folds: int, seed: int
) -> ClassProbabilities:
    """Probabilities of each row's classes by a classifier learned without its part."""
    table, parts = cut(table, folds, np.random.default_rng(seed), by=target)
    codes = table.column(target).astype(np.intp)
    classes = table.variable(target).levels or ()
    for part in parts:
        if len(left := np.unique(np.delete(codes, part))) < 2:
            raise DataError(
                f"Without one of the {folds} folds, all rows are of class {classes[left[0]]!r}, and a "
                "classifier needs two classes: use {folds=}, or more rows of the other classes.",
                fixes=[Fix("folds", 0)],
            )
    logs = held_out_logs(table, target, parts, lambda rows: learn_classifier(rows, target, spec))
    weights = np.ones(table.rows) if table.weights is None else np.asarray(table.weights)
    return ClassProbabilities(
        target, classes, codes, logs, decide(np.exp(logs), loss), weights, folds
    )


def net_of(classifier: Classifier, source: Table, settings: Mapping[str, Any]) -> Network:
    """The network of a classifier, as users hold it."""
    table = classifier.table
    scorer = None if table is None else _scorer(table)
    graph = classifier.net.graph
    total = (
        None if scorer is None else sum(map(scorer.local, range(len(graph.nodes)), graph.parents))
    )
    return Network(
        classifier.net,
        score=None if total is None else float(total),
        settings={"model": ", ".join(sorted(set(classifier.net.models))), **settings},
        notes=classifier.notes,
        order=tuple(n for n in source.order if n in classifier.net.names),
        rows=None if table is None else table.total,
        fingerprint=fingerprint(source),
        scorer=scorer,
        data=table,
    )


def _scorer(table: Table) -> Score | None:
    """BIC of discrete columns without gaps, for the strengths of arcs; else None."""
    if not all(v.discrete for v in table.variables) or table.missing().any():
        return None
    return SCORES["bic"].bind(DiscreteFamily().bind(table))
