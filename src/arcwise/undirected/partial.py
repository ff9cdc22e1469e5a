"""Partial correlations from a precision matrix: what two variables have in common given all others."""

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import UGraph


def edge_partials(graph: UGraph, precision: NDArray[np.float64] | None) -> tuple[float, ...] | None:
    """Give the partial correlations of the edges of a graph, in their order.

    Parameters
    ----------
    graph : an undirected graph.
    precision : of its variables; None where there is none, and then there is no answer either.

    Examples
    --------
    >>> edge_partials(UGraph.complete(["a", "b"]), np.array([[2.0, -1.0], [-1.0, 2.0]]))
    (0.5,)
    """
    if precision is None:
        return None
    first, second = np.array(graph.numbered_edges, dtype=np.intp).reshape(-1, 2).T
    own = np.diag(precision)
    values = -precision[first, second] / np.sqrt(own[first] * own[second])
    return tuple(values.tolist())
