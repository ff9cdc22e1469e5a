"""`arcwise compare`: graphs in any form."""

import json
from pathlib import Path

import arcwise as aw


def test_a_model_with_itself(run, net):
    out = run("compare", net, net).out
    assert "structural Hamming distance of the DAGs 0" in out
    assert "only in" not in out


def test_differences_are_listed(run, folder):
    out = run("compare", "[a][b|a][c|b]", "[a|b][b][c][d|a]").err
    assert "in one of them only: 'd'" in out
    out = run("compare", "[a][b|a][c|b]", "[a|b:c][b][c]").out
    assert "edges in both 1 (1 reversed), extra 1, missing 1" in out
    assert "only in A\n  b -> c\n" in out
    assert "only in B\n  c -> a\n" in out
    assert "a -> b in A, b -> a in B" in out


def test_json(run, folder):
    found = json.loads(run("compare", "a + b:a", "a + b", "--json").out)
    assert (found["shd"], found["extra"], found["shd_cpdag"]) == (1, 1, 1)
    assert found["differences"]["only in A"] == ["a -> b"]


def test_bif_against_arcs(run, folder):
    run("convert", aw.network_file("asia"), "asia.csv")
    assert Path("asia.csv").read_text().startswith("parent,child\n")
    found = json.loads(run("compare", aw.network_file("asia"), "asia.csv", "--json").out)
    assert (found["shd"], found["common"]) == (0, 8)


def test_no_such_file(run, net):
    done = run("compare", net, "nowhere.json")
    assert done.code == 1
    assert "There is no file 'nowhere.json'; a graph is" in done.err
