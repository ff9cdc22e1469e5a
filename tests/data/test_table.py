"""Variables and tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Table, Variable, table
from arcwise.errors import DataError, OptionError
from arcwise.notes import data_note


@pytest.fixture
def mixed() -> Table:
    return table(
        {
            "y": [1.5, 2.5, None, 4.5],
            "grade": [3, 1, 2, 1],
            "city": ["Rome", "Oslo", "Rome", None],
            "flag": [True, False, True, True],
        }
    )


def test_columns_are_sorted_by_name_and_the_order_is_kept(mixed: Table) -> None:
    assert mixed.names == ("city", "flag", "grade", "y")
    assert mixed.order == ("y", "grade", "city", "flag")
    assert [mixed.index(name) for name in mixed.names] == [0, 1, 2, 3]


def test_kinds_and_storage(mixed: Table) -> None:
    assert mixed.column("y").dtype == np.float64
    assert mixed.column("grade").dtype == np.uint8
    assert mixed.variable("grade") == Variable("grade", (1, 2, 3), ordered=True)
    assert mixed.variable("grade").numeric
    assert not mixed.variable("flag").numeric
    assert mixed.variable("flag").levels == (False, True)
    assert mixed.column("city").tolist() == [1, 0, 1, 2]


def test_values_are_decoded_with_gaps(mixed: Table) -> None:
    assert mixed.values("city").tolist() == ["Rome", "Oslo", "Rome", None]
    assert mixed.values("grade").tolist() == [3, 1, 2, 1]
    assert np.isnan(mixed.values("y")[2])


def test_arrays_cannot_be_written(mixed: Table) -> None:
    with pytest.raises(ValueError, match="read-only"):
        mixed.column("y")[0] = 0.0
    own = np.zeros(3)
    Table((Variable("x"),), (own,))
    own[0] = 1.0  # the caller's own array is not locked


def test_unknown_name_gets_close_matches(mixed: Table) -> None:
    with pytest.raises(DataError, match=r"no column 'grad'. Did you mean 'grade'"):
        mixed.column("grad")


def test_select_take_head(mixed: Table) -> None:
    part = mixed.select(["grade", "city"])
    assert part.order == ("grade", "city")
    assert part.names == ("city", "grade")
    assert part.take([2, 2, 0]).values("grade").tolist() == [2, 2, 3]
    assert part.take(np.array([True, False, False, True])).rows == 2
    assert mixed.head(2).rows == 2
    assert mixed.head(99).rows == 4


def test_select_nothing_is_rejected(mixed: Table) -> None:
    with pytest.raises(DataError):
        mixed.select([])


def test_complete_says_what_it_costs(mixed: Table) -> None:
    whole = mixed.complete()
    assert whole.rows == 2
    assert (
        str(whole.notes[-1])
        == "2 of 4 rows dropped because of missing values (most in 'city': 1, 'y': 1)."
    )
    assert whole.complete() is whole


def test_no_complete_row_is_an_error() -> None:
    gappy = table({"a": [1.5, None], "b": [None, 2.5]})
    with pytest.raises(DataError, match="No row of 2 is complete"):
        gappy.complete()


def test_missing_mask(mixed: Table) -> None:
    mask = mixed.missing()
    assert mask.shape == (4, 4)
    assert np.argwhere(mask).tolist() == [[2, 3], [3, 0]]


def test_recast_there_and_back(mixed: Table) -> None:
    numbers = mixed.recast({"grade": "continuous"})
    assert numbers.variable("grade") == Variable("grade")
    assert numbers.column("grade").tolist() == [3.0, 1.0, 2.0, 1.0]
    assert numbers.recast({"grade": "discrete"}).variable("grade").levels == (1, 2, 3)
    fine = mixed.recast({"y": "discrete"})
    assert fine.variable("y").levels == (1.5, 2.5, 4.5)
    assert fine.column("y").tolist() == [0, 1, 3, 2]
    assert mixed.recast({"flag": "continuous"}).column("flag").tolist() == [1, 0, 1, 1]


def test_recast_refuses_text_and_unknown_kinds(mixed: Table) -> None:
    with pytest.raises(DataError, match="'city' holds text"):
        mixed.recast({"city": "continuous"})
    with pytest.raises(OptionError, match="Did you mean 'discrete'"):
        mixed.recast({"city": "discreet"})  # type: ignore[dict-item]


def test_continuous_keeps_what_was_asked_for() -> None:
    raw = {"x": [0.5, 1.5, 2.5], "rad": [1, 2, 1], "chas": [0, 1, 0], "city": ["a", "b", "a"]}
    asked = table(raw, kinds={"rad": "discrete", "city": "discrete"})
    assert asked.fixed == {"rad", "city"}
    ready = asked.continuous()
    assert [v.name for v in ready.variables if v.discrete] == ["city", "rad"]
    with pytest.raises(DataError, match=r"'city' holds text or booleans.*select"):
        table(raw).continuous()


def test_fixed_follows_selection() -> None:
    asked = table({"a": [1, 2], "b": [1, 2]}, kinds={"a": "discrete"})
    assert asked.select(["b"]).fixed == frozenset()
    assert asked.take([0]).fixed == {"a"}


def test_matrix_is_in_column_number_order() -> None:
    both = table({"z": [1.5, 2.5], "a": [1, None]})
    np.testing.assert_array_equal(both.matrix(), [[1, 1.5], [np.nan, 2.5]])
    with pytest.raises(DataError, match="holds text"):
        table({"a": ["x", "y"]}).matrix()


def test_weights_count_rows() -> None:
    weighted = table({"x": [0.5, 1.5], "n": [2, 3]}, weights="n")
    assert weighted.names == ("x",)
    assert weighted.total == 5.0
    assert weighted.rows == 2
    assert weighted.take([1]).total == 3.0
    assert weighted.with_weights(None).total == 2.0
    assert "weights summing to 5" in repr(weighted)
    assert weighted.effective_rows == pytest.approx(25 / 13)
    assert weighted.with_weights(1e200 * weighted.weights).effective_rows == pytest.approx(25 / 13)
    assert weighted.with_weights(None).effective_rows == 2.0


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0], "one number per row"),
        ([1.0, -1.0], "row 2 has -1.0"),
        ([1.0, np.inf], "row 2 has inf"),
        ([np.nan, 1.0], "row 1 has nan"),
        ([0.0, 0.0], "Some weight must be positive"),
        ("n", "weights= names 'n'"),
    ],
)
def test_bad_weights(weights: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        table({"x": [0.5, 1.5]}, weights=weights)  # type: ignore[arg-type]


def test_text_weights_are_rejected() -> None:
    with pytest.raises(DataError, match="must be numbers"):
        table({"x": [0.5, 1.5], "w": ["a", "b"]}, weights="w")


def test_codes_grow_with_the_levels() -> None:
    levels = tuple(f"v{i:04d}" for i in range(300))
    many = table({"v": [*levels, None]}, kinds={"v": "discrete"})
    assert many.column("v").dtype == np.uint16
    assert many.column("v")[-1] == 300
    exactly = table({"v": [*levels[:255], None]}, kinds={"v": "discrete"})
    assert exactly.column("v").dtype == np.uint8


@pytest.mark.parametrize(
    ("variables", "columns", "said"),
    [
        ((), (), "at least one"),
        ((Variable("a"), Variable("a")), (np.ones(1), np.ones(1)), "twice: 'a'"),
        ((Variable("a"),), (np.ones(1, np.float32),), "must be float64"),
        ((Variable("a", ("x",)),), (np.ones(1),), "unsigned codes"),
        ((Variable("a", ("x",)),), (np.array([2], np.uint8),), "beyond its 1 levels"),
        ((Variable("a"), Variable("b")), (np.ones(1), np.ones(2)), "has shape"),
    ],
)
def test_tables_that_do_not_fit(
    variables: tuple[Variable, ...], columns: tuple[np.ndarray, ...], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        Table(variables, columns)


def test_variables_check_themselves() -> None:
    with pytest.raises(DataError, match="name of a variable must be text"):
        Variable("")
    with pytest.raises(DataError, match="must be distinct"):
        Variable("a", ("x", "x"))
    with pytest.raises(DataError, match="must have one level more"):
        Variable("a", ("low", "high"), cuts=(1.0, 2.0))
    assert Variable("a", ("low", "high"), cuts=(1.0,)).kind == "discrete"


def test_notes_are_not_repeated(mixed: Table) -> None:
    once = data_note("once")
    assert mixed.with_notes(once, once).with_notes(once).notes.count(once) == 1


def test_repr_is_short() -> None:
    wide = table(np.random.default_rng(0).normal(size=(3, 100)))
    assert len(repr(wide)) < 120
    assert repr(wide).startswith("Table(3 rows, 100 continuous, 0 discrete: x1, x2")


@given(st.permutations(["a", "b", "c", "d"]))
def test_column_order_is_irrelevant(names: list[str]) -> None:
    numbers = {"a": [1.5, 2.5], "b": [1, 2], "c": ["u", "v"], "d": [True, False]}
    one = table({name: numbers[name] for name in names})
    other = table(numbers)
    assert one.variables == other.variables
    assert one.order == tuple(names)
    for name in other.names:
        np.testing.assert_array_equal(one.column(name), other.column(name))
