"""Every sampler against the exact form of its target, on real data."""

import numpy as np
import pytest
from all_graphs import TableScore, distribution, surprise
from shared_scores import shared_score

from arcwise.conditionals import FAMILIES
from arcwise.data import example
from arcwise.graphs import Limits, Rules
from arcwise.mcmc import ORDERS, SAMPLERS, UNIFORM, diagnose, exact, run
from arcwise.mcmc.order import _differences
from arcwise.scores import SCORES

BGE = "bge_am1_awn+2"
DATA = {
    "asia": "bdeu_ess1",
    "learning.test": "bdeu_ess1",
    "marks": BGE,
    "gaussian.test": BGE,
    "lizards": "bdeu_ess1",
}
# Single arcs do not leave an optimum of thousands of rows: there the chain over graphs turns arcs, too.
WAYS = {
    "structure": ({"flips": 0.2, "redraws": 0.2}, 20, 4000),
    "order": ({}, 4, 4000),
    "partition": ({}, 6, 4000),
    "tempering": ({"flips": 0.1, "redraws": 0.1, "temperatures": 4, "period": 50}, 50, 1000),
}


def chains_of(score, word, scale=1):
    options, thin, draws = WAYS[word]
    sampler = SAMPLERS[word](score, **options)
    rngs = np.random.default_rng(11).spawn(4)
    return [run(sampler, None, rng, draws, burn_in=2000, thin=scale * thin) for rng in rngs]


@pytest.mark.parametrize("word", WAYS)
@pytest.mark.parametrize("name", DATA)
def test_arcs_agree_with_exact_sums(shared_data, name, word):
    score = shared_score(shared_data, name, DATA[name])
    truth = exact(score, target=ORDERS if word == "order" else UNIFORM).arcs
    found = diagnose(chains_of(score, word))
    gap = np.abs(found.arcs.probabilities - truth)
    assert (gap <= 4 * found.arcs.errors).all()
    assert gap.max() < 0.06


@pytest.mark.parametrize("word", WAYS)
@pytest.mark.parametrize("name", ["lizards", "marks"])
def test_graphs_agree_with_enumeration(shared_data, name, word):
    """Chi-square over all graphs, draws thinned by the least effective sample size."""
    score = shared_score(shared_data, name, DATA[name])
    if name == "marks":  # 29 281 graphs of five: four of them do
        score = few(score, 4)
    shares = distribution(score, Limits.none(score.nodes), orders=word == "order")
    chains = chains_of(score, word, scale=3)
    found = diagnose(chains)
    least = min(found.score_ess, float(found.arcs.ess.min()))
    every = int(np.ceil(2 * found.draws / least))
    counts = {}
    for chain in chains:
        for graph in chain.graphs[::every]:
            counts[graph] = counts.get(graph, 0) + 1
    statistic, most = surprise(counts, shares)
    assert statistic < most


def test_variables_that_change_together_are_a_group():
    one, two = ((), (0,), (1,), (), (3,), ()), ((1,), (), (1,), (4,), (), (2,))
    assert _differences(one, two) == [(0, 1), (3, 4)]  # 5 alone is none


def few(score, count):
    """The first columns of a score."""
    rows = []
    for v in range(count):
        others = [u for u in range(count) if u != v]
        masks = range(1 << len(others))
        sets = [tuple(u for i, u in enumerate(others) if mask >> i & 1) for mask in masks]
        rows.append(score.many(v, sets))
    return TableScore(np.array(rows))


@pytest.mark.slow
@pytest.mark.parametrize(("word", "draws"), [("order", 2000), ("partition", 8000)])
def test_independent_chains_agree_on_insurance(shared_data, word, draws):
    """500 rows, at most three parents, random starts: R-hat below 1.01 for every arc, pair and the score."""
    score = shared_score(shared_data, "insurance", rows=500)
    sampler = SAMPLERS[word](score, Rules(max_parents=3).on(score.nodes))
    rngs = np.random.default_rng(1).spawn(4)
    found = diagnose([run(sampler, None, rng, draws, burn_in=5400, thin=27) for rng in rngs])
    assert found.largest_rhat < 1.01
    assert found.agree


def test_chains_visit_both_regions_of_insurance(shared_data):
    """Five variables change all their arcs between two regions; chains from anywhere go to and fro.

    About 90 times in 8000 draws (eight chains), so some twenty times here.
    """
    score = shared_score(shared_data, "insurance", rows=500)
    sampler = SAMPLERS["partition"](score, Rules(max_parents=3).on(score.nodes))
    value, model = score.nodes.index("CarValue"), score.nodes.index("MakeModel")
    chains = [
        run(sampler, None, rng, 600, burn_in=2700, thin=27).indicators()[:, value, model]
        for rng in np.random.default_rng(3).spawn(3)
    ]
    assert 0.01 < np.mean(chains) < 0.3
    assert np.abs(np.diff(np.array(chains, dtype=int))).sum() > 6


@pytest.mark.parametrize(
    ("word", "draws"), [("order", 1000), pytest.param("partition", 4000, marks=pytest.mark.slow)]
)
def test_chains_of_a_ladder_agree_with_exact_sums_on_boston(word, draws):
    """Fourteen collinear columns: random starts, all arcs within the Monte-Carlo error."""
    score = SCORES["bge"].bind(FAMILIES["gaussian"].bind(example("boston")))
    plain = SAMPLERS[word](score)
    sampler = SAMPLERS[word](score, **{**plain.settings, "ladder": plain.choose_ladder()})
    rngs = np.random.default_rng(1).spawn(4)
    found = diagnose([run(sampler, None, rng, draws, burn_in=2800, thin=28) for rng in rngs])
    gap = np.abs(found.arcs.probabilities - exact(score, target=sampler.target).arcs)
    assert (gap <= 4 * found.arcs.errors).all()
    assert found.largest_rhat < 1.01
