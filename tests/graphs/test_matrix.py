import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from graphs.strategies import dags, pdags, ugraphs
from hypothesis import given
from scipy import sparse

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    UGraph,
    adjacency,
    dag_from_adjacency,
    from_networkx,
    path_counts,
    pdag_from_adjacency,
    random_dag,
    to_networkx,
    ug_from_adjacency,
)


def test_the_lectures_undirected_matrix():
    matrix = [
        [0, 1, 1, 0, 1],
        [1, 0, 0, 1, 1],
        [1, 0, 0, 1, 1],
        [0, 1, 1, 0, 1],
        [1, 1, 1, 1, 0],
    ]
    graph = ug_from_adjacency(matrix, nodes=list("abcde"))
    assert " ".join(map("".join, graph.edges)) == "ab ac ae bd be cd ce de"
    assert (len(graph.nodes), graph.n_edges) == (5, 8)


def test_the_lectures_directed_matrix():
    frame = pd.DataFrame(0, index=list("abcde"), columns=list("abcde"))
    for tail, head in ("ab", "bc", "bd", "ce", "de"):
        frame.loc[tail, head] = 1
    graph = dag_from_adjacency(frame)
    assert " ".join(map("".join, graph.arcs)) == "ab bc bd ce de"


def test_sparse_matrices_and_missing_names():
    graph = random_dag(3_000, 2, np.random.default_rng(1))
    rows, columns = np.array(graph.numbered_arcs).T
    matrix = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(3_000, 3_000))
    assert dag_from_adjacency(matrix) == graph
    assert dag_from_adjacency(matrix.tocsr()) == graph


@pytest.mark.parametrize(
    ("make", "matrix", "nodes", "words"),
    [
        (dag_from_adjacency, [[0, 1]], None, "square"),
        (dag_from_adjacency, [0, 1], None, "square"),
        (dag_from_adjacency, [[0, 1], [0, 0]], ["a"], "2 rows, got 1 names"),
        (dag_from_adjacency, [[0, 1], [1, 0]], ["a", "b"], "a -> b -> a"),
        (dag_from_adjacency, [[1]], ["a"], "must not be one of its own"),
        (ug_from_adjacency, [[0, 1], [0, 0]], ["a", "b"], "not the reverse"),
        (ug_from_adjacency, [[1]], ["a"], "must not be one of its own"),
        (pdag_from_adjacency, [[1]], ["a"], "must not be one of its own"),
    ],
)
def test_bad_matrices_are_rejected_with_a_message(make, matrix, nodes, words):
    with pytest.raises(GraphError, match=words):
        make(matrix, nodes)


@given(dags())
def test_directed_round_trips(graph):
    assert dag_from_adjacency(adjacency(graph), graph.nodes) == graph
    assert pdag_from_adjacency(adjacency(graph), graph.nodes).directed_part == graph
    assert from_networkx(to_networkx(graph)) == graph
    assert (adjacency(graph) == nx.to_numpy_array(to_networkx(graph))).all()


@given(ugraphs())
def test_undirected_round_trips(graph):
    assert ug_from_adjacency(adjacency(graph), graph.nodes) == graph
    assert from_networkx(to_networkx(graph)) == graph


@given(pdags())
def test_partly_directed_round_trips(graph):
    assert pdag_from_adjacency(adjacency(graph), graph.nodes) == graph
    back = from_networkx(to_networkx(graph))
    assert back == graph if isinstance(back, PDAG) else back == graph.directed_part


def test_networkx_graphs_of_other_kinds():
    assert from_networkx(nx.path_graph(3)).edges == (("0", "1"), ("1", "2"))
    assert from_networkx(nx.DiGraph([(1, 2)]), nodes=["2", "1"]).nodes == ("2", "1")
    assert isinstance(from_networkx(nx.Graph()), UGraph)
    with pytest.raises(GraphError, match="MultiGraph"):
        from_networkx(nx.MultiGraph())
    with pytest.raises(GraphError, match="networkx Graph"):
        from_networkx("a -> b")
    with pytest.raises(GraphError, match="occurs twice"):
        from_networkx(nx.Graph([(1, "1")]))
    with pytest.raises(GraphError, match="must not be one of its own"):
        from_networkx(nx.DiGraph([("a", "a")]))


def test_without_networkx_a_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(GraphError, match="pip install"):
        to_networkx(DAG.empty(["a"]))


def test_the_printed_example():
    graph = DAG.from_arcs([(0, 1), (0, 2), (2, 1)], nodes=["0", "1", "2"])
    assert path_counts(graph).tolist() == [[0, 2, 1], [0, 0, 0], [0, 1, 0]]


@given(dags())
def test_counts_are_the_sum_of_the_powers(graph):
    matrix = adjacency(graph).astype(int)
    powers = [np.linalg.matrix_power(matrix, k) for k in range(1, len(graph.nodes) + 1)]
    found = path_counts(graph)
    assert found.dtype == np.int64
    assert (found == sum(powers)).all()
    assert np.trace(found) == 0


def test_counts_beyond_64_bits_are_exact():
    # A complete graph has 2^(j - i - 1) paths from i to j, and 2^(p - 1) - 1 from the first node.
    for size in (63, 64, 65, 80):
        found = path_counts(DAG.complete([f"v{i}" for i in range(size)]))
        assert found[0, size - 1] == 2 ** (size - 2)
        assert found.dtype == (np.int64 if size < 65 else object)


def test_nothing_to_count():
    assert path_counts(DAG.empty([])).shape == (0, 0)
    assert path_counts(DAG.empty(["a"])).tolist() == [[0]]
