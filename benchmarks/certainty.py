"""Bootstrap: 200 networks of ALARM (1000 rows) and 200 Gaussian ones of 200 columns; CPU seconds, one thread.

python benchmarks/certainty.py
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

import arcwise as aw
from arcwise.graphs import random_dag


def linear(columns: int, rows: int, seed: int) -> aw.Table:
    """Rows of a random linear network of two parents for each variable."""
    rng = np.random.default_rng(seed)
    graph = random_dag(tuple(f"v{i:03d}" for i in range(columns)), 2.0, rng)
    x = np.zeros((rows, columns))
    for node in graph.order():
        x[:, node] = rng.standard_normal(rows)
        for parent in graph.parents[node]:
            x[:, node] += 0.6 * x[:, parent]
    return aw.table({name: x[:, i] for i, name in enumerate(graph.nodes)})


def main() -> None:
    """Print one table."""
    alarm = aw.load(aw.network_file("alarm")).sample(1000, seed=1)
    wide = linear(200, 1000, 1)
    jobs = {
        "ALARM, 1000 rows, greedy, BIC": (alarm, {"search": "greedy", "score": "bic"}),
        "ALARM, 1000 rows, greedy, BDeu": (alarm, {"search": "greedy", "score": "bdeu"}),
        "Gaussian, 200 x 1000, auto, EBIC": (wide, {}),
        "Gaussian, 200 x 1000, greedy, EBIC": (wide, {"search": "greedy"}),
    }
    print(f"{'200 bootstrap networks':<36} CPU s")
    with threadpool_limits(1):
        for name, (table, words) in jobs.items():
            began = time.process_time()
            aw.posterior(table, method="bootstrap", draws=200, **words)
            print(f"{name:<36} {time.process_time() - began:.2f}")


if __name__ == "__main__":
    main()
