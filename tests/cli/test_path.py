"""`arcwise path`: removals, curve, picture, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest

import arcwise as aw


def test_every_removal_is_reported(run, table, small):
    done = run("path", table, "--search", "boundary")
    wanted = aw.path(small, search="boundary")
    assert done.code == 0, done.err
    assert "boston.csv: 506 rows, 5 columns" in done.out
    told = [line for line in done.out.splitlines() if " -- " in line]
    lines = [line for line in told if not line.startswith("note")]
    assert any("curved: +" in line for line in told)
    assert len(lines) == len(wanted.path.removals) == 10
    last = wanted.path.removals[-1]
    assert lines[-1].split()[:2] == ["0", f"{last.penalty:.4f}"]
    assert "nats per edge and row" in done.out
    assert not list(Path().glob("*.json"))


def test_the_curve_and_its_picture_are_written(run, table, small):
    pytest.importorskip("matplotlib")
    done = run("path", table, "-o", "curve.csv", "--plot", "curve.png")
    assert done.code == 0, done.err
    with open("curve.csv") as file:
        rows = [(float(row["penalty"]), int(row["edges"])) for row in csv.DictReader(file)]
    assert rows == aw.path(small).curve()
    assert Path("curve.png").read_bytes().startswith(b"\x89PNG")
    assert "Wrote curve.csv (edges against penalty)." in done.out
    for ending, mark in ((".svg", b"<?xml"), (".pdf", b"%PDF")):
        run("path", table, "--plot", f"curve{ending}", "-q")
        assert Path(f"curve{ending}").read_bytes().startswith(mark)


def test_json_and_quiet(run, table):
    found = json.loads(run("path", table, "--search", "boundary", "--json", "-o", "curve.tsv").out)
    assert found["written"] == ["curve.tsv"]
    assert len(found["removals"]) == 10
    assert found["settings"]["model"] == "gaussian"
    done = run("path", table, "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_words_reach_the_library(run, table, small):
    found = json.loads(
        run("path", table, "--score", "loo", "--search", "deletion", "--forbid", "RM -> AGE",
            "--require", "DIS -> AGE", "--only", "RM,AGE,DIS", "--json").out
    )  # fmt: skip
    wanted = aw.path(
        small.select(["RM", "AGE", "DIS"]), score="loo", search="deletion",
        rules=aw.Rules(["DIS -> AGE"], ["RM -> AGE"]),
    )  # fmt: skip
    assert found["knots"] == wanted.document()["knots"]
    assert found["settings"]["search"] == "deletion"


def test_a_stream_will_do(run, table):
    assert run("path", table, "--stream").code == 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--search", "greedy"], "'boundary'"),
        (["--model", "parzn"], "Did you mean 'parzen'"),
        (["--option", "penalty=1"], "not a setting of"),
        (["--option", "steps=1"], "no option here"),
        (["-o", "curve.png"], "curve.png"),
        (["--plot", "curve.doc"], "curve.doc"),
        (["-o", "boston.csv"], "boston.csv"),
        (["--plot", "no/where.png"], "no"),
    ],
)
def test_what_makes_no_sense_is_rejected_before_any_work(run, table, words, hint):
    before = table.read_bytes()
    done = run("path", table, *words)
    assert done.code == 1
    assert hint in done.err
    assert table.read_bytes() == before


@pytest.mark.parametrize("option", [["--penalty", "1"], ["--graph", "directed"], ["--tier", "RM"]])
def test_options_that_a_path_does_not_have(run, table, option):
    assert run("path", table, *option).code == 2


def test_time_is_up(run, table):
    done = run("path", table, "--time-limit", 0)
    assert done.code == 0, done.err
    assert "time budget of 0 s" in done.out


def test_partial_correlations_are_written_and_drawn(run, table, small):
    pytest.importorskip("matplotlib")
    done = run("path", table, "--edges", "edges.csv", "--plot-edges", "edges.svg")
    assert done.code == 0, done.err
    with open("edges.csv") as file:
        found = list(csv.DictReader(file))
    wanted = aw.path(small).edge_rows()
    assert [(row["first"], row["second"]) for row in found] == [
        (row.first, row.second) for row in wanted
    ]
    for one, two in zip(found, wanted, strict=True):
        assert float(one["penalty"]) == two.penalty
        assert float(one["partial_correlation"]) == two.partial_correlation
    assert Path("edges.svg").read_bytes().startswith(b"<?xml")
    assert "Wrote edges.svg (a plot of partial correlations)." in done.out


def test_other_paths_have_edges_but_no_partial_correlations(run, table):
    pytest.importorskip("matplotlib")
    done = run("path", table, "--search", "boundary", "--edges", "edges.csv", "--only", "RM,AGE")
    assert done.code == 0, done.err
    assert Path("edges.csv").read_text().splitlines()[1:] == ["0,AGE,RM,"]
    done = run("path", table, "--search", "boundary", "--plot-edges", "edges.png")
    assert done.code == 1
    assert "--search glasso" in done.err


def test_one_file_for_two_things_is_rejected(run, table):
    done = run("path", table, "-o", "same.csv", "--edges", "same.csv")
    assert done.code == 1
    assert "written twice" in done.err
    assert not Path("same.csv").exists()
