"""Pairs of variables, and what a network says of them by itself: edges, directions, correlations.

Strengths need a score, and are filled in afterwards.
"""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import GaussianConditional
from arcwise.evaluate.edges import Array, EdgeTable, Integers
from arcwise.graphs import Limits, cpdag
from arcwise.networks import BayesNet, MarkovNet, Net

ALL_PAIRS = 1000
"""Up to so many variables the table has every pair; beyond, only the edges that are present."""


def pairs_of(net: Net) -> tuple[Integers, Integers]:
    """The pairs of a network's table, as two arrays of column numbers, the smaller first."""
    p = len(net.names)
    if p <= ALL_PAIRS:
        return np.triu_indices(p, 1)
    ends = {(min(x, node), max(x, node)) for node, row in enumerate(net.inputs) for x in row}
    columns = np.array(sorted(ends), dtype=np.intp).reshape(-1, 2).T
    return columns[0], columns[1]


def bare_table(
    net: Net, first: Integers, second: Integers, limits: Limits | None = None
) -> EdgeTable:
    """The table of pairs with all that needs no score; strengths are not known yet.

    `limits` are the rules in force: what they direct is not reversible.
    """
    if isinstance(net, MarkovNet):
        return _undirected(net, first, second)
    return _directed(net, first, second, limits)


def _undirected(net: MarkovNet, first: Integers, second: Integers) -> EdgeTable:
    nothing, none = np.full(len(first), np.nan), np.zeros(len(first), dtype=bool)
    joined = _hits(net.graph.neighbours, first, second)
    nowhere = np.full(len(first), -1, dtype=np.intp)
    partial = nothing if net.joint is None else net.joint.partial(first, second)
    table = EdgeTable(
        net.names, first, second, joined, nowhere, none, partial, nothing, directed=False
    )
    return table if net.joint else table.with_columns(first_side=nothing, second_side=nothing)


def _directed(net: BayesNet, first: Integers, second: Integers, limits: Limits | None) -> EdgeTable:
    forward = _hits(net.graph.parents, second, first)
    joined = forward | _hits(net.graph.parents, first, second)
    tail = np.where(forward, first, np.where(joined, second, -1))
    reversible = _hits(cpdag(net.graph, limits).neighbours, first, second)
    partial, nothing = _partial(net, first, second), np.full(len(first), np.nan)
    return EdgeTable(net.names, first, second, joined, tail, reversible, partial, nothing)


def _hits(rows: tuple[tuple[int, ...], ...], one: Integers, two: Integers) -> NDArray[np.bool_]:
    """Which pairs (one, two) have `two` in the row of `one`."""
    sets = [frozenset(row) for row in rows]
    pairs = zip(one.tolist(), two.tolist(), strict=True)
    return np.fromiter((b in sets[a] for a, b in pairs), dtype=bool, count=len(one))


def _partial(net: BayesNet, first: Integers, second: Integers) -> Array:
    """Partial correlations of pairs given all others, from K = (I - W)' V^-1 (I - W).

    K_ab = [a = b] / v_a - (w_ba / v_b + w_ab / v_a) + sum over common children c of w_ca w_cb / v_c
    has entries only between neighbours in the moral graph, so it is gathered child by child. Only
    where all local models are linear with normal noise is there such a joint.
    """
    models = [m for m in net.conditionals if isinstance(m, GaussianConditional)]
    if len(models) < len(net.names):
        return np.full(len(first), np.nan)
    entries: dict[tuple[int, int], float] = defaultdict(float)
    diagonal = np.array([1.0 / model.variance for model in models])
    for child, (parents, model) in enumerate(zip(net.graph.parents, models, strict=True)):
        scaled = model.coefficients / model.variance
        for i, (a, weight) in enumerate(zip(parents, scaled.tolist(), strict=True)):
            entries[min(a, child), max(a, child)] -= weight
            diagonal[a] += weight * model.coefficients[i]
            for b, other in zip(parents[i + 1 :], model.coefficients[i + 1 :], strict=True):
                entries[a, b] += weight * float(other)
    ends = zip(first.tolist(), second.tolist(), strict=True)
    values = np.array([entries.get(pair, 0.0) for pair in ends])
    scale = np.sqrt(diagonal)
    partial: Array = -values / (scale[first] * scale[second])
    return partial
