"""False edges of Gaussian networks, directed and undirected, on independent columns, at default settings.

At most 0.2 a column with 100 rows, fewer with more, none in 95 of 100 tables of 10 000 rows. The test prints
its table.
"""

from itertools import pairwise

import numpy as np
import pytest

import arcwise as aw

ROWS, DRAWS = (100, 1_000, 10_000), 100


def false_edges(graph: str, columns: int, rows: int, seed: int) -> int:
    x = np.random.default_rng([7_000 + seed, columns, rows]).standard_normal((rows, columns))
    table = aw.table({f"v{i:02}": x[:, i] for i in range(columns)})
    found = aw.learn(table, graph=graph, model="gaussian", progress=False).graph
    return found.n_arcs if graph == "directed" else found.n_edges


@pytest.mark.slow
@pytest.mark.parametrize("columns", [3, 10, 30])
@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_noise_has_few_edges_and_fewer_with_more_rows(graph, columns, capsys):
    found = {rows: [false_edges(graph, columns, rows, i) for i in range(DRAWS)] for rows in ROWS}
    with capsys.disabled():
        for rows, counts in found.items():
            share, none = np.mean(counts) / columns, np.mean(np.array(counts) == 0)
            print(
                f"\n{graph} gaussian, {columns} columns of noise, {rows} rows, {DRAWS} draws: "
                f"{share:.4f} false edges a column, none in {none:.0%}",
                end="",
            )
    means = [np.mean(counts) / columns for counts in found.values()]
    assert means[0] <= 0.2
    assert all(later <= before for before, later in pairwise(means))
    assert np.mean(np.array(found[10_000]) == 0) >= 0.95
