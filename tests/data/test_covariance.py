"""Ranks and gaps: normal scores, rank correlations, pairwise moments and their repair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arcwise.data.covariance import normal_scores, pairwise, repair
from arcwise.errors import DataError

numbers = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30).filter(lambda x: len(set(x)) > 1)


@given(numbers)
def test_scores_keep_the_order_and_are_standardised(column):
    x = np.array(column)
    scores = normal_scores(x)
    assert scores.mean() == pytest.approx(0, abs=1e-9)
    assert scores.std() == pytest.approx(1)
    order = np.argsort(x, kind="stable")
    assert (np.diff(scores[order]) >= -1e-12).all()
    for value in set(column):
        assert len(set(scores[x == value])) == 1


@given(numbers)
def test_any_increasing_function_gives_the_same_scores(column):
    x = np.round(np.array(column))
    if len(set(x)) > 1:
        np.testing.assert_allclose(normal_scores(x), normal_scores(3 * x - 7), atol=1e-12)


def test_weights_count_rows_several_times():
    x = np.array([3.0, 1.0, 2.0, 9.0])
    many = normal_scores(np.repeat(x, [1, 3, 2, 1]))
    np.testing.assert_allclose(
        np.repeat(normal_scores(x, [1, 3, 2, 1]), [1, 3, 2, 1]), many, atol=1e-12
    )


def test_gaps_stay_gaps_and_tails_are_cut_off():
    x = np.r_[np.random.default_rng(0).normal(size=1000), np.nan]
    scores = normal_scores(x)
    assert np.isnan(scores[-1])
    cut = 1 / (4 * 1000**0.25 * np.sqrt(np.pi * np.log(1000)))
    assert np.nanmax(scores) < 1.1 * stats.norm.ppf(1 - cut)
    with pytest.raises(DataError, match="two different numbers"):
        normal_scores([1.0, 1.0])


def test_without_gaps_pairwise_moments_are_the_ordinary_ones():
    x = np.random.default_rng(2).normal(size=(30, 4)) @ np.random.default_rng(3).normal(size=(4, 4))
    found = pairwise(x)
    np.testing.assert_allclose(found.covariance, np.cov(x.T, bias=True))
    np.testing.assert_allclose(found.mean, x.mean(axis=0))
    assert found.repair.note == ""
    assert (found.rows == 30).all()


def test_correlations_use_the_rows_that_two_columns_share():
    x = np.random.default_rng(4).normal(size=(40, 3))
    x[:10, 0] = x[15:30, 1] = np.nan
    found = pairwise(x)
    sd = np.sqrt(np.diag(found.covariance))
    shared = ~np.isnan(x[:, 0]) & ~np.isnan(x[:, 1])
    assert found.rows[0, 1] == shared.sum()
    expected = np.corrcoef(x[shared, 0], x[shared, 1])[0, 1]
    assert found.covariance[0, 1] / sd[0] / sd[1] == pytest.approx(expected)
    assert sd[0] == pytest.approx(np.nanstd(x[:, 0]))


@given(st.integers(3, 8), st.integers(0, 10**6))
def test_a_repair_is_definite_keeps_the_diagonal_and_says_what_it_did(p, seed):
    rng = np.random.default_rng(seed)
    R = rng.uniform(-1, 1, (p, p))
    R = (R + R.T) / 2
    np.fill_diagonal(R, 1.0)
    sd = rng.uniform(0.1, 9, p)
    given_ = R * np.outer(sd, sd)
    found = repair(given_)
    np.testing.assert_allclose(np.diag(found.matrix), sd**2)
    assert found.least == pytest.approx(np.linalg.eigvalsh(R)[0])
    apart = np.abs(found.matrix - given_) / np.outer(sd, sd)
    assert found.changed == pytest.approx(apart.max(), abs=1e-12)
    if found.least < -1e-8:
        assert np.linalg.eigvalsh(found.matrix / np.outer(sd, sd))[0] > 0
        assert f"{found.changed:.3g}" in found.note
    else:
        assert found.note == ""


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1.0, np.nan], [np.nan, 3.0], [2.0, np.nan]], "rows in common"),
        ([[1.0, 2.0], [1.0, 3.0], [5.0, np.nan]], "does not vary"),
        ([[np.nan, 2.0], [np.nan, 3.0]], "a number in each column"),
    ],
)
def test_columns_that_share_too_little_are_named(rows, words):
    with pytest.raises(DataError, match=words):
        pairwise(rows)


def test_the_sentence_counts_eigenvalues_in_plain_words():
    one = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert "raising 1 eigenvalue to" in repair(one).note
    two = np.kron(np.eye(2), one)
    assert "raising 2 eigenvalues to" in repair(two).note
