from collections import defaultdict
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from graphs.strategies import all_dags, dags, pdags
from graphs.structures import rows, structure
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    UGraph,
    cpdag,
    equivalent,
    extension,
    moral,
    random_dag,
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
        assert moral(graph).boundary_of(name) == graph.blanket_of(name)


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
