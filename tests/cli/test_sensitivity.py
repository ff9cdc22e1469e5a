"""`arcwise sensitivity`: missing values shifted."""

import json
from pathlib import Path

import arcwise as aw


def test_as_in_python(run, gappy):
    columns = ("--only", "MEDV,RM,LSTAT")
    done = run(
        "sensitivity",
        gappy,
        "RM",
        *columns,
        "--shift=-1,2",
        "--query",
        "MEDV",
        "--given",
        "LSTAT=5",
    )
    assert done.code == 0, done.err
    net = aw.learn(aw.read(gappy).select(["MEDV", "RM", "LSTAT"]), certainty=False)
    wanted = net.sensitivity("RM", shifts=[-1, 2], target="MEDV", given={"LSTAT": 5.0})
    assert done.out.splitlines() == str(wanted).splitlines()
    done = run("sensitivity", gappy, "RM", *columns, "--json", "-o", "shifts.csv")
    assert json.loads(done.out)["shift"] == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert len(Path("shifts.csv").read_text().splitlines()) == 6


def test_mistakes_are_sentences(run, gappy):
    assert (
        "must be numbers separated by commas"
        in run("sensitivity", gappy, "RM", "--shift", "up").err
    )
    assert "no variable 'RMM'" in run("sensitivity", gappy, "RMM").err
