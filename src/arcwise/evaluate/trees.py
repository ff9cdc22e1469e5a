"""Junction trees of networks of tables, for exact expectations.

Lauritzen and Spiegelhalter (1988); the size is known before any table is made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import JunctionTree, plan
from arcwise.conditionals import DiscreteConditional
from arcwise.errors import FitError
from arcwise.networks import BayesNet, Net

MOST_ENTRIES = 1e8
"""Numbers in all cliques: 800 MB."""


def is_tables(net: Net) -> bool:
    """Whether a network is directed and has a table of probabilities at every node."""
    tables = all(isinstance(model, DiscreteConditional) for model in net.conditionals)
    return isinstance(net, BayesNet) and tables


def table_of(net: Net, node: int) -> NDArray[np.float64]:
    """The table of a node: one axis for each parent, the node's own last."""
    model = net.conditionals[node]
    if not isinstance(model, DiscreteConditional):
        raise FitError(f"The local model of {net.names[node]!r} is not a table of probabilities.")
    return model.table


def tree_of(net: Net, together: Sequence[tuple[int, ...]] = ()) -> JunctionTree:
    """The junction tree of a network of tables; each set of variables in `together` lies in one clique.

    Raises
    ------
    FitError : tables that would not fit into memory; says their size.
    """
    levels = [len(variable.levels or ()) for variable in net.variables]
    tables = [table_of(net, node) for node in range(len(levels))]
    scopes = [*((*net.inputs[node], node) for node in range(len(levels))), *together]
    found = plan(levels, scopes)
    if found.entries > MOST_ENTRIES:
        raise FitError(
            f"Exact answers of this network need tables of {found.entries:.3g} numbers, above the "
            f"{MOST_ENTRIES:.0e} that are kept."
        )
    return JunctionTree(levels, scopes, tables, found.order)


def arc_information(net: BayesNet) -> dict[tuple[int, int], float]:
    """For each arc of a network of tables what the parent tells of the child, its other parents known.

    That is I(child; parent | other parents) in nats, exactly: what the likelihood of a row loses on average
    when the arc is taken out and the table fitted again. Empty where the tree does not fit into memory.
    """
    try:
        tree = tree_of(net)
    except FitError:
        return {}
    families = [(*parents, node) for node, parents in enumerate(net.graph.parents)]
    _, found = tree.ask(np.full((1, len(families)), -1), families)
    out = {}
    for family, (shares,) in zip(families, found, strict=True):
        for axis, parent in enumerate(family[:-1]):
            less = shares.sum(axis=axis, keepdims=True)
            others = less.sum(axis=-1, keepdims=True)
            known = shares.sum(axis=-1, keepdims=True)
            there = shares > 0
            ratio = np.broadcast_to(others / np.where(less > 0, less, 1.0), shares.shape)
            logs = np.log((shares / np.where(known > 0, known, 1.0) * ratio)[there])
            out[parent, family[-1]] = max(float(shares[there] @ logs), 0.0)
    return out
