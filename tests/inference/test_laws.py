"""Laws of rows: mixtures, grids and levels against SciPy and plain sums."""

import numpy as np
import pytest
from contracts.laplace import LaplaceConditional
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm

from arcwise.data import Variable
from arcwise.inference.averaging import law_of
from arcwise.inference.grid import GridRows, tabulate
from arcwise.inference.laws import MixtureRows, log_sum
from arcwise.inference.levels import LevelRows


def mixture(seed, rows=3, k=5, common=True):
    rng = np.random.default_rng(seed)
    lines = 1 if common else rows
    weights = rng.dirichlet(np.ones(k), size=rows)
    return MixtureRows(3 * rng.normal(size=(lines, k)), rng.uniform(0.05, 2, (lines, k)), weights)


@pytest.mark.parametrize("common", [True, False])
def test_mixtures_agree_with_sums_of_normals(common):
    law = mixture(1, common=common)
    x = np.array([-1.0, 0.3, 2.5])
    for row in range(3):
        c = law.centres[0 if common else row]
        s = law.widths[0 if common else row]
        w = law.weights[row]
        assert law.mean[row] == pytest.approx(w @ c)
        assert law.sd[row] == pytest.approx(np.sqrt(w @ (s**2 + c**2) - (w @ c) ** 2))
        assert law.cdf(x)[row] == pytest.approx(w @ norm.cdf(x[row], c, s))
        assert law.logdensity(x)[row] == pytest.approx(np.log(w @ norm.pdf(x[row], c, s)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-6, 1 - 1e-6))
def test_quantiles_invert_the_shares(seed, share):
    law = mixture(seed)
    found = law.quantiles(np.array([share]))
    np.testing.assert_allclose(law.cdf(found)[:, 0], share, atol=1e-9)


def test_quantiles_of_far_apart_and_narrow_normals():
    law = MixtureRows(np.array([[0.0, 1e6]]), np.array([[1e-3, 1.0]]), np.array([[0.5, 0.5]]))
    low, high = law.quantiles(np.array([0.25, 0.75]))[0]
    assert low == pytest.approx(0.0, abs=1e-6)
    assert high == pytest.approx(1e6, rel=1e-9)
    assert law.quantiles(np.array([0.0, 1.0])).tolist() == [[-np.inf, np.inf]]


def test_digits_survive_a_far_place():
    near = mixture(2)
    far = MixtureRows(near.centres + 1e9, near.widths, near.weights)
    np.testing.assert_allclose(far.sd, near.sd, rtol=1e-6)


def test_pooled_mixtures_are_averages():
    law = mixture(3, rows=6)
    weights = np.arange(1.0, 7.0)
    even, uneven = law.pooled(3), law.pooled(6, weights)
    assert even.mean[1] == pytest.approx(law.mean[3:].mean())
    assert uneven.mean[0] == pytest.approx(weights @ law.mean / 21)
    apart = mixture(3, rows=6, common=False)
    assert apart.pooled(3).mean[0] == pytest.approx(apart.mean[:3].mean())
    assert apart.pooled(6, weights).cdf(np.zeros(1))[0] == pytest.approx(
        weights @ apart.cdf(np.zeros(6)) / 21
    )


def test_draws_of_a_mixture_follow_it():
    law = mixture(4, rows=1)
    drawn = law.sample(np.random.default_rng(1), 40_000)[0]
    assert drawn.mean() == pytest.approx(law.mean[0], abs=4 * law.sd[0] / 200)
    for q in (0.1, 0.5, 0.9):
        below = (drawn < law.quantiles(np.array([q]))[0, 0]).mean()
        assert below == pytest.approx(q, abs=0.01)


def test_a_tabulated_normal_is_a_normal():
    law = tabulate(
        lambda x: -0.5 * ((x - 3) / 0.01) ** 2,
        np.array([-20.0]),
        np.array([20.0]),
        np.array([[2.9, 3.02]]),
    )
    assert law.mean[0] == pytest.approx(3.0, abs=1e-5)
    assert law.sd[0] == pytest.approx(0.01, rel=1e-3)
    shares = np.array([0.025, 0.5, 0.9])
    expected = norm.ppf(shares, 3, 0.01)
    np.testing.assert_allclose(law.quantiles(shares)[0], expected, atol=2e-5)
    x = np.array([[2.97, 3.0, 3.02]])
    np.testing.assert_allclose(law.logdensity(x)[0], norm.logpdf(x[0], 3, 0.01), atol=5e-3)
    np.testing.assert_allclose(law.cdf(x)[0], norm.cdf(x[0], 3, 0.01), atol=1e-3)


def test_two_narrow_peaks_keep_their_shares():
    def logs(x):
        return np.logaddexp(
            np.log(0.3) - 0.5 * ((x + 4) / 0.02) ** 2, np.log(0.7) - 0.5 * ((x - 4) / 0.02) ** 2
        )

    law = tabulate(logs, np.array([-10.0]), np.array([10.0]), np.array([[-4.01, 4.01]]))
    assert law.cdf(np.zeros(1))[0] == pytest.approx(0.3, abs=0.005)
    drawn = law.sample(np.random.default_rng(1), 5000)[0]
    assert (drawn < 0).mean() == pytest.approx(0.3, abs=0.02)


def test_grids_go_on_beyond_their_points_and_can_be_pooled():
    x = np.linspace(-5, 5, 400)
    law = GridRows(np.stack([x, x + 3]), np.stack([-0.5 * x**2, -0.5 * x**2]))
    far = law.logdensity(np.array([50.0, -50.0]))
    assert np.isfinite(far).all()
    assert (far < -100).all()
    both = law.pooled(2)
    assert both.mean[0] == pytest.approx(1.5, abs=1e-3)
    assert both.sd[0] == pytest.approx(np.sqrt(1 + 1.5**2), abs=2e-3)
    mixed = law.pooled(2, np.array([3.0, 1.0]))
    assert mixed.mean[0] == pytest.approx(0.75, abs=1e-3)


def test_levels_with_numbers_and_with_text():
    law = LevelRows(Variable("n", (1, 2, 5)), np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]))
    assert law.mean.tolist() == pytest.approx([3.3, 1.0])
    assert law.quantiles(np.array([0.2, 0.5, 0.51])).tolist() == [[1, 2, 5], [1, 1, 1]]
    assert law.cdf(np.array([2.0, 0.0])).tolist() == pytest.approx([0.5, 0.0])
    assert law.logdensity(np.array([2.0, 1.0])).tolist() == [np.log(0.5), -np.inf]
    assert law.pooled(2).chances.tolist() == [pytest.approx([0.6, 0.15, 0.25])]
    text = LevelRows(Variable("t", ("x", "y")), np.array([[0.5, 0.5]]))
    assert np.isnan(text.mean[0])
    drawn = law.sample(np.random.default_rng(1), 2000)
    assert (drawn[0] == 2).mean() == pytest.approx(0.5, abs=0.05)
    assert (drawn[1] == 0).all()


def test_any_conditional_becomes_a_law():
    model = LaplaceConditional(1.0, np.array([2.0]), 0.5)
    law = law_of(model, Variable("y"), (np.array([0.0, 3.0]),), 2)
    for row, centre in enumerate((1.0, 7.0)):
        assert law.mean[row] == pytest.approx(centre, abs=0.01)
        assert law.sd[row] == pytest.approx(0.5 * np.sqrt(2), rel=0.01)
        found = law.quantiles(np.array([0.1, 0.9]))[row]
        np.testing.assert_allclose(found, laplace.ppf([0.1, 0.9], centre, 0.5), atol=0.01)
    density = quad(lambda x: np.exp(law.logdensity(np.full((2, 1), x))[0, 0]), -8, 10, limit=200)[0]
    assert density == pytest.approx(1.0, abs=0.01)


def test_log_sum_of_nothing_is_minus_infinity():
    assert log_sum(np.array([[-np.inf, -np.inf]])).tolist() == [-np.inf]
