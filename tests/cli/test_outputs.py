"""Tables in and out."""

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arcwise.cli.inputs import read_raw, read_table
from arcwise.cli.outputs import check, write_table
from arcwise.errors import FileError

cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(lambda t: f"x{t}")


@given(st.lists(st.tuples(cells, st.floats(-1e9, 1e9)), min_size=1, max_size=8), cells)
@example([("x;", 0.0)], "x;")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet"])
def test_what_is_written_can_be_read(tmp_path, name, rows, column):
    if column.strip() == "number":
        return
    words, numbers = zip(*rows, strict=True)
    write_table(pa.table({column: list(words), "number": list(numbers)}), tmp_path / name)
    raw = read_raw(tmp_path / name)
    assert raw.names == (column.strip(), "number")
    assert raw.arrays[0].to_pylist() == list(words)
    assert raw.arrays[1].to_pylist() == list(numbers)


def test_quotes_only_where_they_are_needed(tmp_path):
    path = tmp_path / "t.csv"
    write_table(pa.table({"a, b": [1.0, None], "c": ["x", "y"]}), path)
    assert path.read_text() == '"a, b",c\n1,x\n,y\n'


def test_columns_are_left_out_before_they_are_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1.5,inf\n2.5,3\n")
    assert read_table(path, drop=["b"]).names == ("a",)
    assert read_table(path, only=["a"]).names == ("a",)


def test_nothing_is_left_behind_when_writing_fails(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(FileError, match="No space left on device"):
        write_table(pa.table({"a": [1.0]}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x.csv", "x.CSV.gz"])
def test_destinations(tmp_path, name):
    check([(tmp_path / name, (".csv",)), (None, (".png",))])
    with pytest.raises(FileError, match=r"must end in .tsv or .png, got '.csv'"):
        check([(tmp_path / name, (".tsv", ".png"))])
    with pytest.raises(FileError, match="is written twice"):
        check([(tmp_path / name, ()), (tmp_path / "." / name, ())])


def test_an_input_by_another_name_is_still_the_input(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "in.csv")
    with pytest.raises(FileError, match="is read by this command"):
        check([(tmp_path / "link.csv", ())], [tmp_path / "in.csv"])
    check([(tmp_path / "new.csv", ())], [tmp_path / "in.csv"])
