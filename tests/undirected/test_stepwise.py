"""Edge by edge: beside a slow twin by plain regressions, its criterion, rules, invariances and stops."""

from itertools import combinations

import numpy as np
import pytest
from undirected.tables import linear

from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.stepwise import Charge, _sides, stepwise, usual_gamma


def correlations(seed, rows, p):
    return np.corrcoef(linear(seed, rows, p).matrix().T)


def moral(p, n, seed):
    """The moral graph of a random DAG of average degree 3, and rows from it."""
    rng = np.random.default_rng([seed, p, n])
    weights = np.triu(rng.random((p, p)) < 3 / (p - 1), 1) * rng.uniform(0.3, 0.9, (p, p))
    weights = weights * rng.choice([-1, 1], (p, p))
    noise = rng.standard_normal((n, p)) * rng.uniform(0.5, 1.5, p)
    arcs = weights != 0
    joined = arcs | arcs.T | (arcs.astype(int) @ arcs.T.astype(int) > 0)
    np.fill_diagonal(joined, False)
    return joined, noise @ np.linalg.inv(np.eye(p) - weights)


def f1(found, truth):
    return 2 * (found & truth).sum() / (found.sum() + truth.sum())


def pseudo(R, n, joined):
    """Half the sum of the log-likelihoods of regressions on the neighbours."""
    total = 0.0
    for i, row in enumerate(joined):
        near = np.flatnonzero(row)
        left = 1.0 - R[i, near] @ np.linalg.solve(R[np.ix_(near, near)], R[near, i])
        total -= 0.5 * n * np.log(left)
    return 0.5 * total


def slow(R, n, gamma):
    """The best single removal where one helps, else the best single addition, by whole regressions."""
    charge, joined = Charge(n, len(R), gamma), np.zeros_like(R, dtype=bool)
    value = lambda graph: pseudo(R, n, graph) - charge.total(int(graph.sum()) // 2)  # noqa: E731
    while True:
        for present in (True, False):
            tried = []
            for i, j in np.argwhere(np.triu(joined == present, 1)):
                other = joined.copy()
                other[i, j] = other[j, i] = not present
                tried.append((value(other), i, j))
            best = max(tried, default=(-np.inf, 0, 0))
            if best[0] > value(joined) + 1e-9:
                break
        else:
            return joined
        _, i, j = best
        joined[i, j] = joined[j, i] = not joined[i, j]


def replay(R, n, gamma):
    """Each step beside all gains computed again, from the matrix and the graph alone; ties by columns."""
    R = 0.5 * (R + R.T)
    charge, near = Charge(n, len(R), gamma), [[] for _ in R]
    slack, most = 1e-10 * n, int((n - 1) // 3)
    told = [(step.what, step.tail, step.head) for step in stepwise(R, n, gamma=gamma).trace]
    for what, one, two in [*told, ("end", -1, -1)]:
        sides = np.array([_sides(R, n, node, row) for node, row in enumerate(near)])
        worth, edges = 0.5 * (sides + sides.T), sum(map(len, near)) // 2
        pairs = list(combinations(range(len(R)), 2))
        there = [(-worth[i, j], i, j) for i, j in pairs if j in near[i]]
        absent = [
            (worth[i, j], i, j)
            for i, j in pairs
            if j not in near[i] and max(len(near[i]), len(near[j])) < most
        ]
        gains = {"remove": there, "add": absent}
        charges = {"remove": charge.edge(max(edges, 1)), "add": -charge.edge(edges + 1)}
        wanted = ("end", -1, -1)
        for word, tried in gains.items():
            top = max(tried, default=(-np.inf,))[0]
            if top + charges[word] > 1e-9:
                wanted = (word, *min(each[1:] for each in tried if each[0] >= top - slack))
                break
        assert (what, one, two) == wanted
        if what != "end":
            for a, b in ((one, two), (two, one)):
                near[a] = [x for x in near[a] if x != b] + [b] * (what == "add")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gamma", [0.0, 0.6])
def test_it_is_what_plain_regressions_give(seed, gamma):
    R = correlations(seed, 150, 7)  # with 15 rows a column no edge is added by the likelihood
    found = stepwise(R, 150, gamma=gamma)
    np.testing.assert_array_equal(found.adjacency, slow(R, 150, gamma))
    assert found.added == 0


def test_a_matrix_that_is_symmetric_up_to_rounding_gives_the_graph_of_its_mean():
    """numpy.corrcoef divides by one root, then by the other: its mirror images differ in the last digit."""
    lopsided = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        arcs = np.triu(rng.normal(size=(20, 20)) * (rng.random((20, 20)) < 0.2), 1)
        R = np.corrcoef(np.linalg.solve(np.eye(20) - arcs.T, rng.normal(size=(20, 60))))
        lopsided += not np.array_equal(R, R.T)
        graphs = [stepwise(S, 60, gamma=0.3).adjacency for S in (R, R.T, 0.5 * (R + R.T))]
        np.testing.assert_array_equal(graphs[0], graphs[1])
        np.testing.assert_array_equal(graphs[0], graphs[2])
    assert lopsided > 50


def test_pairs_that_tie_are_joined_in_the_order_of_columns():
    """Three independent pairs of one correlation, wherever the last digits put the largest."""
    R = np.eye(6)
    for one, two, digits in ((0, 1, 0.0), (2, 3, 3e-16), (4, 5, 1e-16)):
        R[one, two] = R[two, one] = 0.7 + digits
    steps = stepwise(R, 100).trace[:3]
    assert [(step.tail, step.head) for step in steps] == [(0, 1), (2, 3), (4, 5)]


def test_charges_sum_up_and_fall_with_the_number_of_edges():
    charge = Charge(200, 12, 0.7)
    each = [charge.edge(number) for number in range(1, 67)]
    assert charge.total(66) == pytest.approx(sum(each))
    assert np.all(np.diff(each) < 0)
    assert each[0] == pytest.approx(0.5 * np.log(200) + 0.7 * np.log(66))
    assert each[-1] == pytest.approx(0.5 * np.log(200))  # never less than the ordinary criterion
    assert usual_gamma(10_000, 3) == usual_gamma(50, 2) == usual_gamma(5, 1) == 0.6
    # The first edge is charged log P where pairs are many for the rows.
    assert Charge(50, 100, usual_gamma(50, 100)).edge(1) == pytest.approx(np.log(4950))


@pytest.mark.parametrize("seed", range(4))
def test_the_criterion_is_that_of_the_fitted_graph(seed):
    n, p = 60, 12
    R = correlations(seed, n, p)
    found = stepwise(R, n)
    nodes = tuple(f"v{i:02}" for i in range(p))
    rows = tuple(tuple(np.flatnonzero(row).tolist()) for row in found.adjacency)
    fit = fixed_graph(R, UGraph(nodes, rows))
    loglik = np.linalg.slogdet(fit.precision)[1] - p - p * np.log(2 * np.pi)
    wanted = 0.5 * n * loglik - Charge(n, p, found.gamma).total(found.edges)
    assert found.ebic == pytest.approx(wanted, abs=1e-3)
    # No pair is left whose correlation alone gains its charge.
    absent = ~found.adjacency & ~np.eye(p, dtype=bool)
    s, w = R[absent], fit.covariance[absent]
    gains = np.log((1 - w**2) / (1 - s**2)) - 2 + 2 * (1 - s * w) / (1 - w**2)
    assert 0.5 * n * gains.max() <= Charge(n, p, found.gamma).edge(found.edges + 1) + 1e-3


def test_a_hub_is_found_by_the_likelihood_where_regressions_are_too_weak():
    rng = np.random.default_rng(5)
    hub = rng.standard_normal(60)
    x = np.column_stack([hub, 0.55 * hub[:, None] + rng.standard_normal((60, 15))])
    found = stepwise(np.corrcoef(x.T), 60)
    assert found.added >= 2
    assert found.adjacency[0].sum() >= 12


def test_order_signs_and_units_of_columns_do_not_matter():
    x = linear(7, 80, 8).matrix()
    turned, signs = np.random.default_rng(0).permutation(8), np.array([1, -1] * 4)
    plain = stepwise(np.corrcoef(x.T), 80).adjacency
    other = stepwise(np.corrcoef((1e9 + signs * x)[:, turned].T), 80).adjacency
    np.testing.assert_array_equal(other, plain[np.ix_(turned, turned)])


def test_rules_hold_and_gamma_makes_sparser():
    R = correlations(3, 100, 8)
    free = stepwise(R, 100)
    one, two = np.argwhere(np.triu(free.adjacency))[0].tolist()
    three, four = np.argwhere(np.triu(~free.adjacency, 1))[0].tolist()
    bound = stepwise(R, 100, required=[(three, four)], forbidden=[(one, two)]).adjacency
    assert bound[three, four]
    assert bound[four, three]
    assert not bound[one, two]
    edges = [stepwise(R, 100, gamma=gamma).edges for gamma in (0.0, 0.6, 3.0, 100.0)]
    assert edges == sorted(edges, reverse=True)
    assert edges[-1] == 0
    with pytest.raises(FitError, match="gamma must be non-negative"):
        stepwise(R, 100, gamma=-1.0)


def test_few_rows_few_neighbours_and_copies():
    assert stepwise(np.corrcoef(np.random.default_rng(0).normal(size=(9, 2))), 2).edges == 0
    wide = np.corrcoef(np.random.default_rng(0).normal(size=(10, 40)).T)
    assert stepwise(wide, 10, gamma=0.0).adjacency.sum(axis=1).max() <= 3
    x = linear(1, 50, 4).matrix()
    copies = np.corrcoef(np.column_stack([x, x[:, 0]]).T) * (1 - 1e-9) + 1e-9 * np.eye(5)
    assert stepwise(copies, 50).adjacency[0, 4]
    assert stepwise(np.eye(1), 50).edges == 0


def test_a_watcher_ends_it_with_the_edges_so_far():
    R = correlations(2, 200, 10)
    whole = stepwise(R, 200)
    assert [step.edges for step in whole.trace][-1] == whole.edges - whole.added
    assert np.all(np.diff([step.score for step in whole.trace]) > 0)
    early = stepwise(R, 200, on_step=lambda step: step.number >= 3)
    assert early.edges == 3
    assert early.stopped
    assert early.ebic is None
    late = stepwise(R, 200, on_step=lambda step: step.what == "fit")
    assert late.stopped
    assert late.edges == whole.edges - whole.added


@pytest.mark.parametrize(("p", "n", "least"), [(10, 300, 0.9), (30, 1000, 0.93)])
def test_moral_graphs_are_found(p, n, least):
    found = [
        f1(stepwise(np.corrcoef(x.T), n).adjacency, truth)
        for truth, x in (moral(p, n, seed) for seed in range(10))
    ]
    assert np.mean(found) >= least


@pytest.mark.parametrize("seed", [3, 5, 17, 31])
def test_fifteen_rows_for_each_column_are_enough_without_the_likelihood(seed):
    """With half a row less the likelihood adds an edge that the regressions miss."""
    rng, columns = np.random.default_rng(seed), 8
    x = rng.normal(size=(15 * columns, columns))
    arcs = rng.normal(size=(columns, columns)) * (rng.random((columns, columns)) < 0.5)
    matrix = np.corrcoef((x @ np.linalg.inv(np.eye(columns) - np.triu(arcs, 1))).T)
    assert stepwise(matrix, 15 * columns - 0.5).added == 1
    assert stepwise(matrix, 15 * columns).added == 0
