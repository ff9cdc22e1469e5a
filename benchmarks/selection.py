"""How well each rule for the penalty finds the graph: F1 beside huge's, on four kinds of simulated graph.

    .venv/bin/python benchmarks/selection.py [--quick] [--samples NUMBER] [--graphs KIND ...]

Random, hub, band and scale-free graphs as huge makes them (its generator's laws, written again here), 100
columns, 200 rows, ten samples of each (--samples) with seeds that no default was tuned on. Every rule is
asked as users ask it, `aw.learn(..., penalty=RULE)`; mb-* are those of neighbourhood selection (joined if
one picks the other). Both sides get the same rows and 30 penalties down to a twentieth of the largest.
Seconds are CPU time for a graph, path included. huge's figures need Rscript with the package; without it
that half stays empty. The table is written to build/bench/selection.json, too.
"""

import json
import shutil
import subprocess
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

import arcwise as aw

HERE = Path(__file__).parent
OUT = HERE.parent / "build" / "bench" / "selection.json"
KINDS = ("random", "hub", "band", "scale-free")
RULES = ("ebic", "stars", "ric", "cv", "cv-1se", "mb-ebic", "mb-stars", "mb-ric")
FIRST_SEED = 100  # 0 to 2 were looked at when defaults were chosen


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
    """Rule to edges and seconds."""
    table = aw.table({f"v{i:03}": column for i, column in enumerate(x.T)})
    found = {}
    for word in RULES:
        search = "neighbourhood" if word.startswith("mb-") else "glasso"
        rule, began = word.removeprefix("mb-"), time.process_time()
        net = aw.learn(table, graph="undirected", model="gaussian", search=search, penalty=rule,
                       least=0.05, seed=seed, progress=False)  # fmt: skip
        seconds = time.process_time() - began
        edges = {tuple(sorted((int(a[1:]), int(b[1:])))) for a, b in net.graph.edges}
        found[word] = edges, seconds
    return found


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
            pairs = np.array(numbers[1:], dtype=int).reshape(-1, 2)
            found[rule] = {tuple(sorted(pair)) for pair in pairs.tolist()}, float(numbers[0])
    return found


def measured(found, truth, seconds):
    hits = len(found & truth)
    return {
        "f1": f1(found, truth),
        "precision": hits / len(found) if found else 1.0,
        "recall": hits / len(truth) if truth else 1.0,
        "edges": len(found),
        "seconds": seconds,
    }


def samples(kind, p, n, repeats):
    """Measures of both on each sample: who, rule, measures."""
    for seed in range(FIRST_SEED, FIRST_SEED + repeats):
        rng = np.random.default_rng(seed)
        A = graph(kind, p, rng)
        x = rows(A, n, rng)
        truth = {(int(a), int(b)) for a, b in np.argwhere(np.triu(A))}
        for who, answers in (("arcwise", ours(x, seed)), ("huge", huges(x, seed))):
            for rule, (found, seconds) in answers.items():
                yield who, rule, measured(found, truth, seconds)


def summary(each):
    """Means, and the standard error of F1's."""
    means = {name: float(np.mean([one[name] for one in each])) for name in each[0]}
    error = float(np.std([one["f1"] for one in each], ddof=1) / np.sqrt(len(each)))
    return {**means, "f1_error": error}


def main(quick, samples_each, kinds):
    p, n, repeats = (50, 100, 2) if quick else (100, 200, samples_each)
    print(f"F1 (standard error), mean of {repeats} samples of {n} rows, {p} columns\n")
    print(f"{'graph':12}{'':9}" + "".join(f"{rule:>15}" for rule in RULES))
    table, spent = [], {}
    for kind in kinds:
        got = {}
        for who, rule, one in samples(kind, p, n, repeats):
            got.setdefault((who, rule), []).append(one)
            spent.setdefault((who, rule), []).append(one["seconds"])
        rows_here = {key: summary(each) for key, each in got.items()}
        table += [
            {"graph": kind, "program": who, "rule": rule, "samples": repeats, **row}
            for (who, rule), row in rows_here.items()
        ]
        for who in ("arcwise", "huge"):
            found = [rows_here.get((who, rule)) for rule in RULES]
            cells = (f"{r['f1']:.3f} ({r['f1_error']:.3f})" if r else "-" for r in found)
            line = "".join(f"{cell:>15}" for cell in cells)
            print(f"{kind if who == 'arcwise' else '':12}{who:9}{line}", flush=True)
    print("\nCPU seconds for a graph")
    for who in ("arcwise", "huge"):
        took = [spent.get((who, rule)) for rule in RULES]
        line = "".join(f"{np.mean(t):15.3f}" if t else f"{'-':>15}" for t in took)
        print(f"{'':12}{who:9}{line}")
    seconds = [
        {"program": who, "rule": rule, "seconds": float(np.mean(took))}
        for (who, rule), took in spent.items()
    ]
    found = {"rows": n, "columns": p, "table": table, "seconds": seconds}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    asked = ArgumentParser()
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--samples", type=int, default=10)
    asked.add_argument("--graphs", nargs="+", choices=KINDS, default=KINDS)
    words = asked.parse_args()
    main(words.quick, words.samples, words.graphs)
