"""Spanning forests."""

import networkx as nx
import numpy as np
import pytest
from naive.classify import best_tree

from arcwise.errors import GraphError
from arcwise.graphs import rooted, spanning_forest


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
    assert rooted(5, edges, [2, 4]) == ((1,), (2,), (), (4,), ())
    assert rooted(5, edges, []) == ((), (0,), (1,), (), (3,))
    with pytest.raises(GraphError, match="no ring"):
        rooted(3, [(0, 1), (1, 2), (0, 2)], [])
