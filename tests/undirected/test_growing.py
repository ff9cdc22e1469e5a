"""Boundary learning that begins with a grown graph, where the complete one is out of reach."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.api.learning import specify
from arcwise.learners import bind
from arcwise.learners import boundary as learner


def curved(rows, seed=1):
    """A chain of curves a - b - c beside two columns of noise."""
    rng = np.random.default_rng(seed)
    a, d, e = rng.standard_normal((3, rows))
    b = np.sin(2 * a) + 0.4 * rng.standard_normal(rows)
    c = b**2 + 0.4 * rng.standard_normal(rows)
    return aw.table({"a": a, "b": b, "c": c, "d": d, "e": e})


def test_a_grown_graph_ends_where_boundary_learning_ends():
    table = curved(300)
    grown, taken = (
        aw.learn(table, model="parzen", graph="undirected", search=word)
        for word in ("grow-shrink", "boundary")
    )
    assert grown.graph.edges == taken.graph.edges == (("a", "b"), ("b", "c"))
    assert grown.score == pytest.approx(taken.score, rel=1e-12)
    assert grown.settings["search"] == "grow-shrink"


def test_large_tables_are_grown_and_it_is_said(monkeypatch):
    table = curved(300)
    monkeypatch.setattr(learner, "_LARGE", 300**2 * 5**3 - 1)
    net = aw.learn(table, model="parzen", graph="undirected")
    assert net.settings["search"] == "grow-shrink"
    assert any("Rows and columns are many" in note for note in net.notes)
    monkeypatch.setattr(learner, "_LARGE", 300**2 * 5**3)
    assert aw.learn(table, model="parzen", graph="undirected").settings["search"] == "boundary"
    monkeypatch.setattr(learner, "_LARGE", 0)
    asked = aw.learn(table, model="parzen", graph="undirected", search="boundary")
    assert asked.settings["search"] == "boundary"
    linear = aw.learn(table, model="gaussian", graph="undirected", search="auto", score="bic")
    assert linear.settings["search"] == "boundary"


def test_rules_hold_and_a_stop_is_said():
    table = curved(300)
    words = {"model": "parzen", "graph": "undirected", "search": "grow-shrink"}
    ruled = aw.learn(table, required=["d -- e"], forbidden=["a -> b"], **words)
    assert ruled.graph.has_edge("d", "e")
    assert not ruled.graph.has_edge("a", "b")
    stopped = aw.learn(curved(4000), time_limit=0.05, **words)
    assert any("stopped before" in note for note in stopped.notes)


def test_only_what_is_worth_the_penalty_is_taken_in():
    """In noise at a high penalty there is one sweep: p local models without inputs, p (p - 1) with one."""
    problem = bind(specify(model="parzen", graph="undirected", search="grow-shrink"), curved(300))
    assert problem.path(until=5.0).at(5.0).n_edges == 0
    assert sorted({len(parents) for _, parents in problem.score.known}) == [0, 1]
    assert len(problem.score.known) == 5 + 5 * 4
