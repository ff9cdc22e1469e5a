"""Gaussian Markov networks in the shell."""

import csv
import json

import pytest

import arcwise as aw

WORDS = ("--graph", "undirected", "--model", "gaussian")


def test_learn_by_the_lasso(run, table, small):
    done = run("learn", table, *WORDS, "--penalty", "ebic")
    assert done.code == 0, done.err
    wanted = aw.learn(small, graph="undirected", model="gaussian", penalty="ebic")
    net = aw.load("boston.json")
    assert net.graph == wanted.graph
    assert "(rho), found by EBIC" in done.out
    assert "EBIC (gamma 0.5) is highest" in done.out
    assert "partial r" in done.out
    assert "at first" not in done.out
    asked = run("query", "boston.json", "MEDV", "--given", "LSTAT=5")
    assert "mean" in asked.out
    exact = wanted.query("MEDV", given={"LSTAT": 5.0})
    assert f"{exact.mean:.4g}" in asked.out


def test_options_and_rules_reach_it(run, table):
    done = run("learn", table, *WORDS, "--penalty", "0.1", "--option", "refit=false", "--option",
               "diagonal=false", "--forbid", "RM -- MEDV", "--json")  # fmt: skip
    found = json.loads(done.out)
    assert found["settings"]["penalty"] == 0.1
    assert found["settings"]["search_options"] == {"refit": False, "diagonal": False}
    assert not any({e["first"], e["second"]} == {"RM", "MEDV"} for e in found["edges"])
    assert {edge["sign"] for edge in found["edges"]} <= {-1, 1}
    done = run("edges", "boston.json", "--refit")
    assert done.code == 1
    assert "refit" in done.err


@pytest.mark.parametrize("rule", ["stars", "ric", "cv"])
def test_other_rules(run, table, rule):
    done = run("learn", table, *WORDS, "--penalty", rule)
    assert done.code == 0, done.err
    assert "(rho), found by" in done.out


def test_how_the_penalty_was_chosen_is_written(run, table, small):
    pytest.importorskip("matplotlib")
    done = run("learn", table, *WORDS, "--penalty", "stars", "--tuning", "curve.csv",
               "--tuning", "curve.json", "--tuning", "curve.svg")  # fmt: skip
    assert done.code == 0, done.err
    assert "Wrote curve.csv (how the penalty was chosen)." in done.out
    wanted = aw.learn(small, graph="undirected", model="gaussian", penalty="stars").tuning_rows()
    with open("curve.json") as file:
        assert json.load(file) == wanted
    with open("curve.csv") as file:
        rows = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    assert rows == wanted
    with open("curve.svg") as file:
        assert file.read().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--penalty", "0.2", "--tuning", "curve.csv"], "--penalty 0.2 gives a number"),
        (["--tuning", "curve.txt"], "must end in"),
        (["--tuning", "boston.csv"], "read by this command"),
        (["--tuning", "boston.json"], "written twice"),
        (["--tuning", "a.csv", "--tuning", "a.csv"], "written twice"),
        (["--tuning", "no/where.csv"], "no folder"),
    ],
)
def test_curves_that_cannot_be_written_are_rejected_before_any_work(run, table, words, hint):
    done = run("learn", table, *WORDS, *words)
    assert done.code == 1
    assert hint in done.err
    assert not list(table.parent.glob("*.json"))


def test_fit_and_edges_after_refitting(run, table):
    done = run("fit", "ug RM:LSTAT + LSTAT:MEDV", table, "--model", "gaussian")
    assert done.code == 0, done.err
    assert "MEDV = " in done.out
    assert "(se" not in done.out
    shown = run("edges", "boston.json", "--refit")
    assert "refit loss" in shown.out
    rows = list(csv.DictReader(run("edges", "boston.json", "--refit", "--csv").out.splitlines()))
    assert {row["sign"] for row in rows} == {"-1"}
    assert all(float(row["refit_loss"]) >= float(row["strength"]) - 1e-9 for row in rows)


def test_the_path(run, table, small):
    done = run("path", table, "--model", "gaussian", "-o", "curve.csv")
    assert done.code == 0, done.err
    assert "at penalty" in done.out
    assert "Penalties in rho." in done.out
    with open("curve.csv") as file:
        rows = [(float(row["penalty"]), int(row["edges"])) for row in csv.DictReader(file)]
    assert rows == aw.path(small, model="gaussian").curve()


def test_a_stream_will_do(run, table):
    assert run("learn", table, *WORDS, "--stream").code == 0
    done = run("learn", table, *WORDS, "--stream", "--penalty", "stars")
    assert done.code == 1
    assert "rows" in done.err


def test_a_file_has_a_penalty_for_each_pair(run, table, small):
    """A pair that costs too much has no edge, whatever the others pay."""
    names, first = small.order, set(small.order[:2])
    with open("prices.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["", *names])
        for one in names:
            rows.writerow([one, *(5.0 if {one, two} == first else 0.01 for two in names)])
    words = ("learn", table, *WORDS, "-o", "net.json")
    for more in (("prices.csv",), ("1", "--option", "factors=prices.csv")):
        done = run(*words, "--penalty", *more)
        assert done.code == 0, done.err
        edges = {frozenset(edge) for edge in aw.load("net.json").graph.edges}
        assert first not in edges
        assert len(edges) > 5
    wrong = run(*words, "--penalty", "no-such.csv")
    assert wrong.code == 1
    assert "no-such.csv" in wrong.err
