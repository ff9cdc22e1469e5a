"""Members of a class and the effect of rules on it, against all orientations of the skeleton."""

import pickle
from itertools import product

import numpy as np
import pytest
from graphs.strategies import pdags
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    Rules,
    cpdag,
    directed_by,
    equivalent,
    members,
    random_dag,
    skeleton,
    some_members,
)


def test_arcs_edges_and_relatives():
    graph = PDAG.from_edges(["a -> b", "b -> d"], [("b", "c")], nodes=["a", "b", "c", "d", "e"])
    assert (graph.n_arcs, graph.n_edges) == (2, 1)
    assert graph.arcs == (("a", "b"), ("b", "d"))
    assert graph.edges == (("b", "c"),)
    assert graph.parents_of("b") == ("a",)
    assert graph.children_of("b") == ("d",)
    assert graph.neighbours_of("b") == ("c",)
    assert str(graph) == "a -> b, b -> d, b - c, e"


def test_contradictions_are_rejected_with_a_message():
    with pytest.raises(GraphError, match="'a' and 'b' have both an arc and an edge"):
        PDAG.from_edges(["a -> b"], [("b", "a")])
    with pytest.raises(GraphError, match="a -> b -> a"):
        PDAG.from_edges(["a -> b", "b -> a"])
    with pytest.raises(GraphError, match="not the reverse"):
        PDAG(("a", "b"), ((), ()), ((1,), ()))


def test_large_graphs_are_shown_by_size():
    graph = PDAG.empty([f"v{i}" for i in range(31)])
    assert repr(graph) == "<PDAG 31 nodes, 0 arcs, 0 edges>"


@given(pdags())
def test_over_and_pickle_round_trips(graph):
    assert graph.over(graph.nodes[::-1]).over(graph.nodes) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(PDAG(graph.nodes, graph.parents, graph.neighbours)) == hash(graph)


def every_member(graph: DAG) -> list[DAG]:
    """All DAGs equivalent to one, by trying all directions of all edges."""
    found = []
    edges = skeleton(graph).edges
    for turned in product([False, True], repeat=len(edges)):
        arcs = [edge[::-1] if turn else edge for edge, turn in zip(edges, turned, strict=True)]
        try:
            other = DAG.from_arcs(arcs, graph.nodes)
        except GraphError:
            continue
        if equivalent(graph, other):
            found.append(other)
    return found


def cases(count: int, seed: int):
    rng = np.random.default_rng(seed)
    for number in range(count):
        size = int(rng.integers(3, 6))
        density = float(rng.uniform(0.8, min(3.4, size - 1)))
        yield random_dag([f"v{i}" for i in range(size)], density, rng), rng, number


def test_members_are_the_equivalent_graphs_each_once():
    sizes = set()
    for graph, _, _ in cases(60, 1):
        found = list(members(cpdag(graph), graph))
        assert found[0] is graph
        assert len(found) == len(set(found))
        assert set(found) == set(every_member(graph))
        sizes.add(len(found))
    assert max(sizes) > 20


def random_rules(graph: DAG, rng: np.random.Generator) -> Rules:
    """Rules that a graph obeys: a required arc, a forbidden opposite, two tiers."""
    arcs = list(graph.arcs)
    rng.shuffle(arcs)
    required, forbidden = arcs[:1], [(head, tail) for tail, head in arcs[1:2]]
    order = [graph.nodes[i] for i in graph.order()]
    cut = int(rng.integers(1, len(order)))
    tiers = [order[:cut], order[cut:]] if rng.random() < 0.5 else ()
    return Rules(required=required, forbidden=forbidden, tiers=tiers)


def test_rules_leave_the_members_that_obey_them_and_direct_what_these_agree_on():
    pinned = 0
    for graph, rng, _ in cases(100, 2):
        limits = random_rules(graph, rng).on(graph.nodes)
        found = cpdag(graph, limits)
        legal = [each for each in every_member(graph) if limits.allows_graph(each)]
        assert set(members(found, graph)) == set(legal)
        common = set.intersection(*(set(each.arcs) for each in legal))
        assert set(found.arcs) == common
        fresh = common - set(cpdag(graph).arcs)
        ends = [(graph.index(tail), graph.index(head)) for tail, head in fresh]
        named = [t in limits.required[h] or h in (limits.barred or {t: ()})[t] for t, h in ends]
        pinned += len(named) - sum(named)
    assert pinned > 10  # arcs that no rule names, beside those it does


def test_a_largest_number_of_parents_leaves_all_members_or_none():
    for graph, _, _ in cases(20, 3):
        most = max(map(len, graph.parents))
        limits = Rules(max_parents=most).on(graph.nodes)
        assert all(limits.allows_graph(each) for each in every_member(graph))


def test_a_required_arc_pins_the_arc_beside_it():
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    pinned = cpdag(graph, Rules(required=["a -> b"]).on(graph.nodes))
    assert pinned == PDAG.from_edges(arcs=["a -> b", "b -> c"])


def test_the_fourth_rule():
    # a - b, a - c -> d -> b, a - d: only the background knowledge c -> d -> b brings it about.
    square = PDAG.from_edges(edges=[("a", "b"), ("a", "c"), ("a", "d"), ("c", "d"), ("d", "b")])
    found = directed_by(square, [(2, 3), (3, 1)])
    assert ("a", "b") in found.arcs
    assert found.edges == (("a", "c"), ("a", "d"))


def test_one_member_for_each_set_of_parents():
    for graph, rng, _ in cases(40, 4):
        at = sorted(rng.choice(len(graph.nodes), size=2, replace=False).tolist())
        found = list(members(cpdag(graph), graph, at))
        keys = [tuple(each.parents[node] for node in at) for each in found]
        wanted = {tuple(each.parents[node] for node in at) for each in every_member(graph)}
        assert found[0] is graph
        assert len(keys) == len(set(keys))
        assert set(keys) == wanted
        assert all(equivalent(graph, each) for each in found)


def test_some_of_many_members_are_far_apart():
    names = [f"v{i}" for i in range(8)]
    graph = DAG.from_arcs([(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
    found = some_members(cpdag(graph), graph, [3], 20, np.random.default_rng(0))
    rows = {each.parents[3] for each in found.graphs}
    assert not found.complete
    assert found.graphs[0] is graph
    assert len(rows) == len(found.graphs) == 20
    assert {(), (0, 1, 2, 4, 5, 6, 7)} <= rows  # all edges out, all in
    assert all(equivalent(graph, each) for each in found.graphs)
    whole = some_members(cpdag(graph), graph, [3], 128, np.random.default_rng(0))
    assert (len(whole.graphs), whole.complete) == (128, True)


def test_a_star_of_many_leaves_is_walked_without_recursion():
    graph = DAG.from_arcs([("hub", f"leaf{i}") for i in range(1100)])
    hub = graph.index("hub")
    found = some_members(cpdag(graph), graph, [hub], 3, np.random.default_rng(0))
    assert sorted(len(each.parents[hub]) for each in found.graphs) == [0, 1, 1]


def test_directions_that_contradict_each_other_are_rejected():
    chain = PDAG.from_edges(edges=[("a", "b"), ("b", "c")])
    with pytest.raises(GraphError, match="contradicts"):
        directed_by(chain, [(0, 1), (2, 1)])


def test_rules_on_other_nodes_are_rejected():
    graph = DAG.from_arcs(["a -> b"])
    with pytest.raises(GraphError, match="bound to the nodes"):
        cpdag(graph, Rules(required=["a -> b"]).on(["a", "b", "c"]))
