"""Mixtures of experts: what they find, and what keeps their likelihood finite."""

import numpy as np
import pytest
from contracts.cases import linear, table
from scipy.stats import norm

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.conditionals.experts import expectation

EXPERTS = FAMILIES["experts"]


def branches(rows: int = 400, seed: int = 0):
    """y = 1 + x or its negative."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    return table({"x": x, "y": rng.choice([-1, 1], rows) * (1 + x) + 0.2 * noise})


def test_two_branches_are_two_experts():
    model = EXPERTS.bind(branches()).conditional(1, (0,))
    assert len(model.sds) == 2
    assert model.sds == pytest.approx([0.2, 0.2], abs=0.04)
    assert model.shares == pytest.approx([0.5, 0.5], abs=0.1)
    ends = model.distribution((np.array([1.0]),), 1).quantile(np.array([0.25, 0.75]))
    assert ends == pytest.approx(np.array([[-2, 2]]), abs=0.15)
    text = str(aw.fit("x -> y", branches(), model="experts").local("y"))
    assert "2 linear experts" in text


def test_a_spread_that_varies_and_a_bend_are_found():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 400))
    for y in ((0.2 + 2 * (x > 0)) * noise, np.abs(x) + 0.1 * noise):
        fits = EXPERTS.bind(table({"x": x, "y": y}))
        assert fits.loglik(1, [(0,)])[0] > fits.loglik(1, [()])[0] + 80


def test_one_expert_is_a_linear_regression():
    source = linear(1, rows=60)
    model = EXPERTS.bind(source).conditional(0, (1, 2))
    assert len(model.sds) == 1
    reference = FAMILIES["gaussian"].bind(source).conditional(0, (1, 2))
    logs = [m.logpdf(source.columns[0], source.columns[1:3]) for m in (model, reference)]
    assert logs[0] == pytest.approx(logs[1], abs=1e-4)


def test_each_round_raises_the_likelihood():
    """Of the penalised likelihood; the penalty of gates is small here."""
    source = branches(200)
    x, y = (column / column.std() for column in source.columns)
    values, weights = np.column_stack([np.ones(200), x]), np.ones(200)
    shares = np.column_stack([y > 0, y <= 0]) * 0.6 + 0.2
    gates, last = None, -np.inf
    for _ in range(20):
        step = expectation._maximise(values, y, weights, shares, gates)
        assert step.loglik > last - 1e-6
        shares, gates, last = step.shares, step.gates, step.loglik
    density = [
        np.exp(values @ step.gates[:, k])
        * norm.pdf(y, values @ step.coefficients[:, k], step.sds[k])
        for k in (0, 1)
    ]
    total = np.log(sum(density) / np.exp(values @ step.gates).sum(axis=1)).sum()
    assert step.loglik == pytest.approx(total)


def test_copies_of_a_value_do_not_make_the_likelihood_infinite():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    y = np.where(rng.random(300) < 0.6, 0.0, rng.normal(size=300))
    model = EXPERTS.bind(table({"x": x, "y": y})).conditional(1, (0,))
    assert model.sds.min() >= expectation.LEAST_SD * y.std() * (1 - 1e-9)


def test_noise_gives_no_edge_and_no_expert():
    rng = np.random.default_rng(3)
    source = table({f"v{i}": rng.normal(size=300) for i in range(6)})
    net = aw.learn(source, model="experts", search="greedy", certainty=False)
    assert net.graph.n_arcs == 0
    assert all(len(model.sds) == 1 for model in net.net.conditionals)


def test_categories_are_parents_and_never_children():
    rng = np.random.default_rng(4)
    town = rng.choice(["a", "b", "c"], 300)
    price = np.where(town == "a", 3.0, 0.0) + rng.normal(size=300)
    source = aw.table({"price": price, "town": town})
    with pytest.raises(aw.DataError, match="experts models take numbers only"):
        aw.learn(source, model="experts")
    net = aw.learn(source, model={"price": "experts", "*": "discrete"}, certainty=False)
    assert net.graph.n_arcs == 1
    with pytest.raises(aw.OptionError, match="max_experts must be a positive number"):
        aw.learn(branches(), model=aw.Experts(max_experts=0))
