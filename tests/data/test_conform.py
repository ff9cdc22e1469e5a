"""New rows brought into the form that a model knows."""

import datetime

import numpy as np
import pytest

from arcwise.data import Variable, conform, table
from arcwise.errors import DataError

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
        ({"city": ["Paris"]}, "'city' has the value 'Paris'.*known are 'Oslo' and 'Rome'"),
        ({"k": [4]}, "'k' has the value 4.0"),
        ({"x": ["a"]}, "'a' in row 1 is not a number"),
        ({"x": [np.inf]}, "infinite"),
        ({"x": [datetime.date(2020, 1, 1)]}, "should be numbers"),
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
