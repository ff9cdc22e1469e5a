"""Gaussian networks with a known graph: closed form, iteration, and when there is no maximum."""

import csv
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import glasso as naive

from arcwise.errors import FitError
from arcwise.graphs import UGraph, decomposable
from arcwise.results import SearchEnd
from arcwise.undirected import fixed_graph as module
from arcwise.undirected.fixed_graph import fixed_graph, refit_graph
from arcwise.undirected.given_matrices import add_noise
from arcwise.undirected.glasso import glasso
from arcwise.undirected.newton import complete_by_newton

NAMES = tuple("abcdefghij")


def covariance(p, n, seed):
    rng = np.random.default_rng(seed)
    return np.cov((rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * rng.uniform(0.1, 9, p)).T)


def graph_of(p, edges):
    return UGraph.from_edges([(a, b) for a, b in edges], NAMES[:p])


def check(found, S, graph):
    """W = S on edges and diagonal, Theta = 0 elsewhere, each the inverse of the other."""
    p = len(S)
    on = np.eye(p, dtype=bool)
    for a, b in graph.numbered_edges:
        on[a, b] = on[b, a] = True
    scale = np.sqrt(np.outer(np.diag(S), np.diag(S)))
    assert np.abs((found.covariance - S) / scale)[on].max() < 1e-10
    assert not found.precision[~on].any()
    np.testing.assert_allclose(
        found.precision * scale @ (found.covariance / scale), np.eye(p), atol=1e-8
    )


@st.composite
def problems(draw):
    p = draw(st.integers(1, 6))
    pairs = list(combinations(range(p), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return covariance(p, 4 * p + 3, draw(st.integers(0, 10**6))) + np.eye(p) * 1e-3, edges


@given(problems())
def test_the_conditions_hold_on_any_graph(problem):
    S, edges = np.atleast_2d(problem[0]), problem[1]
    graph = graph_of(len(S), edges)
    found = fixed_graph(S, graph)
    check(found, S, graph)
    assert found.violation < 1e-10


@given(problems())
def test_the_closed_form_is_the_iterations_answer(problem):
    S, edges = np.atleast_2d(problem[0]), problem[1]
    graph = graph_of(len(S), edges)
    assume(decomposable(graph))
    root = np.sqrt(np.diag(S))
    R = S / np.outer(root, root)
    iterated, _ = module._iterate(R, graph)
    np.testing.assert_allclose(
        fixed_graph(S, graph).precision * np.outer(root, root),
        iterated.precision,
        rtol=1e-9,
        atol=1e-9,
    )


def test_cliques_less_separators():
    S = covariance(5, 40, 3)
    graph = graph_of(5, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)])
    expected = naive.clique_form(S, [(0, 1, 2), (1, 2, 3), (3, 4)], [(1, 2), (3,)])
    np.testing.assert_allclose(fixed_graph(S, graph).precision, expected, rtol=1e-10, atol=1e-12)
    assert fixed_graph(S, graph).iterations == 0


def test_the_square_is_that_of_modified_regression():
    # The Elements of Statistical Learning, section 17.3.1: S, the square's edges, and the printed W.
    S = np.array([[10.0, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]])
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    found = fixed_graph(S, graph_of(4, edges))
    W, T = naive.modified_regression(S, set(edges))
    np.testing.assert_allclose(found.covariance, W, atol=1e-10)
    np.testing.assert_allclose(found.precision, T, atol=1e-10)
    assert found.covariance[0, 2] == pytest.approx(1.31, abs=5e-3)
    assert found.covariance[1, 3] == pytest.approx(0.87, abs=5e-3)
    assert found.iterations > 0


def test_complete_and_empty_graphs():
    S = covariance(4, 30, 1)
    full = fixed_graph(S, UGraph.complete(NAMES[:4]))
    np.testing.assert_allclose(full.precision, np.linalg.inv(S), rtol=1e-9)
    empty = fixed_graph(S, UGraph.empty(NAMES[:4]))
    np.testing.assert_allclose(empty.precision, np.diag(1 / np.diag(S)), rtol=1e-12)


def test_fewer_rows_than_columns_are_enough_for_small_cliques():
    S = covariance(8, 5, 2)  # rank 4
    chain = graph_of(8, [(i, i + 1) for i in range(7)])
    check(fixed_graph(S, chain), S, chain)
    ring = graph_of(8, [(i, (i + 1) % 8) for i in range(8)])
    check(fixed_graph(S, ring), S, ring)


def test_too_few_rows_for_a_clique_are_rejected_with_a_message():
    S = covariance(6, 3, 2)  # rank 2
    with pytest.raises(FitError, match="likelihood has no maximum on this graph"):
        fixed_graph(S, UGraph.complete(NAMES[:6]))
    wheel = graph_of(6, [*combinations(range(4), 2), (3, 4), (4, 5), (5, 0)])
    with pytest.raises(FitError, match="singular"):
        fixed_graph(S, wheel)


def test_strong_correlations_converge():
    steps = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    S = 0.999**steps
    ring = graph_of(10, [(i, (i + 1) % 10) for i in range(10)])
    check(fixed_graph(S, ring), S, ring)


def test_a_graph_of_another_size_is_rejected():
    with pytest.raises(FitError, match="3 nodes, but the covariance has 2"):
        fixed_graph(np.eye(2), UGraph.empty(NAMES[:3]))


def read(path, drop=()):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in drop]
    return names, np.array([[float(row[name]) for name in names] for row in rows])


def test_mathematics_marks(shared_data):
    """Two cliques that share algebra (Whittaker 1990; Mardia, Kent and Bibby 1979)."""
    names, x = read(shared_data / "grbase" / "mathmark.csv")
    S = np.cov(x.T, bias=True)
    short = {name: name[:2].lower() for name in names}
    index = {short[name]: number for number, name in enumerate(names)}
    one, two = ("me", "ve", "al"), ("al", "an", "st")
    edges = [(index[a], index[b]) for c in (one, two) for a, b in combinations(c, 2)]
    graph = UGraph.from_edges(edges, names)
    found = fixed_graph(S, graph)
    check(found, S, graph)
    deviance = len(x) * (np.linalg.slogdet(found.covariance)[1] - np.linalg.slogdet(S)[1])
    assert deviance == pytest.approx(0.9, abs=0.05)  # on 4 degrees of freedom, as published


@pytest.mark.parametrize("name", ["carcass", "milkcomp1"])
def test_published_tables_fit_a_ring(shared_data, name):
    names, x = read(shared_data / "grbase" / f"{name}.csv", drop=("treat", "treatment"))
    S = np.cov(x.T, bias=True)
    p = len(names)
    ring = UGraph.from_edges([(i, (i + 1) % p) for i in range(p)], names)
    check(fixed_graph(S, ring), S, ring)


def test_a_maximum_with_fewer_rows_than_a_triangulation_needs():
    """A cycle of four needs three rows, not four; a grid of sixteen still has one with three or four."""
    cycle = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    x = np.random.default_rng(0).normal(size=(3, 4))
    S = x.T @ x / 3
    found = fixed_graph(S, cycle)
    near = np.array([[n == m or m in cycle.neighbours[n] for m in range(4)] for n in range(4)])
    np.testing.assert_allclose(np.linalg.inv(found.precision)[near], S[near], atol=1e-9)
    assert (found.precision[~near] == 0).all()
    names = [f"v{row}{column}" for row in range(4) for column in range(4)]
    pairs = [(f"v{r}{c}", f"v{r}{c + 1}") for r in range(4) for c in range(3)]
    grid = UGraph.from_edges(
        [*pairs, *((a[0] + a[2] + a[1], b[0] + b[2] + b[1]) for a, b in pairs)], names
    )
    for rows, seed in ((5, 0), (4, 2), (3, 26)):
        x = np.random.default_rng(seed).normal(size=(rows, 16))
        S = x.T @ x / rows
        found = fixed_graph(S, grid)
        assert found.violation < 1e-8
        assert np.linalg.eigvalsh(found.precision)[0] > 0


def test_where_there_is_none_the_guilty_are_named():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(50, 5))
    x[:, 4] = x[:, 0] + x[:, 1]
    wheel = [("a", "b"), ("b", "e"), ("a", "e"), ("b", "c"), ("c", "d"), ("d", "e")]
    with pytest.raises(FitError, match=r"covariance of a, .*is singular"):
        fixed_graph(np.cov(x.T), UGraph.from_edges(wheel, list("abcde")))


def test_likelihoods_of_near_copies_are_compared_to_a_thousandth_of_a_nat():
    """The gradient says little there: what is left to gain does."""
    rng = np.random.default_rng(3)
    for noise in (1e-1, 1e-2, 1e-3):
        x = rng.normal(size=(200, 6))
        x[:, 1] = x[:, 0] + noise * x[:, 1]
        x[:, 3] = x[:, 2] + noise * x[:, 3]
        R = np.corrcoef(x.T)
        start = glasso(R, 0.05).precision
        found = refit_graph(R, start, 200)
        names = [f"x{i}" for i in range(6)]
        pairs = [(names[i], names[j]) for i, j in np.argwhere(np.triu(start, 1))]
        best = fixed_graph(R, UGraph.from_edges(pairs, names)).precision

        def likelihood(theta, R=R):
            return 100 * (np.linalg.slogdet(theta)[1] - np.sum(R * theta))

        assert likelihood(found) == pytest.approx(likelihood(best), abs=2e-3)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_a_maximum_is_found_in_any_order_of_columns(seed):
    """Two sums among nine columns, measured with a small error: sharp, but a maximum."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 9))
    x[:, 6], x[:, 7] = x[:, 0] + x[:, 1], x[:, 2] + x[:, 3]
    R = add_noise(np.corrcoef(x.T), 60).matrix
    names = list("abcdefghi")
    places = np.argwhere(np.triu(glasso(R, 0.05).precision, 1))
    graph = UGraph.from_edges([(names[i], names[j]) for i, j in places], names)
    found = fixed_graph(R, graph)
    turned = rng.permutation(9)
    where = {int(old): new for new, old in enumerate(turned)}
    other = UGraph.from_edges([(names[where[i]], names[where[j]]) for i, j in places], names)
    again = fixed_graph(R[np.ix_(turned, turned)], other).precision
    one, two = (np.linalg.slogdet(theta)[1] for theta in (found.precision, again))
    assert one == pytest.approx(two, abs=1e-6)


def test_an_exact_sum_has_none_however_large_the_numbers_get():
    wheel = [("a", "b"), ("b", "e"), ("a", "e"), ("b", "c"), ("c", "d"), ("d", "e")]
    graph = UGraph.from_edges(wheel, list("abcde"))
    for seed in range(30):
        x = np.random.default_rng(seed).normal(size=(50, 5))
        x[:, 4] = x[:, 0] + x[:, 1]
        with pytest.raises(FitError, match="no maximum"):
            fixed_graph(np.cov(x.T), graph)


def nearly_complete(p, absent, seed):
    """A graph without some pairs, with the covariance of a few more rows than columns."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(p), 2))
    gone = {pairs[i] for i in rng.choice(len(pairs), absent, replace=False)}
    names = [f"v{i:03d}" for i in range(p)]
    kept = [(names[a], names[b]) for a, b in pairs if (a, b) not in gone]
    return covariance(p, 3 * p, seed), UGraph.from_edges(kept, names)


@pytest.mark.parametrize(("p", "absent"), [(6, 3), (12, 8), (30, 25)])
def test_few_absent_pairs_are_found_by_themselves(p, absent):
    S, graph = nearly_complete(p, absent, p)
    root = np.sqrt(np.diag(S))
    places = ~np.eye(p, dtype=bool)
    for a, b in graph.numbered_edges:
        places[a, b] = places[b, a] = False
    found = complete_by_newton(S / np.outer(root, root), places, 1e-13)
    expected = fixed_graph(S, graph).precision
    np.testing.assert_allclose(found.matrix / np.outer(root, root), expected, rtol=1e-7, atol=1e-10)


def test_a_large_graph_that_is_nearly_complete_takes_no_sweeps():
    S, graph = nearly_complete(120, 200, 1)
    found = fixed_graph(S, graph)
    check(found, S, graph)
    assert found.iterations == 0


def test_no_completion_where_columns_follow_from_others():
    x = np.random.default_rng(1).normal(size=(30, 3))
    S = np.corrcoef(np.column_stack([x, x]).T)
    assert complete_by_newton(S, np.zeros((6, 6), dtype=bool), 1e-13) is None


def test_a_long_fit_can_be_ended():
    S = covariance(9, 40, 1)
    ring = graph_of(9, [(NAMES[i], NAMES[(i + 1) % 9]) for i in range(9)])
    asked = []

    def after(count):
        def check():
            asked.append(count)
            if len(asked) >= count:
                raise SearchEnd

        return check

    for count in (1, 2, 4):
        asked.clear()
        with pytest.raises(SearchEnd):
            fixed_graph(S, ring, check=after(count))
        assert len(asked) == count
    np.testing.assert_array_equal(
        fixed_graph(S, ring, check=lambda: None).precision, fixed_graph(S, ring).precision
    )
