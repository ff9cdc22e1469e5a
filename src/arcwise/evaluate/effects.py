"""The signs of edges: whether the expected value of a variable rises or falls with a parent.

The effect is that of the model of the child, with its other parents held fixed. A linear model has it as
the sign of a coefficient. Any other model is evaluated at draws of its inputs: the parent is changed by half
of its standard deviation, or to the next level, and the sign is that of the changes if most of them agree.
A curve that rises and falls, a reversal by another parent, and levels without an order have no sign.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, linear_of
from arcwise.data import Variable
from arcwise.networks import Net, normal_of
from arcwise.networks.draws import expected_value, typical_rows

Array = NDArray[np.float64]
Columns = list[NDArray[Any]]
Draws = Callable[[], tuple[NDArray[Any], ...]]
Signs = NDArray[np.int8]

DRAWS = 200
"""Configurations of the inputs at which a model that is not linear is evaluated."""

AGREEMENT = 0.5
"""The share of all change, up minus down, from which on an effect has a sign: three quarters go one way."""

_SHIFT = 0.25  # standard deviations of the parent below and above each draw


def effect_signs(
    net: Net, first: NDArray[np.intp], second: NDArray[np.intp], partial: Array
) -> Signs:
    """Return the sign of the effect of each pair of variables: 1, -1, or 0 if there is none.

    Parameters
    ----------
    net : the network; in an undirected one both ends of an edge must agree.
    first, second : column numbers of the pairs.
    partial : their partial correlations, which have the signs of undirected Gaussian networks.
    """
    if not net.directed and normal_of(net.joint) is not None:
        return np.sign(np.nan_to_num(partial)).astype(np.int8)
    draws = cache(lambda: typical_rows(net, DRAWS))
    signs_of = {
        (parent, child): _sign(net, child, parent, draws)
        for child, row in enumerate(net.inputs)
        for parent in row
    }
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    if net.directed:
        signs = [signs_of.get((a, b), signs_of.get((b, a), 0)) for a, b in pairs]
    else:
        both = [(signs_of.get((a, b), 0), signs_of.get((b, a), 0)) for a, b in pairs]
        signs = [one * (one == two) for one, two in both]
    return np.array(signs, dtype=np.int8)


def _sign(net: Net, child: int, parent: int, draws: Draws) -> int:
    """Return the sign of a parent's effect in the model of its child."""
    model, position = net.conditionals[child], net.inputs[child].index(parent)
    line = linear_of(model)
    if line is not None:
        return int(np.sign(line.coefficients[position]))
    if not (net.variables[child].has_order and net.variables[parent].has_order):
        return 0
    columns = draws()
    if not columns:
        return 0
    inputs = [columns[node] for node in net.inputs[child]]
    change = _changes(model, net.variables[child], net.variables[parent], inputs, position)
    total = float(np.abs(change).sum())
    agreement = float(change.sum()) / total if total > 0 else 0.0
    return int(np.sign(agreement)) if abs(agreement) >= AGREEMENT else 0


def _changes(
    model: Conditional, child: Variable, parent: Variable, inputs: Columns, position: int
) -> Array:
    """Return how the expected value of the child changes as a parent moves up from each draw."""
    old = inputs[position]
    if parent.discrete:
        steps = [np.full(len(old), code, old.dtype) for code in range(len(parent.levels or ()))]
    else:
        reach = _SHIFT * float(old.std())
        steps = [old - reach, old + reach]
    means = []
    for step in steps:
        moved = [step if i == position else column for i, column in enumerate(inputs)]
        means.append(expected_value(model, child, moved, len(old)))
    return np.nan_to_num(np.diff(np.array(means), axis=0).ravel())
