"""Spanning trees and forests: the edges of largest total weight without a ring.

Prim's way (1957): a tree grows by the heaviest edge between what is in it and what is not. Pairs whose
weight is minus infinity are never joined, so that several trees may come out; equal weights are decided by
the order of the nodes.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError

__all__ = ["rooted", "spanning_forest"]

Array = NDArray[np.float64]


def spanning_forest(weights: Array) -> list[tuple[int, int]]:
    """Find the edges of a spanning forest of largest weight.

    Parameters
    ----------
    weights : symmetric; minus infinity where two nodes may not be joined. The diagonal is not read.

    Returns
    -------
    Pairs of nodes, the smaller number first, in ascending order.

    >>> spanning_forest(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]]))
    [(0, 1), (1, 2)]
    """
    size = len(weights)
    left = np.ones(size, dtype=bool)
    best = np.full(size, -np.inf)
    link = np.full(size, -1)
    edges = []
    for _ in range(size):
        open_ones = np.flatnonzero(left)
        node = int(open_ones[np.argmax(best[open_ones])])
        if best[node] > -np.inf:
            edges.append((min(node, int(link[node])), max(node, int(link[node]))))
        left[node] = False
        nearer = left & (weights[node] > best)
        best[nearer], link[nearer] = weights[node, nearer], node
    return sorted(edges)


def rooted(
    size: int, edges: list[tuple[int, int]], roots: list[int]
) -> tuple[tuple[int, ...], ...]:
    """Turn the edges of a forest away from roots.

    Parameters
    ----------
    size : number of nodes.
    edges : pairs of nodes, without a ring.
    roots : nodes in the order in which they are wanted as roots; the first of each tree becomes its root, and
        nodes that are not named come after all that are, in ascending order.

    Returns
    -------
    The parents of each node, one at most.

    >>> rooted(4, [(0, 1), (1, 2)], [2])
    ((1,), (2,), (), ())
    """
    beside: list[list[int]] = [[] for _ in range(size)]
    for one, two in edges:
        beside[one].append(two)
        beside[two].append(one)
    parents: list[tuple[int, ...] | None] = [None] * size
    for root in [*roots, *range(size)]:
        if parents[root] is not None:
            continue
        parents[root] = ()
        stack = [root]
        while stack:
            node = stack.pop()
            for other in beside[node]:
                if parents[other] is None:
                    parents[other] = (node,)
                    stack.append(other)
                elif parents[node] != (other,) and parents[other] != (node,):
                    raise GraphError("The edges of a forest have no ring, but these do.")
    return tuple(row or () for row in parents)
