"""How well each rule for the penalty finds the graph: F1 beside huge's, on four kinds of simulated graph.

    .venv/bin/python benchmarks/selection.py [--quick]

Random, hub, band and scale-free graphs as huge makes them (its generator's laws, written again here),
100 columns, 200 rows, mean F1 of three samples. Both get the same rows and 30 penalties down to a twentieth
of the largest. mb is neighbourhood selection with the rotation's penalty (rule "or"). huge's figures need
Rscript with the package; without it that half stays empty.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from arcwise.undirected.glasso import glasso
from arcwise.undirected.neighbourhood import neighbourhood
from arcwise.undirected.selection import (
    by_ebic,
    by_folds,
    by_rotation,
    by_stability,
    correlations,
    penalties_for,
)

HERE = Path(__file__).parent
KINDS = ("random", "hub", "band", "scale-free")
RULES = ("ebic", "stars", "ric", "cv", "mb")


def graph(kind, p, rng):
    """The adjacency matrix."""
    A = np.zeros((p, p), dtype=bool)
    if kind == "random":
        A = np.triu(rng.random((p, p)) < 3 / p, 1)
    elif kind == "hub":
        size = p // (p // 20)
        for start in range(0, p, size):
            A[start, start + 1 : start + size] = True
    elif kind == "band":
        A = np.eye(p, k=1, dtype=bool)
    else:
        degrees = np.zeros(p)
        degrees[:2] = 1
        A[0, 1] = True
        for node in range(2, p):
            other = rng.choice(node, p=degrees[:node] / degrees[:node].sum())
            A[other, node] = True
            degrees[[other, node]] += 1
    return A | A.T


def rows(A, n, rng):
    """Rows of a Gaussian with partial correlations of one size on the edges (huge's v = 0.3, u = 0.1)."""
    K = 0.3 * A
    np.fill_diagonal(K, abs(np.linalg.eigvalsh(K)[0]) + 0.1 + 0.1)
    S = np.linalg.inv(K)
    sd = np.sqrt(np.diag(S))
    return rng.multivariate_normal(np.zeros(len(A)), S / np.outer(sd, sd), n)


def f1(found, truth):
    hits = len(found & truth)
    return 2 * hits / (len(found) + len(truth)) if found or truth else 1.0


def ours(x, seed):
    R, rng = correlations(x), np.random.default_rng(seed)
    asked = penalties_for(R, count=30, ratio=0.05)
    folds = [np.arange(start, len(x), 5) for start in range(5)]
    turned = by_rotation(x, rng).penalty
    chosen = {
        "ebic": by_ebic(R, len(x), asked, tolerance=1e-4).penalty,
        "stars": by_stability(x, rng, asked, tolerance=1e-3).penalty,
        "cv": by_folds(x, folds, asked, tolerance=1e-4).penalty,
        "ric": turned,
    }
    found = {rule: set(glasso(R, penalty).edges) for rule, penalty in chosen.items()}
    return {**found, "mb": set(neighbourhood(R, turned).edges)}


def huges(x, seed):
    run = shutil.which("Rscript")
    if run is None:
        return {}
    with tempfile.NamedTemporaryFile() as file:
        x.tofile(file.name)
        words = [file.name, *map(str, (*x.shape, seed))]
        command = [run, str(HERE / "selection_peer.R"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        rule, *numbers = line.split()
        if rule in RULES:
            pairs = np.array(numbers, dtype=int).reshape(-1, 2)
            found[rule] = {tuple(sorted(pair)) for pair in pairs.tolist()}
    return found


def main(quick):
    p, n, repeats = (50, 100, 2) if quick else (100, 200, 3)
    print(f"F1, mean of {repeats} samples of {n} rows, {p} columns\n")
    print(f"{'graph':12}{'':9}" + "".join(f"{rule:>8}" for rule in RULES))
    for kind in KINDS:
        marks = {"arcwise": {rule: [] for rule in RULES}, "huge": {rule: [] for rule in RULES}}
        for seed in range(repeats):
            rng = np.random.default_rng(seed)
            A = graph(kind, p, rng)
            x = rows(A, n, rng)
            truth = {(int(a), int(b)) for a, b in np.argwhere(np.triu(A))}
            for who, answers in (("arcwise", ours(x, seed)), ("huge", huges(x, seed))):
                for rule, found in answers.items():
                    marks[who][rule].append(f1(found, truth))
        for who, got in marks.items():
            cells = "".join(f"{np.mean(v):8.3f}" if v else f"{'-':>8}" for v in got.values())
            print(f"{kind if who == 'arcwise' else '':12}{who:9}{cells}", flush=True)


if __name__ == "__main__":
    main("--quick" in sys.argv)
