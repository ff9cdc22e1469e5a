"""The table of edges: strengths are differences of scores, flags those of the class."""

import numpy as np
import pytest
from contracts.cases import bind, linear, random_graph, random_rules, table
from contracts.laplace import Laplace
from shared_networks import dense_moments, gaussian_net, random_net

from arcwise.conditionals import FAMILIES
from arcwise.errors import OptionError
from arcwise.evaluate import edge_table
from arcwise.evaluate.strengths import ALL_PAIRS
from arcwise.graphs import DAG, cpdag, legal_moves, random_dag
from arcwise.networks import BayesNet
from arcwise.scores import total

SOURCE = linear(1, rows=60, p=6)


def fitted(graph: DAG, source=SOURCE, family=None) -> BayesNet:
    family = family or FAMILIES["gaussian"]
    fits = family.bind(source)
    models = tuple(fits.conditional(c, row) for c, row in enumerate(graph.parents))
    return BayesNet(source.variables, graph, models)


@pytest.mark.parametrize("word", ["bic", "bge", "loglik", "loo", "kfold", "heldout"])
@pytest.mark.parametrize("seed", range(3))
def test_strengths_are_differences_of_totals_per_row(word, seed):
    rng = np.random.default_rng(seed)
    score = bind(word, FAMILIES["gaussian"], SOURCE)
    limits = random_rules(SOURCE.names, rng).on(SOURCE.names)
    graph = random_graph(SOURCE.names, rng, limits=limits)
    edges = edge_table(fitted(graph), score, limits)
    assert len(edges) == 15
    whole = total(score, graph)
    additions = {
        (m.tail, m.head): total(score, m.apply(graph)) - whole
        for m in legal_moves(graph, limits)
        if m.kind == "add"
    }
    for row in edges:
        a, b = SOURCE.names.index(row.first), SOURCE.names.index(row.second)
        if row.present:
            tail, head = (a, b) if a in graph.parents[b] else (b, a)
            assert row.direction == f"{SOURCE.names[tail]} -> {SOURCE.names[head]}"
            expected = whole - total(score, graph.without_arc(tail, head))
        else:
            assert row.direction == ""
            expected = max(additions.get((a, b), -np.inf), additions.get((b, a), -np.inf))
        assert row.strength == pytest.approx(expected / score.rows, abs=1e-9)
        assert row.total == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_flags_are_those_of_the_equivalence_class(seed):
    graph = random_graph(SOURCE.names, np.random.default_rng(seed))
    found = cpdag(graph)
    undirected = {frozenset(edge) for edge in found.edges}
    edges = edge_table(fitted(graph))
    for row in edges:
        assert row.reversible == (frozenset((row.first, row.second)) in undirected)
    directed = {row.direction for row in edges.present if not row.reversible}
    assert directed == {f"{a} -> {b}" for a, b in found.arcs}


def test_partial_correlations_are_those_of_the_fitted_joint():
    net = random_net(np.random.default_rng(1), 7)
    precision = np.linalg.inv(dense_moments(net)[1])
    scale = np.sqrt(np.diag(precision))
    expected = -precision / np.outer(scale, scale)
    for row in edge_table(net):
        a, b = net.names.index(row.first), net.names.index(row.second)
        assert row.partial_correlation == pytest.approx(expected[a, b], abs=1e-9)
        strength = -0.5 * np.log(1 - expected[a, b] ** 2)
        assert row.strength == pytest.approx(strength, abs=1e-9)


def test_more_variables_than_pairs_can_be_shown_give_edges_only():
    p = ALL_PAIRS + 5
    graph = random_dag(p, 2, np.random.default_rng(1))
    recipe = {name: (0.0, dict.fromkeys(graph.parents_of(name), 0.5), 1.0) for name in graph.nodes}
    edges = edge_table(gaussian_net(recipe))
    assert len(edges) == graph.n_arcs
    assert all(row.present for row in edges)
    assert {tuple(row.direction.split(" -> ")) for row in edges} == set(graph.arcs)
    assert np.isfinite(edges.strength).all()
    none = edge_table(gaussian_net({name: (0.0, {}, 1.0) for name in graph.nodes}))
    assert len(none) == 0
    assert none.rows == []


def test_local_models_without_a_gaussian_joint_have_no_partial_correlation():
    source = linear(1, rows=30, p=3)
    net = fitted(DAG.from_arcs([("v0", "v1")], source.names), source, Laplace())
    score = bind("loglik", Laplace(), source)
    edges = edge_table(net, score)
    assert np.isnan(edges["v0", "v1"].partial_correlation)
    assert edges["v0", "v1"].strength == pytest.approx(
        (score.local(1, (0,)) - score.local(1, ())) / 30
    )
    str(edges)


def test_rows_are_found_sorted_and_filtered():
    score = bind("bic", FAMILIES["gaussian"], SOURCE)
    graph = random_graph(SOURCE.names, np.random.default_rng(4))
    edges = edge_table(fitted(graph), score)
    assert edges["v1", "v0"] == edges["v0", "v1"]
    assert len(edges.present) == graph.n_arcs
    assert len(edges.present) + len(edges.absent) == len(edges)
    strengths = [row.strength for row in edges.sorted()]
    assert strengths == sorted(strengths, reverse=True)
    sizes = [abs(row.partial_correlation) for row in edges.sorted("partial_correlation")]
    assert sizes == sorted(sizes, reverse=True)
    assert [r.strength for r in edges.sorted(descending=False)] == strengths[::-1]
    assert edges.sorted().sorted("names").rows == edges.rows
    assert all(row.strength > 0.1 for row in edges.where(lambda row: row.strength > 0.1))
    assert len(edges.where(lambda row: False)) == 0
    assert [row["first"] for row in edges.to_records()] == [row.first for row in edges]
    frame = edges.to_pandas()
    assert frame.shape == (15, 12)
    assert (frame["sign"][~frame["present"]] == 0).all()
    assert (frame["sign"][frame["present"]].abs() == 1).all()
    assert frame["strength"].tolist() == edges.strength.tolist()
    assert str(edges).count("\n") == 15


def test_what_is_not_there_is_answered_in_words():
    edges = edge_table(fitted(DAG.empty(SOURCE.names)))
    with pytest.raises(OptionError, match="Did you mean 'v1'"):
        edges["v0", "v11"]
    with pytest.raises(OptionError, match="pair"):
        edges["v0", "v0"]
    with pytest.raises(OptionError, match="sort"):
        edges.sorted("colour")


def test_one_variable_has_no_pairs():
    source = table({"a": np.arange(5.0)})
    edges = edge_table(fitted(DAG.empty(["a"]), source), bind("bic", FAMILIES["gaussian"], source))
    assert edges.rows == []
    assert "edge" in str(edges)
