"""The graphical lasso beside its peers: prints one table; every figure is CPU seconds of one process.

    .venv/bin/python benchmarks/glasso.py [--alone] [--quick]

Sparse precision matrices, half as many rows as columns (the shared script's ggm sets), covariances with
divisor n, the diagonal penalised. Each line is a fresh process on one core; the least of several calls is
shown. KKT is the largest breach of a condition for the maximum over the penalty, computed the same way for
everyone from the inverse of the precision matrix that was handed back. Peers from PyPI run from .venv-peers,
those of R where Rscript has them; figures marked "elsewhere" were measured on another two-core machine.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from data import shared_folder

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "bench"
PEER_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"
ONE_CORE = {
    **os.environ,
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
# Columns, penalty, limit, and what the peers took elsewhere (seconds, KKT).
FITS = (
    (200, 0.20, 0.05, {"R glasso": (0.07, 1e-5), "R huge": (0.61, None), "GGLasso": (0.07, 5e-3),
                       "scikit-learn": (2.2, 3e-3)}),
    (500, 0.15, 0.4, {"R glasso": (0.95, 2e-5), "R huge": (0.77, 2e-5), "GGLasso": (0.56, 1e-2),
                      "scikit-learn": (60.0, 4e-3)}),
    (1000, 0.12, 1.0, {"R glasso": (9.0, 2e-5), "R huge": (1.8, 3e-5), "GGLasso": (2.7, 4e-2)}),
    (2000, 0.10, 9.0, {"R glasso": (91.0, 4e-6), "R huge": (17.5, 3e-5), "GGLasso": (22.0, 0.16)}),
)  # fmt: skip
KNOWN = (
    (200, 0.05, {"R glasso known": (0.26, None), "R ggm": (0.70, None)}),
    (500, 0.5, {"R ggm": (9.4, None)}),
)
# Too long to be run again for every table.
SLOW = {("scikit-learn", 500), ("R glasso", 2000), ("GGLasso", 2000)}


def covariance(p: int) -> Path:
    """The file with the covariance of the ggm set of p columns, and its true edges beside it."""
    path = FOLDER / f"ggm_p{p}.cov"
    if not path.is_file():
        import runpy

        FOLDER.mkdir(parents=True, exist_ok=True)
        _, x, edges = runpy.run_path(str(shared_folder() / "simulate.py"))["ggm"](p)
        np.savetxt(f"{path}.edges", edges, fmt="%d")
        np.cov(x.T, bias=True).tofile(path)
    return path


def measured(command: list[str]) -> dict[str, float] | None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ONE_CORE)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1].replace("nan", "NaN").replace("NaNN", "NaN")) if lines else None


def ours(path: Path, what: str, penalty: float, repeats: int) -> dict[str, float]:
    words = [str(path), what, str(penalty), str(repeats)]
    found = measured([sys.executable, str(HERE / "glasso_peer.py"), *words])
    if found is None:
        raise SystemExit(f"bench: our own {what} failed on {path.name}")
    return found


def peer(path: Path, name: str, penalty: float) -> dict[str, float] | None:
    words = [str(path), name, str(penalty), "1"]
    if name.startswith("R "):
        run = shutil.which("Rscript")
        return measured([run, str(HERE / "glasso_peer.R"), *words]) if run else None
    if not PEER_PYTHON.is_file():
        return None
    return measured([str(PEER_PYTHON), str(HERE / "glasso_peer.py"), *words])


def beside(path: Path, p: int, penalty: float, facts: dict, cpu: float, alone: bool) -> str:
    """What the peers take: here, or as measured elsewhere."""
    notes = []
    for name, (seconds, kkt) in facts.items():
        found = None if alone or (name, p) in SLOW else peer(path, name, penalty)
        if found is not None:
            seconds, kkt = found["cpu"], found["kkt"]
        far = "" if found is not None else " (elsewhere)"
        breach = "" if kkt is None or np.isnan(kkt) else f" KKT {kkt:.0e}"
        notes.append(f"{name} {seconds:.3g} s{breach}, {seconds / cpu:.0f}x{far}")
    return "; ".join(notes)


def main(alone: bool, quick: bool) -> None:
    print(
        f"{'problem':26}{'CPU':>8}{'limit':>7}{'KKT':>9}{'gap':>9}{'edges':>7}  peers, how many times slower"
    )
    for p, penalty, limit, facts in FITS[: 2 if quick else None]:
        path = covariance(p)
        found = ours(path, "arcwise", penalty, 5 if p < 1000 else 3)
        line = f"{f'{p} columns at {penalty}':26}{found['cpu']:8.3f}{limit:7.2f}{found['kkt']:9.0e}"
        line += f"{found['gap']:9.0e}{found['edges']:7d}"
        print(f"{line}  {beside(path, p, penalty, facts, found['cpu'], alone)}", flush=True)
    one = ours(covariance(500), "arcwise", 0.15, 5)["cpu"]
    path = ours(covariance(500), "arcwise path", 0.15, 3)
    note = beside(covariance(500), 500, 0.15, {"R huge path": (np.nan, None)}, path["cpu"], alone)
    line = f"{'500: path of 30 to 0.15':26}{path['cpu']:8.3f}{4 * one:7.2f}"
    line += f"{path['kkt']:9.0e}{path['gap']:9.0e}"
    print(
        f"{line}{path['edges']:7d}  {path['cpu'] / one:.1f} times the last fit alone; {note}",
        flush=True,
    )
    for p, limit, facts in KNOWN:
        found = ours(covariance(p), "arcwise known", 0.0, 3)
        line = f"{f'{p} columns, known graph':26}{found['cpu']:8.3f}{limit:7.2f}{found['own']:9.0e}"
        line += f"{'':9}{found['edges']:7d}"
        print(f"{line}  {beside(covariance(p), p, 0.0, facts, found['cpu'], alone)}", flush=True)


if __name__ == "__main__":
    main("--alone" in sys.argv, "--quick" in sys.argv)
