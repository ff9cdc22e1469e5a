"""Local models by name: as text, as frames with the names of levels and inputs, and replaced."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import arcwise as aw
from arcwise.errors import DataError, FitError, GraphError

ASIA = aw.example("asia", kind="network")
HOMES = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
LINEAR = aw.fit("RM -> MEDV <- LSTAT", HOMES)


def mixed(model):
    rng = np.random.default_rng(1)
    group, other = rng.integers(0, 3, 240), rng.integers(0, 2, 240)
    x = rng.normal(size=240)
    table = {
        "g": np.array(["a", "b", "c"])[group],
        "h": np.array(["u", "v"])[other],
        "x": x,
        "y": 2 * x + group + rng.normal(size=240),
    }
    return aw.fit("g -> y <- x; h -> y", table, model={"y": model, "*": "auto"})


def test_a_table_has_a_row_per_state_of_the_parents():
    frame = ASIA["dysp"].to_pandas()
    assert list(frame.columns) == ["bronc", "either", "yes", "no"]
    for row in frame.to_dict("records"):
        given = {"bronc": row["bronc"], "either": row["either"]}
        assert row["yes"] == pytest.approx(float(ASIA.query("dysp", given).probability("yes")))
    assert ASIA["asia"].to_dict() == {"yes": [0.01], "no": [0.99]}
    assert len(frame) == 4


def test_a_level_and_a_parent_of_the_same_name_keep_columns_apart():
    net = aw.network(
        "yes -> b",
        {
            "yes": {"s": 0.5, "t": 0.5},
            "b": {"s": {"yes": 1.0, "no": 0.0}, "t": {"yes": 0.2, "no": 0.8}},
        },
    )
    frame = net["b"].to_pandas()
    assert frame["yes"].tolist() == ["s", "t"]
    assert frame.shape == (2, 3)


def test_a_regression_has_a_row_per_coefficient_with_its_error():
    model, frame = LINEAR["MEDV"], LINEAR["MEDV"].to_pandas()
    assert list(frame.index) == ["intercept", "LSTAT", "RM", "sd"]
    assert frame["value"]["LSTAT"] == model.coefficients[0]
    assert frame["error"]["RM"] == model.standard_errors[2]
    by_hand = aw.random_network("a -> b", model="gaussian")["b"]
    assert by_hand.to_pandas()["error"].isna().all()


def test_regressions_by_configuration_have_a_row_each():
    net = mixed("clg")
    frame = net["y"].to_pandas()
    assert list(frame.columns) == ["g", "h", "intercept", "x", "sd"]
    for row in frame.to_dict("records"):
        belief = net.query("y", {"g": row["g"], "h": row["h"], "x": 0.5})
        assert belief.mean == pytest.approx(row["intercept"] + 0.5 * row["x"])
        assert belief.sd == pytest.approx(row["sd"], rel=1e-3)
    assert len(frame) == 6
    assert "intercept" in str(net["y"])


def test_other_local_models_have_frames_too():
    windows = aw.fit("RM -> MEDV", HOMES, model="parzen")["MEDV"]
    assert windows.to_pandas()["bandwidth"]["MEDV"] == windows.bandwidths[1]
    glm = mixed("glm")["y"]
    assert glm.to_pandas()["value"].tolist() == glm.coefficients.ravel().tolist()
    undirected = aw.fit("RM -- MEDV", HOMES)["MEDV"]
    assert list(undirected.to_pandas().index) == ["intercept", "RM", "sd"]


def test_local_models_are_printed_copied_and_pickled():
    assert str(LINEAR["MEDV"]) == LINEAR.local("MEDV")
    assert repr(LINEAR["MEDV"]).startswith("<LocalModel: MEDV = -1.3583 (se 3.2)")
    for again in (copy.deepcopy(ASIA["dysp"]), pickle.loads(pickle.dumps(ASIA["dysp"]))):
        pd.testing.assert_frame_equal(again.to_pandas(), ASIA["dysp"].to_pandas())
    assert "coefficients" in dir(LINEAR["MEDV"])
    with pytest.raises(AttributeError):
        LINEAR["MEDV"].table  # noqa: B018


def test_one_local_model_is_replaced():
    states = [f"bronc={b}, either={e}" for b in ("yes", "no") for e in ("yes", "no")]
    changed = ASIA.with_local("dysp", {state: {"yes": 0.25, "no": 0.75} for state in states})
    assert changed.query("dysp").probability("yes") == pytest.approx(0.25)
    assert changed.query("lung").probability("yes") == pytest.approx(
        float(ASIA.query("lung").probability("yes"))
    )
    assert changed.graph == ASIA.graph
    back = changed.with_local("dysp", ASIA["dysp"])
    assert aw.divergence(ASIA, back).nats == 0
    tabled = ASIA.with_local("lung", {"table": [[0.5, 0.5], [0.1, 0.9]]})
    assert tabled["lung"].to_pandas()["yes"].tolist() == [0.5, 0.1]


def test_a_replaced_regression_answers_with_its_numbers():
    changed = LINEAR.with_local(
        "MEDV", {"sd": 2.0, "intercept": 1.0, "coefficients": {"RM": 3.0, "LSTAT": 0.0}}
    )
    belief = changed.query("MEDV", {"RM": 2.0, "LSTAT": 100.0})
    assert (belief.mean, belief.sd) == pytest.approx((7.0, 2.0))
    assert changed.score is None
    assert LINEAR["MEDV"].sd > 4


@pytest.mark.parametrize(
    ("replace", "words"),
    [
        (lambda: ASIA.with_local("dyspnoea", {}), "dysp"),
        (lambda: ASIA.with_local("dysp", ASIA["lung"]), "other variables or levels"),
        (lambda: ASIA.with_local("dysp", {"yes": 0.5, "no": 0.5}), "bronc=yes, either=yes"),
        (lambda: ASIA.with_local("asia", {"yes": 0.5, "maybe": 0.5}), "yes, no"),
        (lambda: ASIA.with_local("asia", {"yes": 0.5, "no": 0.9}), "sum"),
        (lambda: ASIA.with_local("asia", 0.5), "mapping"),
        (lambda: LINEAR.with_local("MEDV", {"sd": 1.0}), "coefficients for none"),
        (lambda: aw.fit("RM -- MEDV", HOMES).with_local("RM", {"sd": 1.0}), "directed networks"),
    ],
)
def test_a_local_model_that_does_not_fit_is_an_error(replace, words):
    with pytest.raises((DataError, FitError, GraphError), match=words):
        replace()
