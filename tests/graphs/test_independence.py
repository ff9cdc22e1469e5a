from collections import defaultdict
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from graphs.strategies import all_dags, dags, disjoint_sets, pdags, ugraphs
from graphs.structures import rows, structure
from hypothesis import assume, given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    UGraph,
    cpdag,
    d_separated_from,
    equivalent,
    extension,
    minimal_separator,
    moral,
    node_names,
    random_dag,
    separated,
    skeleton,
    to_networkx,
    v_structures,
)


def pattern(graph):
    return skeleton(graph), v_structures(graph)


def test_numbers_of_dags_and_classes(shared_data):
    for row in rows(shared_data / "oracles" / "dag_counts.csv")[:4]:
        every = all_dags(int(row["n"]))
        assert len(every) == int(row["labelled_dags"])
        assert len({cpdag(graph) for graph in every}) == int(row["essential_graphs"])


@pytest.mark.slow
def test_numbers_of_dags_and_classes_on_five_nodes(shared_data):
    row = rows(shared_data / "oracles" / "dag_counts.csv")[4]
    every = all_dags(5)
    assert len(every) == int(row["labelled_dags"])
    assert len({cpdag(graph) for graph in every}) == int(row["essential_graphs"])


def test_equivalent_iff_same_skeleton_and_v_structures():
    classes = defaultdict(set)
    for graph in all_dags(4):
        classes[cpdag(graph)].add(pattern(graph))
    assert all(len(patterns) == 1 for patterns in classes.values())
    assert len(set.union(*classes.values())) == len(classes) == 185


def test_arcs_of_a_class_are_compelled_and_edges_reversible():
    members = defaultdict(list)
    for graph in all_dags(4):
        members[cpdag(graph)].append(set(graph.arcs))
    for graph, found in members.items():
        assert set(graph.arcs) == set.intersection(*found) - {
            arc[::-1] for arc in set.union(*found)
        }
        both = {frozenset(arc) for arc in set.union(*found) if arc[::-1] in set.union(*found)}
        assert {frozenset(edge) for edge in graph.edges} == both


@given(dags(max_nodes=8))
def test_extension_of_a_class_is_a_member(graph):
    whole = cpdag(graph)
    member = extension(whole)
    assert cpdag(member) == whole
    assert pattern(member) == pattern(graph)
    assert equivalent(graph, member.over(graph.nodes[::-1]))
    assert cpdag(whole) == whole


@given(pdags())
def test_extension_is_consistent_or_there_is_none(graph):
    if not any(fits(graph, other) for other in turned(graph)):
        with pytest.raises(GraphError, match="No DAG extends"):
            extension(graph)
        return
    member = extension(graph)
    assert fits(graph, member)
    assert DAG(member.nodes, member.parents) == member


def fits(pdag, dag):
    return set(pdag.arcs) <= set(dag.arcs) and pattern(pdag) == pattern(dag)


def turned(pdag):
    """All DAGs that direct the edges of a PDAG in some way."""
    ends = pdag.edges
    for mask in range(2 ** len(ends)):
        arcs = [e if mask >> i & 1 else e[::-1] for i, e in enumerate(ends)]
        try:
            yield DAG.from_arcs([*pdag.arcs, *arcs], pdag.nodes)
        except GraphError:
            continue


def test_no_extension_names_the_nodes():
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    with pytest.raises(GraphError, match="among a, b, c, d cannot"):
        extension(PDAG.from_edges(edges=square))


def test_equivalence_needs_the_same_nodes():
    with pytest.raises(GraphError, match="same nodes"):
        equivalent(DAG.empty(["a"]), DAG.empty(["b"]))
    assert not equivalent(DAG.from_arcs(["a -> b", "c -> b"]), DAG.from_arcs(["a -> b", "b -> c"]))


@given(dags())
def test_moral_graph_joins_parents(graph):
    found = {frozenset(edge) for edge in moral(graph).edges}
    married = {
        frozenset(ends)
        for child in graph.nodes
        for ends in combinations(graph.parents_of(child), 2)
    }
    assert found == {frozenset(arc) for arc in graph.arcs} | married
    assert nx.is_isomorphic(to_networkx(moral(graph)), nx.moral_graph(to_networkx(graph)))
    for name in graph.nodes:
        assert moral(graph).blanket_of(name) == graph.blanket_of(name)


def test_only_a_dag_has_a_moral_graph():
    with pytest.raises(GraphError, match="got PDAG"):
        moral(PDAG.empty(["a"]))


@given(pdags())
def test_skeleton_of_every_kind(graph):
    flat = skeleton(graph)
    assert flat.n_edges == graph.n_arcs + graph.n_edges
    assert skeleton(flat) is flat
    assert skeleton(graph.directed_part).edges == UGraph.from_edges(graph.arcs, graph.nodes).edges


def test_counts_of_every_network(shared_data):
    for row in rows(shared_data / "networks" / "summary.csv"):
        graph = structure(shared_data, row["name"])
        whole = cpdag(graph)
        found = {
            "nodes": len(graph.nodes),
            "arcs": graph.n_arcs,
            "max_parents": max(map(len, graph.parents)),
            "cpdag_directed": whole.n_arcs,
            "cpdag_undirected": whole.n_edges,
            "v_structures": len(v_structures(graph)),
            "moral_edges": moral(graph).n_edges,
        }
        assert found == {key: int(row[key]) for key in found}, row["name"]
        assert cpdag(extension(whole)) == whole


def test_twenty_thousand_nodes():
    graph = random_dag(20_000, 3, np.random.default_rng(1))
    whole = cpdag(graph)
    assert cpdag(extension(whole)) == whole
    assert v_structures(graph) == v_structures(whole)


def test_a_large_star_either_way():
    names = [f"leaf{i}" for i in range(5_000)]
    star = DAG.from_arcs(("centre", name) for name in names)
    assert cpdag(star).n_edges == 5_000
    assert extension(cpdag(star)).n_arcs == 5_000


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
    with pytest.raises(GraphError, match=r"got a PDAG.*extension"):
        separated(cpdag(graph), "a", "c")


@given(dags(min_nodes=2, max_nodes=8), st.data())
def test_d_separation_agrees_with_networkx(graph, data):
    xs, ys, between = data.draw(disjoint_sets(len(graph.nodes)))
    other = to_networkx(graph)
    sets = [set(node_names(graph, nodes)) for nodes in (xs, ys, between)]
    wanted = nx.is_d_separator(other, *sets)
    assert separated(graph, *sets) == separated(graph, ys, xs, between) == wanted


@given(dags(min_nodes=2, max_nodes=8), st.data())
def test_all_separated_nodes_are_those_separated_one_by_one(graph, data):
    xs, _, between = data.draw(disjoint_sets(len(graph.nodes)))
    rest = set(range(len(graph.nodes))) - xs - between
    wanted = node_names(
        graph, (node for node in sorted(rest) if separated(graph, xs, node, between))
    )
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
    cut.remove_nodes_from(node_names(graph, between))
    wanted = not any(
        nx.has_path(cut, x, y) for x in node_names(graph, xs) for y in node_names(graph, ys)
    )
    assert separated(graph, xs, ys, between) == wanted
    rest = set(range(len(graph.nodes))) - xs - between
    assert set(d_separated_from(graph, xs, between)) == {
        graph.nodes[node] for node in rest if separated(graph, xs, node, between)
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
        assert set(found) <= set(node_names(graph, inside))
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
    assert graph.nodes[19_999] in d_separated_from(graph, 0, found)
    assert separated(UGraph.empty(graph.nodes), 0, 1)
