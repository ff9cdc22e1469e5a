"""Student's distributions, against SciPy's and against the normal they become."""

import numpy as np
import pytest
from scipy.stats import t

from arcwise.distributions import Normal, Student
from arcwise.distributions.composites import blend

MEAN, SCALE, DF = np.array([1.0, -2.0, 1e9]), np.array([0.5, 3.0, 2.0]), np.array([1.5, 7.0, 300.0])
FOUND = Student(MEAN, SCALE, DF)
TRUE = t(DF, MEAN, SCALE)


def test_it_is_scipys():
    x = np.array([0.3, 4.0, 1e9 + 5])
    np.testing.assert_allclose(FOUND.cdf(x), TRUE.cdf(x), rtol=1e-10)
    np.testing.assert_allclose(FOUND.logpdf(x), TRUE.logpdf(x), rtol=1e-9)
    np.testing.assert_allclose(
        FOUND.probability((0.2, 8.0)), TRUE.cdf(8.0) - TRUE.cdf(0.2), atol=1e-9
    )
    for share in (0.001, 0.5, 0.975):
        np.testing.assert_allclose(FOUND.quantile(np.array([share]))[:, 0], TRUE.ppf(share))
    np.testing.assert_allclose(FOUND.sd[1:], TRUE.std()[1:])
    assert FOUND.sd[0] == np.inf


def test_lines_of_values_and_ends():
    lines = np.array([[0.0, 1.0], [0.0, 1.0], [1e9, 1e9]])
    assert FOUND.cdf(lines).shape == FOUND.logpdf(lines).shape == (3, 2)
    assert np.isinf(FOUND.quantile(np.array([0.0, 1.0]))).all()
    assert FOUND.probability((-np.inf, np.inf)).tolist() == [1.0, 1.0, 1.0]
    assert FOUND.take(slice(1, 2)).df.tolist() == [7.0]


def test_with_very_many_degrees_it_is_normal():
    x = np.array([0.1])
    wide, normal = Student(0.0, 2.0, 1e12), Normal(0.0, 2.0)
    for name in ("cdf", "logpdf"):
        np.testing.assert_allclose(getattr(wide, name)(x), getattr(normal, name)(x), rtol=1e-9)
    np.testing.assert_allclose(wide.quantile(np.array([0.9])), normal.quantile(np.array([0.9])))


def test_a_certain_value():
    sure = Student(2.0, 0.0, 5.0)
    assert (sure.sd[0], sure.quantile(np.array([0.0, 0.9])).tolist()) == (0.0, [[2.0, 2.0]])
    assert sure.cdf(np.array([1.9])).tolist() == [0.0]
    assert sure.logpdf(np.array([2.0])).tolist() == [np.inf]
    assert sure.probability((1.0, 3.0)).tolist() == [1.0]


def test_draws_and_averages():
    drawn = FOUND.sample(np.random.default_rng(1), 40_000)[1]
    assert drawn.std() == pytest.approx(FOUND.sd[1], rel=0.02)
    pair = Student(np.array([0.0, 4.0]), 1.0, 9.0)
    both = pair.pool_rows(2)
    assert both.mean.tolist() == [2.0]
    joined = blend([pair.take([0]), pair.take([1])], np.array([0.5, 0.5]))
    assert both.quantile(np.array([0.2]))[0, 0] == pytest.approx(
        joined.quantile(np.array([0.2]))[0, 0]
    )
