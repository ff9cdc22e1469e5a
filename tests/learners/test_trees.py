"""Chow-Liu trees and forests."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

import arcwise as aw
from arcwise.graphs import DAG


@pytest.fixture(scope="module")
def levels():
    rng = np.random.default_rng(2)
    hidden = rng.integers(0, 3, 400)
    columns = {}
    for i in range(7):
        noise = rng.integers(0, 3, 400)
        columns["abcdefg"[i]] = np.where(rng.random(400) < 0.4, hidden, noise)
        hidden = np.where(rng.random(400) < 0.8, hidden, rng.integers(0, 3, 400))
    columns["noise"] = rng.integers(0, 4, 400)
    return {name: [f"l{v}" for v in values] for name, values in columns.items()}


def test_it_is_the_tree_of_mutual_information(levels):
    net = aw.learn(levels, search="chow-liu", score="loglik")
    graph = nx.Graph()
    names = sorted(levels)
    for i, a in enumerate(names):
        for b in names[:i]:
            graph.add_edge(a, b, weight=mutual_info_score(levels[a], levels[b]))
    tree = nx.maximum_spanning_tree(graph)
    assert {frozenset(arc) for arc in net.graph.arcs} == {frozenset(edge) for edge in tree.edges}
    empty = aw.score(DAG.empty(names), levels, score="loglik")
    assert net.score - empty == pytest.approx(400 * tree.size(weight="weight"))


def test_with_a_charge_it_is_the_best_forest(levels):
    forest = aw.learn(levels, search="chow-liu", score="bic")
    assert forest.children("noise") == forest.parents("noise") == ()
    best = aw.learn(levels, search="exact", score="bic", rules=aw.Rules(max_parents=1))
    assert forest.score == pytest.approx(
        best.score
    )  # the best graph with one parent each is a forest


def test_numbers_by_their_correlations():
    boston = aw.example("boston")
    tree = aw.learn(boston, search="chow-liu", score="loglik")
    strength = np.abs(np.corrcoef(boston.matrix().T)) - np.eye(14)
    graph = nx.from_numpy_array(strength)
    wanted = nx.maximum_spanning_tree(graph).edges
    names = boston.names
    assert {frozenset(a) for a in tree.graph.arcs} == {
        frozenset((names[i], names[j])) for i, j in wanted
    }


def test_the_root_is_as_asked_and_the_score_does_not_care(levels):
    found = [aw.learn(levels, search=aw.ChowLiu(root=root), score="bic") for root in ("a", "e")]
    assert found[0].score == pytest.approx(found[1].score)
    assert [net.parents(root) for net, root in zip(found, ("a", "e"), strict=True)] == [(), ()]
    with pytest.raises(aw.DataError, match="no column 'z'"):
        aw.learn(levels, search=aw.ChowLiu(root="z"))


def test_rules_are_obeyed(levels):
    free = aw.learn(levels, search="chow-liu", score="loglik")
    gone = free.graph.arcs[0]
    rules = aw.Rules(forbidden=[gone, gone[::-1]], required=["noise -> a"])
    found = aw.learn(levels, search="chow-liu", score="loglik", rules=rules)
    assert found.graph.has_arc("noise", "a")
    assert not {gone, gone[::-1]} & set(found.graph.arcs)
    assert found.score < free.score
    with pytest.raises(aw.GraphError, match="allow no direction"):
        aw.learn(
            levels,
            search=aw.ChowLiu(root="c"),
            score="loglik",
            rules=aw.Rules(required=["noise -> a", "noise -> b"]),
        )


def test_what_it_refuses(levels):
    with pytest.raises(aw.FitError, match="depends on directions"):
        aw.learn(levels, search="chow-liu", score="k2")
    with pytest.raises(aw.GraphError, match="no start graph"):
        aw.learn(levels, search="chow-liu", prior=aw.Prior("a -> b"))


def test_it_can_be_stopped(levels):
    net = aw.learn(levels, search="chow-liu", time_limit=0)
    assert net.graph.n_arcs == 0
    assert "time" in str(net.stopped)
