"""Choosing the penalty per arc by cross-validated likelihood (TEXTS, T4).

For each penalty of a grid and each fold a network is learned from the other folds, and the fold's rows
are scored by their log density. The penalty with the best mean is taken; the whole curve is returned.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.api.recipe import Recipe, prepared
from arcwise.data import Moments, Table
from arcwise.data.prepare import folds
from arcwise.errors import FitError
from arcwise.inference import marginal_log_density
from arcwise.results import Watch

__all__ = ["penalty_grid", "tune"]

_FOLDS = 10


def penalty_grid(rows: float) -> NDArray[np.float64]:
    """Penalties worth trying, nats per arc and row: from nothing to 30 nats in total.

    Where an arc gains g nats in total it is worth its own estimation error from about g = 1/2 (AIC
    charges 1, BIC half of log n), so the grid lies around these in total and is divided by the rows.
    """
    return np.concatenate([[0.0], np.geomspace(0.25, 30.0, 12)]) / rows


@dataclass(frozen=True)
class _Fold:
    """The work of one fold: held-out log density of its rows, for each penalty."""

    recipe: Recipe
    table: Table
    parts: Sequence[NDArray[np.intp]]
    grid: NDArray[np.float64]
    watch: Watch | None = None

    def __call__(self, number: int) -> tuple[list[NDArray[np.float64]], list[int]]:
        part = self.parts[number]
        rest = self.table.take(np.setdiff1d(np.arange(self.table.rows), part))
        unseen = self.table.take(part)
        nets = [self.recipe.but(penalty=float(p)).run(rest, self.watch).net for p in self.grid]
        return [marginal_log_density(net, unseen) for net in nets], [n.graph.n_arcs for n in nets]


def tune(
    recipe: Recipe,
    source: Table | Moments,
    run: Callable[[Callable[[int], Any], int], Sequence[Any]],
    watch: Watch | None = None,
) -> tuple[float, tuple[Mapping[str, float], ...]]:
    """Return the best penalty and the curve: penalty, mean, error, edges.

    Raises
    ------
    FitError : only moments were given; held-out rows are needed.
    """
    if isinstance(source, Moments):
        raise FitError("penalty='cv' needs the rows of a table, but moments were given.")
    _, table, _ = prepared(source, recipe.model)
    assert isinstance(table, Table)  # prepared gives back what it was given
    parts = folds(table.rows, _FOLDS, np.random.default_rng(recipe.seed))
    grid = penalty_grid(table.total)
    found = run(_Fold(recipe, table, parts, grid), len(parts))
    weights = np.ones(table.rows) if table.weights is None else table.weights
    curve = []
    for i, penalty in enumerate(grid):
        logs = np.empty(table.rows)
        for part, (densities, _) in zip(parts, found, strict=True):
            logs[part] = densities[i]
        mean = float(np.average(logs, weights=weights))
        spread = float(np.average((logs - mean) ** 2, weights=weights))
        error = float(np.sqrt(spread / max(table.total - 1, 1.0)))
        edges = float(np.mean([counts[i] for _, counts in found]))
        curve.append({"penalty": float(penalty), "mean": mean, "error": error, "edges": edges})
    best = max(curve, key=lambda row: row["mean"])
    return best["penalty"], tuple(curve)
