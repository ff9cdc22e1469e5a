"""The threshold of Scutari and Nagarajan against a search by brute force, and graphs above it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import WordError
from arcwise.evaluate import averaged_graph, inclusion_threshold, threshold_of
from arcwise.graphs import DAG, Rules, UGraph
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


def test_words_of_the_threshold():
    found = of_draws([DAG.from_arcs(["a -> b"])], meaning="x")
    assert threshold_of(found, 0.3) == 0.3
    for wrong in ("half", 1.0, -0.1, True, None):
        with pytest.raises(WordError, match="threshold"):
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
