"""Linear-Gaussian networks for benchmarks of structure.

Published ones, published graphs with random weights, and random graphs. Columns are standardised, so that no
variance tells the order.
"""

import gzip
import json
from dataclasses import dataclass

import numpy as np
from data import shared_folder

import arcwise as aw
from arcwise.graphs import DAG
from arcwise.io.bif import read_bif

PUBLISHED = ("ecoli70", "magic-niab", "arth150")
GRAPHS = ("alarm", "insurance", "hailfinder", "win95pts", "water", "barley", "andes")
RANDOM = (
    "random 20/2",
    "random 30/6",
    "random 50/3",
    "random 60/10",
    "random 100/3",
    "random 200/3",
)


@dataclass(frozen=True)
class Linear:
    """x_j = intercept + sum of weights x parents + sd x noise."""

    graph: DAG
    weights: tuple[np.ndarray, ...]
    sd: np.ndarray

    def sample(self, rows, rng):
        """Rows with standardised columns, as a table."""
        x = np.zeros((rows, len(self.graph.nodes)))
        for node in self.graph.order():
            mean = x[:, list(self.graph.parents[node])] @ self.weights[node]
            x[:, node] = mean + self.sd[node] * rng.standard_normal(rows)
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        return aw.table(x, names=list(self.graph.nodes))


def network(name, seed):
    """A network by its name, or "random p/degree"; the seed draws weights and random graphs."""
    if name in PUBLISHED:
        return _published(name)
    rng = np.random.default_rng(seed)
    if name.startswith("random "):
        p, degree = name.removeprefix("random ").split("/")
        return with_weights(random_graph(int(p), float(degree), rng), rng)
    return with_weights(_graph(name), rng)


def random_graph(p, degree, rng):
    """Each pair of a random order is joined with the same chance; average degree `degree`."""
    order = rng.permutation(p)
    inside = np.triu(rng.random((p, p)) < degree / (p - 1), 1)
    parents = [()] * p
    for place, node in enumerate(order):
        parents[node] = tuple(sorted(order[np.flatnonzero(inside[:, place])].tolist()))
    return DAG(tuple(f"v{i:04d}" for i in range(p)), tuple(parents))


def with_weights(graph, rng):
    """Weights +-[0.3, 0.9] and noise of standard deviation [0.5, 1.5]."""
    weights = tuple(
        rng.choice([-1, 1], len(row)) * rng.uniform(0.3, 0.9, len(row)) for row in graph.parents
    )
    return Linear(graph, weights, rng.uniform(0.5, 1.5, len(graph.nodes)))


def _published(name):
    path = shared_folder() / "networks" / "gaussian" / f"{name}.json"
    entries = {entry["name"]: entry for entry in json.loads(path.read_text())["variables"]}
    arcs = [(parent, name) for name, entry in entries.items() for parent in entry["parents"]]
    graph = DAG.from_arcs(arcs, sorted(entries))
    weights = []
    for name in graph.nodes:
        slopes = dict(zip(entries[name]["parents"], entries[name]["coefficients"], strict=True))
        weights.append(np.array([slopes[parent] for parent in graph.parents_of(name)]))
    sd = np.array([entries[name]["sd"] for name in graph.nodes])
    return Linear(graph, tuple(weights), sd)


def _graph(name):
    folder = shared_folder() / "networks" / "discrete"
    plain = folder / f"{name}.bif"
    content = (
        plain.read_bytes()
        if plain.is_file()
        else gzip.decompress((folder / f"{name}.bif.gz").read_bytes())
    )
    found = read_bif(content).graph
    return DAG.from_arcs(found.arcs, sorted(found.nodes))
