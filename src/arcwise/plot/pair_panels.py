"""Plots of the rows of several variables, pair by pair, next to the edges between them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table, Variable
from arcwise.data.variable import gaps_of
from arcwise.errors import GraphError
from arcwise.graphs import Graph
from arcwise.plot.axes import PLAIN, pyplot, short
from arcwise.plot.layout import lines_of
from arcwise.plot.marks import COLOURS, EdgeRow, edge_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MAX_POINTS = 1000
"""Largest number of rows that are drawn in a panel; of more, evenly spaced ones."""

MAX_PANELS = 10
"""Variables that can be read in one figure."""

_SIDE, _BINS = 1.5, 20
_EDGE, _PLAIN, _DOTS = COLOURS["positive"], "#BBBBBB", "#333333"


def plot_pairs(
    data: Table,
    graph: Graph,
    names: Sequence[str],
    *,
    edges: Iterable[EdgeRow] | None = None,
    title: str | None = None,
) -> "list[Axes]":
    """Draw the rows of every pair of some variables; panels of adjacent pairs have a blue frame.

    Below the diagonal are the rows, on it the distribution of each variable, above it the edges with their
    strength. If rows have weights, the area of a dot is its weight.

    Parameters
    ----------
    data : the rows.
    graph : a graph over the variables, at least.
    names : two to ten variables.
    edges : a table of edges, for the strengths.
    title : a line above the figure.

    Returns
    -------
    matplotlib's axes of the panels, row by row.

    Raises
    ------
    GraphError : fewer than two or more than ten variables, or an unknown one.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.data import table
    >>> from arcwise.graphs import DAG
    >>> rows = table({"a": [1.0, 2.5, 3.0], "b": [2.0, 1.5, 4.0]})
    >>> len(plot_pairs(rows, DAG.from_arcs(["a -> b"]), ["a", "b"]))
    4
    """
    plt = pyplot()
    names = tuple(names)
    if not 2 <= len(names) <= MAX_PANELS or len(set(names)) < len(names):
        raise GraphError(f"Give 2 to {MAX_PANELS} different variables, got {len(names)}.")
    for name in names:
        graph.index(name)
    variables = [data.variable(name) for name in names]
    columns = [_numbers(variable, data.column(variable.name)) for variable in variables]
    drawn = np.unique(np.linspace(0, data.rows - 1, min(data.rows, MAX_POINTS)).astype(np.intp))
    rows, arrows, count = edge_rows(edges), _arrows(graph), len(names)
    size = (_SIDE * count + 0.5,) * 2
    figure, grid = plt.subplots(count, count, figsize=size, layout="constrained", squeeze=False)
    for (i, j), axes in np.ndenumerate(grid):
        pair = frozenset((names[i], names[j]))
        if i == j:
            _spread(axes, variables[i], columns[i], data.weights)
        elif i > j:
            xs = _jittered(variables[j], columns[j][drawn], 0)
            ys = _jittered(variables[i], columns[i][drawn], 1)
            area = 3.0 if data.weights is None else 3.0 * _areas(data.weights[drawn])
            axes.scatter(xs, ys, s=area, color=_DOTS, alpha=_faint(len(xs)), linewidths=0)
        else:
            _describe(axes, arrows.get(pair, ""), rows.get(pair))
        _frame(axes, pair in arrows and i > j, text=i < j)
        _label(axes, i, j, count, variables)
    if title is not None:
        figure.suptitle(title, fontsize=10, **PLAIN)
    return list(grid.ravel())


def _arrows(graph: Graph) -> dict[frozenset[str], str]:
    """How each adjacent pair is written."""
    names, n_arcs = graph.nodes, len(graph.numbered_arcs)
    arrows = {}
    for i, (tail, head) in enumerate(lines_of(graph)):
        ends = short(names[tail], 14), short(names[head], 14)
        arrows[frozenset((names[tail], names[head]))] = ("\n↓\n" if i < n_arcs else "\n|\n").join(
            ends
        )
    return arrows


def _numbers(variable: Variable, column: NDArray[np.generic]) -> Array:
    """Return a column as numbers or codes; missing values are NaN."""
    numbers = np.array(column, dtype=float)
    numbers[gaps_of(variable, column)] = np.nan
    return numbers


def _jittered(variable: Variable, values: Array, turn: int) -> Array:
    """Return the codes spread to the sides, by steps that never repeat; numbers as they are."""
    if not variable.discrete:
        return values
    steps = np.arange(len(values)) * (0.6180339887, 0.7548776662)[turn] % 1.0
    return np.asarray(values + 0.5 * (steps - 0.5))


def _faint(rows: int) -> float:
    return float(np.clip(10 / np.sqrt(max(rows, 1)), 0.2, 0.9))


def _areas(weights: Array) -> Array:
    """Return the areas of dots, 1 on average; rows without weight have none."""
    return np.asarray(np.minimum(weights / (weights.mean() or 1.0), 10.0))


def _spread(axes: "Axes", variable: Variable, column: Array, weights: Array | None) -> None:
    """Draw the distribution of one variable."""
    observed = ~np.isnan(column)
    present, shares = column[observed], None if weights is None else weights[observed]
    if variable.discrete:
        codes, count = present.astype(np.intp), len(variable.levels or ())
        axes.bar(range(count), np.bincount(codes, shares, count), width=0.7, color=_PLAIN)
    elif len(present):
        axes.hist(present, bins=_BINS, weights=shares, color=_PLAIN)
    axes.set_yticks([])


def _describe(axes: "Axes", arrow: str, row: EdgeRow | None) -> None:
    """Write the edge of a pair and its strength."""
    words = [arrow] if arrow else ["no edge"]
    if row is not None and np.isfinite(row.strength):
        words.append(f"{row.strength:.2g} nats per row")
    text = axes.text(
        0.5, 0.5, "\n".join(words), transform=axes.transAxes, ha="center", va="center", **PLAIN
    )
    text.set(fontsize=8, color="#222222" if arrow else "#999999")


def _frame(axes: "Axes", adjacent: bool, text: bool) -> None:
    """Frame a panel: blue and wide if its pair is adjacent, none around texts."""
    axes.spines[:].set_visible(not text)
    axes.spines[:].set_color(_EDGE if adjacent else _PLAIN)
    axes.spines[:].set_linewidth(2.0 if adjacent else 0.8)


def _label(axes: "Axes", i: int, j: int, count: int, variables: Sequence[Variable]) -> None:
    """Set ticks and names at the lower and the left edge of the figure."""
    axes.tick_params(labelsize=7, length=2)
    if i < j:
        axes.set_xticks([])
        axes.set_yticks([])
    if i == count - 1:
        axes.set_xlabel(short(variables[j].name, 16), fontsize=9, **PLAIN)
        _ticks(axes, variables[j], "x")
    elif i > j or i == j:
        axes.tick_params(labelbottom=False)
    if j == 0:
        axes.set_ylabel(short(variables[i].name, 16), fontsize=9, **PLAIN)
        if i:
            _ticks(axes, variables[i], "y")
    elif i > j:
        axes.tick_params(labelleft=False)


def _ticks(axes: "Axes", variable: Variable, axis: str) -> None:
    """Return the levels at their codes, if there are few."""
    levels = [short(str(level), 8) for level in variable.levels or ()]
    if 0 < len(levels) <= 6:
        if axis == "y":
            axes.set_yticks(range(len(levels)), levels, **PLAIN)
            return
        upright = 90 if sum(map(len, levels)) > 12 else 0
        axes.set_xticks(range(len(levels)), levels, rotation=upright, **PLAIN)
