"""Whether the search of generalised linear models gains by its start at the optimum of an embedded score.

    python benchmarks/mixed_start.py [--seeds 900:904] [--columns 12] [--rows 500]

Tables of numbers and categories are simulated in five ways (shared/data/mixed.py). For each way the mean F1
of the skeleton, the mean gain in score, the tables with a higher and a lower score, and CPU seconds,
from an empty graph and from the best graph of the truncated basis score.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np
from data import shared_folder

import arcwise as aw
from arcwise.learners import directed


def f1(net: Any, arcs: list[tuple[str, str]]) -> float:
    """F1 of the skeleton."""
    true, edges = ({frozenset(arc) for arc in each} for each in (arcs, net.graph.arcs))
    return 2 * len(true & edges) / max(1, len(true) + len(edges))


def run(frame: Any, arcs: list[tuple[str, str]]) -> tuple[float, float, float]:
    """F1, score and CPU seconds of the default."""
    begin = time.process_time()
    net = aw.learn(frame, seed=1, progress=False)
    return f1(net, arcs), net.score, time.process_time() - begin


def main() -> None:
    """One line for each way to simulate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="900:904")
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rows", type=int, default=500)
    given = parser.parse_args()
    first, last = map(int, given.seeds.split(":"))
    sys.path.insert(0, str(shared_folder()))
    import mixed

    proposal = directed.propose
    print("family    F1 empty  F1 start  score gain  higher  lower  s empty  s start")
    for family in mixed.FAMILIES:
        rows = []
        for seed in range(first, last):
            frame, arcs = mixed.table(family, given.columns, given.rows, seed)
            directed.propose = lambda *_: None
            empty = run(frame, arcs)
            directed.propose = proposal
            rows.append((*empty, *run(frame, arcs)))
        a, score, s, b, other, t = np.array(rows).T
        gain = other - score
        print(
            f"{family:8}  {a.mean():8.3f}  {b.mean():8.3f}  {gain.mean():10.1f}  {(gain > 0.01).sum():6}"
            f"  {(gain < -0.01).sum():5}  {s.mean():7.2f}  {t.mean():7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
