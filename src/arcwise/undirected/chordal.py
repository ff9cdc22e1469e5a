r"""Gaussian estimates in closed form, on decomposable graphs.

In a decomposable graph the nodes can be ordered so that the earlier neighbours of each are all joined.
The maximum-likelihood estimate is then a chain of regressions, each node on its earlier neighbours:

.. math:: \Theta = (I - B)^T V^{-1} (I - B), \qquad W = \Theta^{-1},

with the coefficients in the rows of B and the residual variances on the diagonal of V. It is the same
as the sum of the cliques' inverse covariances less those of their separators (Lauritzen 1996, section
5.3). A graph that is not decomposable becomes so when each node's later neighbours are joined as it is
taken out, here always one with the fewest neighbours left.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Family = tuple[int, tuple[int, ...]]

# A residual variance, as a share of the variance, below which the covariance of a clique is singular.
_SINGULAR = 1e-11


class Chain(NamedTuple):
    """Precision matrix and its inverse."""

    precision: Array
    covariance: Array


class Singular(Exception):  # noqa: N818 (a message between files of this room, not an error)
    """A node that is a linear combination of the earlier ones joined to it."""

    def __init__(self, node: int, earlier: tuple[int, ...]) -> None:
        self.node, self.earlier = node, earlier


def chain(moments: Array, families: Sequence[Family]) -> Chain:
    """Estimate by regressions of each node on its earlier neighbours.

    Parameters
    ----------
    moments : a covariance matrix with a unit diagonal.
    families : each node with its earlier neighbours, which are all joined; in order.

    Raises
    ------
    Singular : a node that is a linear combination of its earlier neighbours.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.9], [0.5, 1.0, 0.5], [0.9, 0.5, 1.0]])
    >>> chain(S, [(0, ()), (1, (0,)), (2, (1,))]).covariance
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    size = len(moments)
    precision, covariance = np.zeros((size, size)), np.zeros((size, size))
    order = np.array([node for node, _ in families])
    for count, (node, earlier) in enumerate(families):
        near, done = np.array(earlier, dtype=np.intp), order[:count]
        slopes, left = _regression(moments, node, near)
        if left < _SINGULAR:
            raise Singular(node, earlier)
        members, row = np.append(near, node), np.append(-slopes, 1.0)
        precision[members[:, None], members] += np.outer(row, row / left)
        across = slopes @ covariance[near[:, None], done]
        covariance[node, done] = covariance[done, node] = across
        covariance[node, node] = moments[node, node]
    return Chain(precision, covariance)


def completion(moments: Array, edges: NDArray[np.bool_]) -> Array | None:
    """A positive definite matrix with the moments' diagonal and, on the edges, their entries.

    None where a clique of the graph, made decomposable, has a singular covariance.

    Examples
    --------
    >>> S = np.full((3, 3), 1.0)
    >>> S[0, 1] = S[1, 0] = 0.5
    >>> completion(S, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], bool))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    root = np.sqrt(moments.diagonal())
    near = [set(np.flatnonzero(row).tolist()) for row in edges]
    try:
        found = chain(moments / root[:, None] / root, elimination(near)).covariance
    except Singular:
        return None
    return found * root[:, None] * root


def elimination(near: list[set[int]]) -> list[Family]:
    """Order the nodes of a graph, with fill-in, so that each one's earlier neighbours are all joined.

    `near` (the neighbours of each node) is changed: edges that were filled in are added.

    Examples
    --------
    >>> elimination([{1, 3}, {0, 2}, {1, 3}, {0, 2}])
    [(3, ()), (2, (3,)), (1, (2, 3)), (0, (1, 3))]
    """
    import heapq

    left = [set(row) for row in near]
    queue = [(len(row), node) for node, row in enumerate(left)]
    heapq.heapify(queue)
    families: list[Family] = []
    gone = [False] * len(near)
    while queue:
        degree, node = heapq.heappop(queue)
        if gone[node] or degree != len(left[node]):
            continue
        gone[node] = True
        families.append((node, tuple(sorted(left[node]))))
        for other in left[node]:
            added = left[node] - left[other] - {other}
            near[other] |= added
            left[other] |= added
            left[other].discard(node)
            heapq.heappush(queue, (len(left[other]), other))
    return families[::-1]


def _regression(moments: Array, node: int, near: NDArray[np.intp]) -> tuple[Array, float]:
    """Coefficients of one node on others, and the variance that is left."""
    if not len(near):
        return np.zeros(0), float(moments[node, node])
    across = moments[node, near]
    try:
        slopes = np.linalg.solve(moments[near[:, None], near], across)
    except np.linalg.LinAlgError:
        return np.zeros(len(near)), 0.0
    return slopes.astype(np.float64, copy=False), float(moments[node, node] - across @ slopes)
