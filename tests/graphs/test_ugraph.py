"""Spanning forests."""

import pickle

import networkx as nx
import numpy as np
import pytest
from graphs.strategies import ugraphs
from hypothesis import given
from naive.classify import best_tree

from arcwise.errors import GraphError
from arcwise.graphs import (
    UGraph,
    cardinality_order,
    decomposable,
    moral,
    node_names,
    numbered_cliques,
    random_dag,
    root_forest,
    spanning_forest,
    to_networkx,
    ug,
)


def test_neighbours_edges_and_boundary():
    graph = UGraph.from_edges([("b", "a"), ("c", "b"), ("a", "b")], nodes=["a", "b", "c", "d"])
    assert graph.edges == (("a", "b"), ("b", "c"))
    assert graph.n_edges == 2
    assert graph.neighbours_of("b") == graph.blanket_of(1) == ("a", "c")
    assert graph.has_edge("c", "b")
    assert not graph.has_edge("a", "c")
    assert str(graph) == "a:b + b:c + d"


def test_empty_and_complete():
    assert UGraph.complete(["a", "b", "c", "d"]).n_edges == 6
    assert UGraph.empty(["a", "b"]).n_edges == 0
    assert repr(UGraph.complete([f"v{i}" for i in range(31)])) == "<UGraph 31 nodes, 465 edges>"


@pytest.mark.parametrize(
    ("neighbours", "words"),
    [
        (((1,), ()), "not the reverse"),
        (((0,), ()), "must not be one of its own"),
        (((5,), ()), "beyond"),
        (((),), "2 nodes"),
    ],
)
def test_bad_input_is_rejected_with_a_message(neighbours, words):
    with pytest.raises(GraphError, match=words):
        UGraph(("a", "b"), neighbours)


def test_edges_are_added_and_taken_away():
    graph = UGraph.from_edges([("a", "b"), ("b", "c")])
    assert graph.with_edge("c", "a").without_edge("a", "c") == graph
    with pytest.raises(GraphError, match="b - a is already in the graph"):
        graph.with_edge("b", "a")
    with pytest.raises(GraphError, match="not in the graph"):
        graph.without_edge("a", "c")
    with pytest.raises(GraphError, match="itself"):
        graph.with_edge("a", "a")
    with pytest.raises(GraphError, match="no node 'b'"):
        graph.over(["a", "c", "d"])


@given(ugraphs())
def test_text_order_and_pickle_round_trips(graph):
    assert ug(str(graph), nodes=graph.nodes) == graph
    assert graph.over(graph.nodes[::-1]).over(graph.nodes) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(UGraph(graph.nodes, graph.neighbours)) == hash(graph)


def test_cliques_of_the_lectures_graph():
    graph = ug("a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f")
    found = ["".join(node_names(graph, clique)) for clique in numbered_cliques(graph)]
    assert found == ["abe", "ace", "bde", "cde", "cg", "df"]
    assert not decomposable(graph)
    assert decomposable(graph.with_edge("b", "c"))


@given(ugraphs(max_nodes=9))
def test_cliques_and_decomposability_agree_with_networkx(graph):
    other = to_networkx(graph)
    wanted = sorted(tuple(sorted(map(graph.index, c))) for c in nx.find_cliques(other))
    assert list(numbered_cliques(graph)) == wanted
    assert decomposable(graph) == nx.is_chordal(other)


@given(ugraphs(max_nodes=9))
def test_cardinality_order_takes_a_node_with_most_visited_neighbours(graph):
    order = cardinality_order(graph)
    assert sorted(order) == list(range(len(graph.nodes)))
    for place, node in enumerate(order):
        counts = {
            other: len(set(graph.neighbours[other]).intersection(order[:place]))
            for other in order[place:]
        }
        assert counts[node] == max(counts.values())


def test_special_and_large_graphs():
    assert numbered_cliques(UGraph.empty([])) == ()
    assert numbered_cliques(UGraph.empty(["a", "b"])) == ((0,), (1,))
    names = [f"v{i}" for i in range(120)]
    assert numbered_cliques(UGraph.complete(names)) == (tuple(range(120)),)
    graph = moral(random_dag(20_000, 2, np.random.default_rng(3)))
    assert {node for clique in numbered_cliques(graph) for node in clique} == set(range(20_000))


def weights_of(size, seed, whole=False):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (size, size)).astype(float) if whole else rng.normal(size=(size, size))
    return x + x.T


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_best_of_all_trees(seed):
    weights = weights_of(5, seed, whole=seed % 2 == 0)
    edges = spanning_forest(weights)
    assert len(edges) == 4
    assert sum(weights[e] for e in edges) == pytest.approx(best_tree(weights))


@pytest.mark.parametrize("least", [-np.inf, -0.5, 0.5, 2.0])
def test_forests_are_those_of_networkx(least):
    weights = weights_of(30, 7)
    weights[weights <= least] = -np.inf
    graph = nx.Graph()
    graph.add_nodes_from(range(30))
    pairs = [(i, j) for i in range(30) for j in range(i) if weights[i, j] > -np.inf]
    graph.add_weighted_edges_from((i, j, weights[i, j]) for i, j in pairs)
    wanted = nx.maximum_spanning_tree(graph).size(weight="weight")
    edges = spanning_forest(weights)
    assert sum(weights[e] for e in edges) == pytest.approx(wanted)
    assert len(edges) == 30 - nx.number_connected_components(graph)


def test_one_node_none_joined_and_equal_weights():
    assert spanning_forest(np.zeros((1, 1))) == []
    assert spanning_forest(np.full((3, 3), -np.inf)) == []
    assert spanning_forest(np.zeros((4, 4))) == [(0, 1), (0, 2), (0, 3)]


def test_arcs_run_away_from_roots():
    edges = [(0, 1), (1, 2), (3, 4)]
    assert root_forest(5, edges, [2, 4]) == ((1,), (2,), (), (4,), ())
    assert root_forest(5, edges, []) == ((), (0,), (1,), (), (3,))
    with pytest.raises(GraphError, match="no cycle"):
        root_forest(3, [(0, 1), (1, 2), (0, 2)], [])
