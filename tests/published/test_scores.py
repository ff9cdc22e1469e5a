"""Scores, regressions and hill climbing on bnlearn's data (bnlearn 4.8.3; oracles/scores.json).

The maximum-likelihood column is compared, since variances here are RSS / n.
"""

import json

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import cpdag, dag
from arcwise.scores import aic, bge, bic, loglik, total

REL = 1e-6


@pytest.fixture(scope="module")
def oracle(shared_data):
    return json.loads((shared_data / "oracles" / "scores.json").read_text())


@pytest.fixture(scope="module")
def gaussian_test(shared_data):
    return aw.read(shared_data / "bnlearn" / "gaussian.test.csv.gz")


@pytest.fixture(scope="module")
def marks(shared_data):
    return aw.read(shared_data / "bnlearn" / "marks.csv")


@pytest.fixture(scope="module")
def fits(gaussian_test):
    return FAMILIES["gaussian"].bind(gaussian_test)


def graph_of(oracle):
    return dag(oracle["gaussian.test"]["dag"]).over(tuple("ABCDEFG"))


@pytest.mark.parametrize("score", [loglik, aic, bic])
def test_likelihood_scores_of_the_true_graph(oracle, fits, score):
    expected = oracle["gaussian.test"]["maximum_likelihood"][score.__name__]
    assert total(score(fits), graph_of(oracle)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("score", [loglik, bic, bge])
def test_scores_of_the_empty_graph(oracle, fits, score):
    """bnlearn's empty graph divides by n - 1, hence the looser bound for the likelihood ones."""
    expected = oracle["gaussian.test"]["empty_dag"][score.__name__]
    rel = REL if score is not bge else 1e-10
    assert total(score(fits), aw.DAG.empty(fits.nodes)) == pytest.approx(expected, rel=rel)


def test_free_parameters(oracle, gaussian_test):
    net = aw.fit(graph_of(oracle), gaussian_test)
    assert net.net.n_params == oracle["gaussian.test"]["free_parameters"]
    assert net.score == pytest.approx(oracle["gaussian.test"]["maximum_likelihood"]["bic"])


def test_bge_by_node(oracle, fits):
    score, graph = bge(fits), graph_of(oracle)
    for name, expected in oracle["gaussian.test"]["bge_by_node"].items():
        child = graph.nodes.index(name)
        assert score.local(child, graph.parents[child]) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("more", [3, 10, 20])
def test_bge_with_other_degrees_of_freedom(oracle, fits, more):
    expected = oracle["gaussian.test"][f"bge_alpha_w_n+{more}"]
    found = total(bge(fits, alpha_w=7 + more), graph_of(oracle))
    assert found == pytest.approx(expected, rel=1e-10)


def test_bge_of_the_true_graph_and_of_an_equivalent_one(oracle, fits):
    graph = graph_of(oracle)
    turned = graph.without_arc("B", "D").with_arc("D", "B")
    expected = oracle["gaussian.test"]["bge"]
    assert total(bge(fits), graph) == pytest.approx(expected, rel=1e-10)
    assert oracle["gaussian.test"]["arc_B_D_reversed_bge"] == pytest.approx(expected, rel=1e-12)
    assert total(bge(fits), turned) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", ["C", "F"])
def test_regressions(oracle, gaussian_test, name):
    """residual_sd is R's, with divisor n - p."""
    expected = dict(oracle["gaussian.test"][f"regression_{name}"])
    sd, intercept = expected.pop("residual_sd"), expected.pop("(Intercept)")
    net = aw.fit(graph_of(oracle), gaussian_test)
    model = net[name]
    assert net.parents(name) == tuple(sorted(expected))
    assert model.coefficients == pytest.approx([expected[p] for p in sorted(expected)], rel=1e-9)
    assert model.intercept == pytest.approx(intercept, rel=1e-7)
    rows, free = gaussian_test.rows, len(expected) + 1
    assert model.sd * np.sqrt(rows / (rows - free)) == pytest.approx(sd, rel=1e-9)


def test_partial_correlations_of_marks(oracle, marks):
    """Given all others, in the complete graph: the sample's own partial correlations."""
    net = aw.fit(aw.DAG.complete(marks.names), marks)
    for pair, expected in oracle["marks"]["partial_correlations"].items():
        found = net.edges[tuple(pair.split("-"))].partial_correlation
        assert found == pytest.approx(expected, abs=1e-6)


def test_hill_climbing_on_gaussian_test(oracle, gaussian_test):
    expected = dag(oracle["gaussian.test"]["hill_climbing_bic_result"])
    net = aw.learn(gaussian_test, score="bic", search="greedy")
    assert cpdag(net.graph) == cpdag(expected.over(net.graph.nodes))
    bound = oracle["gaussian.test"]["maximum_likelihood"]["bic"]
    assert net.score == pytest.approx(bound, rel=REL)


@pytest.mark.parametrize(("score", "key"), [("bic", "bic_bnlearn"), ("bge", "bge")])
def test_hill_climbing_on_marks(oracle, marks, score, key):
    """Ties between equivalent graphs fall otherwise in bnlearn: classes are compared."""
    result = oracle["marks"][f"hill_climbing_{score}"]
    expected = dag(result["dag"]).over(marks.names)
    net = aw.learn(marks, score=score, search="greedy")
    assert cpdag(net.graph) == cpdag(expected)
    # bnlearn's BIC has variances with divisor n - p.
    assert net.score == pytest.approx(result[key], rel=1e-10 if score == "bge" else 1e-4)
