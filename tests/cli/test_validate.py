"""`arcwise validate`: as in Python."""

import json

import pytest

import arcwise as aw


def test_json_is_what_python_gives(run, table, small):
    done = run("validate", table, "--folds", 3, "--search", "greedy", "--seed", 2, "--json")
    wanted = aw.validate(small, folds=3, search="greedy", seed=2).document()
    found = json.loads(done.out)
    assert found["log_density"]["mean"] == pytest.approx(wanted["log_density"]["mean"])
    assert found["edges"] == wanted["edges"]


def test_for_people(run, table):
    out = run("validate", table, "--folds", 3).out
    assert "506 in 3 folds" in out
    assert "nats per held-out row" in out
    assert "Each variable is predicted from all others." in out


def test_rules_hold_in_every_fold(run, table):
    out = run("validate", table, "--folds", 3, "--max-parents", 0, "--json").out
    assert json.loads(out)["edges"] == [0, 0, 0]


def test_more_folds_than_rows(run, table):
    done = run("validate", table, "--folds", 1000)
    assert (done.code, done.out) == (1, "")


def test_own_folds_a_graph_and_a_target(run, folder, small):
    part = [f"p{row % 4}" for row in range(506)]
    rows = [",".join([*small.names, "part"])]
    values = [small.values(name) for name in small.names]
    rows += [",".join(map(str, row)) for row in zip(*values, part, strict=True)]
    (folder / "parts.csv").write_text("\n".join(rows))
    words = "--folds", "part", "--graph", "RM -> MEDV", "--predict", "MEDV", "--json"
    done = run("validate", "parts.csv", *words)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    wanted = aw.validate(small, folds=part, graph="RM -> MEDV", target="MEDV").document()
    assert found["variables"]["MEDV"]["rmse"] == pytest.approx(wanted["variables"]["MEDV"]["rmse"])
    assert found["edges"] == [1, 1, 1, 1]
