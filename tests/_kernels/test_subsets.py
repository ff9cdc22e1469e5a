"""Dynamic programs over subsets against trying everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import posterior as plain_sums
from naive import subsets as naive

from arcwise._kernels import sets as kernel
from arcwise._kernels.sets import dag_posterior

numbers = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 0.0, 1.5])


@settings(deadline=None)
@given(st.integers(0, 6).flatmap(lambda c: st.lists(numbers, min_size=1 << c, max_size=1 << c)))
def test_subset_maxima_of_ties_and_infinities(values):
    array = np.array(values)
    expected = naive.subset_maxima(array)
    kernel.subset_maxima(array)
    assert array.tolist() == expected.tolist()


def problem(seed: int, p: int):
    """Random tables over random candidates, with some required parents."""
    rng = np.random.default_rng(seed)
    first = rng.permutation(p)  # requirements follow this order, so that they can be met
    place = np.argsort(first)
    required, candidates, tables = [], [], []
    for v in range(p):
        others = [x for x in range(p) if x != v]
        must = [x for x in others if place[x] < place[v] and rng.random() < 0.2]
        may = [x for x in others if x not in must and rng.random() < 0.7]
        required.append(must)
        candidates.append(may)
        values = np.round(rng.normal(size=1 << len(may)), 1)  # rounded: many ties
        tables.append(naive.subset_maxima(values))
    return tables, candidates, required


def packed(tables, candidates, required):
    offsets = np.cumsum([0, *map(len, tables)], dtype=np.int64)[:-1]
    masks = [
        np.array([sum(1 << x for x in row) for row in rows], dtype=np.uint64)
        for rows in (candidates, required)
    ]
    return np.concatenate(tables), offsets, *masks


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_order_is_the_best_of_all_orders(p, seed):
    tables, candidates, required = problem(seed, p)
    best, order = kernel.best_order(*packed(tables, candidates, required))
    assert best == pytest.approx(naive.best_order(tables, candidates, required))
    assert sorted(order.tolist()) == list(range(p))
    value, before = 0.0, set()
    for v in order.tolist():
        assert set(required[v]) <= before
        value += tables[v][sum(1 << b for b, c in enumerate(candidates[v]) if c in before)]
        before.add(v)
    assert value == pytest.approx(best)


def test_requirements_in_a_circle_have_no_order():
    tables = [np.zeros(1), np.zeros(1)]
    best, _ = kernel.best_order(*packed(tables, [[], []], [[1], [0]]))
    assert best == -np.inf


def test_sets_of_more_than_sixteen_variables_use_all_bytes():
    """Only the last variable has candidates, at both ends of the word."""
    p = 18
    tables = [np.zeros(1) for _ in range(p - 1)] + [np.array([0.0, 1.0, 2.0, 5.0])]
    candidates = [[] for _ in range(p - 1)] + [[0, 16]]
    best, order = kernel.best_order(*packed(tables, candidates, [[] for _ in range(p)]))
    assert best == 5.0
    found = order.tolist()
    assert max(found.index(0), found.index(16)) < found.index(17)


def test_the_best_order_can_be_interrupted():
    p, looks = 21, []
    tables, offsets = np.zeros(p), np.arange(p)
    none = np.zeros(p, dtype=np.uint64)

    def check():
        looks.append(1)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        kernel.best_order(tables, offsets, none, none, check)
    assert len(looks) == 1


# -- graph sums ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 3000.0])
@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("orders", [False, True])
def test_sums_over_all_graphs(p, spread, orders):
    rng = np.random.default_rng(p)
    weights = spread * rng.standard_normal((p, 2 ** (p - 1))) - 5000.0
    if p > 2:
        weights[1, 0] = -np.inf  # a variable that needs some parent
    found = dag_posterior(weights, orders=orders)
    log_total, arcs = plain_sums.posterior(weights, orders)
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


def test_other_shapes_are_rejected():
    with pytest.raises(ValueError, match="a line for each variable"):
        dag_posterior(np.zeros((3, 3)))


def test_sums_can_be_interrupted():
    def check():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        dag_posterior(np.zeros((14, 2**13)), check=check)
