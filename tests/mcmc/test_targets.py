"""Every sampler visits graphs as often as its target says: chi-square over all small graphs."""

import numpy as np
import pytest
from all_graphs import arcs_of, distribution, random_score, surprise

from arcwise.graphs import HasChild, Limits, Rules
from arcwise.mcmc import ORDERS, SAMPLERS, UNIFORM, diagnose, run

CASES = {
    "structure": ("structure", {}),
    "flips": ("structure", {"flips": 0.3}),
    "redraws": ("structure", {"redraws": 0.3}),
    "flips and redraws": ("structure", {"flips": 0.2, "redraws": 0.2}),
    "order": ("order", {}),
    "partition": ("partition", {}),
    "tempering": ("tempering", {"temperatures": 3, "period": 7}),
    "orders of a ladder": ("order", {"ladder": (0.6, 0.3), "groups": ((0, 1, 2),)}),
    "partitions of a ladder": ("partition", {"ladder": (0.6, 0.3), "groups": ((0, 2), (0, 1, 2))}),
}
RULES = {
    "free": lambda nodes: Limits.none(nodes),
    "bounded": lambda nodes: Rules(max_parents=1).on(nodes),
    "arcs": lambda nodes: Rules(required=["a -> b"], forbidden=["c -> a"]).on(nodes),
    "tiers": lambda nodes: Rules(tiers=[["a"], ["b", "c"]], max_parents=2).on(nodes),
    "condition": lambda nodes: Limits.none(nodes).where(HasChild(1)),
    "any condition": lambda nodes: Limits.none(nodes).where(lambda dag: dag.n_arcs > 0),
}


DEAR = ("condition", "any condition")  # asked of every graph, in Python


def laws():
    """Cases and rules; dear ones of one kind of move alone are slow laws: the case of both is quick."""
    for case in CASES:
        for rules in RULES:
            slow = rules in DEAR and case in (
                "flips",
                "redraws",
                *(c for c in CASES if "ladder" in c),
            )
            slow |= (case, rules) == ("tempering", "any condition")
            yield pytest.param(case, rules, marks=[pytest.mark.slow] if slow else [])


def test_no_sampler_is_left_out():
    assert {word for word, _ in CASES.values()} == set(SAMPLERS)


@pytest.mark.parametrize(("case", "rules"), list(laws()))
@pytest.mark.parametrize("p", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_graphs_are_visited_as_often_as_they_weigh(case, rules, p):
    word, options = CASES[case]
    score = random_score(p, seed=p, spread=1.5)
    limits = RULES[rules](score.nodes)
    if limits.condition is not None:  # has no ladder
        options = {name: value for name, value in options.items() if name != "ladder"}
    sampler = SAMPLERS[word](score, limits, **options)
    thin = 60 if word in ("structure", "tempering") else 12
    draws = 1500 if word == "tempering" else 6000
    if limits.condition is not None:  # rejections make draws alike
        thin, draws = 20 * thin, draws // 10
    chain = run(sampler, None, np.random.default_rng(7), draws, burn_in=500, thin=thin)
    assert sampler.target == (ORDERS if word == "order" else UNIFORM)
    shares = distribution(score, limits, orders=word == "order")
    statistic, most = surprise(chain.counts(), shares)
    assert statistic < most
    assert chain.log_scores[-1] == pytest.approx(
        sum(score.local(v, row) for v, row in enumerate(chain.graphs[-1].parents)), abs=1e-10
    )


@pytest.mark.parametrize("case", CASES)
def test_errors_cover_the_truth(case):
    """Probabilities of arcs are within four of their errors of the exact ones."""
    word, options = CASES[case]
    score = random_score(4, seed=9, spread=2.0)
    limits = Limits.none(score.nodes)
    sampler = SAMPLERS[word](score, limits, **options)
    rngs = np.random.default_rng(1).spawn(4)
    draws = 400 if word == "tempering" else 2000
    found = diagnose([run(sampler, None, rng, draws, burn_in=200, thin=20) for rng in rngs])
    truth = arcs_of(distribution(score, limits, orders=word == "order"))
    gap = np.abs(found.arcs.probabilities - truth)
    assert (gap <= 4 * found.arcs.errors).all()
    assert found.agree or found.largest_rhat < 1.05
