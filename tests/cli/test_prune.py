"""`arcwise prune`, and stacked predictions from the shell."""

import csv
import json

import arcwise as aw


def test_the_stages_are_printed_as_python_prints_them(run, table, small):
    done = run("prune", table, "MEDV", "--model", "parzen", "--option", "bandwidths=one")
    assert done.code == 0, done.err
    assert done.out.strip() == str(aw.prune(small, "MEDV", model=aw.Parzen(bandwidths="one")))
    assert len(done.out.splitlines()) == 8


def test_test_rows_table_and_json(run, table, small):
    small.to_pandas().head(100).to_csv("test.csv", index=False)
    done = run("prune", table, "MEDV", "--test", "test.csv", "-o", "stages.csv", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    wanted = aw.prune(small, "MEDV", test=aw.read("test.csv"))
    assert [stage["removed"] for stage in found["stages"]] == [s.removed for s in wanted.stages]
    with open("stages.csv") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["test"]) for row in rows] == [stage.test for stage in wanted.stages]


def test_refusals(run, table):
    assert "no variable 'MEDVV'" in run("prune", table, "MEDVV").err
    assert (
        "it is an option of --search ils" in run("prune", table, "MEDV", "--option", "rounds=3").err
    )


def test_stacked_answers_from_the_shell(run, small):
    table = "few.csv"
    small.to_pandas().head(150).to_csv(table, index=False)
    learned = run("learn", table, "--graph", "undirected", "--model", "parzen", "-o", "net.json")
    assert learned.code == 0, learned.err
    net = aw.load("net.json")
    asked = run("query", "net.json", "MEDV", "--given", "RM=7", "--method", "stacked", "--json")
    belief = net.query("MEDV", given={"RM": 7.0}, method="stacked")
    assert json.loads(asked.out)["mean"] == belief.mean
    done = run("predict", "net.json", table, "MEDV", "--method", "stacked", "-o", "out.csv")
    assert done.code == 0, done.err
    with open("out.csv") as file:
        first = next(csv.DictReader(file))
    wanted = net.predict(aw.read(table), "MEDV", method="stacked").mean[0]
    assert abs(float(first["mean"]) - wanted) < 1e-6
