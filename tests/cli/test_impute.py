"""`arcwise impute`: gaps are filled, everything else stays."""

import csv
from pathlib import Path

import numpy as np
import pytest


def rows(path: str | Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_known_cells_and_other_columns_stay(run, net, gappy):
    done = run("impute", net, gappy, "-o", "out.csv")
    assert done.code == 0, done.err
    before, after = rows(gappy), rows("out.csv")
    assert list(after[0]) == list(before[0])
    for old, new in zip(before, after, strict=True):
        assert new["id"] == old["id"]
        assert new["remark"] == old["remark"]
        for name, cell in old.items():
            assert new[name] != ""
            if cell and name not in ("id", "remark"):
                assert float(new[name]) == float(cell)


def test_gaps_get_expected_values(run, net, gappy, learned):
    run("impute", net, gappy, "-o", "out.csv")
    gap = next(i for i, row in enumerate(rows(gappy)) if row["MEDV"] == "" and row["RM"])
    old, new = rows(gappy)[gap], rows("out.csv")[gap]
    known = {name: float(old[name]) for name in learned.variables if old[name]}
    assert float(new["MEDV"]) == pytest.approx(learned.query("MEDV", given=known).mean)


def test_what_was_filled_is_reported(run, net, gappy):
    cells = [row[name] for row in rows(gappy) for name in ("RM", "AGE", "DIS", "LSTAT", "MEDV")]
    done = run("impute", net, gappy, "-o", "out.csv")
    assert f"Filled {cells.count('')} gaps in " in done.out
    assert "Wrote out.csv (50 rows)." in done.out


def test_to_standard_output(run, net, gappy):
    done = run("impute", net, gappy)
    assert len(done.out.splitlines()) == 51
    assert done.err.startswith("Filled ")


def test_draws_follow_the_seed(run, net, gappy):
    first, again, other = (run("impute", net, gappy, "--draw", seed).out for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_column_that_is_absent_is_added(run, net, learned):
    Path("in.csv").write_text("note,RM\nx,6.5\ny,5.5\n")
    done = run("impute", net, "in.csv")
    head, *_ = done.out.splitlines()
    assert head.split(",")[:2] == ["note", "RM"]
    assert sorted(head.split(",")[2:]) == ["AGE", "DIS", "LSTAT", "MEDV"]
    assert "Added: AGE, DIS, LSTAT and MEDV." in done.err
    found = [float(row["MEDV"]) for row in csv.DictReader(done.out.splitlines())]
    wanted = [learned.query("MEDV", given={"RM": x}).mean for x in (6.5, 5.5)]
    np.testing.assert_allclose(found, wanted)


def test_marks_of_gaps(run, net):
    Path("in.csv").write_text("RM,AGE,DIS,LSTAT,MEDV\n6.5,?,4,-999,20\n5.5,50,3,10,21\n")
    done = run("impute", net, "in.csv", "--na-values", "?", "--na-values", "-999")
    assert done.err == "Filled 2 gaps in 1 of 2 rows.\n"
    assert "-999" not in done.out
    assert "?" not in done.out


def test_the_input_is_never_overwritten(run, net, gappy):
    content = gappy.read_bytes()
    assert run("impute", net, gappy, "-o", gappy).code == 1
    assert gappy.read_bytes() == content


def test_several_completions_are_written_to_numbered_files(run, net, gappy):
    done = run("impute", net, gappy, "--completions", 3, "-o", "filled.csv")
    assert done.code == 0, done.err
    texts = [Path(f"filled-{number}.csv").read_text() for number in (1, 2, 3)]
    assert len(set(texts)) == 3
    assert not any(",," in text for text in texts)
    assert not Path("filled.csv").exists()
    done = run("impute", net, gappy, "--completions", 3)
    assert "name them with --output" in done.err
