"""Undirected and nonlinear networks from the shell."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw

GIBBS = ("--method", "gibbs")


@pytest.fixture
def curved(folder):
    """A small table with a bent dependence and a column of text."""
    rng = np.random.default_rng(0)
    a, e, c = rng.normal(size=(3, 60))
    lines = ["a,b,c,side"]
    lines += [
        f"{x},{x**2 + 0.3 * y},{z},{'left' if x < 0 else 'right'}"
        for x, y, z in zip(a, e, c, strict=True)
    ]
    Path("curved.csv").write_text("\n".join(lines) + "\n")
    return Path("curved.csv")


@pytest.fixture
def field(run, curved):
    """An undirected Parzen network of it."""
    done = run("learn", curved, "--graph", "undirected", "--model", "parzen", "-o", "field.json")
    assert done.code == 0, done.err
    return Path("field.json")


def test_learn_says_what_it_found_without_directions(run, table, small):
    done = run("learn", table, "--graph", "undirected", "--search", "boundary", "--penalty", "0.05")
    wanted = aw.learn(small, graph="undirected", search="boundary", penalty=0.05)
    assert done.code == 0, done.err
    assert aw.load("boston.json").graph == wanted.graph
    assert "graph    undirected" in done.out
    assert "0.05 nats per edge and row" in done.out
    assert f"ebic {wanted.score:.4f}" in done.out
    assert wanted.score == pytest.approx(aw.score(wanted.graph, small, score="ebic"))
    assert "at second" in done.out
    assert "->" not in done.out
    assert "direction" not in done.out
    assert sum("  --  " in line for line in done.out.splitlines()) == wanted.graph.n_edges
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_parzen_by_default_prices_and_options(run, curved):
    done = run("learn", curved, "--graph", "undirected", "--model", "parzen", "--drop", "side",
               "--option", "bandwidths=one", "--option", "min_bandwidth=0.05")  # fmt: skip
    assert done.code == 0, done.err
    net = aw.load("curved.json")
    rows = aw.read(curved).select(["a", "b", "c"])
    wanted = aw.learn(
        rows, graph="undirected", model=aw.Parzen(bandwidths="one", min_bandwidth=0.05)
    )
    assert net.graph == wanted.graph
    assert net.score == wanted.score
    assert net.settings["model_options"] == {"parzen": {"bandwidths": "one", "min_bandwidth": 0.05}}
    assert (
        "the default of parzen networks with 60 rows and 3 columns; --penalty NUMBER"
        in " ".join(done.out.split())
    )
    assert "partial r" not in done.out


def test_json_has_both_sides(run, table):
    found = json.loads(run("learn", table, "--graph", "undirected", "--score", "bic", "--json").out)
    assert found["settings"]["graph"] == "undirected"
    assert {"first_side", "second_side"} <= set(found["edges"][0])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--graph", "undirectd"], "Did you mean 'undirected'"),
        (["--graph", "undirected", "--search", "tabu"], "'boundary'"),
        (["--graph", "undirected", "--start", "complete"], "--start is for directed graphs"),
        (["--graph", "undirected", "--expert", "[RM][MEDV|RM]"], "a prior is for directed graphs"),
        (["--graph", "undirected", "--tier", "RM", "--tier", "MEDV"], "directed arcs"),
        (["--graph", "undirected", "--max-parents", "2"], "directed arcs"),
        (["--model", "parzen", "--option", "bandwidths=on"], "Did you mean 'one'"),
        (["--option", "graph=undirected"], "not a setting of"),
        (["--option", "pseudo_rows=x"], "not a setting of"),
        (["--pseudo-rows", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_words_that_make_no_sense(run, table, words, hint):
    done = run("learn", table, *words)
    assert done.code == 1
    assert hint in done.err
    assert done.err.count("\n") == 1


def test_artificial_rows(run, table, small):
    rows = "\n".join(table.read_text().splitlines()[:6])
    Path("more.csv").write_text(rows)
    done = run("learn", table, "--pseudo-rows", "more.csv")
    assert "5 artificial rows count like real ones." in done.out
    wanted = aw.learn(small, prior=aw.Prior(rows=aw.read("more.csv")))
    assert aw.load("boston.json").score == pytest.approx(wanted.score)


def test_edges_as_text_and_csv(run, field):
    out = run("edges", field).out
    assert "at first" in out
    assert "data alone" not in out
    rows = list(csv.DictReader(io.StringIO(run("edges", field, "--csv", "--all").out)))
    assert len(rows) == 6
    assert set(rows[0]) == {
        "first", "second", "present", "strength", "partial_correlation", "first_side", "second_side",
    }  # fmt: skip
    assert sum(row["present"] == "true" for row in rows) == aw.load(field).graph.n_edges


def test_query_tells_error_agreement_and_size(run, field):
    asked = ("query", field, "b", "--given", "a=1.5", "--method", "gibbs")
    done = run(*asked, "--sweeps", 100, "--chains", 8, "--seed", 1)
    assert done.code == 0, done.err
    assert done.out == run(*asked, "--sweeps", 100, "--chains", 8, "--seed", 1).out
    assert "mean" in done.out
    known = run("query", field, "b", "--json", "--sweeps", 50, "--method", "gibbs")
    assert {"error", "rhat", "ess"} <= set(json.loads(known.out))
    hidden = run("query", field, "b", "--probability", "b > 1", "--method", "gibbs")
    assert "R-hat" in hidden.out
    assert "error" in hidden.out
    assert "±" in hidden.out
    drawn = run("query", field, "b", "side", "--draws", 3)
    assert drawn.out.splitlines()[0] == "b,side"


def test_levels_are_given_and_predicted(run, field, curved):
    done = run("query", field, "b", "--given", "side=left", "--sweeps", 20)
    assert done.code == 0, done.err
    wrong = run("query", field, "b", "--given", "side=lefty", "--sweeps", 20)
    assert wrong.code == 1
    assert "left" in wrong.err
    rows = list(csv.DictReader(io.StringIO(run("predict", field, curved, "side").out)))
    assert set(rows[0]) == {"level", "p(left)", "p(right)"}
    assert len(rows) == 60
    right = sum(
        row["level"] == line.rsplit(",", 1)[1]
        for row, line in zip(rows, curved.read_text().splitlines()[1:], strict=True)
    )
    assert right > 45


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--do", "a=1"], "use --given"),
        (["--given", "x=1"], "'x'"),
        (["--method", "gird"], "Did you mean 'grid'"),
        (["--given", "a=one"], "'a'"),
    ],
)
def test_questions_that_have_no_answer(run, field, words, hint):
    done = run("query", field, "b", *words)
    assert done.code == 1
    assert hint in done.err


@pytest.mark.parametrize("option", [["--chains", "0"], ["--sweeps", "-1"], ["--seed", "x"]])
def test_numbers_of_the_simulation(run, field, option):
    assert run("query", field, "b", *option).code == 2


def test_gaussian_networks_take_no_notice_of_simulations(run, net):
    asked = ("query", net, "MEDV", "--given", "RM=6")
    assert run(*asked).out == run(*asked, "--chains", 3, "--seed", 9).out


def test_predict_impute_and_sample(run, field, curved):
    head, first, *rest = curved.read_text().splitlines()
    cells = first.split(",")
    Path("gaps.csv").write_text("\n".join([head, ",".join(["", *cells[1:]]), *rest[:4]]) + "\n")
    rows = list(csv.DictReader(io.StringIO(run("predict", field, "gaps.csv", "b", *GIBBS).out)))
    assert float(rows[0]["error"]) > 0
    assert float(rows[1]["error"]) == 0
    assert (
        run("predict", field, "gaps.csv", "b", "--seed", 1, *GIBBS).out
        != run("predict", field, "gaps.csv", "b", "--seed", 2, *GIBBS).out
    )
    filled = run("impute", field, "gaps.csv")
    assert filled.code == 0, filled.err
    assert "" not in filled.out.splitlines()[1].split(",")
    drawn = run("sample", field, "-n", 4)
    assert drawn.out.splitlines()[0] == "a,b,c,side"
    assert len(drawn.out.splitlines()) == 5


def test_validate_names_the_pseudo_likelihood(run, curved):
    done = run("validate", curved, "--graph", "undirected", "--model", "parzen", "--folds", 3)
    assert done.code == 0, done.err
    assert "log pseudo-likelihood" in done.out


def test_convert_and_compare(run, field):
    for ending in (".arcwise", ".csv", ".dot", ".json.gz"):
        assert run("convert", field, f"out{ending}").code == 0
    assert Path("out.csv").read_text().startswith("first,second\n")
    assert Path("out.dot").read_text().startswith("graph {")
    assert aw.load("out.arcwise").graph == aw.load(field).graph == aw.load_graph("out.csv")
    same = run("compare", "out.csv", field)
    assert "F1 1.000" in same.out
    other = run("compare", field, "[a][b|a][c][side]")
    assert "another kind of edge" not in other.out
    assert run("convert", "ug a:b + b:c", "ug.json").code == 0
    assert aw.load_graph("ug.json") == aw.ug("a:b + b:c")


def test_fit_a_known_undirected_graph(run, curved):
    done = run("fit", "ug a:b + c", curved, "--model", "parzen", "--option", "bandwidths=one")
    assert done.code == 0, done.err
    assert "b given a: Parzen windows on 60 rows" in done.out
    assert "loo" in done.out
    assert aw.load("curved.json").graph == aw.ug("a:b + c")
    wrong = run("fit", "ug a:b + x", curved)
    assert wrong.code == 1
    assert "'x'" in wrong.err


def test_the_advice_names_a_level_where_values_are_levels(run, curved):
    done = run("learn", curved, "--only", "a,side", "--graph", "undirected", "--model", "parzen",
               "--penalty", "0")  # fmt: skip
    assert "Next: arcwise query curved.json side --given a=" in done.out
    turned = run("learn", curved, "--only", "side,b", "--graph", "undirected", "--model", "parzen",
                 "--penalty", "0", "--require", "side -> b")  # fmt: skip
    assert "--given b=" in turned.out or "--given side=" in turned.out
