"""Several graphs over the same variables side by side: one place for each variable, one scale, one legend."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from arcwise.errors import GraphError
from arcwise.graphs import Graph, UGraph
from arcwise.plot.axes import PLAIN
from arcwise.plot.graph import draw_picture, fit_axes, layout_of, picture_of, refuse_crowds
from arcwise.plot.layout import Layout, Positions, lines_of
from arcwise.plot.marks import EdgeRow, Legend, edge_rows, marked, measured, plan, write_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches around each picture and above it for its title; greatest width of a figure; columns at most.
_MARGIN, _TITLE, _WIDEST, _COLUMNS = 0.12, 0.32, 12.0, 4
_TITLE_SIZE = 11.0


class Drawable(Protocol):
    """A network: a graph with its table of edges."""

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def edges(self) -> Iterable[EdgeRow]:
        """What is known of its pairs."""


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
    columns : pictures in a row; all of up to four if left out.
    target : a variable to stress together with its Markov blanket.
    legend : whether to say what widths, colours and heads mean.

    Returns
    -------
    matplotlib's axes, one a network, of a new figure; nothing is shown on a screen.

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
    if not isinstance(networks, Mapping | Sequence):  # one alone
        networks = [networks]
    titles = list(networks) if isinstance(networks, Mapping) else [None] * len(networks)
    drawn = list(networks.values()) if isinstance(networks, Mapping) else list(networks)
    graphs = [each if isinstance(each, Graph) else each.graph for each in drawn]
    tables = [edge_rows(None if isinstance(each, Graph) else each.edges) for each in drawn]
    every, whole = _common(graphs, positions)
    measure = measured(graphs, tables)
    pictures = [
        picture_of(graph, _part(every, whole, graph), marked(graph, rows, measure), target)
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
    """All lines of some graphs as one graph, and its layout."""
    if not graphs:
        raise GraphError("There is nothing to draw: give at least one network.")
    names = graphs[0].nodes
    for graph in graphs:
        if set(graph.nodes) != set(names):
            odd = sorted(set(graph.nodes) ^ set(names))[0]
            raise GraphError(
                f"Networks side by side need the same variables, but {odd!r} is not in all of them."
            )
    refuse_crowds(graphs[0])
    pairs = {
        frozenset((each.nodes[a], each.nodes[b])) for each in graphs for a, b in lines_of(each)
    }
    every = UGraph.from_edges([(a, b) for a, b in sorted(map(sorted, pairs))], names)
    densest = max(graphs, key=lambda each: len(lines_of(each)))
    return every, layout_of(every, densest if positions is None else positions)


def _part(every: UGraph, whole: Layout, graph: Graph) -> Layout:
    """The layout of one graph: its own lines of those of all, and its own order of nodes."""
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
    import matplotlib.pyplot as plt

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
    """The legend in a strip at the lower edge of a figure."""
    strip = figure.add_axes((0.0, 0.0, 1.0, height))
    strip.set_axis_off()
    write_legend(strip, legend, scale)
