import pickle

import pytest
from graphs.strategies import ugraphs
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import UGraph, ug


def test_neighbours_edges_and_boundary():
    graph = UGraph.from_edges([("b", "a"), ("c", "b"), ("a", "b")], nodes=["a", "b", "c", "d"])
    assert graph.edges == (("a", "b"), ("b", "c"))
    assert graph.n_edges == 2
    assert graph.neighbours_of("b") == graph.boundary_of(1) == ("a", "c")
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
        (((1,), ()), "not the other way round"),
        (((0,), ()), "loops"),
        (((5,), ()), "beyond"),
        (((),), "2 nodes"),
    ],
)
def test_bad_input_is_refused_in_words(neighbours, words):
    with pytest.raises(GraphError, match=words):
        UGraph(("a", "b"), neighbours)


def test_edges_are_added_and_taken_away():
    graph = UGraph.from_edges([("a", "b"), ("b", "c")])
    assert graph.with_edge("c", "a").without_edge("a", "c") == graph
    with pytest.raises(GraphError, match="b - a is in the graph already"):
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
