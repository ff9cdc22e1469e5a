"""Densities on grids, and local models that give nothing but densities and draws."""

import numpy as np
import pytest
from contracts.laplace import LaplaceConditional
from scipy.integrate import quad
from scipy.stats import laplace, norm

from arcwise.conditionals import distribution_of
from arcwise.data import Variable
from arcwise.distributions import Grid, tabulate
from arcwise.errors import FitError


def test_a_tabulated_normal_is_a_normal():
    found = tabulate(
        lambda x: -0.5 * ((x - 3) / 0.01) ** 2,
        np.array([-20.0]),
        np.array([20.0]),
        np.array([[2.9, 3.02]]),
    )
    assert found.mean[0] == pytest.approx(3.0, abs=1e-5)
    assert found.sd[0] == pytest.approx(0.01, rel=1e-3)
    shares = np.array([0.025, 0.5, 0.9])
    expected = norm.ppf(shares, 3, 0.01)
    np.testing.assert_allclose(found.quantile(shares)[0], expected, atol=2e-5)
    x = np.array([[2.97, 3.0, 3.02]])
    np.testing.assert_allclose(found.logpdf(x)[0], norm.logpdf(x[0], 3, 0.01), atol=5e-3)
    np.testing.assert_allclose(found.cdf(x)[0], norm.cdf(x[0], 3, 0.01), atol=1e-3)


def test_two_narrow_peaks_keep_their_shares():
    def logs(x):
        return np.logaddexp(
            np.log(0.3) - 0.5 * ((x + 4) / 0.02) ** 2, np.log(0.7) - 0.5 * ((x - 4) / 0.02) ** 2
        )

    found = tabulate(logs, np.array([-10.0]), np.array([10.0]), np.array([[-4.01, 4.01]]))
    assert found.cdf(np.zeros(1))[0] == pytest.approx(0.3, abs=0.005)
    drawn = found.sample(np.random.default_rng(1), 5000)[0]
    assert (drawn < 0).mean() == pytest.approx(0.3, abs=0.02)


def test_grids_go_on_beyond_their_points_and_can_be_pooled():
    x = np.linspace(-5, 5, 400)
    found = Grid(np.stack([x, x + 3]), np.stack([-0.5 * x**2, -0.5 * x**2]))
    far = found.logpdf(np.array([50.0, -50.0]))
    assert np.isfinite(far).all()
    assert (far < -100).all()
    both = found.pool_rows(2)
    assert both.mean[0] == pytest.approx(1.5, abs=1e-3)
    assert both.sd[0] == pytest.approx(np.sqrt(1 + 1.5**2), abs=2e-3)
    mixed = found.pool_rows(2, np.array([3.0, 1.0]))
    assert mixed.mean[0] == pytest.approx(0.75, abs=1e-3)


def test_averages_of_far_apart_and_narrow_peaks_keep_their_shares():
    x = np.linspace(-8, 8, 160)
    found = Grid(np.stack([x, 1e-3 * x + 1e4, x]), np.stack([-0.5 * x**2] * 3))
    both = found.pool_rows(3, np.array([1.0, 2.0, 1.0]))
    assert both.cdf(np.array([5e3]))[0] == pytest.approx(0.5, abs=1e-6)
    assert both.mean[0] == pytest.approx(5e3, rel=1e-6)
    assert both.quantile(np.array([0.75]))[0, 0] == pytest.approx(1e4, abs=1e-4)
    assert both.probability((-1.0, 1.0))[0] == pytest.approx(0.5 * 0.6827, abs=1e-3)
    assert found.take([1]).mean[0] == pytest.approx(1e4, abs=1e-5)


def test_probabilities_of_intervals():
    x = np.linspace(-8, 8, 400)[None, :]
    found = Grid(x, -0.5 * x**2)
    assert found.probability((-np.inf, 0.0))[0] == pytest.approx(0.5, abs=1e-6)
    assert found.probability((1.0, np.inf))[0] == pytest.approx(norm.sf(1), abs=1e-4)
    assert found.probability((-np.inf, np.inf))[0] == 1.0
    assert found.probability((20.0, 30.0))[0] == pytest.approx(0.0, abs=1e-12)


def test_a_density_that_is_zero_everywhere_is_rejected():
    x = np.linspace(0.0, 1.0, 5)[None, :]
    with pytest.raises(
        FitError, match="evidence is impossible: with it, every value has density zero"
    ):
        Grid(x, np.full((1, 5), -np.inf))
    tiny = Grid(x, np.full((1, 5), -1e6))  # tiny densities are densities
    assert tiny.mean[0] == pytest.approx(0.5)


def test_a_model_without_distributions_is_tabulated():
    model = LaplaceConditional(1.0, np.array([2.0]), 0.5)
    found = distribution_of(model, Variable("y"), (np.array([0.0, 3.0]),), 2)
    for row, centre in enumerate((1.0, 7.0)):
        assert found.mean[row] == pytest.approx(centre, abs=0.01)
        assert found.sd[row] == pytest.approx(0.5 * np.sqrt(2), rel=0.01)
        ends = found.quantile(np.array([0.1, 0.9]))[row]
        np.testing.assert_allclose(ends, laplace.ppf([0.1, 0.9], centre, 0.5), atol=0.01)
    density = quad(lambda x: np.exp(found.logpdf(np.full((2, 1), x))[0, 0]), -8, 10, limit=200)[0]
    assert density == pytest.approx(1.0, abs=0.01)
