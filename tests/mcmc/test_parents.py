"""Candidate parents, where not all sets can be listed."""

import numpy as np
import pytest
from all_graphs import random_score
from naive.posterior import acyclic

from arcwise.conditionals import FAMILIES
from arcwise.data import table
from arcwise.errors import FitError
from arcwise.graphs import Rules
from arcwise.mcmc import SAMPLERS, parent_lists, parents, run
from arcwise.scores import SCORES


def chain_data(p, rows=400, seed=1):
    """x0 -> x1 -> x2 -> ..., a linear Gaussian chain."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=rows)]
    for _ in range(p - 1):
        columns.append(0.8 * columns[-1] + 0.6 * rng.normal(size=rows))
    data = table({f"x{i:03d}": column for i, column in enumerate(columns)})
    return SCORES["bge"].bind(FAMILIES["gaussian"].bind(data))


def test_all_sets_are_listed_where_they_are_few():
    score = random_score(4)
    limits = Rules(required=["a -> b"], max_parents=2).on(score.nodes)
    lists = parent_lists(score, limits)
    assert lists.candidates is None
    assert [len(each) for each in lists.scores] == [7, 3, 7, 7]
    assert len(lists) == 24
    for bits in lists.sets[1]:
        assert int(bits[0]) & 1  # a is a parent of b in all


def test_candidates_are_found_and_state_themselves():
    score = chain_data(24)
    lists = parent_lists(score, Rules().on(score.nodes))
    assert lists.candidates is not None
    for v in range(1, 23):
        assert {v - 1, v + 1} <= set(lists.candidates[v])
    assert lists.extended >= 0
    sampler = SAMPLERS["partition"](score)
    assert len(sampler.settings["candidates"]) == 24
    again = SAMPLERS["partition"](score, **sampler.settings)
    one = run(sampler, None, np.random.default_rng(1), 5, thin=20)
    other = run(again, None, np.random.default_rng(1), 5, thin=20)
    assert np.array_equal(one.parents, other.parents)


@pytest.mark.parametrize("word", ["order", "partition"])
def test_lists_grow_when_the_chain_presses_against_them(word, monkeypatch):
    """From candidates of which none is a true neighbour, the neighbours come in from outside."""
    score = chain_data(12)
    monkeypatch.setattr(parents, "_CLOSED", 1000)
    monkeypatch.setattr(
        parents,
        "_choose_candidates",
        lambda s, limits, v, size: tuple(u for u in range(12) if abs(u - v) in (5, 6)),
    )
    sampler = SAMPLERS[word](score)
    grown = sampler.settings["candidates"]
    found = sum(bool({v - 1, v + 1} & set(grown[v])) for v in range(12))
    assert found >= 11
    chain = run(sampler, None, np.random.default_rng(1), 200, burn_in=500, thin=20)
    shares = chain.arcs()
    for v in range(11):
        assert shares[v, v + 1] + shares[v + 1, v] > 0.99


def test_more_variables_than_a_word_has_bits():
    score = chain_data(66)
    limits = Rules(max_parents=2, forbidden=["x000 -> x001"]).on(score.nodes)
    chain = run(SAMPLERS["partition"](score, limits), None, np.random.default_rng(1), 20, thin=50)
    for graph in chain.graphs:
        assert acyclic([set(row) for row in graph.parents])
        assert limits.allows_graph(graph)
    shares = chain.arcs()
    assert np.mean([shares[v, v + 1] + shares[v + 1, v] > 0.9 for v in range(65)]) > 0.95


def test_wrong_candidates_are_reported():
    score = random_score(4)
    with pytest.raises(FitError, match="given for 4 variables, got 1"):
        SAMPLERS["order"](score, candidates=((1,),))


def test_lists_made_from_earlier_ones_are_the_same():
    score = random_score(6)
    limits = Rules(required=["a -> b"], max_parents=3).on(score.nodes)
    first = parent_lists(score, limits, ((1, 2), (2, 3), (0, 1), (0, 4), (1,), (2, 3)))
    wider = ((1, 2, 4), (2, 3), (0, 1), (0, 4, 5), (1,), (2, 3))
    again, whole = parent_lists(score, limits, wider, first), parent_lists(score, limits, wider)
    for kind in ("sets", "scores"):
        for mine, its in zip(getattr(again, kind), getattr(whole, kind), strict=True):
            assert np.array_equal(mine, its)
    assert again.scores[1] is first.scores[1]
    assert again.scores[0] is not first.scores[0]
