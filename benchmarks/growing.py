"""Undirected Parzen networks from the complete graph and from a grown one: F1 and CPU seconds.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/growing.py [--first 720]

The tables are those of families.py; the truth is the moral graph. F1 over all six families, and on
"multiplicative" alone, where variables depend on products: growing sees pairs, boundary learning all others.
"""

import argparse
import time

import numpy as np
from families import FAMILIES, draw, f1

import arcwise as aw

CELLS = {(5, 1000): 4, (10, 300): 4, (10, 1000): 2, (20, 300): 2, (8, 5000): 1}
SEARCHES = ("boundary", "grow-shrink")


def one(family: str, p: int, n: int, seed: int, search: str) -> tuple[float, float]:
    """F1 and CPU seconds of one table."""
    drawn = draw(family, p, n, seed)
    table = aw.table(drawn.x, names=drawn.names)
    began = time.process_time()
    net = aw.learn(table, model="parzen", graph="undirected", search=search, progress=False)
    return f1(net.graph, drawn.moral), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=720, help="first seed")
    first = parser.parse_args().first
    print("| columns, rows (graphs) | search | F1 | on products | CPU s |\n|---|---|---|---|---|")
    for (p, n), graphs in CELLS.items():
        for search in SEARCHES:
            seeds = range(first, first + graphs)
            found = np.array([[one(f, p, n, seed, search) for seed in seeds] for f in FAMILIES])
            means, products = found.mean(axis=(0, 1)), found[1, :, 0].mean()
            cell = f"{p}, {n} ({graphs * len(FAMILIES)})"
            print(
                f"| {cell} | {search} | {means[0]:.2f} | {products:.2f} | {means[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
