"""Where nodes and lines go, computed without drawing.

Directed and partly directed graphs get layers, undirected ones distances. Each connected piece is
placed on its own; the pieces are then set side by side in rows, as words are on a page. Lengths are
inches at the size the picture is made for. Same graph, same places: nothing is random.

Places can also be given: by hand, on a circle, or those of another graph. Graphs over the same variables can
be compared only if these stay where they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, unknown
from arcwise.graphs import Graph, UGraph
from arcwise.plot.axes import boxes, label
from arcwise.plot.layered import layered
from arcwise.plot.stress import route_between, stress

Array = NDArray[np.float64]
Pairs = tuple[tuple[int, int], ...]
# A box that holds a short name in the usual size, inches.
_BOX = (0.8, 0.3)
# Inches between connected pieces, and how much wider than high a page of pieces should be.
_ROOM, _ASPECT = 0.35, 1.5


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of boxes and lines.

    Attributes
    ----------
    points : centre of each node's box, y growing upwards, the lower left corner of all at (0, 0).
    sizes : width and height of each box.
    lines : pairs of node numbers: arcs (parent, child) first, then undirected edges.
    routes : for each line the points it passes, from centre to centre.
    upright : whether the lines leave boxes below and enter them from above (layers).
    """

    points: Array
    sizes: Array
    lines: Pairs
    routes: tuple[Array, ...]
    upright: bool

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for array in (self.points, self.sizes, *self.routes):
            array.flags.writeable = False

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height of the whole, boxes included."""
        if not len(self.points):
            return 0.0, 0.0
        corner = np.max(
            [
                (self.points + self.sizes / 2).max(axis=0),
                *(route.max(axis=0) for route in self.routes),
            ],
            0,
        )
        return float(corner[0]), float(corner[1])


def lines_of(graph: Graph) -> Pairs:
    """List the arcs and then the undirected edges of any graph as pairs of numbers.

    Examples
    --------
    >>> from arcwise.graphs import PDAG
    >>> lines_of(PDAG.from_edges(["a -> b"], [("b", "c")]))
    ((0, 1), (1, 2))
    """
    return graph.numbered_arcs + graph.numbered_edges


def arrange(graph: Graph, sizes: Array | None = None) -> Layout:
    """Place the nodes of a graph and lead its lines.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph. A DAG's parents are above their children; a graph without arcs is
        placed by distances.
    sizes : width and height of each node's box, inches; a common box if left out.

    Returns
    -------
    Layout

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> layout = arrange(DAG.from_arcs(["rain -> grass", "sprinkler -> grass"]))
    >>> bool(layout.points[1, 1] > layout.points[0, 1])    # rain is above grass
    True
    """
    boxes = np.tile(_BOX, (len(graph.nodes), 1)) if sizes is None else np.array(sizes, dtype=float)
    lines = lines_of(graph)
    upright = bool(graph.numbered_arcs) or not lines
    points = np.zeros_like(boxes)
    routes: list[Array] = [np.zeros((2, 2))] * len(lines)
    pieces = []
    for members, owned in _pieces(len(boxes), lines):
        pieces.append(_place(members, owned, lines, _rank(graph) if upright else None, boxes))
    corners = _page([size for *_, size in pieces])
    for (members, owned, its_points, its_routes, _), corner in zip(pieces, corners, strict=True):
        points[members] = its_points + corner
        for line, route in zip(owned, its_routes, strict=True):
            routes[line] = route + corner
    return Layout(points, boxes, lines, tuple(routes), upright)


_Piece = tuple[list[int], list[int], Array, list[Array], Array]


def _place(
    members: list[int], owned: list[int], lines: Pairs, rank: list[int] | None, boxes: Array
) -> _Piece:
    """Place one connected piece, its lower left corner at the origin."""
    local = {node: i for i, node in enumerate(members)}
    pairs = [(local[a], local[b]) for a, b in (lines[i] for i in owned)]
    sizes = boxes[members]
    if rank is None:
        points, routes = stress(sizes, pairs)
    else:
        turned = [rank[lines[i][0]] > rank[lines[i][1]] for i in owned]
        arcs = [pair[::-1] if turn else pair for pair, turn in zip(pairs, turned, strict=True)]
        points, ways = layered(sizes, [(a, b) for a, b in arcs])
        routes = [way[::-1] if turn else way for way, turn in zip(ways, turned, strict=True)]
    low = np.min(
        [(points - sizes / 2).min(axis=0), *(route.min(axis=0) for route in routes)], axis=0
    )
    high = np.max(
        [(points + sizes / 2).max(axis=0), *(route.max(axis=0) for route in routes)], axis=0
    )
    return members, owned, points - low, [route - low for route in routes], high - low


def _rank(graph: Graph) -> list[int]:
    """Place of each node in an order that the arcs follow; undirected edges are laid along it."""
    rank = [0] * len(graph.nodes)
    order = range(len(rank)) if isinstance(graph, UGraph) else graph.order()
    for place, node in enumerate(order):
        rank[node] = place
    return rank


def _pieces(count: int, lines: Pairs) -> list[tuple[list[int], list[int]]]:
    """Connected pieces: their nodes and the numbers of their lines, largest piece first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not count:
        return []
    ends = np.array(lines, dtype=np.int32).reshape(-1, 2)
    joined = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    number, label = connected_components(joined.tocsr(), directed=False)
    pieces: list[tuple[list[int], list[int]]] = [([], []) for _ in range(number)]
    for node in range(count):
        pieces[label[node]][0].append(node)
    for line, (one, _) in enumerate(lines):
        pieces[label[one]][1].append(line)
    return sorted(pieces, key=lambda piece: (-len(piece[0]), piece[0]))


def _page(sizes: Sequence[Array]) -> list[Array]:
    """Corners of the pieces: in rows from left to right, top row first, each row centred."""
    if not sizes:
        return []
    padded = np.array(sizes) + _ROOM
    width = max(padded[:, 0].max(), np.sqrt(_ASPECT * padded.prod(axis=1).sum()))
    rows: list[list[int]] = [[]]
    for i in range(len(sizes)):
        if rows[-1] and padded[rows[-1], 0].sum() + padded[i, 0] > width + 1e-9:
            rows.append([])
        rows[-1].append(i)
    widest = max(padded[row, 0].sum() for row in rows)
    corners = [np.zeros(2)] * len(sizes)
    bottom = 0.0
    for row in reversed(rows):
        tall = padded[row, 1].max()
        left = (widest - padded[row, 0].sum()) / 2
        for i in row:
            corners[i] = np.array([left, bottom + (tall - padded[i, 1]) / 2])
            left += padded[i, 0]
        bottom += tall
    lowest = np.min(corners, axis=0)
    return [corner - lowest for corner in corners]


# -- positions that were given --------------------------------------------------------------------


Positions = Mapping[str, Sequence[float]] | Graph | Sequence[str] | str
"""Names to places in any unit (y upwards); another graph whose places are taken; "circle" for the order of
the nodes clockwise from the top; or the names in the order they have on the circle."""

# Inches between boxes at least, and the usual way from a box to the next one beside half its width.
_BESIDE, _NEAR = 0.22, 0.6


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
    points = np.array([_point(places, name) for name in names]).reshape(-1, 2)
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


def _point(positions: Mapping[str, Sequence[float]], name: str) -> tuple[float, float]:
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
    lines = lines_of(graph)
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
    need = (sizes[one] + sizes[two]) / 2 + _BESIDE
    with np.errstate(divide="ignore"):
        least = (need / apart).min(axis=1).max()
    way = np.full((len(points), len(points)), np.inf)
    way[one, two] = way[two, one] = np.hypot(apart[:, 0], apart[:, 1])
    usual = (_NEAR + sizes[:, 0].mean() / 2) / np.median(way.min(axis=1))
    return float(max(least, usual))
