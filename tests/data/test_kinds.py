"""The rules for kinds, and what is left out."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Variable, table
from arcwise.errors import DataError, OptionError


def kind_of(values: list[object], **options: object) -> str:
    filler = [0.5 + i * i for i in range(len(values))]
    made = table({"v": values, "filler": filler}, **options)  # type: ignore[arg-type]
    return made.variable("v").kind if "v" in made.names else "left out"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"] * 10, "discrete"),
        ([True, False] * 10, "discrete"),
        ([i % 10 for i in range(40)], "discrete"),
        ([i % 11 for i in range(40)], "continuous"),
        ([-3, 7] * 20, "discrete"),
        ([float(i % 3) for i in range(40)], "continuous"),
        ([0.5, 1.5] * 20, "continuous"),
        ([7] * 20, "discrete"),
        (["x"] * 20, "discrete"),
        ([0.1] * 20, "continuous"),
        (list(range(5, 25)), "left out"),
        (list(range(20, 0, -1)), "left out"),
        ([*range(19), 25], "continuous"),
        ([*range(19), 18], "continuous"),
        ([f"name {i}" for i in range(20)], "left out"),
        ([f"name {i // 2}" for i in range(40)], "discrete"),
        ([f"v{i}" for i in range(10)], "discrete"),
        ([None] * 20, "left out"),
        ([""] * 20, "left out"),
        ([datetime.date(2020, 1, 1 + i) for i in range(20)], "left out"),
        ([datetime.datetime(2020, 1, 1 + i % 2) for i in range(20)], "left out"),
        ([f"{i % 12 + 1}/1/2020" for i in range(40)], "left out"),
        ([[1, 2]] * 20, "left out"),
    ],
)
def test_kind_by_rule(values: list[object], kind: str) -> None:
    assert kind_of(values) == kind


@given(st.permutations(list(range(11, 31))))
def test_any_permutation_numbers_the_rows(values: list[int]) -> None:
    assert kind_of(list(values)) == "left out"


def test_reasons_are_in_the_notes() -> None:
    made = table(
        {
            "x": [i * 0.3 for i in range(30)],
            "day": [datetime.date(2020, 1, 1)] * 30,
            "hour": [datetime.time(3)] * 30,
            "id": list(range(30)),
            "who": [f"p{i}" for i in range(30)],
            "void": [None] * 30,
        }
    )
    assert made.names == ("x",)
    said = " ".join(map(str, made.notes))
    assert "Dropped: 'day' and 'hour' (dates or times)." in said
    assert "Dropped: 'id' (consecutive numbers of the rows)." in said
    assert "Dropped: 'who' (text with nearly as many values as rows, such as 'p0')." in said
    assert "Dropped: 'void' (no value at all)." in said
    assert "only one column" in said


def test_asking_comes_before_the_rules() -> None:
    assert kind_of(list(range(20)), kinds={"v": "continuous"}) == "continuous"
    assert kind_of(list(range(20)), kinds={"v": "discrete"}) == "discrete"
    assert kind_of([f"p{i}" for i in range(20)], kinds={"v": "discrete"}) == "discrete"
    assert kind_of([0.5, 1.5] * 10, kinds={"v": "discrete"}) == "discrete"
    assert kind_of([True, False] * 10, kinds={"v": "continuous"}) == "continuous"
    assert kind_of(["1.5", "2"] * 10, kinds={"v": "continuous"}) == "continuous"
    day = [datetime.date(2020, 1, 1 + i % 2) for i in range(20)]
    assert kind_of(list(day), kinds={"v": "discrete"}) == "discrete"


def test_asking_for_the_impossible() -> None:
    with pytest.raises(DataError, match="'v' cannot be continuous: 'a' in row 1 is not a number"):
        kind_of(["a", "b"], kinds={"v": "continuous"})
    with pytest.raises(DataError, match="kinds= names 'w'"):
        kind_of([1, 2], kinds={"w": "discrete"})
    with pytest.raises(OptionError, match="no kind of column 'nominal'"):
        kind_of([1, 2], kinds={"v": "nominal"})


def test_levels_are_sorted_and_numeric_ones_ordered() -> None:
    made = table(
        {"n": [10, 9, 10], "t": ["b", "a", "b"], "f": [2.5, 0.5, 0.5]}, kinds={"f": "discrete"}
    )
    assert made.variable("n") == Variable("n", (9, 10), ordered=True)
    assert made.variable("t") == Variable("t", ("a", "b"))
    assert made.variable("f") == Variable("f", (0.5, 2.5), ordered=True)
    assert all(type(level) is int for level in made.variable("n").levels or ())


def test_blanks_around_words_do_not_count() -> None:
    assert table({"t": ["a ", " a", "b", " "]}).values("t").tolist() == ["a", "a", "b", None]


def test_none_as_text_is_a_level() -> None:
    made = table({"t": ["None", "NA", "nan", None]})
    assert made.variable("t").levels == ("NA", "None", "nan")


def test_missing_names_further_gaps() -> None:
    made = table(
        {"x": [1.5, -999.0, 3.5], "t": ["a", "?", "b"], "k": [1, 2, -999]}, na_values=["?", -999]
    )
    assert np.isnan(made.values("x")[1])
    assert made.values("t").tolist() == ["a", None, "b"]
    assert made.variable("k").levels == (1, 2)


def test_infinite_values() -> None:
    with pytest.raises(DataError, match="'x' has infinite values, 2 in all and the first in row 2"):
        table({"x": [1.0, np.inf, -np.inf]})
    made = table({"x": [1.0, np.inf, -np.inf, 2.5]}, na_values=["inf", "-inf"])
    assert np.isnan(made.values("x")).tolist() == [False, True, True, False]


def test_numbers_spoilt_by_words_are_named() -> None:
    column = [str(i % 7) for i in range(50)]
    column[16] = "n.a."
    made = table({"x": column})
    assert (
        "'x' is text because 1 of its values is not a number, such as 'n.a.' in row 17"
        in made.notes[0]
    )
    assert "na_values=['n.a.']" in made.notes[0]
    assert str(table({"x": ["a", "b", "1"]}).notes[0]).startswith("There is only one column")


def test_small_tables_are_noted() -> None:
    assert "only one row" in table({"a": [1.5], "b": [2]}).notes[0]
    assert "Every column is constant" in table({"a": [1.5, 1.5], "b": ["x", "x"]}).notes[0]
    assert not table({"a": [1.5, 1.5], "b": ["x", "y"]}).notes


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(DataError, match=r"No column can be used. Dropped: 'a' \(no value at all\)"):
        table({"a": [None, None]})
    with pytest.raises(DataError, match="at least one row"):
        table({"a": []})


def test_categories_keep_unused_levels_and_an_order() -> None:
    pd = pytest.importorskip("pandas")
    sizes = pd.Categorical(["L", "S", None], categories=["S", "M", "L"], ordered=True)
    colours = pd.Categorical(["red", "blue", "red"], categories=["red", "green", "blue"])
    made = table(pd.DataFrame({"size": sizes, "colour": colours}))
    assert made.variable("size") == Variable("size", ("S", "M", "L"), ordered=True)
    assert made.column("size").tolist() == [2, 0, 3]
    assert made.variable("colour") == Variable("colour", ("blue", "green", "red"))


def test_numeric_categories_are_discrete() -> None:
    pd = pytest.importorskip("pandas")
    made = table(pd.DataFrame({"k": pd.Categorical([i // 2 for i in range(40)])}))
    assert made.variable("k").levels == tuple(range(20))


def test_huge_integers_and_unsigned_types() -> None:
    made = table({"u": np.arange(40, dtype=np.uint8) * 3, "b": np.array([0, 1] * 20, np.int8)})
    assert made.variable("u").kind == "continuous"
    assert made.variable("b").levels == (0, 1)


def test_kinds_have_synonyms_everywhere():
    data = {"zip": [10115, 20095, 80331] * 5, "few": [1, 2, 3] * 5}
    wide = {"zip": list(range(0, 45, 3)), "few": data["few"]}
    made = table(wide, kinds={"zip": "categorical", "few": "numeric"})
    assert [made.variable(name).kind for name in ("zip", "few")] == ["discrete", "continuous"]
    again = table(wide).recast({"zip": "categorical", "few": "numeric"})
    assert [again.variable(name).kind for name in ("zip", "few")] == ["discrete", "continuous"]
    with pytest.raises(OptionError, match="Did you mean 'numeric'"):
        table(wide, kinds={"zip": "numbers"})


def test_numeric_dates_are_days_and_numeric_amounts_are_numbers():
    days = np.array(["1970-01-02", "1970-01-03T12:00", "2000-01-01"], dtype="datetime64[s]")
    data = {
        "when": days,
        "text": ["1970-01-02", "1970-01-03 12:00:00", "2000-01-01"],
        "price": ["$1,250.50", "$3", "-$7"],
        "share": ["12%", "0.5 %", "100%"],
        "x": [0.5, 1.5, 2.5],
    }
    words = dict.fromkeys(("when", "text", "price", "share"), "numeric")
    made = table(data, kinds=words)
    assert made.values("when").tolist() == made.values("text").tolist() == [1.0, 2.5, 10957.0]
    assert made.values("price").tolist() == [1250.5, 3.0, -7.0]
    assert made.values("share").tolist() == [12.0, 0.5, 100.0]
    with pytest.raises(DataError, match="is not a number"):
        table({"t": ["1970-01-02", "soon"], "x": [1.0, 2.5]}, kinds={"t": "numeric"})


def test_notes_on_dropped_columns_have_the_fix_that_keeps_them():
    data = {
        "id": np.arange(40),
        "when": np.array(["2020-01-01"] * 40, dtype="datetime64[D]"),
        "name": [f"person {i}" for i in range(40)],
        "x": np.random.default_rng(0).normal(size=40),
    }
    made = table(data)
    fixes = {note.about[0]: note.fix.value for note in made.notes if note.fix}
    assert fixes == {
        "id": {"id": "numeric"}, "when": {"when": "numeric"}, "name": {"name": "categorical"},
    }  # fmt: skip
    for fix in fixes.values():
        assert set(table(data, kinds=fix).names) == {*fix, "x"}
