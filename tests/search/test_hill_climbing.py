"""Greedy search, tabu search and iterated local search."""

import numpy as np
import pytest
from contracts.cases import bind, linear
from naive.visits import dense_bic, visited

from arcwise.conditionals import FAMILIES
from arcwise.graphs import DAG, Rules, legal_moves
from arcwise.scores import Score, delta, total
from arcwise.search import exact, greedy, iterate_climbs, tabu

SMALL = bind("bic", FAMILIES["gaussian"], linear(1, rows=70, p=6))


class Pairs(Score):
    """Two variables; the arc a -> b loses a little, b -> a a little less, both below 0.1."""

    nodes, rows = ("a", "b"), 10.0

    def many(self, child, sets):
        values = {(1, (0,)): -0.5, (0, (1,)): -0.2}
        return np.array([values.get((child, s), 0.0) for s in sets])


def test_each_step_takes_the_best_move_and_the_last_graph_has_none():
    result = greedy(SMALL)
    graph = DAG.empty(SMALL.nodes)
    for step in result.trace:
        gains = {(m.kind, m.tail, m.head): delta(SMALL, graph, m) for m in legal_moves(graph)}
        move = (step.what, step.tail, step.head)
        assert gains[move] == pytest.approx(max(gains.values()), abs=1e-8)
        graph = next(m for m in legal_moves(graph) if (m.kind, m.tail, m.head) == move).apply(graph)
        assert step.score == pytest.approx(total(SMALL, graph))
        assert step.edges == graph.n_arcs
    assert graph == result.graph
    assert max(delta(SMALL, graph, m) for m in legal_moves(graph)) < 1e-7
    assert str(result.stopped) == "no change of one arc is better"


def test_a_tolerance_lets_the_search_drift_and_never_twice_to_a_graph():
    """Changes below 0.1 nats a row count as zero; the best graph met is handed back."""
    still = greedy(Pairs())
    assert still.trace == ()
    drifting = greedy(Pairs(), tolerance=0.1)
    assert len(drifting.trace) == 2  # a <- b, then a -> b: no third graph, none twice
    assert drifting.graph == DAG.empty(("a", "b"))
    assert greedy(Pairs(), tolerance=0.01).trace == ()


def test_drifting_leads_to_graphs_at_least_as_good():
    plain, wide = greedy(SMALL), greedy(SMALL, tolerance=0.02, max_steps=300)
    assert wide.score >= plain.score
    graphs, graph = set(), DAG.empty(SMALL.nodes)
    for step in wide.trace:
        moves = {(m.kind, m.tail, m.head): m for m in legal_moves(graph)}
        graph = moves[step.what, step.tail, step.head].apply(graph)
        assert graph not in graphs
        graphs.add(graph)


BIC = bind("bic", FAMILIES["gaussian"], linear(1, rows=70, p=7))


def run(**options):
    return tabu(BIC, rng=np.random.default_rng(1), **options)


def test_walks_do_not_touch_a_pair_again_while_it_is_tabu():
    length, steps = 6, 12
    result = run(tabu_length=length, walk_length=steps)
    recent: list[frozenset[int]] = []
    for step in result.trace:
        if not step.what.startswith("walk") or len(recent) == steps:
            recent = []  # a new walk begins
        if step.what.startswith("walk"):
            pair = frozenset((step.tail, step.head))
            assert pair not in recent[-length:]
            recent.append(pair)
    assert any(step.what.startswith("walk") for step in result.trace)


def test_walks_go_on_where_greedy_search_ends_and_are_never_worse():
    climbed, walked = greedy(BIC), run()
    steps = [s.what for s in walked.trace]
    assert steps[: len(climbed.trace)] == [s.what for s in climbed.trace]
    assert steps[len(climbed.trace)].startswith("walk")
    assert walked.score >= climbed.score


def test_no_walks_is_greedy_search():
    assert run(walks=0).graph == greedy(BIC).graph


def test_restarts_begin_at_random_graphs_and_keep_the_best():
    once, often = run(), run(restarts=4)
    assert sum(step.what == "restart" for step in often.trace) == 4
    assert often.score >= once.score
    assert often.trace[: len(once.trace)] != ()


def test_a_walk_with_nowhere_to_go_ends():
    shut = Rules(max_parents=0).on(BIC.nodes)
    result = tabu(BIC, rng=np.random.default_rng(1), limits=shut, restarts=2)
    assert result.graph == DAG.empty(BIC.nodes)


def test_the_best_graph_of_a_walk_is_not_lost():
    """The walk crosses the optimum, and the climb that follows does not lead back to it."""
    score = dense_bic(54, 4)
    assert tabu(score, rng=np.random.default_rng(0)).score == pytest.approx(exact(score).score)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("restarts", [0, 2])
def test_no_graph_on_the_way_is_better_than_the_one_handed_back(seed, restarts, monkeypatch):
    totals = visited(monkeypatch)
    score = dense_bic(seed, 4 + seed % 5)
    result = tabu(score, rng=np.random.default_rng(seed), restarts=restarts)
    assert result.score >= max(step.score for step in result.trace) - 1e-6
    assert result.score == pytest.approx(max(totals), abs=1e-6)
    assert greedy(score, result.graph).score == pytest.approx(result.score)


def test_rounds_shake_and_climb_and_keep_the_better_graph():
    result = iterate_climbs(BIC, rng=np.random.default_rng(1), rounds=6, shake=3)
    assert sum(step.what == "restart" for step in result.trace) == 6
    assert result.score >= greedy(BIC).score
    assert str(result.stopped) == "6 rounds are over"


def test_no_rounds_is_greedy_search():
    assert iterate_climbs(BIC, rng=np.random.default_rng(1), rounds=0).graph == greedy(BIC).graph
