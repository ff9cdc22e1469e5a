"""The graphical lasso's loops against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import glasso as naive

from arcwise._kernels import glasso_loops as kernel


def correlations(p, n, seed):
    return np.corrcoef(np.random.default_rng(seed).normal(size=(n, p)).T)


def symmetric(p, seed, share=0.4):
    rng = np.random.default_rng(seed)
    D = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < share))
    return D + np.triu(D, 1).T


@given(st.integers(1, 30), st.integers(0, 10**6), st.floats(0, 1))
def test_components_are_those_of_the_thresholded_graph(p, seed, penalty):
    S = symmetric(p, seed, 0.15)
    labels = kernel.components(S, np.full((1, 1), penalty))
    assert labels.tolist() == naive.components(S, np.full((p, p), penalty))
    assert (labels == kernel.components(S, np.full((p, p), penalty))).all()


@given(st.integers(1, 70), st.integers(0, 10**6))
def test_curvature_is_the_product_on_the_pairs(p, seed):
    M, D = symmetric(p, seed, 1.0), symmetric(p, seed + 1)
    first, second = np.nonzero(np.triu(D))
    found = kernel.curvature(M, first, second, D[first, second])
    np.testing.assert_allclose(found, (M @ D @ M)[first, second], atol=1e-10 * p)


def test_curvature_refuses_pairs_that_are_none():
    with pytest.raises(IndexError):
        kernel.curvature(np.eye(3), np.array([2]), np.array([1]), np.ones(1))
    with pytest.raises(IndexError):
        kernel.curvature(np.eye(3), np.array([0]), np.array([3]), np.ones(1))
    with pytest.raises(ValueError, match="square"):
        kernel.curvature(np.ones((3, 2)), np.array([0]), np.array([1]), np.ones(1))


def test_matrices_of_different_sizes_are_rejected():
    with pytest.raises(ValueError, match="square"):
        kernel.descend(np.eye(3), np.eye(3), np.eye(3), np.eye(2), 1e-6, 1)
    with pytest.raises(IndexError):
        kernel.gather(np.eye(3), np.array([3]), np.ones(1), np.ones(1))


@given(st.integers(2, 12), st.integers(0, 10**6), st.sampled_from([0.03, 0.1, 0.3]))
def test_sweeps_meet_the_conditions_of_every_column(p, seed, penalty):
    S = correlations(p, 2 * p, seed) / (1 + penalty)
    P = np.full((p, p), penalty / (1 + penalty))
    np.fill_diagonal(S, 1 / (1 + penalty))
    W, B = S.copy(), np.zeros((p, p))
    np.fill_diagonal(W, 1.0)
    went = kernel.descend(S, P, W, B, 1e-11, 2000)
    assert went.moved <= 1e-11
    theta = kernel.precision(W, B)
    np.testing.assert_allclose(theta @ W, np.eye(p), atol=1e-8)
    assert naive.violation(S, P, theta) < 1e-6


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_the_certificate_is_what_it_says(p, seed):
    S, T = correlations(max(p, 2), 40, seed)[:p, :p].copy(), symmetric(p, seed) / (3 * p)
    np.fill_diagonal(T, 1.5)
    P = np.abs(symmetric(p, seed + 2, 1.0)) * 0.2 + 0.01
    W = np.linalg.inv(T)
    found = kernel.certify(S, P, W, T, 1e-3)
    E = np.clip(W, S - P, S + P) - W
    assert found.violation == pytest.approx(naive.violation(S, P, T))
    assert found.trace == pytest.approx(np.sum(S * T))
    assert found.norm == pytest.approx(np.sum(P * np.abs(T)))
    assert found.slack == pytest.approx(np.sum(T * E), abs=1e-12)
    assert found.outside == pytest.approx(np.linalg.norm(E))
    assert found.longest == pytest.approx(np.abs(T).sum(axis=1).max())
    assert found.edges == np.count_nonzero(np.triu(T, 1))


@given(st.integers(1, 60), st.integers(0, 10**6))
def test_blocks_are_cut_out_and_put_back(p, seed):
    rng = np.random.default_rng(seed)
    M, members = rng.normal(size=(p, p)), np.flatnonzero(rng.random(p) < 0.6)
    left, right = rng.random((2, len(members)))
    block = kernel.gather(M, members, left, right)
    np.testing.assert_allclose(
        block, M[np.ix_(members, members)] * np.outer(left, right), rtol=1e-14
    )
    back = np.zeros((p, p))
    kernel.scatter(block, members, left, back)
    np.testing.assert_allclose(back[np.ix_(members, members)], block * np.outer(left, left))
    assert np.count_nonzero(back) <= block.size
    kernel.mirror(M)
    assert (M == M.T).all()


@pytest.mark.parametrize(("p", "n"), [(2, 10), (6, 30), (10, 7)])
def test_each_variable_gets_its_own_lasso(p, n):
    R, slopes = correlations(p, n, p), np.zeros((p, p))
    assert kernel.neighbours(R, np.full((p, p), 0.2), slopes, 1e-12, 1e-3) < 1e-9
    for j in range(p):
        np.testing.assert_allclose(slopes[j], naive.lasso(R, j, 0.2), atol=1e-7)


def test_a_lasso_with_copies_of_a_column_ends():
    x = np.random.default_rng(0).normal(size=(20, 3))
    R = np.corrcoef(np.column_stack([x, x]).T)
    slopes = np.zeros((6, 6))
    kernel.neighbours(R, np.full((6, 6), 0.05), slopes, 1e-12, 1e-3)
    assert np.isfinite(slopes).all()
    assert slopes[0, 3] + slopes[0, 0] == pytest.approx(0.95, abs=0.06)


@given(st.integers(2, 10), st.integers(0, 10**6))
def test_passing_over_columns_leaves_the_conditions_as_good(p, seed):
    """Sweep by sweep, with what was passed over handed on, as good as in one go."""
    S, P = correlations(p, 3 * p, seed) / 1.1, np.full((p, p), 0.1 / 1.1)
    np.fill_diagonal(S, 1 / 1.1)
    W, B, moves = S.copy(), np.zeros((p, p)), kernel.moves_for(p)
    np.fill_diagonal(W, 1.0)
    for _ in range(2000):
        if kernel.descend(S, P, W, B, 1e-11, 1, moves).moved <= 1e-11:
            break
    assert naive.violation(S, P, kernel.precision(W, B)) < 1e-6


@given(st.integers(1, 10), st.integers(0, 10**6), st.sampled_from([0.0, 1e-8, 1e-5]))
def test_a_bound_without_inversion_is_one(p, seed, noise):
    """The violation with W near the inverse is at least that with the inverse, and not by far more."""
    T = symmetric(p, seed) / (3 * p)
    np.fill_diagonal(T, 1.5)
    S, P = correlations(max(p, 2), 40, seed)[:p, :p].copy(), np.full((p, p), 0.1)
    inverse = np.linalg.inv(T)
    W = inverse + noise * symmetric(p, seed + 1)
    apart = kernel.mismatch(T, W)
    E = T @ W - np.eye(p)
    assert apart.trace == pytest.approx(np.trace(E), abs=1e-12)
    np.testing.assert_allclose(apart.off, np.linalg.norm(E, axis=0), atol=1e-12)
    np.testing.assert_allclose(apart.length, np.linalg.norm(W, axis=1))
    reach = np.outer(apart.length, apart.bound)
    assert (np.abs(inverse - W) <= np.minimum(reach, reach.T) + 1e-14).all()
    bound = kernel.certify(S, P, W, T, 1e-3, apart).violation
    true = naive.violation(S, P, T)
    assert true - 1e-12 <= bound <= true + 20 * p * noise / 0.1 + 1e-10


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_starts_are_inside_the_box(p, seed):
    S, P = symmetric(p, seed), np.abs(symmetric(p, seed + 1)) + 0.1
    V, U = symmetric(p + 2, seed + 2), symmetric(p + 2, seed + 3)
    members, factor = np.arange(p) + 1, np.linspace(0.5, 1.5, p)
    scale = np.outer(factor, factor)
    found = kernel.extrapolate(S, P, V, U, members, factor, 0.7)
    wanted = np.clip((1.7 * V - 0.7 * U)[1:-1, 1:-1] * scale, S - P, S + P)
    np.fill_diagonal(wanted, 1.0)
    np.testing.assert_allclose(found, wanted, atol=1e-14)
    boxed = V[1:-1, 1:-1].copy()
    kernel.box(S, P, boxed)
    off = ~np.eye(p, dtype=bool)
    assert (np.abs(boxed - S)[off] <= P[off] * (1 + 1e-12)).all()
    went, whole = (boxed - S)[off], (V[1:-1, 1:-1] - S)[off]
    apart = np.abs(whole) > 0
    share = went[apart] / whole[apart]
    wanted = min(1.0, np.min(P[off][apart] / np.abs(whole[apart]), initial=np.inf))
    np.testing.assert_allclose(share, wanted, rtol=1e-9)
    assert (boxed.diagonal() == 1.0).all()


def test_a_lasso_that_is_not_solved_to_the_end_says_so():
    """With few rows and a tiny penalty coordinate descent crawls."""
    R, P = correlations(50, 10, 0), np.full((50, 50), 0.003)
    slopes = np.zeros((50, 50))
    told = kernel.neighbours(R, P, slopes, 1e-9, 1e-6)
    gradient = R - slopes @ R
    breach = np.where(
        slopes != 0, np.abs(gradient - P * np.sign(slopes)), np.maximum(np.abs(gradient) - P, 0)
    )
    np.fill_diagonal(breach, 0.0)
    assert told == pytest.approx(np.max(breach / P), rel=1e-6)


def test_sweeps_do_not_depend_on_how_many_calls_they_are_done_in():
    p = 40
    S, P = correlations(p, 60, 3) / 1.02, np.full((p, p), 0.02 / 1.02)
    np.fill_diagonal(S, 1 / 1.02)
    found = []
    for most in (1, 10**4):
        W, B, moves, moved, sweeps = S.copy(), np.zeros((p, p)), kernel.moves_for(p), np.inf, 0
        np.fill_diagonal(W, 1.0)
        while moved > 1e-7:
            done, moved, _ = kernel.descend(S, P, W, B, 1e-7, most, moves, moved)
            sweeps += done
        found.append((sweeps, W))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-7)
