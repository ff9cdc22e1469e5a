"""Places that are given: by hand, on a circle, or those of another graph.

Graphs over the same variables can be compared only if these stay where they are.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, unknown
from arcwise.plot.labels import boxes, label
from arcwise.plot.layout import Graph, Layout, Pairs, arrange, lines_of
from arcwise.plot.stress import route_between

Array = NDArray[np.float64]
Positions = Mapping[str, Sequence[float]] | Graph | Sequence[str] | str
"""Names to places in any unit (y upwards); another graph whose places are taken; "circle" for the order of
the nodes clockwise from the top; or the names in the order they have on the circle."""

# Inches between boxes at least, and the usual way from a box to the next one beside half its width.
_ROOM, _NEAR = 0.22, 0.6


def given_points(positions: Positions, names: Sequence[str]) -> Array:
    """Where nodes go, in any unit.

    Raises
    ------
    GraphError : a node without a place, a place that is none, or two nodes in the same place.
    WordError : a word other than "circle".

    Examples
    --------
    >>> given_points("circle", ["top", "right", "bottom", "left"]).round(3).tolist()[:2]
    [[0.0, 1.0], [1.0, 0.0]]
    >>> given_points({"a": (0, 0), "b": (2, 1)}, ["b", "a"]).tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    places = _named(positions, names)
    points = np.array([_place(places, name) for name in names]).reshape(-1, 2)
    for i in range(len(points)):
        same = np.flatnonzero((points[:i] == points[i]).all(axis=1)).tolist()
        if same:
            raise GraphError(f"Positions put {names[same[0]]!r} and {names[i]!r} in one place.")
    return points


def _named(positions: Positions, names: Sequence[str]) -> Mapping[str, Sequence[float]]:
    """Places by name, however they are meant."""
    if isinstance(positions, Mapping):
        return positions
    positions = getattr(positions, "graph", positions)  # of a network, its graph's
    if isinstance(positions, Graph):
        own = arrange(positions, boxes([label(name) for name in positions.nodes]))
        return dict(zip(positions.nodes, own.points.tolist(), strict=True))
    if isinstance(positions, str) and positions != "circle":
        raise unknown("word for positions", positions, ["circle"])
    if not isinstance(positions, str | Sequence):
        raise GraphError(
            "Positions are a mapping of names to (x, y), names in the order of a circle, 'circle', or a "
            f"graph, got {type(positions).__name__}."
        )
    order = names if isinstance(positions, str) else positions
    turn = 2 * np.pi * np.arange(len(order)) / max(len(order), 1)
    return dict(zip(order, np.column_stack([np.sin(turn), np.cos(turn)]).tolist(), strict=True))


def _place(positions: Mapping[str, Sequence[float]], name: str) -> tuple[float, float]:
    if name not in positions:
        raise GraphError(f"Positions tell no place for {name!r}: give one for every variable.")
    try:
        x, y = map(float, positions[name])
    except (TypeError, ValueError):
        x = y = np.nan
    if not np.isfinite([x, y]).all():
        raise GraphError(
            f"A position is two finite numbers (x, y), got {positions[name]!r} for {name!r}."
        )
    return x, y


def placed(graph: Graph, sizes: Array, points: Array) -> Layout:
    """Lead the lines of a graph whose nodes have their places, blown up until boxes are apart.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph.
    sizes : width and height of each node's box, inches.
    points : the places, in any unit, all different.
    """
    arcs, edges = lines_of(graph)
    lines: Pairs = arcs + edges
    centres = points * _blown_up(points, sizes)
    routes = [route_between(centres, sizes, one, two) for one, two in lines]
    corners = [centres - sizes / 2, *routes]
    low = np.min([each.min(axis=0) for each in corners if len(each)], axis=0) if len(points) else 0
    moved = tuple(route - low for route in routes)
    return Layout(centres - low, np.array(sizes), lines, moved, upright=False)


def _blown_up(points: Array, sizes: Array) -> float:
    """Inches of a unit of places: boxes keep apart, and most have the usual way to the next one."""
    if len(points) < 2:
        return 1.0
    one, two = np.triu_indices(len(points), 1)
    apart = np.abs(points[one] - points[two])
    need = (sizes[one] + sizes[two]) / 2 + _ROOM
    with np.errstate(divide="ignore"):
        least = (need / apart).min(axis=1).max()
    way = np.full((len(points), len(points)), np.inf)
    way[one, two] = way[two, one] = np.hypot(apart[:, 0], apart[:, 1])
    usual = (_NEAR + sizes[:, 0].mean() / 2) / np.median(way.min(axis=1))
    return float(max(least, usual))
