"""Any frame gives the same table, and tables go out again."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arcwise.data import Table, table
from arcwise.errors import DataError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

COLUMNS = {
    "y": [0.25, None, 4.0, 2.5],
    "k": [1, 2, 2, None],
    "city": ["Rome", None, "Oslo", "Rome"],
    "flag": [True, False, None, True],
    "n": [1, 2, 3, 3],
}


def assert_same(one: Table, other: Table) -> None:
    assert one.variables == other.variables
    assert one.order == other.order
    for a, b in zip(one.columns, other.columns, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        lambda columns: pl.DataFrame(columns).lazy(),
        pa.table,
        lambda columns: pa.RecordBatch.from_pydict(columns),
        lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values())],  # noqa: B905
        lambda columns: (
            {name: pd.Series(column) for name, column in columns.items() if name != "k"}
            | {"k": columns["k"]}
        ),
        lambda columns: {name: pl.Series(column) for name, column in columns.items()},
        lambda columns: {name: tuple(column) for name, column in columns.items()},
    ],
)
def test_all_frames_agree(make: object) -> None:
    made = table(make(COLUMNS))  # type: ignore[operator]
    assert_same(made.select(COLUMNS), table(COLUMNS))


def test_pandas_integers_with_gaps_are_still_integers() -> None:
    assert table(pd.DataFrame({"k": [1, None, 2]})).variable("k").levels == (1, 2)
    assert table(pd.DataFrame({"k": [1.5, None, 2]})).variable("k").levels is None
    nullable = pd.DataFrame({"k": pd.array([1, None, 2], dtype="Int64")})
    assert table(nullable).variable("k").levels == (1, 2)


def test_numpy_with_and_without_names() -> None:
    numbers = np.array([[1.5, 2.0], [3.5, 4.0]])
    assert table(numbers).order == ("x1", "x2")
    named = table(numbers, names=["b", "a"])
    assert named.values("b").tolist() == [1.5, 3.5]
    assert table(np.array([[1, 5], [2, 5]])).variable("x2").levels == (5,)
    words = table(np.array([["a", 1.5], ["b", 2.5]], dtype=object))
    assert words.variable("x1").levels == ("a", "b")
    assert table(np.array([[True], [False]])).variable("x1").levels == (False, True)
    assert table(np.ones((2, 1), np.float16)).variable("x1").kind == "continuous"
    records = np.array([(1.5, "u"), (2.5, "v")], dtype=[("x", float), ("t", "U1")])
    assert table(records).order == ("x", "t")


def test_the_callers_data_is_copied() -> None:
    numbers = np.array([[1.5], [2.5]])
    frame = pd.DataFrame({"x": numbers[:, 0].copy()})
    column = np.array([1.5, 2.5])
    tables = [table(numbers), table(frame).select(["x"]), table({"x": column})]
    numbers[0, 0] = 99.0
    frame.loc[0, "x"] = 99.0
    column[0] = 99.0
    assert [each.columns[0][0] for each in tables] == [1.5, 1.5, 1.5]


def test_single_values_are_one_row() -> None:
    row = table({"x": 1.5, "t": "a", "n": np.float64(2.5)})
    assert row.rows == 1
    assert row.values("n").tolist() == [2.5]


def test_rows_as_dictionaries_may_lack_keys() -> None:
    made = table([{"x": 1.5}, {"x": 2.5, "t": "a"}])
    assert made.values("t").tolist() == [None, "a"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "got int"),
        ("boston.csv", "got str"),
        (np.ones(3), "rows by columns"),
        (np.ones((2, 2, 2)), "rows by columns"),
        ({"a": [1, 2], "b": [1]}, "equal lengths, but 'a' has 2, 'b' has 1"),
        ({"a": [1, "x"]}, "'a' mixes values of different types"),
        ({"a": np.ones((2, 2))}, "one-dimensional"),
        ({}, "at least one row"),
        ([], "got list"),
    ],
)
def test_what_is_no_table(data: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        table(data)


def test_duplicate_and_odd_names() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="more than once"):
        table(twice)
    with pytest.raises(DataError, match="more than once"):
        table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(DataError, match="more than once"):
        table(np.ones((2, 2)), names=["a", "a "])
    numbered = pd.DataFrame([[1.5, 2.5]], columns=[0, 1])
    assert table(numbered).order == ("0", "1")
    with pytest.raises(DataError, match="3 names were given"):
        table(np.ones((2, 2)), names=["a", "b", "c"])
    with pytest.raises(DataError, match="for numpy arrays"):
        table({"a": [1]}, names=["b"])


ODD = ["a b", "it's", 'say "x"', "größe", "温度", "a:b", "x+y", "x*y", "a|b", "[z]", "a~b", "-1"]


def test_odd_names_are_fine_everywhere() -> None:
    made = table({name: [0.5, 1.5, i] for i, name in enumerate(ODD)})
    assert made.order == tuple(ODD)
    assert_same(table(made.to_pandas()), made)


@pytest.mark.parametrize("out", [Table.to_pandas, Table.to_arrow, Table.to_dict])
def test_out_and_in_again(out: object) -> None:
    made = table(COLUMNS)
    assert_same(table(out(made)), made)  # type: ignore[operator]


def test_out_has_the_users_order_and_types() -> None:
    frame = table(COLUMNS).to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    assert str(frame["city"].dtype) == "category"
    assert frame["n"].tolist() == COLUMNS["n"]


def test_a_table_is_taken_as_it_is() -> None:
    made = table(COLUMNS)
    assert table(made) is made
    asked = table(made, kinds={"n": "continuous"}, weights=[1, 2, 3, 4])
    assert asked.variable("n").kind == "continuous"
    assert asked.fixed == {"n"}
    assert asked.total == 10
    assert table(made, weights="n").total == 9
    assert "n" not in table(made, weights="n").names
    with pytest.raises(DataError, match="already has its names"):
        table(made, na_values=["Rome"])


@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.floats(-1e6, 1e6)
    )
)
def test_numbers_survive_every_way_in(numbers: np.ndarray) -> None:
    names = [f"x{i + 1}" for i in range(numbers.shape[1])]
    expected = table(numbers)
    np.testing.assert_array_equal(expected.select(names).matrix(), numbers)
    assert_same(table(pd.DataFrame(numbers, columns=names)), expected)
    assert_same(table(pl.DataFrame(numbers, schema=names)), expected)


# -- masked arrays ---------------------------------------------------------------------------------


def test_what_is_masked_is_missing():
    x = np.ma.masked_array(
        [[0.5, -999.0], [1.5, 2.5], [-999.0, 3.5]], mask=[[0, 1], [0, 0], [1, 0]]
    )
    found = table(x)
    assert found.missing().tolist() == x.mask.tolist()
    assert np.nanmin(found.matrix()) == 0.5
    columns = {
        "count": np.ma.masked_array([1, -9, 3], mask=[0, 1, 0]),
        "word": np.ma.masked_array(["a", "?", "b"], mask=[0, 1, 0]),
        "listed": [1.5, np.ma.masked, 2.5],
        "plain": np.ma.masked_array([1.5, 2.5, 3.5]),
    }
    assert table(columns).to_dict() == {
        "count": [1, None, 3],
        "word": ["a", None, "b"],
        "listed": pytest.approx([1.5, np.nan, 2.5], nan_ok=True),
        "plain": [1.5, 2.5, 3.5],
    }
    rows = [{"x": 1.5, "y": np.ma.masked}, {"x": np.ma.masked, "y": 2.5}]
    assert table(rows).missing().tolist() == [[False, True], [True, False]]
    fields = np.ma.array(
        [(1.5, 2), (3.5, 4)], mask=[(0, 1), (1, 0)], dtype=[("a", float), ("b", int)]
    )
    assert table(fields).missing().tolist() == [[False, True], [True, False]]


def test_a_masked_weight_is_rejected():
    with pytest.raises(DataError, match="row 2 has nan"):
        table({"x": [1.5, 2.5]}, weights=np.ma.masked_array([1, 2], mask=[0, 1]))


def test_masked_rows_are_asked_of_networks():
    import arcwise as aw

    x = np.random.default_rng(0).normal(size=(100, 3))
    x[:, 1] += x[:, 0]
    net = aw.learn(x)
    gaps = np.random.default_rng(1).random((5, 3)) < 0.4
    masked, empty = np.ma.masked_array(x[:5], mask=gaps), np.where(gaps, np.nan, x[:5])
    assert net.logpdf(masked) == pytest.approx(net.logpdf(empty))
    assert (net.impute(masked).matrix() == net.impute(empty).matrix()).all()
    hidden = np.ma.masked_array(np.where(gaps, -999.0, x[:5]), mask=gaps)
    assert (net.impute(hidden).matrix() == net.impute(empty).matrix()).all()
