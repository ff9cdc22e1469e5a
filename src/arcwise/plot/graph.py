"""Graphs drawn with matplotlib: places first, then lines, boxes, names and what they mean.

Lengths are inches of the layout. On axes of another size everything shrinks alike, names too, so
that nothing is cut off or overlaps that did not before.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, close_to
from arcwise.graphs import DAG, PDAG, Graph, UGraph
from arcwise.plot.axes import FONT_SIZE, PLAIN, boxes, label, text_width
from arcwise.plot.curves import NUMBER_SIZE, curves, direction, number_places, shortened, written
from arcwise.plot.layout import Layout, Positions, arrange, given_points, lines_of, placed
from arcwise.plot.marks import (
    COLOURS,
    EdgeRow,
    Legend,
    Line,
    Rows,
    blanket_of,
    colour,
    dashes,
    edge_rows,
    marked,
    measured,
    names_of,
    plan,
    write_legend,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_NODES = 400
"""More nodes than this make a picture that nobody can read."""

# Inches around the picture and above it for a title; smallest and greatest side of a figure.
_MARGIN, _TITLE = 0.12, 0.34
_SMALLEST, _LARGEST = (2.4, 0.8), (24.0, 18.0)
_TITLE_SIZE = 11.0
# Small pictures are not blown up further than this on large axes.
_MAGNIFIED = 1.3
_INK, _PALE = "#222222", "#9A9A9A"
_FILL = {"target": "#F0E442", "blanket": "#FBF6C3", "other": "#FFFFFF"}


def plot_graph(
    graph: Graph,
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

    With a table of edges, wide lines are strong edges and weak ones are pale, the colour is the sign of
    the partial correlation (negative ones are dashed, too), and arcs that the data cannot orient have no
    head; where the certainty of edges is known, sure edges are dark, whatever their strength, and a head
    needs a direction that at least half of the graphs support. Without a table, every arc has a head.
    Of a dense graph `top` draws what matters most.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph.
    edges : rows with first, second, present, reversible, strength and partial_correlation, such as
        the `edges` of a learned network.
    ax : where to draw; a new figure that suits the graph if left out.
    target : a variable to stress together with its Markov blanket.
    top : draw only so many of the strongest edges, and the variables they join.
    positions : places of the nodes, instead of those found for the graph: a mapping of names to (x, y) in
        any unit, "circle", names in the order they have on a circle, or another graph over the same
        variables, such as the densest of several.
    strongest : the strength that has the widest line, so that pictures can share a scale; that of the
        strongest edge drawn if left out.
    title : a line above the picture.
    legend : whether to say what widths, colours and heads mean.
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
    >>> ax = plot_graph(DAG.from_arcs(["rain -> grass", "sprinkler -> grass"]), target="rain")
    >>> sorted(text.get_text() for text in ax.texts)
    ['grass', 'rain', 'sprinkler']
    """
    rows = edge_rows(edges)
    shown = graph if top is None else strongest_part(graph, rows, top, target)
    refuse_crowds(shown)
    layout = layout_of(shown, positions)
    meaning = str(getattr(edges, "certainty_meaning", "")).partition(",")[0]
    measure = measured([shown], [rows], strongest)._replace(
        meaning=meaning,
        unchecked=bool(getattr(edges, "unchecked", "")),
        directed=not isinstance(shown, UGraph),
    )
    picture = picture_of(shown, layout, marked(shown, rows, measure), target)
    room = None if ax is None else _inches(ax)
    words = plan(picture.lines if legend else [], layout.extent, room, measure)
    axes, scale = fit_axes(layout.extent, words, ax, title)
    draw_picture(axes, picture, scale, numbers)
    if words.items:
        write_legend(axes, words, scale)
    if title is not None:
        axes.set_title(title, fontsize=_TITLE_SIZE, **PLAIN)
    return axes


@dataclass(frozen=True)
class Picture:
    """All that is drawn: places, names, lines, and the role of each node."""

    layout: Layout
    nodes: tuple[str, ...]
    labels: list[str]
    lines: list[Line]
    roles: list[str]


def refuse_crowds(graph: Graph) -> None:
    """Raise GraphError where a graph has more nodes than a picture can show."""
    if len(graph.nodes) > MOST_NODES:
        raise GraphError(
            f"A picture of {len(graph.nodes)} nodes cannot be read; at most {MOST_NODES} are "
            "drawn: give top= to draw the strongest edges only, or a smaller graph."
        )


def layout_of(graph: Graph, positions: Positions | None) -> Layout:
    """Places of a graph's boxes and lines: found for it, or given."""
    labels = [label(name) for name in graph.nodes]
    if positions is None:
        return arrange(graph, boxes(labels, _ends(graph)))
    return placed(graph, boxes(labels), given_points(positions, graph.nodes))


def picture_of(graph: Graph, layout: Layout, lines: list[Line], target: str | None) -> Picture:
    """Compute everything before anything is drawn."""
    labels = [label(name) for name in graph.nodes]
    return Picture(layout, graph.nodes, labels, lines, _roles(graph, target))


def _ends(graph: Graph) -> list[int]:
    """The greater number of lines at the upper or the lower side of each box."""
    above, below = [0] * len(graph.nodes), [0] * len(graph.nodes)
    for tail, head in () if isinstance(graph, UGraph) else lines_of(graph):
        below[tail] += 1
        above[head] += 1
    return [max(pair) for pair in zip(above, below, strict=True)]


def _roles(graph: Graph, target: str | None) -> list[str]:
    """Which nodes are the target, its blanket, or others; all plain without a target."""
    if target is None:
        return ["plain"] * len(graph.nodes)
    number = _number(graph, target)
    roles = ["other"] * len(graph.nodes)
    for node in blanket_of(graph, number):
        roles[node] = "blanket"
    roles[number] = "target"
    return roles


def _number(graph: Graph, name: str) -> int:
    if name not in graph.nodes:
        raise GraphError(f"There is no node {name!r} to stress. {close_to(name, graph.nodes)}")
    return graph.nodes.index(name)


def strongest_part(graph: Graph, rows: Rows, top: int, target: str | None = None) -> Graph:
    """Keep the strongest edges and the nodes they join, and the target in any case."""
    if top < 0:
        raise GraphError(
            f"top says how many edges to draw and must not be negative; {top} was given."
        )
    if not rows and top:
        raise GraphError("top needs strengths: give the table of edges as edges=.")
    names = graph.nodes
    kept = {pair: rows.get(names_of(graph, pair)) for pair in lines_of(graph)}
    order = sorted(kept, key=lambda pair: -_finite(kept[pair]))[:top]
    stay = {number for pair in order for number in pair}
    stay |= set() if target is None else {_number(graph, target)}
    nodes = tuple(names[number] for number in sorted(stay))
    own_arcs, own_edges = (
        [(names[a], names[b]) for a, b in pairs if (a, b) in order]
        for pairs in (graph.numbered_arcs, graph.numbered_edges)
    )
    if isinstance(graph, DAG):
        return DAG.from_arcs(own_arcs, nodes)
    if isinstance(graph, UGraph):
        return UGraph.from_edges(own_edges, nodes)
    return PDAG.from_edges(own_arcs, own_edges, nodes)


def _finite(row: EdgeRow | None) -> float:
    """A strength to sort by: edges without one come last."""
    return -np.inf if row is None or np.isnan(row.strength) else float(row.strength)


# -- drawing ------------------------------------------------------------------------------------


def draw_picture(axes: "Axes", picture: Picture, scale: float, numbers: bool = False) -> None:
    """Draw lines, boxes and names, and strengths where they are asked for."""
    shapes = _draw_lines(axes, picture, scale)
    _draw_boxes(axes, picture, scale)
    if numbers:
        _draw_numbers(axes, picture, shapes, scale)


def fit_axes(
    extent: tuple[float, float], legend: Legend, ax: "Axes | None", title: str | None
) -> "tuple[Axes, float]":
    """Axes in inches of the layout, and how many real inches one of these is."""
    need = np.array(legend.around(extent)) + 2 * _MARGIN
    axes = _figure(need[0], need[1], title) if ax is None else ax
    real = np.array(_inches(axes))
    scale = float(min(*(real / need), _MAGNIFIED))
    room = real / scale
    # The picture stays in the middle of what the legend leaves free.
    left = (room[0] - legend.right - extent[0]) / 2
    below = (room[1] - legend.below - extent[1]) / 2 + legend.below
    axes.set_xlim(-left, room[0] - left)
    axes.set_ylim(-below, room[1] - below)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return axes, scale


def _inches(axes: "Axes") -> tuple[float, float]:
    """Width and height of axes."""
    box = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    return box.width, box.height


def _figure(width: float, height: float, title: str | None) -> "Axes":
    """A figure that suits the picture and its title."""
    import matplotlib.pyplot as plt

    if title is not None:
        width = max(width, text_width(title.split("\n"), _TITLE_SIZE) + 2 * _MARGIN)
    above = _TITLE + 0.2 * (title or "").count("\n")
    wide = float(np.clip(width, _SMALLEST[0], _LARGEST[0]))
    high = float(np.clip(height, _SMALLEST[1], _LARGEST[1])) + above
    figure = plt.figure(figsize=(wide, high))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0 - above / high))


def _draw_lines(axes: "Axes", picture: Picture, scale: float) -> list[Array]:
    """Draw weak lines first; each has a white rim, so that crossings stay clear. Gives the curves."""
    widths = np.array([2 * _half_head(line.width) for line in picture.lines])
    shapes = curves(picture.layout, widths)
    order = sorted(
        range(len(shapes)), key=lambda i: (_in_focus(picture, i), picture.lines[i].width)
    )
    for depth, i in enumerate(order):
        _draw_line(axes, picture, i, shapes[i], scale, 1 + depth / (len(order) + 1))
    return shapes


def _draw_line(
    axes: "Axes", picture: Picture, i: int, curve: Array, scale: float, depth: float
) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    line = picture.lines[i]
    names = f"{picture.nodes[line.tail]} -> {picture.nodes[line.head]}"
    shade = colour(COLOURS[line.sign], line.ink) if _in_focus(picture, i) else "#D0D0D0"
    end = colour(COLOURS[line.sign], line.head_ink) if _in_focus(picture, i) else shade
    width = line.width * scale
    if line.arrow:
        corners, length = _head(curve, line.width)
        axes.add_patch(Polygon(corners, color=end, linewidth=0, zorder=depth, gid=f"head {names}"))
        curve = shortened(curve, length)
    way = Path(curve, [Path.MOVETO] + [Path.CURVE4] * (len(curve) - 1))
    style: dict[str, Any] = {"facecolor": "none", "zorder": depth, "capstyle": "butt"}
    rim = width + 1.6 * scale
    axes.add_patch(PathPatch(way, edgecolor="white", linewidth=rim, **style))
    patch = PathPatch(way, edgecolor=shade, linewidth=width, gid=f"line {names}", **style)
    if line.sign == "negative":
        patch.set_linestyle(dashes(line.width))
    axes.add_patch(patch)


def _head(curve: Array, width: float) -> tuple[Array, float]:
    """Corners of an arrow head at the end of a curve, and how much of the line it takes."""
    length, half = (6.0 + 1.5 * width) / 72, _half_head(width)
    along = direction(curve)
    aside = np.array([-along[1], along[0]])
    base = curve[-1] - length * along
    # The line goes a little into the head, so that no gap shows between them.
    return np.array([curve[-1], base + half * aside, base - half * aside]), 0.9 * length


def _half_head(width: float) -> float:
    """Half the breadth of the head of a line, inches."""
    return (2.0 + 0.9 * width) / 72


def _in_focus(picture: Picture, i: int) -> bool:
    """Without a target every line; with one those inside the target's blanket."""
    line = picture.lines[i]
    return "other" not in (picture.roles[line.tail], picture.roles[line.head])


def _draw_boxes(axes: "Axes", picture: Picture, scale: float) -> None:
    """Draw boxes and names above all lines."""
    from matplotlib.patches import FancyBboxPatch

    for i, (x, y) in enumerate(picture.layout.points):
        role, (width, height) = picture.roles[i], picture.layout.sizes[i]
        ink = _PALE if role == "other" else _INK
        box = FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=_FILL.get(role, "#FFFFFF"),
            edgecolor=ink,
            linewidth=(1.6 if role == "target" else 0.8) * scale,
            zorder=3,
            gid=f"box {picture.nodes[i]}",
        )
        axes.add_patch(box)
        text = axes.text(x, y, picture.labels[i], ha="center", va="center", **PLAIN)
        text.set(fontsize=FONT_SIZE * scale, color=ink, zorder=4, linespacing=1.15)


def _draw_numbers(axes: "Axes", picture: Picture, shapes: list[Array], scale: float) -> None:
    """Write strengths on their lines, on white."""
    words = [written(line.strength) for line in picture.lines]
    rim = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    for i, (x, y) in enumerate(number_places(picture.layout, shapes, words)):
        if not words[i]:
            continue
        text = axes.text(x, y, words[i], ha="center", va="center", bbox=rim, **PLAIN)
        ink = _INK if _in_focus(picture, i) else _PALE
        text.set(fontsize=NUMBER_SIZE * scale, color=ink, zorder=2.5, gid=f"number {i}")
