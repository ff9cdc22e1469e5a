"""`arcwise compare`: graphs in any form."""

import json
from pathlib import Path

import arcwise as aw


def test_a_model_with_itself(run, net):
    out = run("compare", net, net).out
    assert "structural Hamming distance of the DAGs 0" in out
    assert "only in" not in out


def test_differences_are_listed(run, folder):
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


def test_nodes_that_one_graph_does_not_name_have_no_edges_there(run, folder):
    """A table of arcs has no place for nodes without arcs, unless it was written here."""
    Path("arcs.csv").write_text("from,to\na,b\n")
    done = run("compare", "[a][b|a][c][d][e|a]", "arcs.csv")
    assert done.code == 0, done.err
    assert done.err == "B does not name c, d and e: counted as nodes without edges.\n"
    assert "edges in both 1 (0 reversed), extra 1, missing 0" in done.out
    assert "only in A\n  a -> e\n" in done.out
    found = json.loads(run("compare", "arcs.csv", "[a][b|a][c]", "--json").out)
    assert (found["nodes"], found["shd"]) == (3, 0)
    assert found["notes"] == ["A does not name c: counted as a node without edges."]


def test_a_table_without_any_arc(run, folder):
    Path("arcs.csv").write_text("from,to\n")
    done = run("compare", "arcs.csv", "[a][b|a]")
    assert done.code == 0, done.err
    assert "extra 0, missing 1" in done.out


def test_graphs_of_other_things(run, folder):
    done = run("compare", "[a][b|a]", "[x][y|x]")
    assert (done.code, done.out) == (1, "")
    assert done.err == "arcwise: The two graphs share no node: A has a and b, B has x and y.\n"


def test_no_such_file(run, net):
    done = run("compare", net, "nowhere.json")
    assert done.code == 1
    assert "There is no file 'nowhere.json'; a graph is" in done.err
