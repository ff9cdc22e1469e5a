"""What the search over orders finds, and in what time: the figures behind how it tries places.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/places.py

Gaussian networks (benchmarks/linear.py) and published discrete ones, two seeds each: mean score, structural
distance of CPDAGs and F1 of the skeleton beside the truth, and CPU seconds, of the default and of BOSS.
"""

import sys
import time

import numpy as np
from discrete import drawn
from linear import network

import arcwise as aw
from arcwise.graphs import shd_cpdag, skeleton_scores

GAUSSIAN = (
    ("random 30/6", 100), ("random 30/6", 1000), ("random 30/15", 300), ("random 60/10", 300),
    ("random 60/10", 3000), ("random 60/20", 1000), ("random 100/3", 300), ("random 100/10", 1000),
    ("random 200/3", 1000), ("random 200/8", 500), ("ecoli70", 300), ("arth150", 300),
)  # fmt: skip
DISCRETE = (
    ("alarm", 300),
    ("alarm", 3000),
    ("insurance", 1000),
    ("hailfinder", 1000),
    ("win95pts", 1000),
)


def cases(name, n, seed):
    """The true graph and rows from it."""
    if (name, n) in DISCRETE:
        found = drawn(name, n, seed)
        return found.truth, found.rows
    truth = network(name, seed)
    return truth.graph, truth.sample(n, np.random.default_rng(7919 + seed))


def main(words):
    """One line for each network and size, and the means."""
    print("network            n   " + "".join(f"| {s}: score, distance, F1, CPU s " for s in WAYS))
    sums = []
    for name, n in GAUSSIAN + DISCRETE:
        if words and name not in words:
            continue
        cells = []
        for seed in range(2):
            truth, data = cases(name, n, seed)
            row = []
            for search in WAYS:
                began = time.process_time()
                net = aw.learn(data, search=search, seed=1)
                cpu = time.process_time() - began
                f1 = skeleton_scores(net.graph, truth)[2]
                row += [net.score, shd_cpdag(net.graph, truth), f1, cpu]
            cells.append(row)
        sums.append(np.mean(cells, axis=0))
        print(f"{name:14s} {n:6d} " + line(sums[-1]), flush=True)
    print(f"{'mean':21s} " + line(np.mean(sums, axis=0)))


WAYS = ("auto", "boss")


def line(means):
    """Four numbers for each way."""
    return " ".join(
        f"| {a:12.2f} {b:7.1f} {c:6.3f} {d:7.2f}" for a, b, c, d in np.reshape(means, (-1, 4))
    )


if __name__ == "__main__":
    main(sys.argv[1:])
