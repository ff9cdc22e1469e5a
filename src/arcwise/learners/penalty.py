"""Rules that choose the penalty per edge. `RULES` is the registry: name to rule, for all learners.

"cv" is the penalty of largest cross-validated likelihood: for each penalty of a grid and each fold a network
is learned from the other folds, and the fold's rows are scored by their log density, or by their log
pseudo-likelihood if there is no joint. "cv-1se" is the largest penalty that is not worse by more than a
standard error (Hastie, Tibshirani and Friedman 2009, section 7.10). The lasso has further rules: extended
BIC, stability, rotations (see `undirected`). Each returns the whole curve and the reason as a sentence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Complete, Table, folds
from arcwise.errors import FitError, OptionError, columns_named
from arcwise.evaluate import HeldOutScores, mean_error, score_rows
from arcwise.graphs import UGraph
from arcwise.learners.lasso import Lasso
from arcwise.learners.parallel import runner, watch_inside
from arcwise.learners.problem import Problem, TunedPenalty
from arcwise.learners.specification import Specification
from arcwise.notes import mention
from arcwise.results import SearchEnd, Trail, Watch
from arcwise.undirected.ebic import Candidate, by_ebic, highest_ebic, longer
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.selection import (
    PenaltyChoice,
    by_rotation,
    by_stability,
    lasso_graphs,
    neighbour_graphs,
)

Array = NDArray[np.float64]

_FOLDS = 10


class Rule(NamedTuple):
    """A rule that chooses a penalty, and the kind of problem that it applies to.

    `find` is called with the problem, the rule's name, the number of processes, and the callback; if stopped,
    it uses the finished part.
    """

    find: Callable[[Any, str, int, Watch | None], TunedPenalty]
    takes: type[Problem] = Problem


def choose(
    problem: Problem, rule: str, n_jobs: int = 1, watch: Watch | None = None
) -> TunedPenalty:
    """Choose the penalty of a problem by a rule.

    Raises
    ------
    FitError : a rule for other problems, or one that needs rows if there are only moments.
    OptionError : a rule that is incompatible with the options.
    """
    if not isinstance(problem, RULES[rule].takes):
        raise FitError(
            "{penalty=} is for the lasso ({graph=}, {model=}): use a number, 'cv' or 'cv-1se'.",
            fixes=[
                mention("penalty", rule),
                mention("graph", "undirected"),
                mention("model", "gaussian"),
            ],
        )
    with columns_named(problem.fits.nodes):
        return RULES[rule].find(problem, rule, n_jobs, watch)


# -- cross-validation ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Fold:
    """The work of one fold: held-out log density of its rows, for each penalty."""

    learner: type[Problem]
    spec: Specification
    table: Table
    parts: Sequence[NDArray[np.intp]]
    grid: Array
    watch: Watch | None

    def __call__(self, number: int) -> list[HeldOutScores] | None:
        """Return the held-out log densities of each network; None if the callback stopped a run early."""
        part = self.parts[number]
        rest = self.table.take(np.setdiff1d(np.arange(self.table.rows), part))
        nets = self.learner.bind(self.spec, Complete(rest)).along(self.grid, self.watch)
        unseen = self.table.take(part)
        return None if nets is None else [score_rows(net, unseen) for net in nets]


def _by_cross_validation(
    problem: Problem, rule: str, n_jobs: int, watch: Watch | None
) -> TunedPenalty:
    """Return the penalty by cross-validation.

    The curve has penalty, mean, error, difference to the best and its error, edges. If no fold was finished
    in time, the penalty is the family's default, or else BIC's for a coefficient, and the curve is empty.
    """
    table, spec = (
        problem.source.cases("{penalty=} needs", fixes=[mention("penalty", rule)]),
        problem.spec,
    )
    table, parts = folds(table, min(_FOLDS, table.units), spec.generator())
    grid = problem.grid()
    if problem.model == "gaussian":
        _check_parts(table, parts, rule)
    work = _Fold(type(problem), spec, table, parts, grid, watch_inside(n_jobs, watch))
    folded = list(zip(parts, runner(n_jobs, watch)(work, len(parts)), strict=False))
    finished = [(part, fold) for part, fold in folded if fold is not None]
    if not finished:
        guess = problem.usual_penalty or 0.5 * float(np.log(table.total)) / table.total
        text = f"There was no time to choose the penalty by {rule!r}: {guess:.4g} is a guess."
        return TunedPenalty(guess, (), rule, text)
    done = np.concatenate([part for part, _ in finished])
    logs = np.hstack([np.array([score.logs for score in fold]) for _, fold in finished])
    edges = np.mean([[score.edges for score in fold] for _, fold in finished], axis=0)
    weights = np.ones(len(done)) if table.weights is None else table.weights[done]
    curve = _curve(grid, logs, edges, weights)
    best = max(curve, key=lambda row: (row["mean"], row["penalty"]))  # ties go to fewer edges
    if rule == "cv-1se":
        near = [row for row in curve if row["loss"] <= row["loss_error"]]
        best = max(near, key=lambda row: row["penalty"])
    text = _reason(best, rule, finished[0][1][0].measure)
    if len(finished) < len(parts):
        text += f" The run was stopped early: {len(finished)} of {len(parts)} folds were held out in turn."
    if 0 < best["penalty"] == grid.min():
        text += " It is the smallest one tried: a longer path (min_ratio=) may do better."
    return TunedPenalty(best["penalty"], curve, rule, text)


def _check_parts(table: Table, parts: Sequence[NDArray[np.intp]], rule: str) -> None:
    """Raise an error for a column that varies in one fold only: it has no normal density outside."""
    x = table.matrix()
    varies = _spread(x) > 0
    for part in parts:
        stuck = varies & ~(_spread(np.delete(x, part, axis=0)) > 0)
        if stuck.any():
            name = table.names[int(np.argmax(stuck))]
            raise FitError(
                f"{{penalty=}} holds out {len(parts)} folds in turn, and without one of them "
                f"column {name!r} is constant: drop that column, or use another rule or a number.",
                fixes=[mention("penalty", rule)],
            )


def _spread(x: Array) -> Array:
    """Return the range of the observed values of each column; negative if there is none."""
    gaps = np.isnan(x)
    spread: Array = np.where(gaps, -np.inf, x).max(axis=0) - np.where(gaps, np.inf, x).min(axis=0)
    return spread


def _reason(best: Mapping[str, float], rule: str, measure: str) -> str:
    """Return the reason for a penalty."""
    what = "the largest one whose loss against the best is within a standard error"
    count, measure = f"{best['edges']:.3g}", "likelihood" if "density" in measure else measure[4:]
    text = f"{measure} of held-out rows {best['mean']:.4g} nats per row, {count} edge{'s' * (count != '1')}"
    if rule == "cv":
        what = "the one with the highest likelihood of held-out rows"
    return f"Penalty {best['penalty']:.4g} is {what} ({text} on average)."


def _curve(
    grid: Array, logs: Array, edges: Array, weights: Array
) -> tuple[Mapping[str, float], ...]:
    """Return means over rows with their errors, and differences to the best penalty, row by row."""
    means = np.average(logs, axis=1, weights=weights)
    losses = logs[int(means.argmax())] - logs
    rows = zip(grid, means, logs, losses, edges, strict=True)
    return tuple(
        {
            "penalty": float(penalty),
            "mean": float(mean),
            "error": mean_error(values, weights),
            "loss": float(np.average(loss, weights=weights)),
            "loss_error": mean_error(loss, weights),
            "edges": float(count),
        }
        for penalty, mean, values, loss, count in rows
    )


# -- rules of the lasso --------------------------------------------------------------------------


def _by_ebic(problem: Lasso, rule: str, n_jobs: int, watch: Watch | None) -> TunedPenalty:
    """Return the penalty whose graph has the largest extended BIC (Foygel and Drton 2010)."""
    gamma_option, rows, penalties = (
        problem.settings.gamma,
        problem.fits.rows,
        problem.grid().tolist(),
    )
    gamma = 0.5 if gamma_option is None else gamma_option
    if not problem.picks:
        options = {**problem.solver, "on_step": watch}
        return _as_tuned(by_ebic(problem.scaled, rows, penalties, gamma=gamma, **options))
    trail = Trail(watch)
    path = (
        Candidate(
            choice.penalty,
            choice.graph.n_edges,
            choice.graph,
            partial(_precision, problem, choice.graph, trail),
        )
        for choice in problem.solve(longer(penalties), trail)
    )
    meant = len(penalties)
    return _as_tuned(
        highest_ebic(problem.matrix, rows, path, gamma=gamma, n_planned=meant, trail=trail)
    )


def _precision(problem: Lasso, graph: UGraph, trail: Trail) -> Array | None:
    """Return the precision matrix of largest likelihood on a graph; None if it does not exist or time
    is up.
    """
    try:
        return fixed_graph(problem.matrix, graph, check=trail.check).precision
    except (FitError, SearchEnd):
        return None


def _by_stability(problem: Lasso, rule: str, n_jobs: int, watch: Watch | None) -> TunedPenalty:
    """Return the smallest penalty at which graphs of subsamples still agree (StARS)."""
    rows, weights = _rows(problem, rule)
    options: dict[str, Any] = {**problem.solver, "on_step": watch_inside(n_jobs, watch)}
    if not problem.picks:
        options["threads"] = 1  # subsamples are shared out instead of blocks
    choice = by_stability(
        rows,
        problem.spec.generator(),
        problem.grid().tolist(),
        weights=weights,
        graphs=neighbour_graphs if problem.picks else lasso_graphs,
        subsamples=problem.settings.subsamples,
        threshold=problem.settings.threshold,
        run=runner(n_jobs, watch),
        **options,
    )
    return _as_tuned(choice)


def _by_rotation(problem: Lasso, rule: str, n_jobs: int, watch: Watch | None) -> TunedPenalty:
    """Return the smallest penalty that gives no edge after columns are rotated against each other (RIC)."""
    rows, weights = _rows(problem, rule)
    if weights is not None and not (weights == weights[0]).all():
        raise FitError(
            "{penalty=} shifts columns against each other, so rows must have no weights: "
            "repeat the rows, or use 'ebic', 'stars' or 'cv'.",
            fixes=[mention("penalty", "ric")],
        )
    rotations, rng = problem.settings.rotations, problem.spec.generator()
    return _as_tuned(
        by_rotation(rows, rng, rotations=rotations, factors=problem.weights, on_step=watch)
    )


def _rows(problem: Lasso, rule: str) -> tuple[Array, Array | None]:
    """Return rows with weights, a row per unit if weights are counts; constant columns are zero."""
    data = problem.data.rows(
        "{penalty=} needs", "use 'ebic', or a number", [mention("penalty", rule)]
    )
    if problem.settings.scale == "covariance":
        raise OptionError(
            "{penalty=} needs standardised columns: leave scale='covariance' out, or use "
            "'ebic', 'cv' or a number.",
            fixes=[mention("penalty", rule)],
        )
    rows, weights = problem.rows(), data.weights
    if weights is None or data.copies == "together" or (weights != np.round(weights)).any():
        return rows, weights
    return np.repeat(rows, data.counted_copies(), axis=0), None


def _as_tuned(choice: PenaltyChoice) -> TunedPenalty:
    """Return the choice with its curve as rows: figure of the rule, its bound and edges, by penalty."""
    if not choice.edges:  # rotations: each turn has its own penalty
        curve = tuple({"penalty": penalty} for penalty in choice.penalties)
        return TunedPenalty(choice.penalty, curve, choice.rule, choice.reason)
    rows = []
    name = "instability" if choice.rule == "stars" else choice.rule
    allowed = {} if choice.allowed is None else {"allowed": choice.allowed}
    for penalty, figure, edges in zip(choice.penalties, choice.curve, choice.edges, strict=True):
        row = {"penalty": float(penalty), "edges": float(edges), **allowed}
        rows.append({**row, name: float(figure)} if np.isfinite(figure) else row)
    return TunedPenalty(choice.penalty, tuple(rows), choice.rule, choice.reason)


RULES: dict[str, Rule] = {
    "cv": Rule(_by_cross_validation),
    "cv-1se": Rule(_by_cross_validation),
    "ebic": Rule(_by_ebic, Lasso),
    "stars": Rule(_by_stability, Lasso),
    "ric": Rule(_by_rotation, Lasso),
}
