"""Moments of files, gathered without reading them at once."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arcwise.data import Moments, moments, read
from arcwise.data import batches as batches_module
from arcwise.errors import DataError


def write_csv(path: Path, columns: dict[str, np.ndarray]) -> Path:
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        name: rng.normal(size=5000) + offset for name, offset in (("b", 1e6), ("a", 0), ("c", -3))
    }


def assert_same(one: Moments, other: Moments) -> None:
    assert one.names == other.names
    assert one.order == other.order
    assert one.n == other.n
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-8, atol=1e-6)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches_module, "CELLS", 3 * 1024)
    monkeypatch.setattr(batches_module, "HEAD", 1 << 14)


@pytest.mark.usefixtures("small_batches")
def test_csv_parquet_gzip_and_table_agree(tmp_path: Path, columns: dict[str, np.ndarray]) -> None:
    text = write_csv(tmp_path / "data.csv", columns)
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    stored = tmp_path / "data.parquet"
    pq.write_table(pa.table(columns), stored, row_group_size=700)
    wide = tmp_path / "wide.csv"
    wide.write_bytes(text.read_text().encode("utf-16"))
    expected = Moments.of(read(text))
    assert expected.order == ("b", "a", "c")
    for path in (text, packed, stored, wide):
        assert_same(moments(path), expected)


@pytest.mark.usefixtures("small_batches")
def test_decimal_commas_and_latin_letters(tmp_path: Path) -> None:
    rows = "".join(f"{i * 0.5};{i % 7}.25\n" for i in range(3000)).replace(".", ",")
    path = tmp_path / "data.csv"
    path.write_bytes(("größe;b\n" + rows).encode("latin-1"))
    found = moments(path)
    assert found.names == ("b", "größe")
    assert found.mean[1] == pytest.approx(2999 / 4)
    assert "decimal comma" in " ".join(map(str, found.notes))
    assert "cp1252" in " ".join(map(str, found.notes))


def test_gaps_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(
        pa.table({"x": [1.5, None, 3.5, -9.0], "y": [1.0, 2.0, float("nan"), 5.0]}), path
    )
    found = moments(path, na_values=[-9], missing="drop")
    assert found.n == 1
    assert tuple(map(str, found.notes)) == (
        "3 of 4 rows dropped because of missing values (most in 'x': 2, 'y': 1).",
    )
    with pytest.raises(DataError, match="No row of 4 is complete"):
        moments(path, na_values=[-9, 1.5], missing="drop")


def test_weights_are_a_column(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "d.csv", {"x": np.array([1.5, 2.5]), "w": np.array([1.0, 3.0])})
    found = moments(path, weights="w")
    assert found.names == ("x",)
    assert (found.n, found.mean[0]) == (4.0, 2.25)


def test_row_numbers_dates_and_names_are_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 1000
    stored = {
        "id": rng.permutation(rows),
        "x": rng.normal(size=rows),
        "count": rng.integers(0, rows, rows),
        "who": [f"p{i}" for i in range(rows)],
        "day": pa.array(np.arange(rows, dtype=np.int32)).cast(pa.date32()),
    }
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table(stored), path)
    found = moments(path)
    assert found.names == ("count", "x")
    assert "Dropped: 'id' (consecutive numbers of the rows)." in map(str, found.notes)
    assert "'who' and 'day'" in " ".join(map(str, found.notes))


def test_text_is_rejected_unless_excluded(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x,t,b\n1.5,u,true\n2.5,v,false\n")
    with pytest.raises(DataError, match=r"'t' and 'b' hold text .* columns="):
        moments(path)
    assert moments(path, columns=["x"]).n == 2
    with pytest.raises(DataError, match=r"no column 'X'. Did you mean 'x'"):
        moments(path, columns=["X"])


@pytest.mark.usefixtures("small_batches")
def test_a_word_beyond_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "1.5,2.5\n" * 5000 + "oops,1\n" + "1.5,3.5\n" * 10)
    with pytest.raises(DataError, match="'x' begins with numbers but contains the text 'oops'"):
        moments(path)
    assert moments(path, na_values=["oops"]).n == 5010


@pytest.mark.usefixtures("small_batches")
def test_a_ragged_row_beyond_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "1.5,2.5\n" * 5000 + "1,2,3\n")
    with pytest.raises(DataError, match="Row 5001 has 3 cells where 2 are expected"):
        moments(path)


@pytest.mark.usefixtures("small_batches")
def test_a_row_without_end(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "1.5,2.5\n" * 5000 + "1" * 100_000 + ",1\n" + "1.5,2.5\n" * 10)
    with pytest.raises(DataError, match=r"A row takes more than 16.4 kB of text"):
        moments(path)


def test_infinity_in_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"x": [1.0] * 9 + [float("inf")], "y": [0.5] * 10}), path)
    with pytest.raises(DataError, match="'x' has an infinite value in row 10"):
        moments(path)


MEASURE = """
import resource, sys
from arcwise.data import moments
found = moments(sys.argv[1])
print(found.n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(path: Path) -> tuple[float, float]:
    """Give the rows and the peak memory in MB of streaming a file in a process of its own."""
    run = [sys.executable, "-c", MEASURE, str(path)]
    out = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), float(out[1]) / 1024


def test_peak_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Forty row groups of 8 MB need hardly more than two of them."""
    rng = np.random.default_rng(0)
    group = pa.table({f"x{i:02d}": rng.normal(size=50_000) for i in range(20)})
    sizes = {}
    for groups in (2, 40):
        path = tmp_path / f"{groups}.parquet"
        with pq.ParquetWriter(path, group.schema, use_dictionary=False, compression=None) as writer:
            for _ in range(groups):
                writer.write_table(group)
        sizes[groups] = peak(path)
    assert sizes[40][0] == 2_000_000
    # The whole table would be 320 MB.
    assert sizes[40][1] - sizes[2][1] < 80
