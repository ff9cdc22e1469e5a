"""`arcwise data`: what is shipped."""

import json
from pathlib import Path

import pytest

import arcwise as aw


def test_every_entry_is_listed_with_origin_and_terms(run, folder):
    out = run("data").out
    for entry in aw.examples():
        assert f"{entry.name}: {entry.kind}" in out
        assert entry.origin in out
        assert entry.terms in out


def test_json(run, folder):
    found = json.loads(run("data", "sachs", "--json").out)
    assert [entry["kind"] for entry in found] == ["table", "network"]


@pytest.mark.parametrize("name", ["boston.csv", "boston.tsv", "boston.parquet", "b.csv.gz"])
def test_a_table_is_written_whole(run, folder, name):
    done = run("data", "boston", "-o", name)
    assert done.out == f"Wrote {name} (table, 506 rows, 14 columns).\nTerms: BSD 3-clause.\n"
    found, wanted = aw.read(name), aw.example("boston")
    assert found.order == wanted.order
    assert (found.matrix() == wanted.matrix()).all()


def test_a_pipe_gets_the_data_and_a_terminal_what_is_known_of_them(run, folder, monkeypatch):
    from rich.console import Console

    from arcwise.cli import terminal

    done = run("data", "boston")
    Path("boston.csv").write_text(done.out)
    found, wanted = aw.read("boston.csv"), aw.example("boston")
    assert found.order == wanted.order
    assert (found.matrix() == wanted.matrix()).all()
    assert "Terms: BSD 3-clause." in done.err
    Path("asia.bif").write_text(run("data", "asia").out)
    assert aw.load("asia.bif").arcs == aw.load(aw.network_file("asia")).arcs
    screen = Console(force_terminal=True, width=200)
    monkeypatch.setattr(terminal, "_console", lambda: screen)
    shown = run("data", "boston").out
    assert "arcwise data boston > boston.csv" in shown
    assert "CRIM," not in shown


def test_the_ending_tells_a_network_from_a_table(run, folder):
    run("data", "sachs", "-o", "sachs.bif")
    run("data", "sachs", "-o", "sachs.csv")
    run("data", "asia", "-o", "asia.dot")
    assert aw.load_graph("sachs.bif").n_arcs == 17
    assert aw.read("sachs.csv").rows == 7466
    assert Path("asia.dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bostn"], "Did you mean 'boston'?"),
        (["-o", "x.csv"], "NAME of a table"),
        (["boston", "-o", "x.bif"], "must end in .csv, .tsv or .parquet"),
        (["boston", "-o", "missing/x.csv"], "There is no folder 'missing'"),
    ],
)
def test_user_errors(run, folder, arguments, sentence):
    done = run("data", *arguments)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err
