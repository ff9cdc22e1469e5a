"""`arcwise fit`: numbers for a known graph."""

import json

import numpy as np
import pytest

import arcwise as aw

GRAPH = "[RM][LSTAT|RM][MEDV|RM:LSTAT]"


def test_fits_and_tells_the_local_models(run, table, small):
    done = run("fit", GRAPH, table, "-o", "known.json")
    assert done.code == 0, done.err
    net, wanted = aw.load("known.json"), aw.fit(GRAPH, small)
    assert net.graph == wanted.graph
    np.testing.assert_allclose(net["MEDV"].coefficients, wanted["MEDV"].coefficients)
    assert wanted.local("MEDV") in done.out
    assert "506 rows, 3 of 5 columns" in done.out


def test_takes_the_graph_of_a_model_file(run, table, net, learned):
    assert run("fit", net, table, "-q").code == 0
    assert aw.load("boston.json").graph == learned.graph


def test_json(run, table):
    found = json.loads(run("fit", GRAPH, table, "--json").out)
    assert {row["direction"] for row in found["edges"]} >= {"RM -> MEDV"}


@pytest.mark.parametrize("text", ["RM:MEDV", "RM*MEDV + LSTAT", " RM:LSTAT + LSTAT:MEDV"])
def test_a_formula_that_does_not_say_whether_edges_have_a_direction(run, table, text):
    done = run("fit", text, table)
    assert done.code == 1
    said = " ".join(done.err.split())
    assert (
        f"write 'ug {text.strip()}' for an undirected graph; for a directed one arcs such as"
        in said
    )
    with pytest.raises(aw.GraphError, match="is ambiguous about directions"):
        aw.fit(text, aw.example("boston"))
    assert aw.fit(aw.dag(text), aw.example("boston")).directed


@pytest.mark.parametrize(
    "text", ["RM -> MEDV", "MEDV|RM", "~MEDV:RM", "RM + MEDV:RM", "[RM][MEDV|RM]"]
)
def test_formulas_that_say_it(run, table, text):
    assert run("fit", text, table, "-o", "known.json").code == 0
    assert aw.load("known.json").graph == aw.dag("RM -> MEDV")
    assert run("fit", "ug RM:MEDV", table, "-o", "known.json").code == 0
    assert aw.load("known.json").graph == aw.ug("RM:MEDV")


def test_a_variable_that_the_data_lack(run, table):
    done = run("fit", "[RM][MDEV|RM]", table)
    assert done.code == 1
    assert "Did you mean 'MEDV'?" in done.err


def test_a_cycle(run, table):
    done = run("fit", "[RM|MEDV][MEDV|RM]", table)
    assert done.code == 1
    assert "cycle" in done.err


def test_tables_stand_as_a_person_would_write_them(run, folder):
    (folder / "rows.csv").write_text("smoke,lung\n" + "yes,no\nno,no\nyes,yes\nno,no\n" * 5)
    done = run(
        "fit", "[smoke][lung|smoke]", "rows.csv", "--model", "discrete", "--option", "alpha=0"
    )
    table = (
        "lung given smoke:\n  smoke     no    yes\n  no     1.000  0.000\n  yes    0.500  0.500\n"
    )
    assert table in done.out


@pytest.mark.parametrize(
    "graph",
    ["RM -> MEDV <- LSTAT", "RM -> MEDV; LSTAT -> MEDV", "MEDV <- RM, MEDV <- LSTAT"],
)
def test_arrows_run_from_parent_to_child(run, table, graph):
    assert run("fit", graph, table, "-o", "known.json").code == 0
    assert str(aw.load("known.json").graph) == "[LSTAT][RM][MEDV|LSTAT:RM]"
    required = [word for arc in graph.split(";") for word in ("--require", arc)]
    assert run("learn", table, *required, "-o", "ruled.json").code == 0
    assert {"RM", "LSTAT"} <= set(aw.load("ruled.json").parents("MEDV"))


def test_an_arc_of_two_directions_is_an_error(run, table):
    done = run("fit", "RM <-> MEDV", table)
    assert done.code == 1
    assert "one direction" in " ".join(done.err.split())
