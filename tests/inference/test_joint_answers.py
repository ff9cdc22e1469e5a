"""Mutual information by nearest neighbours, where it is known."""

import numpy as np
import pytest

from arcwise.inference.joint_answers import mutual_information, scores


@pytest.mark.parametrize("r", [0.0, 0.4, 0.8, 0.95])
def test_bivariate_normals(r):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(4):
        x = rng.normal(size=(3000, 1))
        y = r * x + np.sqrt(1 - r**2) * rng.normal(size=(3000, 1))
        found.append(mutual_information(scores(x), scores(y)))
    assert np.mean(found) == pytest.approx(-0.5 * np.log(1 - r**2), abs=0.025)


def test_it_does_not_change_with_the_scale_of_a_variable():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(1000, 1))
    y = x + rng.normal(size=(1000, 1))
    plain = mutual_information(scores(x), scores(y))
    assert mutual_information(scores(np.exp(3 * x)), scores(y**3)) == pytest.approx(plain)


def test_dependence_without_correlation_is_found():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2000, 1))
    y = x**2 + 0.1 * rng.normal(size=(2000, 1))
    assert abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) < 0.1
    assert mutual_information(scores(x), scores(y)) > 0.8


def test_two_variables_tell_more_than_one():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(3000, 2))
    y = x.sum(axis=1, keepdims=True) + np.sqrt(2) * rng.normal(size=(3000, 1))
    assert mutual_information(scores(x), scores(y)) == pytest.approx(0.5 * np.log(2), abs=0.04)
    assert mutual_information(scores(x[:, :1]), scores(y)) == pytest.approx(
        -0.5 * np.log(1 - 0.25), abs=0.03
    )


def test_levels():
    rng = np.random.default_rng(5)
    code = rng.integers(0, 2, (4000, 1)).astype(float)
    flip = np.where(rng.random((4000, 1)) < 0.1, 1 - code, code)
    expected = np.log(2) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9)
    found = mutual_information(scores(code, levels=True), scores(flip, levels=True))
    assert found == pytest.approx(expected, abs=0.03)
    shifted = 20 * code + rng.normal(size=(4000, 1))
    found = mutual_information(scores(code, levels=True), scores(shifted))
    assert found == pytest.approx(np.log(2), abs=0.02)
