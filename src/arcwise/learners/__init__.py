"""Learners: from a specification and data to a network. `LEARNERS` is the registry: name to learner.

A learner is a kind of `Problem`: data bound to a family and a score, and a method to learn a graph. It
defines the kind of its graphs and the names of its searches; of several learners of the same kind of graph,
the first that accepts a specification is used. `Learner` is a specification as a function from a table to a
network, for cross-validation, bootstrap or a page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from arcwise.data import Source, Table, statistics_of
from arcwise.errors import OptionError, join_words, unknown
from arcwise.graphs import DAG, UGraph
from arcwise.learners.boundary import BoundaryLearner
from arcwise.learners.classifiers.class_graph import ClassGraph
from arcwise.learners.correlations import StepwiseLearner
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.lasso import Lasso
from arcwise.learners.linear_or_curved import further_forms_of_rows, with_further_forms
from arcwise.learners.options import options_of
from arcwise.learners.parameters import directed_net, markov_net, retune
from arcwise.learners.penalty import RULES, choose
from arcwise.learners.problem import LearnedNetwork, Problem, TunedPenalty, score_options
from arcwise.learners.refits import with_refits
from arcwise.learners.specification import Specification, prepare_data, prepared_cases
from arcwise.learners.trees import ChowLiuLearner
from arcwise.networks import Net
from arcwise.notes import mention
from arcwise.results import Trail, Watch

__all__ = [
    "LEARNERS", "RULES", "BoundaryLearner", "ChowLiuLearner", "ClassGraph", "DirectedProblem", "GraphFitter",
    "Lasso", "LearnedNetwork", "Learner", "Problem", "Specification", "StepwiseLearner", "TunedPenalty",
    "bind", "choose", "graphs", "options_of", "prepare_data", "prepared_cases", "score_options", "searches",
]  # fmt: skip

LEARNERS: dict[str, type[Problem]] = {
    "directed": DirectedProblem,
    "chow-liu": ChowLiuLearner,
    "class": ClassGraph,
    "stepwise": StepwiseLearner,
    "lasso": Lasso,
    "boundary": BoundaryLearner,
}


def graphs() -> tuple[str, ...]:
    """Return the names of the kinds of graphs that can be learned."""
    return tuple(dict.fromkeys(learner.graph for learner in LEARNERS.values()))


def searches(graph: str) -> dict[str, Callable[..., Any]]:
    """Return the names of searches of a kind of graph, each with the function that has its options.

    >>> "glasso" in searches("undirected"), "glasso" in searches("directed")
    (True, False)
    """
    if graph not in graphs():
        raise unknown("kind of graph", graph, graphs())
    functions: dict[str, Callable[..., Any]] = {}
    for learner in LEARNERS.values():
        functions |= learner.searches if learner.graph == graph else {}
    return functions


def _unknown_search(word: object, graph: str, names: list[str]) -> OptionError:
    """The error for a search that does not exist, or not for this kind of graph."""
    other = next((each for each in graphs() if word in tuple(searches(each))), None)
    if other is None:
        return unknown("search", word, names)
    there = join_words(map(repr, names))
    return OptionError(
        f"There is no search {word!r} for {graph} graphs, only for {other} ones: choose from {there}."
    )


def bind(spec: Specification, source: Source, watch: Watch | None = None) -> Problem:
    """Bind a specification to data, as a problem of the learner that accepts it.

    `watch` may stop the estimation of missing values, which the result then notes.

    Raises
    ------
    OptionError : an unknown kind of graph, or an unknown search for it.
    """
    names = sorted(searches(spec.graph))
    if spec.search not in names:
        raise _unknown_search(spec.search, spec.graph, names)
    statistics = statistics_of(source)
    spec = spec.chosen(statistics.variables)
    for learner in LEARNERS.values():
        if learner.graph == spec.graph and learner.takes(spec):
            if spec.search_options.get("factors") is not None and learner is not Lasso:
                raise OptionError(
                    "Penalties for single pairs of variables are for the lasso: "
                    "{graph=}, {model=}, {search=} or 'neighbourhood': "
                    "use one number here.",
                    fixes=[
                        mention("graph", "undirected"),
                        mention("model", "gaussian"),
                        mention("search", "glasso"),
                    ],
                )
            return learner.bind(spec, statistics, watch)
    raise unknown("search", spec.search, names)


@dataclass(frozen=True)
class GraphFitter:
    """A learner with a fixed graph and the local models of a specification: only parameters are fitted."""

    spec: Specification
    graph: DAG | UGraph

    def __call__(self, table: Table) -> Net:
        """Fit the local models."""
        fits = retune(Problem.bind(self.spec, statistics_of(table)).fits, self.graph)
        graph = self.graph
        return directed_net(graph, fits) if graph.directed else markov_net(graph, fits)


@dataclass(frozen=True)
class Learner:
    """A specification as a learner: a function from a table to a network.

    `n_jobs` processes work on what can be shared out; `watch` may stop the run, and `tuning_watch` is the one
    for missing values and the choice of a penalty.
    """

    spec: Specification
    n_jobs: int = 1
    watch: Watch | None = None
    tuning_watch: Watch | None = None

    def __call__(self, table: Table) -> Net:
        """Learn a network; raise `SearchEnd` if it was stopped early, as such a network must not be
        evaluated.
        """
        net = self.learn(table).net
        Trail(self.watch).check()
        return net

    def learn(self, source: Source) -> LearnedNetwork:
        """Bind the specification, choose the penalty if a rule is requested, then learn."""
        problem, spec = bind(self.spec, source, self.tuning_watch), self.spec
        rule = spec.rule or (problem.default_rule if spec.penalty is None else None)
        if rule is None:
            learned = problem.learn(problem.penalty, self.watch)
            learned = with_further_forms(learned, spec, self.watch)
            learned = further_forms_of_rows(learned, spec, source, self._again)
            return with_refits(learned, spec, self.watch)
        tuned = choose(problem, rule, self.n_jobs, self.tuning_watch)
        return replace(problem.learn(tuned.penalty, self.watch), tuned=tuned)

    def _again(self, spec: Specification, source: Source) -> LearnedNetwork:
        """The network of another specification or of other data, without any further choice of models."""
        problem = bind(spec, source, self.tuning_watch)
        learned = problem.learn(problem.penalty, self.watch)
        return with_further_forms(learned, spec, self.watch)
