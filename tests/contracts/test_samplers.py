"""Laws of every registered sampler: it visits graphs as often as they weigh, by sums over all of them."""

import numpy as np
import pytest
from all_graphs import arcs_of, distribution, random_score, surprise

from arcwise.graphs import Limits, Rules
from arcwise.mcmc import ORDERS, SAMPLERS, UNIFORM, diagnose, run

EVERY = pytest.mark.parametrize("word", SAMPLERS)
RULES = {
    "free": lambda nodes: Limits.none(nodes),
    "ruled": lambda nodes: Rules(required=["a -> b"], forbidden=["c -> a"], max_parents=1).on(nodes),
    "nothing": lambda nodes: Rules(max_parents=0).on(nodes),
}  # fmt: skip


def exact(sampler, score, limits):
    """What its target gives each graph."""
    assert sampler.target in (UNIFORM, ORDERS)
    return distribution(score, limits, orders=sampler.target == ORDERS)


@EVERY
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("p", [3, 4])
def test_graphs_are_visited_as_often_as_they_weigh(word, rules, p):
    score = random_score(p, seed=10 + p, spread=1.2)
    limits = RULES[rules](score.nodes)
    sampler = SAMPLERS[word](score, limits)
    chain = run(sampler, None, np.random.default_rng(8), 1000, burn_in=500, thin=60)
    shares = exact(sampler, score, limits)
    statistic, most = surprise(chain.counts(), shares)
    assert statistic < most
    for graph, log in list(zip(chain.graphs, chain.log_scores, strict=True))[::100]:
        assert log == pytest.approx(sum(score.local(v, row) for v, row in enumerate(graph.parents)))


@EVERY
@pytest.mark.parametrize("p", [3, 4])
def test_probabilities_of_arcs_are_within_their_errors(word, p):
    score = random_score(p, seed=20 + p, spread=1.5)
    limits = Limits.none(score.nodes)
    sampler = SAMPLERS[word](score, limits)
    rngs = np.random.default_rng(4).spawn(4)
    found = diagnose([run(sampler, None, rng, 400, burn_in=300, thin=40) for rng in rngs])
    truth = arcs_of(exact(sampler, score, limits))
    assert (np.abs(found.arcs.probabilities - truth) <= 4.5 * found.arcs.errors + 1e-12).all()
    assert (found.arcs.errors < 0.1).all()


@EVERY
def test_a_run_in_pieces_is_the_run_in_one(word):
    score = random_score(4, seed=5)
    sampler = SAMPLERS[word](score, Limits.none(score.nodes))
    start = sampler.init(np.random.default_rng(3))
    once, seen = sampler.advance(start, 600, thin=10)
    half, first = sampler.advance(start, 250, thin=10)
    again, second = sampler.advance(type(half).from_arrays(half.to_arrays()), 350, thin=10)
    for name, array in once.to_arrays().items():
        assert np.array_equal(array, again.to_arrays()[name]), name
    assert len(seen.scores) == len(first.scores) + len(second.scores) == 60
    assert np.array_equal(seen.scores, [*first.scores, *second.scores])
