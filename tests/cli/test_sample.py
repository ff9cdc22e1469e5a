"""`arcwise sample`: rows from a network, in every kind of file."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw


def test_as_in_python(run, net, learned):
    out = run("sample", net, "-n", 7, "--seed", 3).out
    drawn = learned.sample(7, seed=3)
    head, *rows = out.splitlines()
    assert head == "RM,AGE,DIS,LSTAT,MEDV"
    found = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    np.testing.assert_array_equal(found, np.column_stack([drawn.values(n) for n in drawn.order]))


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.parquet", "x.CSV"])
def test_files_can_be_read_back(run, net, learned, name):
    done = run("sample", net, "-n", 20, "-o", name)
    assert done.out == f"Wrote {name} (20 rows).\n"
    np.testing.assert_array_equal(aw.read(name).values("RM"), learned.sample(20).values("RM"))


def test_compressed_by_name(run, net):
    run("sample", net, "-n", 2, "-o", "x.csv.gz")
    assert gzip.decompress(Path("x.csv.gz").read_bytes()).startswith(b"RM,")


def test_at_least_one_row(run, net):
    assert run("sample", net, "-n", 0).code == 2


def test_an_existing_output_is_replaced(run, net):
    Path("x.csv").write_text("old")
    assert run("sample", net, "-n", 2, "-o", "x.csv").code == 0
    assert Path("x.csv").read_text().startswith("RM,")


def test_an_output_that_is_the_model(run, net):
    done = run("sample", net, "-o", net)
    assert done.code == 1
    assert "is read by this command" in done.err
