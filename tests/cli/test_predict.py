"""`arcwise predict`: one variable in every row."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw


def columns(text: str) -> dict[str, list[str]]:
    head, *rows = csv.reader(io.StringIO(text))
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def test_as_in_python(run, net, table, small, learned):
    done = run("predict", net, table, "MEDV", "--level", 0.5)
    wanted = learned.predict(small, "MEDV")
    found = columns(done.out)
    assert list(found) == ["mean", "sd", "low", "high"]
    np.testing.assert_allclose(np.array(found["mean"], float), wanted.mean)
    np.testing.assert_allclose(np.array(found["low"], float), wanted.interval(0.5)[0])


def test_the_error_is_reported_where_the_target_is_known(run, net, table, small, learned):
    done = run("predict", net, table, "MEDV")
    off = small.values("MEDV") - learned.predict(small, "MEDV").mean
    assert f"root mean square error {np.sqrt(np.mean(off**2)):.4g}" in done.err


def test_gaps_absent_and_extra_columns(run, net, gappy):
    done = run("predict", net, gappy, "MEDV", "-o", "out.tsv")
    assert done.code == 0, done.err
    assert done.out == "Wrote out.tsv (MEDV in 50 rows).\n"
    assert len(Path("out.tsv").read_text().splitlines()) == 51
    Path("less.csv").write_text("RM\n6.5\n5.25\n")
    done = run("predict", net, "less.csv", "MEDV")
    assert "The rows have no columns AGE, DIS and LSTAT: treated as missing." in done.err
    assert len(done.out.splitlines()) == 3


def test_consecutive_numbers_are_values_here(run, net, learned):
    Path("in.csv").write_text("LSTAT\n" + "\n".join(map(str, range(1, 21))) + "\n")
    found = columns(run("predict", net, "in.csv", "MEDV").out)
    wanted = learned.query("MEDV", given={"LSTAT": 20.0}).mean
    assert float(found["mean"][-1]) == pytest.approx(wanted)


def test_the_target_may_hold_text(run, net):
    Path("in.csv").write_text("RM,MEDV\n6.5,good\n5.25,bad\n")
    done = run("predict", net, "in.csv", "MEDV")
    assert done.code == 0, done.err
    assert "present in" not in done.err


def test_marks_of_gaps(run, net, learned):
    Path("in.csv").write_text("RM,LSTAT\n6.5,-999\n")
    found = columns(run("predict", net, "in.csv", "MEDV", "--na-values", "-999").out)
    assert float(found["mean"][0]) == pytest.approx(learned.query("MEDV", given={"RM": 6.5}).mean)


def test_keep_puts_predictions_beside_the_rows(run, net, gappy):
    run("predict", net, gappy, "MEDV", "--keep", "-o", "out.csv")
    head = Path("out.csv").read_text().splitlines()[0]
    assert head == "id,RM,AGE,DIS,LSTAT,MEDV,remark,MEDV_mean,MEDV_sd,MEDV_low,MEDV_high"
    assert '"so, 1"' in Path("out.csv").read_text()


def test_only_the_target_is_there(run, net, learned):
    Path("in.csv").write_text("MEDV\n20\n30\n")
    found = columns(run("predict", net, "in.csv", "MEDV").out)
    assert float(found["mean"][0]) == pytest.approx(learned.query("MEDV").mean)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["boston.csv", "MDEV"], "Did you mean 'MEDV'?"),
        (["nowhere.csv", "MEDV"], "There is no file 'nowhere.csv'"),
        (["boston.csv", "MEDV", "--level", 2], "must be between 0 and 1"),
        (["boston.csv", "MEDV", "-o", "boston.csv"], "is read by this command"),
        (["boston.csv", "MEDV", "-o", "net.json"], "is read by this command"),
        (["boston.csv", "MEDV", "-o", "out.xls"], "must end in .csv, .tsv or .parquet"),
    ],
)
def test_user_errors(run, net, table, arguments, sentence):
    content = table.read_bytes()
    done = run("predict", net, *arguments)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err
    assert table.read_bytes() == content


def test_a_table_of_something_else(run, net):
    Path("in.csv").write_text("height,weight\n1.5,2.5\n")
    done = run("predict", net, "in.csv", "MEDV")
    assert done.code == 1
    assert "The file has no column of the network" in done.err


def test_text_where_numbers_were(run, net):
    Path("in.csv").write_text("RM,AGE\nlarge,3.5\nsmall,4\n")
    done = run("predict", net, "in.csv", "MEDV")
    assert done.code == 1
    assert "'RM'" in done.err
    assert aw.load(net).variables[0] == "RM"
