"""EM of mean and covariance: a slow reference, the likelihood at every round, and what must not matter."""

import numpy as np
import pytest

from arcwise.data.normal_em import Patterns, StandardRows, fit_normal, maximise_normal


def rows_with_gaps(seed, rows=60, columns=4, share=0.3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + 3.0
    x[rng.random(x.shape) < share] = np.nan
    x[0] = np.nan_to_num(x[0])  # a row without gaps
    return x


def observed_loglik(x, weights, mean, covariance):
    """Row by row, by the density of the values that are there."""
    total = 0.0
    for row, weight in zip(x, weights, strict=True):
        there = np.flatnonzero(~np.isnan(row))
        if not there.size:
            continue
        off, own = row[there] - mean[there], covariance[np.ix_(there, there)]
        quadratic = off @ np.linalg.solve(own, off)
        total -= 0.5 * weight * (quadratic + np.linalg.slogdet(2 * np.pi * own)[1])
    return total


def expected(x, weights, mean, covariance):
    """The E-step, row by row, by the covariance of the observed columns."""
    size = len(mean)
    first, second = np.zeros(size), np.zeros((size, size))
    for row, weight in zip(x, weights, strict=True):
        seen, hidden = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        slopes = covariance[np.ix_(hidden, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
        filled, spread = row.copy(), np.zeros((size, size))
        filled[hidden] = mean[hidden] + slopes @ (row[seen] - mean[seen])
        rest = covariance[np.ix_(hidden, hidden)] - slopes @ covariance[np.ix_(seen, hidden)]
        spread[np.ix_(hidden, hidden)] = rest
        first += weight * filled
        second += weight * (np.outer(filled, filled) + spread)
    first /= weights.sum()
    return first, second / weights.sum() - np.outer(first, first)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
@pytest.mark.parametrize("columns", [2, 5, 9])
def test_the_expected_moments_are_those_of_each_row_by_itself(share, columns):
    x = rows_with_gaps(columns, columns=columns, share=share)
    x = x[~np.isnan(x).all(axis=1)]
    weights = np.random.default_rng(1).integers(1, 4, len(x)).astype(float)
    rng = np.random.default_rng(2)
    mean, root = rng.normal(size=columns), rng.normal(size=(columns, columns + 2))
    covariance = root @ root.T
    patterns = Patterns(x, weights)
    loglik, first, second = patterns.expect(mean, covariance, np.linalg.inv(covariance))
    assert loglik == pytest.approx(observed_loglik(x, weights, mean, covariance), rel=1e-10)
    slow = expected(x, weights, mean, covariance)
    assert first == pytest.approx(slow[0], rel=1e-9, abs=1e-9)
    assert second == pytest.approx(slow[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_likelihood_never_falls_and_ends_at_a_maximum(seed, share):
    x = rows_with_gaps(seed, share=share)
    weights = np.ones(len(x))
    fit = fit_normal(x, weights)
    assert fit.converged
    assert np.diff(fit.logliks).min() > -1e-8
    best = observed_loglik(x, weights, fit.mean, fit.covariance)
    assert fit.logliks[-1] < best < fit.logliks[-1] + 1  # what the millionth of a row takes off
    rng = np.random.default_rng(seed)
    for _ in range(20):
        shift, root = rng.normal(size=4), rng.normal(size=(4, 4))
        other = fit.covariance + 0.1 * root @ root.T * np.mean(np.diag(fit.covariance))
        worse = observed_loglik(x, weights, fit.mean + 0.2 * shift, other)
        assert worse < best + 1e-3


def test_the_penalised_likelihood_never_falls_either():
    x = rows_with_gaps(3, rows=12, columns=6, share=0.5)
    x = x[~np.isnan(x).all(axis=1)]
    fit = fit_normal(x, np.ones(len(x)), prior=1.0)
    assert fit.converged
    assert np.diff(fit.logliks).min() > -1e-8


def test_without_gaps_it_is_the_sample_covariance():
    x = np.random.default_rng(1).normal(size=(30, 3)) @ np.diag([1.0, 10.0, 0.1]) + 5
    fit = fit_normal(x, np.ones(30))
    assert fit.mean == pytest.approx(x.mean(axis=0))
    assert fit.covariance == pytest.approx(np.cov(x.T, bias=True), rel=1e-6)


def test_units_origin_order_of_rows_and_copies_do_not_matter():
    x, weights = rows_with_gaps(8), np.ones(60)
    weights[:5] = 2.0
    fit = fit_normal(x, weights)
    scale, origin = np.array([1e-6, 10.0, 1e5, 30.0]), np.array([0.0, 1e9, -7.0, 1e9])
    other = fit_normal(x * scale + origin, weights)
    sd = np.sqrt(np.diag(fit.covariance))
    apart = other.covariance / np.outer(scale, scale) - fit.covariance
    assert np.abs(apart / np.outer(sd, sd)).max() < 1e-4
    order = np.random.default_rng(1).permutation(60)
    assert fit_normal(x[order], weights[order]).covariance == pytest.approx(
        fit.covariance, rel=1e-9
    )
    copies = np.concatenate([x, x[:5]])
    assert fit_normal(copies, np.ones(65)).covariance == pytest.approx(fit.covariance, rel=1e-9)


def test_copies_constants_and_columns_never_seen_together():
    x = rows_with_gaps(4)
    x[:, 1] = x[:, 0]
    fit = fit_normal(x, np.ones(60))
    correlation = fit.covariance[0, 1] / np.sqrt(fit.covariance[0, 0] * fit.covariance[1, 1])
    assert correlation == pytest.approx(1.0, abs=1e-3)
    x[:, 2] = np.where(np.isnan(x[:, 2]), np.nan, 7.0)
    fit = fit_normal(x, np.ones(60))
    assert fit.mean[2] == 7.0
    assert not fit.covariance[2].any()
    apart = np.full((40, 2), np.nan)
    apart[:20, 0], apart[20:, 1] = np.arange(20.0), np.arange(20.0) ** 2
    assert fit_normal(apart, np.ones(40)).covariance[0, 1] == pytest.approx(0.0, abs=1e-9)
    assert fit_normal(np.full((3, 2), 2.0), np.ones(3)).covariance.tolist() == [[0, 0], [0, 0]]


def test_a_model_of_the_covariance_is_kept_and_its_likelihood_never_falls():
    x = rows_with_gaps(6, rows=200)
    standard = StandardRows.of(x, np.ones(200))

    def diagonal(mean, covariance):
        return mean, np.diag(np.diag(covariance))

    fit = maximise_normal(standard.patterns, np.zeros(4), np.eye(4), diagonal)
    assert np.diff(fit.logliks).min(initial=0.0) > -1e-9
    found = standard.in_units(fit)
    assert found.mean == pytest.approx(np.nanmean(x, axis=0))
    assert np.diag(found.covariance) == pytest.approx(np.nanvar(x, axis=0), rel=1e-4)
