"""Frames: what is printed, what is handed to others, and that nothing changes them."""

import copy
import csv
import io
import json
import pickle
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from arcwise.errors import DataError, FileError, OptionError
from arcwise.frame import MAX_ROWS, Frame, Framed, Series

HOSTILE = "<script>alert('x')</script> & \"y\""


class Tags(HTMLParser):
    """The tags and the text of a piece of HTML; every tag has to be closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text, self.attributes = [], [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def frame():
    columns = (
        Series("name", ["b", "a", HOSTILE, "c"]),
        Series("share", np.array([0.25, np.nan, -0.00001, 1.0]), ".3f", head="the share"),
        Series("count", [3, 1, None, 2]),
        Series("sure", np.array([True, False, True, True]), shown=False),
    )
    return Frame(columns, "four rows", ("a note",))


def test_text_is_aligned_and_blank_where_nothing_is_known(frame):
    lines = str(frame).splitlines()
    assert lines[0] == "four rows"
    assert lines[1].split() == ["name", "the", "share", "count"]
    assert len({len(line) for line in lines[1:4]} - {len(lines[1])}) <= 1
    assert lines[2].endswith("0.250      3")
    assert lines[3].split() == ["a", "1"]
    assert " 0.000" in lines[4]
    assert "-0.000" not in lines[4]
    assert lines[-1] == "a note"
    assert "sure" not in str(frame)


def test_rows_beyond_the_limit_are_counted(frame):
    assert frame.to_text(max_rows=1).splitlines()[-2:] == ["... and 3 more rows", "a note"]
    long = Frame((Series("x", np.arange(MAX_ROWS + 1)),))
    assert str(long).endswith("... and 1 more row")
    assert len(long.to_text(None).splitlines()) == MAX_ROWS + 2
    assert long._repr_html_().count("<tr>") == MAX_ROWS + 1
    assert long.to_html().count("<tr>") == MAX_ROWS + 2


def test_html_is_closed_and_escaped_and_has_no_scripts(frame):
    tags = Tags(Frame(frame.columns, HOSTILE, (HOSTILE,)).to_html())
    assert "script" not in tags.seen
    assert "".join(tags.text).count(HOSTILE) == 3
    heads = Tags(Frame((Series(HOSTILE, [1]),)).to_html())
    assert "script" not in heads.seen
    assert "color: inherit" in frame.to_html()


def test_dictionaries_are_plain(frame):
    assert json.loads(json.dumps(frame.to_dict(), allow_nan=False)) == frame.to_dict()
    assert frame.to_dict()["share"] == [0.25, None, -0.00001, 1.0]
    assert frame.to_records()[1] == {"name": "a", "share": None, "count": 1, "sure": False}
    assert list(frame) == frame.to_records()
    assert Frame((Series("x", [np.float64(1.5), np.nan]),)).to_dict() == {"x": [1.5, None]}


def test_csv_reads_back(frame, tmp_path):
    text = frame.to_csv(tmp_path / "frame.csv")
    assert (tmp_path / "frame.csv").read_bytes().decode() == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == list(frame["name"])
    assert [row["share"] for row in rows] == ["0.25", "", "-1e-05", "1.0"]
    with pytest.raises(FileError, match="cannot be written"):
        frame.to_csv(tmp_path)


def test_data_frames_of_other_libraries(frame):
    for made in (frame.to_pandas(), frame.to_polars().to_pandas(), frame.to_arrow().to_pandas()):
        assert list(made.columns) == list(frame.names)
        assert np.array_equal(made["share"], frame["share"], equal_nan=True)
        assert made["count"].isna().tolist() == [False, False, True, False]
    assert frame.to_arrow().column("share").null_count == 1
    assert pl.DataFrame(frame)["name"].to_list() == list(frame["name"])
    assert pa.table(frame).num_rows == 4
    assert frame.to_pandas()["sure"].dtype == bool


def test_the_index_of_pandas_is_the_column_that_names_the_rows(frame):
    named = Frame(frame.columns, index="name")
    assert named.to_pandas().loc["c", "count"] == 2
    assert named.to_dict()["name"] == frame.to_dict()["name"]
    assert named.select(["count", "name"]).index == "name"
    assert named.select(iter(["count"])).index == ""


def test_values_of_several_types_become_text_in_arrow():
    mixed = Frame((Series("level", ["a", 1, None]),))
    assert mixed.to_arrow().column("level").to_pylist() == ["a", "1", None]
    assert mixed.to_dict() == {"level": ["a", 1, None]}


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(frame, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DataError, match=f"needs {name}: install it, or use to_arrow"):
        getattr(frame, f"to_{name}")()


def test_sorting_is_stable_and_keeps_missing_values_last(frame):
    assert frame.sort("share")["name"] == (HOSTILE, "b", "c", "a")
    assert frame.sort("share", descending=True)["name"] == ("c", "b", HOSTILE, "a")
    assert frame.sort("sure")["name"] == ("a", "b", HOSTILE, "c")
    assert frame.sort("sure", descending=True)["name"] == ("b", HOSTILE, "c", "a")
    with pytest.raises(OptionError, match="no column 'shares'"):
        frame.sort("shares")


def test_rows_are_chosen_by_value_and_by_a_function(frame):
    assert frame.filter(sure=True)["name"] == ("b", HOSTILE, "c")
    assert frame.filter(lambda row: row["count"] == 1)["name"] == ("a",)
    assert frame.filter(lambda row: row["sure"], name="c").to_dict()["share"] == [1.0]
    assert len(frame.filter(name="nobody")) == 0
    with pytest.raises(OptionError, match="no column"):
        frame.filter(nobody=1)
    assert frame.head(2).select(["sure"]).to_text().splitlines()[1:] == [
        "sure",
        "yes",
        "no",
        "a note",
    ]


def test_a_frame_does_not_change(frame):
    with pytest.raises(ValueError, match="read-only"):
        frame["share"][0] = 1.0
    with pytest.raises(AttributeError):
        frame.title = "other"
    values = np.array([1.0, 2.0])
    Frame((Series("x", values),))
    values[0] = 3.0  # the caller's array is still the caller's
    again = pickle.loads(pickle.dumps(copy.deepcopy(frame)))
    assert again.to_text() == frame.to_text()


def test_columns_have_one_length_and_names_of_their_own():
    with pytest.raises(DataError, match=r"equal lengths, got 'x' of 1, 'y' of 2"):
        Frame((Series("x", [1]), Series("y", [1, 2])))
    with pytest.raises(DataError, match="different names"):
        Frame((Series("x", [1]), Series("x", [2])))


def test_a_frame_may_be_empty():
    empty = Frame((Series("x", []), Series("y", np.zeros(0))), "nothing")
    assert str(empty) == "nothing\nx  y"
    assert empty.to_records() == []
    assert empty.to_pandas().shape == (0, 2)
    assert empty.sort("x").filter(x=1).to_csv() == "x,y\n"
    assert Tags(empty.to_html()).seen.count("tr") == 1
    assert str(Frame(())) == ""
    assert Frame(()).to_records() == []


def test_what_has_a_frame_has_its_methods(frame):
    class Result(Framed):
        @property
        def frame(self):
            return frame

        @property
        def display(self):
            return frame.filter(sure=False)

    result = Result()
    assert str(result) == str(frame.filter(sure=False))
    assert result.to_dict() == frame.to_dict()
    assert pd.DataFrame(result.to_records()).shape == (4, 4)
    assert pl.DataFrame(result).height == 4
