"""The threshold of Scutari and Nagarajan against a search by brute force, and graphs above it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise as aw
from arcwise.errors import OptionError
from arcwise.evaluate import averaged_graph, inclusion_threshold, stability, threshold_of
from arcwise.graphs import DAG, Rules, UGraph, random_dag
from arcwise.results import of_draws


def distance(values: np.ndarray, share: float) -> float:
    """The integral of |F(x) - share| over [0, 1], piece by piece between the values."""
    knots = np.unique(np.concatenate([[0.0], values, [1.0]]))
    heights = [(values <= low).mean() for low in knots[:-1]]
    return float(np.sum(np.diff(knots) * np.abs(np.array(heights) - share)))


@given(st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=30))
def test_no_share_is_nearer(values):
    array = np.array(values)
    found = inclusion_threshold(array)
    share = (array <= found).mean() if found > 0 else 0.0
    if found == 0 and (array == 0).any():  # a threshold of 0 leaves pairs of probability 0 out
        share = min((0.0, (array == 0).mean()), key=lambda s: distance(array, s))
    best = min(distance(array, k / len(array)) for k in range(len(array) + 1))
    assert distance(array, share) <= best + 1e-12


def test_certain_edges_are_kept_and_absent_ones_not():
    assert inclusion_threshold([0.0, 0.0, 1.0, 1.0, 1.0]) == 0.0
    assert inclusion_threshold([1.0]) == 0.0
    assert inclusion_threshold([]) == 0.0
    assert 0.1 <= inclusion_threshold([0.05, 0.1, 0.1, 0.9, 0.95]) < 0.9


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.05, 0.1, 0.1, 0.9, 0.95], 0.1),  # three of five up to .9, over more than half of [0, 1]
        ([0.2, 0.3, 0.45], 0.45),
        ([0.55, 0.8, 0.9], 0.0),
        ([0.25, 0.75], 0.25),
        ([0.4], 0.4),
        ([0.6], 0.0),
    ],
)
def test_the_automatic_threshold_by_hand(values, expected):
    """The share of absent pairs is the value of F over the middle of [0, 1]."""
    assert inclusion_threshold(values) == inclusion_threshold(values[::-1]) == expected


def test_an_edge_at_the_threshold_is_left_out():
    names = ["a", "b", "c"]
    draws = [DAG.from_arcs(["a -> b", "b -> c"], names), DAG.from_arcs(["a -> b"], names)]
    found = of_draws(draws, meaning="x")
    assert averaged_graph(found, 0.5)[0] == DAG.from_arcs(["a -> b"], names)
    assert averaged_graph(found, 0.49)[0] == draws[0]
    assert averaged_graph(found, 0.0)[0] == draws[0]  # not the pair that no graph joins
    field = of_draws([UGraph.from_edges(g.arcs, names) for g in draws], meaning="x")
    assert averaged_graph(field, 0.5)[0] == UGraph.from_edges([("a", "b")], names)
    assert averaged_graph(field, 0.0)[0] == UGraph.from_edges(draws[0].arcs, names)


def test_words_of_the_threshold():
    found = of_draws([DAG.from_arcs(["a -> b"])], meaning="x")
    assert threshold_of(found, 0.3) == 0.3
    for wrong in ("half", 1.0, -0.1, True, None):
        with pytest.raises(OptionError, match="threshold"):
            threshold_of(found, wrong)


def test_the_more_probable_direction_is_taken():
    one, two = (
        DAG.from_arcs(["a -> b"], ["a", "b", "c"]),
        DAG.from_arcs(["b -> a"], ["a", "b", "c"]),
    )
    graph, left = averaged_graph(of_draws([one, two, two], meaning="x"), 0.5)
    assert graph == two
    assert not left


def test_a_cycle_is_broken_at_its_weakest_arc():
    names = ["a", "b", "c"]
    draws = [DAG.from_arcs(["a -> b", "b -> c"], names)] * 3
    draws += [DAG.from_arcs(["c -> a"], names)] * 4
    graph, left = averaged_graph(of_draws(draws, meaning="x"), 0.3)
    assert not left
    assert graph.n_arcs == 3
    assert graph.has_arc("c", "a")


def test_rules_are_obeyed():
    names = ["a", "b", "c"]
    draws = [DAG.from_arcs(["a -> b", "c -> b"], names)] * 5
    limits = Rules(forbidden=["c -> b"], required=["a -> c"]).on(names)
    graph, left = averaged_graph(of_draws(draws, meaning="x"), 0.5, limits)
    assert limits.allows_graph(graph)
    assert graph.has_arc("a", "c")
    assert graph.has_arc("b", "c")
    assert not left
    tight = Rules(forbidden=["c -- b"]).on(names)
    graph, left = averaged_graph(of_draws(draws, meaning="x"), 0.5, tight)
    assert left == [("c", "b")]
    assert graph.n_arcs == 1


def test_undirected_graphs_keep_their_edges():
    draws = [UGraph.from_edges([("a", "b")], ["a", "b", "c"])] * 2
    draws += [UGraph.from_edges([("b", "c")], ["a", "b", "c"])]
    graph, _ = averaged_graph(of_draws(draws, meaning="x"), 0.5)
    assert graph == UGraph.from_edges([("a", "b")], ["a", "b", "c"])


# -- how alike the graphs of several runs are, against counts over all couples of runs ----------


NAMES = ["INDUS", "NOX", "RM", "DIS", "LSTAT", "MEDV"]


def joined(graph):
    return {frozenset(arc) for arc in graph.arcs}


def apart(graphs):
    """Pairs joined in exactly one of two graphs, of all pairs, the mean over all couples."""
    pairs = len(graphs[0].nodes) * (len(graphs[0].nodes) - 1) / 2
    return np.mean([len(joined(a) ^ joined(b)) / pairs for a, b in combinations(graphs, 2)])


@pytest.mark.parametrize("classes", [True, False])
def test_the_difference_is_the_mean_over_couples(classes):
    rng = np.random.default_rng(3)
    graphs = [random_dag(tuple("abcdef"), 2.0, rng) for _ in range(9)]
    graphs += graphs[:4]  # some more than once
    found = of_draws(graphs, meaning="run frequency", classes=classes)
    assert found.difference == pytest.approx(apart(graphs))
    table = stability(found, lambda graph: float(graph.n_arcs**2))
    arcs = np.array([graph.n_arcs for graph in graphs])
    assert (table.edges, table.edges_sd) == pytest.approx((arcs.mean(), arcs.std(ddof=1)))
    assert table.score == pytest.approx((arcs**2).mean())
    assert table.score_sd == pytest.approx((arcs**2).std(ddof=1))
    assert table.score_best == (arcs**2).max()
    assert stability(of_draws(graphs[:1], meaning="run frequency")).difference == 0


@pytest.fixture(scope="module")
def homes():
    table = aw.example("boston").select(NAMES).continuous()
    return aw.standardise(table.take(np.arange(0, 506, 4)))[0]


WORDS = {
    "model": aw.Parzen(bandwidths="one", min_bandwidth=0.05),
    "penalty": 0.1,
    "search": aw.Greedy(start="complete"),
    "draws": 6,
}


def test_runs_on_the_same_rows_are_runs_of_learning(homes):
    """Each run is a greedy search from the complete graph of its own generator."""
    post = aw.posterior(homes, seed=4, method=aw.Bootstrap(resampling="none"), **WORDS)
    assert post.meaning == "run frequency"
    own = {word: WORDS[word] for word in ("model", "penalty")}
    graphs, scores, turned = [], [], []
    for number in range(6):
        rng = np.random.default_rng(4).spawn(5)[4].spawn(6)[number].spawn(1)[0]
        start = aw.graphs.complete_dag(aw.Rules().on(tuple(sorted(NAMES))), rng.spawn(4)[1])
        net = aw.learn(homes, search=aw.Greedy(start=start), **own)
        graphs.append(net.graph)
        scores.append(net.score / homes.rows)
        turned.append(sum(start.has_arc(head, tail) for tail, head in net.graph.arcs))
    table = post.stability()
    assert table.difference == pytest.approx(apart(graphs))
    assert table.score == pytest.approx(np.mean(scores))
    assert table.score_sd == pytest.approx(np.std(scores, ddof=1))
    assert table.score_best == pytest.approx(max(scores))
    assert table.reversals == pytest.approx(np.mean(turned))
    assert "% of pairs" in str(table)
    assert table.document()["draws"] == 6


def test_replicates_have_the_table_too(homes, tmp_path):
    post = aw.posterior(homes, method="bootstrap", **WORDS)
    table = post.stability()
    assert table.meaning == "bootstrap frequency"
    assert 0 < table.difference < 1
    assert table.reversals > 0
    assert table.score_sd > 0
    assert aw.load(post.save(tmp_path / "runs.json")).stability() == table
    assert post.more(2).stability().draws == 8
    exact = aw.posterior(homes, model="gaussian").stability()
    assert exact.draws == 0
    assert exact.reversals is None
    apart = aw.posterior(homes, graph="undirected", draws=5).stability()
    assert apart.score is None
    assert apart.edges > 0


def test_runs_that_cannot_differ_are_rejected(homes):
    with pytest.raises(OptionError, match="the same graph each time"):
        aw.posterior(homes, method=aw.Bootstrap(resampling="none"), search="greedy")
    with pytest.raises(OptionError, match="the same graph each time"):
        aw.path(homes, search="glasso").certainty(5, resampling="none")
