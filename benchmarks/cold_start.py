"""Processor seconds of short commands in new processes, and of the first and the second call in one.

    .venv/bin/python benchmarks/cold_start.py [--repeats 7]

Each figure is the smallest of several runs, with one BLAS thread and compiled bytecode. `--no-certainty`
leaves out the resampled tables of the quick certainty, which are work and not start-up.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import arcwise as aw

BIN = Path(sys.executable).parent
CODE = """
import time
import arcwise as aw
homes = aw.example("boston")
for _ in range(2):
    began = time.process_time()
    aw.learn(homes, model="gaussian", certainty=False)
    print(time.process_time() - began)
"""


def environment(folder):
    """The variables of this process, with bytecode kept in a folder and one BLAS thread."""
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "OPENBLAS_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def seconds(command, folder, repeats):
    """Processor seconds of a command: the smallest of several runs after a first one."""
    figures = []
    for _ in range(repeats + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, cwd=folder, env=environment(folder), check=True, capture_output=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        figures.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(figures[1:])


def first_and_second(folder, repeats):
    """Processor seconds of the first and the second `learn` in a new process."""
    command = [sys.executable, "-c", CODE]
    runs = [
        subprocess.run(command, env=environment(folder), check=True, capture_output=True, text=True)
        for _ in range(repeats)
    ]
    return [
        min(map(float, column))
        for column in zip(*(run.stdout.split() for run in runs), strict=False)
    ]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        aw.example("boston").to_pandas().to_csv(folder / "boston.csv", index=False)
        python, arcwise = sys.executable, str(BIN / "arcwise")
        commands = {
            "import numpy": [python, "-c", "import numpy"],
            "import arcwise": [python, "-c", "import arcwise"],
            "arcwise --help": [arcwise, "--help"],
            "arcwise learn boston.csv, gaussian": [
                arcwise, "learn", "boston.csv", "--no-certainty", "--model", "gaussian",
            ],
            "arcwise learn boston.csv --no-certainty": [
                arcwise, "learn", "boston.csv", "--no-certainty",
            ],
            "arcwise learn boston.csv": [arcwise, "learn", "boston.csv"],
        }  # fmt: skip
        for label, command in commands.items():
            print(f"{label:42} {seconds(command, folder, repeats):6.3f}")
        for label, figure in zip(
            ("first", "second"), first_and_second(folder, repeats), strict=False
        ):
            print(f"aw.learn, gaussian, {label + ' call':22} {figure:6.3f}")


if __name__ == "__main__":
    main()
