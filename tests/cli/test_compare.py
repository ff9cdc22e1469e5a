"""`arcwise compare`: graphs in any form."""

import json
from pathlib import Path

import pytest

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


def test_networks_with_numbers_are_apart_by_so_many_nats(run, folder):
    coins = {
        name: aw.network("[coin]", {"coin": {"head": share, "tail": 1 - share}})
        for name, share in (("fair", 0.5), ("bent", 0.9), ("sure", 1.0))
    }
    for name, net in coins.items():
        net.save(folder / f"{name}.json")
    out = run("compare", "fair.json", "bent.json").out
    assert "D(A||B): 0.510826" in out
    assert "coin: p(coin = head) is 0.5 in A, 0.9 in B" in out
    assert "D(A||B): inf" in run("compare", "fair.json", "sure.json").out
    found = json.loads(run("compare", "fair.json", "bent.json", "--json").out)
    assert found["divergence"]["D(B||A)"]["nats"] == pytest.approx(0.3680642, abs=1e-6)
    assert found["parameters"][0]["second"] == 0.9


def test_numbers_of_other_levels_are_not_compared(run, folder):
    aw.network("[coin]", {"coin": {"head": 0.5, "tail": 0.5}}).save(folder / "a.json")
    aw.network("[coin]", {"coin": {"sd": 1.0}}).save(folder / "b.json")
    done = run("compare", "a.json", "b.json")
    assert done.code == 0
    assert "'coin' has other levels" in done.err
