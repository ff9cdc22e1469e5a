"""Averages of distributions against sums by hand."""

import numpy as np
import pytest

from arcwise.distributions import Categorical, Mixture, Normal
from arcwise.distributions.composites import Blend, blend
from arcwise.errors import DataError

PARTS = [Normal(np.array([0.0, 1.0]), np.array([1.0, 2.0])), Normal(np.array([3.0, -1.0]), 0.5)]
WEIGHTS = np.array([[0.25, 0.5], [0.75, 0.5]])


@pytest.mark.parametrize("found", [blend(PARTS, WEIGHTS), Blend(tuple(PARTS), WEIGHTS)])
def test_normals_are_a_mixture(found):
    x = np.array([0.5, 0.7])
    by_hand = sum(w * np.exp(part.logpdf(x)) for w, part in zip(WEIGHTS, PARTS, strict=True))
    assert np.exp(found.logpdf(x)) == pytest.approx(by_hand)
    means = sum(w * part.mean for w, part in zip(WEIGHTS, PARTS, strict=True))
    squares = sum(w * (p.sd**2 + p.mean**2) for w, p in zip(WEIGHTS, PARTS, strict=True))
    assert found.mean == pytest.approx(means)
    assert found.sd == pytest.approx(np.sqrt(squares - means**2))
    q = np.array([0.1, 0.5, 0.99])
    assert found.cdf(found.quantile(q)) == pytest.approx(np.array([q, q]), abs=1e-9)
    share = sum(w * part.probability((0.0, 2.0)) for w, part in zip(WEIGHTS, PARTS, strict=True))
    assert found.probability((0.0, 2.0)) == pytest.approx(share)
    drawn = found.sample(np.random.default_rng(1), 20_000)
    assert drawn.mean(axis=1) == pytest.approx(means, abs=0.05)
    assert found.take(np.array([1])).mean == pytest.approx(means[1:])


def test_normals_without_spread_stay_side_by_side():
    found = blend([Normal(1.0, 0.0), Normal(3.0, 1.0)], np.array([0.5, 0.5]))
    assert isinstance(found, Blend)
    assert found.mean.tolist() == [2.0]


def test_levels_have_averaged_probabilities():
    parts = [
        Categorical(np.array([[0.2, 0.8]]), ("n", "y")),
        Categorical(np.array([[0.6, 0.4]]), ("n", "y")),
    ]
    found = blend(parts, np.array([0.25, 0.75]))
    assert found.probabilities.tolist() == [pytest.approx([0.5, 0.5])]
    assert found.levels == (
        "n",
        "y",
    )


def test_mixtures_of_different_sizes():
    one = Mixture(np.array([[0.0, 1.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]]))
    found = blend([one, Normal(4.0, 1.0)], np.array([0.5, 0.5]))
    assert found.mean.tolist() == [2.25]


def test_one_is_itself_and_none_is_rejected():
    assert blend(PARTS[:1], np.array([1.0])) is PARTS[0]
    with pytest.raises(DataError, match="at least one"):
        blend([], np.zeros(0))
