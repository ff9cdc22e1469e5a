import pickle

import pytest
from graphs.strategies import pdags
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import PDAG


def test_arcs_edges_and_relatives():
    graph = PDAG.from_edges(["a -> b", "b -> d"], [("b", "c")], nodes=["a", "b", "c", "d", "e"])
    assert (graph.n_arcs, graph.n_edges) == (2, 1)
    assert graph.arcs == (("a", "b"), ("b", "d"))
    assert graph.edges == (("b", "c"),)
    assert graph.parents_of("b") == ("a",)
    assert graph.children_of("b") == ("d",)
    assert graph.neighbours_of("b") == ("c",)
    assert str(graph) == "a -> b, b -> d, b - c, e"


def test_contradictions_are_refused_in_words():
    with pytest.raises(GraphError, match="'a' and 'b' are joined by an arc and by an edge"):
        PDAG.from_edges(["a -> b"], [("b", "a")])
    with pytest.raises(GraphError, match="a -> b -> a"):
        PDAG.from_edges(["a -> b", "b -> a"])
    with pytest.raises(GraphError, match="other way round"):
        PDAG(("a", "b"), ((), ()), ((1,), ()))


def test_large_graphs_are_shown_by_size():
    graph = PDAG.empty([f"v{i}" for i in range(31)])
    assert repr(graph) == "<PDAG 31 nodes, 0 arcs, 0 edges>"


@given(pdags())
def test_over_and_pickle_round_trips(graph):
    assert graph.over(graph.nodes[::-1]).over(graph.nodes) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(PDAG(graph.nodes, graph.parents, graph.neighbours)) == hash(graph)
