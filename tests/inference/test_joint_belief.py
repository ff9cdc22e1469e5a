"""Simulated beliefs: the faces they show, joint answers, levels, and bad questions."""

import json

import numpy as np
import pytest
from inference.kernels import (
    bent_points,
    gaussian_markov,
    kernel_answer,
    kernel_markov,
    switch_net,
)

from arcwise.data import Variable
from arcwise.errors import DataError
from arcwise.inference import Belief, Beliefs, query
from arcwise.networks import MarkovNet

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
BENT = kernel_markov(POINTS, BANDWIDTHS)


@pytest.fixture(scope="module")
def both():
    return query(BENT, ["a", "b"], {"c": 0.5}, seed=1, sweeps=400)


def test_one_name_gives_a_belief_and_a_list_beliefs(both):
    one = query(BENT, "a", {"c": 0.5}, sweeps=20)
    assert isinstance(one, Belief)
    assert isinstance(both, Beliefs)
    alone = query(BENT, ["a"], {"b": 0.0, "c": 0.5})
    assert isinstance(alone, Beliefs)
    assert alone.draws(2000)["a"].mean() == pytest.approx(alone.mean[0], abs=4 * alone.sd[0] / 40)


def test_joint_answers_agree_with_the_closed_form(both):
    mean, _, weights = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    other = weights @ POINTS[1]
    cross = weights @ (POINTS[0] * POINTS[1]) - mean * other
    for name, expected in (("a", mean), ("b", other)):
        assert abs(both[name].mean - expected) < 4 * both[name].error
    assert both.covariance[0, 1] == pytest.approx(cross, abs=0.15)
    assert both.mean.tolist() == [both["a"].mean, both["b"].mean]
    assert both.error == max(both["a"].error, both["b"].error)
    assert np.allclose(np.diag(both.covariance), both.sd**2)


def test_events_on_several_variables_have_honest_errors(both):
    from scipy.special import ndtr

    _, _, weights = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    above = ndtr(POINTS[:2] / BANDWIDTHS[:2, None])
    expected = weights @ (above[0] * above[1])
    found = both.probability({"a": (0, None), "b": (0, None)})
    assert abs(found - expected) < 4 * found.error
    assert 0 < found.error < 0.03
    same = both.probability(lambda drawn: (drawn["a"] > 0) & (drawn["b"] > 0))
    assert same == pytest.approx(found)
    assert both.probability({"a": (0, None)}) == both["a"].probability((0, None))
    assert both.probability({"a": (50, None), "b": (50, None)}).error > 0
    with pytest.raises(DataError, match="one boolean per draw"):
        both.probability(lambda drawn: 1.0)
    with pytest.raises(DataError, match="bounds or levels by name"):
        both.probability((0, 1))
    with pytest.raises(DataError, match="'z' is not a target"):
        both["z"]


def test_draws_are_states_by_name(both):
    drawn = both.draws(500, seed=1)
    assert list(drawn) == ["a", "b"]
    assert (drawn["a"] == both.draws(500, seed=1)["a"]).all()
    assert (drawn["a"] != both.draws(500, seed=2)["a"]).any()
    assert len(np.unique(drawn["a"])) == 500
    assert len(both.draws(50_000)["a"]) == 50_000


def test_mutual_information_of_a_normal_network():
    rng = np.random.default_rng(3)
    precision = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.3], [0.0, 0.3, 1.0]])
    net = gaussian_markov(precision, np.zeros(3), rng)
    left = np.linalg.inv(precision[:2, :2])
    r = left[0, 1] / np.sqrt(left[0, 0] * left[1, 1])
    found = query(net, ["a", "b"], {"c": 1.0})
    assert found.mutual_information("a", "b") == pytest.approx(-0.5 * np.log(1 - r**2), abs=0.04)
    assert found.correlation[0, 1] == pytest.approx(r, abs=0.04)


def test_texts_read_like_those_of_exact_answers(both):
    one = query(BENT, "a", {"c": 0.5}, sweeps=200)
    lines = str(one).splitlines()
    assert lines[0] == "a given c = 0.5"
    assert lines[1].startswith("  mean ")
    assert "95 % between" in lines[1]
    assert lines[2].startswith("  by Gibbs sampling: error of the mean ")
    assert "R-hat 1.0" in lines[2]
    text = str(both)
    assert "correlations" in text
    assert "errors of the means up to" in text


def test_beliefs_are_plain_numbers_for_machines(both):
    for belief in (both, both["a"], query(BENT, "a", {"b": 0.1, "c": 0.5})):
        plain = json.loads(json.dumps(belief.document(), allow_nan=False))
        assert {"given", "do", "mean", "sd", "error", "rhat", "ess", "notes"} <= set(plain)


def test_quantiles_and_events_of_one_variable(both):
    one = both["a"]
    low, high = one.interval(0.8)
    assert one.quantile(0.1) == pytest.approx(low)
    assert one.quantile([0.1, 0.9]).tolist() == pytest.approx([low, high])
    assert one.probability((low, high)) == pytest.approx(0.8, abs=1e-9)
    assert one.probability({"a": (low, high)}) == pytest.approx(0.8, abs=1e-9)
    assert one.probability(lambda drawn: drawn["a"] < low) == pytest.approx(0.1, abs=0.01)
    drawn = one.draws(20_000, seed=1)
    assert drawn.mean() == pytest.approx(one.mean, abs=0.05)
    assert one.variance == pytest.approx(one.sd**2)
    for wrong in (1.5, "half"):
        with pytest.raises(DataError, match="must be between 0 and 1"):
            one.quantile(wrong)


def test_levels_that_are_text():
    net = switch_net(("off", "on"))
    exact = query(net, "light", {"x": 1.0})
    assert isinstance(exact, Belief)
    assert exact.probabilities == {"off": pytest.approx(0.1), "on": pytest.approx(0.9)}
    assert exact.mode == "on"
    assert exact.error == 0.0
    assert "on   0.9" in str(exact)
    assert exact.density("on") == pytest.approx(0.9)
    assert set(exact.draws(100)) == {"off", "on"}
    for ask in (lambda: exact.mean, lambda: exact.sd, exact.interval, lambda: exact.quantile(0.5)):
        with pytest.raises(
            DataError, match=r"'light' are not numbers, so .* use its probabilities"
        ):
            ask()
    with pytest.raises(DataError, match=r"'light' has no level 'of'. Did you mean 'off'"):
        exact.probability("of")
    json.dumps(exact.document())


def stationary():
    """Chance of light on, from the chain over its states."""
    from scipy.special import ndtr

    up = {code: 0.9 * ndtr(2 * code - 1) + 0.2 * ndtr(1 - 2 * code) for code in (0, 1)}
    return up[0] / (up[0] + 1 - up[1])


def test_levels_by_simulation():
    found = query(switch_net(("off", "on")), "light", seed=1)
    chance = found.probability("on")
    assert abs(chance - stationary()) < 4 * chance.error
    assert found.error == pytest.approx(max(p.error for p in found.probabilities.values()))
    assert "by Gibbs sampling" in str(found)
    joint = query(switch_net(("off", "on")), ["light", "x"], seed=1)
    assert "most likely on" in str(joint) or "most likely off" in str(joint)
    assert joint.mutual_information("light", "x") > 0.1
    share = joint.probability(lambda drawn: (drawn["light"] == "on") & (drawn["x"] > 0))
    assert 0.2 < share < 0.9
    assert joint.probability({"light": "on", "x": (0, None)}) == pytest.approx(
        float(share), abs=1e-9
    )
    for ask in (lambda: joint.correlation, lambda: joint.covariance):
        with pytest.raises(DataError, match=r"'light' are not numbers, .* use its probabilities"):
            ask()


def test_levels_that_are_numbers_have_means():
    found = query(switch_net((0, 10)), "light", {"x": -1.0})
    assert found.mean == pytest.approx(2.0)
    assert found.sd == pytest.approx(4.0)
    assert found.probability((5, None)) == pytest.approx(0.2)
    assert found.interval(0.5) == (0.0, 0.0)
    assert found.quantile([0.5, 0.9]).tolist() == [0.0, 10.0]
    joint = query(switch_net((0, 10)), ["light", "x"], seed=1)
    assert joint.correlation[0, 1] > 0.3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"light": "blue"}, "'light' has the value 'blue', which is not in the training data"),
        ({"light": 1}, "'light' has the value 1"),
        ({"light": None}, "'light' has the value None"),
        ({"ligt": "on"}, "no variable 'ligt'. Did you mean 'light'"),
        (["light"], "as in given="),
    ],
)
def test_unknown_levels_are_said(given, message):
    with pytest.raises(DataError, match=message):
        query(switch_net(("off", "on")), "x", given)


def test_levels_as_evidence():
    net = switch_net(("off", "on"))
    assert query(net, "x", {"light": "on"}).mean == pytest.approx(1.0, abs=1e-3)
    assert query(switch_net((False, True)), "x", {"light": True}).mean == pytest.approx(1, abs=1e-3)
    cut = Variable("light", ("low", "high"), True, (5.0,))
    net = switch_net(("low", "high"))
    net = MarkovNet((cut, net.variables[1]), net.graph, net.conditionals, net.typical)
    assert query(net, "x", {"light": 7.5}).mean == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z",), "no variable 'z'"),
        (("a", {"a": 1.0}), "'a' is both a target and evidence"),
        ((["a", "a"],), "is a target twice"),
        (([],), "at least one target variable"),
        (("a", {"b": float("nan")}), "'b' must be a finite number"),
        (("a", {"b": "high"}), "'b' must be a finite number, got 'high'"),
        ((3,), "a name or a list of names"),
    ],
)
def test_bad_questions_get_one_sentence(arguments, message):
    with pytest.raises(DataError, match=message):
        query(BENT, *arguments)
