"""Conflict and impact of findings against enumeration and closed forms."""

import math

import numpy as np
import pytest
from naive import networks as naive

import arcwise as aw
from arcwise.errors import DataError, FitError


@pytest.fixture(scope="module")
def asia():
    return aw.load(aw.network_file("asia"))


SICK = {"smoke": "no", "lung": "yes", "xray": "no"}


def test_conflict_is_that_of_all_states(asia):
    found = asia.conflict(SICK)
    single = {name: naive.probability(asia.net, {name: level}) for name, level in SICK.items()}
    whole = naive.probability(asia.net, SICK)
    assert found.nats == pytest.approx(math.log(math.prod(single.values()) / whole), rel=1e-9)
    assert found.log_probability == pytest.approx(math.log(whole))
    for each in found.findings:
        rest = {name: level for name, level in SICK.items() if name != each.name}
        want = math.log(single[each.name] * naive.probability(asia.net, rest) / whole)
        assert each.conflict == pytest.approx(want, rel=1e-9)
        assert each.log_probability == pytest.approx(math.log(single[each.name]))
    assert [each.name for each in found.findings] == ["lung", "xray", "smoke"]
    assert "the findings conflict" in str(found)


def test_findings_that_agree_have_a_negative_conflict(asia):
    assert asia.conflict({"smoke": "yes", "lung": "yes"}).nats < 0
    apart = asia.conflict({"smoke": "yes", "asia": "yes"})
    assert apart.nats == pytest.approx(0, abs=1e-12)
    assert "independent" in str(apart)
    assert asia.conflict({"smoke": "yes"}).nats == 0


def test_impossible_evidence(asia):
    assert asia.conflict({"lung": "yes", "either": "no"}).nats == math.inf
    with pytest.raises(FitError, match="impossible"):
        asia.impact("smoke", {"lung": "yes", "either": "no"})
    never = aw.network("[a][b]", {"a": {"x": 0.0, "y": 1.0}, "b": {"x": 0.5, "y": 0.5}})
    with pytest.raises(FitError, match="a = x is impossible"):
        never.conflict({"a": "x", "b": "x"})


def test_impact_is_that_of_all_states(asia):
    given = {"smoke": "yes", "dysp": "yes", "xray": "yes"}

    def lung(seen):
        whole = naive.probability(asia.net, seen)
        return {v: naive.probability(asia.net, {**seen, "lung": v}) / whole for v in ("yes", "no")}

    found, p = asia.impact("lung", given), lung(given)
    assert found.belief.probabilities == pytest.approx(p)
    assert found.prior.probabilities == pytest.approx(lung({}))
    for each in found.findings:
        q = lung({name: level for name, level in given.items() if name != each.name})
        assert each.without.probabilities == pytest.approx(q)
        assert each.nats == pytest.approx(sum(p[v] * math.log(p[v] / q[v]) for v in p))
    assert [each.name for each in found.findings] == ["xray", "smoke", "dysp"]
    assert "without xray = yes: yes 0.1483" in str(found)


def test_a_finding_that_says_nothing_has_no_impact(asia):
    found = asia.impact("bronc", {"asia": "yes", "smoke": "yes"})
    assert found.findings[-1].name == "asia"
    assert found.findings[-1].nats == pytest.approx(0, abs=1e-12)


def test_numbers():
    numbers = {"a": {"sd": 1.0}, "b": {"coefficients": {"a": 1.0}, "sd": 1.0},
               "c": {"coefficients": {"a": 1.0}, "sd": 1.0}}  # fmt: skip
    net = aw.network("[a][b|a][c|a]", numbers)
    found = net.conflict({"b": 2.0, "c": -2.0})
    covariance = np.array([[2.0, 1.0], [1.0, 2.0]])
    x = np.array([2.0, -2.0])
    both = -0.5 * (x @ np.linalg.inv(covariance) @ x + np.log(np.linalg.det(covariance)))
    alone = -0.5 * (x**2 / 2 + np.log(2.0)).sum()
    assert found.nats == pytest.approx(alone - both)
    assert found.nats > 0
    assert net.conflict({"b": 2.0, "c": 2.0}).nats < 0
    moved = net.impact("a", {"b": 2.0, "c": 2.0})
    # Given both a ~ N(4/3, 1/3), given one N(1, 1/2).
    want = 0.5 * np.log(1.5) + (1 / 3 + 1 / 9) - 0.5
    assert [each.nats for each in moved.findings] == pytest.approx([want, want])


def test_other_networks_are_simulated():
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    columns = {"x": x, "y": x + rng.normal(size=60), "z": rng.normal(size=60)}
    net = aw.fit("[x][y|x][z]", aw.table(columns), model="parzen")
    found = net.impact("y", {"x": 1.5, "z": 0.5})
    assert found.findings[0].name == "x"
    assert found.findings[0].nats > 0.1
    assert found.findings[1].nats == pytest.approx(0, abs=0.02)


def test_raw_values_are_findings():
    x = np.random.default_rng(1).normal(size=300)
    net = aw.learn(aw.discretise({"x": x, "y": x + 0.1}, bins=2), model="discrete")
    names = [v.levels[0] for v in net.net.variables]
    assert net.conflict({"x": -3.0, "y": 3.0}).nats > 0
    assert net.conflict({"x": -3.0, "y": -3.0}) == net.conflict({"x": names[0], "y": names[1]})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Evidence is required"),
        (None, "Evidence is required"),
        ({"lun": "yes"}, "lung"),
        ({"lung": "maybe"}, "not in the training data"),
    ],
)
def test_what_is_no_evidence(asia, given, said):
    with pytest.raises(DataError, match=said):
        asia.conflict(given)
    with pytest.raises(DataError, match=said):
        asia.impact("smoke", given)


def test_a_target_is_not_known(asia):
    with pytest.raises(DataError, match="both a target and evidence"):
        asia.impact("lung", {"lung": "yes"})
