"""`arcwise learn`: what is written, what is said, and that its options are those of Python."""

import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import arcwise as aw
from arcwise.api.describe import describe, no_edges
from arcwise.cli import terminal
from arcwise.notes import Stop, StopReason


def test_writes_the_model_that_python_learns(run, table, learned):
    done = run("learn", table, "--model", "gaussian")
    assert done.code == 0, done.err
    assert aw.load("boston.json").graph == learned.graph
    assert "Wrote boston.json" in done.out


def test_says_data_decision_score_search_edges_and_how_to_go_on(run, table, learned):
    out = run("learn", table, "--model", "gaussian").out
    assert "boston.csv: 506 rows, 5 columns" in out
    assert f"bic {learned.score:.4f}, proved to be the best of all graphs" in out
    assert "search   auto" in out
    strongest = learned.edges.present.sorted().rows[0]
    first = out.split("direction\n")[1].splitlines()[0]
    assert strongest.first in first
    assert strongest.second in first
    assert f"{strongest.strength:.4f}" in first
    assert "Next: arcwise query boston.json MEDV --given " in out


def advice_of(out: str) -> str:
    return out.strip().splitlines()[-1].split("arcwise ")[1]


def test_the_advice_changes_the_answer(run, table, learned):
    name, value = shlex.split(advice_of(run("learn", table).out))[-1].split("=")
    answer, plain = learned.query("MEDV", {name: float(value)}), learned.query("MEDV")
    assert abs(answer.mean - plain.mean) > 0.2 * plain.sd


def test_the_advice_without_edges_is_to_check_the_table(run, folder):
    rows = "\n".join(f"{i % 7},{i * 37 % 11}.5" for i in range(77))
    Path("apart.csv").write_text(f"a,b\n{rows}\n")
    assert advice_of(run("learn", "apart.csv").out) == "audit apart.csv"


def test_replacing_a_model_is_reported(run, table):
    assert "Wrote boston.json (the model).\n" in run("learn", table).out
    assert (
        "Wrote boston.json (the model; it replaces an earlier file).\n" in run("learn", table).out
    )
    Path("other.json").touch()
    written = json.loads(run("learn", table, "-o", "other.json", "--json").out)["written"]
    assert written == ["other.json"]


def test_the_advice_can_be_followed(run, table):
    done = run(*shlex.split(advice_of(run("learn", table).out)))
    assert done.code == 0
    assert "mean" in done.out


@pytest.mark.parametrize(
    "names",
    [
        ("-x", "--help"),
        ("--given", "-"),
        ("a", "-n 2"),
        ("-q", "b"),
        ('it\'s "5"', "$(a) `b`"),
        ("a=b", "tab\tin 'it' \\n"),
    ],
)
@pytest.mark.parametrize("edges", [True, False])
def test_the_advice_can_be_followed_whatever_the_names(run, folder, names, edges):
    head = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = [f"{i % 7 + 0.5},{i % 7 + (i % 3 if edges else i * i % 11 * 99)}.5" for i in range(40)]
    Path("in.csv").write_text("\n".join([head, *rows]))
    learned = run("learn", "in.csv", "--max-parents", int(edges), "-o", "-model of 'in'.json")
    assert learned.code == 0, learned.err
    command = advice_of(learned.out)
    words = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"],
        capture_output=True,
        text=True,
        env={"LC_ALL": "C.UTF-8"},
    )
    done = run(*words.stdout.split("\0")[:-1])
    assert done.code == 0, done.err
    if edges:
        assert "given" in done.out.splitlines()[0]
        assert "mean" in done.out
    else:
        assert done.out.startswith("in.csv: 40 rows")


def test_the_advice_is_one_line_on_a_narrow_terminal(monkeypatch, capsys):
    narrow = Console(force_terminal=True, width=20)
    monkeypatch.setattr(terminal, "_console", lambda: narrow)
    terminal.show(terminal.unbroken("Next: arcwise query a.json b --given c=1"))
    assert capsys.readouterr().out.count("\n") == 1


def test_no_edges_because_time_was_up(run, table):
    out = run("learn", table, "--time-limit", 0, "--search", "exact").out
    said = (
        "No edges: the search was stopped before it found any (the time budget of 0 s is used up)."
    )
    assert said in out
    assert said in run("edges", "boston.json").out


def test_no_edges_because_of_ctrl_c(learned):
    stopped = replace(learned, stopped=Stop(StopReason.INTERRUPTED))
    assert "stopped before it found any (stopped by Ctrl-C)" in no_edges(stopped)


def test_no_edges_because_there_is_nothing_to_find(run, folder):
    Path("in.csv").write_text("a,b\n" + "\n".join(f"{i % 4}.5,{i // 4}.5" for i in range(40)))
    assert "No edges: no dependence between variables found." in run("learn", "in.csv").out
    assert "No edges: the graph has none." in run("fit", "[a][b]", "in.csv").out
    assert "No edges: there is only one variable, a." in run("learn", "in.csv", "--only", "a").out


def test_no_edges_because_of_the_penalty(run, table):
    words = ("learn", table, "--graph", "undirected", "--model", "gaussian", "--penalty")
    assert "No edges: none is worth this penalty. A smaller penalty" in run(*words, "0.95").out
    assert (
        "No edges: none is worth this penalty. A smaller penalty" in run("edges", "boston.json").out
    )
    assert "No edges" not in run(*words, "0.1").out


def test_plain_text_without_colour_or_trailing_blanks_when_piped(run, table):
    out = run("learn", table).out
    assert "\x1b" not in out
    assert "█" not in out
    assert all(line == line.rstrip() for line in out.splitlines())
    assert max(len(line) for line in out.splitlines() if not line.startswith("note")) <= 80
    assert "better than straight lines: +" in out
    assert "; --model gaussian keeps straight lines" in " ".join(out.split())


def test_reversible_edges_are_marked(run, table, learned):
    out = run("learn", table, "--model", "gaussian").out
    marked = sum("  --  " in line for line in out.splitlines())
    assert marked == sum(not row.head for row in learned.edges.present)
    out = run("learn", table, "--model", "gaussian", "--no-certainty").out
    assert "turned off by --no-certainty. Arrow heads are unchecked." in " ".join(out.split())
    marked = sum("  --  " in line for line in out.splitlines())
    assert marked == sum(row.reversible for row in learned.edges.present)


def test_kinds_that_were_decided_are_reported(run, folder):
    aw.example("boston")
    run("data", "boston", "-o", "all.csv")
    out = run("learn", "all.csv", "--only", "RAD,TAX,CHAS").out
    said = "have few distinct integers and are treated as numbers; --kind CHAS=discrete changes"
    assert f"'CHAS' and 'RAD' {said} that for 'CHAS'." in out
    out = run("learn", "all.csv", "--only", "TAX,CHAS").out
    assert "'CHAS' has few distinct integers and is treated as numbers; --kind" in out
    out = run("learn", "all.csv", "--only", "TAX,CHAS", "--model", "parzen").out
    assert "treated as numbers" not in out


def test_json_is_one_document_with_the_same_edges(run, table, learned):
    done = run("learn", table, "--model", "gaussian", "--json")
    found = json.loads(done.out)
    assert done.err == ""
    assert found["score"] == pytest.approx(learned.score)
    assert found["written"] == ["boston.json"]
    assert found["data"]["columns"] == ["RM", "AGE", "DIS", "LSTAT", "MEDV"]
    arcs = {row["direction"] for row in found["edges"]}
    assert arcs == {f"{tail} -> {head}" for tail, head in learned.graph.arcs}


def test_quiet_prints_nothing(run, table):
    done = run("learn", table, "--quiet", "-o", "other.json")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert Path("other.json").exists()


def test_dot(run, table):
    done = run("learn", table, "--dot", "graph.dot")
    assert "Wrote graph.dot (the graph for Graphviz)." in done.out
    assert Path("graph.dot").read_text().startswith("digraph")


def test_rules_are_obeyed(run, table):
    done = run(
        "learn", table, "--require", "AGE -> MEDV", "--forbid", "MEDV -> RM",
        "--tier", "AGE,DIS", "--tier", "RM,LSTAT", "--max-parents", 2, "-q",
    )  # fmt: skip
    assert done.code == 0, done.err
    graph = aw.load("boston.json").graph
    rules = aw.Rules(["AGE -> MEDV"], ["MEDV -> RM"], [["AGE", "DIS"], ["RM", "LSTAT"]], 2)
    assert rules.on(graph.nodes).allows_graph(graph)
    assert ("AGE", "MEDV") in graph.arcs


def test_words_reach_the_library(run, table, small):
    run("learn", table, "--search", "tabu", "--score", "bge", "--option", "restarts=2",
        "--option", "walk-length=5", "--seed", 7, "--penalty", "0.01", "--start", "random", "-q")  # fmt: skip
    found = aw.load("boston.json")
    tabu = aw.Tabu(restarts=2, walk_length=5, start="random")
    wanted = aw.learn(small, search=tabu, score="bge", seed=7, penalty=0.01)
    assert found.graph == wanted.graph
    assert found.settings["search_options"] == {"restarts": 2, "walk_length": 5}
    assert found.settings["penalty"] == 0.01


def test_start_and_expert_may_be_graphs(run, table, net):
    expert = "[RM][AGE][DIS][LSTAT][MEDV|RM]"
    done = run("learn", table, "--start", net, "--search", "greedy", "--expert", expert,
               "--expert-weight", 100, "-q")  # fmt: skip
    assert done.code == 0, done.err
    assert aw.load("boston.json").graph.arcs == (("RM", "MEDV"),)


def test_columns_weights_and_marks(run, folder):
    lines = ["x,y,bad,n", *(f"{i * i % 7},{i % 5},inf,2" for i in range(20)), "-999,1,inf,3"]
    Path("in.csv").write_text("\n".join(lines))
    columns = ["--drop", "bad", "--weights", "n", "--na-values", "-999"]
    done = run("learn", "in.csv", *columns, "--missing", "drop")
    assert done.code == 0, done.err
    assert "21 rows (40 counted), 2 columns" in done.out
    assert "1 of 21 rows dropped because of missing values" in done.out


def test_weights_stay_with_only(run, folder):
    Path("in.csv").write_text("x,y,n\n1.5,2.5,2\n2.5,1,1\n4,3.25,5\n")
    done = run("learn", "in.csv", "--only", "x,y", "--weights", "n")
    assert "3 rows (8 counted), 2 columns" in done.out
    Path("in.csv").write_text("x,y,n\n1.5,2.5,1.3333333\n2.5,1,1\n4,3.25,5\n")
    done = run("learn", "in.csv", "--only", "x,y", "--weights", "n")
    assert "3 rows (7.3 counted), 2 columns" in done.out


def test_stream_learns_the_same_from_moments(run, table, learned):
    done = run("learn", table, "--stream", "--model", "gaussian", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["score"] == pytest.approx(learned.score)


def test_stream_leaves_columns_out(run, table):
    run("learn", table, "--stream", "--drop", "AGE,DIS", "-q")
    assert aw.load("boston.json").variables == ("RM", "LSTAT", "MEDV")


def test_penalty_by_cross_validation_is_reported(run, table):
    out = run("learn", table, "--penalty", "cv", "--only", "RM,MEDV,LSTAT").out
    assert "nats per arc and row, found by cross-validation" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({}, ""),
        ({"penalty": 0.0}, "0 nats per arc and row"),
        (
            {"penalty": 0.5, "penalty_rule": "cv"},
            "0.5 nats per arc and row; tuning was stopped early",
        ),
    ],
)
def test_every_penalty_is_reported_with_its_origin(learned, words, told):
    assert dict(describe(replace(learned, settings=words))).get("penalty", "") == told


def test_names_of_any_kind(run, folder):
    names = ["a b", '"q" [x|y]~+:*', "ü=1 -> z", "[bold]n", "tab\tname"]
    head = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = [
        [i % 7 + 0.5, i % 7 + i % 3, i * i % 11 + 0.5, i % 7 * 2 - i % 2, i % 5] for i in range(40)
    ]
    text = "\n".join([head, *(",".join(map(str, row)) for row in rows)])
    Path("in.csv").write_text(text)
    done = run("learn", "in.csv", "--require", '"ü=1 -> z","a b"', "--forbid", "[bold]n -> a b")
    assert done.code == 0, done.err
    net = aw.load("in.json")
    assert ("ü=1 -> z", "a b") in net.graph.arcs
    assert "[bold]n" in done.out
    assert "\t" not in done.out
    asked = run("query", "in.json", "a b", "--given", "ü=1 -> z=0.5")
    assert asked.code == 0, asked.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--search", "tabo"], "There is no search 'tabo'. Did you mean 'tabu'?"),
        (["--start", "emtpy"], "There is no start 'emtpy'. Did you mean 'empty'?"),
        (["--penalty", "-1"], "The penalty must be a non-negative number"),
        (["--require", "RM -> MDEV"], "Did you mean 'MEDV'?"),
        (["--drop", "MDEV"], "There is no column 'MDEV'. Did you mean 'MEDV'?"),
        (["--kind", "RM=discrte"], "Did you mean 'discrete'?"),
        (["--kind", "RM"], "--kind must be written as name=value, got 'RM'."),
        (["--kind", "RM=discrete", "--stream"], "--kind cannot be used with --stream"),
        (["--option", "seed=3"], "'seed' is not a setting of a search"),
        (["--option", "foo=3"], "'foo' is not a setting of"),
        (["-o", "missing/x.json"], "There is no folder 'missing' to write into"),
        (["-o", "x.bif"], "'x.bif' must end in .json or .arcwise"),
        (["-o", "boston.csv"], "'boston.csv' is read by this command"),
        (["-o", "."], "'.' is a folder"),
        (["--dot", "x.png"], "'x.png' must end in .dot or .gv"),
    ],
)
def test_user_errors(run, table, arguments, sentence):
    before = sorted(Path().iterdir())
    done = run("learn", "boston.csv", *arguments)
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("arcwise: ")
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("ending", "mark"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_network_is_drawn(run, table, ending, mark):
    pytest.importorskip("matplotlib")
    done = run("learn", table, "--plot", f"net.{ending}")
    assert done.code == 0, done.err
    assert Path(f"net.{ending}").read_bytes().startswith(mark)
    assert f"Wrote net.{ending} (a plot)." in done.out


def test_a_picture_that_cannot_be_drawn_is_rejected_before_any_work(run, table):
    done = run("learn", table, "--plot", "net.doc")
    assert done.code == 1
    assert "net.doc" in done.err
    assert not Path("boston.json").exists()
