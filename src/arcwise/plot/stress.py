"""Places for undirected graphs: distances in the picture follow distances in the graph.

The *stress* of places x is the sum over pairs of (|x_i - x_j| - d_ij)^2 / d_ij^2, where d_ij is the
length of the shortest way from i to j. Majorisation lowers it in every step: each node moves to the
weighted mean of where the others want it. The start is classical scaling (leading eigenvectors of
the doubly centred squared distances). At the end boxes are pushed off each other and off lines that
are not theirs.

Source: Kamada and Kawai (1989); Gansner, Koren and North (2004).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_STEPS = 300
# Inches that boxes keep from each other.
_ROOM = 0.22
# Inches that boxes keep from lines that are not theirs, and rounds of pushing.
_CLEAR, _PUSHES = 0.08, 200
# Bends of a line to try, in parts of its length, when boxes lie in its way.
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
    points = _turned(_majorised(_scaled(distances), distances))
    points = _apart(points, sizes, edges)
    return points, [route_between(points, sizes, one, two) for one, two in edges]


def _distances(count: int, edges: Sequence[tuple[int, int]]) -> Array:
    """Number of edges on the shortest way between every two nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    ends = np.array(edges, dtype=np.int32).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    found: Array = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    return found


def _scaled(distances: Array) -> Array:
    """Classical scaling to two dimensions, nudged so that no two nodes coincide."""
    count = len(distances)
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    axes = vectors[:, ::-1][:, :2]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    points = axes * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    turn = np.arange(count) * 2.399963  # golden angle: directions that never repeat
    return np.asarray(points + 0.05 * np.column_stack([np.cos(turn), np.sin(turn)]))


def _majorised(points: Array, distances: Array) -> Array:
    """Lower the stress by moving all nodes to where the others want them."""
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


def _turned(points: Array) -> Array:
    """Turn the picture so that its long side lies flat: names are wider than high."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    if axes.shape != (2, 2):
        return np.asarray(centred)
    axes = axes * np.sign(axes[range(2), np.abs(axes).argmax(axis=1)])[:, None]
    return np.asarray(centred @ axes.T)


def _apart(points: Array, sizes: Array, edges: Sequence[tuple[int, int]]) -> Array:
    """Push boxes off each other, and for some rounds off lines that are not theirs, too."""
    out = points.copy()
    for step in range(_PUSHES):
        push = _off_boxes(out, sizes)
        if step < _PUSHES // 2:
            push = push + _off_lines(out, sizes, np.array(edges, dtype=np.intp).reshape(-1, 2))
        if np.abs(push).max(initial=0.0) < 1e-6:
            break
        out += push
    # A crowd that found no way out gets more room as a whole.
    while (_off_boxes(out, sizes) != 0).any():
        out *= 1.05
    return out


def _off_boxes(points: Array, sizes: Array) -> Array:
    """Half of what each overlapping pair of boxes lacks, along the side where least is lacking."""
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
    """A part of what boxes lack to be clear of straight lines; the line's ends give way, too."""
    one, two = points[edges[:, 0]], points[edges[:, 1]]
    along = two - one
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    # How far along each line, as a part of it, and how far aside of it each box lies.
    part = (along @ points.T - (along * one).sum(axis=1)[:, None]) / length[:, None] ** 2
    aside = normal @ points.T - (normal * one).sum(axis=1)[:, None]
    lack = np.abs(normal) @ (sizes.T / 2) + _CLEAR - np.abs(aside)
    number = np.arange(len(points))
    own = (number == edges[:, :1]) | (number == edges[:, 1:])
    hit = (part > 0) & (part < 1) & (lack > 0) & ~own
    push = np.where(hit, np.where(aside < 0, -lack, lack), 0.0)
    out = 0.3 * push.T @ normal
    for end in (0, 1):
        np.add.at(out, edges[:, end], -0.15 * push.sum(axis=1)[:, None] * normal)
    return np.asarray(np.clip(out, -0.3, 0.3))


def route_between(points: Array, sizes: Array, one: int, two: int) -> Array:
    """A straight line, or the least bent of several that meets the fewest other boxes."""
    others = np.delete(np.arange(len(points)), [one, two])
    ends = points[[one, two]]
    across = np.array([ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0]])
    best, fewest = ends, np.inf
    for bend in _BENDS:
        route = np.array([ends[0], ends.mean(axis=0) + bend * across, ends[1]])
        met = _met(route, points[others], sizes[others])
        if met < fewest:
            best, fewest = (route if bend else ends), met
        if not met:
            break
    return best


def _met(route: Array, points: Array, sizes: Array) -> int:
    """How many boxes lie in the way of a curve through three points."""
    t = np.linspace(0, 1, 25)[:, None]
    pull = 2 * route[1] - (route[0] + route[2]) / 2
    curve = (1 - t) ** 2 * route[0] + 2 * t * (1 - t) * pull + t**2 * route[2]
    inside = np.abs(curve[:, None] - points[None]) < sizes / 2 + 0.04
    return int(inside.all(axis=2).any(axis=0).sum())
