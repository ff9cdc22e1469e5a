"""Most probable values of some variables, modes and entropies, against enumeration and closed forms."""

import itertools

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError, FitError

ASIA = aw.example("asia", kind="network")
LINEAR = aw.random_network("RM -> MEDV <- LSTAT; RM -> LSTAT", model="gaussian", seed=2)
WINDOWS = aw.fit("RM -> MEDV", aw.example("boston"), model="parzen")


def chances(names, given):
    """The probability of every combination of levels given evidence, by questions about single events."""
    levels = {each.name: each.levels for each in ASIA.net.variables}
    total = float(ASIA.probability(given))
    return {
        state: float(ASIA.probability({**given, **dict(zip(names, state, strict=True))})) / total
        for state in itertools.product(*(levels[name] for name in names))
    }


@pytest.mark.parametrize("given", [{}, {"dysp": "yes"}, {"xray": "yes", "smoke": "no"}], ids=str)
@pytest.mark.parametrize("names", [["lung"], ["lung", "bronc"], ["tub", "either", "bronc"]])
def test_the_most_probable_levels_of_some_variables(names, given):
    every = chances(names, given) if given else chances(names, {"asia": ["yes", "no"]})
    best = max(every, key=every.__getitem__)
    found = ASIA.explain(given, of=names)
    assert dict(found) == dict(zip(names, best, strict=True)) == ASIA.query(names, given).mode
    assert found.probability == pytest.approx(every[best])
    total = float(ASIA.probability(given)) if given else 1.0
    assert np.exp(found.log_probability) == pytest.approx(every[best] * total)
    shares = np.array([share for share in every.values() if share > 0])
    assert ASIA.entropy(names, given) == pytest.approx(-(shares * np.log(shares)).sum())


def test_some_need_not_be_what_they_are_in_the_explanation_of_all():
    numbers = {
        "a": {"x": 0.4, "y": 0.6},
        "b": {"x": {"p": 1.0, "q": 0.0, "r": 0.0}, "y": {"p": 0.3, "q": 0.4, "r": 0.3}},
    }
    net = aw.network("a -> b", numbers)
    assert dict(net.explain()) == {"a": "x", "b": "p"}
    assert dict(net.explain(of="a")) == {"a": "y"}
    assert net.query(["a"]).mode == {"a": "y"}


def test_all_but_the_evidence_are_the_explanation_of_all():
    given = {"dysp": "yes", "xray": "no"}
    whole = ASIA.explain(given)
    some = ASIA.explain(given, of=[name for name in ASIA if name not in given])
    assert {**some, **given} == dict(whole)
    assert some.probability == pytest.approx(whole.probability)
    assert some.log_probability == pytest.approx(whole.log_probability)


def test_gaussian_networks_are_explained_by_conditional_means():
    given = {"MEDV": 1.5}
    found = LINEAR.explain(given)
    belief = LINEAR.query(["LSTAT", "RM"], given)
    assert list(found.values()) == pytest.approx(belief.mean.tolist())
    assert list(belief.mode.values()) == pytest.approx(belief.mean.tolist())
    log = np.log(found.probability)
    assert log == pytest.approx(belief.logdensity(belief.mode))
    row = aw.table({name: [{**found, **given}[name]] for name in ("LSTAT", "MEDV", "RM")})
    assert found.log_probability == pytest.approx(LINEAR.logpdf(row)[0])
    assert "density given the evidence" in str(found)


def test_entropies_of_gaussian_networks_are_closed_forms():
    covariance = np.asarray(LINEAR.covariance)
    whole = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]
    assert LINEAR.entropy() == pytest.approx(whole)
    pair = LINEAR.mutual_information("RM", "MEDV")
    assert pair == pytest.approx(
        LINEAR.entropy(["RM"]) + LINEAR.entropy(["MEDV"]) - LINEAR.entropy(["RM", "MEDV"])
    )


def test_entropies_of_tables_follow_the_chain_rule():
    assert ASIA.entropy() == pytest.approx(ASIA.entropy(list(ASIA)))
    left = ASIA.entropy("lung") + ASIA.entropy("smoke") - ASIA.entropy(["lung", "smoke"])
    assert ASIA.mutual_information("lung", "smoke") == pytest.approx(left)
    assert ASIA.mutual_information("lung", "lung") == pytest.approx(ASIA.entropy("lung"))
    assert ASIA.mutual_information("lung", "bronc", {"smoke": "yes"}) == pytest.approx(0, abs=1e-12)
    known = ASIA.entropy(given={"asia": "yes"})
    assert known == pytest.approx(ASIA.entropy([n for n in ASIA if n != "asia"], {"asia": "yes"}))


def test_entropies_of_other_networks_are_simulated():
    found = WINDOWS.entropy(seed=1)
    drawn = WINDOWS.logpdf(WINDOWS.sample(4000, seed=2))
    assert found.error > 0
    assert abs(found + drawn.mean()) < 5 * (found.error + drawn.std() / 63)
    belief = WINDOWS.query("MEDV", {"RM": 6.0})
    grid = np.linspace(-20, 80, 20_001)
    density = belief.density(grid)
    assert belief.mode == pytest.approx(grid[density.argmax()], abs=0.05)
    inside = density[density > 0]
    assert belief.entropy == pytest.approx(-(inside * np.log(inside)).sum() * 0.005, abs=0.02)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ASIA.explain(of=[]), "at least one target variable"),
        (lambda: ASIA.explain({"lung": "yes"}, of="lung"), "lung"),
        (
            lambda: LINEAR.explain({"RM": 6, "MEDV": 20, "LSTAT": 5}),
            "leave at least one out to explain",
        ),
        (lambda: WINDOWS.explain(), "no joint density: use the mode of each variable"),
        (lambda: WINDOWS.entropy(["RM", "MEDV"]), "no joint density: use the entropy"),
    ],
)
def test_what_cannot_be_explained_is_an_error(ask, words):
    with pytest.raises((DataError, FitError), match=words):
        ask()
