"""The graphical lasso: conditions, twins, invariances, published fits, bad input."""

import csv
import gzip
import json
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import glasso as naive

from arcwise.errors import FitError
from arcwise.undirected.glasso import (
    GlassoSolution,
    glasso,
    glasso_path,
    largest_penalty,
)
from arcwise.undirected.newton import finish, inverse


def covariance(p, n, seed, strong=1.0):
    rng = np.random.default_rng(seed)
    mix = np.eye(p) + strong * rng.normal(size=(p, p)) / np.sqrt(p)
    return np.cov((rng.normal(size=(n, p)) @ mix * rng.uniform(0.3, 3, p)).T, bias=True)


def correlation(p, n, seed, strong=1.0):
    S = covariance(p, n, seed, strong)
    sd = np.sqrt(np.diag(S))
    return S / np.outer(sd, sd)


def symmetric_penalties(p, seed, low=0.05, high=0.5):
    P = np.random.default_rng(seed).uniform(low, high, (p, p))
    return (P + P.T) / 2


seeds = st.integers(0, 10**6)


@given(st.integers(2, 8), st.sampled_from([0.5, 1.5, 6]), seeds, st.sampled_from([0.02, 0.2, 0.8]))
def test_conditions_hold_with_the_true_inverse(p, rows, seed, penalty):
    S = covariance(p, max(3, int(rows * p)), seed)
    found = glasso(S, penalty)
    assert naive.violation(S, naive.full(S, penalty), found.precision) < 1e-6
    assert found.violation <= 1e-7
    assert 0 <= found.gap < 1e-5
    np.testing.assert_allclose(found.precision @ found.covariance, np.eye(p), atol=1e-8)
    expected = naive.objective(S, naive.full(S, penalty), found.precision)
    assert found.objective == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("diagonal", [True, False])
def test_equal_to_plain_proximal_steps(seed, diagonal):
    S = correlation(6, 30, seed, strong=0.5)
    P = naive.full(S, 0.15, diagonal)
    slow = naive.proximal(S, P)
    found = glasso(S, 0.15, penalise_diagonal=diagonal)
    np.testing.assert_allclose(found.precision, slow, atol=1e-6)
    assert found.objective >= naive.objective(S, P, slow) - 1e-9


@given(st.integers(2, 8), seeds)
def test_a_matrix_of_penalties(p, seed):
    S, P = covariance(p, 3 * p, seed), symmetric_penalties(p, seed)
    assert naive.violation(S, P, glasso(S, P).precision) < 1e-6


@given(st.integers(3, 8), seeds, st.booleans())
def test_required_edges_are_free_and_forbidden_ones_zero(p, seed, diagonal):
    S = covariance(p, 3 * p, seed)
    found = glasso(
        S, 0.2, required=[(1, 0)], forbidden=[(0, 2), (1, 2)], penalise_diagonal=diagonal
    )
    P = naive.full(S, 0.2, diagonal)
    P[0, 1] = P[1, 0] = 0.0
    P[0, 2] = P[2, 0] = P[1, 2] = P[2, 1] = np.inf
    assert naive.violation(S, P, found.precision) < 1e-6
    assert found.covariance[0, 1] == pytest.approx(S[0, 1], abs=1e-8)
    assert found.precision[0, 2] == found.precision[2, 1] == 0


def test_required_edges_with_fewer_rows_than_columns():
    S = covariance(10, 6, 1)
    found = glasso(S, 0.3, required=[(0, 1), (1, 2)], penalise_diagonal=False)
    P = naive.full(S, 0.3, diagonal=False)
    P[0, 1] = P[1, 0] = P[1, 2] = P[2, 1] = 0.0
    assert naive.violation(S, P, found.precision) < 1e-6


@pytest.mark.parametrize("penalty", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_screening_is_exact(seed, penalty):
    """Blocks solved apart are what solving the whole gives."""
    S = correlation(9, 20, seed, strong=0.4)
    whole = naive.proximal(S, naive.full(S, penalty), tolerance=1e-8)
    np.testing.assert_allclose(glasso(S, penalty).precision, whole, atol=1e-5)


@given(st.integers(2, 10), seeds)
def test_the_order_of_columns_does_not_matter(p, seed):
    S = covariance(p, 2 * p, seed)
    turn = np.random.default_rng(seed).permutation(p)
    one, two = glasso(S, 0.1), glasso(S[np.ix_(turn, turn)], 0.1)
    np.testing.assert_allclose(one.precision[np.ix_(turn, turn)], two.precision, atol=1e-6)


@given(st.integers(2, 8), seeds)
def test_scaling_columns_scales_the_answer(p, seed):
    S, P = covariance(p, 3 * p, seed), symmetric_penalties(p, seed)
    d = np.random.default_rng(seed).uniform(0.01, 100, p)
    one, two = glasso(S, P), glasso(S * np.outer(d, d), P * np.outer(d, d))
    np.testing.assert_allclose(two.precision * np.outer(d, d), one.precision, atol=1e-6)
    assert two.objective == pytest.approx(one.objective - 2 * np.log(d).sum(), abs=1e-7)


def test_a_large_penalty_leaves_no_edge():
    S = covariance(7, 30, 0)
    most = largest_penalty(S)
    found = glasso(S, most)
    np.testing.assert_allclose(found.precision, np.diag(1 / (np.diag(S) + most)))
    assert found.n_edges == 0
    assert glasso(S, 0.99 * most).n_edges == 1


def test_no_penalty_is_the_inverse():
    S = covariance(6, 60, 3)
    np.testing.assert_allclose(glasso(S, 0.0).precision, np.linalg.inv(S), rtol=1e-8)


def test_one_column():
    assert glasso([[2.0]], 0.5).precision.tolist() == [[0.4]]


@pytest.mark.parametrize("correlation", [0.9, 0.99])
@pytest.mark.parametrize("penalty", [0.1, 0.01, 0.001])
def test_strong_correlations_are_solved_all_the_same(correlation, penalty):
    """Here plain sweeps need hundreds to thousands of rounds."""
    S = correlation ** np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
    found = glasso(S, penalty)
    assert naive.violation(S, naive.full(S, penalty), found.precision) < 1e-6


def test_more_columns_than_rows_with_a_small_penalty():
    S = np.corrcoef(np.random.default_rng(1).normal(size=(20, 40)).T)
    found = glasso(S, 0.01)
    assert naive.violation(S, naive.full(S, 0.01), found.precision) < 1e-6
    bare = glasso(S, 0.05, penalise_diagonal=False)
    assert naive.violation(S, naive.full(S, 0.05, diagonal=False), bare.precision) < 1e-6


def test_warm_starts_come_to_the_same_place():
    S = covariance(12, 20, 4)
    start = glasso(S, 0.5)
    for penalty in (0.6, 0.3, 0.05):
        np.testing.assert_allclose(
            glasso(S, penalty, start=start).precision, glasso(S, penalty).precision, atol=1e-6
        )
    path = list(glasso_path(S, [1.0, 0.3, 0.1]))
    assert [penalty for penalty, _ in path] == [1.0, 0.3, 0.1]
    for penalty, found in path:
        np.testing.assert_allclose(found.precision, glasso(S, penalty).precision, atol=1e-6)


def test_a_warm_start_may_have_edges_that_are_now_forbidden():
    S = covariance(6, 20, 4)
    found = glasso(S, 0.1, start=glasso(S, 0.1), forbidden=[(0, 1), (2, 3)])
    expected = glasso(S, 0.1, forbidden=[(0, 1), (2, 3)])
    np.testing.assert_allclose(found.precision, expected.precision, atol=1e-6)


@given(
    st.integers(2, 25),
    st.sampled_from([0.5, 1.5, 6]),
    seeds,
    st.sampled_from([0.3, 3.0, 30.0]),
    st.sampled_from([0.5, 0.05, 0.001]),
)
def test_every_step_of_a_path_is_as_good_as_it_says(p, rows, seed, strong, ratio):
    """Also where two steps point to a start that is no covariance."""
    S = correlation(p, max(3, int(rows * p)), seed, strong)
    most = largest_penalty(S)
    for penalty, found in glasso_path(S, np.geomspace(most, ratio * most, 8)):
        P = naive.full(S, penalty)
        assert np.linalg.eigvalsh(found.precision)[0] > 0
        assert found.violation <= 1e-6
        assert naive.violation(S, P, found.precision) <= found.violation + 1e-9
        best = glasso(S, penalty, tolerance=1e-10)
        assert best.objective - found.objective <= found.gap + 1e-9
        apart = np.abs(found.covariance - np.linalg.inv(found.precision))
        assert apart.max() <= max(penalty, 1e-3) * 1e-6 * 1.001 + 1e-9


def test_threads_do_not_change_the_answer():
    sizes = [60, 5, 70, 3, 8, 30, 30]  # small ones are solved together
    S, at = np.zeros((sum(sizes), sum(sizes))), 0
    for seed, size in enumerate(sizes):
        S[at : at + size, at : at + size] = covariance(size, 2 * size, seed)
        at += size
    one, two = glasso(S, 0.1), glasso(S, 0.1, threads=3)
    assert naive.violation(S, naive.full(S, 0.1), one.precision) < 1e-6
    assert (one.precision == two.precision).all()
    assert one.gap == two.gap


def test_watchers_can_stop_and_few_sweeps_say_so():
    S = covariance(30, 20, 0, strong=3)
    seen = []
    cut = glasso(S, 0.02, on_step=lambda step: seen.append(step.what) or True)
    assert seen == ["sweep 6"]
    assert isinstance(cut, GlassoSolution)
    short = glasso(S, 0.02, max_sweeps=1)
    assert short.sweeps == 1
    assert np.linalg.eigvalsh(short.precision)[0] > 0
    best = glasso(S, 0.02)
    assert best.objective - short.objective <= short.gap + 1e-9
    steps = []

    def after_two(step):
        steps.append(step.what)
        return sum(what.startswith("penalty") for what in steps) == 2

    assert len(list(glasso_path(S, [2.0, 1.0, 0.5], on_step=after_two))) == 2
    # Asked to stop inside a step, what is not good yet is not handed out.
    assert len(list(glasso_path(S, [2.0, 1e-3, 1e-4], on_step=lambda _: len(steps) > 0))) == 1


@given(st.integers(2, 7), seeds)
def test_the_gap_bounds_what_is_missing(p, seed):
    S = covariance(p, 2 * p, seed, strong=3)
    best = glasso(S, 0.05, tolerance=1e-9)
    for sweeps in (1, 2):
        some = glasso(S, 0.05, max_sweeps=sweeps)
        assert best.objective - some.objective <= some.gap + 1e-8


# Newton's method


@given(st.integers(2, 7), seeds)
def test_newton_on_all_places_inverts(p, seed):
    S = np.corrcoef(np.random.default_rng(seed).normal(size=(4 * p, p)).T)
    every = np.ones((p, p), dtype=bool)
    found = finish(S, np.zeros((p, p)), np.eye(p), every, 1e-13)
    np.testing.assert_allclose(found, np.linalg.inv(S), rtol=1e-8, atol=1e-8)


def test_newton_gives_up_where_a_sign_would_change():
    S = np.array([[1.0, 0.5], [0.5, 1.0]])
    start = np.array([[1.0, 0.2], [0.2, 1.0]])  # the entry has to become negative
    assert finish(S, np.full((2, 2), 0.1), start, np.ones((2, 2), bool), 1e-9) is None
    assert inverse(np.array([[1.0, 2.0], [2.0, 1.0]])) is None


# Published fits


def columns(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = list(csv.reader(text.splitlines()))
    return rows[0], np.array(rows[1:], dtype=float)


@cache
def sachs(folder):
    names, x = columns(folder / "sachs" / "sachs_all_7466x11.csv.gz")
    return names, np.cov(x.T) / 1000


@pytest.mark.parametrize("penalty", ["36", "27", "7"])
def test_sachs_of_the_lecture(shared_data, penalty):
    oracle = json.loads((shared_data / "oracles" / "glasso.json").read_text())["sachs_all"]
    names, S = sachs(shared_data)
    found = glasso(S, float(penalty))
    assert found.n_edges == oracle[penalty]["edges"]
    lower = {name.lower(): number for number, name in enumerate(names)}
    listed = {
        tuple(sorted(lower[end.lower()] for end in edge.split("-")))
        for edge in oracle[penalty]["edge_list"]
    }
    assert set(found.edges) == listed
    assert found.objective == pytest.approx(oracle[penalty]["objective"], rel=1e-6)
    assert found.objective >= oracle[penalty]["objective"] - 1e-6 * abs(found.objective)
    assert found.violation < 1e-6


def test_sachs_without_penalty(shared_data):
    oracle = json.loads((shared_data / "oracles" / "glasso.json").read_text())["sachs_all"]["0"]
    found = glasso(sachs(shared_data)[1], 0)
    assert found.n_edges == oracle["edges"]
    assert found.objective == pytest.approx(oracle["objective"], rel=1e-6)


@pytest.mark.parametrize("penalty", ["0.1", "0.3", "0.5"])
def test_boston_correlations(shared_data, penalty):
    oracle = json.loads((shared_data / "oracles" / "glasso.json").read_text())
    expected = oracle["boston_correlation"][penalty]
    found = glasso(np.corrcoef(columns(shared_data / "boston" / "boston.csv")[1].T), float(penalty))
    assert found.n_edges == expected["edges"]
    assert found.objective == pytest.approx(expected["objective"], rel=1e-6)


# Bad input

GOOD = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 1.0]])


def changed(row, column, value, *, both=True):
    S = GOOD.copy()
    S[row, column] = value
    if both:
        S[column, row] = value
    return S


@pytest.mark.parametrize(
    ("S", "words"),
    [
        (np.ones((2, 3)), "square matrix"),
        (np.ones(3), "square matrix"),
        (np.empty((0, 0)), "square matrix"),
        (changed(0, 1, 0.3, both=False), "symmetric"),
        (changed(0, 1, np.nan), "all must be finite"),
        (changed(2, 2, np.inf), "all must be finite"),
        (changed(1, 1, 0.0), "Column 1 has variance 0"),
        (changed(1, 1, -1.0), "Column 1 has variance -1"),
        (changed(0, 1, 1.5), "indefinite: columns 0 and 1"),
        (np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]), "smallest eigenvalue"),
    ],
)
def test_a_matrix_that_is_no_covariance_is_rejected_with_a_message(S, words):
    with pytest.raises(FitError, match=words):
        glasso(S, 0.1)


@pytest.mark.parametrize(
    ("penalty", "words"),
    [
        (-0.1, "non-negative number"),
        (np.nan, "non-negative number"),
        (np.inf, "finite"),
        (np.full((2, 2), 0.1), "shape"),
        (np.array([[0.1, 0.2, 0.1], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1]]), "symmetric"),
        (np.full((3, 3), np.inf), "diagonal"),
    ],
)
def test_penalties_that_make_no_sense_are_rejected_with_a_message(penalty, words):
    with pytest.raises(FitError, match=words):
        glasso(GOOD, penalty)


def test_no_penalty_on_a_singular_covariance_is_rejected_with_a_message():
    S = covariance(6, 4, 0)
    with pytest.raises(FitError, match=r"no maximum.*singular"):
        glasso(S, 0)
    every = list(combinations(range(6), 2))
    with pytest.raises(FitError, match=r"no maximum.*singular"):
        glasso(S, 0.1, required=every, penalise_diagonal=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"required": [(0, 3)]}, "must be a pair of column numbers"),
        ({"forbidden": [(1, 1)]}, "must be a pair of column numbers"),
        ({"required": [(0, 1)], "forbidden": [(1, 0)]}, "both required and forbidden"),
        ({"tolerance": 0.0}, "positive"),
        ({"threads": 0}, "positive"),
        ({"start": glasso(np.eye(2), 0.1)}, "The start has 2 variables"),
    ],
)
def test_other_options_are_checked(options, words):
    with pytest.raises(FitError, match=words):
        glasso(GOOD, 0.1, **options)


def test_answers_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        glasso(GOOD, 0.1).precision[0, 0] = 1.0


def test_too_few_sweeps_are_no_lack_of_a_maximum():
    S = correlation(40, 15, 1)
    found = glasso(S, 1e-6, max_sweeps=1)
    assert np.linalg.eigvalsh(found.precision)[0] > 0
    assert found.violation > 1e-3
