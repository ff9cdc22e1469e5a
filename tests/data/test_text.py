"""Guesses about text files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data.frames import tidy_names
from arcwise.data.text import as_utf8, encoding_of, layout_of, without_header
from arcwise.errors import DataError


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings(encoding: str, found: str) -> None:
    text = "Größe,Preis\n1,2\n3,4\n"
    raw = text.encode(encoding)
    assert encoding_of(raw) == found
    assert as_utf8(raw, found).decode() == text


def test_latin_1_is_the_last_resort() -> None:
    assert encoding_of(b"a\x81b,\xe4") == "latin-1"


def test_a_beginning_may_stop_inside_a_letter() -> None:
    raw = "ä".encode()[:1]
    assert encoding_of(b"x" + raw, whole=False) == "utf-8"
    assert encoding_of(b"x" + raw, whole=True) == "cp1252"


@given(st.text(min_size=1).filter(lambda text: "\0" not in text))
def test_any_utf8_text_is_utf8(text: str) -> None:
    assert encoding_of(b"x" + text.encode()) == "utf-8"


@pytest.mark.parametrize(
    ("text", "separator", "decimal"),
    [
        ("a,b\n1,2\n", ",", "."),
        ("a;b\n1;2\n", ";", "."),
        ("a;b\n1,5;2\n", ";", ","),
        ("a;b\n1,5;2.5\n", ";", "."),
        ("a;b, in mm;c\n1,5;2;x\n2,5;3;y\n", ";", ","),
        ("a b,c d\n1 x,2 y\n", ",", "."),
        ("a, b, c\n1, 2, 3\n", ",", "."),
        ("a\tb c\n1\tx y\n", "\t", "."),
        ("a|b\n1|2\n", "|", "."),
        ("a b\n1 2\n", " ", "."),
        ("a b\n1,5 2\n", " ", ","),
        ("remark\nsome words\nmore of them, here\n", ",", "."),
        ("single\n1\n2\n", ",", "."),
        ("single\n1.5\n2.5\n", ",", "."),
        ("day,x\n2014-01-01 10:00,5\n2014-01-02 11:00,6\n", ",", "."),
    ],
)
def test_layouts(text: str, separator: str, decimal: str) -> None:
    layout = layout_of(text.encode())
    assert (layout.separator, layout.decimal) == (separator, decimal)


def test_header_over_two_lines() -> None:
    raw = b'"two\nlines",b\n1,2\n'
    layout = layout_of(raw)
    assert layout.header == ("two\nlines", "b")
    assert without_header(raw, layout) == b"1,2\n"


def test_blanks_become_tabs_outside_quotes() -> None:
    raw = b'a b\n "x  y"   2 \n1\t 3\n'
    assert without_header(raw, layout_of(raw)) == b'"x  y"\t2\n1\t3\n'


def test_no_header() -> None:
    with pytest.raises(DataError, match="empty"):
        layout_of(b"\n")


def test_invented_names_avoid_given_ones() -> None:
    names, notes = tidy_names(["x2", "", None, "b"])
    assert names == ("x2", "x2_", "x3", "b")
    assert notes == ("Columns without a name are called by their position: 'x2_' and 'x3'.",)


def test_lines_without_end():
    """A line of names is not looked for in a hundred megabytes, and many names of one kind take no time."""
    with pytest.raises(DataError, match="The first line is longer than 4 MB"):
        layout_of(b"x," * 3_000_000)
    with pytest.raises(DataError, match="A cell of the first lines is longer than 131072 letters"):
        layout_of(b"a,b\n" + b"x" * 1_000_000 + b",y\n")
    names, _ = tidy_names(["x"] * 300_000, numbered=True)
    assert names[-1] == "x.299999"
