"""The experiment behind the defaults for few rows: gamma of the extended BIC, and a bound on parents.

    .venv/bin/python benchmarks/few_rows.py

GES on columns of pure noise (arcs found; none is real) and on samples of random sparse networks (structural
distance of the CPDAGs to the truth). One seed a line.
"""

import numpy as np

import arcwise as aw

NOISE = ((10, 40), (20, 40), (30, 40), (50, 60), (50, 300))
SIGNAL = ((30, 40), (50, 60), (50, 300), (100, 300), (100, 100), (500, 100))


def sample(rows, columns):
    """A random DAG of average degree 3 with weights +-[0.3, 0.9], and rows from it."""
    rng = np.random.default_rng(1)
    names = [f"v{i:04d}" for i in range(columns)]
    graph = aw.graphs.random_dag(names, 3.0, rng)
    x = np.zeros((rows, columns))
    for node in graph.order():
        parents = list(graph.parents[node])
        weights = rng.choice([-1, 1], len(parents)) * rng.uniform(0.3, 0.9, len(parents))
        x[:, node] = x[:, parents] @ weights + rng.uniform(0.5, 1.5) * rng.standard_normal(rows)
    return graph, aw.table(x, names=names)


def learned(data, gamma, bound):
    rules = aw.Rules(max_parents=bound)
    return aw.learn(data, score=aw.EBIC(gamma=gamma), search="ges", rules=rules).graph


def main():
    print("noise: arcs found        gamma 0.5, rows/10   gamma 1, rows/10")
    for rows, columns in NOISE:
        noise = np.random.default_rng(0).normal(size=(rows, columns))
        arcs = [learned(noise, gamma, max(1, rows // 10)).n_arcs for gamma in (0.5, 1.0)]
        print(f"{rows:4d} x {columns:4d} {arcs[0]:30d} {arcs[1]:18d}", flush=True)
    print("\nsparse networks: distance")
    for rows, columns in SIGNAL:
        truth, data = sample(rows, columns)
        graphs = [learned(data, gamma, max(1, rows // 10)) for gamma in (0.5, 1.0)]
        distances = [aw.graphs.shd_cpdag(graph, truth) for graph in graphs]
        print(f"{rows:4d} x {columns:4d} {distances[0]:30d} {distances[1]:18d}", flush=True)


if __name__ == "__main__":
    main()
