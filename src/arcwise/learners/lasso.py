"""Undirected Gaussian networks by the lasso, at a penalty or along many.

`glasso` maximises the likelihood minus rho times the absolute entries of the precision matrix (Friedman,
Hastie and Tibshirani 2008); `neighbourhood` selects neighbours by a lasso of each variable on all others
(Meinshausen and Buehlmann 2006). Penalties are rho, on the scale of correlations unless that of the
covariance is requested.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from arcwise.data import Statistics
from arcwise.errors import OptionError, columns_named
from arcwise.graphs import UGraph
from arcwise.learners.correlations import LOOSE, Array, Correlations, GraphEstimate, Settings
from arcwise.learners.options import subset
from arcwise.learners.problem import LearnedNetwork
from arcwise.learners.specification import Specification
from arcwise.networks import Net
from arcwise.notes import Stop
from arcwise.results import ASKED, Knot, Path, Trail, Watch
from arcwise.undirected.given_matrices import Factors, edge_partials, factors_of
from arcwise.undirected.glasso import glasso_path, largest_penalty
from arcwise.undirected.lasso_problem import neighbourhood_path
from arcwise.undirected.selection import usual_penalty

_GLASSO = subset(Settings, "combine")


class Lasso(Correlations):
    """Learner of an undirected Gaussian graph by the lasso, if a penalty is given or the lasso requested."""

    searches = {  # noqa: RUF012
        "auto": _GLASSO,
        "glasso": _GLASSO,
        "neighbourhood": subset(Settings, "scale", "diagonal", "refit"),
    }
    default_rule = "ebic"

    @classmethod
    def takes(cls, spec: Specification) -> bool:
        """Return whether the lasso is requested; "auto" selects it for Gaussian models without a score."""
        if spec.search == "auto":
            return spec.score is None and spec.family.name == "gaussian"
        return spec.search in cls.searches

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; cross-validation evaluates the parameters of the lasso."""
        if spec.search == "auto":
            spec = spec.but(search="glasso")
        if spec.rule in ("cv", "cv-1se") and spec.search != "neighbourhood":
            spec = spec.but(search_options={"refit": False, **spec.search_options})
        return super().bind(spec, statistics, watch)

    @property
    def picks(self) -> bool:
        """Whether neighbours are selected for each variable separately, without a joint distribution."""
        return self.spec.search == "neighbourhood"

    @cached_property
    def factors(self) -> Array | None:
        """The factors of the penalty of each pair."""
        factors = self.settings.factors
        return (
            None if factors is None else factors_of(factors).on(self.fits.nodes, self.source.order)
        )

    @cached_property
    def weights(self) -> Array | None:
        """The factors with the rules: 0 for required edges, infinite for forbidden ones."""
        if self.factors is None and not any(self.pairs.values()):
            return None
        size = len(self.matrix)
        factors = np.ones((size, size)) if self.factors is None else self.factors.copy()
        for pairs, value in ((self.pairs["required"], 0.0), (self.pairs["forbidden"], np.inf)):
            for one, two in pairs:
                factors[one, two] = factors[two, one] = value
        return factors

    @property
    def scaled(self) -> Array:
        """The matrix on whose scale penalties are."""
        if self.settings.scale == "correlation":
            return self.matrix
        return self.matrix * self.fits.sd[:, None] * self.fits.sd

    @property
    def solver(self) -> dict[str, Any]:
        """The options of the solver besides the matrix and the penalties."""
        options: dict[str, Any] = {**self.pairs, "factors": self.factors}
        if self.picks:
            return {**options, "rule": self.settings.combine}
        return {
            **options,
            "penalise_diagonal": self.settings.diagonal,
            "threads": self.spec.threads,
        }

    @property
    def unit(self) -> str:
        """The unit of penalties."""
        unit = "rho" if self.settings.scale == "correlation" else "rho, covariance units"
        if self.factors is None:
            return unit
        factors = self.settings.factors
        alone = isinstance(factors, Factors) and factors.alone
        return f"{unit}, times the matrix given" if alone else f"{unit}, times factors"

    def grid(self) -> Array:
        """Return the penalties of a path, beginning with the smallest that gives no edge."""
        most, count = largest_penalty(self.scaled, self.weights) or 1.0, self.settings.n_penalties
        usual = 0.01 if self.fits.rows > len(self.matrix) else 0.05
        least = usual if self.settings.min_ratio is None else self.settings.min_ratio
        if count < 1 or not 0 < least <= 1:
            raise OptionError(
                f"n_penalties= must be positive and min_ratio= above 0 and at most 1, got {count} "
                f"and {least}."
            )
        return most * np.geomspace(1.0, least, count)

    @property
    def usual_penalty(self) -> float:
        """Return a penalty that usually suits this number of rows and columns."""
        return usual_penalty(self.source.total, len(self.source.names), self.grid().tolist())

    # -- solving ---------------------------------------------------------------------------------

    def solve(self, penalties: Sequence[float], trail: Trail) -> Iterator[GraphEstimate]:
        """Return the estimate at each penalty; the largest first is quickest."""
        with columns_named(self.fits.nodes):
            way = self._picked(penalties) if self.picks else self._solved(penalties, trail)
            for estimate, score in way:
                stop = trail.add(f"penalty {estimate.penalty:.4g}", score, estimate.graph.n_edges)
                yield estimate
                if stop:
                    return

    def _picked(self, penalties: Sequence[float]) -> Iterator[tuple[GraphEstimate, float]]:
        for penalty, near in neighbourhood_path(self.matrix, penalties, **self.solver):
            graph = self.joined(near.adjacency)
            yield GraphEstimate(penalty, graph, None, near.violation), float(graph.n_edges)

    def _solved(
        self, penalties: Sequence[float], trail: Trail
    ) -> Iterator[tuple[GraphEstimate, float]]:
        correlation = self.settings.scale == "correlation"
        scale = np.ones(len(self.matrix)) if correlation else self.fits.sd
        solver = {**self.solver, "on_step": trail.pass_on}
        for penalty, solution in glasso_path(self.scaled, penalties, **solver):
            precision = solution.precision * scale[:, None] * scale
            graph = self.joined(precision != 0)
            yield GraphEstimate(penalty, graph, precision, solution.violation), solution.objective

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Solve at a penalty, and fit the network on the resulting graph."""
        trail = Trail(watch)
        estimate = next(self.solve([penalty], trail))
        net, text, shrunk = self.fitted(estimate, trail.watch)
        words = {
            "criterion": "penalised likelihood",
            "penalty_unit": self.unit,
            **({"numbers": "penalised"} if shrunk else {}),
        }
        stopped = Stop.converged(f"solved at penalty {penalty:.4g}")
        learned = self.measured(net, penalty, trail.steps, stopped, text, _breach(estimate))
        return replace(learned, words={**learned.words, **words}, settled=not trail.stopped)

    def structure(self, penalty: float, watch: Watch | None = None) -> UGraph:
        """Return only the graph at a penalty, without a fit."""
        trail = Trail(watch)
        graph = next(self.solve([penalty], trail)).graph
        trail.check()
        return graph

    def structures(
        self, penalties: Sequence[float], watch: Watch | None = None
    ) -> tuple[UGraph, ...]:
        """Return only the graphs at several penalties, the largest solved first."""
        trail = Trail(watch)
        order = sorted(set(penalties), reverse=True)
        graphs = {estimate.penalty: estimate.graph for estimate in self.solve(order, trail)}
        trail.check()
        return tuple(graphs[penalty] for penalty in penalties)

    def path(self, watch: Watch | None = None) -> Path:
        """Solve for a grid of penalties, the largest first."""
        trail = Trail(watch)
        knots = [
            Knot(
                estimate.penalty, estimate.graph, edge_partials(estimate.graph, estimate.precision)
            )
            for estimate in self.solve(self.grid().tolist(), trail)
        ]
        stopped = trail.stopped or Stop.converged(f"solved at {len(knots)} penalties")
        return Path(tuple(reversed(knots)), self.unit, tuple(trail.steps), stopped, grid=True)

    def graph_at(self, path: Path, penalty: float) -> UGraph:
        """Return the graph at a penalty, by solving if the path does not contain it."""
        knots = (knot.graph for knot in path.knots if knot.penalty == penalty)
        return next(knots, None) or next(self.solve([penalty], Trail())).graph

    def along(self, penalties: Array, watch: Watch | None) -> list[Net] | None:
        """Return a network for each penalty, all from one path; None if the callback stopped it early."""
        trail = Trail(watch)
        nets: list[Net] = []
        for estimate in self.solve(penalties.tolist(), trail):
            nets.append(self.fitted(estimate, watch)[0])
            if trail.tick("fit", 0.0, estimate.graph.n_edges):
                return None
        return None if trail.stopped == ASKED else nets


def _breach(estimate: GraphEstimate) -> str:
    """Return a sentence if the graph may not be that of the maximum."""
    if estimate.violation <= LOOSE:
        return ""
    return (
        "The lasso did not converge: a condition for its maximum is violated by "
        f"{estimate.violation:.2g} of the penalty (or of 0.001, if larger), so edges may differ."
    )
