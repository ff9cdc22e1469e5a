"""Tables of levels read in batches: the shell learns the same as from memory."""

import json

import pytest

import arcwise as aw


@pytest.fixture(params=[".csv", ".csv.gz", ".parquet"])
def rows(request, folder, monkeypatch):
    """4000 rows of ALARM in a file that takes many batches."""
    monkeypatch.setattr("arcwise.data.batches.CELLS", 1024)
    monkeypatch.setattr("arcwise.data.batches.HEAD", 1 << 15)
    monkeypatch.setattr("arcwise.data.stream._FOLDED", 500)
    place = folder / f"alarm{request.param}"
    frame = aw.example("alarm").sample(4000, seed=2).to_pandas()
    if request.param == ".parquet":
        frame.to_parquet(place, row_group_size=700)
    else:
        frame.to_csv(place, index=False)
    return place


@pytest.mark.parametrize("search", ["greedy", "chow-liu", "auto"])
def test_learning_by_batches_is_learning_from_memory(run, rows, search):
    for more, place in (([], "whole.json"), (["--stream"], "batches.json")):
        done = run("learn", rows, "--search", search, "-o", place, *more)
        assert done.code == 0, done.err
    assert "4000 rows were read in batches and are kept as" in done.out
    whole, found = aw.load("whole.json"), aw.load("batches.json")
    assert found.graph == whole.graph
    assert found.net.variables == whole.net.variables
    assert aw.divergence(whole, found).nats == pytest.approx(0.0, abs=1e-9)


def test_classifiers_posteriors_and_paths_by_batches(run, rows):
    few = ["--only", "HR,CO,BP,TPR", "--json"]
    ways = ([], ["--stream"])
    command = ["classify", rows, "HR", "--folds", "0"]
    one, other = (json.loads(run(*command, *few, *more).out)["arcs"] for more in ways)
    assert other == one
    one, other = (json.loads(run("posterior", rows, *few, *more).out)["edges"] for more in ways)
    one, other = ({e["first"] + e["second"]: e["forward"] for e in edges} for edges in (one, other))
    assert other == pytest.approx(one, rel=1e-6)
    one, other = (json.loads(run("path", rows, *few, *more).out)["removals"] for more in ways)
    assert [(e["first"], e["second"]) for e in other] == [(e["first"], e["second"]) for e in one]


def test_mixed_tables_are_reported_of_categories(run, folder):
    (folder / "mixed.csv").write_text("a,b\n" + "x,1.5\ny,2.5\nx,0.5\n" * 9)
    assert "model    glm" in run("learn", "mixed.csv").out
    done = run("learn", "mixed.csv", "--model", "discrete")
    assert "cut the numbers into levels with --discretise quantiles" in done.err
    done = run("learn", "mixed.csv", "--stream")
    assert "'b' holds numbers, but counts need levels" in done.err
    assert "'arcwise discretise'" in done.err
    assert run("learn", "mixed.csv", "--discretise", "quantiles").code == 0
    done = run("learn", "mixed.csv", "--stream", "--model", "gaussian")
    assert "'a' holds text or booleans, but moments need numbers" in done.err
