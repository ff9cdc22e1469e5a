"""Small networks of every kind, and what is true of them: sums over levels and fine grids of numbers.

Nothing is used of a network but its local models. An undirected one, whose local models belong to one joint
density, has it by Brook's lemma: log p(x) - log p(z) is the sum over i of
log p(x_i | x_1..x_(i-1), z_(i+1)..) - log p(z_i | x_1..x_(i-1), z_(i+1)..).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from shared_networks import gaussian_net

from arcwise.conditionals import ConditionalGaussianModel, DiscreteConditional, ParzenConditional
from arcwise.data import Variable
from arcwise.graphs import DAG, UGraph
from arcwise.networks import BayesNet, MarkovNet, NormalJoint, TableJoint

GRID = np.linspace(-7.5, 7.5, 91)  # reaches beyond every variable below, and resolves it

LETTERS = ("first", "second", "third", "fourth")


@dataclass(frozen=True, eq=False)
class Logistic:
    """A toy: two levels, of which the second is likelier where a number is large."""

    word = "logistic"
    n_params = None
    slope: float

    def logpdf(self, y, xs):
        z = self.slope * np.asarray(xs[0], dtype=float) * np.where(np.asarray(y) == 1, 1.0, -1.0)
        return -np.logaddexp(0.0, -z)

    def sample(self, xs, rng, size):
        high = np.exp(self.logpdf(np.ones(size), xs))
        return (rng.random(size) < high).astype(np.uint8)


def leveled(name: str, count: int) -> Variable:
    return Variable(name, LETTERS[:count])


def rows_of(shape, seed: int):
    """Probabilities along the last axis."""
    found = np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=shape[:-1])
    return DiscreteConditional(found.reshape(shape))


def levels() -> BayesNet:
    variables = tuple(
        leveled(name, count) for name, count in zip("abcd", (2, 3, 2, 3), strict=True)
    )
    graph = DAG.from_arcs([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    models = (rows_of((2,), 1), rows_of((2, 3), 2), rows_of((2, 2), 3), rows_of((3, 2, 3), 4))
    return BayesNet(variables, graph, models)


def ring() -> MarkovNet:
    """Four variables in a cycle, by a table for each edge."""
    sizes, pairs = (2, 3, 2, 2), ((0, 1), (1, 2), (2, 3), (0, 3))
    tables = [
        np.random.default_rng(i).random([sizes[v] for v in pair]) + 0.1
        for i, pair in enumerate(pairs)
    ]
    whole = np.einsum("ab,bc,cd,ad->abcd", *tables)
    tables[0] = tables[0] / whole.sum()
    variables = tuple(leveled(name, count) for name, count in zip("abcd", sizes, strict=True))
    graph = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    return MarkovNet.normal(variables, graph, TableJoint(sizes, pairs, tuple(tables)))  # fmt: skip


def numbers() -> BayesNet:
    return gaussian_net(
        {"a": (0.3, {}, 1.0), "b": (-0.2, {"a": 0.8}, 0.7), "c": (0.1, {"a": 0.5, "b": -0.6}, 0.8)}
    )


def field() -> MarkovNet:
    """Three numbers in a row: a and c are independent given b."""
    precision = np.array([[1.5, -0.7, 0.0], [-0.7, 2.0, 0.6], [0.0, 0.6, 1.2]])
    joint = NormalJoint(np.array([0.3, -0.4, 0.2]), precision)
    graph = UGraph.from_edges([("a", "b"), ("b", "c")])
    return MarkovNet.normal(tuple(map(Variable, "abc")), graph, joint)


def mixed() -> BayesNet:
    """A level, two numbers that it shifts, and a level that one of these makes likely."""
    slopes = ConditionalGaussianModel(
        (True, False), np.array([0.5, -0.5]), np.array([[0.7], [-0.4]]), np.array([0.5, 0.8])
    )
    shifts = ConditionalGaussianModel(
        (True,), np.array([-1.0, 1.0]), np.zeros((2, 0)), np.array([0.6, 1.0])
    )
    variables = (leveled("k", 2), Variable("x"), Variable("y"), leveled("z", 2))
    graph = DAG.from_arcs([("k", "x"), ("k", "y"), ("x", "y"), ("y", "z")])
    return BayesNet(variables, graph, (rows_of((2,), 5), shifts, slopes, Logistic(1.2)))


def _windows(inputs, node: int) -> ParzenConditional:
    """One variable of a joint density of windows of one width, given others."""
    a = np.linspace(-1.6, 1.6, 14)
    points = np.stack([a, 0.6 * a**2 - 0.8, np.sin(2 * a)])
    ones, width = np.ones(14), np.full(2, 0.7)
    others = tuple(points[j] for j in inputs)
    return ParzenConditional(points[node], others, ones, np.ones(1 + len(inputs)), width)


def _typical():
    return tuple(_windows((), node).output for node in range(3))


def bent_field() -> MarkovNet:
    """A bent density of windows, each variable given the others."""
    graph = UGraph.complete(["a", "b", "c"])
    models = tuple(_windows(row, node) for node, row in enumerate(graph.neighbours))
    return MarkovNet(tuple(map(Variable, "abc")), graph, models, _typical())


def bent() -> BayesNet:
    """The same density by the chain rule, with those models as blankets."""
    graph = DAG.complete(["a", "b", "c"])
    models = tuple(_windows(row, node) for node, row in enumerate(graph.parents))
    return BayesNet(tuple(map(Variable, "abc")), graph, models, bent_field())


NETS = {make.__name__: make() for make in (levels, ring, numbers, field, mixed, bent, bent_field)}


def axis(net, node: int):
    """All values of a variable, or a grid of them."""
    known = net.variables[node].levels
    return GRID if known is None else np.arange(len(known), dtype=np.uint8)


def log_weight(net, columns):
    """Log of the joint density of rows; of an undirected network, but for a constant."""
    given = [tuple(row) for row in net.inputs]
    if isinstance(net, BayesNet):
        models = zip(net.conditionals, given, range(len(given)), strict=True)
        return sum(
            model.logpdf(columns[node], tuple(columns[j] for j in row))
            for model, row, node in models
        )
    start = [np.zeros_like(column) for column in columns]
    total = np.zeros(len(columns[0]))
    for node, (model, row) in enumerate(zip(net.conditionals, given, strict=True)):
        between = [*columns[:node], *start[node:]]
        xs = tuple(between[j] for j in row)
        total += model.logpdf(columns[node], xs) - model.logpdf(start[node], xs)
    return total  # fmt: skip


@dataclass(frozen=True, eq=False)
class Truth:
    """The distribution of what is not known: shares over the grid of the hidden variables, and the log of
    their sum as an integral."""

    net: object
    hidden: tuple[int, ...]
    shares: np.ndarray
    log: float

    def single(self, node: int):
        """Probabilities of a variable's levels, or of grid points."""
        place = self.hidden.index(node)
        return self.shares.sum(axis=tuple(i for i in range(len(self.hidden)) if i != place))

    def mean(self, node: int) -> float:
        return float(self.single(node) @ axis(self.net, node))

    def sd(self, node: int) -> float:
        return float(np.sqrt(self.single(node) @ (axis(self.net, node) - self.mean(node)) ** 2))

    def correlation(self, one: int, two: int) -> float:
        places = [self.hidden.index(one), self.hidden.index(two)]
        rest = tuple(i for i in range(len(self.hidden)) if i not in places)
        both = self.shares.sum(axis=rest)
        both = both if places[0] < places[1] else both.T
        a, b = axis(self.net, one) - self.mean(one), axis(self.net, two) - self.mean(two)
        return float(a @ both @ b) / (self.sd(one) * self.sd(two))


def truth(net, known=None, forced=None, weights=None) -> Truth:
    """What is true given values by name: levels by word; `forced` are set, `weights` soft evidence.

    Setting a variable takes its own local model away.
    """
    at = {
        net.names.index(name): net.variables[net.names.index(name)].levels.index(value)
        if isinstance(value, str)
        else value
        for name, value in {**(known or {}), **(forced or {})}.items()
    }
    hidden = tuple(node for node in range(len(net.names)) if node not in at)
    grids = np.meshgrid(*(axis(net, node) for node in hidden), indexing="ij")
    size = grids[0].size if hidden else 1
    columns = [
        np.full(size, at[node], dtype=axis(net, node).dtype)
        if node in at
        else grids[hidden.index(node)].ravel()
        for node in range(len(net.names))
    ]
    logs = np.concatenate(
        [
            log_weight(net, [c[low : low + 50_000] for c in columns])
            for low in range(0, size, 50_000)
        ]
    )
    for name in forced or {}:
        node = net.names.index(name)
        xs = tuple(columns[j] for j in net.inputs[node])
        logs = logs - net.conditionals[node].logpdf(columns[node], xs)
    for name, shares in (weights or {}).items():
        logs = logs + np.log(shares)[columns[net.names.index(name)]]
    top = logs.max()
    heap = np.exp(logs - top).reshape([len(axis(net, node)) for node in hidden])
    step = (GRID[1] - GRID[0]) ** sum(not net.variables[node].discrete for node in hidden)
    return Truth(net, hidden, heap / heap.sum(), float(top + np.log(heap.sum() * step)))


@cache
def found_truth(kind: str, known: tuple = (), forced: tuple = (), weights: tuple = ()) -> Truth:
    """The same by the name of a network, kept."""
    return truth(NETS[kind], dict(known), dict(forced), dict(weights))
