"""Standardising, returns, splits and folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Table, folds, returns, split, standardise, table
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


@given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 99))
def test_a_split_keeps_every_row_once(rows: int, fraction: float, seed: int) -> None:
    source = table(np.arange(rows)[:, None] + 0.5).with_weights(np.arange(rows) + 1.0)
    train, test = split(source, fraction, np.random.default_rng(seed))
    both = np.concatenate([train.column("x1"), test.column("x1")])
    np.testing.assert_array_equal(np.sort(both), source.column("x1"))
    assert train.rows >= 1
    assert test.rows >= 1
    assert abs(train.rows - fraction * rows) <= 1
    assert train.total + test.total == source.total
    assert train.weights is not None
    np.testing.assert_array_equal(train.weights, train.column("x1") + 0.5)


@pytest.mark.parametrize("fraction", [0, 1, -1, 1.5, float("nan")])
def test_impossible_splits(fraction: float) -> None:
    with pytest.raises(DataError, match="between 0 and 1"):
        split(table({"x": [0.5, 1.5]}), fraction, np.random.default_rng(0))


def test_one_row_cannot_be_split() -> None:
    with pytest.raises(DataError, match="two rows"):
        split(table({"x": [0.5]}), 0.5, np.random.default_rng(0))


@given(st.integers(2, 50), st.data())
def test_folds_are_a_partition(rows: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(2, rows))
    parts = folds(rows, k, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(rows))
    assert len(parts) == k
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(part) > 0).all() for part in parts)


def test_same_seed_same_folds() -> None:
    one, other = (folds(30, 4, np.random.default_rng(9)) for _ in range(2))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [0, 1, 6])
def test_impossible_folds(k: int) -> None:
    with pytest.raises(DataError, match="2 to 5 folds"):
        folds(5, k, np.random.default_rng(0))
