"""Questions by names: seeing, setting, several variables, events, and bad questions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_networks import dense_conditional, dense_moments, gaussian_net, random_net

from arcwise.errors import DataError, FitError
from arcwise.inference import Belief, Beliefs, query
from arcwise.networks import ancestral, cut

# A common cause z of x and y: x = z + e, y = x + 2 z + e, all noises 1.
CONFOUNDED = gaussian_net({"z": (0, {}, 1), "x": (0, {"z": 1}, 1), "y": (0, {"x": 1, "z": 2}, 1)})


def test_seeing_is_not_setting():
    seen = query(CONFOUNDED, "y", given={"x": 2.0})
    forced = query(CONFOUNDED, "y", do={"x": 2.0})
    assert (seen.mean, seen.variance) == (pytest.approx(4.0), pytest.approx(3.0))
    assert (forced.mean, forced.variance) == (pytest.approx(2.0), pytest.approx(5.0))
    assert query(CONFOUNDED, "z", given={"x": 2.0}).mean == pytest.approx(1.0)
    assert query(CONFOUNDED, "z", do={"x": 2.0}).mean == 0.0


def test_adjusting_for_the_common_cause_makes_them_equal():
    for x in (-1.0, 2.0):
        seen = query(CONFOUNDED, "y", given={"x": x, "z": 0.5})
        forced = query(CONFOUNDED, "y", given={"z": 0.5}, do={"x": x})
        assert (seen.mean, seen.sd) == (pytest.approx(forced.mean), pytest.approx(forced.sd))


def test_setting_agrees_with_samples_of_the_cut_network():
    table = ancestral(cut(CONFOUNDED, {0: 2.0}), np.random.default_rng(1), 100_000)
    answer = query(CONFOUNDED, ["y", "z"], do={"x": 2.0})
    drawn = np.array([table.column("y"), table.column("z")])
    np.testing.assert_allclose(drawn.mean(axis=1), answer.mean, atol=0.04)
    np.testing.assert_allclose(np.cov(drawn), answer.covariance, atol=0.1)


def test_seeing_agrees_with_samples_near_the_evidence():
    table = ancestral(CONFOUNDED, np.random.default_rng(2), 400_000)
    near = np.abs(table.column("x") - 1.0) < 0.05
    answer = query(CONFOUNDED, ["y", "z"], given={"x": 1.0})
    drawn = np.array([table.column("y")[near], table.column("z")[near]])
    np.testing.assert_allclose(drawn.mean(axis=1), answer.mean, atol=0.08)
    np.testing.assert_allclose(np.cov(drawn), answer.covariance, atol=0.15)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_joint_answers_are_in_the_order_asked(seed, data):
    net = random_net(np.random.default_rng(seed), 6)
    order = data.draw(st.permutations(range(6)))
    targets, known = order[:3], {i: 0.5 * i for i in order[3:5]}
    answer = query(
        net, [net.names[i] for i in targets], {net.names[i]: x for i, x in known.items()}
    )
    expected = dense_conditional(*dense_moments(net), targets, known)
    assert answer.names == tuple(net.names[i] for i in targets)
    np.testing.assert_allclose(answer.mean, expected[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(answer.covariance, expected[1], rtol=1e-6, atol=1e-6)
    single = query(net, net.names[targets[0]], {net.names[i]: x for i, x in known.items()})
    assert single.mean == pytest.approx(answer.mean[0], abs=1e-9)
    assert single.sd == pytest.approx(answer.sd[0], abs=1e-9)


def test_one_name_gives_a_belief_and_a_list_beliefs():
    assert isinstance(query(CONFOUNDED, "y"), Belief)
    assert isinstance(query(CONFOUNDED, ["y"]), Beliefs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("w",), "no variable 'w'"),
        (("y", {"zz": 1.0}), "no variable 'zz'. Did you mean 'z'"),
        (("y", {}, {"X": 1.0}), "no variable 'X'. Did you mean 'x'"),
        (("y", {"y": 1.0}), "'y' is both a target and evidence"),
        (("y", {}, {"y": 1.0}), "'y' is both a target and evidence"),
        (("y", {"x": 1.0}, {"x": 1.0}), "'x' is both in given and in do"),
        ((["y", "y"],), "'y' is a target twice"),
        (([],), "at least one target variable"),
        (("y", {"x": float("nan")}), "'x' must be a finite number, got nan"),
        (("y", {"x": float("inf")}), "'x' must be a finite number"),
        (("y", {"x": "high"}), "'x' must be a finite number, got 'high'"),
        (("y", {"x": True}), "'x' must be a finite number, got True"),
        (("y", {"x": None}), "'x' must be a finite number"),
        (((3,),), "no variable 3"),
        ((([],),), "no variable"),
        ((3,), "a name or a list of names, got 3"),
        ((None,), "a name or a list of names, got None"),
        (("y", ["x"]), r"as in given={'x': 1.5}, got \['x'\]"),
        (("y", {}, "x"), "as in do={'x': 1.5}, got 'x'"),
        (("y", 3), "Evidence in given"),
    ],
)
def test_bad_questions_get_one_sentence(arguments, message):
    with pytest.raises(DataError, match=message):
        query(CONFOUNDED, *arguments)


def test_numpy_numbers_are_numbers():
    assert query(CONFOUNDED, "y", {"x": np.float32(2.0)}).mean == pytest.approx(4.0)


def test_too_extreme_evidence_is_said():
    net = gaussian_net({"a": (0, {}, 1e-160), "b": (0, {"a": 1}, 1e-160)})
    with pytest.raises(FitError, match="too extreme"):
        query(gaussian_net({"a": (0, {}, 1), "b": (0, {"a": 1e300}, 1)}), "b", {"a": 1e300})
    assert query(net, "a", {"b": 1.0}).mean == pytest.approx(0.5)
