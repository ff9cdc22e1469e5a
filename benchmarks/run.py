"""Speed beside the peers: prints one table; every figure is CPU seconds of one process.

    scripts/bench [--alone] [--quick]

Each line is measured in a fresh process on one core, from a table in memory to the found graph, moments
included; the least of several calls is shown, and the first call beside it. Peers from PyPI run in the
same session on the same data. pcalg's figures are given facts, measured elsewhere (2-core x86-64). A limit
is what the project promises.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from data import parquet, simulated, wide

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "bench"
ONE_CORE = {
    **os.environ,
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
PEER_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"


@dataclass(frozen=True)
class Task:
    """A line of the table."""

    search: str
    score: str
    p: int
    n: int
    repeats: int = 3
    peer: str = ""
    peer_repeats: int = 1
    fact: tuple[str, float] | None = None
    limit: float | None = None
    columns: int = 0
    slow: bool = False


TASKS = (
    Task("greedy", "bic", 50, 1000, 5, "PyBNesian hc", 3),
    Task("greedy", "bic", 50, 10000, 5, "PyBNesian hc", 2),
    Task("greedy", "bic", 200, 1000, 5, "PyBNesian hc", 1),
    Task("greedy", "bic", 11, 1000, 5, "pgmpy hc", 1),
    Task("greedy", "ebic1", 1000, 1000, 2, limit=5),
    Task("greedy", "ebic1", 10000, 500, 1, limit=600, slow=True),
    Task("ges", "bic", 11, 1000, 5, "causal-learn GES", 1),
    Task("ges", "bic", 50, 1000, 5, "causal-learn GES", 1, ("pcalg", 0.14)),
    Task("ges", "bic", 50, 10000, 10, fact=("pcalg", 0.14)),
    Task("ges", "bic", 200, 1000, 5, fact=("pcalg", 5.1)),
    Task("ges", "bic", 200, 10000, 5, fact=("pcalg", 2.8)),
    Task("ges", "ebic1", 1000, 1000, 2, limit=30),
    Task("ges", "ebic1", 10000, 500, 1, slow=True),
    Task("exact", "bic", 50, 1000, 5, "causal-learn exact", 1, columns=12),
    Task("exact", "bic", 50, 1000, 3, limit=1, columns=14),
    Task("exact", "bic", 50, 1000, 1, limit=60, columns=20),
    Task("auto", "bic", 50, 1000, 1),
    Task("auto", "bic", 200, 1000, 1),
)


def measured(command: list[str]) -> dict[str, float] | None:
    """Run one measurement; None where it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ONE_CORE)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None


def ours(task: Task, path: Path) -> dict[str, float]:
    words = [str(path), task.search, task.score, str(task.columns), str(task.repeats)]
    found = measured([sys.executable, str(HERE / "ours.py"), *words])
    if found is None:
        raise SystemExit(f"bench: our own {task.search} failed on {path.name}")
    return found


def peers(task: Task, path: Path, alone: bool) -> list[tuple[str, float]]:
    found = [] if task.fact is None else [(f"{task.fact[0]} (fact)", task.fact[1])]
    if task.peer and not alone and PEER_PYTHON.is_file():
        words = [str(path), task.peer, str(task.columns), str(task.peer_repeats)]
        result = measured([str(PEER_PYTHON), str(HERE / "peer.py"), *words])
        if result is not None:
            found.insert(0, (task.peer, result["cpu"]))
    return found


def start_up() -> None:
    code = "import time; a = time.process_time(); import arcwise; print(time.process_time() - a)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    print(f"import arcwise: {min(times):.3f} s CPU (limit 0.3)")


def growth() -> None:
    print("\ngrowth of greedy BIC with rows (50 columns) and with columns (1000 rows), CPU seconds")
    for p, n in ((50, 1000), (50, 10000), (50, 100000), (11, 1000), (50, 1000), (200, 1000)):
        found = ours(Task("greedy", "bic", p, n), simulated(FOLDER, p, n))
        print(f"  {p:4d} columns x {n:6d} rows: {found['cpu']:.4f}, {found['memory'] / 1e6:.0f} MB")


STREAM = """
import json, resource, sys, time
import arcwise as aw
cpu = time.process_time()
found = aw.moments(sys.argv[1])
size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"cpu": time.process_time() - cpu, "memory": size, "rows": found.n}))
"""


def streaming() -> None:
    """Moments of a Parquet file read row group by row group: peak memory against its numbers."""
    path = parquet(FOLDER, 2_000_000, 20, 40)
    found = measured([sys.executable, "-c", STREAM, str(path)])
    if found is not None:
        print(
            f"\nmoments of a Parquet file of {found['rows']:.0f} rows x 20 columns (320 MB of numbers): "
            f"{found['cpu']:.2f} s CPU, peak memory of the process {found['memory'] / 1e6:.0f} MB"
        )


def main(alone: bool, quick: bool) -> None:
    start_up()
    head = f"{'search':8}{'score':7}{'columns x rows':16}{'CPU':>9}{'first':>9}{'wall':>9}{'SHD':>6}{'MB':>6}"
    print(f"\n{head}  peer, CPU, how many times slower")
    for task in TASKS:
        if quick and task.slow:
            continue
        make = simulated if task.p <= 2000 else wide
        path = make(FOLDER, task.p, task.n)
        found = ours(task, path)
        shd = f"{found['shd']:.0f}" if "shd" in found else ""
        size = f"{task.columns or task.p} x {task.n}"
        line = (
            f"{task.search:8}{task.score:7}{size:16}{found['cpu']:9.4f}{found['first']:9.4f}"
            f"{found['wall']:9.4f}{shd:>6}{found['memory'] / 1e6:6.0f}"
        )
        notes = [
            f"{name} {cpu:.3g} s, {cpu / found['cpu']:.0f}x"
            for name, cpu in peers(task, path, alone)
        ]
        if task.limit is not None:
            notes.append(f"limit {task.limit:g} s")
        print(f"{line}  {'; '.join(notes)}", flush=True)
    growth()
    streaming()


if __name__ == "__main__":
    main("--alone" in sys.argv, "--quick" in sys.argv)
