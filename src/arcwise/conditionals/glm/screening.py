"""A quick look at a linear graph: whether any further form may gain, at its families or at other pairs.

All families of the graph are fitted in their best form. For pairs without an arc, residuals of straight lines
and their squares are compared with functions of the other variable, all children at once.
"""

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.further_terms import described_rows
from arcwise.conditionals.glm.numeric_forms import fit_number
from arcwise.graphs import DAG

__all__ = ["may_gain"]

_BLOCKS = ((1, 2), (1, 4), (1, 6), (3, 4), (3, 6))  # functions of a number that are tried together
_REDUNDANT = 1e-8


def may_gain(design: Design, graph: DAG, margin: float, least: float) -> bool:
    """Whether further forms may gain on straight lines.

    Parameters
    ----------
    design : of a table of numbers.
    graph : in which each variable is linear in its parents.
    margin : nats that a further form has to gain.
    least : nats that the families of the graph have to gain in all, and a pair with its arc.
    """
    log_rows, gain = float(np.log(max(design.total, 2.0))), 0.0
    residuals = np.empty((len(graph.nodes), design.size))
    for child, parents in enumerate(graph.parents):
        plain = fit_number(design, child, parents, np.inf)
        gain += fit_number(design, child, parents, margin).value(log_rows) - plain.value(log_rows)
        if gain > least:
            return True
        fitted = plain.coefficients[0, :, 0] @ described_rows(design, plain.columns)
        residuals[child] = design.columns[design.number(child)] - fitted
    arc = float(np.log(len(graph.nodes))) + 0.5 * log_rows + margin + least
    return _pair_gain(design, graph, residuals, log_rows) > arc


def _pair_gain(design: Design, graph: DAG, residuals: Array, log_rows: float) -> float:
    """The largest gain of functions of a variable that is not a parent, beyond its slope, in nats."""
    weights, best = design.weights, 0.0
    for j, block in enumerate(design.blocks):
        children = [c for c, row in enumerate(graph.parents) if c != j and j not in row]
        if not children:
            continue
        straight = design.columns[[0, block[0]]]
        rests = _without(straight, residuals[children], weights)
        variances = np.maximum(rests**2 @ weights / design.total, design.least_variance)
        ratios = rests**2 / variances[:, None] - 1.0
        sizes = np.maximum(ratios**2 @ weights / design.total, 2.0)
        for low, high in _BLOCKS:
            spreads = low == 3
            columns = design.columns[list(block[low:high])]
            columns = _without(straight[: 1 if spreads else 2], columns, weights)
            gram = (columns * weights) @ columns.T
            if np.linalg.matrix_rank(gram, _REDUNDANT * design.total) < len(gram):
                continue
            values, scales = (ratios, sizes) if spreads else (rests, variances)
            cross = (columns * weights) @ values.T
            rises = 0.5 * (cross * np.linalg.solve(gram, cross)).sum(axis=0) / scales
            best = max(best, float(rises.max()) - 0.5 * log_rows * len(gram))
    return best


def _without(straight: Array, rows: Array, weights: Array) -> Array:
    """Rows without what the straight ones explain; these are 1 and a standardised number."""
    found: Array = rows - (rows * weights) @ straight.T @ straight / weights.sum()
    return found
