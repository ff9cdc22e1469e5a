"""`arcwise edges`: for people, as CSV and as JSON."""

import csv
import io
import json
from pathlib import Path

import pytest


def test_strongest_first(run, net):
    rows = list(csv.DictReader(io.StringIO(run("edges", net, "--csv").out)))
    strengths = [float(row["strength"]) for row in rows]
    assert strengths == sorted(strengths, reverse=True)


def test_csv_has_every_arc_in_its_direction(run, net, learned):
    rows = csv.DictReader(io.StringIO(run("edges", net, "--csv").out))
    assert {(row["from"], row["to"]) for row in rows} == set(learned.graph.arcs)


def test_strengths_are_those_told_when_learning(run, table):
    told = run("learn", table, "--model", "gaussian").out.split("direction\n")[1].split("\n\n")[0]
    assert told == run("edges", "boston.json").out.split("direction\n")[1].split("\n\n")[0]


def test_all_pairs(run, net):
    rows = list(csv.DictReader(io.StringIO(run("edges", net, "--all", "--csv").out)))
    assert len(rows) == 10
    assert {row["present"] for row in rows} <= {"true", "false"}


def test_json_is_strict(run, net):
    found = json.loads(run("edges", net, "--all", "--json").out, parse_constant=pytest.fail)
    assert len(found["edges"]) == 10


def test_for_people(run, net, learned):
    out = run("edges", net).out
    count = learned.graph.n_arcs
    assert f"{count} edges. Strength (nats)" in out


def test_sort_by_names(run, net):
    rows = list(csv.DictReader(io.StringIO(run("edges", net, "--sort", "names", "--csv").out)))
    pairs = [sorted((row["from"], row["to"])) for row in rows]
    assert pairs == sorted(pairs)


def test_losses_after_refitting_are_explained_and_sorted_by(run, table):
    assert run("fit", "ug RM:LSTAT:DIS + LSTAT:MEDV", table, "-o", "ug.json").code == 0
    out = " ".join(run("edges", "ug.json", "--refit").out.split())
    assert "Refit loss (nats per row): the loss in likelihood without the edge, all" in out
    assert "Refit loss" not in run("edges", "ug.json").out
    found = run("edges", "ug.json", "--refit", "--sort", "refit_loss", "--csv").out
    losses = [float(row["refit_loss"]) for row in csv.DictReader(io.StringIO(found))]
    assert losses == sorted(losses, reverse=True)
    strengths = [float(row["strength"]) for row in csv.DictReader(io.StringIO(found))]
    assert len(losses) == len(strengths) == 4
    assert "--sort refit_loss needs --refit" in run("edges", "ug.json", "--sort", "refit_loss").err


def test_strengths_below_zero_are_explained(run, folder):
    Path("in.csv").write_text("a,b\n" + "\n".join(f"{i % 4}.5,{i // 4}.5" for i in range(40)))
    words = (
        "--graph",
        "undirected",
        "--model",
        "gaussian",
        "--score",
        "bic",
        "--require",
        "a -- b",
    )
    done = run("learn", "in.csv", *words)
    said = "Strength below 0: the score is better without the edge."
    assert said in done.out
    assert said in run("edges", "in.json").out
    assert "boundary, " in done.out  # not "auto"
    assert said not in run("fit", "ug a:b", "in.csv").out


def test_unknown_column_to_sort_by(run, net):
    done = run("edges", net, "--sort", "sterngth")
    assert (done.code, done.out) == (1, "")
    assert "There is no column to sort by 'sterngth'." in done.err


def test_a_picture_of_a_saved_network(run, net):
    pytest.importorskip("matplotlib")
    done = run("edges", net, "--plot", "net.png")
    assert done.code == 0, done.err
    assert Path("net.png").read_bytes().startswith(b"\x89PNG")
    assert "Wrote net.png (a plot)." in done.out
    assert run("edges", net, "--plot", "all.svg", "--csv").out == run("edges", net, "--csv").out
    run("edges", net, "--plot", "few.svg", "--top", "1")
    assert Path("few.svg").read_text().count('id="line ') == 1
    assert Path("all.svg").read_text().count('id="line ') > 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--plot", "net.doc"], "net.doc"),
        (["--plot", "no/net.png"], "no"),
        (["--top", "3"], "--plot"),
    ],
)
def test_pictures_that_cannot_be_drawn(run, net, words, hint):
    done = run("edges", net, *words)
    assert (done.code, done.out) == (1, "")
    assert hint in done.err


def test_local_models_are_shown_too(run, net, learned):
    out = run("edges", net, "--local", "MEDV").out
    assert learned.local("MEDV").splitlines()[0] in out
    assert "Did you mean 'MEDV'?" in run("edges", net, "--local", "MDEV").err
