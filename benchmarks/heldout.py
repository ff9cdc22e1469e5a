"""Held-out density and prediction of Parzen networks: the default penalty against the papers' 0.1 and 0.2.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/heldout.py [--folds 5] [--repeats 1] [--sets wine ...]

Boston (shipped), wine and diabetes (scikit-learn, columns of numbers), and a simulated table of 1030 rows
whose one output is a strongly nonlinear function of eight inputs, after the concrete data of Yeh (1998).
Every row is scored by the network learned from the other folds: log density for directed graphs, log
pseudo-likelihood for undirected ones, and the error of the target predicted from all other variables.
With --repeats the rows are parted anew so many times, and what one row got is averaged. Differences are
paired, row by row, with standard errors over rows. Means of log densities are ruled by
the few rows that lie far from all others (d^2 / 2 h^2 nats each), so medians stand beside them, and
--tail 0.01 (the word of `learn`) bounds what one row can cost.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import arcwise as aw
from arcwise.inference import marginal_log_density, pseudo_log_density, residuals
from arcwise.networks import MarkovNet

Array = NDArray[np.float64]
TARGETS = {"boston": "MEDV", "wine": "alcohol", "diabetes": "target", "concrete-like": "strength"}
PAPERS = {"directed": 0.1, "undirected": 0.2}


class Held(NamedTuple):
    """One number a row: log density (or pseudo-likelihood), squared error of the target over its variance."""

    logs: Array
    loss: Array
    edges: float


def concrete_like(rows: int = 1030, seed: int = 500) -> aw.Table:
    """Eight ingredients and the strength of the mixture: saturating, multiplicative, logarithmic in age."""
    rng = np.random.default_rng(seed)
    cement = rng.uniform(100, 540, rows)
    slag, ash = (np.maximum(0, rng.normal(70, 85, rows)) + rng.uniform(0, 5, rows) for _ in "ab")
    plastic = np.abs(rng.normal(6, 5, rows))
    water = 205 - 4 * plastic * np.exp(-plastic / 12) + rng.normal(0, 12, rows)
    coarse = rng.normal(973, 77, rows)
    fine = 2400 - coarse - water - cement - 0.5 * (slag + ash) + rng.normal(0, 40, rows)
    age = np.exp(rng.uniform(np.log(1), np.log(365), rows))
    binder = cement + 0.7 * slag + 0.4 * ash
    ripe = np.log1p(age) / (1.5 + np.log1p(age))
    strength = (
        190 * ripe / (1 + np.exp(2.2 * (water / binder) ** 0.8)) * (1 + 0.15 * np.sin(plastic / 3))
    )
    names = ("cement", "slag", "ash", "water", "plastic", "coarse", "fine", "age", "strength")
    values = (cement, slag, ash, water, plastic, coarse, fine, age)
    noisy = strength + rng.normal(0, 2.5, rows)
    return aw.table(dict(zip(names, (*values, noisy), strict=True)))


def table(name: str) -> aw.Table:
    if name == "boston":
        return aw.example("boston").continuous()
    if name == "concrete-like":
        return concrete_like()
    from sklearn import datasets

    if name == "wine":
        wine = datasets.load_wine()
        return aw.table(wine.data, names=[word.split("/")[0] for word in wine.feature_names])
    found = datasets.load_diabetes(scaled=False)
    return aw.table(
        np.column_stack([found.data, found.target]), names=[*found.feature_names, "target"]
    )


class Task(NamedTuple):
    """A table, a kind of graph and a penalty (None: the default); how rows are parted; the tail."""

    name: str
    graph: str
    penalty: float | None
    folds: int
    repeats: int
    tail: float


def held(task: Task) -> Held:
    """Every row scored by networks learned without its fold, averaged over partitions."""
    runs = [once(task, seed) for seed in range(500, 500 + task.repeats)]
    return Held(*(np.mean(part, axis=0) for part in zip(*runs, strict=True)))


def once(task: Task, seed: int) -> Held:
    whole = table(task.name)
    place = whole.names.index(TARGETS[task.name])
    parts = np.array_split(np.random.default_rng(seed).permutation(whole.rows), task.folds)
    words: dict[str, Any] = {
        "graph": task.graph,
        "penalty": task.penalty,
        "model": aw.Parzen(tail_weight=task.tail),
    }
    logs, loss, edges = np.empty(whole.rows), np.empty(whole.rows), []
    for part in map(np.sort, parts):
        rest, unseen = whole.take(np.setdiff1d(np.arange(whole.rows), part)), whole.take(part)
        net = aw.learn(rest, seed=0, progress=False, **words).net
        undirected = isinstance(net, MarkovNet)
        logs[part] = (pseudo_log_density if undirected else marginal_log_density)(net, unseen)
        loss[part] = residuals(net, unseen)[:, place] ** 2
        edges.append(net.graph.n_edges if undirected else net.graph.n_arcs)
    return Held(logs, loss / whole.column(TARGETS[task.name]).var(), float(np.mean(edges)))


def error(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def line(name: str, graph: str, new: Held, old: Held) -> None:
    gain, sure = new.logs - old.logs, old.loss - new.loss
    cells = [
        f"{name}, {graph}",
        f"{old.edges:.0f} / {new.edges:.0f}",
        f"{old.logs.mean():.2f} / {new.logs.mean():.2f}",
        f"{gain.mean():+.2f} ± {error(gain):.2f}",
        f"{np.median(old.logs):.2f} / {np.median(new.logs):.2f}",
        f"{np.median(gain):+.2f}",
        f"{1 - old.loss.mean():.3f} / {1 - new.loss.mean():.3f}",
        f"{sure.mean():+.3f} ± {error(sure):.3f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=1, help="partitions of the rows")
    parser.add_argument("--tail", type=float, default=0.0, help="the word of `learn`")
    parser.add_argument("--sets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--jobs", type=int, default=1, help="learners at the same time")
    options = parser.parse_args()
    cells = list(product(options.sets, PAPERS))
    work = [
        Task(name, graph, penalty, options.folds, options.repeats, options.tail)
        for name, graph in cells
        for penalty in (PAPERS[graph], None)
    ]
    heads = ("papers' / default", "edges", "mean log density", "gain", "median", "median gain")
    print(f"| {' | '.join((*heads, 'R2 of the target', 'gain'))} |\n{'|---' * 8}|")
    with ProcessPoolExecutor(options.jobs) as pool:
        found = pool.map(held, work)
        for name, graph in cells:
            old, new = next(found), next(found)
            line(name, graph, new, old)


if __name__ == "__main__":
    main()
