"""Networks for tests: by hand, at random, and the published Gaussian ones."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from arcwise.conditionals import GaussianConditional
from arcwise.data import Variable
from arcwise.graphs import DAG
from arcwise.networks import BayesNet

Recipe = Mapping[str, tuple[float, Mapping[str, float], float]]


def linear(intercept, coefficients, sd):
    """A linear-Gaussian local model that no data stand behind."""
    size = len(coefficients)
    spread = np.zeros((size + 1, size + 1))
    return GaussianConditional(
        float(intercept), np.array(coefficients, dtype=float), float(sd) ** 2, spread, 0.0
    )


def gaussian_net(recipe: Recipe) -> BayesNet:
    """A network from name -> (intercept, {parent: coefficient}, sd)."""
    names = sorted(recipe)
    arcs = [(parent, child) for child in names for parent in recipe[child][1]]
    graph = DAG.from_arcs(arcs, names)
    models = []
    for child in names:
        intercept, slopes, sd = recipe[child]
        models.append(linear(intercept, [slopes[p] for p in graph.parents_of(child)], sd))
    variables = tuple(Variable(name) for name in names)
    return BayesNet(variables, graph, tuple(models))


def random_net(rng: np.random.Generator, nodes: int, density: float = 0.5) -> BayesNet:
    """A random Gaussian network whose topological order is not the order of names."""
    names = [f"v{i:04d}" for i in range(nodes)]
    order = rng.permutation(nodes)
    recipe = {}
    for place, node in enumerate(order):
        parents = [names[j] for j in order[:place] if rng.random() < density]
        slopes = {parent: float(rng.normal()) for parent in parents}
        recipe[names[node]] = (float(rng.normal()), slopes, float(rng.uniform(0.2, 2.0)))
    return gaussian_net(recipe)


def published_net(shared_data: Path, name: str) -> BayesNet:
    """One of the Gaussian networks of the shared data: ecoli70, magic-niab, arth150."""
    document = json.loads((shared_data / "networks" / "gaussian" / f"{name}.json").read_text())
    return gaussian_net(
        {
            entry["name"]: (
                entry["intercept"],
                dict(zip(entry["parents"], entry["coefficients"], strict=True)),
                entry["sd"],
            )
            for entry in document["variables"]
        }
    )


def dense_moments(net: BayesNet) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance by plain matrix algebra: x = (I - W)^-1 (b + noise)."""
    size = len(net.names)
    weights, intercepts = np.zeros((size, size)), np.zeros(size)
    for child, model in enumerate(net.conditionals):
        weights[child, list(net.graph.parents[child])] = model.coefficients
        intercepts[child] = model.intercept
    inverse = np.linalg.inv(np.eye(size) - weights)
    noise = np.diag([model.variance for model in net.conditionals])
    return inverse @ intercepts, inverse @ noise @ inverse.T


def dense_conditional(mean, covariance, targets, evidence):
    """Textbook conditioning by solving with the covariance of the evidence."""
    seen = list(evidence)
    if not seen:
        return mean[targets], covariance[np.ix_(targets, targets)]
    gain = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, targets)]).T
    off = np.array([evidence[i] for i in seen]) - mean[seen]
    left = covariance[np.ix_(targets, targets)] - gain @ covariance[np.ix_(seen, targets)]
    return mean[targets] + gain @ off, left
