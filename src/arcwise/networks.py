"""Networks: a graph with a fitted local model at every node, as plain values.

The joint density of a Bayesian network is the product of its local models (Pearl 1988, section
3.3):

    p(x) = prod_i p(x_i | parents of i)

so its logarithm is a sum over nodes, and drawing each node after its parents (ancestral sampling)
draws from the joint. Setting a variable from outside, ``do``, cuts the arcs into it and leaves
every other local model as it is (Pearl 2009, section 3.2.3); it differs from observing the variable
wherever something stands behind both it and others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional
from arcwise.data import Table, Variable
from arcwise.data.variable import code_type, numbers_of, sentence_list
from arcwise.errors import DataError, FitError, GraphError, close_to
from arcwise.graphs import DAG

__all__ = ["BayesNet", "Fixed", "align", "ancestral", "cut", "log_density", "whole"]

Columns = Sequence[NDArray[Any]]


@dataclass(frozen=True)
class Fixed:
    """The local model of a variable set from outside: always one value, whatever its parents.

    >>> Fixed(2.0).mean((), 3).tolist()
    [2.0, 2.0, 2.0]
    """

    value: float

    @property
    def n_params(self) -> int:
        """Nothing was fitted."""
        return 0

    def logpdf(self, y: NDArray[Any], xs: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        """Log probability: 0 at the value, minus infinity elsewhere."""
        return np.where(y == self.value, 0.0, -np.inf)

    def mean(self, xs: tuple[NDArray[Any], ...], size: int) -> NDArray[np.float64]:
        """The value, once per row."""
        return np.full(size, float(self.value))

    def sample(
        self, xs: tuple[NDArray[Any], ...], rng: np.random.Generator, size: int
    ) -> NDArray[Any]:
        """The value, once per row; nothing is drawn."""
        return np.full(size, self.value)


@dataclass(frozen=True, eq=False)
class BayesNet:
    """A directed network: the joint density is the product of the conditionals.

    Parameters
    ----------
    variables : sorted by name.
    graph : a DAG whose nodes are the variables' names, in the same order.
    conditionals : one fitted local model per node.
    models : the family name of each local model.

    Raises
    ------
    GraphError : graph and variables do not name the same nodes in the same order.
    FitError : there is not one conditional and one model name per node.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> BayesNet((Variable("x"),), DAG.empty(["x"]), (model,), ("gaussian",)).names
    ('x',)
    """

    variables: tuple[Variable, ...]
    graph: DAG
    conditionals: tuple[Conditional, ...]
    models: tuple[str, ...]

    def __post_init__(self) -> None:
        if list(self.names) != sorted(set(self.names)):
            raise GraphError("The variables of a network must be sorted by name, each once.")
        if self.graph.nodes != self.names:
            differing = sorted(set(self.graph.nodes) ^ set(self.names))
            raise GraphError(
                "The graph's nodes must be the variables in the order of their names; "
                + (f"{sentence_list(differing)} differ." if differing else "the order differs.")
            )
        for what, entries in (("local model", self.conditionals), ("model name", self.models)):
            if len(entries) != len(self.variables):
                raise FitError(
                    f"A network of {len(self.variables)} variables needs one {what} for each, "
                    f"but {len(entries)} came."
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in column-number order."""
        return tuple(variable.name for variable in self.variables)

    def index(self, name: str) -> int:
        """Give the column number of a variable; an unknown name is an error with close matches."""
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise DataError(
                f"The network has no variable {name!r}. {close_to(name, self.names)}"
            ) from None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @property
    def n_params(self) -> int | None:
        """Free parameters of all local models together; None where one of them has no count."""
        counts = [conditional.n_params for conditional in self.conditionals]
        return None if None in counts else sum(count for count in counts if count is not None)


def log_density(net: BayesNet, columns: Columns) -> NDArray[np.float64]:
    """Log density of rows without gaps: the sum of the local ones.

    Parameters
    ----------
    net : the network.
    columns : one array per variable in column-number order, all of one length, coded as in a Table.

    Returns
    -------
    One number per row, in nats; NaN where a row has a gap in a continuous variable.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,), ("gaussian",))
    >>> log_density(net, (np.array([0.0]),)).round(4).tolist()
    [-0.9189]
    """
    total = np.zeros(len(columns[0]))
    for node, conditional in enumerate(net.conditionals):
        xs = tuple(columns[parent] for parent in net.graph.parents[node])
        total += conditional.logpdf(columns[node], xs)
    return total


def ancestral(net: BayesNet, rng: np.random.Generator, draws: int) -> Table:
    """Draw rows from the joint, each variable after its parents.

    Parameters
    ----------
    net : the network.
    rng : where chance comes from.
    draws : how many rows.

    Returns
    -------
    A table of independent rows.

    Raises
    ------
    DataError : the number of rows is no whole number from 0 on.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(5.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,), ("gaussian",))
    >>> ancestral(net, np.random.default_rng(1), 100).rows
    100
    """
    draws = whole("number of draws", draws)
    columns: list[NDArray[Any]] = [np.empty(0)] * len(net.variables)
    for node in net.graph.order():
        xs = tuple(columns[parent] for parent in net.graph.parents[node])
        drawn = net.conditionals[node].sample(xs, rng, draws)
        levels = net.variables[node].levels
        columns[node] = drawn.astype(np.float64 if levels is None else code_type(len(levels)))
    return Table(net.variables, tuple(columns))


def whole(what: str, number: object) -> int:
    """Return a whole number from 0 on as an int, or refuse what is none.

    >>> whole("seed", np.int64(3))
    3
    """
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 0:
        raise DataError(f"The {what} must be a whole number from 0 on, but {number!r} came.")
    return int(number)


def cut(net: BayesNet, interventions: Mapping[int, float]) -> BayesNet:
    """Set variables from outside: arcs into them go, their values are fixed.

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
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b), ("gaussian",) * 2)
    >>> str(cut(net, {1: 3.0}).graph)
    '[a][b]'
    """
    everything = range(len(net.variables))
    parents = tuple(() if i in interventions else net.graph.parents[i] for i in everything)
    return BayesNet(
        net.variables,
        DAG.unchecked(net.graph.nodes, parents),
        tuple(
            Fixed(interventions[i]) if i in interventions else net.conditionals[i]
            for i in everything
        ),
        tuple("fixed" if i in interventions else net.models[i] for i in everything),
    )


def align(net: BayesNet, table: Table, unread: Collection[str] = ()) -> Table:
    """Bring a table into a network's form: its variables, in its coding.

    Numbers with few values, which a table may hold as levels, become numbers again where the
    network has a continuous variable; levels are coded as the network codes them. A variable that
    the table does not have becomes a column of gaps; columns that the network does not have are
    left out. Both are said in the notes.

    Parameters
    ----------
    net : the network.
    table : rows to be judged, predicted or completed.
    unread : variables that count as unknown whatever the table says of them, as a target does.

    Returns
    -------
    A table with exactly the network's variables, and the rows and weights of the given one.

    Raises
    ------
    DataError : no column in common, text or infinity where numbers are needed, an unknown level.

    >>> from arcwise.conditionals import GaussianConditional
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,), ("gaussian",))
    >>> rows = Table((Variable("x"), Variable("y")), (np.ones(2), np.ones(2)))
    >>> align(net, rows).notes
    ("The network has no variable 'y': ignored.",)
    """
    known = set(table.names).difference(unread)
    shared = known.intersection(net.names)
    if not shared.union(unread):
        raise DataError(
            f"The table shares no column with the network: it has {sentence_list(table.names)}, "
            f"the network {sentence_list(net.names)}."
        )
    columns = tuple(
        _coded(variable, table) if variable.name in known else _gaps(variable, table.rows)
        for variable in net.variables
    )
    order = [*(name for name in table.order if name in shared), *_without(net.names, shared)]
    aligned = Table(net.variables, columns, table.weights, tuple(order), table.notes)
    return aligned.with_notes(*_notes(net, table, unread))


def _notes(net: BayesNet, table: Table, unread: Collection[str]) -> list[str]:
    extra = _without(table.order, net.names)
    absent = _without(net.names, {*table.names, *unread})
    notes = []
    if extra:
        word = "variable" if len(extra) == 1 else "variables"
        notes.append(f"The network has no {word} {sentence_list(extra)}: ignored.")
    if absent:
        word = "column" if len(absent) == 1 else "columns"
        notes.append(f"The table has no {word} {sentence_list(absent)}: unknown in every row.")
    return notes


def _without(names: Sequence[str], others: Collection[str]) -> list[str]:
    left_out = set(others)
    return [name for name in names if name not in left_out]


def _gaps(variable: Variable, rows: int) -> NDArray[Any]:
    if variable.levels is None:
        return np.full(rows, np.nan)
    return np.full(rows, len(variable.levels), dtype=code_type(len(variable.levels)))


def _coded(variable: Variable, table: Table) -> NDArray[Any]:
    """A column of the table in the coding of the network's variable."""
    given, column = table.variable(variable.name), table.column(variable.name)
    if variable.levels is None:
        return _finite(variable.name, numbers_of(given, column))
    if given.levels == variable.levels:
        return column
    if variable.cuts is not None and (given.levels is None or given.numeric):
        return _cut_up(variable, numbers_of(given, column))
    return _looked_up(variable, given, column)


def _finite(name: str, column: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = np.flatnonzero(np.isinf(column))
    if len(wrong):
        raise DataError(
            f"{name!r} is infinite in row {wrong[0] + 1}, and a finite number is needed: "
            "leave the cell empty if the value is not known."
        )
    return column


def _cut_up(variable: Variable, column: NDArray[np.float64]) -> NDArray[Any]:
    codes = np.searchsorted(np.asarray(variable.cuts), column, side="right")
    codes[np.isnan(column)] = len(variable.levels or ())
    return codes.astype(code_type(len(variable.levels or ())))


def _looked_up(variable: Variable, given: Variable, column: NDArray[Any]) -> NDArray[Any]:
    """Code the values, each distinct one looked up once among the network's levels."""
    levels = variable.levels or ()
    codes: dict[object, int] = {level: code for code, level in enumerate(levels)}
    distinct, places = np.unique(column, return_inverse=True)
    found = [_value(given, raw) for raw in distinct.tolist()]
    for value in found:
        if value is not None and value not in codes:
            raise DataError(
                f"{variable.name!r} has the value {value!r}, which the network has never seen. "
                + close_to(value, map(str, levels))
            )
    codes[None] = len(levels)
    table = np.array([codes[value] for value in found], dtype=code_type(len(levels)))
    return table[places] if len(found) else table


def _value(variable: Variable, raw: float) -> object:
    """The value behind a stored number; None for a gap."""
    if variable.levels is None:
        return None if np.isnan(raw) else raw
    return [*variable.levels, None][int(raw)]
