"""Random draws: rows of a network, weighted draws of hidden variables, and random networks.

Each variable is drawn after its parents. Observed ones multiply the weight of a draw by their density given
their parents (likelihood weighting; Fung and Chang 1990, Shachter and Peot 1990). Random networks, for
simulations and tests, are graphs of a given size with rows of tables from a Dirichlet distribution, or with
linear regressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, DiscreteConditional, GaussianConditional
from arcwise.conditionals.base import distribution_of
from arcwise.data import Table, Variable
from arcwise.data.variable import code_type
from arcwise.distributions import log_sum
from arcwise.errors import DataError, GraphError
from arcwise.graphs import DAG
from arcwise.networks.nets import BayesNet, Net, whole

ARCS_PER_NODE = 1.5
MOST_CELLS = 1 << 24

FEWEST = 10.0
"""Effective sample size below which weighted draws are rejected."""

Array = NDArray[np.float64]


def random_graph(
    names: Sequence[str],
    rng: np.random.Generator,
    *,
    arcs: int | None = None,
    max_parents: int = 3,
) -> DAG:
    """Draw a graph with a number of arcs.

    Variables are put in a random order. Arcs are distributed at random over the possible numbers of parents,
    and a variable's parents are drawn from those before it.

    Parameters
    ----------
    names : of the variables.
    rng : random generator.
    arcs : number of arcs; by default 1.5 per variable, or the largest possible number.
    max_parents : largest number of parents of a variable.

    Raises
    ------
    GraphError : more arcs than possible, or a negative number of parents.

    >>> random_graph(["a", "b", "c"], np.random.default_rng(1), arcs=2).n_arcs
    2
    """
    if max_parents < 0:
        raise GraphError(f"max_parents must be a non-negative integer, got {max_parents!r}.")
    ordered = sorted(names)
    return DAG(tuple(ordered), _parents(len(ordered), arcs, max_parents, rng))


def random_tables(
    graph: DAG, levels: tuple[int, int], rng: np.random.Generator, *, alpha: float = 1.0
) -> BayesNet:
    """Draw the tables of a graph: every row from a Dirichlet distribution with all parameters alpha.

    Parameters
    ----------
    graph : with sorted names.
    levels : smallest and largest number of levels of a variable, drawn uniformly.
    rng : random generator.
    alpha : 1 is the uniform distribution of rows, smaller values give more certain rows.

    Raises
    ------
    DataError : invalid sizes, or a table that would be too large.

    >>> net = random_tables(DAG.from_arcs(["a -> b"]), (2, 4), np.random.default_rng(1))
    >>> all(2 <= len(v.levels) <= 4 for v in net.variables)
    True
    """
    low, high = levels
    if not 1 <= low <= high or not alpha > 0 or not np.isfinite(alpha):
        raise DataError(
            f"A random network must have positive levels and alpha, got levels={levels!r}, "
            f"alpha={alpha!r}."
        )
    widest = max(map(len, graph.parents), default=0)
    cells = float(high) ** (widest + 1)
    if cells > MOST_CELLS:
        raise DataError(
            f"A table of {widest} parents with {high} levels would have {cells:.3g} "
            f"probabilities, above {MOST_CELLS:.3g}: use fewer of either."
        )
    sizes = rng.integers(low, high + 1, len(graph.nodes)).tolist()
    variables = tuple(
        Variable(name, tuple(f"s{code}" for code in range(size)))
        for name, size in zip(graph.nodes, sizes, strict=True)
    )
    models = tuple(
        DiscreteConditional(_rows([sizes[p] for p in parents], sizes[node], alpha, rng))
        for node, parents in enumerate(graph.parents)
    )
    return BayesNet(variables, graph, models)


def random_regressions(graph: DAG, rng: np.random.Generator) -> BayesNet:
    """Draw the linear regressions of a graph: all variables have mean 0 and variance 1.

    Coefficients have sizes between 0.5 and 1.5, drawn evenly, random signs; errors have variance 1. Then each
    variable is divided by its standard deviation. Otherwise variances would grow along the arcs and show
    their directions (Reisach, Seiler and Weichwald 2021).

    >>> net = random_regressions(DAG.from_arcs(["a -> b"]), np.random.default_rng(1))
    >>> b = net.conditionals[1]
    >>> round(float(b.coefficients[0] ** 2 + b.variance), 6)
    1.0
    """
    size = len(graph.nodes)
    covariance = np.zeros((size, size))
    models: dict[int, GaussianConditional] = {}
    for node in graph.order():
        parents = list(graph.parents[node])
        raw = rng.uniform(0.5, 1.5, len(parents)) * rng.choice([-1.0, 1.0], len(parents))
        sd = np.sqrt(raw @ covariance[np.ix_(parents, parents)] @ raw + 1.0)
        slopes = raw / sd
        covariance[node] = covariance[:, node] = slopes @ covariance[parents]
        covariance[node, node] = 1.0
        blank = np.zeros((len(parents) + 1,) * 2)
        models[node] = GaussianConditional(
            0.0, slopes, sd**-2, blank, 0.0, redundant=(False,) * len(parents)
        )
    variables = tuple(map(Variable, graph.nodes))
    return BayesNet(variables, graph, tuple(models[node] for node in range(size)))


def _parents(
    count: int, arcs: int | None, max_parents: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Parents of each node, this many arcs in all."""
    places = np.minimum(np.arange(count), max_parents)  # for parents, along a random order
    room = int(places.sum())
    n_arcs = min(round(ARCS_PER_NODE * count), room) if arcs is None else arcs
    if not 0 <= n_arcs <= room:
        raise GraphError(
            f"{count} variables with at most {max_parents} parents must have 0 to {room} arcs, "
            f"got {arcs}."
        )
    owners = np.repeat(np.arange(count), places)
    numbers = np.bincount(owners[rng.choice(room, n_arcs, replace=False)], minlength=count)
    order = rng.permutation(count)
    rows: list[tuple[int, ...]] = [()] * count
    for rank, number in enumerate(numbers.tolist()):
        picks = rng.choice(rank, number, replace=False) if number else []
        rows[order[rank]] = tuple(sorted(int(order[k]) for k in picks))
    return tuple(rows)


def _rows(
    parents: Sequence[int], levels: int, alpha: float, rng: np.random.Generator
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the rows of a table, each from a Dirichlet distribution."""
    shape = (*parents, levels)
    rows = rng.dirichlet(np.full(levels, alpha), int(np.prod(parents))).reshape(shape)
    # Of tiny alphas all weights of a row may underflow.
    even = np.full(shape, 1.0 / levels)
    sums = rows.sum(axis=-1, keepdims=True)
    good = np.isfinite(sums) & (sums > 0)
    return np.where(good, np.divide(rows, sums, out=even.copy(), where=good), even)


class WeightedDraws(NamedTuple):
    """Draws of hidden variables by node, with the draws of a row adjacent, and their log weights."""

    columns: dict[int, NDArray[Any]]
    logs: Array

    @property
    def weights(self) -> Array:
        """Return the weights that sum to one over the draws of each row (rows by draws)."""
        weights = np.exp(self.logs - log_sum(self.logs)[:, None])
        return weights


def effective(logs: Array) -> Array:
    """Return the effective sample size of each row of log weights.

    >>> effective(np.zeros((1, 50))).tolist()
    [50.0]
    """
    weights = np.exp(logs - np.maximum(logs.max(axis=1, keepdims=True), -1e300))
    squares = (weights**2).sum(axis=1)
    size: Array = weights.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1.0)
    return size


def weighted_draws(
    net: BayesNet,
    evidence: dict[int, NDArray[Any]],
    hidden: set[int],
    rng: np.random.Generator,
    draws: int,
    ranges: Mapping[int, tuple[float, float]] | None = None,
) -> WeightedDraws:
    """Draw hidden variables of rows with the same observed variables.

    Parameters
    ----------
    net : the network, without arcs into set variables.
    evidence : values of the observed variables by node, one per row.
    hidden : the variables to draw; every hidden parent of these and of the observed ones must be included.
    rng : the random generator.
    draws : number of draws per row.
    ranges : intervals of hidden numbers as evidence: draws outside have no weight.

    Returns
    -------
    Draws, and log weights (rows by draws).
    """
    rows = len(next(iter(evidence.values()))) if evidence else 1
    columns = {node: np.repeat(column, draws) for node, column in evidence.items()}
    logs = np.zeros(rows * draws)
    for node in net.graph.order():
        parents, model = net.graph.parents[node], net.conditionals[node]
        if node in hidden:
            xs = tuple(columns[parent] for parent in parents)
            levels = net.variables[node].levels
            kind = np.float64 if levels is None else code_type(len(levels))
            columns[node] = model.sample(xs, rng, rows * draws).astype(kind)
            low, high = (ranges or {}).get(node, (-np.inf, np.inf))
            logs[(columns[node] < low) | (columns[node] > high)] = -np.inf
        elif node in evidence and hidden.intersection(parents):
            logs += model.logpdf(columns[node], tuple(columns[parent] for parent in parents))
        elif node in evidence and all(parent in evidence for parent in parents):
            # The same for all draws of a row; with a parent that is neither observed nor hidden, the
            # observation belongs to another component and has no information on the hidden variables.
            xs = tuple(evidence[parent] for parent in parents)
            logs += np.repeat(model.logpdf(evidence[node], xs), draws)
    return WeightedDraws({node: columns[node] for node in hidden}, logs.reshape(rows, draws))


def resample(weights: Array, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return draws chosen by their weights, at even steps of their sum from a random start."""
    steps = (np.arange(size) + rng.random()) / size
    picks = np.searchsorted(np.cumsum(weights), steps * weights.sum(), side="right")
    return rng.permutation(np.minimum(picks, len(weights) - 1))


def ancestral(net: BayesNet, rng: np.random.Generator, draws: int) -> Table:
    """Draw rows from the joint, each variable after its parents.

    Parameters
    ----------
    net : the network.
    rng : the random generator.
    draws : number of rows.

    Returns
    -------
    A table of independent rows.

    Raises
    ------
    DataError : the number of rows is not a non-negative integer.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(5.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,))
    >>> ancestral(net, np.random.default_rng(1), 100).rows
    100
    """
    draws = whole("number of draws", draws)
    columns: list[NDArray[Any]] = [np.empty(0)] * len(net.variables)
    for node in net.graph.order():
        xs = tuple(columns[parent] for parent in net.graph.parents[node])
        values = net.conditionals[node].sample(xs, rng, draws)
        columns[node] = values.astype(net.variables[node].dtype)
    return Table(net.variables, tuple(columns))


def typical_rows(net: Net, size: int) -> tuple[NDArray[Any], ...]:
    """Return columns of typical rows of a network: draws, or the starts of its chains.

    Empty for an undirected network that has neither.
    """
    if net.directed:
        return ancestral(net, np.random.default_rng(0), size).columns
    if net.typical:
        return tuple(column[:size] for column in net.typical)
    chain = net.chained
    return () if chain is None else ancestral(chain, np.random.default_rng(0), size).columns


def expected_value(
    model: Conditional, variable: Variable, inputs: Sequence[NDArray[Any]], size: int
) -> Array:
    """Return the expected value of a variable for rows of inputs; of levels, the expected code."""
    answer = distribution_of(model, variable, tuple(inputs), size)
    if variable.discrete:
        shares = answer.chances(len(variable.levels or ()))
        return np.asarray(shares @ np.arange(shares.shape[1]))
    return np.asarray(answer.mean)
