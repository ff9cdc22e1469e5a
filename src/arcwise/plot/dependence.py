"""Plots of local models: a variable against one or two of its inputs (Hofmann and Tresp 1997, fig. 3).

The inputs that are not on an axis have typical or given values. Rows of the data are moved
there, too: a row keeps its distance from the mean (a partial residual). So the rows show how well the model
fits, and not what the other inputs do.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import distribution_of
from arcwise.data import Table, Variable, conform
from arcwise.data.variable import gaps_of
from arcwise.distributions import Distribution
from arcwise.errors import GraphError, close_to, plural
from arcwise.networks import Net
from arcwise.networks.draws import expected_value, typical_rows
from arcwise.plot.axes import diagram, entitle, short
from arcwise.values import as_tuple, is_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Columns = Mapping[int, NDArray[Any]]

MAX_POINTS = 1500
"""Largest number of rows that are drawn; of more, evenly spaced ones."""

_REACH = 0.75  # of the range of a numeric child, beyond it
_AREAS = (0.1, 10.0)  # of the dots of rows with weights, relative to their mean
_DRAWS = 500  # typical rows of a network without data
_MAX_NAMED, _CAPTION = 4, 60  # inputs whose values the caption gives, and characters of its lines


@dataclass(frozen=True)
class View:
    """One local model with the values of the inputs that are not on an axis.

    Parameters
    ----------
    net, child : the network and the number of the variable.
    axes : the inputs on axes.
    fixed : the values of the other inputs; codes of levels.
    columns : rows of the child and its inputs, by their numbers; none missing.
    observed : whether these are rows of the data.
    level : the code of the level of a discrete child whose probability is drawn.
    weights : those of the rows; None for once each.
    """

    net: Net
    child: int
    axes: tuple[int, ...]
    fixed: Mapping[int, float]
    columns: Columns
    observed: bool
    level: int = 0
    weights: Array | None = None

    @property
    def variable(self) -> Variable:
        """The child."""
        return self.net.variables[self.child]

    def input(self, axis: int) -> Variable:
        """Return the variable on an axis."""
        return self.net.variables[self.axes[axis]]

    def distribution(self, points: Columns, size: int) -> Distribution:
        """Return the distributions of the child at points of the inputs on axes."""
        inputs = self._inputs(points, size)
        return distribution_of(self.net.conditionals[self.child], self.variable, inputs, size)

    def _inputs(self, points: Columns, size: int) -> tuple[NDArray[Any], ...]:
        return tuple(
            points[node]
            if node in points
            else np.full(size, self.fixed[node], self.net.variables[node].dtype)
            for node in self.net.inputs[self.child]
        )

    def mean(self, points: Columns, size: int) -> Array:
        """Return the expected value of a numeric child, or the probability of the level, at points."""
        answer = self.distribution(points, size)
        if self.variable.discrete:
            return np.asarray(answer.chances(len(self.variable.levels or ()))[:, self.level])
        return np.asarray(answer.mean)

    def values(self, axis: int, count: int) -> NDArray[Any]:
        """Return the values along an axis: evenly spaced numbers over the range of the rows, or all
        levels.
        """
        variable = self.input(axis)
        if variable.discrete:
            return np.arange(len(variable.levels or ())).astype(variable.dtype)
        low, high = span(self.columns[self.axes[axis]])
        return np.linspace(low, high, count)

    @property
    def _drawn(self) -> NDArray[np.intp]:
        """The numbers of the rows that are drawn."""
        size = len(self.columns[self.child]) if self.observed else 0
        return np.unique(np.linspace(0, size - 1, min(size, MAX_POINTS)).astype(np.intp))

    @property
    def sizes(self) -> Array | None:
        """The areas of the dots of the rows that are drawn, 1 on average; None without weights."""
        if self.weights is None:
            return None
        weights = self.weights[self._drawn]
        return np.asarray(np.clip(weights / weights.mean(), *_AREAS))

    @property
    def sample(self) -> dict[int, NDArray[Any]]:
        """The rows that are drawn: those on axes as they are, a numeric child moved to the fixed inputs."""
        rows = self._drawn
        sampled = {node: column[rows] for node, column in self.columns.items()}
        if self.variable.discrete or not self.fixed or not len(rows):
            return sampled
        model, inputs = (
            self.net.conditionals[self.child],
            [sampled[n] for n in self.net.inputs[self.child]],
        )
        points = {node: sampled[node] for node in self.axes}
        fitted = expected_value(model, self.variable, inputs, len(rows))
        return {**sampled, self.child: sampled[self.child] - fitted + self.mean(points, len(rows))}

    @property
    def reach(self) -> tuple[float, float]:
        """The range of the values of a numeric child, and the extended range that an axis may show."""
        column = np.asarray(self.columns[self.child], dtype=float)
        low, high = span(column[np.isfinite(column)]) if self.observed else (-np.inf, np.inf)
        return low - _REACH * (high - low), high + _REACH * (high - low)

    @property
    def caption(self) -> str:
        """The values of the inputs that are not on an axis."""
        if not self.fixed:
            return ""
        terms = [
            f"{short(self.net.variables[node].name)} = {self._shown(node)}"
            for node in list(self.fixed)[:_MAX_NAMED]
        ]
        more = len(self.fixed) - _MAX_NAMED
        rest = f" and {plural(more, 'more input')} at typical values" if more > 0 else ""
        moved = "; rows are moved there" if self.observed and not self.variable.discrete else ""
        return f"at {', '.join(terms)}{rest}{moved}"

    def _shown(self, node: int) -> str:
        levels, value = self.net.variables[node].levels, self.fixed[node]
        return f"{value:.4g}" if levels is None else short(str(levels[int(value)]))


def span(column: NDArray[Any]) -> tuple[float, float]:
    """Return the range of numbers, never empty."""
    low, high = float(np.min(column)), float(np.max(column))
    if high > low:
        return low, high
    reach = max(abs(low), 1.0) * 0.05
    return low - reach, high + reach


def plot_local(
    net: Net,
    name: str,
    against: str | Sequence[str] | None = None,
    *,
    data: Table | None = None,
    given: Mapping[str, Any] | None = None,
    level: Any = None,
    title: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the local model of a variable against one or two of its inputs.

    Against one input: the density in blue, the mean, the band of 90 % of the density, and the rows; for a
    discrete variable the probabilities of its levels. Against two inputs: the mean, or the probability of
    one level, as a surface, as curves or as a table.

    Parameters
    ----------
    net : a fitted network.
    name : the variable.
    against : one or two of its parents (undirected: neighbours); by default the one that moves its mean,
        or its probabilities, most.
    data : rows to draw and to take typical values from; without them typical values are those of draws.
    given : values of the other inputs; by default the median of numbers and the most frequent level.
    level : the level whose probability is drawn against two inputs; the last one by default.
    title : a line above the figure.
    ax : the axes to draw on; a new figure by default.

    Raises
    ------
    GraphError : an input that the variable does not have, or more than two of them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.graphs import DAG
    >>> from arcwise.networks import BayesNet
    >>> root = GaussianConditional(5.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> line = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs(["x -> y"])
    >>> net = BayesNet((Variable("x"), Variable("y")), graph, (root, line))
    >>> plot_local(net, "y").get_xlabel()
    'x'
    """
    from arcwise.plot.panels import panel

    child = net.index(name)
    columns, weights, observed = _rows(net, child, data)
    fixed = _typical(net, child, columns, weights, given or {})
    axes = _axes(net, child, against, columns, fixed)
    variable = net.variables[child]
    last = len(variable.levels or (None,)) - 1
    code = last if level is None or not variable.discrete else int(_code(variable, level))
    others = {node: value for node, value in fixed.items() if node not in axes}
    view = View(net, child, axes, others, columns, observed, code, weights)
    target = diagram(ax, (5.4, 3.8))
    panel(view)(view, target)
    words = [title or _sentence(view), *textwrap.wrap(view.caption, _CAPTION)]
    entitle(target, "\n".join(filter(None, words)))
    return target


def _sentence(view: View) -> str:
    inputs = " and ".join(short(view.input(place).name) for place in range(len(view.axes)))
    return f"{short(view.variable.name)} given {inputs}" if inputs else short(view.variable.name)


def _rows(net: Net, child: int, data: Table | None) -> tuple[Columns, Array | None, bool]:
    """Return complete rows of a variable and its inputs with their weights: of the data, or draws."""
    nodes = [*net.inputs[child], child]
    if data is not None and all(net.names[node] in data.names for node in nodes):
        order = sorted(nodes)
        table = conform(data, [net.variables[node] for node in order])
        raw = {node: table.column(net.names[node]) for node in order}
        gaps = [gaps_of(net.variables[node], column) for node, column in raw.items()]
        complete_rows = ~np.any(gaps, axis=0)
        complete = np.flatnonzero(
            complete_rows if data.weights is None else complete_rows & (data.weights > 0)
        )
        if len(complete):
            weights = None if data.weights is None else data.weights[complete]
            return {node: column[complete] for node, column in raw.items()}, weights, True
    drawn = typical_rows(net, _DRAWS)
    if not drawn:
        raise GraphError("The network has no rows for the ranges of the axes: give data=.")
    return {node: drawn[node] for node in nodes}, None, False


def _typical(
    net: Net, child: int, columns: Columns, weights: Array | None, given: Mapping[str, Any]
) -> dict[int, float]:
    """Return the values of all inputs: given ones, medians, most frequent levels."""
    inputs = net.inputs[child]
    for name in given:
        if net.index(name) not in inputs:
            raise _no_input(net, child, name)
    values = {}
    for node in inputs:
        variable, column = net.variables[node], columns[node]
        if variable.name in given:
            values[node] = float(_code(variable, given[variable.name]))
        elif variable.discrete:
            values[node] = float(np.bincount(column.astype(np.intp), weights).argmax())
        else:
            values[node] = _median(column, weights)
    return values


def _median(column: NDArray[Any], weights: Array | None) -> float:
    """Return the median of numbers, or the first with at least half of the weight below or at it."""
    if weights is None:
        return float(np.median(column))
    order = np.argsort(column, kind="stable")
    below = np.cumsum(weights[order])
    return float(column[order][np.searchsorted(below, below[-1] / 2)])


def _code(variable: Variable, value: Any) -> float:
    """Return a number as it is, a level as its code."""
    if not variable.discrete:
        if not is_number(value):
            raise GraphError(f"A value of {variable.name!r} must be a number, got {value!r}.")
        return float(value)
    levels = list(variable.levels or ())
    if value not in levels:
        hint = close_to(str(value), list(map(str, levels)))
        raise GraphError(f"{variable.name!r} has no level {value!r}. {hint}")
    return levels.index(value)


def _axes(
    net: Net,
    child: int,
    against: str | Sequence[str] | None,
    columns: Columns,
    fixed: Mapping[int, float],
) -> tuple[int, ...]:
    """Return the inputs on axes: those named, or the one that moves the child most."""
    inputs = net.inputs[child]
    if against is None:
        moves = {node: _reach(net, child, node, columns, fixed) for node in inputs}
        return (max(inputs, key=lambda node: moves[node]),) if inputs else ()
    names = as_tuple(against)
    if not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        raise GraphError(f"against must be one or two different variables, got {names!r}.")
    for name in names:
        if net.index(name) not in inputs:
            raise _no_input(net, child, name)
    return tuple(net.index(name) for name in names)


def _no_input(net: Net, child: int, name: str) -> GraphError:
    kind = "parents" if net.directed else "neighbours"
    names = ", ".join(net.names[node] for node in net.inputs[child]) or "none"
    return GraphError(f"{name!r} must be one of the {kind} of {net.names[child]!r}: {names}.")


def _reach(net: Net, child: int, node: int, columns: Columns, fixed: Mapping[int, float]) -> float:
    """Return the change of the child by an input over its middle 80 %, in standard deviations or
    probability.
    """
    variable, column = net.variables[node], columns[node]
    middle = [0.1, 0.3, 0.5, 0.7, 0.9]
    points = np.unique(column) if variable.discrete else np.quantile(column, middle)
    others = {other: value for other, value in fixed.items() if other != node}
    view = View(net, child, (node,), others, columns, observed=False)
    answer = view.distribution({node: points}, len(points))
    if view.variable.discrete:
        shares = answer.chances(len(view.variable.levels or ()))
        return float(np.nan_to_num(np.ptp(shares, axis=0)).max())
    return float(np.nan_to_num(np.ptp(answer.mean)) / (float(np.std(columns[child])) or 1.0))
