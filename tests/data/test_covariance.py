"""Normal scores of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arcwise.data.covariance import normal_scores
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
