"""Known truths: do nonlinear networks find nonlinear dependencies, and what do they lose on linear ones?

    python benchmarks/known_truths.py [GRAPHS]

Random DAGs of ten variables with two parents on average at most three. Every variable is a sum of
functions of its parents and noise: sines, squares, products of two parents, and noise whose size a
parent rules ("curved"); or a weighted sum with normal noise ("linear"). Learned with the defaults of
each model; `F1` is that of the skeleton for directed graphs, and of the moral graph for undirected ones.
Means over the graphs with standard errors; the difference to the Gaussian model is paired.
"""

import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arcwise as aw
from arcwise.graphs import moral, random_dag, skeleton

Array = NDArray[np.float64]
VARIABLES, DEGREE = 10, 2.5
LEARNERS: dict[str, dict[str, Any]] = {
    "directed gaussian": {"model": "gaussian"},
    "directed parzen": {"model": "parzen"},
    "undirected gaussian": {"model": "gaussian", "graph": "undirected", "search": "boundary"},
    "undirected parzen": {"model": "parzen", "graph": "undirected"},
    "undirected parzen, 0.05": {"model": "parzen", "graph": "undirected", "penalty": 0.05},
    "directed parzen, 0.05": {"model": "parzen", "penalty": 0.05},
}


def curved(graph: aw.DAG, rows: int, rng: np.random.Generator) -> Array:
    """Columns in which every arc bends."""
    x = np.empty((rows, len(graph.nodes)))
    for node in graph.order():
        value, noise = np.zeros(rows), np.full(rows, 0.4)
        parents = list(graph.parents[node])
        for parent in parents:
            value += _bent(x[:, parent], rng.integers(3), rng)
        if len(parents) > 1:
            value += x[:, parents[0]] * x[:, parents[1]]
        if parents and rng.random() < 0.5:
            noise = 0.2 + 0.4 * np.abs(x[:, parents[-1]])
        value += noise * rng.standard_normal(rows)
        spread = value.std() if parents else 1.0
        x[:, node] = (value - value.mean()) / spread if parents else rng.standard_normal(rows)
    return x


def _bent(x: Array, kind: int, rng: np.random.Generator) -> Array:
    sign = rng.choice([-1.0, 1.0])
    return sign * (np.sin(2.0 * x), x**2 - 1.0, np.abs(x) + 0.5 * x)[kind]


def linear(graph: aw.DAG, rows: int, rng: np.random.Generator) -> Array:
    """Columns of a linear-Gaussian network."""
    x = np.empty((rows, len(graph.nodes)))
    for node in graph.order():
        value = rng.standard_normal(rows)
        for parent in graph.parents[node]:
            value += rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 0.9) * x[:, parent]
        x[:, node] = value
    return x


def f1(found: set[Any], truth: set[Any]) -> float:
    both = len(found & truth)
    return 2 * both / (len(found) + len(truth)) if found or truth else 1.0


def pairs(graph: aw.UGraph) -> set[Any]:
    return {frozenset(edge) for edge in graph.edges}


def judged(net: aw.Network, truth: aw.DAG) -> float:
    """F1 against the graph that the learner could have found at best."""
    if isinstance(net.graph, aw.UGraph):
        return f1(pairs(net.graph), pairs(moral(truth)))
    return f1(pairs(skeleton(net.graph)), pairs(skeleton(truth)))


def study(name: str, make: Any, rows: int, graphs: int) -> None:
    scores: dict[str, list[float]] = {word: [] for word in LEARNERS}
    spent = dict.fromkeys(LEARNERS, 0.0)
    names = [f"v{i}" for i in range(VARIABLES)]
    for seed in range(graphs):
        rng = np.random.default_rng(seed)
        truth = random_dag(names, DEGREE, rng)
        x = make(truth, rows, rng)
        table = aw.table({node: x[:, i] for i, node in enumerate(names)})
        for word, words in LEARNERS.items():
            began = time.process_time()
            net = aw.learn(table, seed=0, progress=False, **words)
            spent[word] += time.process_time() - began
            scores[word].append(judged(net, truth))
    for word, values in scores.items():
        plain = word.split()[0] + " gaussian"
        gain = np.array(values) - np.array(scores[plain])
        error = gain.std(ddof=1) / np.sqrt(graphs)
        against = "" if word == plain else f"{gain.mean():+8.3f} +- {error:.3f}"
        print(
            f"{name:<7} {rows:>5}  {word:<24} {np.mean(values):6.3f} +- "
            f"{np.std(values, ddof=1) / np.sqrt(graphs):.3f}  {spent[word] / graphs:7.2f}  {against}"
        )


def main() -> None:
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print("data     rows  learner                      F1             CPU s  against Gaussian")
    for name, make in (("curved", curved), ("linear", linear)):
        for rows in (300, 1000):
            study(name, make, rows, graphs)


if __name__ == "__main__":
    main()
