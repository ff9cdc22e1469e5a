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
    told = run("learn", table).out.split("partial r\n")[1].split("\n\n")[0]
    assert told == run("edges", "boston.json").out.split("partial r\n")[1].split("\n\n")[0]


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


def test_unknown_column_to_sort_by(run, net):
    done = run("edges", net, "--sort", "sterngth")
    assert (done.code, done.out) == (1, "")
    assert "There is no column to sort by 'sterngth'." in done.err


def test_a_picture_of_a_saved_network(run, net):
    pytest.importorskip("matplotlib")
    done = run("edges", net, "--plot", "net.png")
    assert done.code == 0, done.err
    assert Path("net.png").read_bytes().startswith(b"\x89PNG")
    assert "Wrote net.png (a picture)." in done.out
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
