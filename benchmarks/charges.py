"""Which charge for a parent: gamma of the extended BIC for directed Gaussian networks.

    .venv/bin/python benchmarks/charges.py [--seeds 3] [--first 0] [--rows 300,1000,3000,10000]

Networks of benchmarks/linear.py; the default search; the structural distance of the CPDAGs to the truth,
mean over seeds, for gamma 0 (BIC), 0.5, 0.75, 1, 1.1 and 1.5 and for a switch (1 where columns are more
than the square root of rows, else 0). The last lines are means over networks: the distance for each arc of
the truth, and how much worse than the best gamma of its cell each is.
"""

import argparse

import numpy as np
from linear import GRAPHS, PUBLISHED, RANDOM, network

import arcwise as aw

GAMMAS = (0.0, 0.5, 0.75, 1.0, 1.1, 1.5)


def distances(name, rows, seed):
    """Structural distance for each gamma."""
    truth = network(name, seed)
    data = truth.sample(rows, np.random.default_rng(seed + 7919))
    found = []
    for gamma in GAMMAS:
        net = aw.learn(data, score=aw.EBIC(gamma=gamma), seed=seed)
        found.append(aw.graphs.shd_cpdag(net.graph, truth.graph))
    return np.array(found, dtype=float), truth.graph


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rows", default="300,1000,3000,10000")
    given = parser.parse_args()
    shares, regrets = {}, {}
    titles = "".join(f"{gamma:8g}" for gamma in GAMMAS)
    print(f"{'network':14s} {'p':>4s} {'arcs':>4s} {'rows':>6s}{titles}  switch")
    for name in (*PUBLISHED, *GRAPHS, *RANDOM):
        for rows in map(int, given.rows.split(",")):
            cell = [distances(name, rows, given.first + s) for s in range(given.seeds)]
            graph = cell[0][1]
            p = len(graph.nodes)
            mean = np.mean([row for row, _ in cell], axis=0)
            line = np.append(mean, mean[GAMMAS.index(1.0)] if p > np.sqrt(rows) else mean[0])
            shown = "".join(f"{distance:8.1f}" for distance in line)
            print(f"{name:14s} {p:4d} {graph.n_arcs:4d} {rows:6d}{shown}", flush=True)
            shares.setdefault(rows, []).append(line / graph.n_arcs)
            regrets.setdefault(rows, []).append((line - line.min()) / graph.n_arcs)
    for title, table in (("distance / arcs", shares), ("above the best", regrets)):
        for rows, lines in table.items():
            means = np.mean(lines, axis=0)
            print(f"{title:24s} {rows:6d}" + "".join(f"{m:8.3f}" for m in means))


if __name__ == "__main__":
    main()
