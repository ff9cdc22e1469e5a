"""Signs of edges: those of the effects in the model, whatever the partial correlations are."""

import numpy as np
import pytest

import arcwise as aw


def columns(rows=400, seed=3):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=rows)


def test_the_sign_is_that_of_the_coefficient_where_a_common_child_hides_it():
    """The partial correlation given everything takes the child in, and its sign is the other one."""
    names = ("cause", "effect", "late")
    net = aw.network(
        "[cause][effect|cause][late|cause:effect]",
        {
            "cause": {"sd": 1.0},
            "effect": {"coefficients": {"cause": 0.3}, "sd": 1.0},
            "late": {"coefficients": {"cause": 1.0, "effect": 1.0}, "sd": 0.5},
        },
    )
    row = net.edges["cause", "effect"]
    assert row.partial_correlation < 0 < row.sign
    assert [net.edges["late", name].sign for name in names[:2]] == [1, 1]


def test_absent_pairs_have_no_effect():
    _, x = columns()
    net = aw.fit("[a][b][c|a:b]", aw.table({"a": x, "b": x[::-1], "c": x + x[::-1] ** 3}))
    assert net.edges["a", "b"].partial_correlation != 0
    assert net.edges["a", "b"].sign == 0


@pytest.mark.parametrize(("shape", "sign"), [("rising", 1), ("falling", -1), ("valley", 0)])
def test_windows_have_the_sign_of_most_changes(shape, sign):
    rng, x = columns()
    y = {"rising": np.tanh(2 * x), "falling": -np.exp(x), "valley": x**2}[shape]
    data = aw.table({"x": x, "y": y + 0.2 * rng.normal(size=len(x))})
    assert aw.fit("[x][y|x]", data, model="parzen").edges["x", "y"].sign == sign
    pair = aw.learn(data, graph="undirected", model="parzen", penalty=0.05)
    if sign:
        assert pair.edges["x", "y"].sign == sign


def test_levels_have_a_sign_if_they_have_an_order():
    rng, x = columns(600)
    steps = np.digitize(x + 0.5 * rng.normal(size=len(x)), [-0.5, 0.5])
    words = np.array(["calm", "breezy", "stormy"])[steps]
    table = aw.table({"x": x, "step": steps}, kinds={"step": "discrete"})
    numbers = aw.fit("[step][x|step]", table, model="parzen")
    assert numbers.net.variables[0].numeric
    assert numbers.edges["step", "x"].sign == 1
    texts = aw.fit("[step][x|step]", aw.table({"x": x, "step": words}), model="parzen")
    assert texts.edges["step", "x"].sign == 0
    table = aw.table({"step": steps, "back": 2 - steps}, kinds={"back": "discrete"})
    assert aw.fit("[step][back|step]", table, model="discrete").edges["step", "back"].sign == -1


def test_a_slope_that_another_parent_reverses_has_no_sign():
    rng, x = columns()
    group = np.where(rng.random(len(x)) < 0.5, "a", "b")
    y = np.where(group == "a", x, -x) + 0.1 * rng.normal(size=len(x))
    net = aw.fit("[x][group][y|group:x]", aw.table({"x": x, "y": y, "group": group}), model="auto")
    assert net.edges["x", "y"].sign == 0
    same = aw.table({"x": x, "y": x + (group == "a"), "group": group})
    assert aw.fit("[x][group][y|group:x]", same, model="auto").edges["x", "y"].sign == 1


def test_signs_stay_with_a_file(tmp_path):
    _, x = columns()
    net = aw.fit("[x][y|x]", aw.table({"x": x, "y": -x + x[::-1] / 9}), model="parzen")
    loaded = aw.load(net.save(tmp_path / "net.json"))
    assert loaded.edges["x", "y"].sign == net.edges["x", "y"].sign == -1
