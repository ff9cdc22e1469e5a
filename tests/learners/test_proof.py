"""A claim of optimality names the graphs that were compared."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw


def modular(rows=1000, levels=22):
    """A sum modulo its levels: any two of the three columns are independent, and any two give the third."""
    a, b = np.random.default_rng(1).integers(0, levels, (2, rows))
    return aw.table(
        {k: [f"l{x}" for x in v] for k, v in zip("abd", (a, b, (a + b) % levels), strict=True)}
    )


def test_a_bound_on_cells_is_part_of_the_claim():
    """The best graph within the bound has -9501; without it there is one of -7645."""
    net = aw.learn(modular())
    free = aw.learn(modular(), score=aw.BDeu(cells_per_row=100.0))
    assert net.optimal
    assert free.score > net.score + 1800
    assert str(net.stopped) == (
        "proved optimal among the graphs with at most 10 cells per row in each table"
    )
    said = "proved to be the best of the graphs with at most 10 cells per row in each table"
    assert said in str(net)
    assert any(said in text for _, text in net.describe())
    assert "of all graphs" not in str(net)
    assert str(free.stopped) == "proved optimal"
    assert "proved to be the best of all graphs" in str(free)


@pytest.mark.parametrize(
    ("words", "among"),
    [
        ({}, ""),
        ({"rules": aw.Rules(forbidden=["v0 -> v1"])}, "that the rules allow"),
        ({"rules": aw.Rules(max_parents=1)}, "that the rules allow"),
    ],
    ids=str,
)
def test_rules_are_part_of_the_claim(words, among):
    net = aw.learn(linear(1, rows=60, p=4), **words)
    assert net.optimal
    wanted = f"proved to be the best of the graphs {among}" if among else "the best of all graphs"
    assert wanted in str(net)


def test_columns_set_apart_are_part_of_the_claim():
    rng = np.random.default_rng(2)
    rows = {"a": rng.integers(0, 2, 50), "b": rng.integers(0, 2, 50), "name": np.arange(50) % 40}
    texts = {k: [f"l{x}" for x in v] for k, v in rows.items()}
    net = aw.learn(aw.table(texts, kinds={"name": "discrete"}))
    assert net.optimal
    assert "without arcs at columns of too many levels" in str(net.stopped)


def test_a_bandwidth_shared_by_all_models_is_part_of_the_claim():
    net = aw.learn(linear(1, rows=30, p=3), model=aw.Parzen(bandwidths="shared"), search="exact")
    assert not net.optimal
    assert str(net.stopped) == "proved optimal for its bandwidths"


def test_the_claim_is_saved_with_the_network(tmp_path):
    path = aw.learn(modular()).save(tmp_path / "net.json")
    assert "of the graphs with at most 10 cells per row" in str(aw.load(path))
