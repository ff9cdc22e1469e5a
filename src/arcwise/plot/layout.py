"""Layout of graphs: positions of nodes and lines, computed without drawing.

Directed and partly directed graphs are drawn in layers, undirected ones by distances. Connected components
are placed separately. Lengths are inches at the original size of the figure. The layout of a graph is
deterministic.

The *stress* of positions x is the sum over pairs of (|x_i - x_j| - d_ij)^2 / d_ij^2, where d_ij is the length
of the shortest path from i to j. Majorisation lowers it in every step: each node moves to a weighted mean of
the positions that the others imply. The start is classical scaling (leading eigenvectors of the doubly
centred squared distances). At the end boxes are moved apart, and away from the lines of other boxes
(Kamada and Kawai 1989; Gansner, Koren and North 2004).

Positions can also be given: by coordinates, on a circle, or those of another graph. Graphs over the same
variables can be compared only if these stay where they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, unknown
from arcwise.graphs import Graph
from arcwise.plot.axes import boxes, label
from arcwise.plot.layered import page, pieces_of, place_in_layers

Array = NDArray[np.float64]
_STEPS = 300
# Inches that boxes keep from each other.
_ROOM = 0.22
# Inches between boxes and the lines of other boxes, and rounds of moving apart.
_CLEAR, _PUSHES = 0.08, 200
# Bends of a line to try, relative to its length, if boxes are in its way.
_BENDS = (0.0, 0.12, -0.12, 0.25, -0.25, 0.4, -0.4)


def stress(sizes: Array, edges: Sequence[tuple[int, int]]) -> tuple[Array, list[Array]]:
    """Place the nodes of one connected undirected graph.

    Parameters
    ----------
    sizes : width and height of each node's box, inches.
    edges : pairs of node numbers.

    Returns
    -------
    points : centre of each box.
    routes : for each edge its two ends, or three points where it must bend around a box.

    Examples
    --------
    >>> points, routes = stress(np.full((3, 2), 0.4), [(0, 1), (1, 2)])
    >>> points.shape, len(routes)
    ((3, 2), 2)
    """
    unit = 0.8 + 0.5 * float(sizes[:, 0].mean())
    distances = unit * _distances(len(sizes), edges)
    points = _turn_flat(_majorise(_scale_distances(distances), distances))
    points = _apart(points, sizes, edges)
    return points, [route_between(points, sizes, one, two) for one, two in edges]


def _distances(count: int, edges: Sequence[tuple[int, int]]) -> Array:
    """Return the number of edges on the shortest way between every two nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    ends = np.array(edges, dtype=np.int32).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    lengths: Array = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    return lengths


def _scale_distances(distances: Array) -> Array:
    """Return classical scaling to two dimensions, perturbed so that no two nodes coincide."""
    count = len(distances)
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    axes = vectors[:, ::-1][:, :2]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    points = axes * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    turn = np.arange(count) * 2.399963  # golden angle: directions that never repeat
    return np.asarray(points + 0.05 * np.column_stack([np.cos(turn), np.sin(turn)]))


def _majorise(points: Array, distances: Array) -> Array:
    """Lower the stress by majorisation."""
    count = len(points)
    if count < 2:
        return points
    far = distances + np.eye(count)
    weights = (1 - np.eye(count)) / far**2
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_STEPS):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        pull = weights * distances / np.maximum(apart, 1e-9)
        moved = inverse @ (np.diag(pull.sum(axis=1)) - pull) @ points
        if np.abs(moved - points).max() < 1e-3:
            break
        points = moved
    return points


def _turn_flat(points: Array) -> Array:
    """Rotate the figure so that its long side is horizontal: names are wider than high."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    if axes.shape != (2, 2):
        return np.asarray(centred)
    axes = axes * np.sign(axes[range(2), np.abs(axes).argmax(axis=1)])[:, None]
    return np.asarray(centred @ axes.T)


def _apart(points: Array, sizes: Array, edges: Sequence[tuple[int, int]]) -> Array:
    """Move boxes apart, and for some rounds away from the lines of other boxes, too."""
    out = points.copy()
    for step in range(_PUSHES):
        push = _off_boxes(out, sizes)
        if step < _PUSHES // 2:
            push = push + _off_lines(out, sizes, np.array(edges, dtype=np.intp).reshape(-1, 2))
        if np.abs(push).max(initial=0.0) < 1e-6:
            break
        out += push
    # Boxes that still overlap are scaled apart as a whole.
    while (_off_boxes(out, sizes) != 0).any():
        out *= 1.05
    return out


def _off_boxes(points: Array, sizes: Array) -> Array:
    """Return half of the missing distance of each overlapping pair of boxes, along the side with the
    least.
    """
    apart = points[:, None] - points[None]
    lack = (sizes[:, None] + sizes[None]) / 2 + _ROOM - np.abs(apart)
    lack[range(len(points)), range(len(points))] = 0.0
    hit = np.asarray((lack > 1e-6).all(axis=2))
    number = np.arange(len(points))
    by_number = np.sign(number[:, None] - number[None])
    sign = np.where(apart == 0, by_number[..., None], np.sign(apart))
    chosen = lack.argmin(axis=2)[..., None] == np.arange(2)
    return np.asarray(0.5 * np.where(hit[..., None] & chosen, sign * lack, 0.0).sum(axis=1))


def _off_lines(points: Array, sizes: Array, edges: NDArray[np.intp]) -> Array:
    """Return a part of the missing distance between boxes and straight lines; the line's ends move, too."""
    one, two = points[edges[:, 0]], points[edges[:, 1]]
    along = two - one
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    # Position of each box along each line, relative to its length, and distance from it.
    part = (along @ points.T - (along * one).sum(axis=1)[:, None]) / length[:, None] ** 2
    aside = normal @ points.T - (normal * one).sum(axis=1)[:, None]
    lack = np.abs(normal) @ (sizes.T / 2) + _CLEAR - np.abs(aside)
    number = np.arange(len(points))
    is_end = (number == edges[:, :1]) | (number == edges[:, 1:])
    hit = (part > 0) & (part < 1) & (lack > 0) & ~is_end
    push = np.where(hit, np.where(aside < 0, -lack, lack), 0.0)
    out = 0.3 * push.T @ normal
    for end in (0, 1):
        np.add.at(out, edges[:, end], -0.15 * push.sum(axis=1)[:, None] * normal)
    return np.asarray(np.clip(out, -0.3, 0.3))


def route_between(points: Array, sizes: Array, one: int, two: int) -> Array:
    """Return a straight line, or the least bent of several that meets the fewest other boxes."""
    others = np.delete(np.arange(len(points)), [one, two])
    ends = points[[one, two]]
    across = np.array([ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0]])
    best, fewest = ends, np.inf
    for bend in _BENDS:
        route = np.array([ends[0], ends.mean(axis=0) + bend * across, ends[1]])
        met = _count_met(route, points[others], sizes[others])
        if met < fewest:
            best, fewest = (route if bend else ends), met
        if not met:
            break
    return best


def _count_met(route: Array, points: Array, sizes: Array) -> int:
    """Return the number of boxes in the way of a curve through three points."""
    t = np.linspace(0, 1, 25)[:, None]
    pull = 2 * route[1] - (route[0] + route[2]) / 2
    curve = (1 - t) ** 2 * route[0] + 2 * t * (1 - t) * pull + t**2 * route[2]
    inside = np.abs(curve[:, None] - points[None]) < sizes / 2 + 0.04
    return int(inside.all(axis=2).any(axis=0).sum())


Pairs = tuple[tuple[int, int], ...]
# A box for a short name in the usual size, inches.
_BOX = (0.8, 0.3)


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of boxes and lines.

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
        """Make the arrays read-only."""
        for array in (self.points, self.sizes, *self.routes):
            array.flags.writeable = False

    @property
    def extent(self) -> tuple[float, float]:
        """The width and height of the whole, boxes included."""
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
    """Return the layout of a graph: positions of its nodes and routes of its lines.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph. A DAG's parents are above their children; a graph without arcs is
        placed by distances.
    sizes : width and height of each node's box, inches; a common box by default.

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
    for members, owned in pieces_of(len(boxes), lines):
        pieces.append(_place(members, owned, lines, _rank(graph) if upright else None, boxes))
    corners = page([size for *_, size in pieces])
    for (members, owned, its_points, its_routes, _), corner in zip(pieces, corners, strict=True):
        points[members] = its_points + corner
        for line, route in zip(owned, its_routes, strict=True):
            routes[line] = route + corner
    return Layout(points, boxes, lines, tuple(routes), upright)


_Piece = tuple[list[int], list[int], Array, list[Array], Array]


def _place(
    members: list[int], owned: list[int], lines: Pairs, rank: list[int] | None, boxes: Array
) -> _Piece:
    """Return the layout of one connected component, with its lower left corner at the origin."""
    local = {node: i for i, node in enumerate(members)}
    pairs = [(local[a], local[b]) for a, b in (lines[i] for i in owned)]
    sizes = boxes[members]
    if rank is None:
        points, routes = stress(sizes, pairs)
    else:
        turned = [rank[lines[i][0]] > rank[lines[i][1]] for i in owned]
        arcs = [pair[::-1] if turn else pair for pair, turn in zip(pairs, turned, strict=True)]
        points, ways = place_in_layers(sizes, [(a, b) for a, b in arcs])
        routes = [way[::-1] if turn else way for way, turn in zip(ways, turned, strict=True)]
    low = np.min(
        [(points - sizes / 2).min(axis=0), *(route.min(axis=0) for route in routes)], axis=0
    )
    high = np.max(
        [(points + sizes / 2).max(axis=0), *(route.max(axis=0) for route in routes)], axis=0
    )
    return members, owned, points - low, [route - low for route in routes], high - low


def _rank(graph: Graph) -> list[int]:
    """Return the rank of each node in an order that the arcs follow; undirected edges are directed
    along it.
    """
    rank = [0] * len(graph.nodes)
    order = range(len(rank)) if graph.directed is False else graph.order()
    for position, node in enumerate(order):
        rank[node] = position
    return rank


# -- given positions -------------------------------------------------------------------------------


Positions = Mapping[str, Sequence[float]] | Graph | Sequence[str] | str
"""Names to coordinates in any unit (y upwards); another graph with its layout; "circle" for the nodes
clockwise from the top; or the names in their order on the circle.
"""

# Least inches between boxes, and the usual distance of neighbouring boxes besides half their width.
_BESIDE, _NEAR = 0.22, 0.6


def given_points(positions: Positions, names: Sequence[str]) -> Array:
    """Return the given positions of nodes, in any unit.

    Raises
    ------
    GraphError : a node without a position, an invalid position, or two nodes at the same position.
    OptionError : a word other than "circle".

    Examples
    --------
    >>> given_points("circle", ["top", "right", "bottom", "left"]).round(3).tolist()[:2]
    [[0.0, 1.0], [1.0, 0.0]]
    >>> given_points({"a": (0, 0), "b": (2, 1)}, ["b", "a"]).tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    places = _positions_by_name(positions, names)
    points = np.array([_point(places, name) for name in names]).reshape(-1, 2)
    for i in range(len(points)):
        same = np.flatnonzero((points[:i] == points[i]).all(axis=1)).tolist()
        if same:
            raise GraphError(
                f"positions has the same point for {names[same[0]]!r} and {names[i]!r}."
            )
    return points


def _positions_by_name(positions: Positions, names: Sequence[str]) -> Mapping[str, Sequence[float]]:
    """Return the positions by name, from any form."""
    if isinstance(positions, Mapping):
        return positions
    positions = getattr(positions, "graph", positions)  # of a network, its graph's
    if isinstance(positions, Graph):
        layout = arrange(positions, boxes([label(name) for name in positions.nodes]))
        return dict(zip(positions.nodes, layout.points.tolist(), strict=True))
    if isinstance(positions, str) and positions != "circle":
        raise unknown("word for positions", positions, ["circle"])
    if not isinstance(positions, str | Sequence):
        raise GraphError(
            "positions must be a mapping of names to (x, y), names in the order of a circle, 'circle', or a "
            f"graph, got {type(positions).__name__}."
        )
    order = names if isinstance(positions, str) else positions
    turn = 2 * np.pi * np.arange(len(order)) / max(len(order), 1)
    return dict(zip(order, np.column_stack([np.sin(turn), np.cos(turn)]).tolist(), strict=True))


def _point(positions: Mapping[str, Sequence[float]], name: str) -> tuple[float, float]:
    if name not in positions:
        raise GraphError(f"positions has no entry for {name!r}: give one for every variable.")
    try:
        x, y = map(float, positions[name])
    except (TypeError, ValueError):
        x = y = np.nan
    if not np.isfinite([x, y]).all():
        raise GraphError(
            f"A position must be two finite numbers (x, y), got {positions[name]!r} for {name!r}."
        )
    return x, y


def route_lines(graph: Graph, sizes: Array, points: Array) -> Layout:
    """Return the layout of a graph with given positions, scaled up until boxes are apart.

    Parameters
    ----------
    graph : a DAG, PDAG or UGraph.
    sizes : width and height of each node's box, inches.
    points : the positions, in any unit, all different.
    """
    lines = lines_of(graph)
    centres = points * _blown_up(points, sizes)
    routes = [route_between(centres, sizes, one, two) for one, two in lines]
    corners = [centres - sizes / 2, *routes]
    low = (
        np.min([corner.min(axis=0) for corner in corners if len(corner)], axis=0)
        if len(points)
        else 0
    )
    moved = tuple(route - low for route in routes)
    return Layout(centres - low, np.array(sizes), lines, moved, upright=False)


def _blown_up(points: Array, sizes: Array) -> float:
    """Return the inches per unit of the positions: boxes are apart, most at the usual distance."""
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
