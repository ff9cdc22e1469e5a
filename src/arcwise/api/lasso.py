"""Undirected Gaussian networks from correlations: edge by edge, or by the lasso at a penalty.

`stepwise` adds and takes out edges by the extended BIC, and has no penalty. `glasso` maximises the
likelihood less rho times the size of the entries of the precision matrix (TEXTS, T3); `neighbourhood` picks
neighbours by a lasso of each variable on all others. Penalties are rho, on the scale of correlations unless
the covariance's own is asked for.

Here stands what is asked: options, correlations, rules. What is found is in `solved`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.api.built import followers
from arcwise.api.factors import Factors, factors_of
from arcwise.api.options import options_of
from arcwise.api.recipe import Bench, Recipe, laid_out, settled_model
from arcwise.api.undirected import SEARCHES, refuse_directions
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.data import Moments, Table
from arcwise.data.ranks import normal_scores, pairwise
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, FitError, WordError, columns_named, unknown
from arcwise.graphs import Limits
from arcwise.undirected import edge_bounds, edge_limits
from arcwise.undirected.collinear import steadied
from arcwise.undirected.glasso import largest_penalty

__all__ = ["LASSO", "Task", "as_judged", "by_steps", "meant", "scored_rows", "task"]

Array = NDArray[np.float64]
Scale = Literal["correlation", "covariance"]
Gaps = Literal["complete", "pairwise"]
Combine = Literal["or", "and"]


@dataclass(frozen=True)
class Settings:
    """Options of learning by the lasso; see `glasso` and `neighbourhood` for their meaning."""

    scale: Scale = "correlation"
    diagonal: bool = True
    refit: bool | None = None
    nonparanormal: bool = False
    gaps: Gaps = "complete"
    count: int = 30
    least: float | None = None
    gamma: float | None = 0.5
    subsamples: int = 20
    threshold: float = 0.05
    turns: int = 20
    combine: Combine = "or"
    factors: Any = None


def glasso(
    *,
    scale: Scale = "correlation",
    diagonal: bool = True,
    refit: bool | None = None,
    nonparanormal: bool = False,
    gaps: Gaps = "complete",
    factors: Any = None,
    count: int = 30,
    least: float | None = None,
    gamma: float = 0.5,
    subsamples: int = 20,
    threshold: float = 0.05,
    turns: int = 20,
) -> Settings:
    """Options of the graphical lasso.

    Parameters
    ----------
    scale : what the penalty is measured in, "correlation" or "covariance" (of the data's own units).
    diagonal : whether variances are penalised, too.
    refit : whether the network is fitted again on its graph without a penalty; None does where it can be.
    nonparanormal : correlations from ranks, for columns whose shape is not normal.
    gaps : "complete" uses the rows without gaps, "pairwise" for each pair of columns those with both.
    factors : what the penalty of each pair is multiplied with, a matrix with names (a data frame or a
        file) or in the order of the columns: 0 for an edge without penalty, infinite for none at all.
    count, least : of a path: how many penalties, and the smallest as a share of the largest; by default a
        hundredth, and a twentieth where there are more columns than rows, since denser graphs are noise.
    gamma : of the rule "ebic".
    subsamples, threshold : of the rule "stars".
    turns : of the rule "ric".
    """
    return Settings(**locals())


def neighbourhood(
    *,
    combine: Combine = "or",
    nonparanormal: bool = False,
    gaps: Gaps = "complete",
    factors: Any = None,
    count: int = 30,
    least: float | None = None,
    gamma: float = 0.5,
    subsamples: int = 20,
    threshold: float = 0.05,
    turns: int = 20,
) -> Settings:
    """Options of neighbourhood selection, as for `glasso`.

    Parameters
    ----------
    combine : "or" joins two variables if one picks the other, "and" if both do.
    nonparanormal, gaps, factors, count, least, gamma, subsamples, threshold, turns : as for
        `glasso`.
    """
    return Settings(**locals())


def stepwise(
    *, gamma: float | None = None, nonparanormal: bool = False, gaps: Gaps = "complete"
) -> Settings:
    """Options of adding and taking out edges one by one.

    Parameters
    ----------
    gamma : how much the number of possible graphs counts in the extended BIC; None goes by rows and columns.
    nonparanormal, gaps : as for `glasso`.
    """
    return Settings(**locals())


LASSO: dict[str, Callable[..., Settings]] = {
    "auto": glasso,
    "glasso": glasso,
    "neighbourhood": neighbourhood,
    "stepwise": stepwise,
}
"""Word to the options of a way of learning from correlations."""


def meant(recipe: Recipe, source: Table | Moments) -> bool:
    """Whether a recipe for an undirected graph is for correlations alone; it needs a Gaussian model."""
    gaussian = settled_model(recipe.model, source) == "gaussian"
    if gaussian and recipe.search not in (*SEARCHES, *LASSO):
        raise unknown("search", recipe.search, sorted({*SEARCHES, *LASSO}))
    if recipe.search in ("glasso", "neighbourhood", "stepwise") and not gaussian:
        raise WordError(
            f"The search {recipe.search!r} finds the precision matrix of a normal distribution: it "
            "needs model='gaussian'; other models are learned by search='boundary'."
        )
    if recipe.search == "auto":
        return gaussian and recipe.score is None
    return recipe.search in LASSO


def by_steps(recipe: Recipe) -> bool:
    """Whether a recipe that is for correlations alone means edge by edge, and not the lasso.

    "auto" does, unless a penalty, a rule for it or an option speaks of the lasso.
    """
    penalised = recipe.penalty is not None or recipe.tuned
    if recipe.search == "stepwise" and penalised:
        raise WordError(
            "search='stepwise' charges edges by the extended BIC and has no penalty: leave penalty= out and "
            "set gamma=, or take search='glasso', which has a graph at every penalty."
        )
    if recipe.search == "auto":
        return not penalised and not set(recipe.options) - set(options_of(stepwise))
    return recipe.search == "stepwise"


def as_judged(recipe: Recipe, rule: str | None) -> Recipe:
    """The recipe with the numbers that a rule judges: cross-validation looks at the lasso's own."""
    if rule not in ("cv", "cv-1se") or recipe.search == "neighbourhood":
        return recipe
    return recipe.but(options={"refit": False, **recipe.options})


@dataclass(frozen=True, eq=False)
class Task:
    """A learning run by the lasso: the correlations to fit, with options and rules."""

    bench: Bench
    fits: GaussianFits
    settings: Settings
    matrix: Array
    limits: Limits
    factors: Array | None = None

    @property
    def joins(self) -> bool:
        """Whether neighbours are picked one by one, without a joint distribution."""
        return self.bench.recipe.search == "neighbourhood"

    @cached_property
    def pairs(self) -> dict[str, list[tuple[int, int]]]:
        """Edges that are not penalised, and edges that are ruled out, as pairs of numbers."""
        if self.limits.free:
            return {"required": [], "forbidden": []}
        bounds, nodes = edge_bounds(self.limits), range(len(self.limits.nodes))
        allowed = [set(row) for row in bounds.largest.neighbours]
        barred = [(a, b) for a in nodes for b in nodes if a < b and b not in allowed[a]]
        return {"required": sorted(bounds.required), "forbidden": barred}

    @cached_property
    def weights(self) -> Array | None:
        """Factors with what rules say: 0 for required edges, infinite for forbidden ones."""
        if self.factors is None and not any(self.pairs.values()):
            return None
        size = len(self.matrix)
        found = np.ones((size, size)) if self.factors is None else self.factors.copy()
        for pairs, value in ((self.pairs["required"], 0.0), (self.pairs["forbidden"], np.inf)):
            for one, two in pairs:
                found[one, two] = found[two, one] = value
        return found

    @property
    def scaled(self) -> Array:
        """The matrix that penalties are measured on."""
        if self.settings.scale == "correlation":
            return self.matrix
        return self.matrix * self.fits.sd[:, None] * self.fits.sd

    @property
    def solver(self) -> dict[str, Any]:
        """What the solver is told beside the matrix and the penalties."""
        threads = self.bench.recipe.threads
        return {
            **self.pairs,
            "factors": self.factors,
            "penalise_diagonal": self.settings.diagonal,
            "threads": threads,
        }

    @property
    def unit(self) -> str:
        """The unit of penalties."""
        unit = "rho" if self.settings.scale == "correlation" else "rho, covariance units"
        if self.factors is None:
            return unit
        own = self.settings.factors
        alone = isinstance(own, Factors) and own.alone
        return f"{unit}, times the matrix given" if alone else f"{unit}, times factors"

    def penalties(self) -> tuple[float, ...]:
        """A path's penalties, the smallest that leaves no edge first."""
        most, count = largest_penalty(self.scaled, self.weights) or 1.0, self.settings.count
        usual = 0.01 if self.fits.rows > len(self.matrix) else 0.05
        least = usual if self.settings.least is None else self.settings.least
        if count < 1 or not 0 < least <= 1:
            raise WordError(
                "A path needs count=1 penalty or more, and least= above 0 and at most 1, not "
                f"{count} and {least}."
            )
        return tuple((most * np.geomspace(1.0, least, count)).tolist())


def task(recipe: Recipe, source: Table | Moments) -> Task:
    """Turn words into objects, and tie them to data; refuse what the lasso does not know."""
    if recipe.score is not None:
        raise WordError(
            f"The lasso has its own measure, the likelihood less the penalty: score={recipe.score!r} "
            "is for search='boundary'; the penalty is chosen by penalty='ebic', 'stars', 'cv' or 'ric'."
        )
    refuse_directions(recipe)
    data = source
    if recipe.options.get("gaps") == "pairwise":
        data = _pairwise(source)
    word = "stepwise" if by_steps(recipe) else recipe.search
    bench = laid_out(recipe.but(score="bic", search=word), data, LASSO)
    settings, fits = bench.search(**bench.options), bench.fits
    if not isinstance(fits, GaussianFits):
        raise FitError("The lasso needs Gaussian local models.")
    own = _ranked(bench.data, fits) if settings.nonparanormal else fits.matrix
    matrix, noisy = steadied(own, fits.rows)
    said = (_constants(fits), followers(fits, noisy), _ranks(settings))
    notes = tuple(filter(None, (*bench.notes, *said)))
    word = "glasso" if word == "auto" else word
    bench = replace(bench, recipe=recipe.but(search=word), notes=notes)
    limits, factors = edge_limits(recipe.rules, fits.nodes), settings.factors
    if factors is not None:
        factors = factors_of(factors).on(fits.nodes, source.order)
    return Task(bench, fits, settings, matrix, limits, factors)


def _constants(fits: GaussianFits) -> str:
    names = [fits.nodes[i] for i in np.flatnonzero(fits.constant)]
    if not names:
        return ""
    verb = "does not vary and has" if len(names) == 1 else "do not vary and have"
    return f"{sentence_list(names)} {verb} no edges."


def _ranks(settings: Settings) -> str:
    if not settings.nonparanormal:
        return ""
    return (
        "Correlations are those of normal scores of the ranks (nonparanormal); means and standard "
        "deviations are the data's."
    )


def _ranked(data: Table | Moments, fits: GaussianFits) -> Array:
    """Correlations of normal scores; a column that does not vary is unrelated to all others."""
    rows = scored_rows(data, fits)
    weights = data.weights if isinstance(data, Table) else None
    weights = np.ones(len(rows)) if weights is None else weights
    moments = (rows * (weights / weights.sum())[:, None]).T @ rows
    matrix = np.eye(len(fits.nodes))
    varying = np.flatnonzero(~fits.constant)
    matrix[np.ix_(varying, varying)] = moments
    np.fill_diagonal(matrix, 1.0)
    return matrix


def scored_rows(data: Table | Moments, fits: GaussianFits) -> Array:
    """Normal scores of the columns that vary, as a matrix of rows."""
    if isinstance(data, Moments):
        raise FitError("nonparanormal=True needs the rows of a table, but moments were given.")
    chosen = np.flatnonzero(~fits.constant).tolist()
    if not chosen:
        return np.zeros((data.rows, 0))
    return np.column_stack([normal_scores(data.columns[i], data.weights) for i in chosen])


def _pairwise(source: Table | Moments) -> Moments:
    """Moments of a table with gaps, from the rows that each pair of columns has in common."""
    if isinstance(source, Moments):
        raise FitError("gaps='pairwise' needs the rows of a table, but moments were given.")
    table = source.continuous()
    if table.weights is not None:
        raise DataError("Pairwise moments take no weights: repeat the rows instead.")
    names = [variable.name for variable in table.variables if variable.discrete]
    if names:
        raise DataError(f"Pairwise moments need numbers, and column {names[0]!r} holds levels.")
    with columns_named(table.names):
        found = pairwise(np.column_stack([np.asarray(c, dtype=np.float64) for c in table.columns]))
    pairs = found.rows[np.triu_indices(len(found.rows), 1)] if len(found.rows) > 1 else found.rows
    rows = float(np.mean(pairs))
    said = (
        f"Each correlation is from the rows that have both columns, {pairs.min():g} to {pairs.max():g} "
        f"of {table.rows}; {rows:.4g}, their mean, counts as the number of rows."
    )
    notes = tuple(filter(None, (*table.notes, said, found.repair.note)))
    scatter = found.covariance * rows
    return Moments(table.variables, rows, found.mean, scatter, table.order, notes)
