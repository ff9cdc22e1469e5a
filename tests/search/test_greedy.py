import numpy as np
import pytest
from contracts.cases import bind, linear

from arcwise.conditionals import FAMILIES
from arcwise.graphs import DAG, legal_moves
from arcwise.scores import Score, delta, total
from arcwise.search import greedy

BIC = bind("bic", FAMILIES["gaussian"], linear(1, rows=70, p=6))


class Pairs(Score):
    """Two variables; the arc a -> b loses a little, b -> a a little less, both below 0.1."""

    nodes, rows = ("a", "b"), 10.0

    def many(self, child, sets):
        values = {(1, (0,)): -0.5, (0, (1,)): -0.2}
        return np.array([values.get((child, s), 0.0) for s in sets])


def test_each_step_takes_the_best_move_and_the_last_graph_has_none():
    result = greedy(BIC)
    graph = DAG.empty(BIC.nodes)
    for step in result.trace:
        gains = {(m.kind, m.tail, m.head): delta(BIC, graph, m) for m in legal_moves(graph)}
        move = (step.what, step.tail, step.head)
        assert gains[move] == pytest.approx(max(gains.values()), abs=1e-8)
        graph = next(m for m in legal_moves(graph) if (m.kind, m.tail, m.head) == move).apply(graph)
        assert step.score == pytest.approx(total(BIC, graph))
        assert step.edges == graph.n_arcs
    assert graph == result.graph
    assert max(delta(BIC, graph, m) for m in legal_moves(graph)) < 1e-7
    assert result.stopped == "no change of one arc is better"


def test_a_tolerance_lets_the_search_drift_and_never_twice_to_a_graph():
    """Changes below 0.1 nats a row count as zero; the best graph met is handed back."""
    still = greedy(Pairs())
    assert still.trace == ()
    drifting = greedy(Pairs(), tolerance=0.1)
    assert len(drifting.trace) == 2  # a <- b, then a -> b: no third graph, none twice
    assert drifting.graph == DAG.empty(("a", "b"))
    assert greedy(Pairs(), tolerance=0.01).trace == ()


def test_drifting_leads_to_graphs_at_least_as_good():
    plain, wide = greedy(BIC), greedy(BIC, tolerance=0.02, max_steps=300)
    assert wide.score >= plain.score
    graphs, graph = set(), DAG.empty(BIC.nodes)
    for step in wide.trace:
        moves = {(m.kind, m.tail, m.head): m for m in legal_moves(graph)}
        graph = moves[step.what, step.tail, step.head].apply(graph)
        assert graph not in graphs
        graphs.add(graph)
