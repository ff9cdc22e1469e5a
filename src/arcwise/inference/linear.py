"""Linear-Gaussian networks as numbers: coefficients, means and roots of some of their nodes.

Every node is x_k = b_k + sum_j w_kj x_j + s_k e_k with independent standard normal e. Values of known
variables are put in, so the rest are means plus a *root* times e (see ``gaussian``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import GaussianConditional
from arcwise.conditionals.gaussian import FLOOR
from arcwise.errors import FitError
from arcwise.networks import BayesNet, Fixed

__all__ = ["centres", "determined", "local", "own_spread", "roots"]

Array = NDArray[np.float64]

# What rounding leaves of a row that should be zero, relative to the parts that cancelled.
ROUNDING = 1e-14


def local(net: BayesNet, node: int) -> tuple[float, Array, float]:
    """Intercept, coefficients and noise of one node."""
    model = net.conditionals[node]
    if isinstance(model, GaussianConditional):
        return model.intercept, model.coefficients, model.sd
    if isinstance(model, Fixed):
        return float(model.value), np.zeros(0), 0.0
    raise FitError(
        f"Exact Gaussian answers need linear-Gaussian local models, and that of "
        f"{net.names[node]!r} is {net.models[node]}."
    )


def determined(net: BayesNet, node: int) -> bool:
    """Whether a variable follows from its parents in all data; few rows as such prove nothing."""
    model = net.conditionals[node]
    if not isinstance(model, GaussianConditional) or not model.at_floor:
        return False
    return not 0 < model.rows <= len(model.coefficients) + 1


def own_spread(net: BayesNet, node: int, share: float) -> float:
    """What a determined variable may miss: a share of its own standard deviation in the data.

    A residual variance at its floor is FLOOR times the variance of the column, so one of n rows may
    be off by sqrt(n FLOOR) standard deviations. That of a constant column is its stated one.
    """
    model = net.conditionals[node]
    if not isinstance(model, GaussianConditional) or not determined(net, node):
        return np.inf
    own = model.sd / np.sqrt(FLOOR) if model.coefficients.any() else model.sd
    return float(own * max(share, np.sqrt(model.rows * FLOOR)))


def roots(
    net: BayesNet, nodes: Sequence[int], hidden: Collection[int], *, exact: bool = False
) -> Array:
    """Root of some nodes in topological order; arcs from nodes that are not hidden are cut.

    With `exact`, what is determined by its parents in all data has no noise at all.
    """
    place = {node: i for i, node in enumerate(nodes)}
    root, size = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes))
    for i, node in enumerate(nodes):
        _, weights, noise = local(net, node)
        noise = 0.0 if exact and determined(net, node) else noise
        pairs = zip(net.graph.parents[node], weights, strict=True)
        open_ones = [(place[parent], weight) for parent, weight in pairs if parent in hidden]
        root[i, i], parts = noise, noise
        if open_ones:
            above, slopes = [j for j, _ in open_ones], np.array([w for _, w in open_ones])
            root[i, :i] = slopes @ root[above, :i]
            parts += float(np.abs(slopes) @ size[above])
        size[i] = np.linalg.norm(root[i, : i + 1])
        if size[i] <= ROUNDING * parts:
            root[i], size[i] = 0.0, 0.0
    return root


def centres(
    net: BayesNet,
    nodes: Sequence[int],
    hidden: Collection[int],
    value: Callable[[int], Array],
    rows: int,
) -> Array:
    """Means of some nodes (columns) in topological order, for rows of known values around them."""
    place = {node: i for i, node in enumerate(nodes)}
    out = np.empty((rows, len(nodes)), order="F")
    for i, node in enumerate(nodes):
        intercept, weights, _ = local(net, node)
        out[:, i] = intercept
        for parent, weight in zip(net.graph.parents[node], weights, strict=True):
            out[:, i] += weight * (out[:, place[parent]] if parent in hidden else value(parent))
    return out
