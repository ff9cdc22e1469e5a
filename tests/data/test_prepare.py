"""Standardising and returns."""

import numpy as np
import pytest

from arcwise.data import Table, returns, standardise, table
from arcwise.errors import DataError


@pytest.fixture
def mixed() -> Table:
    return table({"x": [1.5, 3.5, None, 5.5], "k": [1, 2, 1, 2], "c": [0.1, 0.1, 0.1, 0.1]})


def test_standardised_columns_and_the_way_back(mixed: Table) -> None:
    scaled, scaling = standardise(mixed)
    values = scaled.column("x")
    assert np.nanmean(values) == pytest.approx(0)
    assert np.nanstd(values) == pytest.approx(1)
    assert np.isnan(values[2])
    np.testing.assert_array_equal(scaled.column("k"), mixed.column("k"))
    np.testing.assert_allclose(scaled.column("c"), 0, atol=1e-15)
    np.testing.assert_allclose(scaling.undo(scaled).column("x"), mixed.column("x"))
    assert scaling.names == ("c", "x")
    new = scaling.apply(table({"x": [3.5], "c": [1.1]}))
    assert new.column("x")[0] == pytest.approx(0)
    assert new.column("c")[0] == pytest.approx(1)


def test_weights_count_in_standardising() -> None:
    scaled, _ = standardise(table({"x": [0.5, 1.5]}, weights=[3, 1]))
    repeated, _ = standardise(table({"x": [0.5, 0.5, 0.5, 1.5]}))
    assert scaled.column("x")[1] == pytest.approx(repeated.column("x")[3])


def test_changes(mixed: Table) -> None:
    prices = table({"p": [100.0, 110.0, 99.0], "day": ["mo", "tu", "we"]})
    moved = returns(prices)
    np.testing.assert_allclose(moved.column("p"), [0.1, -0.1])
    assert moved.values("day").tolist() == ["tu", "we"]
    np.testing.assert_allclose(np.isnan(returns(mixed).column("x")), [False, True, True])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (table({"p": [1.5, 0.0, 2.0]}), "'p' is zero in row 2"),
        (table({"p": [1.5]}), "at least two rows"),
        (table({"p": [1.5, 2.5]}, weights=[1, 2]), "order of time"),
    ],
)
def test_impossible_changes(data: Table, said: str) -> None:
    with pytest.raises(DataError, match=said):
        returns(data)
