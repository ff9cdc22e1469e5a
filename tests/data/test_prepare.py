"""Standardising, returns, and new rows brought into the form that a model knows."""

import datetime

import numpy as np
import pytest

import arcwise as aw
from arcwise.data import Table, Variable, conform, returns, standardise, table
from arcwise.data.prepare import as_numbers
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


# -- kinds and gaps before a model looks at a table ---------------------------------------------


GAPPY = {"x": [0.5, None, 2.5, 4.0], "count": [1, 2, None, 2], "word": ["a", "b", "a", None]}


def test_numeric_levels_become_numbers_unless_asked_for():
    made = as_numbers(table(GAPPY, kinds={"count": "discrete"}))
    assert [v.kind for v in made.variables] == ["discrete", "discrete", "continuous"]
    made = as_numbers(table({**GAPPY, "count": [1, 2, 2, 1]}))
    assert [v.kind for v in made.variables] == ["continuous", "discrete", "continuous"]


@pytest.mark.parametrize("missing", [["?"], "?", (-999, "?"), -999])
def test_values_that_mean_a_gap_have_a_name_of_their_own(missing, tmp_path):
    signs = list(missing) if isinstance(missing, list | tuple) else [missing]
    place = tmp_path / "rows.csv"
    place.write_text("x,y\n1.5,2\n2.5,?\n3.5,1\n")
    said = f"na_values={signs!r}".replace("[", r"\[").replace("?", r"\?")
    for ask in (
        lambda: aw.learn(GAPPY, missing=missing),
        lambda: aw.path(GAPPY, missing=missing),
        lambda: aw.fit("x -> count", GAPPY, missing=missing),
        lambda: aw.validate(GAPPY, missing=missing),
        lambda: aw.table(GAPPY, missing=missing),
        lambda: aw.read(place, missing=missing),
        lambda: aw.moments(place, missing=missing),
    ):
        with pytest.raises(aw.DataError, match=said):
            ask()


def test_na_values_reach_the_data_from_every_verb():
    rng = np.random.default_rng(1)
    rows = {"x": rng.normal(size=40), "y": rng.normal(size=40)}
    marked = {**rows, "x": np.where(np.arange(40) < 5, -999.0, rows["x"])}
    for net in (
        aw.learn(aw.table(marked, na_values=[-999])),
        aw.learn(aw.table(marked, na_values=[-999]), missing="drop"),
        aw.fit("x -> y", aw.table(marked, na_values=[-999])),
        aw.path(aw.table(marked, na_values=[-999])).network(0.1),
    ):
        assert net.rows == 35
    table = aw.table(marked, na_values=[-999])
    assert len(aw.validate(table, missing="drop").log_density) == 35
    assert len(aw.validate(table).log_density) == 40
    assert aw.prune(table, "y", model="gaussian").stages


KNOWN = (
    Variable("city", ("Oslo", "Rome")),
    Variable("k", (1, 2, 3), ordered=True),
    Variable("flag", (False, True)),
    Variable("x"),
    Variable("age", ("young", "old"), ordered=True, cuts=(40.0,)),
)


def test_the_same_codes_whatever_is_present() -> None:
    rows = conform({"city": ["Rome"], "k": [3], "flag": [True], "x": [2], "age": [40]}, KNOWN)
    assert rows.names == ("age", "city", "flag", "k", "x")
    assert [column.tolist() for column in rows.columns] == [[1], [1], [1], [2], [2.0]]


def test_absent_variables_are_gaps() -> None:
    rows = conform({"x": [1.5, None]}, KNOWN)
    assert rows.column("city").tolist() == [2, 2]
    assert rows.missing().sum() == 9


def test_a_table_conforms_with_its_weights() -> None:
    data = table({"k": [2, 1], "x": [0.5, 1.5], "w": [1, 2]}, weights="w")
    rows = conform(data, KNOWN)
    assert rows.column("k").tolist() == [1, 0]
    assert rows.total == 3


def test_other_spellings_of_a_level() -> None:
    assert conform({"k": ["1", "3.0"][:1]}, KNOWN).column("k").tolist() == [0]
    assert conform({"k": [1.0, 2.0]}, KNOWN).column("k").tolist() == [0, 1]
    assert conform({"flag": ["true", "False"]}, KNOWN).column("flag").tolist() == [1, 0]
    digits = (Variable("d", ("1", "2", "x")),)
    assert conform({"d": [2, 1]}, digits).column("d").tolist() == [1, 0]


def test_cuts_turn_numbers_into_levels() -> None:
    rows = conform({"age": [39.9, 40.0, None, 80]}, KNOWN)
    assert rows.column("age").tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"city": ["Paris"]}, "'city' has the value 'Paris'.*its levels are 'Oslo' and 'Rome'"),
        ({"k": [4]}, "'k' has the value 4.0"),
        ({"x": ["a"]}, "'a' in row 1 is not a number"),
        ({"x": [np.inf]}, "infinite"),
        ({"x": [datetime.date(2020, 1, 1)]}, "must be numbers"),
        ({"other": [1]}, "None of the variables"),
    ],
)
def test_what_does_not_conform(data: dict[str, list[object]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        conform(data, KNOWN)


def test_unknown_columns_are_ignored_with_a_note() -> None:
    rows = conform({"x": [1.5], "extra": ["a"]}, KNOWN)
    assert "extra" not in rows.names
    assert "'extra'" in rows.notes[0]


def test_row_numbers_and_near_unique_text_are_no_obstacle() -> None:
    """Rules that leave columns out of a new table do not apply to known variables."""
    rows = conform({"x": list(range(40))}, KNOWN)
    assert rows.column("x").tolist() == list(range(40))
