"""Categories of tables: what becomes a level, what is said, what is refused."""

import datetime
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arcwise.data import METHODS, Table, Variable, conform, discretise, read, table
from arcwise.errors import DataError, OptionError

LINKS = {"Low": (0, 4), "Medium": (5, 10), "High": (11, None)}


def rows(count=200, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=count)
    return {"x": x, "y": x + rng.normal(size=count), "word": np.where(x > 0, "up", "down")}


# -- methods ---------------------------------------------------------------------------------------


def test_all_numbers_are_cut_and_the_rest_passes():
    found = discretise(rows())
    assert [v.name for v in found.variables if v.cuts] == ["x", "y"]
    assert found.variable("x").ordered
    assert np.bincount(found.column("x")).tolist() == [67, 66, 67]
    assert found.variable("word").levels == ("down", "up")
    assert tuple(map(str, found.notes)) == ("Cut by quantiles: 'x' and 'y'.",)
    assert found.fixed == {"x", "y"}


def test_columns_bins_and_names():
    found = discretise(rows(), "width", columns=["x"], bins=4, names={"x": "abcd"})
    assert found.variable("x").levels == ("a", "b", "c", "d")
    assert not found.variable("y").discrete
    several = discretise(rows(), "kmeans", bins={"x": 5})
    assert [len(several.variable(name).levels) for name in "xy"] == [5, 3]


def test_numeric_levels_are_cut_where_they_are_named():
    data = {"k": [1, 2, 3, 4] * 5, "x": np.arange(20.0) / 7}
    assert discretise(data).variable("k").levels == (1, 2, 3, 4)
    found = discretise(table(data), columns=["k"], bins=2)
    assert found.variable("k").cuts == (3.0,)
    assert found.variable("k").levels == ("below 3", "from 3")


def test_a_column_of_row_numbers_is_cut_where_it_is_named():
    data = {"k": np.arange(30), "x": np.arange(30.0) / 7}
    assert "k" not in discretise(data).names
    assert discretise(data, columns=["k"]).variable("k").cuts == (10.0, 20.0)


def test_equal_cut_points_are_merged_and_said():
    found = discretise({"x": [0.0] * 90 + [1.5, 2.5] * 5, "y": np.arange(100) / 3})
    assert len(found.variable("x").levels) == 2
    assert "'x' has 2 levels in place of 3: equal cut points are merged." in map(str, found.notes)


@pytest.mark.parametrize("method", ["quantiles", "width", "kmeans"])
def test_a_constant_column_has_one_level(method):
    found = discretise({"x": [2.5] * 4, "y": [1.5, 2.5, 3.5, 4.5]}, method)
    assert found.variable("x") == Variable("x", ("all",), True, ())
    assert found.column("x").tolist() == [0, 0, 0, 0]
    assert "'x' is constant: it has one level." in map(str, found.notes)


def test_what_says_nothing_about_the_class_has_one_level():
    rng = np.random.default_rng(2)
    data = {"noise": rng.normal(size=100), "class": rng.choice(["a", "b"], 100)}
    found = discretise(data, "entropy", target="class")
    assert found.variable("noise").levels == ("all",)
    assert "No cut of 'noise' is informative about 'class': it has one level." in map(
        str, found.notes
    )


def test_gaps_stay_gaps_and_do_not_count():
    x = np.array([1.5, np.nan, 2.5, 3.5, np.nan, 9.5])
    found = discretise({"x": x, "class": ["a", "b", "a", "b", "b", None]}, "width", bins=2)
    assert found.variable("x").cuts == (5.5,)
    assert found.column("x").tolist() == [0, 2, 0, 0, 2, 1]


def test_rows_without_a_class_do_not_count():
    x = [*range(20), *range(100, 120)]
    known = ["a"] * 10 + ["b"] * 10
    data = {"x": np.array(x) / 2, "class": [*known, *[None] * 20]}
    found = discretise(data, "entropy", target="class")
    assert found.variable("x").cuts == (4.75,)
    assert found.column("x")[20:].tolist() == [1] * 20


def test_infinite_values_are_rejected():
    hand = Table((Variable("x"),), (np.array([1.0, np.inf]),))
    with pytest.raises(DataError, match="'x' has infinite values"):
        discretise(hand)


def test_close_cuts_have_names_that_differ():
    found = discretise({"x": 1e9 + np.arange(12) / 16, "y": np.arange(12) / 3}, bins=4)
    assert len(set(found.variable("x").levels)) == 4


# -- by hand ---------------------------------------------------------------------------------------


def test_ranges_of_whole_numbers_with_names():
    data = {"links": [0, 4, 5, 10, 11, 300, None]}
    found = discretise(data, levels={"links": LINKS})
    ends = ((0.0, 4.0), (5.0, 10.0), (11.0, np.inf))
    own = Variable("links", tuple(LINKS), True, (5.0, 11.0), ends=ends)
    assert found.variable("links") == own
    values = ["Low", "Low", "Medium", "Medium", "High", "High", None]
    assert found.values("links").tolist() == values
    cuts = discretise(data, cuts={"links": [5, 11]}, names={"links": list(LINKS)})
    assert cuts.variable("links") == replace(own, ends=None)
    shuffled = {name: LINKS[name] for name in ("High", "Low", "Medium")}
    assert discretise(data, levels={"links": shuffled}).variables == found.variables


def test_ranges_that_touch_are_for_any_number():
    found = discretise({"x": [0.2, 4.0, 3.99]}, levels={"x": {"a": (None, 4), "b": (4, None)}})
    assert found.values("x").tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("held", "value", "said"),
    [
        (LINKS, 4.5, "4.5, which is in none of its levels .Low: 0 to 4"),
        (LINKS, -1, "-1, which is in none"),
        ({"a": (0, 5), "b": (4, 9)}, 1, "'a' and 'b' of 'links' overlap"),
        ({"a": (0, 5), "b": (0, 9)}, 1, "overlap"),
        ({"a": (5, 0)}, 1, "ends before it begins"),
        ({"a": (0, 5), "b": None}, 1, "'b' of 'links' must have a range"),
        ({"a": (0, 5), "b": "*.x"}, 1, "must all be ranges"),
        ({"a": (0, float("nan"))}, 1, "must all be ranges"),
        ({}, 1, "must be given with their contents"),
        ([(0, 5)], 1, "must be given with their contents"),
    ],
)
def test_ranges_that_do_not_work(held, value, said):
    with pytest.raises(DataError, match=said):
        discretise({"links": [1, value]}, levels={"links": held})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cuts": {"x": [2, 1]}}, "ascending"),
        ({"cuts": {"x": [1, np.inf]}}, "finite"),
        ({"cuts": {"x": 3}}, "list of numbers"),
        ({"cuts": {"z": [3]}}, "no column 'z'"),
        ({"names": {"z": "ab"}}, "no column 'z'"),
        ({"bins": {"z": 3}}, "no column 'z'"),
        ({"columns": ["z"]}, "no column 'z'"),
        ({"columns": ["word"]}, "not a number"),
        ({"bins": 1}, "from 2 to 255"),
        ({"bins": 2.5}, "from 2 to 255"),
        ({"bins": 10**9}, "from 2 to 255"),
        ({"names": {"x": "ab"}}, "'x' has 3 levels, but 2 names"),
        ({"cuts": {"x": [0]}, "levels": {"x": {"a": (0, 1)}}}, "both levels= and cuts="),
        ({"cuts": {"x": [0]}, "columns": ["x"]}, "has levels from levels= or cuts="),
        ({"method": "entropy", "target": "y"}, "'y' must be discrete"),
        ({"method": "entropy", "target": "z"}, "no column 'z'"),
        ({"levels": {"x": {"a": "*", "b": None}}, "data": table(rows())}, "but it is numeric"),
    ],
)
def test_wishes_that_cannot_be(options, said):
    options = {"data": rows(), **options}
    with pytest.raises(DataError, match=said):
        discretise(**options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "quantile"}, "Did you mean 'quantiles'"),
        ({"method": "entropy"}, "give its column as target="),
        ({"target": "word"}, "target= is for method='entropy'"),
        ({"method": "entropy", "target": "word", "bins": 3}, "chooses the number of levels"),
    ],
)
def test_words_that_do_not_fit(options, said):
    with pytest.raises(OptionError, match=said):
        discretise(rows(), **options)


def test_without_a_method_only_what_is_given_changes():
    found = discretise(rows(), None, cuts={"x": [0.0]})
    assert found.variable("x").levels == ("below 0", "from 0")
    assert not found.variable("y").discrete


# -- text and times --------------------------------------------------------------------------------

SENDERS = [f"user{i}@{'mit.EDU' if i % 3 == 0 else 'shop.example'}" for i in range(30)]


def test_text_by_patterns():
    """Near-unique text, which a table leaves out, is still there for its patterns."""
    levels = {"sender": {"edu": "*.edu", "other": None}}
    found = discretise({"sender": SENDERS, "x": np.arange(30.0) / 7}, None, levels=levels)
    assert found.values("sender").tolist() == ["edu" if i % 3 == 0 else "other" for i in range(30)]
    assert found.order == ("sender", "x")
    alone = discretise({"sender": SENDERS}, levels=levels)
    assert np.array_equal(alone.column("sender"), found.column("sender"))


def test_the_first_pattern_that_is_found_counts():
    forms = {
        "digits": re.compile(r"^\d+$"),
        "shop": ["*shop*", "*store*"],
        "A": re.compile("^a", re.IGNORECASE),
        "rest": None,
    }
    words = ["123", "my shop", "a store", "Apple", "pear", "", None]
    found = discretise({"w": words, "k": [1] * 7}, levels={"w": forms})
    assert found.values("w").tolist() == ["digits", "shop", "shop", "A", "rest", None, None]


def test_patterns_of_a_column_that_is_in_a_table():
    held = table({"w": ["ab", "cd", "ab", None]})
    found = discretise(held, levels={"w": {"a": "a*", "rest": None}})
    assert found.values("w").tolist() == ["a", "rest", "a", None]
    with pytest.raises(DataError, match="Tables drop dates"):
        discretise(held, levels={"sender": {"a": "a*", "rest": None}})


def test_text_that_no_pattern_fits():
    with pytest.raises(DataError, match="'w' has the value 'zebra', which fits no pattern"):
        discretise({"w": ["ab", "zebra"]}, levels={"w": {"a": "a*"}})


def test_expressions_that_re2_does_not_know():
    with pytest.raises(DataError, match="not a regular expression of RE2"):
        discretise({"w": ["ab"]}, levels={"w": {"a": re.compile("a(?=b)"), "b": None}})


def test_gap_marks_are_no_text():
    forms = {"w": {"a": "a*", "rest": None}}
    found = discretise({"w": ["ab", "?", "cd"]}, levels=forms, na_values=["?"])
    assert found.values("w").tolist() == ["a", None, "rest"]


TIMES = ["0:00", "05:59:59", "6:00", "23:30"]
AM = {"AM": ("0:00", "6:00"), "later": None}


@pytest.mark.parametrize(
    "column",
    [
        TIMES,
        [f"2024-01-0{i + 1} {time}" for i, time in enumerate(TIMES)],
        ["12:00 am", "5:59:59 AM", "6:00 a.m.", "11:30 pm"],
        [datetime.time(0), datetime.time(5, 59, 59), datetime.time(6), datetime.time(23, 30)],
        [datetime.datetime(2024, 1, 1, 0), datetime.datetime(2023, 1, 1, 5, 59, 59),
         datetime.datetime(2024, 1, 1, 6), datetime.datetime(2025, 1, 1, 23, 30)],
        np.array(["2024-01-01T00:00", "2024-01-01T05:59:59", "2024-01-01T06:00",
                  "2024-01-01T23:30"], dtype="datetime64[s]"),
    ],
)  # fmt: skip
def test_times_of_day(column):
    found = discretise({"sent": column}, levels={"sent": AM})
    assert found.values("sent").tolist() == ["AM", "AM", "later", "later"]


def test_times_in_a_file(tmp_path):
    place = tmp_path / "mail.csv"
    place.write_text("sent,links\n2024-01-01 03:00:00,3\n2024-01-01 13:00:00,12\n,4\n")
    found = discretise(place, levels={"sent": AM, "links": LINKS})
    assert found.values("sent").tolist() == ["AM", "later", None]
    assert found.values("links").tolist() == ["Low", "High", "Low"]


def test_the_clock_is_a_circle():
    levels = {"night": ("22:00", "6:00"), "day": ("6:00", "22:00")}
    found = discretise({"t": ["23:00", "0:00", "5:59", "6:00", "21:59"]}, levels={"t": levels})
    assert found.values("t").tolist() == ["night"] * 3 + ["day"] * 2
    rush = {"rush": [("7:00", "9:00"), ("16:00", "18:30")], "calm": None}
    found = discretise({"t": ["7:00", "9:00", "18:29", "18:30", "3:00"]}, levels={"t": rush})
    assert found.values("t").tolist() == ["rush", "calm", "rush", "calm", "calm"]


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"a": ("0:00", "6:00")}, "No level of 't' contains the time 06:00"),
        ({"a": ("0:00", "6:00"), "b": ("5:00", "0:00")}, "contain the time 05:00"),
        ({"a": ("0:00", "6:00"), "b": ("0:00", "8:00")}, "contain the time 00:00"),
        ({"a": ("0:00", "6:00"), "b": None, "c": None}, "are None, for the rest"),
        ({"a": ("0:00", "26:00"), "b": None}, "must all be ranges"),
    ],
)
def test_times_that_do_not_work(levels, said):
    with pytest.raises(DataError, match=said):
        discretise({"t": ["3:00"]}, levels={"t": levels})


@pytest.mark.parametrize("value", ["noon", "24:30", "13:00 pm", "25:00"])
def test_what_is_no_time(value):
    with pytest.raises(DataError, match="a time of day such as"):
        discretise({"t": ["3:00", value]}, levels={"t": AM})


def test_a_date_has_no_time_of_day():
    with pytest.raises(DataError, match="must have times of day"):
        discretise({"t": [datetime.date(2024, 1, 1)]}, levels={"t": AM})


def test_weights_may_be_a_column_of_a_file(tmp_path):
    place = tmp_path / "t.csv"
    place.write_text("x,n\n1.5,1\n2.5,1\n3.5,8\n")
    found = discretise(place, bins=2, weights="n")
    assert found.variable("x").cuts == (3.0,)
    assert read(place, weights="n").total == found.total


finite = st.floats(-1e12, 1e12) | st.integers(-20, 20).map(float)


@pytest.mark.parametrize("method", METHODS)
@given(st.lists(st.tuples(finite, st.sampled_from("ab")), min_size=2, max_size=25))
@example([(0.0, "a"), (5e-324, "a")])
def test_raw_rows_become_the_levels_of_the_table(method, pairs):
    data = dict(zip(("x", "class"), map(list, zip(*pairs, strict=True)), strict=True))
    target = {"target": "class"} if method == "entropy" else {}
    found = discretise(data, method, columns=["x"], **target)
    again = conform(data, found.variables)
    assert again.column("x").tolist() == found.column("x").tolist()
    levels = found.variable("x").levels
    assert len(set(levels)) == len(levels)
    if method != "width":
        assert sorted(set(found.column("x").tolist())) == list(range(len(levels)))


def test_columns_made_of_text_count_and_keep_the_weights():
    """Nothing is called the only column because text was cut into levels first."""
    mail = {"from": ["a.edu", "b.com"] * 5, "spam": ["no", "yes"] * 5, "n": [3, 4] * 5}
    forms = {"from": {"edu": "*.edu", "other": None}}
    assert not any("only one column" in note for note in discretise(mail, levels=forms).notes)
    del mail["spam"]
    found = discretise(mail, levels=forms, weights="n")
    assert found.names == ("from",)
    assert found.total == 35
    assert discretise({"from": mail["from"]}, levels=forms, weights=mail["n"]).total == 35


# -- names of levels --------------------------------------------------------------------------------


def named_interval(name: str) -> tuple[float, float]:
    """From, and below: what the name of a level says."""
    low, _, high = name.rpartition("below ")
    if name.startswith("from "):
        return float(name.removeprefix("from ")), np.inf
    return (float(low.removesuffix(" to ")) if low else -np.inf), float(high)


def assert_names_are_true(found: Table, x: np.ndarray) -> None:
    levels = found.variable("x").levels
    assert len(set(levels)) == len(levels)
    if levels == ("all",):
        return
    for value, name in zip(x.tolist(), found.values("x").tolist(), strict=True):
        low, high = named_interval(name)
        assert low <= value < high, (value, name)
    bounds = [named_interval(name) for name in levels]
    assert [high for _, high in bounds[:-1]] == [low for low, _ in bounds[1:]]
    assert tuple(low for low, _ in bounds[1:]) == found.variable("x").cuts


numbers = st.floats(-1e12, 1e12, allow_nan=False) | st.integers(-50, 50).map(float)


@given(
    st.lists(numbers, min_size=1, max_size=40),
    st.sampled_from(["quantiles", "width", "kmeans"]),
    st.integers(2, 6),
    st.sampled_from([0.0, 1e9, -20_000.0]),
    st.sampled_from([1.0, 1e-9, 1e-300]),
)
@example([0.1, 0.1 + 2**-54, 0.2], "quantiles", 2, 0.0, 1.0)
def test_every_value_is_in_the_level_that_its_name_says(xs, method, bins, shift, unit):
    x = np.array(xs) * unit + shift
    assert_names_are_true(discretise({"x": x}, method, bins=bins, columns=["x"]), x)


def test_names_have_the_digits_of_the_spread():
    x = np.random.default_rng(1).normal(20_000, 30, 1000)
    found = discretise({"x": x})
    assert_names_are_true(found, x)
    assert all(len(name) < 32 for name in found.variable("x").levels)
    classes = np.where(x > 20_010, "high", "low")
    assert_names_are_true(discretise({"x": x, "c": classes}, "entropy", target="c"), x)


def test_a_value_on_a_cut_is_in_the_level_above():
    x = np.array([0.1 + 0.2, 0.3, 5.0, 7.5])
    found = discretise({"x": x}, cuts={"x": [0.3, 0.1 + 0.2, 5]})
    assert_names_are_true(found, x)
    assert found.values("x").tolist()[2] == "from 5"
    assert found.values("x").tolist()[1] == "0.3 to below 0.30000000000000004"
