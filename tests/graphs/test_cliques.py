import networkx as nx
import numpy as np
from graphs.strategies import ugraphs
from hypothesis import given

from arcwise.graphs import (
    UGraph,
    cardinality_order,
    decomposable,
    maximal_cliques,
    moral,
    named,
    random_dag,
    to_networkx,
    ug,
)


def test_cliques_of_the_lectures_graph():
    graph = ug("a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f")
    found = ["".join(named(graph, clique)) for clique in maximal_cliques(graph)]
    assert found == ["abe", "ace", "bde", "cde", "cg", "df"]
    assert not decomposable(graph)
    assert decomposable(graph.with_edge("b", "c"))


@given(ugraphs(max_nodes=9))
def test_cliques_and_decomposability_agree_with_networkx(graph):
    other = to_networkx(graph)
    wanted = sorted(tuple(sorted(map(graph.index, c))) for c in nx.find_cliques(other))
    assert list(maximal_cliques(graph)) == wanted
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
    assert maximal_cliques(UGraph.empty([])) == ()
    assert maximal_cliques(UGraph.empty(["a", "b"])) == ((0,), (1,))
    names = [f"v{i}" for i in range(120)]
    assert maximal_cliques(UGraph.complete(names)) == (tuple(range(120)),)
    graph = moral(random_dag(20_000, 2, np.random.default_rng(3)))
    assert {node for clique in maximal_cliques(graph) for node in clique} == set(range(20_000))
