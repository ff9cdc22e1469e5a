"""Guesses about text files."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

import arcwise as aw
from arcwise.data.frames import tidy_names
from arcwise.data.text import as_utf8, encoding_of, layout_of, long_cells, without_header
from arcwise.errors import DataError, FileError


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
    assert tuple(map(str, notes)) == (
        "Columns without a name are called by their position: 'x2_' and 'x3'.",
    )


def test_lines_without_end():
    """A line of names is not looked for in a hundred megabytes, and many names of one kind take no time."""
    with pytest.raises(DataError, match="The first line is longer than 4 MB"):
        layout_of(b"x," * 3_000_000)
    with pytest.raises(DataError, match="A cell of the first lines is longer than 131072 letters"):
        layout_of(b"a,b\n" + b"x" * 1_000_000 + b",y\n")
    names, _ = tidy_names(["x"] * 300_000, numbered=True)
    assert names[-1] == "x.299999"


# -- quotes that are not closed: no row is lost without an error or a note that names the line --


ROWS = [f"{row % 11},lev{row % 3},{row * 2.5 % 7}" for row in range(1000)]
READERS = {
    "read": aw.read,
    "counts": lambda path: aw.counts(path, columns=["b"]),
    "moments": lambda path: aw.moments(path, columns=["a", "c"]),
}


def write(path, changes, *, end="\n", encoding="utf-8", separator=","):
    rows = ["a,b,c", *ROWS]
    for line, text in changes.items():
        rows[line - 1] = text
    text = end.join(rows).replace(",", separator) + end
    path.write_bytes(text.encode(encoding))
    return path


SHAPES = {
    "one open quote": ({500: '1,"lev2,5'}, r"opens in line 500 is never closed"),
    "in the first cell": ({500: '"1,lev2,5'}, r"opens in line 500 is never closed"),
    "in the last cell": ({500: '1,lev2,"5'}, r"opens in line 500 is never closed"),
    "in the last row": ({1001: '1,lev2,"5'}, r"opens in line 1001 is never closed"),
    "in the header": ({1: 'a,b,"c'}, r"opens in line 1 is never closed"),
    "twice": ({200: '1,"lev2,5', 700: '1,"lev1,5'}, r"opens in line 200 closes in line 700, where"),
    "with a quote that closes": (
        {200: '1,"lev2,5', 700: '1,lev1",5'},
        r"opens in line 200 closes in line 700 only, and each of these 501 lines has the 3 cells",
    ),
    "after a quote inside a cell": ({300: '1,5","x'}, r"opens in line 300 is never closed"),
    "after doubled quotes": ({300: '1,"le""v",5', 400: '1,"lev"",5'}, r"in line 400 is never"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_open_quote_is_an_error_that_names_its_line(tmp_path, shape, reader):
    changes, message = SHAPES[shape]
    path = write(tmp_path / "open.csv", changes)
    with pytest.raises(DataError, match=rf"^open\.csv: The quote that .*{message}"):
        READERS[reader](path)


@pytest.mark.parametrize("options", [{"end": "\r\n"}, {"end": "\r"}, {"encoding": "utf-16"}])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_line_ends_encodings_and_separators(tmp_path, options, separator):
    changes = {200: '1,"lev2,5', 700: '1,lev1",5'}
    path = write(tmp_path / "open.csv", changes, separator=separator, **options)
    with pytest.raises(DataError, match="opens in line 200 closes in line 700"):
        aw.read(path)


@pytest.mark.parametrize("reader", READERS)
def test_a_cell_of_two_lines_is_a_note(tmp_path, reader):
    path = write(tmp_path / "long.csv", {500: '1,"lev\n2",5'})
    table = READERS[reader](path)
    assert "A quoted cell spans several lines (500 to 501)." in map(str, table.notes)
    assert sum(table.weights) == 1000 if reader == "counts" else table.total == 1000


@pytest.mark.parametrize("reader", READERS)
def test_quotes_that_close_are_no_subject(tmp_path, reader):
    path = write(tmp_path / "good.csv", {500: '1,"lev2",5', 501: '1,"a, ""b""",5', 502: '1,5",5'})
    assert not any("quote" in note for note in READERS[reader](path).notes)


def test_packed_and_longer_than_the_first_look(tmp_path, monkeypatch):
    monkeypatch.setattr("arcwise.data.batches.HEAD", 1 << 12)
    monkeypatch.setattr("arcwise.data.batches.PARSED", 1 << 14)
    for changes in ({700: '1,"lev2,5', 730: '1,lev1",5'}, {50: '1,"lev2,5', 80: '1,lev1",5'}):
        path = write(tmp_path / "open.csv", changes)
        packed = tmp_path / "open.csv.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        for place in (path, packed):
            with pytest.raises(
                DataError, match=f"line {min(changes)} closes in line {max(changes)}"
            ):
                aw.counts(place, columns=["b"])


def test_the_first_look_may_end_inside_a_cell(tmp_path, monkeypatch):
    path = write(tmp_path / "long.csv", {500: '1,"lev\n0",5'})
    start = path.read_bytes().index(b'"lev\n0"')
    monkeypatch.setattr("arcwise.data.batches.HEAD", start + 6)
    assert aw.moments(path, columns=["a", "c"]).n == 1000


def test_arcs_in_a_file(tmp_path):
    path = tmp_path / "arcs.csv"
    path.write_text('parent,child\na,b\n"c,d\ne,f\n')
    with pytest.raises(FileError, match="opens in line 3 is never closed"):
        aw.load_graph(path)
    path.write_text('parent,child\na,"b\nc"\n')
    assert aw.load_graph(path).nodes == ("a", "b\nc")


def test_cells_that_span_lines_are_those_of_arrow():
    rng = np.random.default_rng(5)
    for _ in range(3000):
        text = "".join(rng.choice(list('aa,""\n'), rng.integers(1, 30))) + "\n"
        lines = io.StringIO(text).readlines()
        cells = list(long_cells(lines, ","))
        inside = {line for cell in cells for line in range(cell.first, cell.last)}
        blank = [
            number
            for number, line in enumerate(lines, start=1)
            if line == "\n" and number not in inside and number - 1 not in inside
        ]
        expected = len(lines) - len(inside) - len(blank)
        if any(not cell.closed for cell in cells):
            continue
        bad: list[object] = []
        table = csv.read_csv(
            pa.BufferReader(text.encode()),
            read_options=csv.ReadOptions(column_names=["a", "b"]),
            parse_options=csv.ParseOptions(
                newlines_in_values=True,
                invalid_row_handler=lambda row, bad=bad: bad.append(row) or "skip",
            ),
        )
        assert table.num_rows + len(bad) == expected, text
