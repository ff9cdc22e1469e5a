"""Search over orders, classes and both, on sparse and dense Gaussian networks.

    .venv/bin/python benchmarks/dense.py [--alone]     BOSS beside causal-learn's, under its own score
    .venv/bin/python benchmarks/dense.py --sweep       default search against BOSS and GES, degrees 2 to 20
    .venv/bin/python benchmarks/dense.py --growth      to 1000 columns of degree 20
    .venv/bin/python benchmarks/dense.py --published   ecoli70, magic-niab and arth150, beside PyBNesian

Random DAGs with weights +-[0.3, 0.9] and standardised columns (benchmarks/linear.py). CPU seconds of one
process; the structural distance is that of CPDAGs to the truth; scores are in nats. causal-learn's BOSS
charges 2 log n for each parent, four times what BIC does; beside it ours does so, too.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from linear import PUBLISHED, network
from run import ONE_CORE, PEER_PYTHON

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import PDAG, extension, shd_cpdag
from arcwise.scores import ArcPenalty, Sum, loglik, total
from arcwise.search import SEARCHES

TABLE = (
    (50, 3, 1000), (50, 3, 10_000), (200, 3, 1000), (100, 6, 1000), (60, 10, 1000), (60, 10, 10_000),
)  # fmt: skip
SWEEP = (
    (20, 2, 200), (20, 6, 1000), (50, 2, 1000), (50, 6, 300), (50, 10, 10_000), (100, 3, 300),
    (100, 6, 10_000), (100, 10, 1000), (100, 20, 3000), (200, 3, 1000), (200, 6, 300), (200, 10, 1000),
    (500, 2, 300), (500, 4, 1000), (500, 6, 3000), (40, 20, 10_000),
)  # fmt: skip
GROWTH = (
    (100, 4, 1000), (300, 4, 1000), (1000, 4, 1000), (100, 10, 1000), (300, 10, 1000), (1000, 10, 1000),
    (200, 10, 10_000), (1000, 4, 10_000), (100, 20, 1000), (300, 20, 1000), (1000, 20, 1000),
)  # fmt: skip


def drawn(p, degree, n, seed=1):
    """A random network, rows from it as a table."""
    truth = network(f"random {p}/{degree}", seed)
    return truth.graph, truth.sample(n, np.random.default_rng(seed + 7919))


def learned(data, **words):
    """A network and the CPU seconds it took."""
    began = time.process_time()
    net = aw.learn(data, seed=1, **words)
    return net, time.process_time() - began


def peer(data, name, seconds=3600):
    """What a peer finds, as a DAG of the class, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        np.savez(path, x=np.column_stack(data.columns))
        words = [str(PEER_PYTHON), str(Path(__file__).parent / "order_peer.py"), str(path), name]
        done = subprocess.run(
            words, env=ONE_CORE, capture_output=True, text=True, timeout=seconds, check=False
        )
    if done.returncode:
        return None, float("nan")
    found = json.loads(done.stdout.splitlines()[-1])
    parents, near = ([[] for _ in data.names] for _ in range(2))
    for a, b in found["arcs"]:
        parents[b].append(a)
    for a, b in found["edges"]:
        near[a].append(b)
        near[b].append(a)
    return extension(PDAG(data.names, tuple(map(tuple, parents)), tuple(map(tuple, near)))), found[
        "cpu"
    ]


def searched(data, charge, search, repeats=3, **options):
    """A search by likelihood minus a charge for each parent: the result, and CPU seconds with moments."""
    least = np.inf
    for _ in range(repeats):
        began = time.process_time()
        fits = FAMILIES["gaussian"].bind(data)
        score = Sum([loglik(fits), ArcPenalty(fits.nodes, fits.rows, charge / fits.rows)])
        random = {} if search == "ges" else {"rng": np.random.default_rng(1)}
        result = SEARCHES[search](score, **random, **options)
        least = min(least, time.process_time() - began)
    return result, least, score


def beside(alone):
    """The table of the search over orders beside causal-learn's; the charge of both is 2 log n."""
    print(
        "p, degree, n    BOSS, 1 climb  BOSS         causal-learn's   ratio  score | GES (BIC)   | default"
    )
    for p, degree, n in TABLE:
        truth, data = drawn(p, degree, n)
        one, first, score = searched(data, 2 * np.log(n), "boss", restarts=0)
        ours, cpu, _ = searched(data, 2 * np.log(n), "boss")
        other, theirs = (None, float("nan")) if alone else peer(data, "boss")
        better = float("nan") if other is None else ours.score - total(score, other)
        distance = -1 if other is None else shd_cpdag(other, truth)
        ges, ges_cpu, _ = searched(data, 0.5 * np.log(n), "ges")
        auto, auto_cpu = learned(data)
        one, ours, ges, auto = (shd_cpdag(each.graph, truth) for each in (one, ours, ges, auto))
        print(
            f"{p:4d} {degree:3d} {n:6d}  {first:6.3f} {one:4d}  {cpu:6.3f} {ours:4d}  "
            f"{theirs:8.2f} {distance:4d}  {theirs / cpu:5.0f}  {better:+6.1f} | "
            f"{ges_cpu:5.2f} {ges:5d} | {auto_cpu:5.2f} {auto:4d}",
            flush=True,
        )


def sweep(seeds=2):
    """The default search against BOSS and GES under the default score."""
    print("p, degree, n: score below the best of the three, distance, CPU s  (auto | boss | ges)")
    sums = []
    for p, degree, n in SWEEP:
        cells = []
        for seed in range(seeds):
            truth, data = drawn(p, degree, n, 50 + seed)
            nets = [learned(data, search=search) for search in ("auto", "boss", "ges")]
            top = max(net.score for net, _ in nets)
            cells.append([(top - net.score, shd_cpdag(net.graph, truth), cpu) for net, cpu in nets])
        means = np.mean(cells, axis=0)
        sums.append(means)
        parts = (f"{a:9.1f} {b:7.1f} {c:6.2f}" for a, b, c in means)
        print(f"{p:4d} {degree:3d} {n:6d}  " + " | ".join(parts), flush=True)
    parts = (f"{a:9.1f} {b:7.1f} {c:6.2f}" for a, b, c in np.mean(sums, axis=0))
    print("mean             " + " | ".join(parts))


def growth():
    """CPU seconds and distance with more columns and arcs."""
    print("p, degree, n    arcs   boss: one climb   default")
    for p, degree, n in GROWTH:
        truth, data = drawn(p, degree, n)
        parts = []
        for words in ({"search": aw.BOSS(restarts=0)}, {}):
            net, cpu = learned(data, time_limit=300, **words)
            parts.append(f"{cpu:8.2f} {shd_cpdag(net.graph, truth):5d}")
        print(f"{p:4d} {degree:3d} {n:6d}  {truth.n_arcs:5d} " + " | ".join(parts), flush=True)


def published(alone, seeds=3):
    """Published networks: the default against BOSS and GES by BIC and PyBNesian's hill climbing."""
    print(
        "network, n      default     boss (bic)  ges (bic)   PyBNesian hc (bic)    distance, CPU s"
    )
    for name in PUBLISHED:
        for n in (300, 1000, 3000, 10_000):
            rows = []
            for seed in range(seeds):
                truth = network(name, seed)
                data = truth.sample(n, np.random.default_rng(900 + seed))
                ways = ({}, {"score": "bic", "search": "boss"}, {"score": "bic", "search": "ges"})
                row = []
                for words in ways:
                    net, cpu = learned(data, **words)
                    row += [shd_cpdag(net.graph, truth.graph), cpu]
                other, cpu = (None, float("nan")) if alone else peer(data, "hc")
                row += [float("nan") if other is None else shd_cpdag(other, truth.graph), cpu]
                rows.append(row)
            means = np.mean(rows, axis=0)
            parts = (f"{means[i]:6.1f} {means[i + 1]:5.2f}" for i in range(0, 8, 2))
            print(f"{name:10s} {n:6d} " + " | ".join(parts), flush=True)


if __name__ == "__main__":
    words = set(sys.argv[1:])
    if "--sweep" in words:
        sweep()
    elif "--growth" in words:
        growth()
    elif "--published" in words:
        published("--alone" in words)
    else:
        beside("--alone" in words)
