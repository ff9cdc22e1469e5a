"""Networks with known answers: a joint kernel density, whose conditionals are exact and consistent.

p(x) = mean over m of prod_i N(x_i; c_mi, h_i^2). Every conditional is a mixture of normals at the
same centres, p(x_i | rest) = sum_m w_m(rest) N(x_i; c_mi, h_i^2) with w_m proportional to
prod_{j in rest} N(x_j; c_mj, h_j^2), and so is every marginal conditional given fewer variables.
"""

from dataclasses import dataclass

import numpy as np
from shared_networks import linear

from arcwise.data import Variable
from arcwise.distributions import Categorical, Mixture
from arcwise.graphs import DAG, UGraph
from arcwise.networks import BayesNet, MarkovNet


@dataclass(frozen=True, eq=False)
class Kernels:
    """One variable given others, from a joint kernel density."""

    word = "kernels"

    centres: np.ndarray
    width: float
    others: tuple[np.ndarray, ...]
    bandwidths: tuple[float, ...]
    n_params = None

    def weights(self, xs, size):
        logs = np.zeros((size, len(self.centres)))
        for x, centre, width in zip(xs, self.others, self.bandwidths, strict=True):
            logs -= 0.5 * ((np.asarray(x)[:, None] - centre) / width) ** 2
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs)
        return weights / weights.sum(axis=1, keepdims=True)

    def distribution(self, xs, size):
        sd = np.full((1, len(self.centres)), self.width)
        return Mixture(self.centres[None, :], sd, self.weights(xs, size))

    def logpdf(self, y, xs):
        z = (np.asarray(y)[:, None] - self.centres) / self.width
        parts = self.weights(xs, len(y)) * np.exp(-0.5 * z**2)
        with np.errstate(divide="ignore"):
            return np.log(parts.sum(axis=1)) - np.log(self.width * np.sqrt(2 * np.pi))

    def sample(self, xs, rng, size):
        heap = np.cumsum(self.weights(xs, size), axis=1)
        chosen = (heap < rng.random(size)[:, None] * heap[:, -1:]).sum(axis=1)
        chosen = np.minimum(chosen, len(self.centres) - 1)
        return self.centres[chosen] + self.width * rng.standard_normal(size)


def bent_points(seed=0, rows=40):
    """Points of three variables on a bent curve: b is like a squared, c is like sin b."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    b = a**2 - 1 + 0.3 * rng.normal(size=rows)
    c = np.sin(2 * b) + 0.3 * rng.normal(size=rows)
    return np.stack([a, b, c])


def kernels_of(points, bandwidths, node, inputs):
    return Kernels(
        points[node],
        bandwidths[node],
        tuple(points[j] for j in inputs),
        tuple(bandwidths[j] for j in inputs),
    )


def names_of(count):
    return tuple(Variable("abcdefgh"[i]) for i in range(count))


def kernel_markov(points, bandwidths):
    """The complete undirected network of a joint kernel density."""
    variables = names_of(len(points))
    graph = UGraph.complete([v.name for v in variables])
    models = tuple(kernels_of(points, bandwidths, i, row) for i, row in enumerate(graph.neighbours))
    return MarkovNet(variables, graph, models, tuple(points))


def kernel_bayes(points, bandwidths, blankets=False):
    """The complete directed network of the same joint density."""
    variables = names_of(len(points))
    graph = DAG.complete([v.name for v in variables])
    models = tuple(kernels_of(points, bandwidths, i, row) for i, row in enumerate(graph.parents))
    fields = kernel_markov(points, bandwidths) if blankets else None
    return BayesNet(variables, graph, models, fields)


def kernel_answer(points, bandwidths, target, known):
    """Exact mean and sd of a variable given any others: the same mixture with fewer factors."""
    model = kernels_of(points, bandwidths, target, tuple(known))
    weights = model.weights(tuple(np.array([x]) for x in known.values()), 1)[0]
    mean = weights @ points[target]
    second = weights @ (points[target] ** 2 + bandwidths[target] ** 2)
    return mean, np.sqrt(second - mean**2), weights


def gaussian_markov(precision, mean, rng):
    """The undirected network of a joint normal: conditionals from its precision matrix."""
    size = len(mean)
    variables = names_of(size)
    edges = [(i, j) for i in range(size) for j in range(i) if precision[i, j] != 0]
    graph = UGraph.from_edges(edges, [v.name for v in variables])
    models = []
    for i, row in enumerate(graph.neighbours):
        slopes = [-precision[i, j] / precision[i, i] for j in row]
        intercept = mean[i] - sum(w * mean[j] for w, j in zip(slopes, row, strict=True))
        models.append(linear(intercept, slopes, precision[i, i] ** -0.5))
    typical = rng.multivariate_normal(mean, np.linalg.inv(precision), 200).T
    return MarkovNet(variables, graph, tuple(models), tuple(typical))


class Switch:
    """A discrete variable whose chances hang on the sign of one input."""

    word = "switch"

    n_params = 1

    def probabilities(self, xs, size):
        high = np.where(xs[0] > 0, 0.9, 0.2)
        return np.stack([1 - high, high], axis=1)

    def distribution(self, xs, size):
        return Categorical(self.probabilities(xs, size))

    def logpdf(self, y, xs):
        return np.log(self.probabilities(xs, len(y)))[np.arange(len(y)), y.astype(int)]

    def sample(self, xs, rng, size):
        return (rng.random(size) < self.probabilities(xs, size)[:, 1]).astype(np.uint8)


class Pushed:
    """A number whose mean hangs on a code: -1 or 1; a model that gives nothing but densities and draws."""

    word = "pushed"

    n_params = 1

    def mean(self, xs, size):
        return 2.0 * xs[0] - 1

    def logpdf(self, y, xs):
        return -0.5 * (y - self.mean(xs, len(y))) ** 2 - 0.5 * np.log(2 * np.pi)

    def sample(self, xs, rng, size):
        return self.mean(xs, size) + rng.standard_normal(size)


def switch_net(levels):
    """Two neighbours: a discrete variable with two levels, and a number."""
    variables = (Variable("light", levels), Variable("x"))
    graph = UGraph.from_edges([("light", "x")])
    rows = (np.array([0, 1] * 10, dtype=np.uint8), np.linspace(-2, 2, 20))
    return MarkovNet(variables, graph, (Switch(), Pushed()), rows)
