"""A graph on the move: after any moves, gains, best move and paths are those made from scratch."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import moves as naive

from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG, Limits, Rules
from arcwise.results import SearchEnd
from arcwise.scores import Score, total
from arcwise.search.climb import KINDS, Climb, Gain
from arcwise.search.run import starting_graph


class Chance(Score):
    """A random (here and there tied) number for each parent set."""

    def __init__(self, p: int, seed: int, rounded: bool = False) -> None:
        self.nodes, self.rows = tuple(f"x{i:03d}" for i in range(p)), 1.0
        self.seed, self.rounded = seed, rounded

    def many(self, child: int, sets: Sequence[tuple[int, ...]]) -> np.ndarray:
        values = [np.random.default_rng((self.seed, child, *s)).normal() for s in sets]
        return np.round(values, 0 if self.rounded else 12)


def random_rules(names: Sequence[str], rng: np.random.Generator) -> Rules:
    """Some of everything; always possible, since all follows one order of the names."""
    order = [names[i] for i in rng.permutation(len(names))]
    place = {name: i for i, name in enumerate(order)}
    pairs = [(a, b) for a in order for b in order if place[a] < place[b]]
    required = [pair for pair in pairs if rng.random() < 0.1]
    forbidden = [
        (a, b)
        for a in names
        for b in names
        if a != b and (a, b) not in required and rng.random() < 0.15
    ]
    tiers: list[list[str]] = []
    if rng.random() < 0.5 and len(names) > 2:
        cut = int(rng.integers(1, len(names)))
        tiers = [order[:cut], order[cut:-1]]
    most = max([sum(1 for _, b in required if b == name) for name in names])
    bound = int(max(most, rng.integers(1, 4))) if rng.random() < 0.6 else None
    return Rules(required=required, forbidden=forbidden, tiers=tiers, max_parents=bound)


def check(climb: Climb, blocked=frozenset()) -> None:
    """Everything the climb knows, against the graph alone."""
    score, limits, p = climb.score, climb.limits, climb.p
    graph = climb.graph()
    fresh = Climb(score, DAG(graph.nodes, graph.parents), limits)
    assert climb.arcs == graph.n_arcs
    assert (naive.truths(climb._below, p) == naive.below(graph.parents)).all()
    np.testing.assert_allclose(climb.local, fresh.local, atol=1e-9)
    np.testing.assert_allclose(climb.gains, fresh.gains, atol=1e-9)
    moves = {
        move: naive.gain(score, graph.parents, *move)
        for move in naive.legal_moves(graph.parents, limits)
        if limits.condition is None or limits.condition(climb.after(Gain(0.0, *move)))
    }
    listed = {(m.kind, m.tail, m.head): m.gain for m in climb.above(-np.inf)}
    assert listed.keys() == moves.keys()
    for move, gain in moves.items():
        assert listed[move] == pytest.approx(gain, abs=1e-9)
    free = {m: g for m, g in moves.items() if frozenset(m[1:]) not in blocked}
    best = climb.best()
    if not free:
        assert best is None
        return
    assert best is not None
    assert best.gain == pytest.approx(max(free.values()), abs=1e-9)
    assert free[best.kind, best.tail, best.head] == pytest.approx(best.gain, abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 100_000), st.integers(1, 6), st.booleans(), st.booleans(), st.booleans())
def test_any_walk_keeps_gains_paths_and_best_move(seed, p, ruled, rounded, conditioned):
    rng = np.random.default_rng(seed)
    score = Chance(p, seed % 7, rounded)
    limits = random_rules(score.nodes, rng).on(score.nodes) if ruled else Limits.none(score.nodes)
    if conditioned:
        limits = limits.where(lambda graph: sum(7 * t + h for t, h in graph.numbered_arcs) % 3 != 1)
    climb = Climb(score, limits.start(), limits)
    blocked: set[frozenset[int]] = set()
    check(climb)
    for _ in range(6):
        choice = rng.random()
        moves = list(climb.above(-np.inf))
        if choice < 0.3 and climb.best() is not None:
            climb.apply(climb.best())
        elif choice < 0.75 and moves:
            climb.apply(moves[int(rng.integers(len(moves)))])
        elif choice < 0.85 and p > 1:
            pair = [int(x) for x in rng.choice(p, 2, replace=False)]
            climb.block(*pair)
            blocked.add(frozenset(pair))
        elif choice < 0.95 and blocked:
            climb.unblock(*blocked.pop())
        else:
            climb.go_to(limits.start())
        check(climb, blocked)


@pytest.mark.parametrize("p", [63, 64, 65])
def test_a_walk_on_many_nodes_keeps_the_best_move(p):
    """The best move is what the caches are for: compare with a fresh climb, step by step."""
    rng = np.random.default_rng(p)
    names = tuple(f"x{i:03d}" for i in range(p))
    table = rng.normal(size=(p, p))

    class Pairs(Score):
        nodes, rows = names, 1.0

        def many(self, child, sets):
            return np.array([sum(table[child, x] for x in s) - 0.3 * len(s) ** 2 for s in sets])

    score, limits = Pairs(), Limits.none(names)
    climb = Climb(score, DAG.empty(names), limits)
    for step in range(60):
        move = climb.best() if step % 3 else climb.random_move(rng)
        if move is None:
            continue
        climb.apply(move)
        if step % 6 == 5:
            fresh = Climb(score, climb.graph(), limits).best()
            assert climb.best().gain == pytest.approx(fresh.gain)
            assert climb.best()[1:] == fresh[1:]
            assert (naive.truths(climb._below, p) == naive.below(climb.graph().parents)).all()
    DAG(names, climb.graph().parents)  # acyclic


def left(climb: Climb, move: Gain) -> float:
    """What changes at the ends of a new arc can gain: the best one for each other variable."""
    parents = climb.after(move).parents
    best = dict.fromkeys(range(climb.p), 0.0)
    for kind, tail, head in naive.legal_moves(parents, climb.limits):
        others = {tail, head} - {move.tail, move.head}
        if KINDS[kind] != "flip" and len(others) == 1:
            gain = naive.gain(climb.score, parents, kind, tail, head)
            best[min(others)] = max(best[min(others)], gain)
    return sum(best.values())


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 100_000), st.integers(2, 6), st.booleans())
def test_of_opposite_arcs_that_tie_the_one_that_leaves_more_to_be_gained_is_taken(seed, p, ruled):
    rng = np.random.default_rng(seed)
    score = Chance(p, seed, rounded=True)
    rules = random_rules(score.nodes, rng) if ruled else Rules()
    climb = Climb(score, *starting_graph(score, None, rules.on(score.nodes)))
    for _ in range(8):
        for move in climb.above(-np.inf):
            assert climb.choose_direction(move) == move  # dear scores are not asked for more
            score.lattice = True
            back = climb.legal(0, move.head, move.tail) if move.what == "add" else None
            tied = back is not None and abs(back.gain - move.gain) < 1e-9
            other = tied and left(climb, back) > left(climb, move) + 1e-9
            assert climb.choose_direction(move) == (back if other else move)
            score.lattice = False
        climb.shake(rng, 1)


def test_shaking_makes_as_many_legal_moves_as_asked():
    score = Chance(6, 1)
    limits = Rules(required=["x000 -> x001"], max_parents=2).on(score.nodes)
    climb = Climb(score, limits.start(), limits)
    climb.shake(np.random.default_rng(1), 25)
    assert limits.allows_graph(DAG(score.nodes, climb.graph().parents))
    check(climb)
    lonely = Climb(Chance(1, 1), DAG.empty(["x000"]), Limits.none(["x000"]))
    lonely.shake(np.random.default_rng(1), 3)
    assert lonely.best() is None


def test_a_start_that_breaks_rules_or_has_other_variables_is_rejected():
    score = Chance(2, 0)
    limits = Rules(forbidden=["x000 -> x001"]).on(score.nodes)
    with pytest.raises(GraphError, match="must obey the rules"):
        starting_graph(score, DAG.from_arcs(["x000 -> x001"]), limits)
    with pytest.raises(FitError, match="must have the variables of the data"):
        starting_graph(score, DAG.empty(["a", "b"]), None)
    with pytest.raises(FitError, match="bound to the variables"):
        starting_graph(score, None, Limits.none(["a", "b"]))


class Ending(Chance):
    """Interrupted after so many local scores."""

    left = 10**9

    def many(self, child, sets):
        self.left -= len(sets)
        if self.left < 0:
            raise SearchEnd
        return super().many(child, sets)


@pytest.mark.parametrize("left", range(0, 120, 7))
def test_an_interrupted_climb_stays_where_it_is_and_has_no_moves(left):
    score, rng = Ending(5, 3), np.random.default_rng(left)
    climb = Climb(score, DAG.empty(score.nodes), Limits.none(score.nodes))
    score.left = left
    before = climb.total
    while (move := climb.best()) is not None and score.left >= 0:
        climb.apply(move if rng.random() < 0.5 else next(climb.above(-np.inf)))
    assert score.left < 0
    assert climb.best() is None
    assert list(climb.above(-np.inf)) == []
    climb.shake(rng, 3)
    assert climb.total == pytest.approx(total(Chance(5, 3), climb.graph()), abs=1e-9)
    assert climb.total != before or left < 5
    DAG(score.nodes, climb.graph().parents)  # no circle


def test_a_climb_interrupted_before_it_began_knows_no_total():
    score = Ending(4, 1)
    score.left = 2
    climb = Climb(score, DAG.empty(score.nodes), Limits.none(score.nodes))
    assert climb.total == -np.inf
    assert climb.best() is None
