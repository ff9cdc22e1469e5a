"""Graphs as SVG for notebooks: the layout of figures, without matplotlib."""

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from arcwise.frame import html_block
from arcwise.graphs import Graph
from arcwise.plot.axes import label
from arcwise.plot.drawing import arrow_head, curves, half_head, shorten
from arcwise.plot.graph import layout_of
from arcwise.plot.layout import Layout
from arcwise.plot.marks import EdgeRow, Line, edge_rows, mark_lines
from arcwise.view import Box, Stroke, svg

MOST_NODES = 60
"""More nodes than this are not drawn in a notebook."""


def graph_svg(graph: Graph, edges: Iterable[EdgeRow] | None = None) -> str | None:
    """Draw a graph as SVG; None if it has too many nodes, or none.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph.
    edges : the table of its edges, as for `plot_graph`; it decides on widths, colours and ink.

    >>> from arcwise.graphs import DAG
    >>> graph_svg(DAG.from_arcs(["rain -> grass"])).count("<polygon")
    1
    """
    if not 0 < len(graph.nodes) <= MOST_NODES:
        return None
    layout = layout_of(graph, None, width_of)
    lines = mark_lines(graph, edge_rows(edges))
    shapes = curves(layout, np.array([2 * half_head(line.width) for line in lines]))
    strokes = [
        (line.width, _stroke(graph, line, shape)) for line, shape in zip(lines, shapes, strict=True)
    ]
    strokes.sort(key=lambda pair: pair[0])
    return svg(layout.extent, _boxes(graph, layout), [stroke for _, stroke in strokes], repr(graph))


def graph_html(graph: Graph) -> str | None:
    """Return a graph as a block of HTML."""
    drawn = graph_svg(graph)
    return None if drawn is None else html_block(drawn)


def _boxes(graph: Graph, layout: Layout) -> list[Box]:
    placed = zip(graph.nodes, layout.points.tolist(), layout.sizes.tolist(), strict=True)
    return [Box((x, y), (w, h), label(name).split("\n"), name) for name, (x, y), (w, h) in placed]


def _stroke(graph: Graph, line: Line, curve: NDArray[np.float64]) -> Stroke:
    names, corners = [graph.nodes[line.tail], graph.nodes[line.head]], np.zeros((0, 2))
    if line.arrow:
        corners, length = arrow_head(curve, line.width)
        curve = shorten(curve, length)
    words = (" -> " if line.arrow else " -- ").join(names)
    strength = "" if line.strength is None else f", strength {line.strength:.4f}"
    certainty = "" if line.certainty is None else f", certainty {line.certainty:.2f}"
    title = f"{words}{strength}{certainty}"
    return Stroke(curve.tolist(), corners.tolist(), line.width, line.sign, line.ink, title)


def width_of(lines: Sequence[str], size: float) -> float:
    """Return an upper bound of the width of the longest of some lines in a common font, in inches.

    >>> round(width_of(["grass"], 10.0), 2)
    0.42
    """
    return max(sum(map(_em, line)) for line in lines) * size / 72


def _em(letter: str) -> float:
    """Return the width of a letter, in the size of the font."""
    if east_asian_width(letter) in "WF":
        return 1.0
    return 0.78 if letter.isupper() or letter in "mw@%" else 0.6
