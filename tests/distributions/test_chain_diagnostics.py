"""Mixing: autoregressive chains have a known effective size; stuck chains are found out."""

import numpy as np
import pytest

from arcwise.distributions.chain_diagnostics import diagnose, effective_size, split_rhat


def autoregressive(rng, rho, sweeps, rows, chains):
    """Chains x_t = rho x_{t-1} + noise, started from their stationary law, variance 1."""
    x = np.empty((sweeps, rows, chains))
    x[0] = rng.normal(size=(rows, chains))
    noise = np.sqrt(1 - rho**2) * rng.normal(size=x.shape)
    for t in range(1, sweeps):
        x[t] = rho * x[t - 1] + noise[t]
    return x


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, -0.5])
def test_effective_size_of_autoregressive_chains(rho):
    x = autoregressive(np.random.default_rng(1), rho, 500, 60, 8)
    expected = 500 * 8 * (1 - rho) / (1 + rho)
    found = diagnose(x)
    assert np.median(found.ess) == pytest.approx(expected, rel=0.2)
    assert np.median(found.rhat) < 1.05


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_the_error_of_the_mean_is_its_spread(rho):
    x = autoregressive(np.random.default_rng(2), rho, 300, 400, 6)
    z = x.mean(axis=(0, 2)) / diagnose(x).error
    assert abs(z.mean()) < 0.2
    assert z.std() == pytest.approx(1.0, abs=0.12)


def test_chains_at_different_places_disagree():
    rng = np.random.default_rng(3)
    x = autoregressive(rng, 0.3, 200, 1, 4)
    x[:, :, :2] += 3.0
    found = diagnose(x)
    assert found.rhat[0] > 1.5
    assert found.ess[0] < 20


def test_a_drift_shows_since_chains_are_cut_in_two():
    x = autoregressive(np.random.default_rng(4), 0.0, 200, 1, 4)
    x += np.linspace(0, 3, 200)[:, None, None]
    assert diagnose(x).rhat[0] > 1.2


def test_heavy_tails_do_not_break_rhat():
    x = np.random.default_rng(5).standard_cauchy(size=(1, 400, 4))
    assert split_rhat(x)[0] < 1.02


def test_numbers_that_never_change():
    found = diagnose(np.full((50, 2, 3), 7.3))
    assert found.error.tolist() == [0.0, 0.0]
    assert found.rhat.tolist() == [1.0, 1.0]
    assert found.ess.tolist() == [150.0, 150.0]


def test_short_chains_count_once_each():
    assert effective_size(np.random.default_rng(1).normal(size=(1, 4, 5))).tolist() == [5.0]
    assert np.isnan(split_rhat(np.zeros((1, 3, 5)))).all()
