import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import DAG, random_dag
from arcwise.graphs.random import _pairs


def test_sparse_graphs_of_any_size():
    graph = random_dag(20_000, 3, np.random.default_rng(1))
    # Arcs are binomial: mean 30 000, standard deviation 173.
    assert abs(graph.n_arcs - 30_000) < 5 * 173
    assert DAG(graph.nodes, graph.parents) == graph
    assert graph.nodes[0] == "x00001"
    assert list(graph.nodes) == sorted(graph.nodes)


def test_same_seed_same_graph_and_own_names():
    names = ["b", "a", "c"]
    one, two = (random_dag(names, 1, np.random.default_rng(7)) for _ in range(2))
    assert one == two
    assert one.nodes == ("b", "a", "c")


def test_every_pair_is_equally_likely_in_either_direction():
    rng = np.random.default_rng(3)
    draws = 4_000
    count = np.zeros((4, 4))
    for _ in range(draws):
        for tail, head in random_dag(4, 1.2, rng).numbered_arcs:
            count[tail, head] += 1
    # Each direction has probability 0.4 / 2; five standard deviations of a binomial.
    off = count[~np.eye(4, dtype=bool)]
    assert np.abs(off - 0.2 * draws).max() < 5 * np.sqrt(draws * 0.2 * 0.8)


@given(st.integers(0, 40), st.integers(0, 2**32))
def test_extreme_degrees(size, seed):
    rng = np.random.default_rng(seed)
    assert random_dag(size, 0, rng).n_arcs == 0
    full = random_dag(size, max(size - 1, 0), rng)
    assert full.n_arcs == size * (size - 1) // 2
    assert DAG(full.nodes, full.parents) == full


def test_all_places_are_decoded_into_pairs():
    early, late = _pairs(300, 1.0, np.random.default_rng(1))
    assert len(set(zip(early, late, strict=True))) == 300 * 299 // 2
    assert all(0 <= i < j < 300 for i, j in zip(early, late, strict=True))


@pytest.mark.parametrize("degree", [-1, 3.5, float("nan")])
def test_impossible_degrees_are_refused(degree):
    with pytest.raises(GraphError, match="between 0 and 2"):
        random_dag(3, degree, np.random.default_rng(1))
