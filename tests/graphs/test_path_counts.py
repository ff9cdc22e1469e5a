import numpy as np
from graphs.strategies import dags
from hypothesis import given

from arcwise.graphs import DAG, adjacency, path_counts


def test_the_printed_example():
    graph = DAG.from_arcs([(0, 1), (0, 2), (2, 1)], nodes=["0", "1", "2"])
    assert path_counts(graph).tolist() == [[0, 2, 1], [0, 0, 0], [0, 1, 0]]


@given(dags())
def test_counts_are_the_sum_of_the_powers(graph):
    matrix = adjacency(graph).astype(int)
    powers = [np.linalg.matrix_power(matrix, k) for k in range(1, len(graph.nodes) + 1)]
    found = path_counts(graph)
    assert found.dtype == np.int64
    assert (found == sum(powers)).all()
    assert np.trace(found) == 0


def test_counts_beyond_64_bits_are_exact():
    # A complete graph has 2^(j - i - 1) paths from i to j, and 2^(p - 1) - 1 from the first node.
    for size in (63, 64, 65, 80):
        found = path_counts(DAG.complete([f"v{i}" for i in range(size)]))
        assert found[0, size - 1] == 2 ** (size - 2)
        assert found.dtype == (np.int64 if size < 65 else object)


def test_nothing_to_count():
    assert path_counts(DAG.empty([])).shape == (0, 0)
    assert path_counts(DAG.empty(["a"])).tolist() == [[0]]
