"""False edges on independent columns: at most 0.2 a column with 100 rows, fewer with more, none with many.

Each test prints its table. Lines of 10 000 rows and more take minutes (100 draws of 10 columns and 10 000
rows about ten, 20 of 100 000 rows about twenty): they are run where ARCWISE_NOISE is set, to a number of
draws or to "all".
"""

import os
from itertools import pairwise

import numpy as np
import pytest

import arcwise as aw

DRAWS = {
    3: {100: 100, 1_000: 40, 10_000: 100, 100_000: 20},
    10: {100: 40, 1_000: 10, 10_000: 100, 100_000: 20},
}
MOST = 0.2  # false edges a column, with 100 rows
NONE = 0.95  # share of draws without any, from 10 000 rows on


def false_edges(kind: str, columns: int, rows: int, seed: int) -> int:
    x = np.random.default_rng([9_000 + seed, columns, rows]).standard_normal((rows, columns))
    table = aw.table({f"v{i}": x[:, i] for i in range(columns)})
    graph = aw.learn(table, model="parzen", graph=kind, progress=False).graph
    return graph.n_arcs if isinstance(graph, aw.DAG) else graph.n_edges


def draws_of(columns: int, rows: int) -> int:
    asked = os.environ.get("ARCWISE_NOISE", "0")
    draws = DRAWS[columns][rows]
    return draws if rows < 10_000 or asked == "all" else min(draws, int(asked))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["directed", "undirected"])
@pytest.mark.parametrize("columns", [3, 10])
def test_noise_has_few_edges_and_fewer_with_more_rows(kind, columns, capsys):
    found = {}
    for rows in DRAWS[columns]:
        counts = [false_edges(kind, columns, rows, i) for i in range(draws_of(columns, rows))]
        if not counts:
            continue
        found[rows] = np.array(counts)
        share, none = found[rows].mean() / columns, (found[rows] == 0).mean()
        with capsys.disabled():
            print(
                f"\n{kind}, {columns} columns of noise, {rows} rows, {len(counts)} draws: "
                f"{share:.3f} false edges a column, none in {none:.0%}",
                end="",
            )
    assert found[100].mean() / columns <= MOST
    means = [counts.mean() for counts in found.values()]
    assert all(later <= before for before, later in pairwise(means))
    for rows, counts in found.items():
        assert rows < 10_000 or (counts == 0).mean() >= NONE - 1e-9


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_the_unit_of_weights_changes_no_edge_of_parzen_networks(kind):
    x = np.random.default_rng(3).standard_normal((100, 4))
    table = aw.table({f"v{i}": x[:, i] for i in range(4)})
    plain, thrice, often = (
        aw.learn(table.with_weights(w, copies="together"), model="parzen", graph=kind)
        for w in (None, np.full(100, 3.0), np.full(100, 100.0))
    )
    assert thrice.graph == plain.graph == often.graph
    assert "with 100 rows and 4 columns" in plain.notes[-1]
    assert "with weights worth 100 equal rows and 4 columns" in often.notes[-1]


SHAPES = {
    "rounded": lambda x: np.round(2 * x) / 2,
    "whole numbers": lambda x: np.clip(np.round(4 * x + 10), 0, 20),
    "skewed": np.exp,
    "heavy tails": lambda x: x**3,
    "levels": lambda x: np.array(["low", "middle", "high"])[np.digitize(x, [-0.5, 0.5])],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["directed", "undirected"])
@pytest.mark.parametrize("shape", SHAPES)
def test_noise_of_any_shape_has_few_edges(kind, shape):
    counts = []
    for seed in range(12):
        x = np.random.default_rng([seed, 5]).standard_normal((200, 5))
        table = aw.table({name: SHAPES[shape](x[:, i]) for i, name in enumerate("abcde")})
        graph = aw.learn(table, model="parzen", graph=kind, progress=False).graph
        counts.append(len(graph.arcs if isinstance(graph, aw.DAG) else graph.edges))
    assert np.mean(counts) / 5 <= MOST
