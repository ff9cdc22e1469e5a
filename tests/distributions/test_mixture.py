"""Normals and mixtures of them against SciPy and plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from arcwise.distributions import Mixture, Normal, log_sum
from arcwise.errors import DataError


def mixture(seed, rows=3, k=5, common=True):
    rng = np.random.default_rng(seed)
    lines = 1 if common else rows
    weights = rng.dirichlet(np.ones(k), size=rows)
    return Mixture(3 * rng.normal(size=(lines, k)), rng.uniform(0.05, 2, (lines, k)), weights)


@pytest.mark.parametrize("common", [True, False])
def test_mixtures_agree_with_sums_of_normals(common):
    found = mixture(1, common=common)
    x = np.array([-1.0, 0.3, 2.5])
    for row in range(3):
        c = found.centres[0 if common else row]
        s = found.widths[0 if common else row]
        w = found.weights[row]
        assert found.mean[row] == pytest.approx(w @ c)
        assert found.sd[row] == pytest.approx(np.sqrt(w @ (s**2 + c**2) - (w @ c) ** 2))
        assert found.cdf(x)[row] == pytest.approx(w @ norm.cdf(x[row], c, s))
        assert found.logpdf(x)[row] == pytest.approx(np.log(w @ norm.pdf(x[row], c, s)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-6, 1 - 1e-6))
def test_quantiles_invert_the_shares(seed, share):
    found = mixture(seed)
    ends = found.quantile(np.array([share]))
    np.testing.assert_allclose(found.cdf(ends)[:, 0], share, atol=1e-9)


def test_quantiles_of_far_apart_and_narrow_normals():
    found = Mixture(np.array([[0.0, 1e6]]), np.array([[1e-3, 1.0]]), np.array([[0.5, 0.5]]))
    low, high = found.quantile(np.array([0.25, 0.75]))[0]
    assert low == pytest.approx(0.0, abs=1e-6)
    assert high == pytest.approx(1e6, rel=1e-9)
    assert found.quantile(np.array([0.0, 1.0])).tolist() == [[-np.inf, np.inf]]


def test_digits_survive_a_far_place():
    near = mixture(2)
    far = Mixture(near.centres + 1e9, near.widths, near.weights)
    np.testing.assert_allclose(far.sd, near.sd, rtol=1e-6)


def test_pooled_mixtures_are_averages():
    found = mixture(3, rows=6)
    weights = np.arange(1.0, 7.0)
    even, uneven = found.pool_rows(3), found.pool_rows(6, weights)
    assert even.mean[1] == pytest.approx(found.mean[3:].mean())
    assert uneven.mean[0] == pytest.approx(weights @ found.mean / 21)
    apart = mixture(3, rows=6, common=False)
    assert apart.pool_rows(3).mean[0] == pytest.approx(apart.mean[:3].mean())
    assert apart.pool_rows(6, weights).cdf(np.zeros(1))[0] == pytest.approx(
        weights @ apart.cdf(np.zeros(6)) / 21
    )


def test_draws_of_a_mixture_follow_it():
    found = mixture(4, rows=1)
    drawn = found.sample(np.random.default_rng(1), 40_000)[0]
    assert drawn.mean() == pytest.approx(found.mean[0], abs=4 * found.sd[0] / 200)
    for q in (0.1, 0.5, 0.9):
        below = (drawn < found.quantile(np.array([q]))[0, 0]).mean()
        assert below == pytest.approx(q, abs=0.01)


def test_normals_agree_with_scipy():
    found = Normal(np.array([1.0, -2.0]), np.array([0.5, 3.0]))
    law = norm([1.0, -2.0], [0.5, 3.0])
    x = np.array([0.3, 4.0])
    np.testing.assert_allclose(found.cdf(x), law.cdf(x))
    np.testing.assert_allclose(found.logpdf(x), law.logpdf(x))
    lines = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 9.0]])
    expected = norm([[1.0], [-2.0]], [[0.5], [3.0]])
    np.testing.assert_allclose(found.logpdf(lines), expected.logpdf(lines))
    np.testing.assert_allclose(found.cdf(lines), expected.cdf(lines))
    np.testing.assert_allclose(found.quantile(np.array([0.1, 0.5])), expected.ppf([[0.1, 0.5]] * 2))
    np.testing.assert_allclose(found.probability((0.0, 2.0)), law.cdf(2.0) - law.cdf(0.0))
    drawn = found.sample(np.random.default_rng(1), 40_000)
    np.testing.assert_allclose(drawn.mean(axis=1), found.mean, atol=0.06)
    np.testing.assert_allclose(drawn.std(axis=1), found.sd, rtol=0.02)
    assert found.take([1]).mean.tolist() == [-2.0]


def test_far_tails_keep_their_digits():
    assert Normal(0.0, 1.0).probability((20.0, np.inf))[0] == pytest.approx(norm.sf(20), rel=1e-10)
    both = Mixture(np.array([[0.0, 1.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]]))
    expected = 0.5 * (norm.sf(20) + norm.sf(19))
    assert both.probability((20.0, np.inf))[0] == pytest.approx(expected, rel=1e-10)


def test_a_certain_value():
    found = Normal(2.0, 0.0)
    assert found.probability((2.0, 2.0)).tolist() == [1.0]
    assert found.probability((2.5, np.inf)).tolist() == [0.0]
    assert found.logpdf(np.array([[2.0, 3.0]])).tolist() == [[np.inf, -np.inf]]
    assert found.cdf(np.array([1.9])).tolist() == [0.0]
    assert found.quantile(np.array([0.1, 0.9])).tolist() == [[2.0, 2.0]]


def test_pooled_normals_are_mixtures():
    found = Normal(np.array([0.0, 4.0, 1.0, 3.0]), np.ones(4)).pool_rows(
        2, np.array([1, 3, 1, 1.0])
    )
    assert found.mean.tolist() == pytest.approx([3.0, 2.0])
    assert found.sd[1] == pytest.approx(np.sqrt(2.0))


def test_quantiles_belong_to_shares():
    with pytest.raises(DataError, match="between 0 and 1, got"):
        Normal(0.0, 1.0).quantile(np.array([1.5]))


def test_log_sum_of_nothing_is_minus_infinity():
    assert log_sum(np.array([[-np.inf, -np.inf]])).tolist() == [-np.inf]
