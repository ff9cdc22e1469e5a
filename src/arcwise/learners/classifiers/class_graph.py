"""Graphs around a class: the class has an arc into every feature, and features have few others.

* naive: no arcs between features;
* tan: a tree over the features, that of the largest conditional mutual information (Friedman, Geiger and
  Goldszmidt 1997), or the best forest by a score;
* kdb: features in the order of their information on the class; the parents of each are also the k earlier
  ones with most information on it given the class (Sahami 1996).

The gain of an arc between two features is a difference of local scores, with the class as a parent of both:
with the likelihood it is the number of rows times I(X; Y | C). Features are parents of features of their own
kind only. For continuous features the gains are those of normal distributions with means and covariances of
their own in each class, where I(X; Y | C) = - sum_c p_c log(1 - r_c^2) / 2.

A row is used for each local model whose variables are observed in it, and for the gain of a pair if both
are (available cases).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import FAMILIES, Fits
from arcwise.data import Complete, Moments, Statistics, Table, Variable
from arcwise.errors import DataError, FitError, GraphError, unknown
from arcwise.graphs import DAG, Limits
from arcwise.learners.problem import LearnedNetwork, Problem
from arcwise.learners.specification import Specification
from arcwise.learners.trees import forest
from arcwise.networks import BayesNet
from arcwise.notes import Fix, Stop, mention
from arcwise.results import Trail, Watch
from arcwise.scores import SCORES, Score, Sum, total
from arcwise.scores.penalized import bic_charges

__all__ = ["ClassGraph"]

Array = NDArray[np.float64]

_NOTHING = 1e-9  # nats per row that an arc gains by rounding alone
_TIE = 1e-12  # nats per row between gains that are one
_LEAST = 1e-10  # variance of a feature in a class, as a share of its variance


class ClassGraph(Problem):
    """A problem whose graph has the arcs of a classifier around the class `rules.target`.

    Statistics of available cases keep rows with missing values.
    """

    @classmethod
    def bind_prepared(cls, spec: Specification, rows: Statistics) -> Self:
        """Bind a specification to prepared data.

        Raises
        ------
        GraphError : the rules have no target.
        DataError : the class is continuous.
        FitError : a score that differs between equivalent graphs, or data without rows.
        """
        if spec.rules.target is None:
            raise GraphError(
                "{search=} learns a graph around a class: name the class "
                "by rules=Rules(target=...).",
                fixes=[mention("search", spec.search)],
            )
        if not isinstance(rows, Complete):
            rows.rows("{search=} needs", fixes=[mention("search", spec.search)])
        spec.rules.on(rows.names)  # which knows whether there is such a variable
        check_class(rows.variables[rows.names.index(spec.rules.target)])
        whole = spec.but(score=spec.score or "loglik", penalty=spec.penalty or 0.0)
        return super().bind_prepared(whole, rows)

    @property
    def table(self) -> Table:
        """The rows, with missing values."""
        return cast(Complete, self.data).table

    @cached_property
    def target(self) -> int:
        """The number of the class."""
        return self.table.index(str(self.spec.rules.target))

    @cached_property
    def features(self) -> tuple[int, ...]:
        """The numbers of the other columns."""
        return tuple(i for i in range(len(self.fits.nodes)) if i != self.target)

    @cached_property
    def limits(self) -> Limits:
        """The rules on these columns, and the class as a parent of all features."""
        rules = self.spec.rules.on(self.fits.nodes)
        rows = [tuple(sorted({*row, self.target})) for row in rules.required]
        rows[self.target] = ()
        return replace(rules, required=tuple(rows))

    @cached_property
    def least(self) -> float:
        """The least gain of an arc between features; minus infinity for the likelihood, as in the papers."""
        if self.score_word == "loglik" and not self.penalty:
            return -np.inf
        return max(_NOTHING, self.penalty) * max(1.0, self.fits.rows)

    def structure(self, penalty: float, watch: Watch | None = None) -> DAG:
        """Return the graph."""
        graph: DAG = self.search(replace(self, penalty=penalty), **self.options)
        return graph

    def net(self, graph: DAG) -> BayesNet:
        """Return the network of a graph; local models that graphs share are fitted once."""
        models = tuple(self._local(child, row) for child, row in enumerate(graph.parents))
        return BayesNet(self.data.variables, graph, models)

    @cached_property
    def _local(self) -> Any:
        return cache(self.fits.conditional)

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Return the network: choose the graph, and fit its local models."""
        trail, graph = Trail(watch), self.structure(penalty)
        value = total(self.score, graph)
        trail.add(self.spec.search, value, graph.n_arcs)
        end = Stop.converged("the graph follows from its gains")
        net, steps = self.net(graph), tuple(trail.steps)
        return LearnedNetwork(self, net, value, penalty, steps, end, self.limits)

    # -- information of features ------------------------------------------------------------------

    @cached_property
    def relevance(self) -> Array:
        """The mutual information I(X; C) of each column X and the class C, in nats per row."""
        out = np.zeros(len(self.fits.nodes))
        for features in self._groups:
            if tied := self._tie(features):
                out[list(features)] = [tied.relevance(i) for i in range(len(features))]
        return _with_ties(out, _TIE)

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """The features, the most informative about the class first."""
        return tuple(sorted(self.features, key=lambda i: (-self.relevance[i], i)))

    @cached_property
    def gains(self) -> Array:
        """The gain of an arc between two features, symmetric; minus infinity if it is impossible.

        Differences by rounding count as ties.
        """
        out = np.full((len(self.fits.nodes),) * 2, -np.inf)
        for one, two in combinations_with_replacement(self._groups, 2):
            both = tuple(sorted({*one, *two}))
            alike = len({self.table.variables[i].kind for i in both}) == 1
            if alike and len(both) > 1 and (tied := self._tie(both)):
                positions = np.searchsorted(both, two), np.searchsorted(both, one)
                out[np.ix_(two, one)] = tied.gains[np.ix_(*positions)]
        out = _with_ties(np.maximum(out, out.T), _TIE * max(1.0, self.fits.rows))
        out[out <= self.least] = -np.inf
        return out

    @cached_property
    def _groups(self) -> list[tuple[int, ...]]:
        """Return groups of features of one kind with the same missing rows; features of one level are
        in none.
        """
        groups: dict[tuple[bool, bytes], list[int]] = {}
        variables, missing = self.table.variables, self.table.missing()
        for i in self.features:
            if len(variables[i].levels or (0, 0)) > 1:
                key = variables[i].discrete, np.packbits(missing[:, i]).tobytes()
                groups.setdefault(key, []).append(i)
        return [tuple(group) for group in groups.values()]

    @cached_property
    def _tie(self) -> Callable[[tuple[int, ...]], "_BoundFeatures | None"]:
        """Bind features of one kind and the class to the rows in which all of them are observed; None
        without rows.
        """
        whole = self.fits.tabular

        @lru_cache(1)
        def tied(features: tuple[int, ...]) -> "_BoundFeatures | None":
            if whole is not None:
                return _Levels(whole, self.target, features, self.score_word)
            table = self.table.available((*features, self.target))
            target = table.index(self.fits.nodes[self.target])
            numbers = [i for i in range(len(table.names)) if i != target]
            if not table.rows:
                return None
            if table.variables[numbers[0]].discrete:
                fits = FAMILIES["discrete"].bind(table)
                return _Levels(fits, target, numbers, self.score_word)
            return _Numbers(table, target, numbers, self.score_word)

        return tied


def check_class(variable: Variable) -> None:
    """Check that a variable can be a class.

    Raises
    ------
    DataError : it is continuous.
    """
    if variable.levels is None:
        raise DataError(
            f"The class {variable.name!r} is continuous: give a column of levels, or use {{kinds=}}.",
            fixes=[Fix("kinds", {variable.name: "discrete"})],
        )


def _with_ties(values: Array, unit: float) -> Array:
    """Return values in multiples of a unit, so that rounding errors do not decide between them."""
    out: Array = np.round(values / unit) * unit
    return out


# -- shapes ----------------------------------------------------------------------------------------


def naive(problem: ClassGraph) -> DAG:
    """Return the graph without arcs between features."""
    return problem.limits.start()


def tan(problem: ClassGraph) -> DAG:
    """Return the best tree over the features, directed away from the most informative feature."""
    return forest(problem.gains, problem.limits, problem.ranked, (problem.target,))


def kdb(problem: ClassGraph, *, k: int = 2) -> DAG:
    """Return the graph in which each feature has up to `k` earlier ones as parents, by conditional
    information.
    """
    rows, limits, gains = list(problem.limits.required), problem.limits, problem.gains
    for rank, child in enumerate(problem.ranked):
        before = sorted(problem.ranked[:rank], key=lambda j: (-gains[child, j], j))
        for parent in [j for j in before if gains[child, j] > -np.inf][:k]:
            row = tuple(sorted({*rows[child], parent}))
            rows[child] = row if limits.allows(child, row) else rows[child]
    return DAG(limits.nodes, tuple(rows))


ClassGraph.searches = {"naive": naive, "tan": tan, "kdb": kdb}


# -- gains of one kind -----------------------------------------------------------------------------


class _BoundFeatures(Protocol):
    """Features of one kind and the class, on the rows in which all are observed; features by their
    position.
    """

    @property
    def gains(self) -> Array:
        """Return the gain of an arc between each two of them."""

    def relevance(self, i: int) -> float:
        """Return the mutual information I(X; C), in nats per row."""


class _Levels:
    """Discrete features: local scores with the class as a parent."""

    def __init__(self, fits: Fits, target: int, numbers: Sequence[int], word: str) -> None:
        self.fits, self.given, self.numbers = fits, (target,), list(numbers)
        self.score = _score_of(word, fits)

    @cached_property
    def gains(self) -> Array:
        base, more = self.score.sweep(self.numbers, [self.given] * len(self.numbers))
        gains: Array = more[:, self.numbers] - base[:, None]
        return gains

    def relevance(self, i: int) -> float:
        apart, with_class = self.fits.loglik(self.numbers[i], [(), self.given]).tolist()
        return float(with_class - apart) / self.fits.rows


class _Numbers:
    """Continuous features: likelihoods of normal distributions, summed over the classes.

    An arc has a slope for each class, and a score without a penalty for parameters is BIC here.
    """

    def __init__(self, table: Table, target: int, numbers: Sequence[int], word: str) -> None:
        features, classes = table.select([table.names[i] for i in numbers]), table.columns[target]
        parts = [features.take(classes == code) for code in np.unique(classes)]
        self.whole, self.parts = Moments.of(features), [Moments.of(part) for part in parts]
        fits = [FAMILIES["gaussian"].bind(part) for part in self.parts]
        self.score = Sum([SCORES["loglik"].bind(fit) for fit in fits])
        charges = (SCORES[word].charges or bic_charges)(table.total, len(table.names))
        slopes = len(table.variables[target].levels or ())
        self.charge = slopes * charges.per_param + charges.per_parent

    @cached_property
    def gains(self) -> Array:
        size = len(self.score.nodes)
        base, more = self.score.sweep(range(size), [()] * size)
        gains: Array = more - base[:, None] - self.charge
        return gains

    def relevance(self, i: int) -> float:
        """Return log v / 2 - sum_c p_c log v_c / 2."""
        whole = self.whole.scatter[i, i] / self.whole.n
        least = _LEAST * whole + 1e-300
        inside = sum(m.n * np.log(m.scatter[i, i] / m.n + least) for m in self.parts)
        return float(0.5 * np.log(whole + least) - 0.5 * inside / self.whole.n)


def _score_of(word: str, fits: Fits) -> Score:
    """Return a score that makes the best tree a spanning tree."""
    if word not in SCORES:
        raise unknown("score of an arc between features", word, SCORES)
    if SCORES[word].parts == "none" and (score := SCORES[word].bind(fits)).equivalent:
        return score
    raise FitError(
        f"The score {word!r} depends on directions or on held-out rows, but arcs between "
        "features need a score that does not: use 'loglik', 'aic', 'bic' or 'bdeu'."
    )
