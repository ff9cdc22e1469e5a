"""Which way to certainty ranks edges best for its time: chains or resampling, by the number of columns.

    python benchmarks/methods.py [--seeds 900:902] [--rows 500]

Rows are drawn from published networks (shared/data/networks) and from random ones. For each way the area
under the curve (ROC) of pairs for the true skeleton, and of ordered pairs for the arcs that every equivalent
graph has; CPU seconds; and of chains the largest R-hat. Chains are two of 250 draws, and are not run again.
"""

import argparse
import time
from typing import Any

import numpy as np
from ranking import source
from reliability import area, network  # with the folder of tests

import arcwise as aw
from arcwise.graphs import cpdag

PUBLISHED = ("sachs", "insurance", "alarm", "hailfinder", "ecoli70")
WAYS: dict[str, dict[str, Any]] = {
    "chains": {"method": aw.MCMC(chains=2), "draws": 250},
    "resampling": {"method": "bootstrap", "draws": 100},
}


def drawn(name: str, rows: int, seed: int) -> tuple[aw.Table, Any, Any]:
    """Rows of a network with the pairs that are joined and the arcs that are compelled."""
    if name.startswith("random"):
        kind, columns = name.split()[1:]
        table, joined = network(kind, int(columns), rows, np.random.default_rng(seed))
        both = np.zeros((int(columns),) * 2, dtype=bool)
        both[np.triu_indices(int(columns), 1)] = joined
        return table, both | both.T, None
    graph, sampled = source(name)
    table = sampled(rows, seed)
    order = [graph.index(each) for each in table.names]
    joined = np.zeros((len(order),) * 2, dtype=bool)
    arcs = np.zeros_like(joined)
    for head, row in enumerate(graph.parents):
        joined[list(row), head] = joined[head, list(row)] = True
    for head, row in enumerate(cpdag(graph).parents):
        arcs[list(row), head] = True
    return table, joined[np.ix_(order, order)], arcs[np.ix_(order, order)]


def judged(name: str, rows: int, seed: int) -> None:
    """One line for each way."""
    table, joined, arcs = drawn(name, rows, seed)
    upper, off = np.triu_indices(len(joined), 1), ~np.eye(len(joined), dtype=bool)
    ways = {"exact": {"method": "exact"}} if len(joined) <= 12 else {}
    for way, words in {**ways, **WAYS}.items():
        began = time.process_time()
        found = aw.posterior(table, progress=False, **words).found
        spent = time.process_time() - began
        skeleton = area(found.adjacent[upper], joined[upper])
        directed = np.nan if arcs is None or not arcs.any() else area(found.arcs[off], arcs[off])
        rhat = found.diagnostics.get("rhat", np.nan)
        print(
            f"{name:18s} {len(joined):3d} columns, seed {seed}, {way:10s}: skeleton {skeleton:.4f}, "
            f"compelled arcs {directed:.4f}, {spent:6.1f} s, R-hat {rhat:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--seeds", default="900:902")
    words.add_argument("--rows", type=int, default=500)
    asked = words.parse_args()
    first, last = map(int, asked.seeds.split(":"))
    for name in ("random levels 20", "random numbers 20", *PUBLISHED):
        for seed in range(first, last):
            judged(name, asked.rows, seed)
