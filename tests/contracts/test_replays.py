"""Every search takes the steps of a slow twin that keeps nothing between them.

Tables are plain, short, with copies of columns, with exact ties and with gaps of levels; moments come from a
matrix that is symmetric up to its last digit only.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from naive import ges as naive_ges
from naive import replays as naive
from undirected.test_stepwise import replay

from arcwise.conditionals import FAMILIES
from arcwise.data import Moments, Table, Variable, table
from arcwise.graphs import DAG, Limits
from arcwise.mcmc import SAMPLERS, run
from arcwise.scores import Score, bic
from arcwise.search import anneal, equivalence, greedy, tabu
from arcwise.search.boss import OrderSearch
from arcwise.search.lazy_climb import LazyClimb, Memory
from arcwise.search.run import Run
from arcwise.undirected import boundary, candidates, deletion

SHORT, LONG = 30, 500


class Remembered(Score):
    """A score whose single local scores are kept, for the twin alone."""

    def __init__(self, score: Score) -> None:
        self.nodes, self.rows, self.inner = score.nodes, score.rows, score
        self.local = cache(score.local)

    def many(self, child, sets):
        return self.inner.many(child, sets)


def numbers(seed: int, p: int):
    """Columns of a random linear network: plain, short, copied, mirrored or in equal blocks."""
    rng = np.random.default_rng([seed, p])
    rows = (200, 30, 80, 60, 50)[seed % 5]
    arcs = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5), 1)
    x = rng.normal(size=(rows, p)) @ np.linalg.inv(np.eye(p) - arcs)
    if seed % 5 == 2:
        x[:, p - 1] = x[:, 0]
    if seed % 5 == 3:  # signs of one column turned: what was joined to it twice cancels
        x = np.concatenate([x, x * np.where(np.arange(p) == seed % p, -1.0, 1.0)])
    if seed % 5 == 4:  # two unrelated halves that are alike: every gain is there twice
        half = x[:, : p // 2]
        x = np.concatenate([np.hstack([half, half]), np.hstack([half, -half])])
    return x[:, rng.permutation(x.shape[1])]


def scored(seed: int, p: int = 5) -> Score:
    """The BIC of a table of numbers, of lopsided moments, or of levels."""
    if seed % 3 == 2:
        return bic(FAMILIES["discrete"].bind(levels(seed, p)))
    x = numbers(seed, p)
    names = [f"v{i}" for i in range(x.shape[1])]
    if seed % 3 == 0:
        return bic(FAMILIES["gaussian"].bind(table(dict(zip(names, x.T, strict=True)))))
    spread = np.cov(x.T, bias=True)
    spread *= 1 + 2e-16 * np.random.default_rng(seed).integers(-1, 2, spread.shape)
    return bic(FAMILIES["gaussian"].bind(Moments.given(names, len(x), x.mean(axis=0), spread)))


def levels(seed: int, p: int) -> Table:
    """Columns of two or three levels; copies, and a level that never occurs."""
    rng = np.random.default_rng([seed, p, 1])
    columns = [rng.integers(0, 2, size=60)]
    for _ in range(p - 1):
        other = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(60) < 0.4, rng.integers(0, 3, size=60), other))
    if seed % 2:
        columns[-1] = columns[0]
    variables = tuple(Variable(f"v{i}", (0, 1, 2)) for i in range(p))
    return Table(variables, tuple(column.astype(np.uint8) for column in columns))


def steps_of(result):
    return [(step.what, step.tail, step.head) for step in result.trace]


def sets(graph: DAG):
    return [set(row) for row in graph.parents]


def greedy_steps(seed):
    score = scored(seed)
    steps, parents = naive.greedy(Remembered(score))
    result = greedy(score)
    assert steps_of(result) == steps
    assert sets(result.graph) == parents


def tabu_steps(seed):
    score, lengths = scored(seed, 4), {"tabu_length": 3, "walk_length": 6, "walks": 2}
    steps, parents = naive.tabu(Remembered(score), **lengths)
    result = tabu(score, rng=np.random.default_rng(seed), **lengths)
    assert steps_of(result) == steps
    assert sets(result.graph) == parents


def annealing_steps(seed):
    score, heat = scored(seed, 4), {"steps": 600, "hot": 3.0, "cold": 0.3}
    parents = naive.annealing(Remembered(score), np.random.default_rng(seed), **heat)
    assert sets(anneal(score, rng=np.random.default_rng(seed), **heat).graph) == parents


def ges_steps(seed):
    score = scored(seed)
    p, slack = len(score.nodes), naive.slack_of(score)
    graph, trace = naive_ges.ges(frozenset(), p, Remembered(score).local, slack)
    result = equivalence.ges(score)
    assert steps_of(result) == [(step.kind, step.tail, step.head) for step in trace]
    found = frozenset((a, b) for b, row in enumerate(result.graph.parents) for a in row)
    assert naive_ges.essential(found) == graph


def boss_steps(seed):
    score, rng = scored(seed, 6), np.random.default_rng(seed)
    p = len(score.nodes)
    start, turns, moved = rng.permutation(p).tolist(), rng.permutation(p).tolist(), []
    orders = OrderSearch(Run(score), rng)._orders

    def watch(column, total, arcs):
        moved.extend([column] * (column >= 0))
        return False

    climbed = orders.climb(start, turns, watch)
    assert (moved, climbed.order) == naive.boss(Remembered(score), start, turns)
    plain = naive.PlainOrders(Remembered(score))  # and no move of one variable improves the end
    assert all(plain.best(climbed.order, x, True) == climbed.order for x in range(p))


def boundary_steps(seed):
    score = scored(seed)
    taken = [(each.first, each.second) for each in boundary(score).removals]
    assert taken == list(naive.removals(Remembered(score)))


def deletion_steps(seed):
    score = scored(seed)
    taken = [(each.first, each.second) for each in deletion(score).removals]
    assert taken == list(naive.removals(Remembered(score), again=False))


def grown_candidates(seed):
    score, penalty = scored(seed), (0.0, 0.02, 0.1)[seed % 3]
    barred = candidates(score, Limits.none(score.nodes), penalty).barred
    pairs = combinations(range(len(score.nodes)), 2)
    found = {(i, j) for i, j in pairs if j not in barred[i]}
    assert found == naive.grown_pairs(Remembered(score), penalty)


def lazy_gains(seed):
    """What a memory tells is what all sets in it tell, looked through anew after every climb."""
    score, rng = scored(seed, 4), np.random.default_rng(seed)
    free, trail = Limits.none(score.nodes), Run(score)
    memory, p = Memory(score), len(score.nodes)
    climb = LazyClimb(memory, free.start(), free, curious=bool(seed % 2))
    for _ in range(3):
        climb.shake(rng, 3)
        climb.settle(trail)
        for child, row in enumerate(climb.parents):
            gains, sure = memory.toggles(child, row)
            for x in set(range(p)) - {child}:
                toggled = tuple(sorted({*row} ^ {x}))
                assert sure[x] == (toggled in memory.known[child])
                known = memory.known[child].get(toggled, np.nan) - memory.known[child][row]
                told = known if sure[x] else naive.expected_gain(memory.known, child, x, {*row})
                assert gains[x] == pytest.approx(told, abs=1e-9, nan_ok=True)
        moves = naive.Plain(Remembered(score), climb.parents).all_moves()
        assert max(gain for gain, *_ in moves) <= 1e-6


def chain_scores(seed):
    """The scores that a chain keeps are those of its graphs, whatever it remembered on the way."""
    score = scored(seed, 4)
    word = sorted(SAMPLERS)[seed % len(SAMPLERS)]
    sampler = SAMPLERS[word](score, Limits.none(score.nodes))
    chain = run(sampler, None, np.random.default_rng(seed), 40, burn_in=10, thin=3)
    plain = [naive.Plain(Remembered(score), graph.parents).total for graph in chain.graphs]
    np.testing.assert_allclose(chain.log_scores, plain, rtol=1e-9, atol=1e-8)


def stepwise_steps(seed):
    x = numbers(seed, 8)
    replay(np.corrcoef(x.T), len(x), (0.0, 0.3, 0.6)[seed % 3])


TWINS = {
    "greedy": greedy_steps,
    "tabu": tabu_steps,
    "annealing": annealing_steps,
    "ges": ges_steps,
    "boss": boss_steps,
    "boundary": boundary_steps,
    "deletion": deletion_steps,
    "grow-shrink": grown_candidates,
    "lazy": lazy_gains,
    "chain": chain_scores,
    "stepwise": stepwise_steps,
}


@pytest.mark.parametrize("word", TWINS)
def test_steps_are_those_of_the_slow_twin(word):
    for seed in range(SHORT):
        TWINS[word](seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("word", TWINS)
def test_many_steps_are_those_of_the_slow_twin(word, part):
    for seed in range(SHORT + part, SHORT + LONG, 10):
        TWINS[word](seed)
