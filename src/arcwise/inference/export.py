"""Export of networks as JSON, for inference by programs without Arcwise, such as reports.

A discrete network is exported as tables and a clique tree (Lauritzen and Spiegelhalter 1988); a
linear-Gaussian one as regressions, with the covariances of their parameters; a conditional Gaussian one as
both: tables of its levels, and regressions for each configuration of those that numbers depend on (Lauritzen
and Wermuth 1989). Any other network is exported as draws from its joint distribution. The export contains no
row of the data.
"""

from base64 import b64encode
from collections.abc import Sequence
from math import prod
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import plan
from arcwise.conditionals import (
    Conditional,
    Linear,
    distribution_of,
    linear_of,
    slopes_of,
    table_of,
)
from arcwise.data import Variable
from arcwise.distributions import Normal
from arcwise.inference.ask import sample
from arcwise.inference.factors import Potentials, clique_tree, potentials
from arcwise.inference.linear_gaussian import linear_net
from arcwise.networks import BayesNet, Net

__all__ = ["Answers", "Draws", "MixedTables", "Regressions", "Tables", "answers_of"]

MAX_ENTRIES = 1 << 20
"""Largest number of values in all cliques of a tree; larger networks are exported as draws."""

MAX_VARIABLES = 600
"""Largest number of variables of a linear network whose covariances fit into a page."""

MAX_NUMBERS = 1 << 20
"""Largest number of values in the covariance matrices of all configurations of a conditional Gaussian
network.
"""

MAX_DRAWS, MIN_DRAWS = 4000, 500
DRAWS_BYTES = 1_600_000
"""Bytes that all draws may take, unless there are fewer than `MIN_DRAWS`."""

_DIGITS = 12


class Clique(TypedDict):
    """A clique of variables, and the clique that receives its messages; -1 for a root."""

    variables: list[int]
    parent: int


class Factor(TypedDict):
    """A table over some variables, the last one changing fastest, and its clique."""

    variables: list[int]
    clique: int
    values: list[float]


class Tables(TypedDict):
    """The tables of a discrete network, and its clique tree; parents come first."""

    kind: Literal["tables"]
    cliques: list[Clique]
    factors: list[Factor]


class Regression(TypedDict):
    """A linear local model.

    `spread` are the covariances of the coefficients, which are independent of the expected value at `centre`;
    `freedom` is 0 if the parameters are exact.
    """

    parents: list[int]
    intercept: float
    coefficients: list[float]
    variance: float
    spread: list[list[float]]
    centre: list[float]
    rows: float
    freedom: float


class Regressions(TypedDict):
    """The local models of a linear-Gaussian network; in `order`, parents come before their children."""

    kind: Literal["regressions"]
    order: list[int]
    models: list[Regression]


class ConditionalRegressions(TypedDict):
    """The regressions of a variable on `parents`, one for each configuration of the levels of `given`.

    The last of `given` changes fastest.
    """

    variable: int
    parents: list[int]
    given: list[int]
    intercepts: list[float]
    coefficients: list[list[float]]
    variances: list[float]


class MixedTables(TypedDict):
    """Tables of all levels, and regressions of the numbers, parents before their children.

    All of `mixers`, the levels that numbers depend on, are in one clique.
    """

    kind: Literal["mixture"]
    cliques: list[Clique]
    factors: list[Factor]
    mixers: list[int]
    models: list[ConditionalRegressions]


class Column(TypedDict):
    """Draws of a variable in base64: levels as 16-bit codes, numbers as 32-bit differences from a centre."""

    centre: float
    values: str


class Draws(TypedDict):
    """Draws from the joint distribution of all variables."""

    kind: Literal["draws"]
    size: int
    columns: list[Column]


Answers = Tables | Regressions | MixedTables | Draws


def answers_of(net: Net, rng: np.random.Generator) -> Answers:
    """Return the export of a network for inference.

    Parameters
    ----------
    net : any network.
    rng : random generator for draws; unused if inference is exact.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.graphs import DAG
    >>> from arcwise.networks import BayesNet
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,))
    >>> answers_of(net, np.random.default_rng(1))["kind"]
    'regressions'
    """
    product = potentials(net)
    if product is not None and plan(product.levels, product.scopes).entries <= MAX_ENTRIES:
        return _tables(product)
    if len(net.names) <= MAX_VARIABLES and linear_net(net) is not None:
        return _regressions(net)
    mixture = _mixture(net) if net.directed else None
    return _draws(net, rng) if mixture is None else mixture


def _tables(product: Potentials) -> Tables:
    names = range(len(product.levels))
    cliques, factors = _tree(product, names)
    return {"kind": "tables", "cliques": cliques, "factors": factors}


def _tree(
    product: Potentials, numbering: Sequence[int], together: Sequence[tuple[int, ...]] = ()
) -> tuple[list[Clique], list[Factor]]:
    """Return the clique tree of some tables; `numbering` are the numbers of their variables in the
    network.
    """
    cliques, parents, homes = clique_tree(product, together)
    cliques_json: list[Clique] = [
        {"variables": [numbering[v] for v in clique], "parent": parent}
        for clique, parent in zip(cliques, parents, strict=True)
    ]
    factors: list[Factor] = [
        {
            "variables": [numbering[v] for v in scope],
            "clique": home,
            "values": numbers(np.ravel(table)),
        }
        for scope, home, table in zip(product.scopes, homes, product.tables, strict=True)
    ]
    return cliques_json, factors


def _mixture(net: BayesNet) -> MixedTables | None:
    """Return the tables and regressions of a conditional Gaussian network; None for other or too large
    ones.
    """
    discrete = [i for i, variable in enumerate(net.variables) if variable.discrete]
    product = _levels(net, discrete)
    models = [_conditional(net, node) for node in net.graph.order() if node not in discrete]
    whole = [model for model in models if model is not None]
    if product is None or not discrete or len(whole) < len(models):
        return None
    mixers = sorted({node for model in whole for node in model["given"]})
    index_of = {node: i for i, node in enumerate(discrete)}
    together = [tuple(index_of[node] for node in mixers)] if mixers else []
    sizes = [product.levels[index_of[node]] for node in mixers]
    entries = plan(product.levels, (*product.scopes, *together)).entries
    if prod(sizes, start=1.0) * len(whole) ** 2 > MAX_NUMBERS or entries > MAX_ENTRIES:
        return None
    cliques, factors = _tree(product, discrete, together)
    return {
        "kind": "mixture", "cliques": cliques, "factors": factors, "mixers": mixers, "models": whole,
    }  # fmt: skip


def _levels(net: BayesNet, discrete: list[int]) -> Potentials | None:
    """Return the tables of discrete variables by their numbers among these; None if they are not all
    tables.
    """
    index_of = {node: i for i, node in enumerate(discrete)}
    levels = tuple(len(net.variables[node].levels or ()) for node in discrete)
    scopes, tables = [], []
    for node, size in zip(discrete, levels, strict=True):
        parents = net.graph.parents[node]
        table = table_of(net.conditionals[node], size)
        if table is None or not index_of.keys() >= set(parents):
            return None
        scopes.append(tuple(index_of[name] for name in (*parents, node)))
        tables.append(table)
    return Potentials(levels, tuple(scopes), tuple(tables))


def _conditional(net: BayesNet, node: int) -> ConditionalRegressions | None:
    """Return the regressions of a number, one for each configuration of levels; None if its model is another
    one.
    """
    model, parents = net.conditionals[node], net.graph.parents[node]
    levels_of = [parent for parent in parents if net.variables[parent].discrete]
    others = [parent for parent in parents if parent not in levels_of]
    shape = [len(net.variables[parent].levels or ()) for parent in levels_of]
    size = prod(shape)
    if size > MAX_NUMBERS or not _is_normal(model):
        return None
    codes = dict(zip(levels_of, np.indices(shape).reshape(len(levels_of), size), strict=True))
    xs = tuple(codes.get(parent, np.zeros(size)) for parent in parents)
    positions = [parents.index(parent) for parent in others]
    slopes = slopes_of(model, positions, xs, size) if others else np.zeros((size, 0))
    at_zero = distribution_of(model, net.variables[node], xs, size)
    if slopes is None or not isinstance(at_zero, Normal):
        return None
    return {
        "variable": node,
        "parents": others,
        "given": levels_of,
        "intercepts": numbers(np.broadcast_to(at_zero.mean, size)),
        "coefficients": [numbers(row) for row in slopes],
        "variances": numbers(np.broadcast_to(at_zero.sd, size) ** 2),
    }


def _is_normal(model: Conditional) -> bool:
    """Return whether a model gives normal distributions, so that its slopes are checked."""
    return linear_of(model) is not None or hasattr(model, "slopes_at")


def _regressions(net: Net) -> Regressions:
    chained = linear_net(net)
    if chained is None:
        raise TypeError("the network is not linear")
    models = [linear_of(model) for model in chained.conditionals]
    return {
        "kind": "regressions",
        "order": [int(node) for node in chained.graph.order()],
        "models": [
            _regression(parents, model)
            for parents, model in zip(chained.graph.parents, models, strict=True)
            if model is not None
        ],
    }


def _regression(parents: Sequence[int], model: Linear) -> Regression:
    has_rows = model.freedom > 0
    return {
        "parents": list(parents),
        "intercept": float(model.intercept),
        "coefficients": numbers(model.coefficients),
        "variance": float(model.variance),
        "spread": [numbers(row) for row in model.spread[1:, 1:]] if has_rows else [],
        "centre": numbers(model.centre) if has_rows else [],
        "rows": float(model.rows),
        "freedom": float(model.freedom),
    }


def _draws(net: Net, rng: np.random.Generator) -> Draws:
    fitting = int(DRAWS_BYTES / (len(net.names) * 4 * 4 / 3))
    size = min(max(fitting, MIN_DRAWS), MAX_DRAWS)
    table = sample(net, rng, size)
    columns = zip(net.variables, table.columns, strict=True)
    return {"kind": "draws", "size": size, "columns": [_column(*column) for column in columns]}


def _column(variable: Variable, column: NDArray[Any]) -> Column:
    if variable.discrete:
        centre, values = 0.0, column.astype("<u2")
    else:
        centre = float(np.median(column))
        values = (column - centre).astype("<f4")
    return {"centre": centre, "values": b64encode(values.tobytes()).decode("ascii")}


def numbers(array: NDArray[np.float64]) -> list[float]:
    """Return numbers with as many digits as inference needs."""
    return [float(f"{x:.{_DIGITS}g}") for x in array.tolist()]
