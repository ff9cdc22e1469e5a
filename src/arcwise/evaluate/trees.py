"""Junction trees of networks of tables, for exact expectations.

Lauritzen and Spiegelhalter (1988); the size is known before any table is made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction import JunctionTree, plan
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
