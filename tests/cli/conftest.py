"""A folder to work in, a table, a model, and two ways to run the program."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import arcwise as aw
from arcwise.cli.program import app

COLUMNS = ["RM", "AGE", "DIS", "LSTAT", "MEDV"]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command inside this process."""

    def run(*arguments: object) -> Ran:
        result = CliRunner().invoke(app, [str(each) for each in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def program(folder: Path) -> Run:
    """Run the program as a shell would."""

    def run(*arguments: object, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-c", "from arcwise.cli import main; main()", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **environment},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def small() -> aw.Table:
    """Five columns of the Boston data."""
    return aw.example("boston").select(COLUMNS)


@pytest.fixture
def table(folder: Path, small: aw.Table) -> Path:
    """The same as a CSV file."""
    path = folder / "boston.csv"
    rows = small.select(COLUMNS).to_dict()
    lines = [",".join(COLUMNS)]
    lines += [",".join(map(str, row)) for row in zip(*rows.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def learned(small: aw.Table) -> aw.Network:
    return aw.learn(small, model="gaussian")


@pytest.fixture
def net(folder: Path, learned: aw.Network) -> Path:
    """A model file."""
    return learned.save(folder / "net.json")


@pytest.fixture
def gappy(folder: Path, table: Path) -> Path:
    """The table with gaps, and with columns that the model does not know."""
    head, *rows = table.read_text().splitlines()
    rng = np.random.default_rng(0)
    lines = [f"id,{head},remark"]
    for number, row in enumerate(rows[:50], start=1):
        cells = [cell if rng.random() > 0.2 else "" for cell in row.split(",")]
        lines.append(",".join([str(number), *cells, f'"so, {number}"']))
    path = folder / "gappy.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
