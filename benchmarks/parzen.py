"""Parzen networks: our speed beside the limits of the project and the one peer that has such models.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/parzen.py [--alone] [--peer10] [--rows] [--many]

CPU seconds of one core (wall beside them). The peer is PyBNesian's hill climbing over kernel density
networks with bandwidths by the normal rule, on held-out likelihood (--peer10 adds its 10-fold score, about a
minute); it runs in the peers' environment and needs an OpenCL driver. --rows adds 2 000 rows on one thread
and 5 000 on two, --many local models of up to 60 000 rows with their errors; both take minutes.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import arcwise as aw
from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals import FAMILIES
from arcwise.networks import MarkovNet

PEER_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
PEER = """
import json, sys, time
import numpy as np, pandas as pd, pybnesian as pb
x = np.load(sys.argv[1])
frame = pd.DataFrame(x, columns=[f"X{i}" for i in range(x.shape[1])])
cpu, wall = time.process_time(), time.perf_counter()
start = pb.KDENetwork(list(frame.columns))
net = pb.hc(frame, start=start, score=sys.argv[2], operators=["arcs"], seed=1)
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall, net.num_arcs()]))
"""


def boston() -> aw.Table:
    return aw.standardise(aw.example("boston").continuous())[0]


def line(what: str, cpu: float, wall: float, limit: float | None, result: str) -> None:
    promise = "" if limit is None else f"{limit:g}"
    print(f"{what:<52} {cpu:8.2f} {wall:8.2f} {promise:>8}  {result}", flush=True)


def measured(what: str, limit: float | None, work, repeats: int = 3) -> None:
    best = (np.inf, np.inf, "")
    for _ in range(repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        found = work()
        best = min(best, (time.process_time() - cpu, time.perf_counter() - wall, found))
    line(what, best[0], best[1], limit, best[2])


def path() -> str:
    found = aw.path(boston(), model="parzen", progress=False)
    return f"{found.at(0.0).n_edges} edges at 0, {found.at(0.2).n_edges} at 0.2"


def directed(**words) -> str:
    options = {"penalty": 0.1, "model": aw.Parzen(bandwidths="one", min_bandwidth=0.05)}
    net = aw.learn(boston(), progress=False, **options, **words)
    return f"score {net.score / 506:.4f} with {net.graph.n_arcs} arcs"


def default() -> str:
    net = aw.learn(aw.example("boston").continuous(), model="parzen", progress=False)
    return f"score {net.score / 506:.4f} with {net.graph.n_arcs} arcs"


def peer(score: str) -> None:
    place = Path(os.environ.get("TMPDIR", "/tmp")) / "arcwise_boston.npy"
    np.save(place, boston().matrix())
    command = [str(PEER_PYTHON), "-c", PEER, str(place), score]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"PyBNesian {score}: not measured ({done.stderr.strip().splitlines()[-1][:80]})")
        return
    cpu, wall, arcs = json.loads(done.stdout.splitlines()[-1])
    line(f"PyBNesian KDE hill climbing, {score}", cpu, wall, None, f"{arcs} arcs")


def updates() -> None:
    """Single-variable Gibbs updates a second at 337 rows and two inputs."""
    rng = np.random.default_rng(1)
    table = boston().take(np.sort(rng.permutation(506)[:337]))
    graph = aw.ug("LSTAT:MEDV + MEDV:RM").over(["LSTAT", "MEDV", "RM"])
    net = aw.fit(graph, table, model="parzen").net
    assert isinstance(net, MarkovNet)
    model, size, sweeps = net.conditionals[1], 1000, 100
    xs = tuple(rng.choice(table.column(name), size) for name in ("LSTAT", "RM"))
    began = time.process_time()
    for _ in range(sweeps):
        model.sample(xs, rng, size)
    rate = size * sweeps / (time.process_time() - began)
    print(
        f"{'Gibbs: updates a second, 337 rows, two inputs':<52} {rate:8.0f} {'':8} {'>400000':>8}"
    )


def rows() -> None:
    """Growth with the rows: the whole undirected path of 14 columns."""
    for n, threads, limit in ((1000, 2, None), (2000, 1, 20), (5000, 2, 1800)):
        rng = np.random.default_rng(1)
        chosen = boston().take(rng.integers(0, 506, n)).matrix()
        x = chosen + 0.1 * rng.standard_normal(chosen.shape)
        table = aw.table(x, names=[f"v{i:02d}" for i in range(14)])

        def work(table: aw.Table = table, threads: int = threads) -> str:
            found = aw.path(table, model="parzen", n_jobs=threads, progress=False)
            return f"{found.at(0.2).n_edges} edges at 0.2"

        measured(f"undirected path, {n} x 14, {threads} thread(s)", limit, work, 1)


def many() -> None:
    """What a local model costs with many rows, and its error against double-precision sums over all pairs."""
    rng = np.random.default_rng(1)
    for n in (5_000, 10_000, 19_000, 21_000, 60_000):
        x = rng.standard_normal((n, 9))
        x[:, 0] = np.sin(x[:, 1]) + x[:, 2] * x[:, 3] + 0.3 * rng.standard_normal(n)
        fits = FAMILIES["parzen"].bind(aw.table(x, names=[f"v{i}" for i in range(9)]))
        for parents in ((), (1,), (1, 2, 3), (1, 2, 3, 4, 5, 6, 7, 8)):
            began = time.process_time()
            model = fits.conditional(0, parents)
            spent = time.process_time() - began
            at = np.array([model.bandwidths])
            exact = kernel.loo(
                fits.block.columns, fits.block.apart, fits.weights, 0, 0, [parents], at
            )
            off = model.loo + np.log(model.scales[0]) - exact.value[0]
            print(
                f"{n} rows, {len(parents)} inputs: {spent:.2f} CPU s, error {off:+.1e} nats per row "
                f"(log n / 10 n: {0.1 * np.log(n) / n:.1e}), slopes left {np.abs(exact.gradient).max():.1e}",
                flush=True,
            )


def main() -> None:
    print(f"{'Boston, 506 x 14, one core':<52} {'CPU s':>8} {'wall s':>8} {'limit':>8}")
    measured("undirected path, 91 to 0 edges", 2, path)
    measured("directed, default settings", 2, default)
    measured("directed, greedy from empty", None, lambda: directed(search="greedy"))
    measured("directed, iterated local search", 5, lambda: directed(search="ils"))
    measured("directed, auto", None, directed)
    if "--alone" not in sys.argv:
        peer("holdout-lik")
    if "--peer10" in sys.argv:
        peer("cv-lik")
    updates()
    if "--rows" in sys.argv:
        rows()
    if "--many" in sys.argv:
        many()


if __name__ == "__main__":
    main()
