"""Splits, folds, and what they make of rows that occur several times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise as aw
from arcwise.data import Table, Variable, folds, held_out_part, split, table, with_copies
from arcwise.errors import DataError, OptionError

small = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 5)), min_size=1, max_size=12
).filter(lambda rows: sum(count for *_, count in rows) >= 4)


def counted_and_long(rows: list[tuple[int, str, int]], seed: int) -> tuple[Table, Table]:
    """The same units as weights, and written out in another order."""
    columns = {"x": [x / 2 for x, _, _ in rows], "y": [y for _, y, _ in rows]}
    counts = np.array([count for *_, count in rows])
    kinds = {"x": "continuous", "y": "discrete"}
    counted = table(columns, kinds=kinds).with_weights(counts)
    written = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(rows)), counts))
    return counted, counted.with_weights(None).take(written)


def units(source: Table, part=None) -> list[tuple]:
    """All units of some rows, sorted."""
    some = source if part is None else source.take(part)
    rows = list(zip(*some.columns, strict=True))
    weights = np.ones(some.rows) if some.weights is None else some.weights
    return sorted(row for row, w in zip(rows, weights, strict=True) for _ in range(int(w)))


@given(small, st.integers(0, 99), st.booleans())
def test_counted_and_long_tables_have_the_same_folds(rows, seed, strata):
    both = counted_and_long(rows, seed)
    by = "y" if strata else None
    dealt = [folds(source, 3, np.random.default_rng(seed), by) for source in both]
    found = [[units(each.table, part) for part in each.rows] for each in dealt]
    assert found[0] == found[1]
    assert sorted(row for part in found[0] for row in part) == units(both[0])
    sizes = [len(part) for part in found[0]]
    assert max(sizes) - min(sizes) <= 1
    if strata:
        for level in (0, 1):
            shares = [sum(row[1] == level for row in part) for part in found[0]]
            assert max(shares) - min(shares) <= 1


@given(small, st.floats(0.01, 0.99), st.integers(0, 99))
def test_counted_and_long_tables_are_split_alike(rows, fraction, seed):
    both = counted_and_long(rows, seed)
    apart = [split(source, fraction, np.random.default_rng(seed)) for source in both]
    assert [units(each) for each in apart[0]] == [units(each) for each in apart[1]]
    held = [held_out_part(source, fraction, np.random.default_rng(seed)) for source in both]
    found = [units(each.table, each.rows[0]) for each in held]
    assert found[0] == found[1]
    assert len(found[0]) == max(1, round(fraction * len(units(both[0]))))


@given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 99))
def test_a_split_keeps_every_row_once(rows: int, fraction: float, seed: int) -> None:
    weights = np.arange(rows) + 0.5
    source = table(np.arange(rows)[:, None] + 0.5).with_weights(weights, "together")
    train, test = split(source, fraction, np.random.default_rng(seed))
    both = np.concatenate([train.column("x1"), test.column("x1")])
    np.testing.assert_array_equal(np.sort(both), source.column("x1"))
    assert train.rows >= 1
    assert test.rows >= 1
    assert abs(train.rows - fraction * rows) <= 1
    assert train.total + test.total == source.total
    assert train.weights is not None
    np.testing.assert_array_equal(train.weights, train.column("x1"))


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
    source = table({"x": np.arange(rows) + 0.5})
    parts = folds(source, k, np.random.default_rng(0)).rows
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(rows))
    assert len(parts) == k
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(part) > 0).all() for part in parts)


def test_folds_follow_the_rows_and_the_seed() -> None:
    source = table({"x": np.random.default_rng(1).normal(size=40)})
    turned = source.take(np.arange(40)[::-1])
    one, other = (folds(each, 4, np.random.default_rng(9)).rows for each in (source, turned))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, np.sort(39 - b))
    again = folds(source, 4, np.random.default_rng(8)).rows
    assert any(a.tolist() != b.tolist() for a, b in zip(one, again, strict=True))


def test_folds_do_not_depend_on_the_order_of_levels() -> None:
    """A frame may declare an order, and a file of counts has that of the alphabet."""
    rng = np.random.default_rng(1)
    words, digits = rng.choice(["no", "yes", "maybe"], 60), rng.choice(["2", "10", "9"], 60)
    plain = table({"a": words, "b": digits.astype(int)}, kinds={"b": "discrete"})
    variables = (Variable("a", ("yes", "no", "maybe")), Variable("b", ("9", "10", "2")))
    codes = [np.array([v.levels.index(x) for x in xs], dtype=np.uint8)
             for v, xs in zip(variables, (words, digits), strict=True)]  # fmt: skip
    declared = Table(variables, tuple(codes))
    for by in (None, "a"):
        one, other = (
            folds(each, 5, np.random.default_rng(2), by).rows for each in (plain, declared)
        )
        assert [part.tolist() for part in one] == [part.tolist() for part in other]


@pytest.mark.parametrize("k", [0, 1, 6])
def test_impossible_folds(k: int) -> None:
    with pytest.raises(DataError, match="2 to 5 folds"):
        folds(table({"x": [0.5, 1.5]}, weights=[2, 3]), k, np.random.default_rng(0))


def test_folds_are_drawn_at_random_and_not_evenly() -> None:
    """Copies dealt evenly would make every fold like the rest, and held-out rows like seen ones."""
    source = table({"x": ["a", "b"]}, weights=[500, 500])
    shares = [
        folds(source, 10, np.random.default_rng(seed)).table.weights[:10] for seed in range(200)
    ]
    expected = 1000 / 10 * 0.25 * 0.9 * 1000 / 999  # hypergeometric
    assert np.var(shares, axis=0).mean() == pytest.approx(expected, rel=0.15)


def test_weights_that_are_not_integers_are_rejected() -> None:
    source = table({"x": ["a", "b", "a", "b"], "y": ["a", "b", "b", "b"]})
    odd = source.with_weights([1, 2.5, 1, 3])
    for ask in (
        lambda: folds(odd, 2, np.random.default_rng(0)),
        lambda: split(odd, 0.5, np.random.default_rng(0)),
        lambda: aw.learn(odd, score="loo"),
        lambda: aw.learn(odd, score=aw.KFold(folds=2)),
        lambda: aw.validate(odd, folds=2),
        lambda: aw.classify(odd, "x", folds=2),
    ):
        with pytest.raises(
            DataError, match=r"must be integers.* got 2.5 in row 2.*copies='together'"
        ):
            ask()
    one = odd.with_weights(odd.weights, "together")
    assert len(folds(one, 4, np.random.default_rng(0)).rows) == 4
    assert aw.learn(odd, score="bic").rows == 7.5


def test_repeated_measurements_are_one_row() -> None:
    long = table({"x": [1.5, 2.5, 1.5, None, None]}, copies="together")
    assert long.copies == "together"
    assert long.weights is not None
    assert long.weights.tolist() == [2, 1, 2]
    assert long.units == 3
    assert any("one measurement" in note for note in long.notes)
    assert table(long).copies == long.take([0]).select(["x"]).copies == "together"
    with pytest.raises(OptionError, match="no meaning of copies 'togther'"):
        with_copies(long, "togther")


def test_a_big_table_of_counts_is_dealt_at_once() -> None:
    source = table({"x": ["a", "b", "c"]}, weights=[100_000_000, 3, 5])
    dealt = folds(source, 10, np.random.default_rng(0))
    assert dealt.table.rows <= 30
    assert dealt.table.total == source.total
