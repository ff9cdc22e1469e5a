"""Laws of every sampler: the same seed, pieces, files, processes, an end on request."""

import pickle

import numpy as np
import pytest
from all_graphs import random_score

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits, Rules
from arcwise.mcmc import SAMPLERS, Chain, State, run

OPTIONS = {
    "tempering": {"temperatures": 3, "period": 10},
    "structure": {"flips": 0.1, "redraws": 0.1},
}


def sampler_of(word, p=5, **options):
    score = random_score(p, seed=p)
    limits = Rules(max_parents=2, forbidden=["a -> b"]).on(score.nodes)
    return SAMPLERS[word](score, limits, **{**OPTIONS.get(word, {}), **options})


def same(one, other):
    return (
        np.array_equal(one.parents, other.parents)
        and np.array_equal(one.log_scores, other.log_scores)
        and all(
            np.array_equal(a, b)
            for a, b in zip(
                one.state.to_arrays().values(), other.state.to_arrays().values(), strict=True
            )
        )
    )


@pytest.mark.parametrize("word", SAMPLERS)
def test_the_same_seed_gives_the_same_chain(word):
    first = run(sampler_of(word), None, np.random.default_rng(3), 40, burn_in=13, thin=7)
    again = run(sampler_of(word), None, np.random.default_rng(3), 40, burn_in=13, thin=7)
    assert same(first, again)
    assert len(first) == 40
    assert sum(info.steps for info in first.infos) == 13 + 280


@pytest.mark.parametrize("word", SAMPLERS)
def test_a_run_in_pieces_through_files_is_the_run_in_one(word, tmp_path):
    whole = run(sampler_of(word), None, np.random.default_rng(3), 30, burn_in=13, thin=7)
    chain = run(sampler_of(word), None, np.random.default_rng(3), 11, burn_in=13, thin=7)
    while len(chain) < 30:
        np.savez(tmp_path / "chain.npz", **chain.to_arrays())
        with np.load(tmp_path / "chain.npz", allow_pickle=False) as arrays:
            chain = Chain.from_arrays(dict(arrays))
        more = min(4, 30 - len(chain))
        chain = chain.join(run(sampler_of(word), chain.state, None, more, thin=7))
    assert same(chain, whole)


@pytest.mark.parametrize("word", SAMPLERS)
def test_steps_in_odd_pieces(word):
    sampler, other = sampler_of(word), sampler_of(word)
    state = sampler.init(np.random.default_rng(5))
    end, visited = sampler.advance(state, 200, thin=9)
    found, here = [], state
    for steps in (1, 17, 50, 3, 129):
        here, part = other.advance(here, steps, thin=9)
        found.append(part.parents)
    assert np.array_equal(np.concatenate(found), visited.parents)
    assert here.taken == end.taken == 200
    assert np.array_equal(here.generator, end.generator)


@pytest.mark.parametrize("word", SAMPLERS)
def test_samplers_can_be_sent_to_other_processes(word):
    sampler = sampler_of(word)
    run(sampler, None, np.random.default_rng(1), 5)
    copy = pickle.loads(pickle.dumps(sampler))
    assert same(
        run(sampler, None, np.random.default_rng(2), 9),
        run(copy, None, np.random.default_rng(2), 9),
    )


@pytest.mark.parametrize("word", SAMPLERS)
def test_a_watcher_ends_a_run_that_can_go_on(word):
    steps = []

    def watch(step):
        steps.append(step.number)
        return True

    sampler = sampler_of(word)
    chain = run(sampler, None, np.random.default_rng(1), 10**8, thin=1000, on_step=watch)
    assert str(chain.stopped) == "asked to stop"
    assert len(steps) == 1
    assert len(chain) < 10**7
    more = run(sampler, chain.state, None, 3, thin=1000)
    assert len(chain.join(more)) == len(chain) + 3


@pytest.mark.parametrize("word", SAMPLERS)
def test_one_and_two_variables(word):
    for p in (1, 2):
        score = random_score(p)
        chain = run(SAMPLERS[word](score), None, np.random.default_rng(1), 20, thin=3)
        assert len(chain.graphs) == 20


@pytest.mark.parametrize("word", SAMPLERS)
def test_chains_start_where_they_are_reported(word):
    score = random_score(4)
    start = DAG.from_arcs(["a -> b", "b -> c", "a -> d"])
    state = SAMPLERS[word](score).init(np.random.default_rng(1), start)
    chain = Chain(score.nodes, "", state.parents.reshape(-1, 4, 1)[:1], np.zeros(1), (), state)
    assert chain.graphs == [start]


def test_what_a_chain_tells():
    chain = run(sampler_of("partition"), None, np.random.default_rng(1), 50, thin=5)
    counts = chain.counts()
    assert sum(counts.values()) == 50
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    by_hand = np.zeros((5, 5))
    for graph in chain.graphs:
        for arc in graph.numbered_arcs:
            by_hand[arc] += 1 / 50
    assert np.allclose(chain.arcs(), by_hand)
    assert chain.indicators(10, 20).shape == (10, 5, 5)
    assert "50 graphs of 5 variables, uniform over DAGs" in repr(chain)
    assert Limits.none(chain.nodes).allows_graph(chain.graphs[0])


def test_wrong_numbers_are_reported():
    sampler = sampler_of("structure")
    with pytest.raises(FitError, match="thin must be an integer of 1 or more, got 0"):
        run(sampler, None, np.random.default_rng(1), 5, thin=0)
    with pytest.raises(FitError, match="needs a random generator"):
        run(sampler, None, None, 5)
    one = run(sampler, None, np.random.default_rng(1), 5)
    other = run(SAMPLERS["order"](random_score(3)), None, np.random.default_rng(1), 5)
    with pytest.raises(FitError, match="cannot be joined"):
        one.join(other)


def test_states_are_plain_arrays():
    state = sampler_of("tempering").init(np.random.default_rng(1))
    again = State.from_arrays(state.to_arrays())
    assert again.taken == 0
    assert np.array_equal(again.parents, state.parents)
