"""What commands cost in a new process, in units of importing numpy: a slow machine is no failure."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import arcwise as aw

ARCWISE = str(Path(sys.executable).parent / "arcwise")


@pytest.fixture
def cost(tmp_path):
    """Processor seconds of a command with compiled bytecode: the smaller of two runs after a first one."""
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    own = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}

    def seconds(*command):
        figures = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = {"cwd": tmp_path, "env": plain | own, "check": True, "capture_output": True}
            subprocess.run(command, **run)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            figures.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(figures[1:])

    return seconds


@pytest.mark.slow
def test_a_command_starts_soon(cost, tmp_path):
    aw.example("boston").select(["RM", "LSTAT", "MEDV"]).to_pandas().to_csv(
        tmp_path / "small.csv", index=False
    )
    numpy = cost(sys.executable, "-c", "import numpy")
    assert cost(ARCWISE, "--help") < 4 * numpy
    assert cost(ARCWISE, "learn", "small.csv", "--model", "gaussian", "--quiet") < 20 * numpy


@pytest.mark.slow
def test_the_first_call_costs_little_more_than_the_second(cost):
    code = (
        "import time, arcwise as aw\nhomes = aw.example('boston')\nfor _ in range(2):\n"
        "    began = time.process_time()\n    aw.learn(homes, model='gaussian', certainty=False)\n"
        "    print(time.process_time() - began)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    first, second = map(float, run.stdout.split())
    assert first - second < 2 * cost(sys.executable, "-c", "import numpy")
