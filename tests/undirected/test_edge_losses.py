"""Edges that are worth nothing go, and a path has the graphs that learning finds."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.undirected.edge_losses import rounding_of

SCORES = ("bic", "bdeu", "aic", "ebic", "loglik", "k2", "qnml", "loo", "bds", "kfold")


def levels_with_constants(seed):
    """Discrete columns, some dependent, beside one or two that do not vary."""
    rng = np.random.default_rng(seed)
    rows, p = int(rng.integers(20, 200)), int(rng.integers(3, 6))
    codes = [rng.integers(0, int(rng.integers(2, 4)), rows) for _ in range(p)]
    codes[1] = np.where(rng.random(rows) < 0.7, codes[0], codes[1])
    columns = {f"v{i}": [f"l{x}" for x in column] for i, column in enumerate(codes)}
    constant = {f"c{i}": ["k"] * rows for i in range(1 + seed % 2)}
    return aw.table({**columns, **constant}, kinds=dict.fromkeys(constant, "discrete"))


@pytest.mark.parametrize("search", ["boundary", "deletion", "grow-shrink"])
@pytest.mark.parametrize("score", SCORES)
def test_constant_columns_have_no_edges(search, score):
    for seed in range(6):
        table = levels_with_constants(seed)
        for words in ({}, {"penalty": 0.0}, {"penalty": 0.01}):
            net = aw.learn(
                table, graph="undirected", score=score, search=search, certainty=False, **words
            )
            assert not [edge for edge in net.graph.edges if edge[0].startswith("c")]
            if search != "deletion":  # its strengths are those in the complete graph
                assert all(row.strength > 0 for row in net.edges.present), (seed, words)


def test_an_edge_that_is_worth_nothing_is_in_no_graph_of_a_path():
    table = levels_with_constants(3)
    path = aw.path(table, score="loglik", search="boundary")
    assert all("c0" not in edge for edge in path.at(0.0).edges)
    gone = {each.first for each in path.removals} | {each.second for each in path.removals}
    assert gone == set(range(len(table.names)))  # the removals say that they went


def test_rounding_is_relative_to_the_score():
    assert rounding_of(-1e12, 100.0) == pytest.approx(100.0)
    assert rounding_of(-np.inf, 100.0) == pytest.approx(1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_a_path_of_grown_graphs_has_the_graphs_that_learning_finds(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 6)) @ (np.eye(6) + np.triu(0.5 * rng.normal(size=(6, 6)), 1))
    table = aw.table({f"v{i}": column for i, column in enumerate(x.T)})
    words = {"graph": "undirected", "search": "grow-shrink", "score": "loglik"}
    path = aw.path(table, **words)
    for penalty in (0.0, 0.004, 0.02, 0.05, 0.11, 0.4):
        net = aw.learn(table, penalty=penalty, certainty=False, **words)
        assert path.at(penalty) == net.graph
        assert path.network(penalty).graph == net.graph
        assert path.network(penalty).score == net.score
    for knot in path.knots[::6]:
        assert knot.graph == aw.learn(table, penalty=knot.penalty, **words).graph


def test_a_path_of_tables_too_large_to_fill_has_the_graphs_that_learning_finds():
    rng = np.random.default_rng(7)
    hidden = rng.integers(0, 3, 60)
    columns = [np.where(rng.random(60) < 0.7, hidden, rng.integers(0, 3, 60)) for _ in range(9)]
    table = aw.table({f"v{i}": [f"l{x}" for x in c] for i, c in enumerate(columns)})
    path = aw.path(table)
    for penalty in (0.0, 0.01, 0.05):
        assert path.at(penalty) == aw.learn(table, graph="undirected", penalty=penalty).graph
