"""Rules that choose the penalty of the lasso: EBIC, stability, rotations (see `undirected`).

Cross-validation is not among them: it is the same for every kind of graph (`tuning`).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.api.lasso import Task, scored_rows, task
from arcwise.api.parallel import Runner, inside, runner
from arcwise.api.recipe import Recipe
from arcwise.api.solved import found_at
from arcwise.data import Moments, Table
from arcwise.errors import FitError, WordError, columns_named
from arcwise.graphs import UGraph
from arcwise.results import Interrupted, Trail, Watch
from arcwise.undirected.ebic import Candidate, by_ebic, highest_ebic, longer
from arcwise.undirected.known import known
from arcwise.undirected.selection import (
    Choice,
    by_rotation,
    by_stability,
    lasso_graphs,
    neighbour_graphs,
)

__all__ = ["RULES", "choose", "tabulated"]

Array = NDArray[np.float64]

RULES = ("ebic", "stars", "ric")


def choose(
    recipe: Recipe, source: Table | Moments, rule: str, n_jobs: int, watch: Watch | None
) -> Choice:
    """Choose a penalty by one of the rules.

    Raises
    ------
    FitError : a rule that needs rows, and there are only moments.
    WordError : a rule that does not go with the options.
    """
    here = task(recipe, source)
    with columns_named(here.fits.nodes):
        if rule == "ebic":
            return _by_ebic(here, watch)
        rng = np.random.default_rng(recipe.seed)
        if rule == "ric":
            return _by_rotation(here, rng, watch)
        return _by_stability(here, rng, runner(n_jobs, watch), inside(n_jobs, watch))


def _by_rotation(here: Task, rng: np.random.Generator, watch: Watch | None) -> Choice:
    rows, weights = _rows(here, "ric")
    if weights is not None and not (weights == weights[0]).all():
        raise FitError(
            "penalty='ric' shifts columns against each other, which leaves no row with a weight of its "
            "own: repeat the rows, or take 'ebic', 'stars' or 'cv'."
        )
    turns = here.settings.turns
    return by_rotation(rows, rng, turns=turns, factors=here.weights, on_step=watch)


def _by_stability(here: Task, rng: np.random.Generator, run: Runner, watch: Watch | None) -> Choice:
    rows, weights = _rows(here, "stars")
    # Subsamples are shared out instead of blocks.
    options: dict[str, Any] = {**here.solver, "threads": 1, "on_step": watch}
    if here.joins:
        del options["threads"], options["penalise_diagonal"]
        options["rule"] = here.settings.combine
    return by_stability(
        rows,
        rng,
        here.penalties(),
        weights=weights,
        graphs=neighbour_graphs if here.joins else lasso_graphs,
        subsamples=here.settings.subsamples,
        threshold=here.settings.threshold,
        run=run,
        **options,
    )


def _by_ebic(here: Task, watch: Watch | None) -> Choice:
    gamma, rows, penalties = here.settings.gamma or 0.0, here.fits.rows, here.penalties()
    if not here.joins:
        return by_ebic(here.scaled, rows, penalties, gamma=gamma, **here.solver, on_step=watch)
    trail = Trail(watch)
    path = (
        Candidate(
            found.penalty,
            found.graph.n_edges,
            found.graph,
            partial(_fitted, here, found.graph, trail),
        )
        for found in found_at(here, longer(penalties), trail)
    )
    return highest_ebic(here.matrix, rows, path, gamma=gamma, meant=len(penalties), trail=trail)


def _fitted(here: Task, graph: UGraph, trail: Trail) -> Array | None:
    """The precision matrix of largest likelihood on a graph; None without one, or without the time."""
    try:
        return known(here.matrix, graph, check=trail.check).precision
    except (FitError, Interrupted):
        return None


def _rows(here: Task, rule: str) -> tuple[Array, Array | None]:
    """Rows with their weights; columns that do not vary are zero."""
    data = here.bench.data
    if here.settings.gaps == "pairwise":
        raise WordError(
            f"penalty={rule!r} needs complete rows, which gaps='pairwise' does without: take 'ebic', "
            "'cv' or a number, or gaps='complete'."
        )
    if isinstance(data, Moments):
        raise FitError(
            f"penalty={rule!r} needs the rows of a table, but moments were given: take 'ebic', or a "
            "number."
        )
    if here.settings.scale == "covariance":
        raise WordError(
            f"penalty={rule!r} compares standardised columns: leave scale='covariance' out, or take "
            "'ebic', 'cv' or a number."
        )
    rows = np.zeros((data.rows, len(here.fits.nodes)))
    varying = ~here.fits.constant
    ranked = here.settings.nonparanormal
    rows[:, varying] = scored_rows(data, here.fits) if ranked else data.matrix()[:, varying]
    return rows, data.weights


def tabulated(choice: Choice) -> tuple[Mapping[str, float], ...]:
    """The curve as rows: the rule's figure, what is allowed of it, and edges, at each penalty."""
    if not choice.edges:  # rotations: each turn has its own penalty
        return tuple({"penalty": penalty} for penalty in choice.penalties)
    rows = []
    name = "instability" if choice.rule == "stars" else choice.rule
    allowed = {} if choice.allowed is None else {"allowed": choice.allowed}
    for penalty, figure, edges in zip(choice.penalties, choice.curve, choice.edges, strict=True):
        row = {"penalty": float(penalty), "edges": float(edges), **allowed}
        rows.append({**row, name: float(figure)} if np.isfinite(figure) else row)
    return tuple(rows)
