"""Counting directed paths.

With the adjacency matrix A (row -> column), A^k counts the directed paths of k arcs, so that Y =
A + A^2 + ... counts all of them; a graph is acyclic iff the trace of Y is zero. For a DAG the
rows follow from each other, Y[i] = sum over children c of (e_c + Y[c]), taken from the leaves
upwards.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs.dag import DAG

_LARGEST = int(np.iinfo(np.int64).max)


def path_counts(dag: DAG) -> NDArray[np.int64] | NDArray[np.object_]:
    """Count the directed paths between all pairs of nodes.

    Parameters
    ----------
    dag : the graph; the answer is dense, p x p.

    Returns
    -------
    Array whose entry (i, j) is the number of directed paths from i to j; whole numbers of any size
    (dtype object) where 64 bits are too few.

    Examples
    --------
    >>> path_counts(DAG.from_arcs([(0, 1), (0, 2), (2, 1)], nodes=["a", "b", "c"]))
    array([[0, 2, 1],
           [0, 0, 0],
           [0, 1, 0]])
    """
    # The paths that start at a node bound every entry of its row, at hardly any cost.
    starting = [0] * len(dag.nodes)
    for node in reversed(dag.order()):
        starting[node] = sum(1 + starting[child] for child in dag.children[node])
    if max(starting, default=0) <= _LARGEST:
        return _rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=np.int64))
    exact = _rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=object))
    return exact if exact.max() > _LARGEST else exact.astype(np.int64)


def _rows(dag: DAG, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Fill the matrix from the leaves upwards."""
    for node in reversed(dag.order()):
        for child in dag.children[node]:
            counts[node] += counts[child]
            counts[node, child] += 1
    return counts
