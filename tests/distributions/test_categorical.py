"""Probabilities of levels: numbers have moments, text has probabilities."""

import numpy as np
import pytest

from arcwise.distributions import Categorical
from arcwise.errors import DataError, FitError

NUMBERS = Categorical(np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), (1, 2, 5), "n")
TEXT = Categorical(np.array([[0.25, 0.75]]), ("no", "yes"), "rain")


def test_levels_that_are_numbers():
    assert NUMBERS.mean.tolist() == pytest.approx([3.3, 1.0])
    assert NUMBERS.sd[0] == pytest.approx(np.sqrt(0.2 * 2.3**2 + 0.3 * 1.3**2 + 0.5 * 1.7**2))
    assert NUMBERS.quantile(np.array([0.2, 0.5, 0.51])).tolist() == [[1, 2, 5], [1, 1, 1]]
    assert NUMBERS.cdf(np.array([2.0, 0.0])).tolist() == pytest.approx([0.5, 0.0])
    assert NUMBERS.logpdf(np.array([2.0, 1.0])).tolist() == [np.log(0.5), -np.inf]
    assert NUMBERS.pool_rows(2).probabilities.tolist() == [pytest.approx([0.6, 0.15, 0.25])]
    assert NUMBERS.take([1]).mean.tolist() == [1.0]
    drawn = NUMBERS.sample(np.random.default_rng(1), 2000)
    assert (drawn[0] == 2).mean() == pytest.approx(0.5, abs=0.05)
    assert (drawn[1] == 0).all()


@pytest.mark.parametrize(
    "found", [TEXT, Categorical(np.array([[0.4, 0.6]]), (False, True), "rain")]
)
def test_other_levels_have_no_mean_and_say_what_they_have(found):
    for ask in (
        lambda: found.mean,
        lambda: found.sd,
        lambda: found.quantile(np.array([0.5])),
        lambda: found.cdf(np.zeros(1)),
    ):
        with pytest.raises(DataError, match=r"'rain' are not numbers, .* use its probabilities"):
            ask()


@pytest.mark.parametrize(
    ("event", "expected"),
    [([1, 5], 0.7), (5, 0.5), ((2, None), 0.8), ((1.5, 4), 0.3), ({2}, 0.3), ([], 0.0)],
)
def test_events_are_levels_or_intervals(event, expected):
    assert NUMBERS.probability(event)[0] == pytest.approx(expected)


def test_events_on_text():
    assert TEXT.probability("yes").tolist() == [0.75]
    assert TEXT.probability(("no", "yes")).tolist() == [1.0]
    with pytest.raises(DataError, match=r"'rain' has no level 'ye'. Did you mean 'yes'"):
        TEXT.probability("ye")
    with pytest.raises(DataError, match="low <= high"):
        NUMBERS.probability((3, 1))


def test_values_and_codes():
    assert TEXT.values(np.array([1.0, 0.0])).tolist() == ["yes", "no"]
    assert NUMBERS.values(np.array([2, 0])).tolist() == [5.0, 1.0]
    assert TEXT.code_of(["yes", "maybe"]).tolist() == [1.0, pytest.approx(np.nan, nan_ok=True)]
    bare = Categorical(np.array([[0.5, 0.5]]))
    assert bare.mean.tolist() == [0.5]
    assert bare.with_levels((3, 5), "m").mean.tolist() == [4.0]


def test_log_weights_are_taken_however_small_but_not_none():
    found = Categorical.from_logs(np.array([[-1e6, -1e6 + np.log(3)]]), ("a", "b"), "x")
    assert found.probabilities.tolist() == [pytest.approx([0.25, 0.75])]
    with pytest.raises(
        FitError, match="impossible: with it, every level of 'x' has probability zero"
    ):
        Categorical.from_logs(np.full((1, 2), -np.inf), ("a", "b"), "x")
