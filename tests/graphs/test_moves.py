from collections import Counter

import numpy as np
import pytest
from graphs.strategies import all_dags, dags
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import DAG, Limits, Move, Rules, legal_moves, random_dag
from arcwise.graphs import all_dags as listed
from arcwise.graphs.moves import _pairs


def one_arc_apart(graph, other):
    mine, theirs = set(graph.arcs), set(other.arcs)
    changed = mine ^ theirs
    return len(changed) == 1 or (
        len(changed) == 2 and len(mine) == len(theirs) and {min(changed)} == {max(changed)[::-1]}
    )


@pytest.mark.parametrize("size", [2, 3, 4])
def test_legal_moves_reach_exactly_the_graphs_one_change_away(size):
    every = all_dags(size)
    for graph in every[:: 1 if size < 4 else 17]:
        reached = [move.apply(graph) for move in legal_moves(graph)]
        assert Counter(reached) == Counter(o for o in every if one_arc_apart(graph, o))


@given(dags(min_nodes=2))
def test_moves_keep_acyclicity_and_the_inverse_restores(graph):
    for move in legal_moves(graph):
        changed = move.apply(graph)
        assert changed == move.apply(graph, check=False)
        assert len(changed.order()) == len(graph.nodes)
        assert move.inverse.apply(changed) == graph
        assert move.inverse.inverse == move


@given(dags(min_nodes=2), st.data())
def test_rules_are_obeyed(graph, data):
    names = st.sampled_from(graph.nodes)
    arcs = st.lists(st.tuples(names, names).filter(lambda arc: arc[0] != arc[1]), max_size=4)
    rules = Rules(forbidden=data.draw(arcs), max_parents=data.draw(st.integers(0, 3)))
    limits = rules.on(graph.nodes)
    moves = list(legal_moves(graph, limits))
    families = [(child, row) for move in moves for child, row in move.changes(graph)]
    assert all(limits.allows(child, row) for child, row in families)
    others = set(legal_moves(graph)).difference(moves)
    assert all(not all(limits.allows(*family) for family in m.changes(graph)) for m in others)
    if limits.allows_graph(graph):
        assert all(limits.allows_graph(move.apply(graph)) for move in moves)


def test_required_arcs_are_neither_dropped_nor_flipped():
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    limits = Rules(required=["a -> b"]).on(graph.nodes)
    kinds = {(move.kind, move.tail, move.head) for move in legal_moves(graph, limits)}
    assert kinds == {("drop", 1, 2), ("flip", 1, 2), ("add", 0, 2)}


def test_a_condition_sees_the_whole_graph():
    graph = DAG.from_arcs(["a -> b"], ["a", "b", "c"])
    root = Rules(forbidden=["b -> a", "c -> a"]).on(graph.nodes)
    class_has_a_child = root.where(lambda dag: bool(dag.children[0]))
    found = {(m.kind, m.tail, m.head) for m in legal_moves(graph, class_has_a_child)}
    assert found == {("add", 2, 1), ("add", 0, 2), ("add", 1, 2)}


def test_illegal_moves_are_rejected_with_a_message():
    graph = DAG.from_arcs(["a -> b", "b -> c", "a -> c"])
    with pytest.raises(GraphError, match="cycle"):
        Move("flip", 0, 2).apply(graph)
    with pytest.raises(GraphError, match="cycle"):
        Move("add", 2, 0).apply(graph)
    with pytest.raises(GraphError, match="already"):
        Move("add", 0, 1).apply(graph)
    with pytest.raises(GraphError, match="not in the graph"):
        Move("drop", 1, 0).apply(graph)
    with pytest.raises(GraphError, match="add, drop or flip"):
        Move("turn", 0, 1).apply(graph)


def test_sparse_graphs_of_any_size():
    graph = random_dag(20_000, 3, np.random.default_rng(1))
    # Arcs are binomial: mean 30 000, standard deviation 173.
    assert abs(graph.n_arcs - 30_000) < 5 * 173
    assert DAG(graph.nodes, graph.parents) == graph
    assert graph.nodes[0] == "x00001"
    assert list(graph.nodes) == sorted(graph.nodes)


def test_same_seed_same_graph_and_own_names():
    names = ["b", "a", "c"]
    one, two = (random_dag(names, 1, np.random.default_rng(7)) for _ in range(2))
    assert one == two
    assert one.nodes == ("b", "a", "c")


def test_every_pair_is_equally_likely_in_either_direction():
    rng = np.random.default_rng(3)
    draws = 4_000
    count = np.zeros((4, 4))
    for _ in range(draws):
        for tail, head in random_dag(4, 1.2, rng).numbered_arcs:
            count[tail, head] += 1
    # Each direction has probability 0.4 / 2; five standard deviations of a binomial.
    off = count[~np.eye(4, dtype=bool)]
    assert np.abs(off - 0.2 * draws).max() < 5 * np.sqrt(draws * 0.2 * 0.8)


@given(st.integers(0, 40), st.integers(0, 2**32))
def test_extreme_degrees(size, seed):
    rng = np.random.default_rng(seed)
    assert random_dag(size, 0, rng).n_arcs == 0
    full = random_dag(size, max(size - 1, 0), rng)
    assert full.n_arcs == size * (size - 1) // 2
    assert DAG(full.nodes, full.parents) == full


def test_all_places_are_decoded_into_pairs():
    early, late = _pairs(300, 1.0, np.random.default_rng(1))
    assert len(set(zip(early, late, strict=True))) == 300 * 299 // 2
    assert all(0 <= i < j < 300 for i, j in zip(early, late, strict=True))


@pytest.mark.parametrize("degree", [-1, 3.5, float("nan")])
def test_impossible_degrees_are_rejected(degree):
    with pytest.raises(GraphError, match="from 0 to 2"):
        random_dag(3, degree, np.random.default_rng(1))


def test_all_graphs_are_listed_once_and_obey_the_rules():
    naive = all_dags(4)
    every = list(listed(Limits.none(naive[0].nodes)))
    assert len(every) == 543
    assert set(every) == set(naive)
    first, second, *_ = naive[0].nodes
    limits = Rules(required=[(first, second)], max_parents=1).on(naive[0].nodes)
    assert set(listed(limits)) == {graph for graph in every if limits.allows_graph(graph)}
