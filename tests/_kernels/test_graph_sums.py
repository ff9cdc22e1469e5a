import numpy as np
import pytest
from naive import posterior as naive

from arcwise._kernels.subsets import dag_posterior


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 3000.0])
@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("orders", [False, True])
def test_sums_over_all_graphs(p, spread, orders):
    rng = np.random.default_rng(p)
    weights = spread * rng.standard_normal((p, 2 ** (p - 1))) - 5000.0
    if p > 2:
        weights[1, 0] = -np.inf  # a variable that needs some parent
    found = dag_posterior(weights, orders=orders)
    log_total, arcs = naive.posterior(weights, orders)
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    assert np.allclose(found.arcs, arcs, atol=1e-12)


@pytest.mark.parametrize(("p", "count"), [(5, 29281), (7, 1138779265), (10, 4175098976430598143)])
def test_the_number_of_graphs(p, count):
    """Robinson (1973); each arc is in the same share of them."""
    found = dag_posterior(np.zeros((p, 2 ** (p - 1))))
    assert found.log_total == pytest.approx(np.log(float(count)), rel=1e-13)
    arcs = found.arcs[~np.eye(p, dtype=bool)]
    assert np.ptp(arcs) < 1e-11
    assert np.allclose(np.diag(found.arcs), 0)


def test_a_graph_that_outweighs_all_others():
    weights = np.full((9, 256), -2000.0)
    weights[:, 0] = 0.0  # nine variables without an arc, whose sinks cancel in the sum
    found = dag_posterior(weights)
    assert found.log_total == pytest.approx(0.0, abs=1e-12)
    assert np.abs(found.arcs).max() < 1e-12


def test_shares_of_what_could_be_chosen_from_sum_to_one():
    found = dag_posterior(np.random.default_rng(1).standard_normal((6, 32)) * 3)
    assert np.allclose(found.chosen.sum(axis=1), 1.0, atol=1e-12)


def test_rules_that_leave_no_graph():
    weights = np.zeros((2, 2))
    weights[:, 0] = -np.inf  # each needs the other
    assert dag_posterior(weights).log_total == -np.inf


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="a line for each variable"):
        dag_posterior(np.zeros((3, 3)))


def test_sums_can_be_interrupted():
    def check():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        dag_posterior(np.zeros((14, 2**13)), check=check)
