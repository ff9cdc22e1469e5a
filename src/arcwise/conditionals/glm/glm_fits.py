"""Generalised linear models tied to a table: the forms of many parent sets, each chosen once."""

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Family, Fits, ParentSets
from arcwise.conditionals.glm.category_forms import fit_category
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.form_choice import FittedForm
from arcwise.conditionals.glm.glm_model import GlmConditional
from arcwise.conditionals.glm.numeric_forms import fit_number
from arcwise.conditionals.glm.one_step import one_step_fits
from arcwise.conditionals.glm.screening import may_gain
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Statistics
from arcwise.graphs import DAG

__all__ = ["GlmFits", "model_of"]

_FAR = 2.5  # standard deviations of a gain in replicates, beyond which a parent is not tried there


class GlmFits(RowFits):
    """The family tied to the rows of a table."""

    start_score = "truncated-basis"

    def __init__(self, family: Family, statistics: Statistics, margin: float) -> None:
        super().__init__(family, statistics)
        self.margin, self.design = margin, Design(self.table)
        self._known: dict[tuple[int, tuple[int, ...]], FittedForm] = {}

    def conditional(self, child: int, parents: tuple[int, ...]) -> GlmConditional:
        """The fitted model of `child` given `parents`."""
        return self.model(child, parents)

    def model(self, child: int, parents: tuple[int, ...]) -> GlmConditional:
        """The fitted model of `child` given `parents`, in any order."""
        return model_of(self.design, child, parents, self.form(child, tuple(sorted(parents))))

    def form(self, child: int, parents: tuple[int, ...]) -> FittedForm:
        """The best form of `child` given sorted `parents`, fitted once."""
        if (child, parents) not in self._known:
            fit = fit_category if self.design.levels[child] else fit_number
            self._known[child, parents] = fit(self.design, child, parents, self.margin)
        return self._known[child, parents]

    def _numbers(self, child: int, sets: ParentSets) -> NDArray[np.float64]:
        """(sets, 3) log-likelihoods, parameters and costs of the choice."""
        forms = (self.form(child, s) for s in sets)
        rows = [(form.loglik, form.parameters, form.choice) for form in forms]
        return np.array(rows, dtype=float).reshape(-1, 3)

    def resampled(self, weights: Array, graph: DAG) -> tuple[Fits, ...]:
        """The fits of replicates of the rows, by one step from these (see `one_step`)."""
        return one_step_fits(self, self.design, self.form, weights, self._without_gain(graph))

    def _without_gain(self, graph: DAG) -> tuple[frozenset[int], ...]:
        """For each child the variables outside the graph that gained far too little wherever they were tried.

        If a parent gains g nats in all rows, the root of twice its gain in a replicate is about normal
        around the root of 2 g with a standard deviation of 1.
        """
        p, log_rows = len(self.nodes), float(np.log(max(self.design.total, 2.0)))
        distance = np.full((p, p), np.inf)
        tried = np.zeros((p, p), dtype=bool)
        for (child, members), with_all in self._known.items():
            for x in members:
                rest = self._known.get((child, tuple(j for j in members if j != x)))
                if rest is None:
                    continue
                gain = max(with_all.loglik - rest.loglik, 0.0)
                more = 0.5 * log_rows * max(with_all.parameters - rest.parameters, 1)
                price = max(more + with_all.choice - rest.choice, 0.0) + float(np.log(p))
                away = float(np.sqrt(2 * price) - np.sqrt(2 * gain))
                distance[child, x], tried[child, x] = min(distance[child, x], away), True
        distance = np.where(tried, distance, np.where(tried.T, distance.T, 0.0))
        return tuple(
            frozenset(np.flatnonzero(row > _FAR).tolist()) - {child, *graph.parents[child]}
            for child, row in enumerate(distance)
        )

    def seconds(self, inputs: int) -> float:
        """Roughly how long one local model with so many inputs takes."""
        return 2e-4 + inputs * (1e-4 + 5e-8 * self.design.size)

    def may_gain(self, graph: DAG, least: float) -> bool:
        """Whether forms other than straight lines may gain so many nats (see `screening`)."""
        return may_gain(self.design, graph, self.margin, least)

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the rows under the best form, for each parent set."""
        return self._numbers(child, sets)[:, 0]

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the best form, for each parent set."""
        return self._numbers(child, sets)[:, 1]

    def choice(self, child: int, sets: ParentSets) -> Array:
        """What choosing the form costs, for each parent set."""
        return self._numbers(child, sets)[:, 2]


def model_of(
    design: Design, child: int, parents: tuple[int, ...], best: FittedForm
) -> GlmConditional:
    """The model of a fitted form, in the units of the data."""
    place = {-1: -1} | {j: k for k, j in enumerate(parents)}
    levels, scale, centre = design.levels[child], design.scales[child], design.centres[child]
    coefficients, variances = best.coefficients.copy(), best.variances.copy()
    if not levels:
        coefficients *= scale
        coefficients[:, 0] += centre
        variances *= scale**2
    noise = [(place[a], f, place[b], g) for a, f, b, g in best.noise_columns]
    columns = [(place[a], f, place[b], g) for a, f, b, g in best.columns]
    return GlmConditional(
        best.form,
        levels,
        design.centres[list(parents)],
        design.scales[list(parents)],
        tuple(design.groups[j].copy() for j in parents),
        np.array(columns, dtype=np.int64).reshape(-1, 4),
        tuple(place[j] for j in best.by),
        coefficients,
        variances,
        best.parameters,
        _spread(design, child, parents, best),
        design.total,
        np.array(noise, dtype=np.int64).reshape(-1, 4),
        best.noise_slopes.copy(),
        best.noise_range + (2 * np.log(scale)),
        design.limits(parents),
        best.runner_up,
        best.lead,
    )


def _spread(design: Design, child: int, parents: tuple[int, ...], best: FittedForm) -> Array:
    """The covariance matrix of (intercept, slopes) of a linear regression on numbers, else nothing."""
    straight = best.form in ("additive", "marginal") and not any(
        design.levels[j] for j in (child, *parents)
    )
    if not straight or len(best.columns) != len(parents) + 1:
        return np.zeros((0, 0))
    members = [0, *(design.number(j) for j in parents)]
    slopes = {
        c[0]: value for c, value in zip(best.columns, best.coefficients[0, :, 0], strict=True)
    }
    kept = np.flatnonzero([True, *(slopes[j] != 0 for j in parents)])
    used = [members[k] for k in kept]
    free = design.total - len(used)
    found = np.full((len(members),) * 2, np.inf)
    if not free > 0:
        return found
    variance = float(best.variances[0]) * design.scales[child] ** 2 * design.total / free
    found = np.zeros((len(members),) * 2)
    found[np.ix_(kept, kept)] = np.linalg.inv(design.products[np.ix_(used, used)]) * variance
    change = np.diag([1.0, *(1 / design.scales[list(parents)])])
    change[0, 1:] = -design.centres[list(parents)] / design.scales[list(parents)]
    return np.asarray(change @ found @ change.T)
