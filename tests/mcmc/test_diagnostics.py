import numpy as np
import pytest

from arcwise._kernels.chain import packed_rows
from arcwise.errors import FitError
from arcwise.mcmc import Chain, State, diagnose

STATE = State(np.zeros((3, 1), np.uint64), np.zeros(4, np.uint64), 0, np.zeros(0, np.int64))


def chain_of(rows, scores=None, target="uniform over DAGs"):
    parents = np.stack([packed_rows(row) for row in rows])
    values = np.random.default_rng(len(rows)).normal(size=len(rows)) if scores is None else scores
    return Chain(("a", "b", "c"), target, parents, values, (), STATE)


def independent(rng, draws, chance=0.3):
    """Graphs in which a -> b comes and goes, b -> a otherwise, c has no parents."""
    return [((), (0,), ()) if x < chance else ((1,), (), ()) for x in rng.random(draws)]


def test_independent_draws_are_worth_their_number():
    rngs = np.random.default_rng(1).spawn(4)
    found = diagnose([chain_of(independent(rng, 500)) for rng in rngs])
    assert found.draws == 2000
    assert found.arcs.probabilities[0, 1] == pytest.approx(0.3, abs=0.04)
    assert found.arcs.errors[0, 1] == pytest.approx(np.sqrt(0.21 / 2000), rel=0.3)
    assert 1200 < found.arcs.ess[0, 1] < 3000
    assert found.agree
    assert found.warning == ""


def test_what_was_never_or_always_seen_is_not_sure():
    rngs = np.random.default_rng(2).spawn(2)
    found = diagnose([chain_of(independent(rng, 400)) for rng in rngs])
    assert found.pairs.probabilities[0, 1] == found.pairs.probabilities[1, 0] == 1.0
    assert found.arcs.probabilities[2, 0] == 0.0
    least = min(found.score_ess, found.arcs.ess[0, 1])
    assert found.pairs.errors[0, 1] == pytest.approx(3 / least)
    assert found.arcs.errors[2, 0] == pytest.approx(3 / least)
    off = ~np.eye(3, dtype=bool)
    assert (found.arcs.errors[off] > 0).all()
    assert (found.pairs.errors[off] > 0).all()


def test_rare_events_have_errors_that_cover_them():
    """An arc of probability 0.002 in many short runs: its error covers it nearly always."""
    rng, inside = np.random.default_rng(3), 0
    for _ in range(200):
        chains = [chain_of(independent(rng, 100, 0.002)) for _ in range(2)]
        found = diagnose(chains)
        inside += abs(found.arcs.probabilities[0, 1] - 0.002) <= 2 * found.arcs.errors[0, 1]
    assert inside >= 190


def test_chains_that_disagree_are_reported():
    left = [((), (0,), ())] * 100
    right = [((1,), (), ())] * 100
    found = diagnose([chain_of(left), chain_of(right)])
    assert not found.agree
    assert found.largest_rhat > 1.1
    assert "The chains disagree (largest R-hat" in found.warning
    assert found.arcs.errors[0, 1] > 0.1


def test_short_chains_are_reported():
    found = diagnose([chain_of([((), (), ())] * 3)])
    assert "too short" in found.warning


def test_longer_chains_lose_their_beginnings():
    rng = np.random.default_rng(5)
    rows = independent(rng, 60)
    found = diagnose([chain_of(rows[:40]), chain_of([((), (), ())] * 20 + rows[:40])])
    assert found.draws == 80
    assert found.pairs.probabilities[0, 1] == 1.0


def test_chains_of_other_targets_are_rejected():
    rows = [((), (), ())] * 9
    with pytest.raises(FitError, match="same variables and target"):
        diagnose([chain_of(rows), chain_of(rows, target="order-modular")])
    with pytest.raises(FitError, match="must have draws"):
        diagnose([])
