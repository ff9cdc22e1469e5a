"""Figures in files."""

import gzip
import json
from pathlib import Path

import pytest

from arcwise.errors import FileError
from arcwise.io import write_figures

ROWS = [
    {"penalty": 0.1 + 0.2, "edges": None, "chosen": 0},
    {"penalty": 1e-9, "edges": 3, "chosen": 1},
]


def test_numbers_keep_every_digit_and_gaps_are_gaps(tmp_path):
    place = tmp_path / "curve.json"
    write_figures(ROWS, place)
    assert json.loads(place.read_text()) == ROWS
    write_figures(ROWS, tmp_path / "curve.csv.gz")
    text = gzip.decompress((tmp_path / "curve.csv.gz").read_bytes()).decode()
    head, first, second = text.splitlines()
    assert head == "penalty,edges,chosen"
    assert first == "0.30000000000000004,,0"
    assert float(second.split(",")[0]) == 1e-9


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"should end in .csv or .json"):
        write_figures(ROWS, tmp_path / "curve.txt")
    assert not list(Path(tmp_path).iterdir())
