"""A graph as plain numbers for other programs to draw: boxes and lines in pixels, y growing downwards."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import Graph
from arcwise.plot.axes import label
from arcwise.plot.drawing import arrow_head, curves, half_head, shorten
from arcwise.plot.layout import arrange
from arcwise.plot.marks import EdgeRow, Line, edge_rows, mark_lines
from arcwise.view import UNIT

Array = NDArray[np.float64]
Points = list[list[float]]


class PlacedLine(NamedTuple):
    """A line from tail to head: points of cubic Bezier pieces, corners of its head, width, ink (0 to 1)."""

    tail: int
    head: int
    points: Points
    corners: Points
    width: float
    ink: float


class Geometry(NamedTuple):
    """Width and height of all; centre, width and height of each box; the lines, weak ones first."""

    size: tuple[float, float]
    boxes: Points
    lines: list[PlacedLine]


def geometry(graph: Graph, sizes: Array, edges: Iterable[EdgeRow] | None = None) -> Geometry:
    """Place a graph with boxes of given sizes.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph.
    sizes : width and height of each box, pixels.
    edges : rows of a table of edges: widths, ink and heads follow from it.

    >>> from arcwise.graphs import DAG
    >>> found = geometry(DAG.from_arcs(["rain -> grass"]), np.full((2, 2), 48.0))
    >>> found.boxes[1][1] < found.boxes[0][1], len(found.lines[0].corners)    # rain is above grass
    (True, 3)
    """
    layout = arrange(graph, sizes / UNIT)
    lines = mark_lines(graph, edge_rows(edges))
    shapes = curves(layout, np.array([2 * half_head(line.width) for line in lines]))
    height = layout.extent[1]
    placed = [_place(*entry, height) for entry in zip(lines, shapes, strict=True)]
    centres = _pixels(layout.points, height)
    boxes = [[*centre, *size] for centre, size in zip(centres, sizes.tolist(), strict=True)]
    extent = (layout.extent[0] * UNIT, height * UNIT)
    return Geometry(extent, boxes, sorted(placed, key=lambda line: line.width))


def _place(line: Line, curve: Array, height: float) -> PlacedLine:
    corners = np.zeros((0, 2))
    if line.arrow:
        corners, length = arrow_head(curve, line.width)
        curve = shorten(curve, length)
    points, head = _pixels(curve, height), _pixels(corners, height)
    width = round(line.width / 72 * UNIT, 2)
    return PlacedLine(line.tail, line.head, points, head, width, round(line.ink, 3))


def _pixels(points: Array, height: float) -> Points:
    """Return the points in inches, y growing upwards, as pixels, y growing downwards."""
    rounded: Points = np.round(
        np.column_stack([points[:, 0], height - points[:, 1]]) * UNIT, 1
    ).tolist()
    return rounded


def box_title(name: str) -> list[str]:
    """Return a name in lines as boxes show it."""
    return label(name).split("\n")
