"""Files in: formats, quirks of text, guesses, and what is refused."""

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcwise.data import Moments, Table, example, examples, moments, network_file, read, table
from arcwise.errors import ArcwiseError, DataError, OptionError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "file.csv"


def read_text(place: Path, text: str | bytes, **options: object) -> Table:
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(place, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("x,y\n1.5,2.5\n3.5,4.25\n", ""),
        ("x;y\n1.5;2.5\n3.5;4.25\n", "semicolon"),
        ("x;y\n1,5;2,5\n3,5;4,25\n", "decimal comma"),
        ("x\ty\n1.5\t2.5\n3.5\t4.25\n", "tab"),
        ("x\ty\n1,5\t2,5\n3,5\t4,25\n", "decimal comma"),
        ("x|y\n1.5|2.5\n3.5|4.25\n", "bar"),
        ("x y\n1.5 2.5\n3.5 4.25\n", "white space"),
        ("  x    y\n 1.5  2.5 \n 3.5 4.25\n", "white space"),
        ('"x","y"\n"1.5","2.5"\n"3.5","4.25"\n', ""),
        ('x,y\n"1,5","2,5"\n"3,5","4,25"\n', "decimal comma"),
        ("x,y\r\n1.5,2.5\r\n3.5,4.25\r\n", ""),
        ("x,y\r1.5,2.5\r3.5,4.25\r", ""),
        ("\n\nx,y\n1.5,2.5\n\n3.5,4.25\n\n", ""),
        (" x , y \n 1.5 , 2.5 \n3.5,4.25", ""),
        ("\ufeffx,y\n1.5,2.5\n3.5,4.25", ""),
        ("x,y\n1.5e0,2.5\n35E-1,+4.25", ""),
        ("x;y\n1.5;2.5\n3.5;4.25\n".encode("utf-16"), "utf-16"),
        ("x;y\n1.5;2.5\n3.5;4.25\n".encode("utf-16-le"), "utf-16-le"),
        (gzip.compress(b"x,y\n1.5,2.5\n3.5,4.25\n", mtime=0), ""),
    ],
)
def test_one_table_in_many_layouts(place: Path, text: str | bytes, note: str) -> None:
    found = read_text(place, text)
    assert found.order == ("x", "y")
    np.testing.assert_array_equal(found.matrix(), [[1.5, 2.5], [3.5, 4.25]])
    assert note in " ".join(map(str, found.notes))
    assert bool(found.notes) == bool(note)


def test_guesses_can_be_overruled(place: Path) -> None:
    found = read_text(place, "x;y\n1,5;2\n2,5;3\n", separator=";", decimal=".")
    assert found.variable("x").levels == ("1,5", "2,5")
    assert not found.notes
    assert read_text(place, "a~b\n1.5~2\n", separator="~").order == ("a", "b")
    assert read_text(place, "größe\n1.5\n".encode("cp1252"), encoding="latin-1").names == ("größe",)
    with pytest.raises(DataError, match="one character"):
        read(place, separator=";;")
    with pytest.raises(OptionError, match="decimal mark"):
        read(place, decimal="'", encoding="latin-1")
    with pytest.raises(OptionError, match="no encoding"):
        read(place, encoding="latin-99")
    with pytest.raises(DataError, match="does not fit the encoding utf-8"):
        read(place, encoding="utf-8")


def test_latin_text_is_guessed_and_said(place: Path) -> None:
    found = read_text(place, "größe,ort\n1.5,Köln\n2.5,Łódź\n".encode("cp1250"))
    assert found.names[0] == "größe"
    assert "cp1252" in found.notes[0]


def test_dates_with_commas_are_no_decimals(place: Path) -> None:
    found = read_text(place, "day;x\nMarch 3,2014;1\nMarch 4,2014;7\n")
    assert found.variable("day").levels == ("March 3,2014", "March 4,2014")
    assert "decimal" not in " ".join(map(str, found.notes))


def test_row_names_of_r(place: Path) -> None:
    found = read_text(place, '"x" "y"\n"1" 1.5 2\n"2" 2.5 3\n"10" 3.5 4\n')
    assert found.order == ("x1", "x", "y")
    assert found.values("x").tolist() == [1.5, 2.5, 3.5]


def test_unnamed_index_of_pandas(place: Path) -> None:
    rows = "".join(f"{i},{i * 0.5}\n" for i in range(30))
    found = read_text(place, ",y\n" + rows)
    assert found.names == ("y",)
    assert "'x1'" in found.notes[0]
    assert "consecutive numbers" in found.notes[1]


def test_a_first_line_of_numbers_is_noted(place: Path) -> None:
    found = read_text(place, "5.1,3.5\n4.9,3.1\n4.7,3.2\n")
    assert found.order == ("5.1", "3.5")
    assert "contains numbers only" in found.notes[0]


def test_gaps(place: Path) -> None:
    found = read_text(place, "x,t,k\n1.5,None,1\nNA,NA,null\nNaN,,\nnull,b,2\n,c,1\n")
    assert np.isnan(found.values("x")).tolist() == [False, True, True, True, True]
    assert found.values("t").tolist() == ["None", "NA", None, "b", "c"]
    assert found.values("k").tolist() == [1, None, None, 2, 1]


def test_further_gaps(place: Path) -> None:
    found = read_text(place, "x,t\n1.5,?\n?,b\n-999.0,a\n", na_values=["?", -999])
    assert np.isnan(found.values("x")).tolist() == [False, True, True]
    assert found.values("t").tolist() == [None, "b", "a"]


def test_words_further_down_a_long_column_are_named(place: Path) -> None:
    rows = [f"{i * 0.25},{i % 3}" for i in range(200_000)]
    rows[150_000] = "oops,1"
    found = read_text(place, "x,k\n" + "\n".join(rows))
    assert found.names == ("k",)
    assert "such as 'oops' in row 150001" in " ".join(map(str, found.notes))
    assert read(place, na_values=["oops"]).variable("x").kind == "continuous"


def test_quotes_newlines_and_truth(place: Path) -> None:
    found = read_text(place, 'a,b\n"x, ""y""\nz",true\nw,false\n')
    assert set(found.variable("a").levels or ()) == {'x, "y"\nz', "w"}
    assert found.variable("b").levels == (False, True)


def test_odd_names(place: Path) -> None:
    names = ["a b", "it's", "größe", "温度", "a:b", "x+y*z", "a|b", "[z]"]
    found = read_text(place, ",".join(names) + ',"say ""x"""\n' + ",".join(["1.5"] * 9) + "\n")
    assert found.order == (*names, 'say "x"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "file.csv: The file is empty"),
        (" \n\n ", "The file is empty"),
        ("x,y\n", "has names, but no rows"),
        ("x,y", "has names, but no rows"),
        ("x,y\n1,2\n3\n", "Row 2 has 1 cells where 2 are expected: '3'"),
        ("x,y\n1,2\n3,4,5\n", "Row 2 has 3 cells where 2 are expected"),
        ("1,1\n2,3\n", "first line of names missing"),
        ("x,y\n,\n,\n", "No column can be used"),
        ("x,y\n1,inf\n2,3\n", "'y' has infinite values"),
        (b"\x89PNG\r\n\0\0\1\2", "binary data"),
        (b"PK\3\4abc", "zip archive or a workbook"),
        (gzip.compress(b"x,y\n1,2\n3,4\n", mtime=0)[:-9], "cannot be read"),
        (b"PAR1 this is no Parquet file", "cannot be read"),
        (b"\x1f\x8b\x08 no gzip", "cannot be read"),
        ('x,y\n"1,2\n3,4\n', "quote that opens in line 2 is never closed"),
    ],
)
@pytest.mark.parametrize("function", [read, moments])
def test_bad_files_get_a_sentence(
    place: Path, function: object, text: str | bytes, said: str
) -> None:
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    if function is moments and "infinite" in said:
        said = "Column 'y' has an infinite value in row 1"
    if function is moments and said == "No column can be used":
        said = "no column of numbers"
    with pytest.raises(DataError, match=said):
        function(place)  # type: ignore[operator]


@pytest.mark.parametrize("function", [read, moments])
def test_no_file(tmp_path: Path, function: object) -> None:
    with pytest.raises(DataError, match="There is no file"):
        function(tmp_path / "none.csv")  # type: ignore[operator]
    with pytest.raises(DataError, match="is a folder"):
        function(str(tmp_path))  # type: ignore[operator]


def test_one_row_and_one_column_are_stated(place: Path) -> None:
    assert "only one row" in read_text(place, "x,y\n1,2\n").notes[0]
    assert "only one column, 'x'" in read_text(place, "x\n1.5\n2.5\n").notes[0]


def test_parquet_and_its_gzip(tmp_path: Path) -> None:
    columns = {"y": [1.5, None], "t": ["a", "b"], "k": [1, 2], "a.b": [2.5, 3.5]}
    plain = tmp_path / "data.parquet"
    pq.write_table(pa.table(columns), plain)
    packed = tmp_path / "data.parquet.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path in (plain, packed):
        found = read(path)
        assert found.variables == table(columns).variables
        assert found.order == tuple(columns)
        np.testing.assert_array_equal(found.column("y"), [1.5, np.nan])


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "parquet.gz"])
def test_a_pipe_is_read_once_and_whole(tmp_path: Path, form: str) -> None:
    columns = {"y": [1.5, 2.5, 4.5], "a": [2.5, 3.5, 3.25]}
    plain = tmp_path / "data"
    if form.startswith("csv"):
        plain.write_text("y,a\n1.5,2.5\n2.5,3.5\n4.5,3.25\n")
    else:
        pq.write_table(pa.table(columns), plain)
    content = plain.read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    sent = gzip.compress(content) if form.endswith("gz") else content
    writer = threading.Thread(target=pipe.write_bytes, args=[sent], daemon=True)
    writer.start()
    found = read(pipe)
    writer.join(timeout=10)
    assert found.order == ("y", "a")
    assert found.values("y").tolist() == columns["y"]
    assert found.values("a").tolist() == columns["a"]


def test_a_pipe_has_no_moments(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match=r"^pipe: .* must be a regular file, .*: use read\(\)"):
        moments(tmp_path / "pipe")


def test_weights_and_kinds_from_a_file(place: Path) -> None:
    found = read_text(place, "a,n\n1,10\n2,30\n", weights="n", kinds={"a": "continuous"})
    assert found.names == ("a",)
    assert found.total == 40
    assert found.fixed == {"a"}


def test_wide_files(place: Path) -> None:
    numbers = np.random.default_rng(0).normal(size=(3, 12_000)).round(3)
    header = ",".join(f"g{i}" for i in range(12_000))
    found = read_text(place, header + "\n" + "\n".join(",".join(map(str, row)) for row in numbers))
    assert len(found.variables) == 12_000
    np.testing.assert_array_equal(found.select(["g0", "g11999"]).matrix(), numbers[:, [0, -1]])


def test_a_long_single_row_fits_its_block(place: Path) -> None:
    """Cells far wider than numbers still fit into what Arrow parses at once."""
    words = ",".join("w" * 3000 for _ in range(100))
    header = ",".join(f"c{i}" for i in range(100))
    assert len(read_text(place, f"{header}\n{words}\n{words}\n").variables) == 100


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=200))
def test_no_bytes_escape_as_a_foreign_error(place: Path, content: bytes) -> None:
    for start in (b"", b"a,b\n", b"a;b\n1,5;"):
        place.write_bytes(start + content)
        for function in (read, moments):
            try:
                assert isinstance(function(place), Table | Moments)
            except ArcwiseError as error:
                assert str(error)  # noqa: PT017


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.sampled_from(["u", "v w", "x;y", 'q"r'])), min_size=2
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([".", ","]),
)
def test_what_is_written_is_read(
    place: Path, rows: list[tuple[float, str]], separator: str, decimal: str
) -> None:
    quoted = ['"' + word.replace('"', '""') + '"' for _, word in rows]
    numbers = [f'"{value!r}"'.replace(".", decimal) for value, _ in rows]
    lines = [separator.join(cells) for cells in zip(numbers, quoted, strict=True)]
    found = read_text(
        place, "\n".join([separator.join("xt"), *lines]), separator=separator, decimal=decimal
    )
    assert found.values("t").tolist() == [word for _, word in rows]
    if "x" in found.names:
        np.testing.assert_allclose(
            found.values("x").astype(float), [x for x, _ in rows], rtol=1e-15
        )


@pytest.mark.parametrize(
    ("file", "rows", "columns", "discrete"),
    [
        ("boston/boston.csv", 506, 14, {"CHAS", "RAD"}),
        ("wine/winequality_red.csv", 1599, 12, {"quality"}),
        ("sachs/sachs_all_7466x11.csv.gz", 7466, 11, set()),
        ("sachs/sachs_observational_853x11.csv", 853, 11, set()),
        ("bnlearn/asia.csv", 5000, 8, set("ASTLBEXD")),
        ("classification/iris.csv", 150, 5, None),
        ("classification/vote.csv", 435, 17, None),
        ("bnlearn/gaussian.test.csv.gz", 5000, 7, set()),
        ("finance/us_markets_2014_2018.csv", 1248, 8, set()),
    ],
)
def test_real_files(
    shared_data: Path, file: str, rows: int, columns: int, discrete: set[str] | None
) -> None:
    found = read(shared_data / file)
    assert (found.rows, len(found.variables)) == (rows, columns)
    if discrete is not None:
        assert {v.name for v in found.variables if v.discrete} == discrete


def test_names_that_occur_again_are_numbered(tmp_path: Path) -> None:
    place = tmp_path / "twice.csv"
    place.write_text("x,y,x,x.1,x\n1,2,3.5,4,5\n2,1,4.5,5,6\n")
    found = read(place)
    assert found.order == ("x", "y", "x.2", "x.1", "x.3")
    assert found.values("x.2").tolist() == [3.5, 4.5]
    assert "Column names that occur again were numbered: 'x.2' and 'x.3'." in map(str, found.notes)


def test_every_shared_csv_can_be_read(shared_data: Path) -> None:
    files = sorted([*shared_data.rglob("*.csv"), *shared_data.rglob("*.csv.gz")])
    assert len(files) > 40
    for file in files:
        found = read(file)
        assert found.rows > 0
        if file.name == "spambase.csv.gz":  # six of its columns share one name
            names = [name for name in found.order if name.startswith("char_freq")]
            assert names == ["char_freq", *(f"char_freq.{i}" for i in range(1, 6))]
            assert any("were numbered: 'char_freq.1'" in note for note in found.notes)


def test_what_unpacks_to_too_much_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a thousandth of its content; and rows by the million in a few bytes of Parquet."""
    packed, stored = tmp_path / "bomb.csv.gz", tmp_path / "bomb.parquet"
    packed.write_bytes(gzip.compress(b"a,b\n" * 1_000_000))
    pq.write_table(pa.table({"x": np.zeros(3_000_000, dtype=np.int8)}), stored)
    monkeypatch.setattr("arcwise.data.source.available", lambda: 4e6)
    with pytest.raises(
        DataError, match=r"kB unpack to more than 1.0 MB, a quarter of the available memory"
    ):
        read(packed)
    with pytest.raises(
        DataError, match=r"3e\+06 cells, more than fit into a quarter of the available memory"
    ):
        read(stored)
    assert moments(stored).n == 3e6


TABLES = [each for each in examples() if each.kind == "table"]


@pytest.mark.parametrize("entry", TABLES, ids=lambda entry: entry.name)
def test_tables_are_as_described(entry) -> None:  # type: ignore[no-untyped-def]
    found = example(entry.name)
    left_out = sum(str(note).startswith("Dropped") for note in found.notes)
    assert found.rows == entry.rows
    assert len(found.variables) + left_out == entry.columns


def test_every_entry_has_a_file_an_origin_and_terms() -> None:
    for entry in examples():
        assert entry.path.stat().st_size > 100
        assert entry.what
        assert entry.origin
        assert entry.terms


def test_the_date_is_left_out() -> None:
    assert "Dropped: 'date' (dates or times)." in map(str, example("us_markets").notes)


@pytest.mark.parametrize(("name", "nodes"), [("asia", 8), ("alarm", 37), ("sachs", 11)])
def test_networks_are_there(name: str, nodes: int) -> None:
    text = gzip.decompress(network_file(name).read_bytes()).decode()
    assert text.count("\nvariable ") == nodes


def test_unknown_names() -> None:
    with pytest.raises(OptionError, match=r"no example table 'bosten'. Did you mean 'boston'"):
        example("bosten")
    with pytest.raises(OptionError, match="no example network 'boston'"):
        network_file("boston")


def test_files_are_reproducible() -> None:
    """No time of packing is stored in the archives."""
    for entry in examples():
        assert entry.path.read_bytes()[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("boston", "boston/boston.csv"),
        ("sachs", "sachs/sachs_all_7466x11.csv.gz"),
        ("us_markets", "finance/us_markets_2014_2018.csv"),
    ],
)
def test_equal_to_the_shared_files(shared_data: Path, name: str, file: str) -> None:
    one, other = example(name), read(shared_data / file)
    assert one.variables == other.variables
    assert all((a == b).all() for a, b in zip(one.columns, other.columns, strict=True))
