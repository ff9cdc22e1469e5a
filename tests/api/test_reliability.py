"""What posteriors and replicates say by default: little of noise, and what is true of networks."""

from itertools import pairwise

import numpy as np
import pytest
from simulated import area, network, noise, reliability

import arcwise as aw
from arcwise.errors import ChainsError
from arcwise.learners.posteriors import METHODS
from arcwise.learners.posteriors.replicates import row_weights

KINDS = ("2", "4", "8", "20", "2-20", "numbers")


def pairs(table, **words):
    found = aw.posterior(table, progress=False, **words).found.adjacent
    return found[np.triu_indices(len(found), 1)]


def of_noise(kind, rows, tables, rng, **words):
    return np.array([pairs(noise(kind, rows, rng), **words) for _ in range(tables)])


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_called_noise(kind):
    rng = np.random.default_rng(220)
    said = [of_noise(kind, rows, 3, rng) for rows in (50, 200, 1000)]
    means = [each.mean() for each in said]
    assert means[0] <= 0.15
    assert all(later <= earlier + 0.01 for earlier, later in pairwise(means))
    assert np.mean(np.concatenate(said) > 0.9) <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_called_noise_in_many_tables(kind):
    rng = np.random.default_rng(221)
    said = [of_noise(kind, rows, 20, rng) for rows in (50, 200, 1000, 10_000)]
    means = [each.mean() for each in said]
    assert means[0] <= 0.15
    assert all(later <= earlier + 0.002 for earlier, later in pairwise(means))
    assert np.mean(np.concatenate(said) > 0.9) <= 0.01


@pytest.mark.parametrize("kind", ["4", "numbers"])
def test_replicates_of_noise_join_few_pairs(kind):
    found = of_noise(kind, 100, 2, np.random.default_rng(222), method="bootstrap", draws=30)
    assert found.mean() <= 0.1
    assert np.mean(found > 0.9) == 0


def test_no_default_contradicts_another():
    """100 rows of eight columns of four levels: a quarter of the pairs was said to be joined, above .9."""
    table = noise("4", 100, np.random.default_rng(223))
    assert aw.learn(table).graph.n_arcs == 0
    post = aw.posterior(table)
    assert post.found.adjacent.max() < 0.9
    assert post.averaged().graph.n_arcs <= 2  # it was 16
    assert pairs(table, method="mcmc", draws=200).mean() < 0.15
    sure = aw.learn(table).certainty()
    assert np.array_equal(sure.posterior.adjacent, post.found.adjacent)
    assert sure.posterior.prior == post.prior
    plain = aw.posterior(table, score="bdeu")
    assert plain.prior == "uniform over graphs"
    assert (plain.found.adjacent > 0.9).any()  # what was said before


def test_columns_of_almost_as_many_levels_as_rows_take_no_part():
    rng, names = np.random.default_rng(224), ["x", "y", "code"]
    columns = rng.integers(0, [2, 2, 60], (60, 3)).astype(str)
    table = aw.table(columns, names=names, kinds=dict.fromkeys(names, "discrete"))
    for method in ("exact", "bootstrap"):
        post = aw.posterior(table, method=method, draws=10, progress=False)
        assert float(post.edge("code", "x")) == float(post.edge("code", "y")) == 0.0, method


def networks(kind, columns, sets, seed, rows=(100, 300, 1000, 2000)):
    rng = np.random.default_rng(seed)
    return [network(kind, columns, n, rng) for n in rows for _ in range(sets)]


@pytest.mark.parametrize("kind", ["levels", "numbers"])
def test_probabilities_are_true(kind):
    """The short form: tables of eight columns; a bin may be off by .05 and two standard errors."""
    drawn = networks(kind, 8, 4, 225)
    cases = [(pairs(table), true) for table, true in drawn]
    for said, true, error, _ in reliability(cases, least=100):
        assert abs(said - true) <= 0.05 + 2 * error


@pytest.mark.slow
@pytest.mark.parametrize("columns", [8, 12])
@pytest.mark.parametrize(("kind", "plain"), [
    ("levels", {"score": "bdeu"}), ("numbers", {"score": aw.BGe(standardise=True)}),
])  # fmt: skip
def test_probabilities_are_true_of_many_networks(kind, plain, columns):
    drawn = networks(kind, columns, {8: 40, 12: 10}[columns], 226)
    cases = [(pairs(table), true) for table, true in drawn]
    for said, true, error, _ in reliability(cases, least=100):
        assert abs(said - true) <= 0.05 + 2 * error
    before = [area(pairs(table, **plain), true) for table, true in drawn]
    gain = np.array([area(*case) for case in cases]) - before
    assert np.mean(gain) >= -2 * np.std(gain) / np.sqrt(len(gain))


def test_the_verdict_is_on_classes_of_equivalent_graphs():
    homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    for words in ({}, {"method": "mcmc", "draws": 200}, {"score": "bge"}):
        said = aw.posterior(homes, **words).verdict
        assert said.startswith("One class of equivalent graphs stands out"), said
        assert "data do not determine the direction of 3 edges" in said


def test_many_columns_go_by_what_ranks_best():
    rng = np.random.default_rng(228)
    linear, _ = network("numbers", 17, 60, rng)
    post = aw.posterior(linear, draws=3, progress=False)
    assert post.plan.method == "bootstrap"
    assert any("17 variables are too many for sums" in note for note in post.notes)
    assert (
        aw.posterior(
            linear,
            draws=3,
            prior="uniform",
            rules=aw.Rules(max_parents=2),
        ).plan.method
        == "mcmc"
    )
    assert (
        aw.posterior(aw.Moments.of(linear), draws=3, rules=aw.Rules(max_parents=2)).plan.method
        == "mcmc"
    )
    levels, _ = network("levels", 17, 60, rng)
    assert (
        aw.posterior(levels, draws=3, progress=False, rules=aw.Rules(max_parents=2)).plan.method
        == "mcmc"
    )


def test_chains_that_fail_are_rejected():
    alarm = aw.example("alarm").sample(200, seed=3)
    words = {"method": aw.MCMC(chains=2, burn_in=10, thin=1, sampler="structure")}
    with pytest.raises(ChainsError, match=r"not converged.*method='bootstrap'"):
        aw.posterior(alarm, time_limit=5.0, **words)
    assert aw.posterior(alarm, draws=3, **words).plan.method == "mcmc"  # so few were asked for


def test_replicates_take_the_place_of_chains_that_fail(monkeypatch):
    def failed(*every, **more):
        raise ChainsError.of("The chains have not converged (R-hat 4.0)", "take another")

    monkeypatch.setitem(METHODS, "mcmc", failed)
    alarm = aw.example("alarm").sample(200, seed=3)
    post = aw.posterior(alarm, draws=5, search="greedy", progress=False)
    assert post.plan.method == post.settings["method"] == "bootstrap"
    assert "not converged (R-hat 4.0), so certainty is estimated by resampling." in post.notes[0]
    with pytest.raises(ChainsError):
        aw.posterior(alarm, draws=5, prior="uniform")


def test_replicates_of_counted_tables_are_of_cases():
    rng = np.random.default_rng(227)
    counted = aw.table({"x": ["a", "b", "c"], "y": ["a", "b", "b"]}, weights=[300, 60, 40])
    drawn = row_weights(counted, rng, "subsample", 0.8)
    assert drawn.sum() == 320
    assert ((drawn > 0) & (drawn < counted.weights)).any()
