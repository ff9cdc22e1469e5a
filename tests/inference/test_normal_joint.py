"""Normal beliefs: quantiles, densities, events, mutual information, texts."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from arcwise.distributions import Normal
from arcwise.errors import DataError
from arcwise.inference import Belief, Beliefs, GaussianJoint, Probability
from arcwise.inference.belief import Quality


def normal(name, mean, sd, *question):
    return Belief(name, Normal(mean, sd), Quality(), None, *question)


def normals(names, mean, root):
    return Beliefs.normal(GaussianJoint(names, mean, root))


BELIEF = normal("x", 2.0, 3.0)


def beliefs(covariance, mean=None, names="abcdefgh"):
    covariance = np.asarray(covariance, dtype=float)
    size = len(covariance)
    mean = np.zeros(size) if mean is None else np.asarray(mean, dtype=float)
    return normals(tuple(names[:size]), mean, np.linalg.cholesky(covariance))


def test_quantiles_and_intervals():
    assert BELIEF.quantile(0.5) == 2.0
    np.testing.assert_allclose(BELIEF.quantile([0.1, 0.9]), norm(2, 3).ppf([0.1, 0.9]))
    assert BELIEF.interval(0.5) == pytest.approx(norm(2, 3).interval(0.5))
    assert (BELIEF.variance, BELIEF.error) == (9.0, 0.0)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -0.1, math.nan])
def test_levels_are_shares(level):
    with pytest.raises(DataError, match="between 0 and 1"):
        BELIEF.interval(level)


def test_quantile_shares_are_checked():
    with pytest.raises(DataError, match="between 0 and 1"):
        BELIEF.quantile(1.5)


def test_density_at_one_value_and_at_many():
    assert BELIEF.density(1.0) == pytest.approx(norm(2, 3).pdf(1.0))
    np.testing.assert_allclose(BELIEF.density([1.0, 5.0]), norm(2, 3).pdf([1.0, 5.0]))
    assert isinstance(BELIEF.logdensity(1.0), float)


@settings(max_examples=60)
@given(st.floats(-50, 50), st.floats(0, 50))
def test_probability_of_an_interval(low, width):
    found = BELIEF.probability((low, low + width))
    expected = norm(2, 3).cdf(low + width) - norm(2, 3).cdf(low)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found.error == 0.0


def test_far_tails_keep_their_digits():
    assert BELIEF.probability((62.0, None)) == pytest.approx(norm.sf(20), rel=1e-10)
    assert BELIEF.probability((None, -58.0)) == pytest.approx(norm.cdf(-20), rel=1e-10)
    assert BELIEF.probability((None, None)) == 1.0


def test_events_by_name_and_by_function():
    assert BELIEF.probability({"x": (2.0, None)}) == 0.5
    assert BELIEF.probability({}) == 1.0
    counted = BELIEF.probability(lambda drawn: drawn["x"] > 2.0, seed=3)
    assert counted == pytest.approx(0.5, abs=5 * counted.error)
    assert counted.error == pytest.approx(0.5 / math.sqrt(100_000), rel=0.01)
    never = BELIEF.probability(lambda drawn: drawn["x"] > 1e9)
    assert never == 0.0
    assert never.error > 0.0


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ((3.0, 1.0), "low <= high"),
        ((math.nan, 1.0), "low <= high"),
        (("a", 1.0), "low <= high"),
        (3.0, "must be a pair"),
        ("ab", "must be a pair"),
        ((1.0,), "must be a pair"),
        ({"y": (1.0, 2.0)}, "names 'y', which is not a target"),
        (lambda drawn: True, "one boolean per draw"),
        (lambda drawn: drawn["x"], "one boolean per draw"),
    ],
)
def test_bad_events(event, message):
    with pytest.raises(DataError, match=message):
        BELIEF.probability(event)


def test_a_certain_variable():
    certain = normal("x", 2.0, 0.0)
    assert certain.probability((2.0, 2.0)) == 1.0
    assert certain.probability((2.5, None)) == 0.0
    assert certain.density(2.0) == math.inf
    assert certain.density(3.0) == 0.0
    assert str(certain) == "x\n  certainly 2"


def test_draws_are_reproducible_and_of_the_right_law():
    first = BELIEF.draws(50_000, seed=1)
    assert np.array_equal(first, BELIEF.draws(50_000, seed=np.random.default_rng(1)))
    assert first.mean() == pytest.approx(2.0, abs=0.07)
    assert first.std() == pytest.approx(3.0, abs=0.05)
    assert not np.array_equal(first, BELIEF.draws(50_000, seed=2))


def test_text_and_dict():
    text = str(normal("y", 1.0, 0.5, {"a": 1.25}, {"b": 2.0}))
    assert text == "y given a = 1.25, do b = 2\n  mean 1, sd 0.5; 95 % between 0.02002 and 1.98"
    assert json.loads(json.dumps(BELIEF.document()))["mean"] == 2.0


def test_a_probability_is_a_float_with_an_error():
    half = Probability(0.5, 0.01)
    assert half > 0.4
    assert str(half) == "0.5 ± 0.01"
    assert f"{half:.2f}" == "0.50"
    assert (Probability(1.0 + 1e-17), Probability(-1e-17)) == (1.0, 0.0)
    again = pickle.loads(pickle.dumps(half))
    assert (again, again.error) == (0.5, 0.01)


# -- several variables ---------------------------------------------------------------------------

THREE = np.array([[2.0, 0.8, 0.3], [0.8, 1.0, -0.2], [0.3, -0.2, 1.5]])


def test_moments_and_parts():
    both = beliefs(THREE, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(both.covariance, THREE)
    np.testing.assert_allclose(both.sd**2, both.variance)
    sd = np.sqrt(np.diag(THREE))
    np.testing.assert_allclose(both.correlation, THREE / np.outer(sd, sd))
    assert both["b"].mean == 2.0
    assert both["b"].sd == pytest.approx(1.0)
    with pytest.raises(DataError, match="'z' is not a target"):
        both["z"]


def test_joint_density():
    both = beliefs(THREE, [1.0, 2.0, 3.0])
    law = multivariate_normal([1.0, 2.0, 3.0], THREE)
    at_one = both.logdensity({"a": 0.0, "b": 1.0, "c": 2.0})
    assert at_one == pytest.approx(law.logpdf([0.0, 1.0, 2.0]))
    columns = {"a": [0.0, 1.0], "b": [1.0, 1.0], "c": [2.0, 0.0]}
    np.testing.assert_allclose(both.logdensity(columns), law.logpdf([[0, 1, 2], [1, 1, 0]]))
    with pytest.raises(DataError, match="none for 'c'"):
        both.logdensity({"a": 0.0, "b": 1.0})


def test_mutual_information():
    both = beliefs(THREE)
    r = both.correlation[0, 1]
    assert both.mutual_information("a", "b") == pytest.approx(-0.5 * math.log(1 - r**2))
    det = np.linalg.det
    expected = 0.5 * math.log(THREE[0, 0] * det(THREE[1:, 1:]) / det(THREE))
    assert both.mutual_information("a", ["b", "c"]) == pytest.approx(expected)
    assert both.mutual_information(["c", "b"], "a") == pytest.approx(expected)
    assert beliefs(np.eye(2)).mutual_information("a", "b") == 0.0
    copies = normals(("a", "b"), np.zeros(2), np.array([[1.0], [2.0]]))
    assert copies.mutual_information("a", "b") == math.inf
    known = normals(("a", "b"), np.zeros(2), np.array([[1.0], [0.0]]))
    assert known.mutual_information("a", "b") == 0.0


def test_orthant_of_two_variables_is_known():
    r = 0.6
    found = beliefs([[1, r], [r, 1]]).probability({"a": (0, None), "b": (0, None)})
    assert found == pytest.approx(0.25 + math.asin(r) / (2 * math.pi), abs=1e-7)
    assert 0 < found.error < 1e-6


def test_orthant_of_three_variables_is_known():
    r = np.array([[1, 0.5, 0.2], [0.5, 1, -0.3], [0.2, -0.3, 1]])
    found = beliefs(r).probability(dict.fromkeys("abc", (0, None)))
    angles = math.asin(0.5) + math.asin(0.2) + math.asin(-0.3)
    assert found == pytest.approx(0.125 + angles / (4 * math.pi), abs=max(5 * found.error, 1e-6))
    assert found.error < 1e-4


def test_boxes_agree_with_draws():
    both = beliefs(THREE, [1.0, 2.0, 3.0])
    event = {"a": (0.0, 2.0), "b": (None, 2.5), "c": (None, None)}
    counted = both.probability(
        lambda drawn: (drawn["a"] >= 0) & (drawn["a"] <= 2) & (drawn["b"] <= 2.5), seed=1
    )
    assert both.probability(event) == pytest.approx(counted, abs=5 * counted.error)


def test_events_on_one_of_several_and_on_none_are_exact():
    both = beliefs(THREE)
    assert both.probability({"b": (0, None), "a": (None, None)}) == 0.5
    assert both.probability({"b": (0, None)}).error == 0.0
    assert both.probability({}) == 1.0


def test_events_with_determined_and_copied_variables():
    root = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    both = normals(("a", "b", "c"), np.array([0.0, 0.0, 5.0]), root)
    assert both.probability({"c": (4, 6)}) == 1.0
    assert both.probability({"c": (6, 7), "a": (0, None)}) == 0.0
    assert both.probability({"a": (0, None), "b": (0, None)}) == pytest.approx(0.5, abs=1e-6)
    assert both.probability({"a": (0, None), "b": (None, 0)}) == pytest.approx(0.0, abs=1e-6)


def test_events_on_several_need_names():
    with pytest.raises(DataError, match="bounds or levels by name"):
        beliefs(THREE).probability((0.0, 1.0))


def test_draws_of_several():
    drawn = beliefs(THREE, [1.0, 2.0, 3.0]).draws(200_000, seed=5)
    assert list(drawn) == ["a", "b", "c"]
    np.testing.assert_allclose(np.cov(np.array(list(drawn.values()))), THREE, atol=0.03)


def test_text_of_several():
    lines = str(beliefs([[1.0, 0.6], [0.6, 1.0]], [1.0, 2.0], names=["x", "rain"])).splitlines()
    assert lines[0] == "x, rain"
    assert lines[1] == "  x     mean 1, sd 1; 95 % between -0.96 and 2.96"
    assert lines[-1] == "  rain   0.60   1.00"
    assert json.loads(json.dumps(beliefs(THREE).document()))["names"] == ["a", "b", "c"]


SINGLE = normal("x", 0.0, 1.0)
PAIR = normals(("x", "y"), np.zeros(2), np.eye(2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SINGLE.draws(-1), "draws must be a non-negative integer, got -1"),
        (lambda: SINGLE.draws(1.5), "got 1.5"),
        (lambda: PAIR.draws(-1), "draws must be a non-negative integer"),
        (lambda: SINGLE.draws(3, seed=-1), "seed must be a non-negative integer"),
        (lambda: PAIR.draws(3, seed="one"), "seed must be a non-negative integer"),
        (lambda: SINGLE.quantile(2), "between 0 and 1, got 2"),
        (lambda: SINGLE.quantile("half"), "between 0 and 1, got 'half'"),
        (lambda: SINGLE.quantile([0.5, None]), "between 0 and 1"),
        (lambda: SINGLE.interval("wide"), "between 0 and 1, got 'wide'"),
        (lambda: SINGLE.density("high"), "'x' must be numbers, got 'high'"),
        (lambda: PAIR.logdensity([1, 2]), r"values by name, got \[1, 2\]"),
        (lambda: PAIR.logdensity({"x": 1, "y": "high"}), "'y' must be numbers"),
        (lambda: PAIR.logdensity({"x": [1, 2], "y": [1, 2, 3]}), "got 2, 3"),
    ],
)
def test_questions_to_a_belief_that_make_no_sense(call, words):
    with pytest.raises(DataError, match=words):
        call()


@pytest.mark.filterwarnings("error")
def test_values_too_far_out_have_no_density():
    assert SINGLE.logdensity(1e300) == -np.inf
    assert SINGLE.density([0.0, 1e300])[1] == 0.0
    assert PAIR.logdensity({"x": 1e300, "y": -1e308}) == -np.inf
    assert PAIR.logdensity({"x": [0.0, 0.0], "y": 0.0}).shape == (2,)


def test_a_generator_goes_on_where_it_is():
    rng = np.random.default_rng(1)
    assert not np.array_equal(SINGLE.draws(3, rng), SINGLE.draws(3, rng))
    assert np.array_equal(SINGLE.draws(3, np.int64(1)), SINGLE.draws(3, 1))
