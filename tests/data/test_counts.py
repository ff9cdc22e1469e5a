"""Distinct rows of files of levels, read in batches."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import arcwise as aw
from arcwise.data import Moments, Table, gather_file
from arcwise.errors import DataError


def drawn(rows=3000, seed=1):
    return aw.example("asia").sample(rows, seed=seed)


def written(table, folder, ending):
    place = folder / f"asia{ending}"
    frame = table.to_pandas()
    if ending == ".parquet":
        frame.to_parquet(place, row_group_size=500)
    else:
        frame.to_csv(place, index=False)
    return place


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_learning_from_counts_is_learning_from_the_rows(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("arcwise.data.stream._FOLDED", 100)  # fold often
    table = drawn()
    place = written(table, tmp_path, ending)
    few, whole = aw.counts(place), aw.read(place)
    assert few.total == 3000
    assert few.rows < 200
    assert few.variables == whole.variables
    assert few.order == whole.order
    one, other = (aw.learn(each, score="bdeu") for each in (few, whole))
    assert one.graph == other.graph
    assert one.score == pytest.approx(other.score, rel=1e-12)
    for name in one.variables:
        np.testing.assert_allclose(one[name].table, other[name].table, rtol=1e-12)
    assert "3000 rows were read in batches" in few.notes[-1]


def test_gaps_weights_whole_numbers_and_truth_values(tmp_path):
    place = tmp_path / "few.csv"
    place.write_text("x,n,t,w\nb,10,True,2\na,9,False,1\n,9,True,5\n?,9,True,5\nb,10,True,0.5\n")
    found = aw.counts(place, weights="w", na_values=["?"])
    assert found.variable("n").levels == (9, 10)
    assert found.variable("x").levels == ("a", "b")
    assert found.total == 3.5
    assert found.rows == 2
    assert any("2 of 5 rows dropped because of missing values" in note for note in found.notes)


def test_what_cannot_be_counted_is_rejected_with_a_message(tmp_path):
    place = tmp_path / "bad.csv"
    place.write_text("x,y\na,1.5\nb,2.5\n")
    with pytest.raises(DataError, match="'y' holds numbers, but counts need levels"):
        aw.counts(place)
    assert aw.counts(place, columns=["x"]).names == ("x",)
    with pytest.raises(DataError, match="no column 'z'"):
        aw.counts(place, columns=["z"])
    place.write_text("x,y\n" + "\n".join(f"a,{2 * i}" for i in range(12)))
    with pytest.raises(DataError, match="'y' holds numbers"):
        aw.counts(place)
    with pytest.raises(DataError, match="'y' holds numbers"):
        aw.counts(place, columns=["y"])
    place.write_text("x,y\n" + "a,1\nb,0\n" * 10 + "a,maybe\n" + "a,1\n" * 10)
    with pytest.raises(DataError, match="'maybe'"):
        aw.counts(place)
    place.write_text("x,y\n,1\n,2\n")
    with pytest.raises(DataError, match=r"missing values|no value"):
        aw.counts(place, columns=["x"])


def test_distinct_rows_that_do_not_fit_are_rejected_with_their_size(tmp_path):
    place = written(drawn(), tmp_path, ".csv")
    with pytest.raises(DataError, match=r"distinct ones, .* above the 100 bytes that may be used"):
        aw.counts(place, memory=100)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr("arcwise.data.batches.CELLS", 1024)
    monkeypatch.setattr("arcwise.data.batches.HEAD", 1 << 13)
    monkeypatch.setattr("arcwise.data.stream._FOLDED", 100)


def assorted(rows=4000, seed=5):
    """Words, truth values, whole numbers, an ordered category, and shuffled numbers of the rows."""
    rng = np.random.default_rng(seed)
    size = rng.choice(["small", "large", "huge"], rows)
    order = pd.CategoricalDtype(["small", "large", "huge"], ordered=True)
    return pd.DataFrame(
        {
            "word": np.where(size == "huge", rng.choice(["a", "b "], rows), "c"),
            "sure": (size == "small") ^ (rng.random(rows) < 0.1),
            "count": rng.integers(8, 12, rows) + 4 * (size == "huge"),
            "size": pd.Series(size).astype(order),
            "id": rng.permutation(rows) + 1,
        }
    )


def same(one, other):
    """Whether the distinct rows and their weights agree."""
    assert one.variables == other.variables
    assert one.order == other.order
    keys = [np.lexsort(table.columns) for table in (one, other)]
    for a, b in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(a[keys[0]], b[keys[1]])
    np.testing.assert_allclose(one.weights[keys[0]], other.weights[keys[1]])


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_kinds_levels_and_their_order_are_those_of_a_table_in_memory(tmp_path, ending):
    frame = assorted()
    place = tmp_path / f"rows{ending}"
    if ending == ".parquet":
        frame.to_parquet(place, row_group_size=300)
    else:
        frame.to_csv(place, index=False)
    whole, found = aw.read(place), aw.counts(place)
    assert found.variable("sure").levels == (False, True)
    assert "id" not in found.names
    assert any("'id' (consecutive numbers of the rows)" in note for note in found.notes)
    assert found.variables == whole.variables
    assert found.order == whole.order
    for name in whole.names:
        expected = np.bincount(whole.column(name))
        np.testing.assert_array_equal(np.bincount(found.column(name), found.weights), expected)
    assert gather_file(place).variables == found.variables


@pytest.mark.usefixtures("small_batches")
def test_rows_and_columns_in_another_order_are_the_same_counts(tmp_path):
    frame = assorted()
    frame.to_csv(tmp_path / "one.csv", index=False)
    other = frame.sample(frac=1, random_state=1)[["size", "count", "id", "word", "sure"]]
    other.to_csv(tmp_path / "other.csv", index=False)
    names = list(frame.columns)
    same(
        aw.counts(tmp_path / "one.csv").select(names[:-1]),
        aw.counts(tmp_path / "other.csv").select(names[:-1]),
    )


def test_gaps_in_columns_of_whole_numbers_are_those_of_a_table_in_memory(tmp_path):
    place = tmp_path / "gaps.csv"
    place.write_text("x,n\n" + "a,1\nb,2\n" * 20 + "a,NA\nNA,2\nb,-9\n")
    found, whole = aw.counts(place, na_values=[-9]), aw.read(place, na_values=[-9]).complete()
    assert found.variables == whole.variables
    assert found.total == whole.rows == 41


@pytest.mark.usefixtures("small_batches")
def test_what_is_gathered_of_a_file_follows_the_kinds(tmp_path):
    """Few whole numbers are levels, many are numbers, and so are all others."""
    place, rng = tmp_path / "d.csv", np.random.default_rng(1)
    for late, kind in ((2, Table), (40, Moments)):
        x = rng.integers(0, 4, 5000)
        x[4000:] = rng.integers(0, late, 1000)  # beyond the first batches
        pd.DataFrame({"x": x, "y": x % 2}).to_csv(place, index=False)
        assert isinstance(gather_file(place), kind)
        assert isinstance(gather_file(place, levels=False), Moments)
    with pytest.raises(DataError, match="'x' holds numbers, but counts need levels"):
        gather_file(place, levels=True)
    assert gather_file(place, levels=True, drop=["x"]).names == ("y",)
    pd.DataFrame({"x": x + 0.5, "y": x % 2}).to_csv(place, index=False)
    assert gather_file(place).names == ("x", "y")


def test_memory_is_that_of_distinct_rows(tmp_path):
    """Forty row groups need hardly more than two of them."""
    group = drawn(50_000).to_arrow()
    sizes = {}
    for groups in (2, 40):
        path = tmp_path / f"{groups}.parquet"
        with pq.ParquetWriter(path, group.schema) as writer:
            for _ in range(groups):
                writer.write_table(group)
        run = [sys.executable, "-c", MEASURE, str(path)]
        done = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
        sizes[groups] = [float(each) for each in done]
    assert sizes[40][0] == 2_000_000
    assert sizes[40][1] - sizes[2][1] < 40e3  # kB; the columns alone would take 16 MB, as text 90


MEASURE = """
import resource, sys
from arcwise.data import counts
found = counts(sys.argv[1])
print(found.total, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
