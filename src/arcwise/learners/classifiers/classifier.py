"""Bayesian classifiers: learned from a table, for the probabilities of classes.

A classifier is one network or several (aode, averaged) with the name of the class and the coding of raw rows.
Levels are those of the table's variables, whether they occur or not.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.discrete import PseudoCounts
from arcwise.data import Available, Complete, Table, Variable, conform
from arcwise.data.discretise import discretise
from arcwise.data.variable import gaps_of, sentence_list
from arcwise.errors import DataError, FitError, OptionError, unknown
from arcwise.graphs import DAG, Rules
from arcwise.inference.class_posterior import class_log_joint, normalise_logs
from arcwise.learners.classifiers.class_graph import ClassGraph, check_class
from arcwise.learners.classifiers.feature_selection import select_features
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.specification import Specification
from arcwise.mcmc import SAMPLERS, run
from arcwise.networks import BayesNet
from arcwise.notes import Fix, Note, NoteKind, data_note, notes_of
from arcwise.values import is_count

__all__ = [
    "FEATURES", "STRUCTURES", "Classifier", "ClassifierSpec", "decide", "learn_classifier",
    "prepared_classes",
]  # fmt: skip

Array = NDArray[np.float64]

FEATURES = ("auto", "discretise", "gaussian", "parzen")
"""Treatments of continuous features; "auto" is "discretise"."""

STRUCTURES = (*ClassGraph.searches, "aode", "free", "averaged")
"""Structures of classifiers.

aode: each feature in turn is a parent of all others, and the classifiers are averaged (Webb, Boughton and
Wang 2005); free: any directed graph in which the class has no parents, but a child; averaged: such graphs
drawn from their posterior by a chain over partitions (Kuipers and Moffa 2017), weighted by their draws.
"""

_MOST_CELLS = 1 << 27  # of all tables together
_EACH = 64  # cells that a table of any size costs
_DRAWN = 100  # graphs
_BURN_IN, _THIN = 200, 10  # steps for each variable before the first draw, and between draws
_POINTS = 201  # of a grid on which a missing continuous feature is summed out
_BEYOND = 2.0  # standard deviations that a grid reaches beyond the data


@dataclass(frozen=True)
class ClassifierSpec:
    """The choices of a classifier.

    Parameters
    ----------
    rng : random generator of a search, of draws and of folds; copies of it are used.
    structure : one of `STRUCTURES`.
    k : largest number of feature parents (kdb, free); None for no bound.
    arc_score : the score that an arc between features must raise: "loglik" or None allow all, so that tan is
        a complete tree; for free, any score of discrete networks.
    search : the search of a free structure.
    features : treatment of continuous features, one of `FEATURES`.
    alpha : pseudo-count of each cell of a table; 1 is Laplace's rule.
    equivalent_sample_size : pseudo-counts of a whole table instead.
    min_count : rows that a level must have for its feature to be a parent of all others (aode).
    select : None, or a method to select features by cross-validated accuracy.

    Raises
    ------
    OptionError : an unknown structure or kind of features, or a negative k.
    FitError : negative pseudo-counts.
    """

    rng: np.random.Generator
    structure: str = "tan"
    k: int | None = 2
    arc_score: str | None = None
    search: str = "auto"
    features: str = "auto"
    alpha: float = 1.0
    equivalent_sample_size: float | None = None
    min_count: float = 30.0
    select: str | None = None

    def __post_init__(self) -> None:
        """Check what the registries do not check."""
        k = self.k
        if k is not None and not is_count(k):
            raise OptionError(
                "k, the largest number of feature parents, must be a non-negative integer, "
                f"got {k!r}."
            )
        if not self.smoothing.size >= 0:
            raise FitError(f"Pseudo-counts must be non-negative, got {self.smoothing.size!r}.")
        if self.structure not in STRUCTURES:
            raise unknown("structure of a classifier", self.structure, STRUCTURES)
        if self.features not in FEATURES:
            raise unknown("way to take continuous features", self.features, FEATURES)

    @property
    def smoothing(self) -> PseudoCounts:
        """The pseudo-counts of tables."""
        size = self.equivalent_sample_size
        return PseudoCounts(self.alpha, "cell") if size is None else PseudoCounts(size, "table")

    def problem(self, table: Table, target: str, structure: str = "naive") -> ClassGraph:
        """Bind a graph around a class to a table, with this smoothing and these local models."""
        size = self.equivalent_sample_size
        counts = {"alpha": self.alpha} if size is None else {"equivalent_sample_size": size}
        score = self.arc_score if structure in ("tan", "kdb") else None
        most = len(table.names) if self.k is None else self.k
        number = "parzen" if self.features == "parzen" else "clg"
        spec = Specification(
            self.rng,
            model={v.name: "discrete" if v.discrete else number for v in table.variables},
            score=score,
            search=structure,
            rules=Rules(target=target),
            search_options={"k": most} if structure == "kdb" else {},
            score_options=counts if score == "bdeu" and size is not None else {},
            model_options={"discrete": counts},
        )
        return ClassGraph.bind_prepared(spec.chosen(table.variables), Available(table))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A learned classifier.

    Parameters
    ----------
    nets : one network; for aode, one for each feature as parent of the others, and naive Bayes last; for
        averaged, the drawn ones, the most frequent first.
    target : the name of the class.
    order : the features' names in the order of the user.
    grids : grid points of each continuous feature, for summing out missing values.
    frequencies : for aode, for each network but the last the rows of each level of its parent; levels with
        fewer rows than `min_count` are ignored.
    table : the training rows, in the networks' coding.
    weights : for averaged, the share of each network.
    """

    nets: tuple[BayesNet, ...]
    target: str
    order: tuple[str, ...]
    grids: Mapping[int, Array] = field(default_factory=dict)
    frequencies: tuple[tuple[int, Array], ...] = ()
    min_count: float = 0.0
    notes: tuple[Note, ...] = ()
    table: Table | None = None
    weights: tuple[float, ...] = ()

    @property
    def net(self) -> BayesNet:
        """The network; for aode, that of the most informative parent feature."""
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
        """Return rows in the networks' coding; an unknown level becomes a missing value, with a warning."""
        strange: dict[str, list[Any]] = {}
        needed = [v for v in self.net.variables if v.name != self.target]
        rows_table = conform(data, needed, unseen=strange.__setitem__) if needed else None
        if strange:
            texts = [
                f"{name!r} ({sentence_list([str(v) for v in v_], 3)})"
                for name, v_ in strange.items()
            ]
            warnings.warn(
                "Levels that are not in the training data count as missing: "
                f"{', '.join(texts[:5])}.",
                UserWarning,
                stacklevel=3,
            )
        rows = len(data) if rows_table is None else rows_table.rows
        variable = self.variable
        gap = np.full(
            rows, len(variable.levels or ()), dtype=np.min_scalar_type(len(variable.levels or ()))
        )
        if rows_table is None:
            return Table((variable,), (gap,))
        return Table(
            (*rows_table.variables, variable), (*rows_table.columns, gap), rows_table.weights
        )

    def log_joint(self, table: Table) -> Array:
        """Return the log probability of each row with each class, with missing features summed out."""
        target = self.net.index(self.target)
        if self.weights:
            parts = zip(self.nets, np.log(self.weights), strict=True)
            logs = [w + class_log_joint(net, target, table.columns) for net, w in parts]
            return np.asarray(np.logaddexp.reduce(logs, axis=0))
        if not self.frequencies:
            return class_log_joint(self.net, target, table.columns, self.grids)
        return self._averaged(table, target)

    def _averaged(self, table: Table, target: int) -> Array:
        """Return the mean of the networks whose parent feature has a frequent enough level (aode)."""
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
        """Return the log probability of each class in each row."""
        return normalise_logs(self.log_joint(table))


def decide(proba: Array, loss: Array | None) -> NDArray[np.intp]:
    """Return the class of least expected loss in each row, with `loss[i, j]` that of predicting j for i.

    Without losses it is the most probable class.
    """
    if loss is None:
        return np.asarray(proba.argmax(axis=1))
    return np.asarray((proba @ loss).argmin(axis=1))


# -- learning --------------------------------------------------------------------------------------


def prepared_classes(table: Table, target: str) -> Table:
    """Return the rows of positive weight whose class is observed, after checking the class.

    Raises
    ------
    DataError : the class is continuous, has one level only, or there are no features.
    """
    variable, column = table.variable(target), table.column(target)
    check_class(variable)
    if len(table.names) < 2:
        raise DataError(f"There is no feature besides the class {target!r}.")
    keep = ~gaps_of(variable, column)
    if table.weights is not None:
        keep &= table.weights > 0
    seen = np.unique(column[keep])
    if len(seen) < 2:
        only = f"only {(variable.levels or ())[int(seen[0])]!r}" if len(seen) else "none"
        raise DataError(
            f"A classifier needs rows of at least two classes; the class {target!r} has {only}."
        )
    left_out = int((gaps_of(variable, column)).sum())
    if keep.all():
        return table
    note = f"{left_out} of {table.rows} rows dropped because their class is missing."
    return table.take(keep).with_notes(*([data_note(note, (target,))] if left_out else []))


def learn_classifier(table: Table, target: str, spec: ClassifierSpec) -> Classifier:
    """Learn a classifier from a table.

    Parameters
    ----------
    table : features and the class; missing values are allowed.
    target : the name of the class, a discrete column.
    spec : the choices of the classifier.

    Raises
    ------
    DataError : the class cannot be learned.
    """
    ready = _prepare_features(prepared_classes(table, target), target, spec)
    notes, graph = list(ready.notes), None
    if spec.select is not None:
        ready, graph, note = select_features(ready, target, spec, learn_classifier)
        notes += notes_of(NoteKind.MODEL, note)
    shaped = spec.structure if spec.structure in ClassGraph.searches else "naive"
    problem = spec.problem(ready, target, shaped)
    weighed = {graph: 1.0} if graph is not None else _graphs(problem, spec)
    classifier = Classifier(
        tuple(map(problem.net, weighed)),
        target,
        tuple(name for name in table.order if name != target),
        _grids(ready),
        min_count=spec.min_count,
        notes=tuple(dict.fromkeys(notes)),
        table=ready,
    )
    if spec.structure == "aode":
        return replace(classifier, frequencies=_frequencies(problem))
    weights = tuple(weighed.values()) if spec.structure == "averaged" else ()
    return replace(classifier, weights=weights)


def _graphs(problem: ClassGraph, spec: ClassifierSpec) -> dict[DAG, float]:
    """Return the graphs of a structure, each with its weight."""
    if spec.structure == "aode":
        return dict.fromkeys(_one_dependence(problem), 1.0)
    if spec.structure == "free":
        free = _free(problem, spec)
        return {cast(DAG, free.learn(free.penalty).net.graph): 1.0}
    if spec.structure == "averaged":
        return _draw_graphs(_free(problem, spec))
    return {problem.structure(0.0): 1.0}


def _prepare_features(table: Table, target: str, spec: ClassifierSpec) -> Table:
    """Return features in the form that the classifier uses, without those that have no value at all."""
    pairs = zip(table.variables, table.columns, strict=True)
    empty = [v.name for v, column in pairs if gaps_of(v, column).all()]
    if empty:
        names = [name for name in table.order if name not in empty]
        if len(names) < 2:
            raise DataError(f"No feature besides the class {target!r} has any value.")
        note = f"Dropped, since all their values are missing: {sentence_list(empty)}."
        table = table.select(names).with_notes(data_note(note, tuple(empty)))
    if spec.features in ("auto", "discretise"):
        return discretise(table, "entropy", target=target)
    free = [v.name for v in table.variables if v.numeric and v.name not in (*table.fixed, target)]
    return table.recast(dict.fromkeys(free, "continuous"))


def _frequencies(problem: ClassGraph) -> tuple[tuple[int, Array], ...]:
    """Return the features in the order of the graphs of aode, with the rows of each level."""
    table, frequencies = problem.table, []
    for feature in problem.ranked:
        size = len(table.variables[feature].levels or ())
        codes = table.columns[feature].astype(np.intp)
        frequencies.append(
            (feature, np.bincount(codes, table.weights, size + 1)[:size].astype(float))
        )
    return tuple(frequencies)


def _grids(table: Table) -> dict[int, Array]:
    """Return grid points for each continuous feature, from below its least value to above its largest."""
    grids = {}
    for number, (variable, column) in enumerate(zip(table.variables, table.columns, strict=True)):
        if not variable.discrete:
            values = column[~np.isnan(column)]
            reach = _BEYOND * float(values.std()) or max(1.0, abs(float(values[0])))
            grids[number] = np.linspace(values.min() - reach, values.max() + reach, _POINTS)
    return grids


# -- structures of several graphs, and free ones ---------------------------------------------------


def _one_dependence(problem: ClassGraph) -> list[DAG]:
    """Return a graph for each feature as the parent of all others, the most relevant first; then naive
    Bayes.
    """
    variables, limits = problem.table.variables, problem.limits
    number = next((i for i in problem.features if not variables[i].discrete), None)
    if number is not None:
        raise FitError(
            f"aode averages over the levels of features, but {variables[number].name!r} is "
            "continuous: use {features=}.",
            fixes=[Fix("features", "discretise")],
        )
    levels = np.array([len(variables[i].levels or ()) for i in problem.features], dtype=float)
    cells = len(variables[problem.target].levels or ()) * float(levels.sum() ** 2)
    pairs = float(len(levels)) ** 2
    if max(cells, _EACH * pairs) > _MOST_CELLS:
        raise FitError(
            f"aode keeps tables of all pairs of features, {pairs:.3g} with {cells:.3g} cells, "
            "which is too many: use fewer features, or another structure."
        )

    def graph(parent: int) -> DAG:
        rows = enumerate(limits.required)
        apart = (problem.target, parent)
        return DAG(
            limits.nodes,
            tuple(row if child in apart else tuple(sorted({*row, parent})) for child, row in rows),
        )

    return [*map(graph, problem.ranked), limits.start()]


def _free(problem: ClassGraph, spec: ClassifierSpec) -> DirectedProblem:
    """Return graphs in which the class has a child and no parents, with their score."""
    table, rules = problem.table, problem.spec.rules
    continuous = [v.name for v in table.variables if not v.discrete]
    if continuous:
        raise FitError(
            f"A {spec.structure} structure needs discrete features, but {continuous[0]!r} is "
            "continuous: use {features=}.",
            fixes=[Fix("features", "discretise")],
        )
    rules = Rules(max_parents=None if spec.k is None else spec.k + 1, target=rules.target)
    search = Specification(
        spec.rng, model="discrete", score=spec.arc_score, search=spec.search, rules=rules
    )
    return DirectedProblem.bind(search, Complete(table))


def _draw_graphs(problem: DirectedProblem) -> dict[DAG, float]:
    """Return graphs drawn from their posterior, the most frequent first, with their shares."""
    sampler = SAMPLERS["partition"](problem.penalised(problem.penalty), problem.limits)
    steps, rng = len(problem.limits.nodes), problem.spec.stream(2)
    chain = run(sampler, None, rng, _DRAWN, burn_in=_BURN_IN * steps, thin=_THIN * steps)
    return {graph: times / len(chain) for graph, times in chain.counts().items()}
