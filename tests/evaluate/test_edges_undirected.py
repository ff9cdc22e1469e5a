"""The table of edges of an undirected network: two sides, the larger one is the strength."""

import numpy as np
import pytest
from contracts.laplace import Laplace
from undirected.tables import Counted, bound, linear, table

from arcwise.conditionals import GaussianFamily
from arcwise.evaluate import edge_table, pack_edges, unpack_edges
from arcwise.evaluate.strengths import ALL_PAIRS
from arcwise.graphs import DAG, Rules, UGraph
from arcwise.networks import BayesNet, MarkovNet
from arcwise.undirected import boundary, edge_limits

SOURCE = linear(1, p=6)


def fitted(graph, source=SOURCE, family=None):
    family = family or GaussianFamily()
    fits = family.bind(source)
    models = tuple(fits.conditional(i, row) for i, row in enumerate(graph.neighbours))
    starts = tuple(column[:3] for column in source.columns)
    return MarkovNet(source.variables, graph, models, starts)


def random_graph(seed, names=SOURCE.names):
    rng = np.random.default_rng(seed)
    every = UGraph.complete(names).edges
    return UGraph.from_edges([edge for edge in every if rng.random() < 0.4], names)


def difference(score, graph, node, other):
    """Local score of a node with another among its neighbours minus that without it, per row."""
    rest = set(graph.neighbours[node]) - {other}
    given = tuple(sorted(rest | {other}))
    return (score.local(node, given) - score.local(node, tuple(sorted(rest)))) / score.rows


@pytest.mark.parametrize("word", ["loo", "bic", "loglik"])
@pytest.mark.parametrize("seed", range(3))
def test_both_sides_are_differences_of_local_scores_and_the_larger_is_the_strength(word, seed):
    score, graph = bound(word, SOURCE), random_graph(seed)
    edges = edge_table(fitted(graph), score)
    assert len(edges) == 15
    for row in edges:
        a, b = graph.index(row.first), graph.index(row.second)
        assert row.present == graph.has_edge(a, b)
        assert row.first_side == pytest.approx(difference(score, graph, a, b), abs=1e-9)
        assert row.second_side == pytest.approx(difference(score, graph, b, a), abs=1e-9)
        assert row.strength == max(row.first_side, row.second_side)
        assert row.total == pytest.approx(row.strength * score.rows)
        assert (row.direction, row.reversible) == ("", False)
        assert np.isnan(row.partial_correlation)


@pytest.mark.parametrize("penalty", [0.0, 0.01, 0.05, 0.2])
def test_edges_that_boundary_learning_keeps_are_at_least_as_strong_as_the_penalty(penalty):
    score = bound("loo", SOURCE)
    edges = edge_table(fitted(boundary(score).at(penalty)), score)
    assert all(row.strength >= penalty - 1e-9 for row in edges.present)


def test_each_variable_is_scored_once_with_each_other():
    score = Counted(bound("loo", SOURCE))
    edge_table(fitted(random_graph(1)), score)
    assert len(score.asked) == len(set(score.asked)) == 6 + 30


def test_forbidden_pairs_are_not_scored_and_have_no_strength():
    score = Counted(bound("loo", SOURCE))
    limits = edge_limits(Rules(forbidden=["v4 -> v1"]), SOURCE.names)
    edges = edge_table(fitted(UGraph.empty(SOURCE.names)), score, limits)
    row = edges["v1", "v4"]
    assert row.strength == row.first_side == row.second_side == -np.inf
    assert len(score.asked) == 6 + 28


def test_without_a_score_strengths_are_not_known_and_the_table_says_so():
    edges = edge_table(fitted(random_graph(2)))
    assert np.isnan(edges.strength).all()
    assert "no data" in edges.meaning
    assert len(edges.present) == random_graph(2).n_edges


def test_the_table_is_printed_with_both_sides_and_without_empty_columns():
    score, graph = bound("loo", SOURCE), random_graph(1)
    edges = edge_table(fitted(graph), score)
    head, *lines = str(edges.present).split("\n")
    assert head.split() == ["edge", "strength", "first", "side", "second", "side"]
    strongest = edges.sorted().present.rows[0]
    assert lines[0].split() == [
        strongest.first, "--", strongest.second,
        *(f"{x:.4f}" for x in (strongest.strength, strongest.first_side, strongest.second_side)),
    ]  # fmt: skip
    assert len({len(line) for line in [head, *lines]}) == 1


def test_rows_as_plain_values_have_the_sides_and_directed_ones_do_not():
    score = bound("loo", SOURCE)
    edges = edge_table(fitted(random_graph(1)), score)
    (row,) = edges.where(lambda each: (each.first, each.second) == ("v0", "v3")).to_records()
    assert row["first_side"] == edges["v3", "v0"].first_side
    assert edges.to_pandas()["second_side"].tolist() == edges.sides[:, 1].tolist()
    assert str(edges.sorted().sorted("names").to_dict()) == str(edges.to_dict())  # NaN = NaN
    fits = GaussianFamily().bind(SOURCE)
    models = tuple(fits.conditional(i, ()) for i in range(6))
    directed = edge_table(BayesNet(SOURCE.variables, DAG.empty(SOURCE.names), models), score)
    assert set(row) - set(directed.frame.names) == {"first_side", "second_side"}
    assert list(directed.to_pandas().columns) == list(directed.frame.names)


def test_strengths_are_saved_and_read_again():
    score, net = bound("loo", SOURCE), fitted(random_graph(3))
    edges = edge_table(net, score)
    again = unpack_edges(net, pack_edges(edges))
    assert str(again.to_dict()) == str(edges.to_dict())
    assert again.meaning == edges.meaning


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: packed.pop("sides"),
        lambda packed: packed["sides"].pop(),
        lambda packed: packed.update(sides=[[0.0]] * 15),
        lambda packed: packed.update(sides="many"),
        lambda packed: packed["strength"].pop(),
        lambda packed: packed.update(first=packed["second"]),
        lambda packed: packed.pop("count"),
    ],
)
def test_what_does_not_fit_is_not_taken(damage):
    net = fitted(random_graph(3))
    packed = pack_edges(edge_table(net, bound("loo", SOURCE)))
    damage(packed)
    assert unpack_edges(net, packed) is None


def test_strengths_of_another_graph_do_not_fit():
    packed = pack_edges(edge_table(fitted(random_graph(3)), bound("loo", SOURCE)).present)
    assert unpack_edges(fitted(UGraph.complete(SOURCE.names)), packed) is None


def test_local_models_of_any_family():
    source = linear(2, rows=30, p=3)
    edges = edge_table(
        fitted(UGraph.complete(source.names), source, Laplace()), bound("loo", source)
    )
    assert len(edges.present) == 3


def test_one_variable_has_no_pairs():
    source = table({"a": np.arange(5.0)})
    edges = edge_table(fitted(UGraph.empty(["a"]), source), bound("bic", source))
    assert edges.rows == []
    assert "edge" in str(edges)


def test_more_variables_than_pairs_can_be_shown_give_edges_only():
    p = ALL_PAIRS + 3
    names = tuple(f"v{i:04}" for i in range(p))
    graph = UGraph.from_edges([(names[1], names[0]), (names[5], names[1002])], names)
    x = np.random.default_rng(1).normal(size=(4, p))
    source = table({name: x[:, i] for i, name in enumerate(names)})
    edges = edge_table(fitted(graph, source), bound("loglik", source))
    assert [(row.first, row.second) for row in edges] == list(graph.edges)
    assert np.isfinite(edges.strength).all()
