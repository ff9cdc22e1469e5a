"""Distinct rows of files of levels, read in batches."""

import numpy as np
import pytest

import arcwise as aw
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
    monkeypatch.setattr("arcwise.data.tally._FOLDED", 100)  # fold often
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
    assert any("2 of 5 rows left out because of gaps" in note for note in found.notes)


def test_what_cannot_be_counted_is_refused_in_words(tmp_path):
    place = tmp_path / "bad.csv"
    place.write_text("x,y\na,1.5\nb,2.5\n")
    with pytest.raises(DataError, match="'y' holds numbers, and counts are of levels"):
        aw.counts(place)
    assert aw.counts(place, columns=["x"]).names == ("x",)
    with pytest.raises(DataError, match="no column 'z'"):
        aw.counts(place, columns=["z"])
    place.write_text("x,y\n" + "\n".join(f"a,{i}" for i in range(12)))
    with pytest.raises(DataError, match="'y' holds numbers"):
        aw.counts(place)
    place.write_text("x,y\n,1\n,2\n")
    with pytest.raises(DataError, match=r"gaps|no value"):
        aw.counts(place, columns=["x"])


def test_distinct_rows_that_do_not_fit_are_refused_with_their_size(tmp_path):
    place = written(drawn(), tmp_path, ".csv")
    with pytest.raises(DataError, match=r"distinct ones, .* above the 100 bytes that may be used"):
        aw.counts(place, memory=100)
