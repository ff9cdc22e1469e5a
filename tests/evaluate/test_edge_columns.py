"""Columns of edges that not every table has."""

import numpy as np
import pytest

import arcwise as aw


@pytest.fixture(scope="module")
def edges():
    homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    return aw.learn(homes, model="gaussian", certainty=False).edges.present


def test_certainty_is_a_column_like_any_other(edges):
    assert edges.to_records()[0]["certainty"] is None
    sure = edges.with_columns(certainty=np.array([0.5, 0.99, 0.75]))
    assert [row.certainty for row in sure] == [0.5, 0.99, 0.75]
    assert [row.certainty for row in sure.sorted("certainty")] == [0.99, 0.75, 0.5]
    assert sure.sorted("certainty").to_pandas()["certainty"].tolist() == [0.99, 0.75, 0.5]
    assert str(sure).splitlines()[0].split() == ["edge", "strength", "partial", "r", "certainty"]
    assert sure.where(lambda row: row.certainty > 0.6).more["certainty"].tolist() == [0.99, 0.75]
    assert edges.more == {}  # the table that was there is not changed
    with pytest.raises(aw.OptionError, match="no column of edges 'sureness'"):
        edges.with_columns(sureness=np.zeros(3))
    with pytest.raises(aw.OptionError, match="no column to sort by 'certainty'"):
        edges.sorted("certainty")


def test_sides_are_two_columns():
    homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    net = aw.learn(homes, graph="undirected", score="bic", certainty=False)
    table = net.edges
    assert list(table.more) == ["first_side", "second_side"]
    np.testing.assert_array_equal(table.sides[:, 1], [row.second_side for row in table])
    np.testing.assert_array_equal(table.strength, table.sides.max(axis=1))
