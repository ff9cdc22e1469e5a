"""Graphs as adjacency matrices, counts of paths, and to and from networkx.

An adjacency matrix has a one in row i, column j for an arc i -> j. An undirected edge is a pair
of ones, (i, j) and (j, i), which also tells it from an arc in a PDAG. Matrices are dense: for
graphs of many thousand nodes use arcs, or a scipy.sparse matrix on the way in.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs.convert import Graph
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import Node
from arcwise.graphs.pdag import PDAG
from arcwise.graphs.reading import ones_of
from arcwise.graphs.ugraph import UGraph


def adjacency(graph: Graph) -> NDArray[np.int8]:
    """Make the adjacency matrix, row -> column.

    Returns
    -------
    p x p array of zeros and ones, in node order; symmetric for undirected edges.

    Examples
    --------
    >>> adjacency(DAG.from_arcs(["a -> b", "a -> c"]))
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]], dtype=int8)
    """
    matrix = np.zeros((len(graph.nodes),) * 2, dtype=np.int8)
    if not isinstance(graph, UGraph):
        for head, row in enumerate(graph.parents):
            matrix[list(row), head] = 1
    if not isinstance(graph, DAG):
        for node, row in enumerate(graph.neighbours):
            matrix[node, list(row)] = 1
    return matrix


def dag_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> DAG:
    """Read a DAG from an adjacency matrix, row -> column.

    Parameters
    ----------
    matrix : square; anything but zero is an arc. A nested list, numpy array, pandas frame (its
        columns are the names) or scipy.sparse matrix.
    nodes : names of rows and columns; x1, x2, ... if left out.

    Raises
    ------
    GraphError : not square, a wrong number of names, or a cycle.

    Examples
    --------
    >>> dag_from_adjacency([[0, 1], [0, 0]], nodes=["a", "b"])
    <DAG [a][b|a]>
    """
    names, ones = ones_of(matrix, nodes)
    return DAG.from_arcs(ones, names)


def ug_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> UGraph:
    """Read an undirected graph from a symmetric adjacency matrix.

    Parameters
    ----------
    matrix, nodes : as for `dag_from_adjacency`; the diagonal must be zero.

    Raises
    ------
    GraphError : not square, not symmetric, or a wrong number of names.

    Examples
    --------
    >>> ug_from_adjacency([[0, 1], [1, 0]], nodes=["a", "b"])
    <UGraph a:b>
    """
    names, ones = ones_of(matrix, nodes)
    rows: list[list[int]] = [[] for _ in names]
    for one, two in ones:
        rows[one].append(two)
    return UGraph(tuple(names), tuple(map(tuple, rows)))


def pdag_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> PDAG:
    """Read a PDAG: ones in both places are an edge, a one in a single place is an arc.

    Parameters
    ----------
    matrix, nodes : as for `dag_from_adjacency`.

    Raises
    ------
    GraphError : not square, a wrong number of names, or a directed cycle.

    Examples
    --------
    >>> pdag_from_adjacency([[0, 1, 0], [0, 0, 1], [0, 1, 0]], nodes=["a", "b", "c"])
    <PDAG a -> b, b - c>
    """
    names, ones = ones_of(matrix, nodes)
    return _partly_directed(ones, names)


def to_networkx(graph: Graph) -> Any:
    """Make a networkx graph of the same names: DiGraph for DAG and PDAG, Graph for UGraph.

    An undirected edge of a PDAG becomes a pair of opposite arcs.

    Raises
    ------
    GraphError : networkx is not installed.

    Examples
    --------
    >>> list(to_networkx(DAG.from_arcs(["a -> b"])).edges)
    [('a', 'b')]
    """
    networkx = _networkx()
    made = networkx.Graph() if isinstance(graph, UGraph) else networkx.DiGraph()
    made.add_nodes_from(graph.nodes)
    if not isinstance(graph, UGraph):
        made.add_edges_from(graph.arcs)
    if not isinstance(graph, DAG):
        made.add_edges_from(graph.edges)
    if isinstance(graph, PDAG):
        made.add_edges_from((two, one) for one, two in graph.edges)
    return made


def from_networkx(graph: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Read a networkx graph.

    Parameters
    ----------
    graph : Graph (gives a UGraph), or DiGraph (gives a DAG, or a PDAG if some pair is joined both
        ways). Nodes that are not text are named by their `str`.
    nodes : all names, in order; the sorted names if left out.

    Raises
    ------
    GraphError : several edges between two nodes, two nodes of the same name, a loop or a cycle.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.DiGraph([("a", "b")]))
    <DAG [a][b|a]>
    """
    if not hasattr(graph, "is_directed") or graph.is_multigraph():
        raise GraphError(f"A networkx Graph or DiGraph was expected, got {type(graph)}.")
    names = sorted(map(str, graph.nodes)) if nodes is None else list(nodes)
    edges = [(str(one), str(two)) for one, two in graph.edges]
    if not graph.is_directed():
        return UGraph.from_edges(edges, names)
    if set(edges).isdisjoint((two, one) for one, two in edges if one != two):
        return DAG.from_arcs(edges, names)
    return _partly_directed(edges, names)


def _networkx() -> Any:
    """Load networkx where it is used: it is large, and optional."""
    try:
        return import_module("networkx")
    except ImportError:
        raise GraphError("networkx is not installed: pip install 'arcwise[networkx]'.") from None


def _partly_directed(ones: Sequence[tuple[Node, Node]], names: Iterable[str]) -> PDAG:
    """Tell arcs from edges by whether the opposite is there too."""
    pairs = set(ones)
    arcs = [arc for arc in pairs if arc[::-1] not in pairs]
    edges = [arc for arc in pairs if arc[::-1] in pairs]
    return PDAG.from_edges(arcs, edges, names)


_LARGEST = int(np.iinfo(np.int64).max)


def path_counts(dag: DAG) -> NDArray[np.int64] | NDArray[np.object_]:
    """Count the directed paths between all pairs of nodes.

    With the adjacency matrix A, A^k counts the directed paths of k arcs, so that Y = A + A^2 + ... counts
    all of them. For a DAG the rows follow from each other, Y[i] = sum over children c of (e_c + Y[c]),
    taken from the leaves upwards.

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
        return _count_rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=np.int64))
    exact = _count_rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=object))
    return exact if exact.max() > _LARGEST else exact.astype(np.int64)


def _count_rows(dag: DAG, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Fill the matrix from the leaves upwards."""
    for node in reversed(dag.order()):
        for child in dag.children[node]:
            counts[node] += counts[child]
            counts[node, child] += 1
    return counts
