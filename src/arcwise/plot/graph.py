"""Graphs drawn with matplotlib: positions first, then lines, boxes, names and a legend.

Several graphs over the same variables stand side by side: one place for each variable, one scale, one legend.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs import Graph, UGraph, any_graph
from arcwise.plot.axes import PLAIN, Ruler, boxes, label, pyplot, text_width
from arcwise.plot.drawing import Picture, draw_picture, fit_axes, inches
from arcwise.plot.excerpt import excerpt, node_number, refuse_crowds
from arcwise.plot.layout import Layout, Positions, arrange, given_points, lines_of, route_lines
from arcwise.plot.legend import Legend, plan, write_legend
from arcwise.plot.marks import (
    EdgeRow,
    Line,
    Measure,
    blanket_of,
    edge_rows,
    mark_lines,
    measure_lines,
)
from arcwise.values import as_tuple, clear_calls

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Array = NDArray[np.float64]


class GraphFigure(TypedDict, total=False):
    """Options of `plot_graph` but its edges."""

    ax: "Axes | None"
    target: str | None
    top: int | None
    positions: Positions | None
    strongest: float | None
    title: str | None
    legend: bool
    numbers: bool


@clear_calls
def plot_graph(
    graph: Any,
    *,
    edges: Iterable[EdgeRow] | None = None,
    ax: "Axes | None" = None,
    target: str | None = None,
    top: int | None = None,
    positions: Positions | None = None,
    strongest: float | None = None,
    title: str | None = None,
    legend: bool = True,
    numbers: bool = False,
) -> "Axes":
    """Draw a graph: parents above their children, or by distances where it has no arcs.

    With a table of edges, wide lines are strong edges and weak ones are pale. The colour is the sign of the
    effect of a parent in the model of its child (negative ones are dashed, too); without directions it is
    that of the partial correlation. Arcs that the data cannot orient have no head. If the certainty of edges
    is available, certain edges are dark, whatever their strength, and a head needs a direction that at least
    half of the graphs support. Without a table, every arc has a head.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph, in any form that `dag` and `ug` take.
    edges : rows with first, second, present, reversible, strength and partial_correlation, such as
        the `edges` of a learned network.
    ax : the axes to draw on; a new figure that suits the graph by default.
    target : a variable to stress together with its Markov blanket.
    top : draw only this many of the strongest edges, with the variables that they join and the target with
        its strongest edge; a caption names the rest. Graphs of more than 200 nodes or 400 edges are drawn by
        their 100 strongest edges if there is a table.
    positions : places of the nodes, instead of those found for the graph: a mapping of names to (x, y) in
        any unit, "circle", names in the order they have on a circle, or another graph over the same
        variables, such as the densest of several.
    strongest : the strength that has the widest line, so that figures can share a scale; that of the
        strongest edge drawn by default.
    title : a line above the figure.
    legend : whether to explain widths, colours and heads.
    numbers : whether to write the strengths at the lines, too.

    Returns
    -------
    matplotlib's axes; nothing is shown on a screen.

    Raises
    ------
    GraphError : an unknown target, `top` without a table of edges, a node without a position, or too many
        nodes to be read.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.graphs import DAG
    >>> ax = plot_graph(DAG.from_arcs(["rain -> grass", "sprinkler -> grass"]), target="rain")
    >>> sorted(text.get_text() for text in ax.texts)
    ['grass', 'rain', 'sprinkler']
    """
    rows = edge_rows(edges)
    drawn_graph, caption = excerpt(any_graph(graph), rows, top, target)
    layout = layout_of(drawn_graph, positions)
    measure = _explain(measure_lines([drawn_graph], [rows], strongest), [drawn_graph], [edges])
    picture = picture_of(drawn_graph, layout, mark_lines(drawn_graph, rows, measure), target)
    room = None if ax is None else inches(ax)
    words = plan(picture.lines if legend else [], layout.extent, room, measure, caption)
    axes, scale = fit_axes(layout.extent, words, ax, title)
    draw_picture(axes, picture, scale, numbers)
    write_legend(axes, words, scale)
    if title is not None:
        axes.set_title(title, fontsize=_TITLE_SIZE, **PLAIN)
    return axes


def _explain(measure: Measure, graphs: Sequence[Graph], edges: Sequence[Any]) -> Measure:
    """Add what the legend states of some graphs: heads, the sign that is drawn, and the certainty."""
    meanings = {str(getattr(row, "certainty_meaning", "")).partition(",")[0] for row in edges}
    return measure._replace(
        meaning=meanings.pop() if len(meanings) == 1 else "",
        unchecked=any(getattr(row, "unchecked", "") for row in edges),
        directed=any(graph.directed is not False for graph in graphs),
    )


def layout_of(graph: Graph, positions: Positions | None, width: Ruler = text_width) -> Layout:
    """Return the places of a graph's boxes and lines: found for it, or given; `width` measures the names."""
    labels = [label(name) for name in graph.nodes]
    if positions is None:
        return arrange(graph, boxes(labels, _ends(graph), width))
    return route_lines(graph, boxes(labels), given_points(positions, graph.nodes))


def picture_of(graph: Graph, layout: Layout, lines: list[Line], target: str | None) -> Picture:
    """Compute everything before anything is drawn."""
    labels = [label(name) for name in graph.nodes]
    return Picture(layout, graph.nodes, labels, lines, _roles(graph, target))


def _ends(graph: Graph) -> list[int]:
    """Return the number of lines at the upper or lower side of each box, whichever has more."""
    above, below = [0] * len(graph.nodes), [0] * len(graph.nodes)
    for tail, head in () if graph.directed is False else lines_of(graph):
        below[tail] += 1
        above[head] += 1
    return [max(pair) for pair in zip(above, below, strict=True)]


def _roles(graph: Graph, target: str | None) -> list[str]:
    """Return the role of each node: target, blanket or other; all plain without a target."""
    if target is None:
        return ["plain"] * len(graph.nodes)
    number = node_number(graph, target)
    roles = ["other"] * len(graph.nodes)
    for node in blanket_of(graph, number):
        roles[node] = "blanket"
    roles[number] = "target"
    return roles


# Inches around each figure and above it for its title; greatest width of a figure; columns at most.
_MARGIN, _TITLE, _WIDEST, _COLUMNS = 0.12, 0.32, 12.0, 4
_TITLE_SIZE = 11.0


class Drawable(Protocol):
    """A network: a graph with its table of edges."""

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def edges(self) -> Iterable[EdgeRow]:
        """The table of its edges."""


@clear_calls
def plot_graphs(
    networks: Mapping[str, Drawable | Graph] | Sequence[Drawable | Graph],
    *,
    positions: Positions | None = None,
    columns: int | None = None,
    target: str | None = None,
    legend: bool = True,
) -> "list[Axes]":
    """Draw several networks side by side, so that they can be compared.

    Every variable has the same place in all of them, the same width means the same strength, and one
    legend explains all.

    Parameters
    ----------
    networks : networks or graphs over the same variables; a mapping gives them titles.
    positions : as for `plot_graph`: a mapping of names to (x, y), "circle", names in the order they
        have on a circle, or a graph whose places are taken; by default the one with the most edges.
    columns : figures per row; all of up to four by default.
    target : a variable to stress together with its Markov blanket.
    legend : whether to say what widths, colours and heads mean.

    Returns
    -------
    matplotlib's axes, one per network, of a new figure; nothing is shown on a screen.

    Raises
    ------
    GraphError : nothing to draw, networks that do not have the same variables, or as `plot_graph`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> chain = UGraph.from_edges([("a", "b"), ("b", "c")])
    >>> pair = chain.without_edge("b", "c")
    >>> [ax.get_title() for ax in plot_graphs({"sparse": pair, "dense": chain}, positions="circle")]
    ['sparse', 'dense']
    """
    named = networks if isinstance(networks, Mapping) else None
    drawn = as_tuple(networks) if named is None else tuple(named.values())
    titles = [None] * len(drawn) if named is None else list(named)
    graphs = [network.graph for network in drawn]
    tables = [edge_rows(None if isinstance(network, Graph) else network.edges) for network in drawn]
    every, whole = _common(graphs, positions)
    edges = [None if isinstance(network, Graph) else network.edges for network in drawn]
    measure = _explain(measure_lines(graphs, tables), graphs, edges)
    pictures = [
        picture_of(graph, _part(every, whole, graph), mark_lines(graph, rows, measure), target)
        for graph, rows in zip(graphs, tables, strict=True)
    ]
    count = columns or min(len(graphs), _COLUMNS)
    lines = [line for picture in pictures for line in picture.lines]
    across = (whole.extent[0] * min(count, len(graphs)), 0.0)
    words = plan(lines if legend else [], across, None, measure)
    axes = _figure(whole.extent, len(graphs), count, words, any(titles))
    for ax, picture, title in zip(axes, pictures, titles, strict=True):
        _, scale = fit_axes(whole.extent, Legend([]), ax, None)
        draw_picture(ax, picture, scale)
        if title is not None:
            ax.set_title(title, fontsize=_TITLE_SIZE, **PLAIN)
    return axes


def _common(graphs: Sequence[Graph], positions: Positions | None) -> tuple[UGraph, Layout]:
    """Return all lines of some graphs as one graph, and its layout."""
    if not graphs:
        raise GraphError("There is nothing to draw: give at least one network.")
    names = graphs[0].nodes
    for graph in graphs:
        if set(graph.nodes) != set(names):
            odd = sorted(set(graph.nodes) ^ set(names))[0]
            raise GraphError(
                f"All networks must have the same variables, but {odd!r} is not in all of them."
            )
    refuse_crowds(graphs[0])
    pairs = {
        frozenset((each.nodes[a], each.nodes[b])) for each in graphs for a, b in lines_of(each)
    }
    every = UGraph.from_edges([(a, b) for a, b in sorted(map(sorted, pairs))], names)
    densest = max(graphs, key=lambda each: len(lines_of(each)))
    return every, layout_of(every, densest if positions is None else positions)


def _part(every: UGraph, whole: Layout, graph: Graph) -> Layout:
    """Return the layout of one graph: its own lines of those of all, and its own order of nodes."""
    order = [every.index(name) for name in graph.nodes]
    ways = dict(zip(whole.lines, whole.routes, strict=True))
    routes = []
    for tail, head in lines_of(graph):
        one, two = order[tail], order[head]
        routes.append(ways[one, two] if one < two else ways[two, one][::-1].copy())
    points, sizes = whole.points[order], whole.sizes[order]
    return Layout(points, sizes, lines_of(graph), tuple(routes), upright=False)


def _figure(
    extent: tuple[float, float], count: int, columns: int, legend: Legend, titled: bool
) -> "list[Axes]":
    """Axes of a new figure in rows, and the legend below all."""
    plt = pyplot()
    wide, high = extent[0] + 2 * _MARGIN, extent[1] + 2 * _MARGIN
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    need = max(columns * wide, legend.around((0.0, 0.0))[0] + 2 * _MARGIN)
    scale = min(1.0, _WIDEST / need)
    above = _TITLE * titled
    size = np.array([need * scale, rows * (high * scale + above) + legend.below * scale])
    figure = plt.figure(figsize=(float(size[0]), float(size[1])))
    axes = []
    left = (need - columns * wide) / 2 * scale
    for i in range(count):
        row, column = divmod(i, columns)
        x = left + column * wide * scale
        y = size[1] - (row + 1) * (high * scale + above)
        box = np.array([x, y, wide * scale, high * scale]) / np.tile(size, 2)
        axes.append(figure.add_axes((box[0], box[1], box[2], box[3])))
    if legend.items:
        _write_below(figure, legend, scale, float(legend.below * scale / size[1]))
    return axes


def _write_below(figure: "Figure", legend: Legend, scale: float, height: float) -> None:
    """Return the legend in a strip at the lower edge of a figure."""
    strip = figure.add_axes((0.0, 0.0, 1.0, height))
    strip.set_axis_off()
    write_legend(strip, legend, scale)
