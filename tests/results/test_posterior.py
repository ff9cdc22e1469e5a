"""A distribution over graphs: counting, errors, features, the verdict."""

import numpy as np
import pytest

from arcwise.errors import GraphError
from arcwise.graphs import DAG, Rules, UGraph
from arcwise.results import GraphDistribution, draw_errors, of_draws

CHAIN = DAG.from_arcs(["a -> b", "b -> c"])
FORK = DAG.from_arcs(["b -> a", "b -> c"])
COLLIDER = DAG.from_arcs(["a -> b", "c -> b"])
EMPTY = DAG.empty(["a", "b", "c"])


def test_shares_are_counts():
    found = of_draws([CHAIN, COLLIDER, CHAIN, EMPTY], meaning="bootstrap frequency")
    assert found.graphs == (CHAIN, COLLIDER, EMPTY)
    assert found.weights.tolist() == [0.5, 0.25, 0.25]
    assert found.arcs[0, 1] == 0.75
    assert found.arcs[1, 0] == 0.0
    assert found.adjacent[1, 2] == found.adjacent[2, 1] == 0.75


def test_classes_count_once_and_open_arcs_half():
    found = of_draws([CHAIN, FORK, COLLIDER], meaning="x", classes=True)
    assert found.graphs == (CHAIN, COLLIDER)
    assert found.weights.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found.arcs[0, 1] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert found.arcs[1, 0] == pytest.approx(1 / 3)


def test_rules_direct_arcs_of_a_class():
    limits = Rules(tiers=[["a"], ["b", "c"]]).on(["a", "b", "c"])
    found = of_draws([CHAIN], meaning="x", classes=True, limits=limits)
    assert found.arcs[0, 1] == 1.0
    assert found.arcs[1, 2] == 1.0


def test_undirected_graphs_have_no_arcs():
    found = of_draws([UGraph.from_edges([("a", "b")], ["a", "b", "c"])] * 4, meaning="x")
    assert not found.directed
    assert np.isnan(found.arcs).all()
    assert found.adjacent[0, 1] == 1.0


@pytest.mark.parametrize("size", [1.0, 20.0, 1e6])
def test_errors_are_never_zero(size):
    errors = draw_errors(np.array([0.0, 1.0, 0.5]), size)
    assert (errors > 0).all()
    assert errors[0] == errors[1] == min(3 / size, 1.0)
    assert errors[2] == pytest.approx(0.5 / np.sqrt(size))


def test_features_have_probabilities_and_errors():
    found = of_draws([CHAIN] * 3 + [COLLIDER], meaning="x")
    share, error = found.probability(lambda graph: "c" in graph.descendants_of("a"))
    assert share == 0.75
    assert error == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    assert found.probability(lambda graph: True) == (1.0, 0.75)
    mean, _ = found.probability(lambda graph: graph.n_arcs)
    assert mean == 2.0


def test_exact_weights_bound_the_error_by_what_is_left():
    zeros = np.zeros((3, 3))
    weights = np.array([0.6, 0.3])
    found = GraphDistribution((*"abc",), (CHAIN, EMPTY), weights, zeros, zeros, zeros, zeros)
    share, error = found.probability(lambda graph: graph.n_arcs > 0)
    assert share == pytest.approx(2 / 3)
    assert error == pytest.approx(0.1)
    assert found.exact


def test_the_verdict_selects_or_averages():
    assert "select" in of_draws([CHAIN] * 8 + [EMPTY], meaning="posterior").verdict
    assert "average" in of_draws([CHAIN, FORK, COLLIDER, EMPTY], meaning="posterior").verdict


def test_some_graphs_keep_the_averages():
    rng = np.random.default_rng(1)
    graphs = [CHAIN, FORK, COLLIDER, EMPTY]
    found = of_draws(
        [graphs[i] for i in rng.choice(4, 1000, p=[0.6, 0.2, 0.15, 0.05])], meaning="x"
    )
    few, weights, size, left = found.some(100)
    assert few == found.graphs
    assert (size, left) == (1000.0, 0.0)
    assert weights.sum() == pytest.approx(1.0)
    three, shares, *_ = found.some(3)
    assert len(three) <= 3
    assert shares.sum() == pytest.approx(1.0)
    assert three[0] == CHAIN


def test_no_draws_are_an_error():
    with pytest.raises(GraphError, match="No graph was drawn"):
        of_draws([], meaning="x")


def test_values_cannot_be_changed():
    found = of_draws([CHAIN], meaning="x")
    with pytest.raises(ValueError, match="read-only"):
        found.arcs[0, 0] = 1.0
