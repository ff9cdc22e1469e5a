"""Which way finds undirected Gaussian graphs best: F1 of the edges and CPU seconds, on six kinds of graph.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/undirected.py [--quick] [--seeds FIRST COUNT]
        [--ways WAY ...] [--cells P,N ...] [--speed] [--gammas]

Random, hub, band and scale-free graphs as huge makes them (see `selection`: all partial correlations of one
size); "sparse": three random edges a column of either sign, sizes 0.2 to 1 over 1.2 times their row's sum;
"moral": moral graphs of random DAGs of average degree 3, weights +-[0.3, 0.9], noise of sd [0.5, 1.5].
Every way is asked as users ask it. Defaults were chosen on seeds 0 to 69 of a draft of this script; the table
is of seeds from 100 on. An empty cell: boundary learning begins with the complete graph, which cannot be
fitted with p near n or above.

--gammas shows the default for several gamma instead, --speed the CPU seconds of the default and of the lasso
with many columns. The table is written to build/bench/undirected.json, too.
"""

import json
import time
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
from selection import f1, graph, rows

import arcwise as aw

OUT = Path(__file__).parent.parent / "build" / "bench" / "undirected.json"
KINDS = ("random", "sparse", "hub", "band", "scale-free", "moral")
CELLS = (
    (10, 50), (10, 100), (10, 300), (10, 500), (30, 60), (30, 200), (30, 1000), (60, 50), (60, 200),
    (60, 1000), (100, 50), (100, 200), (100, 1000),
)  # fmt: skip
SPEED = ((500, 1000, "sparse"), (500, 1000, "moral"), (1000, 1000, "sparse"), (1000, 1000, "moral"))


def boundary(gamma):
    return {"search": "boundary", "score": aw.EBIC(gamma=gamma)}


WAYS = {
    "default": {},
    "glasso ebic": {"penalty": "ebic"},
    "glasso ebic 0": {"penalty": "ebic", "search": aw.Glasso(gamma=0.0)},
    "glasso ric": {"penalty": "ric"},
    "nbhd ebic": {"search": "neighbourhood", "penalty": "ebic"},
    "nbhd ric": {"search": "neighbourhood", "penalty": "ric"},
    "boundary 0": boundary(0.0),
    "boundary 0.5": boundary(0.5),
    "boundary 1": boundary(1.0),
}
GAMMAS = {
    "default": {},
    **{
        f"gamma {gamma}": {"search": aw.Stepwise(gamma=gamma)}
        for gamma in (0.0, 0.5, 0.6, 0.75, 1.0)
    },
}


def scaled(precision, n, rng):
    """Rows of columns with unit variance."""
    covariance = np.linalg.inv(precision)
    sd = np.sqrt(np.diag(covariance))
    return rng.multivariate_normal(
        np.zeros(len(sd)), covariance / np.outer(sd, sd), n, method="cholesky"
    )


def sparse(p, n, rng):
    A = np.triu(rng.random((p, p)) < 3 / (p - 1), 1)
    K = np.where(A, rng.choice([-1, 1], (p, p)) * rng.uniform(0.2, 1.0, (p, p)), 0.0)
    K += K.T
    np.fill_diagonal(K, 1.2 * np.maximum(np.abs(K).sum(axis=1), 0.1))
    return A | A.T, scaled(K, n, rng)


def moral(p, n, rng):
    order, weights = rng.permutation(p), np.zeros((p, p))
    arcs = np.triu(rng.random((p, p)) < 3 / (p - 1), 1)
    sizes = rng.choice([-1, 1], (p, p)) * rng.uniform(0.3, 0.9, (p, p))
    weights[np.ix_(order, order)] = np.where(arcs, sizes, 0.0)
    noise = rng.standard_normal((n, p)) * rng.uniform(0.5, 1.5, p)
    x = np.linalg.solve((np.eye(p) - weights).T, noise.T).T
    D = (weights != 0).astype(int)
    A = (D + D.T + D @ D.T) > 0
    np.fill_diagonal(A, False)
    return A, x


def draw(kind, p, n, seed):
    """The adjacency matrix of a graph, and rows."""
    rng = np.random.default_rng([seed, p, n, KINDS.index(kind)])
    if kind in ("sparse", "moral"):
        return (sparse if kind == "sparse" else moral)(p, n, rng)
    if kind == "hub" and p < 20:
        A = np.zeros((p, p), dtype=bool)
        A[0, 1:] = A[1:, 0] = True
    else:
        A = graph(kind, p, rng)
    return A, rows(A, n, rng)


def learned(x, seed, words):
    """Edges as pairs, with CPU seconds; None where a way cannot."""
    if words.get("search") == "boundary" and len(x) < 1.5 * x.shape[1]:
        return None
    table = aw.table({f"v{i:04}": column for i, column in enumerate(x.T)})
    began = time.process_time()
    net = aw.learn(table, graph="undirected", model="gaussian", seed=seed, progress=False, **words)
    seconds = time.process_time() - began
    return {(int(a[1:]), int(b[1:])) for a, b in net.graph.edges}, seconds


def cell(kind, p, n, seeds, ways):
    """F1 with its standard error, and mean seconds, by way."""
    found = {name: [] for name in ways}
    for seed in seeds:
        A, x = draw(kind, p, n, seed)
        truth = {(int(a), int(b)) for a, b in np.argwhere(np.triu(A))}
        for name, words in ways.items():
            if (got := learned(x, seed, words)) is not None:
                found[name].append((f1(got[0], truth), got[1]))
    rows_here = {}
    for name, each in found.items():
        if each:
            values, seconds = np.array(each).T
            error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
            rows_here[name] = {
                "f1": float(values.mean()),
                "error": error,
                "seconds": float(seconds.mean()),
            }
    return rows_here


def mean(table, way, figure, kind=None):
    return np.mean(
        [row[figure] for row in table if row["way"] == way and kind in (None, row["graph"])]
    )


def accuracy(cells, seeds, ways):
    print(f"F1 (standard error), mean of {len(seeds)} tables\n")
    print(f"{'graph':11}{'p':>4}{'n':>6}" + "".join(f"{name:>15}" for name in ways))
    table = []
    for p, n in cells:
        for kind in KINDS:
            found = cell(kind, p, n, seeds, ways)
            shown = (found.get(name) for name in ways)
            cells_here = (f"{r['f1']:.3f} ({r['error']:.3f})" if r else "" for r in shown)
            print(f"{kind:11}{p:4}{n:6}" + "".join(f"{c:>15}" for c in cells_here), flush=True)
            table += [
                {"graph": kind, "p": p, "n": n, "way": way, **row} for way, row in found.items()
            ]
    print("\nmeans over sizes (of boundary learning: over those that it can)")
    for kind in KINDS:
        print(f"{kind:21}" + "".join(f"{mean(table, name, 'f1', kind):15.3f}" for name in ways))
    print(f"{'CPU seconds':21}" + "".join(f"{mean(table, name, 'seconds'):15.3f}" for name in ways))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"seeds": list(seeds), "table": table}, indent=1) + "\n")


def speed(seed):
    print(f"{'graph':8}{'p':>6}{'n':>6}{'true':>7}{'way':>14}{'edges':>8}{'F1':>7}{'CPU s':>8}")
    for p, n, kind in SPEED:
        A, x = draw(kind, p, n, seed)
        truth = {(int(a), int(b)) for a, b in np.argwhere(np.triu(A))}
        for name in ("default", "glasso ebic"):
            found, seconds = learned(x, seed, WAYS[name])
            figures = f"{len(found):8}{f1(found, truth):7.3f}{seconds:8.1f}"
            print(f"{kind:8}{p:6}{n:6}{len(truth):7}{name:>14}{figures}", flush=True)


def main(words):
    seeds = range(words.seeds[0], words.seeds[0] + words.seeds[1])
    if words.speed:
        speed(words.seeds[0])
        return
    ways = GAMMAS if words.gammas else {name: WAYS[name] for name in words.ways}
    cells = [tuple(map(int, each.split(","))) for each in words.cells] if words.cells else CELLS
    accuracy(cells[:3] if words.quick else cells, seeds, ways)


if __name__ == "__main__":
    asked = ArgumentParser()
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--speed", action="store_true")
    asked.add_argument("--gammas", action="store_true")
    asked.add_argument("--seeds", type=int, nargs=2, default=(100, 8))
    asked.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    asked.add_argument("--cells", nargs="+")
    main(asked.parse_args())
