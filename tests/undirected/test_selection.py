"""Choosing the penalty, and neighbourhood selection."""

import re
from functools import partial

import numpy as np
import pytest
from naive import glasso as naive

from arcwise.errors import FitError, OptionError
from arcwise.graphs import UGraph
from arcwise.undirected.ebic import Candidate, by_ebic, highest_ebic
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.glasso import glasso, glasso_path
from arcwise.undirected.lasso_problem import (
    neighbourhood,
    neighbourhood_path,
)
from arcwise.undirected.selection import (
    by_rotation,
    by_stability,
    correlations,
    neighbour_graphs,
    penalties_for,
)


def chain(p, n, seed=0, weight=0.45):
    """Rows of a Gaussian chain, and its edges."""
    K = np.eye(p) + weight * (np.eye(p, k=1) + np.eye(p, k=-1))
    x = np.random.default_rng(seed).multivariate_normal(np.zeros(p), np.linalg.inv(K), n)
    return x * np.linspace(1, 9, p) + 5, {(i, i + 1) for i in range(p - 1)}


NAMES = [f"{number:02}" for number in range(100)]


def edges_at(x, penalty):
    return set(glasso(correlations(x), penalty).edges)


def test_a_path_of_penalties_runs_in_equal_ratios():
    R = correlations(chain(5, 50)[0])
    found = penalties_for(R, count=7, ratio=0.1)
    assert found[0] == pytest.approx(np.abs(np.triu(R, 1)).max())
    np.testing.assert_allclose(np.diff(np.log(found)), np.log(0.1) / 6)
    assert penalties_for(np.eye(3), count=2, ratio=0.5) == (1.0, 0.5)
    with pytest.raises(FitError, match="count of penalties must be positive"):
        penalties_for(R, count=0)


def test_ebic_takes_the_largest_likelihood_of_each_graph():
    x, _ = chain(6, 80)
    R = correlations(x)
    names = list("abcdef")
    choice = by_ebic(R, 80, [0.4, 0.39, 0.2], gamma=0.3)
    for penalty, value, edges in zip(choice.penalties, choice.curve, choice.edges, strict=True):
        graph = UGraph.from_edges(glasso(R, penalty).edges, names)
        T = fixed_graph(R, graph).precision
        normal = np.linalg.slogdet(T)[1] - 6 - 6 * np.log(2 * np.pi)  # the trace is p
        expected = 40 * normal - edges / 2 * np.log(80) - 2 * 0.3 * edges * np.log(6)
        assert value == pytest.approx(expected, abs=1e-5)
    assert choice.penalty == choice.penalties[int(np.argmax(choice.curve))]
    assert f"{choice.penalty:.4g}" in choice.reason


def test_graphs_without_a_largest_likelihood_are_not_chosen():
    R = correlations(np.random.default_rng(0).normal(size=(6, 12)))
    choice = by_ebic(R, 6, penalties_for(R, count=6, ratio=0.001))
    assert np.isfinite(choice.curve[0])
    assert choice.curve[-1] == -np.inf
    assert np.isfinite(max(choice.curve))
    assert choice.reason.endswith(("has no maximum.", "were not tried."))


def test_what_ebic_leaves_out_cannot_be_the_best():
    x, _ = chain(60, 100)
    R = correlations(x)
    asked = penalties_for(R, count=20, ratio=0.01)
    choice = by_ebic(R, 100, asked)
    price = 0.5 * np.log(100) + np.log(60)
    values = []
    for _, fit in glasso_path(R, asked):
        graph = UGraph.from_edges(((f"{i:02}", f"{j:02}") for i, j in fit.edges), NAMES[:60])
        logdet = np.linalg.slogdet(fixed_graph(R, graph).precision)[1]
        values.append(50 * (logdet - 60 - 60 * np.log(2 * np.pi)) - price * fit.n_edges)
    assert choice.penalty == asked[int(np.argmax(values))]
    seen = np.isfinite(choice.curve)
    assert 4 < seen.sum() < len(choice.curve) < 20
    np.testing.assert_allclose(np.array(choice.curve)[seen], np.array(values)[: len(seen)][seen])
    least = min(edges for edges, known in zip(choice.edges, seen, strict=True) if not known)
    told = int(re.search(r"No graph of (\d+) edges or more can reach it", choice.reason)[1])
    roof = 50 * (-np.linalg.slogdet(R)[1] - 60 - 60 * np.log(2 * np.pi))
    assert told == np.ceil((roof - max(values)) / price)
    assert told <= least


def test_with_fewer_rows_than_columns_ebic_says_what_it_did_not_look_at():
    x, _ = chain(60, 40)
    choice = by_ebic(correlations(x), 40, gamma=0.0)
    assert len(choice.curve) < 30
    assert choice.reason.endswith("Denser graphs were not tried.")
    best = int(np.argmax(choice.curve))
    assert best <= len(choice.curve) - 5
    few = by_ebic(correlations(x[:12, :30]), 12, penalties_for(np.eye(30), count=9))
    assert few.reason.endswith("Denser graphs were not tried.")


def test_a_path_goes_on_where_its_end_is_the_best_and_tells_if_that_is_not_enough():
    R = correlations(chain(6, 500)[0])
    begun = np.geomspace(0.7, 0.6, 4)
    short = by_ebic(R, 500, begun)
    assert len(short.penalties) == 6
    assert short.penalties[5] / short.penalties[4] == pytest.approx(begun[1] / begun[0])
    assert "end of the path" in short.reason
    whole = by_ebic(R, 500)
    assert "end of the path" not in whole.reason
    assert len(whole.curve) == 30


def test_a_graph_is_fitted_once_while_it_stays_the_same():
    fitted = []

    def fit(number):
        fitted.append(number)
        return np.eye(2)

    path = [Candidate(1.0 - 0.1 * i, 0, "same", lambda i=i: fit(i)) for i in range(3)]
    path.append(Candidate(0.5, 1, "other", lambda: fit(3)))
    choice = highest_ebic(np.eye(2), 20, path)
    assert fitted == [0, 3]
    assert choice.curve[0] == choice.curve[2] > choice.curve[3]


def test_a_larger_gamma_keeps_no_more_edges():
    R = correlations(chain(10, 60)[0])
    counts = []
    for gamma in (0.0, 0.5, 1.0):
        choice = by_ebic(R, 60, gamma=gamma)
        counts.append(choice.edges[choice.penalties.index(choice.penalty)])
    assert counts == sorted(counts, reverse=True)


def test_stability_is_the_mean_disagreement_of_subsamples():
    x, _ = chain(5, 60)
    asked = [0.5, 0.3, 0.1]
    choice = by_stability(x, np.random.default_rng(3), asked, subsamples=6)
    rng = np.random.default_rng(3)
    draws = [np.sort(rng.choice(60, 48, replace=False)) for _ in range(6)]
    figures = []
    for penalty in asked:
        has = [
            glasso(np.corrcoef(x[d].T), penalty).precision[np.triu_indices(5, 1)] != 0
            for d in draws
        ]
        share = np.mean(has, axis=0)
        figures.append(float(np.mean(2 * share * (1 - share))))
    np.testing.assert_allclose(choice.curve, np.maximum.accumulate(figures))
    allowed = [p for p, c in zip(asked, choice.curve, strict=True) if c <= 0.05]
    assert choice.penalty == (min(allowed) if allowed else 0.5)


def instability(graphs, pairs):
    share = np.mean([[graph[pair] for pair in pairs] for graph in graphs], axis=0)
    return float(np.mean(2 * share * (1 - share)))


def test_pairs_that_are_known_do_not_have_to_agree():
    x, _ = chain(5, 60)
    asked, known_pairs = [0.4, 0.2, 0.1], {"required": [(0, 3)], "forbidden": [(1, 0), (2, 4)]}
    choice = by_stability(x, np.random.default_rng(3), asked, subsamples=6, **known_pairs)
    rng = np.random.default_rng(3)
    draws = [np.sort(rng.choice(60, 48, replace=False)) for _ in range(6)]
    open_pairs = [(0, 2), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)]
    figures = [
        instability(
            [glasso(np.corrcoef(x[d].T), penalty, **known_pairs).precision != 0 for d in draws],
            open_pairs,
        )
        for penalty in asked
    ]
    np.testing.assert_allclose(choice.curve, np.maximum.accumulate(figures))
    wanted = tuple(glasso(np.corrcoef(x.T), penalty, **known_pairs).n_edges for penalty in asked)
    assert choice.edges == wanted


@pytest.mark.parametrize("rule", ["or", "and"])
def test_neighbourhoods_can_be_asked_for_agreement(rule):
    x, _ = chain(5, 60)
    asked = [0.4, 0.2, 0.1]
    choice = by_stability(
        x, np.random.default_rng(3), asked, graphs=neighbour_graphs, subsamples=6, rule=rule
    )
    rng = np.random.default_rng(3)
    draws = [np.sort(rng.choice(60, 48, replace=False)) for _ in range(6)]
    pairs = list(zip(*np.triu_indices(5, 1), strict=True))
    figures = [
        instability(
            [neighbourhood(np.corrcoef(x[d].T), penalty, rule=rule).adjacency for d in draws], pairs
        )
        for penalty in asked
    ]
    np.testing.assert_allclose(choice.curve, np.maximum.accumulate(figures))
    assert choice.edges[-1] == neighbourhood(np.corrcoef(x.T), 0.1, rule=rule).n_edges


def test_weights_count_inside_subsamples_and_not_for_which_rows_they_have():
    x, _ = chain(5, 60)
    weights = np.random.default_rng(1).integers(1, 5, 60).astype(float)
    weights[7] = 0.0  # as good as not there
    choice = by_stability(x, np.random.default_rng(3), [0.3, 0.1], subsamples=6, weights=weights)
    left, counts, rng = np.delete(x, 7, axis=0), np.delete(weights, 7), np.random.default_rng(3)
    draws = [np.sort(rng.choice(59, 47, replace=False)) for _ in range(6)]
    pairs = list(zip(*np.triu_indices(5, 1), strict=True))
    figures = []
    for penalty in (0.3, 0.1):
        repeated = [np.repeat(left[d], counts[d].astype(int), axis=0) for d in draws]
        graphs = [glasso(np.corrcoef(each.T), penalty).precision != 0 for each in repeated]
        figures.append(instability(graphs, pairs))
    np.testing.assert_allclose(choice.curve, np.maximum.accumulate(figures))
    same = by_stability(x, np.random.default_rng(3), [0.3, 0.1], subsamples=6)
    twice = by_stability(
        x, np.random.default_rng(3), [0.3, 0.1], subsamples=6, weights=np.full(60, 2.0)
    )
    assert twice == same


def test_a_column_that_does_not_vary_is_no_pair():
    x, _ = chain(5, 60)
    flat = np.insert(x, 2, 3.3, axis=1)
    one = by_stability(x, np.random.default_rng(3), [0.4, 0.2], subsamples=6)
    two = by_stability(flat, np.random.default_rng(3), [0.4, 0.2], subsamples=6)
    np.testing.assert_allclose(one.curve, two.curve)
    assert one.edges == two.edges
    turned = [by_rotation(rows, np.random.default_rng(3)).penalty for rows in (x, flat)]
    assert turned[0] == pytest.approx(turned[1])


def test_a_column_that_is_stuck_in_a_subsample_is_named_by_number():
    x, _ = chain(4, 60)
    x[:, 2] = 0.0
    x[5, 2] = 1.0
    with pytest.raises(FitError, match="Column 2 does not vary in the 48 rows") as caught:
        by_stability(x, np.random.default_rng(0))
    assert caught.value.columns == (2,)


def test_work_that_is_cut_short_is_compared_as_far_as_it_came():
    x, _ = chain(5, 60)

    def half(work, count):
        return [work(number) for number in range(count // 2)]

    asked = [0.4, 0.2, 0.1]
    short = by_stability(x, np.random.default_rng(3), asked, subsamples=8, run=half)
    few = by_stability(x, np.random.default_rng(3), asked, subsamples=4)
    assert short._replace(reason="") == few._replace(reason="")
    assert "stopped early: 8 subsamples were planned" in short.reason
    none = by_stability(x, np.random.default_rng(3), asked, run=lambda work, count: [])
    assert (none.penalty, none.curve) == (0.2, ())
    assert "stopped early" in none.reason


def test_rotations_destroy_what_is_between_columns():
    x, _ = chain(6, 400)
    choice = by_rotation(x, np.random.default_rng(0))
    assert choice.penalty == min(choice.curve)
    assert 0.05 < choice.penalty < 0.25  # of noise, not of the chain's 0.5


@pytest.mark.parametrize("rule", ["ebic", "stars", "ric"])
def test_each_rule_finds_a_clear_chain(rule):
    x, truth = chain(12, 500)
    choose = {
        "ebic": partial(by_ebic, correlations(x), 500),
        "stars": partial(by_stability, x, np.random.default_rng(1), subsamples=10),
        "ric": partial(by_rotation, x, np.random.default_rng(1)),
    }
    choice = choose[rule]()
    found = edges_at(x, choice.penalty)
    assert choice.rule == rule
    assert truth <= found
    assert len(found) < 45  # of 66
    assert choice.reason.endswith(".")


def test_pieces_of_work_may_be_done_elsewhere():
    x, _ = chain(5, 60)
    seen = []

    def run(work, count):
        seen.append(count)
        return [work(number) for number in reversed(range(count))][::-1]

    one = by_stability(x, np.random.default_rng(3), [0.4, 0.2], subsamples=4, run=run)
    two = by_stability(x, np.random.default_rng(3), [0.4, 0.2], subsamples=4)
    assert one == two
    assert seen == [4]


def test_rules_of_the_search_are_handed_on():
    x, _ = chain(5, 100)
    choice = by_ebic(correlations(x), 100, [0.1], forbidden=[(0, 1)], required=[(0, 4)])
    assert choice.edges == (
        len(glasso(correlations(x), 0.1, forbidden=[(0, 1)], required=[(0, 4)]).edges),
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: by_ebic(np.eye(2), 0), "rows positive"),
        (lambda x: by_ebic(np.eye(2), 10, gamma=-1), "gamma must be non-negative"),
        (lambda x: by_stability(x, np.random.default_rng(0), subsamples=1), "two subsamples"),
        (lambda x: by_stability(x, np.random.default_rng(0), threshold=0.5), "threshold"),
        (
            lambda x: by_rotation(x, np.random.default_rng(0), rotations=0),
            "rotations must be positive",
        ),
        (lambda x: correlations(x[:1]), "at least two rows"),
        (lambda x: correlations(np.where(x > 9, np.nan, x)), "complete"),
        (lambda x: correlations(x * 0 + 3.3), "does not vary"),
    ],
)
def test_bad_input_is_answered_in_words(call, words):
    with pytest.raises(FitError, match=words):
        call(chain(4, 20)[0])


# Neighbourhood selection


def test_neighbours_are_those_of_the_lasso():
    R = correlations(chain(6, 40)[0])
    found = neighbourhood(R, 0.15)
    for j in range(6):
        np.testing.assert_allclose(found.slopes[j], naive.lasso(R, j, 0.15), atol=1e-7)
    picked = found.slopes != 0
    assert (found.adjacency == (picked | picked.T)).all()
    both = neighbourhood(R, 0.15, rule="and")
    assert (both.adjacency == (picked & picked.T)).all()
    assert set(both.edges) <= set(found.edges)


def test_units_do_not_matter_and_paths_agree_with_single_fits():
    x, truth = chain(7, 300)
    S = np.cov(x.T)
    for penalty, found in neighbourhood_path(S, [0.4, 0.2, 0.1]):
        np.testing.assert_allclose(
            found.slopes, neighbourhood(correlations(x), penalty).slopes, atol=1e-7
        )
    assert truth <= set(neighbourhood(S, 0.15).edges)


def test_neighbourhoods_obey_rules_and_words():
    R = correlations(chain(6, 40)[0])
    found = neighbourhood(R, 0.2, forbidden=[(0, 1)], required=[(0, 5)])
    assert (0, 1) not in found.edges
    assert (0, 5) in found.edges
    with pytest.raises(OptionError, match="xor"):
        neighbourhood(R, 0.1, rule="xor")


def test_penalties_come_in_any_order_but_not_none():
    R = correlations(chain(6, 500)[0])
    asked = [0.1, 0.4, 0.2]
    assert by_ebic(R, 500, asked) == by_ebic(R, 500, sorted(asked, reverse=True))
    with pytest.raises(FitError, match="at least one penalty"):
        by_ebic(R, 500, [])
