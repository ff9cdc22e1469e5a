"""Adjacency matrices, networkx graphs and counts of paths.

An adjacency matrix has a one in row i, column j for an arc i -> j. An undirected edge is a pair
of ones, (i, j) and (j, i), which distinguishes it from an arc in a PDAG. Matrices are dense: for
graphs of many thousand nodes use arcs, or a scipy.sparse matrix as input.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs.nodes import AnyGraph, check_nodes, node_names, numbered_names
from arcwise.values import are_texts

if TYPE_CHECKING:
    from arcwise.graphs.dag import DAG

# Names, arcs and edges.
Links: TypeAlias = tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]


def adjacency(graph: AnyGraph) -> NDArray[np.int8]:
    """Make the adjacency matrix, row -> column.

    Returns
    -------
    p x p array of zeros and ones, in node order; symmetric for undirected edges.

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> adjacency(DAG.from_arcs(["a -> b", "a -> c"]))
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]], dtype=int8)
    """
    matrix = np.zeros((len(graph.nodes),) * 2, dtype=np.int8)
    for one, two in graph.numbered_edges:
        matrix[one, two] = matrix[two, one] = 1
    for tail, head in graph.numbered_arcs:
        matrix[tail, head] = 1
    return matrix


def to_networkx(graph: AnyGraph) -> Any:
    """Make a networkx graph of the same names: DiGraph for DAG and PDAG, Graph for UGraph.

    An undirected edge of a PDAG becomes a pair of opposite arcs.

    Raises
    ------
    GraphError : networkx is not installed.

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> list(to_networkx(DAG.from_arcs(["a -> b"])).edges)
    [('a', 'b')]
    """
    networkx = _networkx()
    result = networkx.DiGraph() if hasattr(graph, "parents") else networkx.Graph()
    result.add_nodes_from(graph.nodes)
    result.add_edges_from(node_names(graph, arc) for arc in graph.numbered_arcs)
    edges = [node_names(graph, edge) for edge in graph.numbered_edges]
    result.add_edges_from(edges)
    if result.is_directed():
        result.add_edges_from((two, one) for one, two in edges)
    return result


def _networkx() -> Any:
    """Import networkx on demand: it is large and optional."""
    try:
        return import_module("networkx")
    except ImportError:
        raise GraphError("networkx is not installed: pip install 'arcwise[networkx]'.") from None


_LARGEST = int(np.iinfo(np.int64).max)


def path_counts(dag: "DAG") -> NDArray[np.int64] | NDArray[np.object_]:
    """Count the directed paths between all pairs of nodes.

    With the adjacency matrix A, A^k counts the directed paths of k arcs, so that Y = A + A^2 + ... counts
    all of them. For a DAG the rows follow from each other, Y[i] = sum over children c of (e_c + Y[c]),
    taken from the leaves upwards.

    Parameters
    ----------
    dag : the graph; the result is dense, p x p.

    Returns
    -------
    Array whose entry (i, j) is the number of directed paths from i to j; integers of any size
    (dtype object) if 64 bits are too few.

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> path_counts(DAG.from_arcs([(0, 1), (0, 2), (2, 1)], nodes=["a", "b", "c"]))
    array([[0, 2, 1],
           [0, 0, 0],
           [0, 1, 0]])
    """
    # The paths that start at a node bound every entry of its row, at little cost.
    starting = [0] * len(dag.nodes)
    for node in reversed(dag.order()):
        starting[node] = sum(1 + starting[child] for child in dag.children[node])
    if max(starting, default=0) <= _LARGEST:
        return _count_rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=np.int64))
    exact = _count_rows(dag, np.zeros((len(dag.nodes),) * 2, dtype=object))
    return exact if exact.max() > _LARGEST else exact.astype(np.int64)


def _count_rows(dag: "DAG", counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Fill the matrix from the leaves upwards."""
    for node in reversed(dag.order()):
        for child in dag.children[node]:
            counts[node] += counts[child]
            counts[node, child] += 1
    return counts


def links_of_matrix(matrix: Any, nodes: Iterable[str] | None = None) -> Links:
    """Return the names, arcs and edges of an adjacency matrix; both of (i, j) and (j, i) are an edge."""
    names, ones = ones_of(matrix, nodes)
    ends = {(names[row], names[column]) for row, column in ones}
    both = {(tail, head) for tail, head in ends if tail != head and (head, tail) in ends}
    return names, sorted(ends - both), sorted((one, two) for one, two in both if one < two)


def links_of_networkx(graph: Any) -> Links:
    """Return the names, arcs and edges of a networkx graph; a pair of opposite arcs is an edge."""
    if graph.is_multigraph():
        raise GraphError(
            f"A networkx graph must be a Graph or DiGraph, got a {type(graph).__name__}."
        )
    ends = [(str(one), str(two)) for one, two in graph.edges]
    names = check_nodes(sorted(map(str, graph.nodes)))
    loose = ends if not graph.is_directed() else [(two, one) for one, two in ends if one != two]
    opposite = set(loose)
    edges = {(min(pair), max(pair)) for pair in ends if pair in opposite}
    return list(names), [pair for pair in ends if pair not in opposite], sorted(edges)


def is_matrix(value: Any) -> bool:
    """Return whether a value is an adjacency matrix: an array, a frame, or nested lists of numbers."""
    return (hasattr(value, "shape") and table_pairs(value) is None) or (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, list) and len(row) == len(value) for row in value)
        and all(isinstance(cell, int | float) for row in value for cell in row)
    )


def table_pairs(table: Any) -> list[tuple[str, str]] | None:
    """Return the pairs (parent, child) of a frame or array of names with a row per arc; None for anything
    else.

    The columns are the only two, or those with the names of frames of arcs in other packages: "from" and
    "to", "parent" and "child", "source" and "target", "tail" and "head".
    """
    if len(getattr(table, "shape", ())) != 2 or hasattr(table, "tocoo"):
        return None
    rows = np.asarray(table)
    if rows.dtype.kind not in "OUT":
        return None
    names = [
        str(name).lower() for name in getattr(table, "column_names", getattr(table, "columns", ()))
    ]
    ends = [pair for pair in _PAIR_COLUMNS if set(pair) <= set(names)]
    if not ends and rows.shape[1] != 2:
        return None
    tail, head = (names.index(end) for end in ends[0]) if ends else (0, 1)
    pairs = [(row[tail], row[head]) for row in rows]
    return [(str(one), str(two)) for one, two in pairs] if all(map(are_texts, pairs)) else None


_PAIR_COLUMNS = (("from", "to"), ("parent", "child"), ("source", "target"), ("tail", "head"))


def ones_of(matrix: Any, nodes: Iterable[str] | None) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the names and the positions of a square matrix that are not zero.

    The names are `nodes`, or the columns of a frame, whose rows follow its index if that has the same names.
    """
    names = None if nodes is None else list(nodes)
    if hasattr(matrix, "columns"):
        columns = [str(name) for name in matrix.columns]
        names, matrix = names or columns, _align_rows(matrix, columns)
    if not hasattr(matrix, "tocoo"):
        matrix = np.asarray(matrix)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"An adjacency matrix must be square, got one of shape {matrix.shape}.")
    if np.dtype(matrix.dtype).kind not in "biuf":
        raise GraphError(
            f"An adjacency matrix must hold numbers, got the type {matrix.dtype}; "
            "a frame of arcs has two columns of names, 'from' and 'to'."
        )
    if not np.isfinite(matrix.data if hasattr(matrix, "tocoo") else matrix).all():
        raise GraphError("An adjacency matrix must hold finite numbers, got a missing one.")
    names = list(numbered_names(matrix.shape[0])) if names is None else names
    if len(names) != matrix.shape[0]:
        raise GraphError(
            f"The adjacency matrix has {matrix.shape[0]} rows, got {len(names)} names."
        )
    rows, columns_ = matrix.nonzero()
    return names, list(zip(rows.tolist(), columns_.tolist(), strict=True))


def _align_rows(frame: Any, columns: list[str]) -> Any:
    """Return the numbers of a frame, its rows in the order of its columns."""
    values, index = np.asarray(frame), getattr(frame, "index", None)
    labels = [] if index is None else [str(label) for label in index]
    if labels == columns or labels == [str(number) for number in range(len(labels))]:
        return values
    if sorted(labels) != sorted(columns):
        raise GraphError(
            "The rows of an adjacency matrix must have the names of its columns, got "
            f"{labels[:3]} and {columns[:3]}."
        )
    return values[[labels.index(name) for name in columns]]
