"""Coverage of 95 % intervals and calibration of probabilities, for known and for learned graphs.

    .venv/bin/python benchmarks/intervals.py [--seeds 900:930]

Random linear networks of 10 columns (mean degree 3, normal noise): each column is predicted in 200 fresh rows
from all others, and from five of them. `plug-in` takes the fitted parameters as known. Tables: rows of
published networks; one column at a time is predicted from all others, and the mean probability of the most
probable level is compared with the share of rows in which it is right.
"""

import argparse
from dataclasses import replace

import numpy as np
from data import shared_folder

import arcwise as aw
from arcwise.graphs import random_dag
from arcwise.inference import predict
from arcwise.networks import BayesNet

ROWS = (20, 50, 200, 1000)
COLUMNS, FRESH = 10, 200
NETWORKS = ("asia", "sachs", "insurance", "alarm")


def plug_in(net):
    """The network with its parameters taken as known."""
    models = [replace(m, rows=0.0, spread=np.zeros_like(m.spread)) for m in net.conditionals]
    return BayesNet(net.variables, net.graph, tuple(models))


def draw(graph, weights, n, rng):
    """Rows of a linear network with standard normal noise."""
    out = rng.normal(size=(n, len(graph.nodes)))
    for node in graph.order():
        for parent in graph.parents[node]:
            out[:, node] += weights[parent, node] * out[:, parent]
    return aw.table({name: out[:, i] for i, name in enumerate(graph.nodes)})


def covered(net, fresh, chosen):
    """Share of the values of all columns in their intervals, predicted from the chosen other columns."""
    shares = []
    for i, name in enumerate(fresh.names):
        others = [other for other in chosen if other != name]
        low, high = predict(net, fresh.select(others), name).interval()
        values = fresh.columns[i]
        shares.append(((low < values) & (values < high)).mean())
    return float(np.mean(shares))


def intervals(seeds):
    """Coverage by graph, evidence and rows."""
    print(f"{'95 % intervals':28}" + "".join(f"{f'n = {n}':>18}" for n in ROWS))
    print(f"{'':28}" + f"{'plug-in':>10}{'now':>8}" * len(ROWS))
    for kind in ("true", "learned"):
        for word, size in (("all others", COLUMNS), ("five others", 5)):
            line = f"{kind + ' graph, ' + word:28}"
            for n in ROWS:
                shares = [one(seed, n, kind, size) for seed in seeds]
                plain, now = np.mean(shares, axis=0)
                line += f"{plain:10.3f}{now:8.3f}"
            print(line, flush=True)


def one(seed, n, kind, size):
    """Coverage of one network: plug-in, and with uncertain parameters."""
    rng = np.random.default_rng([seed, n])
    graph = random_dag([f"x{i}" for i in range(COLUMNS)], 3.0, rng)
    weights = rng.normal(size=(COLUMNS, COLUMNS))
    rows, fresh = draw(graph, weights, n, rng), draw(graph, weights, FRESH, rng)
    net = aw.fit(graph, rows).net if kind == "true" else aw.learn(rows, seed=1).net
    chosen = list(graph.nodes)[:size]
    return covered(plug_in(net), fresh, chosen), covered(net, fresh, chosen)


def calibration(seeds):
    """Mean probability of the most probable level, and the share of rows in which it is right."""
    print(f"\n{'probabilities':28}" + "".join(f"{f'n = {n}':>18}" for n in ROWS))
    print(f"{'':28}" + f"{'stated':>10}{'right':>8}" * len(ROWS))
    for kind in ("true", "learned"):
        line = f"{kind + ' graph, all others':28}"
        for n in ROWS:
            pairs = []
            for name in NETWORKS:
                net = aw.load(
                    next((shared_folder() / "networks" / "discrete").glob(f"{name}.bif*"))
                )
                for seed in seeds:
                    rows, fresh = net.sample(n, seed=seed), net.sample(FRESH, seed=10_000 + seed)
                    found = aw.fit(net.graph, rows) if kind == "true" else aw.learn(rows, seed=1)
                    target = found.variables[seed % len(found.variables)]
                    answer = found.predict(fresh, target)
                    right = answer.labels == np.array(fresh.values(target), dtype=object)
                    pairs.append([answer.probabilities.max(axis=1).mean(), right.mean()])
            line += "{:10.3f}{:8.3f}".format(*np.mean(pairs, axis=0))
        print(line, flush=True)


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="900:930")
    seeds = range(*map(int, parser.parse_args().seeds.split(":")))
    intervals(seeds)
    calibration(seeds)


if __name__ == "__main__":
    main()
