"""Texts into values."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arcwise.cli.arguments import arcs, assignments, event, names, option_value, values
from arcwise.errors import DataError

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text == text.strip()
)


@given(st.lists(texts))
def test_quoted_names_come_back(given_names):
    quoted = ['"' + name.replace('"', '""') + '"' for name in given_names]
    assert names([",".join(quoted)] if quoted else []) == given_names


@given(texts, st.floats(allow_nan=False))
def test_any_name_can_be_assigned_to(name, value):
    assert assignments([f"{name}={value}"], "--given") == {name: str(value)}


@given(texts, st.floats(-1e6, 1e6))
def test_any_name_can_be_bounded(name, bound):
    # Signs, the word "and", and names that are numbers would leave it open which is which.
    assume(not any(sign in name for sign in "<>") and " and " not in f" {name} ")
    assume(not any(letter.isdigit() for letter in name))
    assert event(f"{name} < {bound}") == {name: (None, bound)}
    assert event(f"{bound} < {name}") == {name: (bound, None)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("quality>6", {"quality": (6.0, None)}),
        ("quality >= 6.5", {"quality": (6.5, None)}),
        ("6 > quality", {"quality": (None, 6.0)}),
        ("5 < quality < 7", {"quality": (5.0, 7.0)}),
        ("7 >= quality > 5", {"quality": (5.0, 7.0)}),
        ("-1e-3 < x < .5", {"x": (-0.001, 0.5)}),
        ("x > 1 and x < 2", {"x": (1.0, 2.0)}),
        ("x > 1 and y < -2", {"x": (1.0, None), "y": (None, -2.0)}),
        ("free acid < 3", {"free acid": (None, 3.0)}),
        ("quality = 6", {"quality": "6"}),
        ("L == yes and age >= 60", {"L": "yes", "age": (60.0, None)}),
        ("free acid=very high", {"free acid": "very high"}),
    ],
)
def test_events(text, wanted):
    assert event(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "quality",
        "quality =",
        "= 6",
        "x = 1 and x = 2",
        "x > 1 and x = 2",
        "x = 2 and x > 1",
        "1 < x > 2",
        "< 3",
        "7 < x < 5",
        "x > 3 and x < 2",
        "1 < 2 <",
    ],
)
def test_what_is_no_event(text):
    with pytest.raises(DataError):
        event(text)


@pytest.mark.parametrize("text", ["", "a", "=", "a=", "=1"])
def test_what_is_no_assignment(text):
    with pytest.raises(DataError, match="must be written as name=value"):
        assignments([text], "--given")


def test_values_of_several_variables():
    levels = {"smoke": ("yes", "no"), "die": (1, 2, 3), "code": ("1", "2")}
    assert values(["smoke=yes,die=2", "age=61.5"], "--given", levels) == {
        "smoke": "yes",
        "die": 2,
        "age": 61.5,
    }
    assert values(["code=1"], "--given", levels) == {"code": "1"}  # a level, and no number
    assert values(["smoke=yes|no", "die=1 | 3"], "--given", levels) == {
        "smoke": ["yes", "no"],
        "die": [1, 3],
    }
    assert values(["a, b=1"], "--given") == {"a, b": 1.0}  # a name with a comma
    assert values(["smoke=maybe"], "--given", levels) == {"smoke": "maybe"}
    with pytest.raises(DataError, match="names 'a' twice"):
        values(["a=1,a=2"], "--given")


def test_arcs_with_arrows_in_names():
    assert arcs(["a,b -> c", '"a -> b","c"']) == ["a,b -> c", ("a -> b", "c")]


def test_option_values_keep_their_kind():
    assert [type(option_value(text)) for text in ("3", "3.0", "1e3", "false", "x")] == [
        int,
        float,
        float,
        bool,
        str,
    ]
