"""Which structures do the defaults find? Skeleton F1 over six families of dependence, beside two peers.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/nonlinear.py [--graphs 8] [--rows 300] [--alone]

The tables are those of families.py with 8, 10 and 12 columns in turn and seeds from 500 on; the default
penalty was chosen on other seeds (100 to 107). The truth is the skeleton for directed learners and for PC,
the moral graph for undirected ones ("markov": the graph itself for all). Means over the graphs with
standard errors, and mean CPU seconds of a table; the last lines are paired differences of peers to our
directed default.

Peers run from .venv-peers (made by scripts/bench), each table in a process of its own: PyBNesian's hill
climbing by validated likelihood with patience 5, over semiparametric and over kernel density networks (it
needs an OpenCL driver, Debian: pocl-opencl-icd), and causal-learn's PC with its randomised kernel test
(RCIT) at 0.05. A peer's run that fails or takes more than CAP CPU seconds is left out of its mean and
counted beside it.
"""

import argparse
import json
import os
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from families import FAMILIES, Drawn, draw, f1

import arcwise as aw
from arcwise.graphs import skeleton

HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"
COLUMNS, FIRST_SEED, CAP = (8, 10, 12), 500, 120
OURS: dict[str, dict[str, Any]] = {
    "Parzen directed, default": {"model": "parzen"},
    "Parzen directed, 0.1": {"model": "parzen", "penalty": 0.1},
    "Parzen undirected, default": {"model": "parzen", "graph": "undirected"},
    "Parzen undirected, 0.2": {"model": "parzen", "graph": "undirected", "penalty": 0.2},
    "Gaussian directed, default": {"model": "gaussian"},
    "Gaussian undirected, default": {"model": "gaussian", "graph": "undirected"},
    "Gaussian undirected, boundary": {
        "model": "gaussian",
        "graph": "undirected",
        "search": "boundary",
    },
}
OWN = "Parzen directed, default"  # what peers are compared with, graph by graph
PEERS = {
    "PyBNesian semiparametric": "semiparametric",
    "PyBNesian KDE": "kde",
    "causal-learn PC, RCIT": "pc",
}
ONE_CORE = {
    **os.environ,
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "POCL_MAX_PTHREAD_COUNT": "1",
}


class Task(NamedTuple):
    """One table, and whether peers learn from it too."""

    family: str
    columns: int
    rows: int
    seed: int
    alone: bool


class Run(NamedTuple):
    """What one learner made of one table; F1 is NaN where it failed."""

    f1: float
    cpu: float
    version: str = ""


def tasks(graphs: int, rows: int, alone: bool) -> list[Task]:
    return [
        Task(family, COLUMNS[i % len(COLUMNS)], rows, FIRST_SEED + i, alone)
        for family in FAMILIES
        for i in range(graphs)
    ]


def judged(task: Task) -> dict[str, Run]:
    """All learners on one table."""
    drawn = draw(task.family, task.columns, task.rows, task.seed)
    found = {name: ours(drawn, words) for name, words in OURS.items()}
    if not task.alone:
        with TemporaryDirectory() as folder:
            place = Path(folder) / "x.npy"
            np.save(place, drawn.x)
            found |= {name: peer(drawn, place, word) for name, word in PEERS.items()}
    return found


def ours(drawn: Drawn, words: dict[str, Any]) -> Run:
    table = aw.table(drawn.x, names=drawn.names)
    began = time.process_time()
    graph = aw.learn(table, seed=0, progress=False, **words).graph
    spent = time.process_time() - began
    if isinstance(graph, aw.UGraph):
        return Run(f1(graph, drawn.moral), spent)
    return Run(f1(skeleton(graph), drawn.skeleton), spent)


def peer(drawn: Drawn, place: Path, word: str) -> Run:
    command = [str(PEER_PYTHON), str(HERE / "nonlinear_peer.py"), str(place), word, str(CAP)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ONE_CORE)
    if done.returncode:
        return Run(float("nan"), float("nan"))
    found = json.loads(done.stdout.splitlines()[-1])
    names = drawn.names
    graph = aw.UGraph.from_edges([(names[i], names[j]) for i, j in found["edges"]], names)
    return Run(f1(graph, drawn.skeleton), found["cpu"], found["version"])


def cell(values: np.ndarray) -> str:
    """Mean and standard error of the runs that succeeded, and how many did not."""
    there = values[np.isfinite(values)]
    failed = len(values) - len(there)
    note = f" ({failed} failed)" if failed else ""
    if len(there) < 2:
        return (f"{there[0]:.2f}" if len(there) else "") + note
    return f"{there.mean():.2f} ± {there.std(ddof=1) / np.sqrt(len(there)):.2f}{note}"


def printed(work: list[Task], found: list[dict[str, Run]]) -> None:
    """The table: a line a learner, a column a family; then what peers are ahead, graph by graph."""
    print(f"| n = {work[0].rows} | {' | '.join(FAMILIES)} | mean | CPU s |")
    print("|---" * (len(FAMILIES) + 3) + "|")
    for name in found[0]:
        version = max(runs[name].version for runs in found)
        cpu = np.array([runs[name].cpu for runs in found])
        seconds = f"{np.nanmean(cpu):.2f}" if np.isfinite(cpu).any() else ""
        line(f"{name} {version}".strip(), scores(found, name), seconds)
    for name in PEERS if not work[0].alone else ():
        line(f"{name} - {OWN}", scores(found, name) - scores(found, OWN), "")


def scores(found: list[dict[str, Run]], name: str) -> np.ndarray:
    """F1 of a learner: a row a family, a column a graph."""
    return np.array([runs[name].f1 for runs in found]).reshape(len(FAMILIES), -1)


def line(name: str, values: np.ndarray, seconds: str) -> None:
    cells = [*map(cell, values), cell(values.ravel()), seconds]
    print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=8, help="graphs of each family")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1, help="tables at the same time")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    options = parser.parse_args()
    if not options.alone and not PEER_PYTHON.is_file():
        parser.error("the peers are not installed: run scripts/bench first, or give --alone")
    work = tasks(options.graphs, options.rows, options.alone)
    with ProcessPoolExecutor(options.jobs) as pool:
        found = list(pool.map(judged, work))
    printed(work, found)


if __name__ == "__main__":
    main()
