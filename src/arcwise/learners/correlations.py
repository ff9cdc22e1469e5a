"""Undirected Gaussian networks from correlations: the base of their learners, and stepwise selection.

`StepwiseLearner` adds and removes edges one at a time, by the extended BIC. `lasso` has the others.

This module has settings, correlations and rules, and the network on a learned graph. It is fitted on its
graph without a penalty if that maximum exists (`refit`). EBIC uses this likelihood, standard deviations are
those of the data, and held-out rows are more likely, since the penalty that selects the graph is too large
for its parameters. ``refit=False`` keeps those of the lasso; so does "cv" by default, as it evaluates them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.gaussian import GaussianFits
from arcwise.data import Statistics
from arcwise.data.covariance import normal_scores
from arcwise.data.variable import sentence_list
from arcwise.errors import FitError, OptionError, columns_named
from arcwise.graphs import UGraph
from arcwise.learners.boundary import UndirectedProblem
from arcwise.learners.options import options_of, subset
from arcwise.learners.parameters import markov_net, normal_net, undirected_total
from arcwise.learners.problem import LearnedNetwork
from arcwise.learners.specification import Specification, prepare_data
from arcwise.networks import MarkovNet
from arcwise.notes import Fix, Note, NoteKind, Stop, mention, notes_of
from arcwise.results import SearchEnd, Step, Trail, Watch, patient_check
from arcwise.undirected import edge_bounds
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.given_matrices import Steady, add_noise
from arcwise.undirected.stepwise import StepPath, stepwise

Array = NDArray[np.float64]

_LATE = "There was no time to fit the network on its graph without a penalty"
LOOSE = 1e-5
"""Violations of a condition above this are reported."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options of learning from correlations.

    Parameters
    ----------
    scale : unit of the penalty, "correlation" or "covariance" (in the units of the data).
    diagonal : whether variances are penalised, too.
    refit : whether the network is fitted again on its graph without a penalty; None if possible.
    nonparanormal : correlations from ranks, for columns whose shape is not normal.
    factors : factors of the penalty of each pair, a matrix with names (a data frame or a
        file) or in the order of the columns: 0 for an edge without penalty, infinite for no edge.
    n_penalties, min_ratio : of a path: the number of penalties, and the ratio of the smallest to the largest;
        by default a hundredth, and a twentieth with more columns than rows, since denser graphs are noise.
    gamma : weight of the number of possible graphs in the extended BIC; None is 0.5 for the lasso's rule
        "ebic", and depends on rows and columns for stepwise selection.
    subsamples, threshold : of the rule "stars".
    rotations : of the rule "ric".
    combine : "or" makes two variables adjacent if one selects the other as a neighbour, "and" if both do.
    """

    scale: Literal["correlation", "covariance"] = "correlation"
    diagonal: bool = True
    refit: bool | None = None
    nonparanormal: bool = False
    factors: Any = None
    n_penalties: int = 30
    min_ratio: float | None = None
    gamma: float | None = None
    subsamples: int = 20
    threshold: float = 0.05
    rotations: int = 20
    combine: Literal["or", "and"] = "or"


class GraphEstimate(NamedTuple):
    """A learned graph; its precision matrix, if any, is on the scale of correlations.

    `violation` is the largest violation of a condition for the maximum, relative to the penalty.
    """

    penalty: float
    graph: UGraph
    precision: Array | None = None
    violation: float = 0.0


class Correlations(UndirectedProblem):
    """A problem whose graph is learned from correlations alone."""

    own_score = "bic"
    fits: GaussianFits

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; raise an error for options that correlations do not have."""
        spec, rows = prepare_data(spec, statistics, watch=watch)
        if spec.family.name != "gaussian":
            raise OptionError(
                f"The search {spec.search!r} estimates a precision matrix and needs "
                "{model=}: use {search=} for other models.",
                fixes=[mention("model", "gaussian"), Fix("search", "boundary")],
            )
        if spec.score is not None:
            raise OptionError(
                "The lasso maximises the penalised likelihood and takes no "
                "{score=}: use {search=}, or choose the penalty by "
                "{penalty=}, 'stars', 'cv' or 'ric'.",
                fixes=[
                    mention("score", spec.score),
                    Fix("search", "boundary"),
                    Fix("penalty", "ebic"),
                ],
            )
        problem = cls.bind_prepared(spec, rows)
        fits, ranked = problem.fits, problem.settings.nonparanormal
        return problem.said(
            _constants(fits), problem._steady.note(fits.nodes), _RANKS if ranked else ""
        )

    @cached_property
    def settings(self) -> Settings:
        """The given options, and the defaults of all others."""
        settings: Settings = self.search(**self.options)
        return settings

    @cached_property
    def _steady(self) -> Steady:
        correlation = self._ranked() if self.settings.nonparanormal else self.fits.matrix
        return add_noise(correlation, self.fits.rows)

    @property
    def matrix(self) -> Array:
        """The correlations to fit."""
        return self._steady.matrix

    @cached_property
    def pairs(self) -> dict[str, list[tuple[int, int]]]:
        """Return edges without penalty, and forbidden edges, as pairs of numbers."""
        if self.limits.free:
            return {"required": [], "forbidden": []}
        bounds, nodes = edge_bounds(self.limits), range(len(self.limits.nodes))
        allowed = [set(row) for row in bounds.largest.neighbours]
        barred = [(a, b) for a in nodes for b in nodes if a < b and b not in allowed[a]]
        return {"required": sorted(bounds.required), "forbidden": barred}

    def rows(self) -> Array:
        """Return the rows whose correlations are fitted, as a matrix; columns that do not vary are zero."""
        data, varying = (
            self.data.rows("nonparanormal=True needs"),
            np.flatnonzero(~self.fits.constant),
        )
        rows = np.zeros((data.rows, len(self.fits.nodes)))
        for i in varying.tolist():
            column, weights = data.columns[i], data.weights
            rows[:, i] = normal_scores(column, weights) if self.settings.nonparanormal else column
        return rows

    def _ranked(self) -> Array:
        """Return correlations of normal scores; a constant column is uncorrelated with all others."""
        rows = self.rows()
        weights = self.data.rows("nonparanormal=True needs").weights
        weights = np.ones(len(rows)) if weights is None else weights
        matrix: Array = (rows * (weights / weights.sum())[:, None]).T @ rows
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def joined(self, linked: NDArray[np.bool_]) -> UGraph:
        """Return the graph of adjacent pairs; required edges are included even with a zero entry."""
        adjacency = linked.copy()
        for one, two in self.pairs["required"]:
            adjacency[one, two] = adjacency[two, one] = True
        np.fill_diagonal(adjacency, False)
        rows = tuple(tuple(np.flatnonzero(row).tolist()) for row in adjacency)
        return UGraph.make_unchecked(self.fits.nodes, rows)

    def fitted(
        self, estimate: GraphEstimate, watch: Watch | None = None
    ) -> tuple[MarkovNet, str, bool]:
        """Return the network on a graph, a sentence on its parameters, and whether the penalty shrank them.

        If the callback stops the fit on its graph, the network is without it.
        """
        matrix, refit = estimate.precision, self.settings.refit
        crowded = refit is None and self._crowded(estimate.graph)
        # Not yet the lasso's graph:
        late = estimate.violation > LOOSE and Trail(watch).tick("fit", 0.0, 0)
        if not (late or crowded or (matrix is not None and refit is False)):
            try:
                check = patient_check(watch)
                precision = fixed_graph(self.matrix, estimate.graph, check=check).precision
                text = "Fitted on its graph without a penalty"
                text += "." if matrix is None else " (refit=False keeps the lasso's estimates)."
                return normal_net(precision, estimate.graph, self.fits), text, False
            except SearchEnd:
                late = True
            except FitError:
                if refit:
                    raise
        if matrix is None:
            net = markov_net(estimate.graph, self.fits, joint=False)
            why = "The graph has too many edges for the rows: there is no joint distribution."
            return net, f"{_LATE}: there is no joint distribution." if late else why, False
        text = "The parameters are the lasso's estimates, shrunk by the penalty"
        if late:
            text = f"{_LATE}: the parameters are the lasso's estimates, shrunk by the penalty"
        elif crowded:
            text += ": without it this many edges would fit the noise of few rows (refit=True does)"
        elif refit is None:
            text += ": without it there is no maximum on this graph"
        return normal_net(matrix, estimate.graph, self.fits), f"{text}.", True

    def _crowded(self, graph: UGraph) -> bool:
        """Return whether variables have more neighbours, on average, than half the rows."""
        return 2 * graph.n_edges > 0.5 * self.fits.rows * len(graph.nodes)

    def measured(
        self,
        net: MarkovNet,
        penalty: float,
        trace: Sequence[Step],
        stopped: Stop,
        *notes: Note | str,
    ) -> LearnedNetwork:
        """Return the learned network, with edges measured by the joint distribution if there is one."""
        total = undirected_total(net, self.fits, self.score, self.score_word, self.score_options)
        return LearnedNetwork(
            self,
            net,
            total.value,
            penalty,
            tuple(trace),
            stopped,
            self.limits,
            scored=net.joint is None,
            words={"score": total.word},
            notes=notes_of(NoteKind.SEARCH, *notes),
        )


_RANKS = (
    "Correlations are of normal scores of the ranks (nonparanormal); means and standard "
    "deviations are of the data."
)


def _constants(fits: GaussianFits) -> str:
    names = [fits.nodes[i] for i in np.flatnonzero(fits.constant)]
    if not names:
        return ""
    verb = "does not vary and has" if len(names) == 1 else "do not vary and have"
    return f"{sentence_list(names)} {verb} no edges."


# -- edge by edge --------------------------------------------------------------------------------


_STEP_OPTIONS = {"gamma", "nonparanormal"}
_STEPWISE = subset(Settings, *(set(options_of(Settings)) - _STEP_OPTIONS))


class StepwiseLearner(Correlations):
    """Learner of an undirected Gaussian graph by stepwise selection, unless another search, score or
    penalty is requested.
    """

    searches = {"auto": _STEPWISE, "stepwise": _STEPWISE}  # noqa: RUF012

    @classmethod
    def takes(cls, spec: Specification) -> bool:
        """Return whether it is requested; "auto" selects it unless a score or a penalty is given."""
        if spec.search != "auto":
            return spec.search in cls.searches
        penalised = spec.penalty is not None or spec.rule is not None
        plain = spec.score is None and not penalised
        return plain and spec.family.name == "gaussian"

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; there is no penalty."""
        if spec.penalty is not None or spec.rule is not None:
            raise OptionError(
                "{search=} uses the extended BIC and takes no penalty: leave {penalty=} "
                "out and set gamma=, or use {search=}.",
                fixes=[mention("search", "stepwise"), Fix("penalty"), Fix("search", "glasso")],
            )
        return super().bind(spec.but(search="stepwise"), statistics, watch)

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Add and remove edges one at a time, and fit the network on the resulting graph."""
        rows, gamma = self.fits.rows, self.settings.gamma
        with columns_named(self.fits.nodes):
            path = stepwise(self.matrix, rows, gamma=gamma, **self.pairs, on_step=watch)
            net, text, _ = self.fitted(GraphEstimate(0.0, self.joined(path.adjacency)), watch)
        stopped = path.stopped or Stop.converged("no change of one edge raises the criterion")
        text = text if net.joint is None else ""
        learned = self.measured(net, 0.0, path.trace, stopped, text, _how(path))
        words = {**learned.words, "criterion": "ebic", "gamma": path.gamma}
        return replace(learned, words=words, settled=not path.stopped)

    def structure(self, penalty: float, watch: Watch | None = None) -> UGraph:
        """Return only the graph, without a fit."""
        rows, gamma = self.fits.rows, self.settings.gamma
        with columns_named(self.fits.nodes):
            path = stepwise(self.matrix, rows, gamma=gamma, **self.pairs, on_step=watch)
        if path.stopped:
            raise SearchEnd
        return self.joined(path.adjacency)


def _how(path: StepPath) -> Note:
    """Return a sentence on the method."""
    many = f"{path.edges} edge{'s' * (path.edges != 1)}"
    if path.stopped:
        text = (
            f"Edges were added stepwise, and the run was stopped early at {many}: others may "
            "be missing."
        )
        return Note(NoteKind.SEARCH, text)
    value = "" if path.ebic is None else f" (EBIC {path.ebic:.6g})"
    text = (
        "Edges were added and removed one by one (stepwise) by the extended BIC, gamma "
        f"{path.gamma:.3g}: {many}{value}; {{penalty=}} uses the graphical lasso instead."
    )
    return Note(NoteKind.SEARCH, text, fixes=(Fix("penalty", "ebic"),))
