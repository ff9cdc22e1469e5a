"""`arcwise audit`: columns and findings."""

import json
from pathlib import Path


def test_columns_and_findings(run, folder):
    rows = "\n".join(f"{i * i % 13 + 0.5},{2 * (i * i % 13 + 0.5)},{i % 3},1.5" for i in range(30))
    Path("in.csv").write_text("x;twice;few;same\n".replace(";", ",") + rows + "\n")
    out = run("audit", "in.csv").out
    assert "in.csv: 30 rows, 4 columns" in out
    assert "few distinct integers" in out
    assert "Near-copies" in out
    assert "Constant: 'same'" in out


def test_json(run, table):
    found = json.loads(run("audit", table, "--json").out)
    assert found["rows"] == 506
    assert [column["name"] for column in found["columns"]] == ["RM", "AGE", "DIS", "LSTAT", "MEDV"]


def test_what_was_guessed_is_reported(run, folder):
    Path("in.csv").write_text("pH;alcohol\n3,2;9,5\n3,4;11\n")
    out = run("audit", "in.csv").out
    assert "The separator was detected as semicolon." in out
