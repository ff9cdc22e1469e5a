"""Likelihood weighting: ancestral draws of what is hidden, weighted by what is known.

Hidden variables are drawn after their parents; every known variable multiplies the weight of the
draw by its density given its parents (Fung and Chang 1990; Shachter and Peot 1990). The mean weight
is the density of what is known. For one hidden variable with known parents this is the importance
sampling of the product rule, with p(x_i | P_i) as the proposal.

Weights tell how much the draws are worth: (sum w)^2 / sum w^2 is their *effective sample size*.
Below `FEWEST` a few draws rule the answer, and there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.data.variable import code_type
from arcwise.errors import FitError
from arcwise.inference.laws import log_sum
from arcwise.inference.relevance import upward
from arcwise.networks import BayesNet, align, log_density

__all__ = ["DRAWS", "FEWEST", "Weighted", "effective", "weighted_density", "weighted_draws"]

Array = NDArray[np.float64]

DRAWS = 4000
"""Draws for a row."""

FEWEST = 10.0
"""Effective sample size below which there is no answer."""

_SLOTS = 200_000
"""Rows x draws held at once."""


class Weighted(NamedTuple):
    """Draws of hidden variables by node, draws of a row side by side, with their log weights."""

    columns: dict[int, NDArray[Any]]
    logs: Array

    @property
    def weights(self) -> Array:
        """Weights that sum to one over the draws of each row (rows by draws)."""
        weights = np.exp(self.logs - log_sum(self.logs)[:, None])
        return weights


def effective(logs: Array) -> Array:
    """Effective sample size of each row of log weights.

    >>> effective(np.zeros((1, 50))).tolist()
    [50.0]
    """
    weights = np.exp(logs - np.maximum(logs.max(axis=1, keepdims=True), -1e300))
    squares = (weights**2).sum(axis=1)
    size: Array = weights.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1.0)
    return size


def weighted_draws(
    net: BayesNet,
    known: dict[int, NDArray[Any]],
    hidden: set[int],
    rng: np.random.Generator,
    draws: int,
) -> Weighted:
    """Draw hidden variables of rows that know the same variables.

    Parameters
    ----------
    net : the network, cut where variables are set from outside.
    known : values of the known variables by node, one a row.
    hidden : what to draw; closed upwards: every hidden parent of what is drawn or known is in it.
    rng : where chance comes from.
    draws : how many for each row.

    Returns
    -------
    Draws, and log weights (rows by draws).
    """
    rows = len(next(iter(known.values()))) if known else 1
    columns = {node: np.repeat(column, draws) for node, column in known.items()}
    logs = np.zeros(rows * draws)
    for node in net.graph.order():
        parents, model = net.graph.parents[node], net.conditionals[node]
        if node in hidden:
            xs = tuple(columns[parent] for parent in parents)
            levels = net.variables[node].levels
            kind = np.float64 if levels is None else code_type(len(levels))
            columns[node] = model.sample(xs, rng, rows * draws).astype(kind)
        elif node in known and hidden.intersection(parents):
            logs += model.logpdf(columns[node], tuple(columns[parent] for parent in parents))
        elif node in known and all(parent in known for parent in parents):
            # The same for all draws of a row; with a parent that is neither known nor hidden, what is
            # known belongs to another piece of the network and tells nothing of the hidden.
            xs = tuple(known[parent] for parent in parents)
            logs += np.repeat(model.logpdf(known[node], xs), draws)
    return Weighted({node: columns[node] for node in hidden}, logs.reshape(rows, draws))


def weighted_density(
    net: BayesNet, table: Table, rng: np.random.Generator, draws: int = DRAWS
) -> Array:
    """Log density of what is known of each row, by likelihood weighting where a row has gaps.

    Parameters
    ----------
    net : a directed network; local models of any kind.
    table : the rows; any cells may be missing, columns too.
    rng : where chance comes from.
    draws : for each row with gaps.

    Returns
    -------
    One number per row, in nats; exact for rows of which nothing hidden stands above what is known.

    Raises
    ------
    FitError : too few draws agree with a row: its number, and the effective sample size.
    """
    from arcwise.inference.rows import patterns

    rows = align(net, table)
    gaps = rows.missing()
    if not gaps.any():
        return log_density(net, rows.columns)
    total = np.zeros(rows.rows)
    for places, known in patterns(gaps):
        hidden = upward(net.graph, known, known)
        step = max(1, _SLOTS // draws) if hidden else len(places)
        for low in range(0, len(places), step):
            part = places[low : low + step]
            values = {node: rows.columns[node][part] for node in known}
            if values:
                total[part] = _densities(net, values, hidden, rng, draws, part)
    return total


def _densities(
    net: BayesNet,
    values: dict[int, NDArray[Any]],
    hidden: set[int],
    rng: np.random.Generator,
    draws: int,
    numbers: NDArray[np.intp],
) -> Array:
    found = weighted_draws(net, values, hidden, rng, draws if hidden else 1)
    sizes = effective(found.logs)
    weak = np.flatnonzero(sizes < FEWEST)
    if hidden and len(weak):
        raise FitError(
            f"The density of row {numbers[weak[0]] + 1} could not be found by simulation: the "
            f"{draws} draws of its gaps are worth {sizes[weak[0]]:.1f} independent ones, and "
            f"{FEWEST:g} are needed. Fill its gaps with impute, or leave the row out."
        )
    means: Array = log_sum(found.logs) - np.log(found.logs.shape[1])
    return means
