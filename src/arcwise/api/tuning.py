"""Choosing the penalty per edge by cross-validated likelihood (TEXTS, T4).

For each penalty of a grid and each fold a network is learned from the other folds, and the fold's rows
are scored by their log density, or by their log pseudo-likelihood where the graph is undirected. The
penalty with the best mean is taken, or the largest one that is not worse by more than a standard error
(ESL section 7.10); the whole curve is returned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.api.choosing import RULES as LASSO_RULES
from arcwise.api.choosing import choose, tabulated
from arcwise.api.kinds import kind_for
from arcwise.api.parallel import inside, runner
from arcwise.api.recipe import Recipe, rows_for, settled_model
from arcwise.conditionals import FAMILIES
from arcwise.data import Moments, Table, folds
from arcwise.errors import FitError
from arcwise.networks import BayesNet, Net
from arcwise.results import Watch
from arcwise.undirected.selection import usual_penalty

__all__ = ["RULES", "Curve", "Tuned", "tune"]

Array = NDArray[np.float64]
Curve = tuple[Mapping[str, float], ...]

RULES = ("cv", "cv-1se", *LASSO_RULES)
_FOLDS = 10


@dataclass(frozen=True)
class _Fold:
    """The work of one fold: held-out log density of its rows, for each penalty."""

    recipe: Recipe
    table: Table
    parts: Sequence[NDArray[np.intp]]
    grid: Array
    watch: Watch | None = None

    def __call__(self, number: int) -> tuple[list[Array], list[int]] | None:
        """Log densities and numbers of edges by penalty; None where the watcher cut a run short."""
        part = self.parts[number]
        rest = self.table.take(np.setdiff1d(np.arange(self.table.rows), part))
        unseen, kind = self.table.take(part), kind_for(self.recipe, self.table)
        nets = kind.along(self.recipe, rest, self.grid, self.watch)
        if nets is None:
            return None
        return [kind.log_density(net, unseen) for net in nets], [_edges(net) for net in nets]


def _edges(net: Net) -> int:
    return sum(map(len, net.inputs)) // (1 if isinstance(net, BayesNet) else 2)


class Tuned(NamedTuple):
    """A penalty with the rule that chose it, the curve it was read off, and the reason in a sentence."""

    penalty: float
    curve: Curve = ()
    rule: str | None = None
    reason: str = ""


def tune(
    recipe: Recipe, source: Table | Moments, rule: str, n_jobs: int, watch: Watch | None = None
) -> Tuned:
    """Choose a penalty by a rule: cross-validated likelihood, or one of the lasso's own.

    Parameters
    ----------
    recipe : what to learn, but for its penalty.
    source : a table; moments are refused, since rows have to be held out.
    rule : "cv" for the best mean, "cv-1se" for the largest penalty whose loss against the best is
        within one standard error (of the difference, row by row); for the lasso also "ebic", "stars"
        and "ric".
    n_jobs : processes for the folds.
    watch : asked to stop, it leaves out the folds that are not done; where none is, the penalty is
        the model's default, or else BIC's price of a coefficient, and the curve is empty.

    Returns
    -------
    The penalty, and the curve: penalty, mean, error, loss against the best and its error, edges.
    """
    kind = kind_for(recipe, source)
    if rule in LASSO_RULES:
        if kind.rule is None:
            raise FitError(
                f"penalty={rule!r} chooses the penalty of the lasso (graph='undirected', "
                "model='gaussian'); here take a number, 'cv' or 'cv-1se'."
            )
        choice = choose(recipe, source, rule, n_jobs, watch)
        return Tuned(choice.penalty, tabulated(choice), rule, choice.reason)
    if isinstance(source, Moments):
        raise FitError("penalty='cv' needs the rows of a table, but moments were given.")
    model = settled_model(recipe.model, source)
    table = rows_for(recipe, source)
    parts = folds(table.rows, min(_FOLDS, table.rows), np.random.default_rng(recipe.seed))
    if model == "gaussian":
        _check_parts(table, parts, rule)
    usual = FAMILIES[model].default_penalty(len(table.names), table.effective_rows)
    grid = kind.grid(recipe, table, usual)
    work = _Fold(recipe, table, parts, grid, inside(n_jobs, watch))
    folded = list(zip(parts, runner(n_jobs, watch)(work, len(parts)), strict=False))
    found = [(part, fold) for part, fold in folded if fold is not None]
    if not found:
        guess = usual or 0.5 * float(np.log(table.total)) / table.total
        if kind.rule is not None:
            guess = usual_penalty(table.total, len(table.names), grid.tolist())
        said = f"There was no time to choose the penalty by {rule!r}: {guess:.4g} is a guess."
        return Tuned(guess, (), rule, said)
    done = np.concatenate([part for part, _ in found])
    logs = np.hstack([np.array(densities) for _, (densities, _) in found])
    edges = np.mean([counts for _, (_, counts) in found], axis=0)
    weights = np.ones(len(done)) if table.weights is None else table.weights[done]
    curve = _curve(grid, logs, edges, weights)
    joint = recipe.graph == "directed" or model == "gaussian"
    measure = "likelihood" if joint else "pseudo-likelihood"
    best = max(curve, key=lambda row: (row["mean"], row["penalty"]))  # ties go to fewer edges
    if rule == "cv-1se":
        near = [row for row in curve if row["loss"] <= row["loss_error"]]
        best = max(near, key=lambda row: row["penalty"])
    said = _reason(best, rule, measure)
    if len(found) < len(parts):
        said += f" The run was cut short: {len(found)} of {len(parts)} parts were left out in turn."
    if 0 < best["penalty"] == grid.min():
        said += " It is the smallest one tried: a longer path (least=) may do better."
    return Tuned(best["penalty"], curve, rule, said)


def _check_parts(table: Table, parts: Sequence[NDArray[np.intp]], rule: str) -> None:
    """A column that varies in one fold only has no normal density there: no penalty could be compared."""
    x = table.matrix()
    varies = np.ptp(x, axis=0) > 0
    for part in parts:
        stuck = varies & ~(np.ptp(np.delete(x, part, axis=0), axis=0) > 0)
        if stuck.any():
            name = table.names[int(np.argmax(stuck))]
            raise FitError(
                f"penalty={rule!r} leaves out {len(parts)} parts of the rows in turn, and without one "
                f"column {name!r} does not vary: leave that column out, or take another rule or a number."
            )


def _reason(best: Mapping[str, float], rule: str, measure: str) -> str:
    """Why a penalty was chosen."""
    what = "the largest one whose loss against the best is within a standard error"
    count = f"{best['edges']:.3g}"
    said = f"{measure} of rows left out {best['mean']:.4g} nats per row, {count} edge{'s' * (count != '1')}"
    if rule == "cv":
        what = "the one at which rows left out are most likely"
    return f"Penalty {best['penalty']:.4g} is {what} ({said} on average)."


def _curve(grid: Array, logs: Array, edges: Array, weights: Array) -> Curve:
    """Means over rows with their errors; losses are taken row by row against the best penalty."""
    means = np.average(logs, axis=1, weights=weights)
    losses = logs[int(means.argmax())] - logs
    rows = zip(grid, means, logs, losses, edges, strict=True)
    return tuple(
        {
            "penalty": float(penalty),
            "mean": float(mean),
            "error": _error(own, weights),
            "loss": float(np.average(loss, weights=weights)),
            "loss_error": _error(loss, weights),
            "edges": float(count),
        }
        for penalty, mean, own, loss, count in rows
    )


def _error(values: Array, weights: Array) -> float:
    """Standard error of a weighted mean."""
    mean = np.average(values, weights=weights)
    spread = np.average((values - mean) ** 2, weights=weights)
    return float(np.sqrt(spread / max(weights.sum() - 1, 1.0)))
