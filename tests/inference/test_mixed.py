"""Networks of tables, regressions with discrete parents and Parzen windows: every question has an answer."""

from itertools import chain, combinations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import arcwise as aw

SEEN = {"c": "a", "d": "u", "x": 1.5, "y": 2.0, "e": "hi"}


@pytest.fixture(scope="module")
def net() -> aw.Network:
    """A directed network whose local models are tables, `clg` and windows of levels given a number."""
    rng = np.random.default_rng(0)
    c = rng.choice(["a", "b", "c"], 200)
    d = np.where((rng.random(200) < 0.5) | (c != "a"), "u", "v")
    x = rng.normal(size=200) + 2.0 * (c == "a")
    y = x * np.where(d == "u", 2.0, 1.0) + rng.normal(size=200)
    e = np.where(y + 0.5 * rng.normal(size=200) > 1, "hi", "lo")
    models = {"c": "discrete", "d": "discrete", "x": "clg", "y": "clg", "e": "parzen"}
    rows = {"c": c, "d": d, "x": x, "y": y, "e": e}
    return aw.fit("[c][d|c][x|c][y|x:d][e|y:c]", rows, model=models)


@pytest.mark.parametrize("target", SEEN)
def test_every_variable_is_answered_given_any_others(net, target):
    others = [name for name in SEEN if name != target]
    for names in chain.from_iterable(combinations(others, k) for k in (0, 1, 4)):
        belief = net.query(target, {name: SEEN[name] for name in names}, draws=1000)
        if belief.levels:
            assert sum(belief.probabilities.values()) == pytest.approx(1.0)
        else:
            assert np.isfinite([belief.mean, belief.sd]).all()
        assert belief.error < 0.2


def test_answers_are_those_of_sums_and_integrals(net):
    points = np.linspace(-8.0, 14.0, 4001)
    joint = {}
    for c in "abc":
        for d in "uv":
            size = len(points)
            rows = {"c": [c] * size, "d": [d] * size, "x": points, "y": [2.0] * size}
            joint[c, d] = trapezoid(np.exp(net.logpdf({**rows, "e": ["hi"] * size})), points)
    total = sum(joint.values())
    belief = net.query("c", {"y": 2.0, "e": "hi"}, draws=20_000)
    for c in "abc":
        exact = (joint[c, "u"] + joint[c, "v"]) / total
        assert float(belief.probability([c])) == pytest.approx(exact, abs=0.02)


def test_rows_with_gaps_are_predicted_filled_and_judged(net):
    rows = {
        "c": [None, "a"],
        "d": ["u", None],
        "x": [1.0, None],
        "y": [None, 2.0],
        "e": ["hi", None],
    }
    assert net.predict(rows, "c").probabilities.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert np.isfinite(net.predict(rows, "y").mean).all()
    assert not net.impute(rows, seed=1).missing().any()
    assert np.isfinite(net.logpdf(rows)).all()
    assert set(net.marginals({"e": "hi"})) == {"c", "d", "x", "y"}
