"""Networks: a graph with a fitted local model at every node, as plain values.

The joint density of a Bayesian network is the product of its local models (Pearl 1988, section
3.3):

    p(x) = prod_i p(x_i | parents of i)

so its logarithm is a sum over nodes, and drawing each node after its parents (ancestral sampling)
draws from the joint. An intervention, ``do``, removes the arcs into a variable and does
not change the other local models (Pearl 2009, section 3.2.3); it differs from an observation if the variable
has common causes with others.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional
from arcwise.data import Variable
from arcwise.data.variable import sentence_list
from arcwise.distributions import Normal
from arcwise.errors import DataError, FitError, GraphError, close_to, plural
from arcwise.graphs import DAG, UGraph
from arcwise.networks.joint import Joint
from arcwise.values import is_count

Columns = Sequence[NDArray[Any]]


class Constant(NamedTuple):
    """A set value, as a regression."""

    intercept: float
    coefficients: NDArray[np.float64] = np.zeros(0)
    sd: float = 0.0
    variance: float = 0.0
    spread: NDArray[np.float64] = np.zeros((1, 1))
    rows: float = 0.0
    freedom: float = 0.0
    centre: NDArray[np.float64] = np.zeros(0)
    at_floor: bool = False


@dataclass(frozen=True)
class FixedValue:
    """The local model of a set variable: always one value, whatever its parents.

    >>> FixedValue(2.0).sample((), np.random.default_rng(1), 3).tolist()
    [2.0, 2.0, 2.0]
    """

    word: ClassVar[str] = "fixed"

    value: float

    def matches(self, variable: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether the value is a number, or the code of one of the levels."""
        codes = range(max(len(variable.levels or ()), 1))
        return math.isfinite(self.value) and (not variable.discrete or self.value in codes)

    @property
    def n_params(self) -> int:
        """The number of fitted parameters: none."""
        return 0

    @property
    def linear(self) -> Constant:
        """The value as a regression without parents and noise."""
        return Constant(float(self.value))

    def as_table(self, levels: int) -> NDArray[np.float64]:
        """Return a table with all of the probability at the value, a code."""
        return np.where(np.arange(levels) == int(self.value), 1.0, 0.0)

    def logpdf(self, y: NDArray[Any], xs: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        """Return the log probability: 0 at the value, minus infinity elsewhere."""
        return np.where(y == self.value, 0.0, -np.inf)

    def distribution(self, xs: tuple[NDArray[Any], ...], size: int) -> Normal:
        """Return the value without spread, once per row."""
        return Normal(np.full(size, float(self.value)), np.zeros(size))

    def sample(
        self, xs: tuple[NDArray[Any], ...], rng: np.random.Generator, size: int
    ) -> NDArray[Any]:
        """Return the value, once per row; nothing is drawn."""
        return np.full(size, self.value)


class AnyNet:
    """Base of networks of both kinds, with their variables."""

    variables: tuple[Variable, ...]
    conditionals: tuple[Conditional, ...]
    graph: DAG | UGraph
    joint: Joint | None = None
    directed: ClassVar[bool]

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """Return for each node the variables that its local model takes: its parents, or its neighbours."""
        return self.graph.inputs

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the variables, in column-number order."""
        return tuple(variable.name for variable in self.variables)

    @property
    def n_edges(self) -> int:
        """The number of arcs, or of edges without a direction."""
        return sum(map(len, self.inputs)) // (1 if self.directed else 2)

    @property
    def models(self) -> tuple[str, ...]:
        """The name of each local model."""
        return tuple(conditional.word for conditional in self.conditionals)

    def index(self, name: str) -> int:
        """Return the column number of a variable; an unknown name is an error with close matches."""
        low = bisect_left(self.names, name) if isinstance(name, str) else 0
        if self.names[low : low + 1] != (name,):
            raise DataError(f"The network has no variable {name!r}. {close_to(name, self.names)}")
        return low


@dataclass(frozen=True, eq=False, repr=False)
class BayesNet(AnyNet):
    """A directed network: the joint density is the product of the conditionals.

    Parameters
    ----------
    variables : sorted by name.
    graph : a DAG whose nodes are the variables' names, in the same order.
    conditionals : one fitted local model per node.
    blankets : models of each variable given its Markov blanket, if inference needs them.

    Raises
    ------
    GraphError : graph and variables do not name the same nodes in the same order.
    FitError : there is not one conditional per node.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> BayesNet((Variable("x"),), DAG.empty(["x"]), (model,)).names
    ('x',)
    """

    variables: tuple[Variable, ...]
    graph: DAG
    conditionals: tuple[Conditional, ...]
    blankets: MarkovNet | None = None
    directed: ClassVar[Literal[True]] = True

    @property
    def chained(self) -> Self:
        """The directed network with the same joint distribution: this one."""
        return self

    @property
    def as_field(self) -> MarkovNet | None:
        """Each variable given all others: the blanket models, if any."""
        return self.blankets

    def __post_init__(self) -> None:
        _check(self)
        if self.blankets is not None and self.blankets.names != self.names:
            raise GraphError("The blanket models must be of the network's own variables.")

    def __repr__(self) -> str:
        return _short(self, plural(self.n_edges, "arc"))

    def _repr_html_(self) -> str | None:
        return self.graph._repr_html_()

    @property
    def n_params(self) -> int | None:
        """Return the number of free parameters of all local models together; None if one of them has no
        count.
        """
        counts = [conditional.n_params for conditional in self.conditionals]
        return None if None in counts else sum(count for count in counts if count is not None)


@dataclass(frozen=True, eq=False, repr=False)
class MarkovNet(AnyNet):
    """An undirected network: each variable's distribution given its neighbours.

    Fitted one at a time, the conditionals need not belong to any joint density. Their product is a
    *pseudo-likelihood* (Besag 1975); answers come from Gibbs sampling. With a `joint`, which
    implies the conditionals, answers and densities are exact.

    Parameters
    ----------
    variables : sorted by name.
    graph : an undirected graph whose nodes are the variables' names, in the same order.
    conditionals : one fitted local model per node, given its neighbours.
    typical : rows of the data that chains start from, one array per variable; none if there is a
        joint, which needs no rows.
    joint : the distribution of all variables, or None.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> graph = UGraph.empty(["x"])
    >>> MarkovNet((Variable("x"),), graph, (model,), (np.zeros(1),)).names
    ('x',)
    """

    variables: tuple[Variable, ...]
    graph: UGraph
    conditionals: tuple[Conditional, ...]
    typical: tuple[NDArray[Any], ...] = ()
    joint: Joint | None = None
    directed: ClassVar[Literal[False]] = False

    @property
    def as_field(self) -> Self:
        """Each variable given all others."""
        return self

    def __post_init__(self) -> None:
        _check(self)
        if self.joint is not None:
            self.joint.check(self.graph)
            if not self.typical:
                return
        sizes = {len(column) for column in self.typical}
        if len(self.typical) != len(self.variables) or len(sizes) != 1 or 0 in sizes:
            raise FitError("Chains need start rows, with as many values for each variable.")

    def __repr__(self) -> str:
        return _short(self, plural(self.n_edges, "edge"))

    def _repr_html_(self) -> str | None:
        return self.graph._repr_html_()

    @classmethod
    def normal(cls, variables: tuple[Variable, ...], graph: UGraph, joint: Joint) -> MarkovNet:
        """Make a network of a normal distribution or of a product of tables, which imply its local models.

        No rows of the data are kept.

        >>> from arcwise.networks import NormalJoint
        >>> joint = NormalJoint(np.zeros(2), np.array([[2.0, -1.0], [-1.0, 2.0]]))
        >>> variables, graph = (Variable("a"), Variable("b")), UGraph.from_edges([("a", "b")])
        >>> MarkovNet.normal(variables, graph, joint).conditionals[0].coefficients.tolist()
        [0.5]
        """
        models = tuple(joint.local(node, row) for node, row in enumerate(graph.neighbours))
        return cls(variables, graph, models, (), joint)

    @cached_property
    def starts(self) -> tuple[NDArray[Any], ...]:
        """Return the rows that chains start from: typical ones, or points with the joint's mean and
        covariance.
        """
        if self.typical or self.joint is None:
            return self.typical
        return tuple(self.joint.points().T)

    @cached_property
    def chained(self) -> BayesNet | None:
        """The directed network with the same joint distribution, by the chain rule; None without one."""
        if self.joint is None:
            return None
        parents, models = self.joint.chain(self.graph)
        graph = DAG.make_unchecked(self.graph.nodes, tuple(parents))
        return BayesNet(self.variables, graph, tuple(models))


Net = BayesNet | MarkovNet


def _short(net: Net, edges: str) -> str:
    """Return a network in one line, without its parameters."""
    kinds, count = ", ".join(sorted(set(net.models))), len(net.names)
    return f"<{type(net).__name__} of {plural(count, 'variable')}, {edges} ({kinds})>"


def _check(net: Net) -> None:
    """Raise an error for parts that do not belong together."""
    if list(net.names) != sorted(set(net.names)):
        raise GraphError("The variables of a network must be sorted by name, each once.")
    if net.graph.nodes != net.names:
        differing = sorted(set(net.graph.nodes) ^ set(net.names))
        raise GraphError(
            "The graph's nodes must be the variables in the order of their names: "
            + (f"{sentence_list(differing)} differ." if differing else "the order differs.")
        )
    if len(net.conditionals) != len(net.variables):
        raise FitError(
            f"A network of {len(net.variables)} variables needs one local model for each, got "
            f"{len(net.conditionals)}."
        )


def log_density(net: BayesNet, columns: Columns) -> NDArray[np.float64]:
    """Return the log density of rows without missing values: the sum of the local ones.

    Parameters
    ----------
    net : the network.
    columns : one array per variable in column-number order, all of one length, coded as in a Table.

    Returns
    -------
    One number per row, in nats; NaN if a row has a missing value in a continuous variable.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,))
    >>> log_density(net, (np.array([0.0]),)).round(4).tolist()
    [-0.9189]
    """
    return _local_sum(net, columns)


def pseudo_log_density(net: MarkovNet, columns: Columns) -> NDArray[np.float64]:
    """Return the log pseudo-likelihood of rows without missing values: each variable given all others,
    summed.

    It is not a density, and comparable only between undirected networks of the same
    variables.

    Parameters
    ----------
    net : the network.
    columns : as for `log_density`.

    Returns
    -------
    One number per row, in nats.
    """
    return _local_sum(net, columns)


def _local_sum(net: Net, columns: Columns) -> NDArray[np.float64]:
    total = np.zeros(len(columns[0]))
    for node, conditional in enumerate(net.conditionals):
        xs = tuple(columns[other] for other in net.inputs[node])
        total += conditional.logpdf(columns[node], xs)
    return total


def whole(what: str, number: object) -> int:
    """Return a non-negative integer as an int, or raise an error.

    >>> whole("seed", np.int64(3))
    3
    """
    if not is_count(number):
        raise DataError(f"The {what} must be a non-negative integer, got {number!r}.")
    return int(number)


def cut(net: BayesNet, interventions: Mapping[int, float]) -> BayesNet:
    """Set variables: the arcs into them are removed, and their values fixed.

    Parameters
    ----------
    net : the network.
    interventions : column number to value (for a discrete variable, the code of the level).

    Returns
    -------
    The network after the intervention; the given one is not changed.

    >>> from arcwise.conditionals import GaussianConditional
    >>> a = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.ones(1), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> str(cut(net, {1: 3.0}).graph)
    '[a][b]'
    """
    parents, models = list(net.graph.parents), list(net.conditionals)
    for node, value in interventions.items():
        parents[node], models[node] = (), FixedValue(value)
    return BayesNet(
        net.variables, DAG.make_unchecked(net.graph.nodes, tuple(parents)), tuple(models)
    )
