"""Simulated tables of known structure, six families of dependence: for defaults that have to fit them all.

A random DAG with `DEGREE` edges a variable on average; every variable is a function of its parents and noise:

* additive: a sum of sin(2 x) and x^2 / 2 of the parents, normal noise;
* multiplicative: products of the parents, and noise whose size a parent rules;
* monotone: sums of tanh, cubic roots and softplus, normal noise;
* linear: weighted sums, normal noise;
* laplace: weighted sums, Laplace noise;
* markov: a nonlinear Markov network: no directed truth, but a random undirected graph whose joint density
  is proportional to exp(-sum of x^4 / 4 - sum over edges of s (x_i^2 - 1)(x_j^2 - 1) / 2 or s x_i x_j), by Gibbs sampling.

`draw` gives the columns, the skeleton and the moral graph (for "markov" both are the graph itself).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import DAG, UGraph, moral, random_dag, skeleton

Array = NDArray[np.float64]
FAMILIES = ("additive", "multiplicative", "monotone", "linear", "laplace", "markov")
DEGREE = 2.5
_CHAIN = 60  # sweeps between two rows that are kept
_GRID = np.linspace(-3.2, 3.2, 129)


class Drawn(NamedTuple):
    """Columns (rows, p), and the graphs that learners should find."""

    x: Array
    skeleton: UGraph
    moral: UGraph

    @property
    def names(self) -> tuple[str, ...]:
        return self.skeleton.nodes


def draw(family: str, p: int, rows: int, seed: int) -> Drawn:
    """A table of a family with its truth; the same for the same seed."""
    rng = np.random.default_rng([seed, p, rows, FAMILIES.index(family)])
    names = [f"v{i:02d}" for i in range(p)]
    if family == "markov":
        graph = skeleton(random_dag(names, min(DEGREE, p - 1), rng))
        return Drawn(_markov(graph, rows, rng), graph, graph)
    dag = random_dag(names, min(DEGREE, p - 1), rng)
    x = _MAKERS[family](dag, rows, rng)
    return Drawn(x, skeleton(dag), moral(dag))


def _by_order(dag: DAG, rows: int, rng: np.random.Generator, make: "_Maker") -> Array:  # type: ignore[name-defined]
    x = np.empty((rows, len(dag.nodes)))
    for node in dag.order():
        parents = x[:, list(dag.parents[node])]
        value = make(parents, rng) if parents.shape[1] else rng.standard_normal(rows)
        x[:, node] = (value - value.mean()) / value.std()
    return x


def _signs(k: int, rng: np.random.Generator) -> Array:
    out: Array = rng.choice([-1.0, 1.0], k)
    return out


def _additive(x: Array, rng: np.random.Generator) -> Array:
    parts = np.where(rng.random(x.shape[1]) < 0.5, np.sin(2 * x), 0.5 * x**2)
    out: Array = parts @ _signs(x.shape[1], rng) + 0.5 * rng.standard_normal(len(x))
    return out


def _multiplicative(x: Array, rng: np.random.Generator) -> Array:
    k, noise = x.shape[1], rng.standard_normal(len(x))
    if k == 1:
        return np.asarray((0.3 + np.abs(x[:, 0])) * noise)
    return np.asarray(np.prod(x, axis=1) + 0.2 * (1.0 + np.abs(x[:, 0])) * noise)


def _monotone(x: Array, rng: np.random.Generator) -> Array:
    kinds = (np.tanh(2 * x), np.cbrt(x), np.log1p(np.exp(3 * x)) / 2)
    chosen = np.choose(rng.integers(3, size=x.shape[1]), kinds)
    out: Array = chosen @ _signs(x.shape[1], rng) + 0.6 * rng.standard_normal(len(x))
    return out


def _weighted(x: Array, rng: np.random.Generator) -> Array:
    out: Array = x @ (_signs(x.shape[1], rng) * rng.uniform(0.4, 0.9, x.shape[1]))
    return out


def _linear(x: Array, rng: np.random.Generator) -> Array:
    return _weighted(x, rng) + 0.7 * rng.standard_normal(len(x))


def _laplace(x: Array, rng: np.random.Generator) -> Array:
    return _weighted(x, rng) + rng.laplace(0.0, 0.5, len(x))


_MAKERS = {
    name: lambda dag, rows, rng, make=make: _by_order(dag, rows, rng, make)
    for name, make in (
        ("additive", _additive),
        ("multiplicative", _multiplicative),
        ("monotone", _monotone),
        ("linear", _linear),
        ("laplace", _laplace),
    )
}


def _markov(graph: UGraph, rows: int, rng: np.random.Generator) -> Array:
    """Rows of a Markov network by Gibbs sampling on a grid, one chain a row, all advancing together."""
    p = len(graph.nodes)
    kind, weight = np.zeros((p, p), dtype=bool), np.zeros((p, p))
    for i, j in graph.numbered_edges:
        kind[i, j] = kind[j, i] = rng.random() < 0.5
        weight[i, j] = weight[j, i] = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 0.9)
    x = rng.uniform(-1.5, 1.5, (rows, p))
    for _ in range(_CHAIN):
        for i in range(p):
            plain = x @ np.where(kind[i], 0.0, weight[i])
            bent = (x**2 - 1.0) @ np.where(kind[i], np.abs(weight[i]), 0.0) / 2
            logs = -(_GRID**4) / 4 + plain[:, None] * _GRID - bent[:, None] * (_GRID**2 - 1.0)
            mass = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
            place = (mass < rng.random(rows)[:, None] * mass[:, -1:]).sum(axis=1)
            x[:, i] = _GRID[place] + (rng.random(rows) - 0.5) * (_GRID[1] - _GRID[0])
    return (x - x.mean(axis=0)) / x.std(axis=0)


def f1(found: UGraph, truth: UGraph) -> float:
    """Harmonic mean of precision and recall of edges."""
    own, true = set(found.numbered_edges), set(truth.numbered_edges)
    return 2 * len(own & true) / (len(own) + len(true)) if own or true else 1.0
