from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from graphs.strategies import dags, disjoint_sets, ugraphs
from graphs.structures import rows, structure
from hypothesis import assume, given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    UGraph,
    cpdag,
    d_separated_from,
    minimal_separator,
    moral,
    named,
    random_dag,
    separated,
    to_networkx,
)


@pytest.mark.parametrize("name", ["asia", "alarm_sample"])
def test_truth_tables(shared_data, name):
    graph = structure(shared_data, name.removesuffix("_sample"))
    table = rows(shared_data / "oracles" / f"dseparation_{name}.csv")
    for row in table:
        answer = separated(graph, row["x"], row["y"], row["given"].split())
        assert answer == (row["d_separated"] == "1"), row
    assert len(table) >= 600


def test_the_lectures_example():
    graph = DAG.from_arcs(["a -> e", "f -> e", "f -> b", "e -> c"])
    assert not separated(graph, "a", "b", "c")
    assert separated(graph, "a", "b", "f")
    assert separated(graph, "a", "b")


def test_questions_of_the_second_text():
    # Two variables that share a child: dependent given all others, independent without it.
    graph = DAG.from_arcs(["NOX -> LSTAT", "MEDV -> LSTAT", "RM -> MEDV", "DIS -> NOX"])
    assert not separated(graph, "NOX", "MEDV", given=["LSTAT", "RM", "DIS"])
    assert separated(graph, "NOX", "MEDV", given=["RM", "DIS"])


def test_names_and_numbers_single_and_many():
    graph = DAG.from_arcs(["a -> b", "b -> c", "b -> d"])
    assert separated(graph, 0, [2, "d"], given={"b"})
    assert separated(graph, np.int64(0), np.array([2, 3]), given=(1,))
    assert separated(graph, "a", [])
    with pytest.raises(GraphError, match="'b' is in two of the sets"):
        separated(graph, "a", "b", given="b")
    with pytest.raises(GraphError, match="in two"):
        separated(graph, "a", ["a", "c"])
    with pytest.raises(GraphError, match="no node 'z'"):
        separated(graph, "a", "z")
    with pytest.raises(GraphError, match=r"got PDAG.*extension"):
        separated(cpdag(graph), "a", "c")


@given(dags(min_nodes=2, max_nodes=8), st.data())
def test_d_separation_agrees_with_networkx(graph, data):
    xs, ys, between = data.draw(disjoint_sets(len(graph.nodes)))
    other = to_networkx(graph)
    sets = [set(named(graph, nodes)) for nodes in (xs, ys, between)]
    wanted = nx.is_d_separator(other, *sets)
    assert separated(graph, *sets) == separated(graph, ys, xs, between) == wanted


@given(dags(min_nodes=2, max_nodes=8), st.data())
def test_all_separated_nodes_are_those_separated_one_by_one(graph, data):
    xs, _, between = data.draw(disjoint_sets(len(graph.nodes)))
    rest = set(range(len(graph.nodes))) - xs - between
    wanted = tuple(node for node in sorted(rest) if separated(graph, xs, node, between))
    assert d_separated_from(graph, xs, between) == wanted


@given(dags(min_nodes=2))
def test_a_node_is_separated_from_the_rest_by_its_blanket(graph):
    for name in graph.nodes:
        blanket = graph.blanket_of(name)
        rest = set(graph.nodes) - {name, *blanket}
        assert separated(graph, name, rest, blanket)


@given(ugraphs(min_nodes=2), st.data())
def test_undirected_separation_is_being_cut_off(graph, data):
    xs, ys, between = data.draw(disjoint_sets(len(graph.nodes)))
    cut = to_networkx(graph)
    cut.remove_nodes_from(named(graph, between))
    wanted = not any(nx.has_path(cut, x, y) for x in named(graph, xs) for y in named(graph, ys))
    assert separated(graph, xs, ys, between) == wanted
    rest = set(range(len(graph.nodes))) - xs - between
    assert set(d_separated_from(graph, xs, between)) == {
        node for node in rest if separated(graph, xs, node, between)
    }


@given(st.one_of(dags(min_nodes=2), ugraphs(min_nodes=2)), st.data())
def test_minimal_separators_separate_and_are_minimal(graph, data):
    numbers = range(len(graph.nodes))
    x, y = data.draw(st.permutations(numbers))[:2]
    room = data.draw(st.one_of(st.none(), st.sets(st.sampled_from(numbers))))
    found = minimal_separator(graph, x, y, within=room)
    inside = set(numbers if room is None else room) - {x, y}
    if found is None:
        sets = (s for size in range(len(inside) + 1) for s in combinations(inside, size))
        assert not any(separated(graph, x, y, candidate) for candidate in sets)
    else:
        assert set(found) <= inside
        assert separated(graph, x, y, found)
        smaller = (s for size in range(len(found)) for s in combinations(found, size))
        assert not any(separated(graph, x, y, candidate) for candidate in smaller)


@given(dags(min_nodes=3), st.data())
def test_minimal_separators_of_sets(graph, data):
    xs, ys, _ = data.draw(disjoint_sets(len(graph.nodes)))
    found = minimal_separator(graph, xs, ys)
    joined = any(graph.has_arc(x, y) or graph.has_arc(y, x) for x in xs for y in ys)
    assert found is None or separated(graph, xs, ys, found)
    assume(joined)
    assert found is None


@given(dags(min_nodes=2), st.data())
def test_moral_separation_implies_d_separation(graph, data):
    xs, ys, between = data.draw(disjoint_sets(len(graph.nodes)))
    if separated(moral(graph), xs, ys, between):
        assert separated(graph, xs, ys, between)


def test_large_graphs():
    graph = random_dag(20_000, 3, np.random.default_rng(2))
    found = minimal_separator(graph, 0, 19_999)
    assert found is not None
    assert separated(graph, 0, 19_999, found)
    assert 19_999 in d_separated_from(graph, 0, found)
    assert separated(UGraph.empty(graph.nodes), 0, 1)
