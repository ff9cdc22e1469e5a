"""Layered layout of directed graphs: parents above children, long arcs routed around the nodes.

Four steps: every node gets a layer below its parents, with the total length of the arcs as small as
possible (a linear program with integral corners); an arc over several layers gets a bend, a *dummy*
vertex, in each layer between; the layers are ordered; and horizontal places minimise

    sum over lines of  weight (x_end - x_start)^2     subject to  x_(i+1) - x_i >= room for both

where bends weigh more so that long arcs run straight. Given the other layers, one layer is an
isotonic regression, solved by pooling adjacent violators; going through the layers in turn
converges to the minimum, because the objective is convex and the constraints do not link layers.

Two lines between the same two layers cross if their ends are in opposite order. Least crossings are
NP-hard to find; the heuristic here sorts each layer by the mean place of its neighbours in the one
before (*barycentre*), up and down in turn, and after each sweep exchanges adjacent vertices as long
as that helps (*transpose*). It runs from several starts and keeps the best, so the result never has
more crossings than the first order.

Connected pieces are set side by side in rows, as words are on a page.

Source: Sugiyama, Tagawa and Toda (1981); Gansner, Koutsofios, North and Vo (1993).
Libraries do this, too, but take all nodes to be equally wide; names are not.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Arcs = Sequence[tuple[int, int]]

# Inches between neighbours in a layer: two boxes, a box and a line, two lines.
_ROOM = (0.3, 0.2, 0.18)
# Weights of lines by their number of bends at the ends, after Gansner et al.
_WEIGHT = (1.0, 2.0, 8.0)
# Inches between layers: the steeper the lines must be, the more.
_GAP, _WIDEST_GAP, _SLOPE = 0.36, 1.0, 0.16
_SWEEPS = 400


@dataclass(frozen=True)
class _Layers:
    """A graph with bends: vertices beyond `count` are bends; `chains` has the vertices of each arc."""

    count: int
    layer: list[int]
    chains: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]

    def members(self) -> list[list[int]]:
        """Return the vertices of each layer in a first order: by number, bends by the end of their arc."""
        towards = list(range(self.count)) + [0] * (len(self.layer) - self.count)
        for chain in self.chains:
            for bend in chain[1:-1]:
                towards[bend] = chain[-1]
        rows: list[list[int]] = [[] for _ in range(max(self.layer) + 1)]
        for vertex in sorted(range(len(towards)), key=towards.__getitem__):
            rows[self.layer[vertex]].append(vertex)
        return rows


def place_in_layers(sizes: Array, arcs: Arcs) -> tuple[Array, list[Array]]:
    """Place the nodes of one connected acyclic graph in layers.

    Parameters
    ----------
    sizes : width and height of each node's box, inches.
    arcs : pairs (parent, child) of node numbers.

    Returns
    -------
    points : centre of each box, y growing upwards.
    routes : for each arc the points it passes, from the parent's centre to the child's.

    Examples
    --------
    >>> points, routes = place_in_layers(np.ones((3, 2)), [(0, 1), (1, 2), (0, 2)])
    >>> bool(points[0, 1] > points[1, 1] > points[2, 1]), [len(route) for route in routes]
    (True, [2, 2, 3])
    """
    levels = _with_bends(_spread(layers_of(len(sizes), arcs)), arcs)
    order = reduce_crossings(levels.members(), levels.up, levels.down)
    across = _across(order, levels, sizes[:, 0])
    depth = _depths(order, levels, across, sizes[:, 1])
    vertices = np.column_stack([across, -depth[levels.layer]])
    return vertices[: len(sizes)], [vertices[chain] for chain in levels.chains]


def layers_of(count: int, arcs: Arcs) -> list[int]:
    """Return each node a layer below its parents such that the arcs are short in total.

    The constraints layer[child] - layer[parent] >= 1 form a totally unimodular matrix, so the
    corner that the simplex method finds has integers.

    Examples
    --------
    >>> layers_of(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if not arcs:
        return [0] * count
    tails, heads = np.array(arcs).T
    row = np.arange(len(arcs))
    ones = np.ones(len(arcs))
    entries = (np.concatenate([ones, -ones]), (np.tile(row, 2), np.concatenate([tails, heads])))
    cost = np.bincount(heads, minlength=count) - np.bincount(tails, minlength=count)
    limits = coo_array(entries, shape=(len(arcs), count)).tocsr()
    solution = linprog(cost, limits, -ones, bounds=(0, count - 1), method="highs-ds")
    layer = np.rint(solution.x).astype(int)
    return [int(row) for row in layer - layer.min()]


def _spread(layer: list[int]) -> list[int]:
    """Deal out layers with too many nodes over several, so that figures do not become ribbons."""
    widest = max(5, int(np.ceil(1.7 * np.sqrt(len(layer)))))
    out, top = [0] * len(layer), 0
    for number in range(max(layer) + 1):
        members = [node for node in range(len(layer)) if layer[node] == number]
        parts = -(-len(members) // widest)
        for rank, node in enumerate(members):
            out[node] = top + rank % parts
        top += parts
    return out


def _with_bends(layer: list[int], arcs: Arcs) -> _Layers:
    """Put a bend into every layer that an arc passes."""
    layers, chains = list(layer), []
    for tail, head in arcs:
        between = range(layer[tail] + 1, layer[head])
        chains.append([tail, *range(len(layers), len(layers) + len(between)), head])
        layers.extend(between)
    up: list[list[int]] = [[] for _ in layers]
    down: list[list[int]] = [[] for _ in layers]
    for chain in chains:
        for one, two in pairwise(chain):
            down[one].append(two)
            up[two].append(one)
    return _Layers(len(layer), layers, chains, up, down)


def _across(order: list[list[int]], levels: _Layers, widths: Array) -> Array:
    """Return horizontal positions: layer by layer the best ones given the other layers, until convergence."""
    bends = np.arange(len(levels.layer)) >= levels.count
    width = np.where(bends, 0.0, np.pad(widths, (0, len(bends) - levels.count)))
    offsets = [_offsets(layer, bends, width) for layer in order]
    ends = [np.array(levels.up[v] + levels.down[v], dtype=np.intp) for v in range(len(bends))]
    pulls = [np.array(_WEIGHT)[bends[v].astype(int) + bends[ends[v]]] for v in range(len(bends))]
    x = np.zeros(len(bends))
    for layer, offset in zip(order, offsets, strict=True):
        x[layer] = offset - offset[-1] / 2
    for sweep in range(_SWEEPS):
        before = x.copy()
        ways = list(zip(order, offsets, strict=True))
        for layer, offset in ways[:: -1 if sweep % 2 else 1]:
            weights = np.array([pulls[v].sum() for v in layer])
            wishes = np.array([pulls[v] @ x[ends[v]] for v in layer]) / np.maximum(weights, 1e-9)
            x[layer] = pool_violators(wishes - offset, weights) + offset
        if np.abs(x - before).max() < 1e-3:
            break
    return x


def _offsets(layer: list[int], bends: NDArray[np.bool_], width: Array) -> Array:
    """Return the least distance of each vertex of a layer from the first one."""
    steps = [
        (width[v] + width[w]) / 2 + _ROOM[int(bends[v]) + int(bends[w])] for v, w in pairwise(layer)
    ]
    return np.concatenate([[0.0], np.cumsum(steps)])


def pool_violators(wishes: Array, weights: Array) -> Array:
    """Return the nearest non-decreasing sequence in weighted squares: pool adjacent violators."""
    blocks: list[tuple[float, float, int]] = []
    for wish, weight in zip(wishes.tolist(), weights.tolist(), strict=True):
        mean, mass, size = wish, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, its_mass, its_size = blocks.pop()
            mean = (mean * mass + other * its_mass) / (mass + its_mass)
            mass, size = mass + its_mass, size + its_size
        blocks.append((mean, mass, size))
    return np.concatenate([np.full(size, mean) for mean, _, size in blocks])


def _depths(order: list[list[int]], levels: _Layers, x: Array, heights: Array) -> Array:
    """Return the depth of each layer: space for its boxes, and more if lines go far sideways."""
    tall = [max([heights[v] for v in layer if v < levels.count], default=0.0) for layer in order]
    depth = np.zeros(len(order))
    for i, layer in enumerate(order[:-1]):
        far = max([abs(x[v] - x[w]) for v in layer for w in levels.down[v]], default=0.0)
        gap = min(max(_GAP, _SLOPE * far), _WIDEST_GAP)
        depth[i + 1] = depth[i] + (tall[i] + tall[i + 1]) / 2 + gap
    return depth


# -- fewer crossings ------------------------------------------------------------------------------


Layers = list[list[int]]
Links = Sequence[Sequence[int]]

# Sweeps without an improvement after which a start is given up.
_PATIENCE = 4
# Vertices to be placed over all starts: bounds the time, about half a second.
_WORK = 4000


def crossings(layers: Sequence[Sequence[int]], down: Links) -> int:
    """Count the crossings of lines between neighbouring layers.

    Parameters
    ----------
    layers : the vertices of each layer, from left to right.
    down : for each vertex the adjacent ones of the next layer.

    Examples
    --------
    >>> crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    rank_of = {vertex: i for layer in layers for i, vertex in enumerate(layer)}
    return sum(
        _inversions([sorted(rank_of[w] for w in down[v]) for v in layer]) for layer in layers
    )


def _inversions(rows: list[list[int]]) -> int:
    """Return the pairs of entries of different rows, the earlier one greater."""
    seen: list[int] = []
    count = 0
    for row in rows:
        count += sum(len(seen) - bisect_right(seen, end) for end in row)
        for end in row:
            insort(seen, end)
    return count


def reduce_crossings(layers: Layers, up: Links, down: Links) -> Layers:
    """Order each layer so that few lines cross.

    Parameters
    ----------
    layers : the vertices of each layer in a first order.
    up, down : neighbours of each vertex in the layer before and in the layer after.

    Examples
    --------
    >>> reduce_crossings([[0, 1], [2, 3]], [[], [], [1], [0]], [[3], [2], [], []])
    [[0, 1], [3, 2]]
    """
    best, fewest = layers, crossings(layers, down)
    rng = np.random.default_rng(0)  # fixed: the same graph always gives the same picture
    starts = max(2, min(30, _WORK // sum(map(len, layers))))
    for start in range(starts):
        if not fewest:
            break
        first = [rng.permutation(layer).tolist() if start else list(layer) for layer in layers]
        orders, count = _improve(first, up, down)
        if count < fewest:
            best, fewest = orders, count
    return best


def _improve(layers: Layers, up: Links, down: Links) -> tuple[Layers, int]:
    """Sweep down and up until there is no improvement."""
    best, fewest, idle, sweep = layers, crossings(layers, down), 0, 0
    while idle < _PATIENCE and fewest:
        layers = _sort(layers, up) if sweep % 2 == 0 else _sort(layers[::-1], down)[::-1]
        _transpose(layers, up, down)
        count = crossings(layers, down)
        idle = 0 if count < fewest else idle + 1
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
        sweep += 1
    return best, fewest


def _sort(layers: Layers, before: Links) -> Layers:
    """Sort each layer by the mean position of its neighbours in the one before."""
    done = [list(layers[0])]
    for layer in layers[1:]:
        rank_of = {vertex: i for i, vertex in enumerate(done[-1])}
        scale = len(done[-1]) / len(layer)
        key = {
            v: sum(rank_of[w] for w in before[v]) / len(before[v]) if before[v] else i * scale
            for i, v in enumerate(layer)
        }
        done.append(sorted(layer, key=key.__getitem__))
    return done


def _transpose(layers: Layers, up: Links, down: Links) -> None:
    """Exchange neighbours in a layer, in place, as long as that saves crossings."""
    rank_of = {vertex: i for layer in layers for i, vertex in enumerate(layer)}
    better = True
    while better:
        better = False
        for layer in layers:
            for i in range(len(layer) - 1):
                v, w = layer[i], layer[i + 1]
                if (
                    _crossings_saved(up[v], up[w], rank_of)
                    + _crossings_saved(down[v], down[w], rank_of)
                    > 0
                ):
                    layer[i], layer[i + 1] = w, v
                    rank_of[v], rank_of[w] = i + 1, i
                    better = True


def _crossings_saved(left: Sequence[int], right: Sequence[int], position: dict[int, int]) -> int:
    """Return the reduction of crossings if two adjacent vertices are exchanged."""
    count = 0
    for a in left:
        at = position[a]
        for b in right:
            other = position[b]
            count += (at > other) - (at < other)
    return count


# -- pieces ----------------------------------------------------------------------------------------

# Inches between connected components, and the ratio of width to height of a page of them.
_BETWEEN, _ASPECT = 0.35, 1.5


def pieces_of(count: int, lines: Arcs) -> list[tuple[list[int], list[int]]]:
    """Return connected components: their nodes and the numbers of their lines, largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not count:
        return []
    ends = np.array(lines, dtype=np.int32).reshape(-1, 2)
    links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    number, label = connected_components(links.tocsr(), directed=False)
    pieces: list[tuple[list[int], list[int]]] = [([], []) for _ in range(number)]
    for node in range(count):
        pieces[label[node]][0].append(node)
    for line, (one, _) in enumerate(lines):
        pieces[label[one]][1].append(line)
    return sorted(pieces, key=lambda piece: (-len(piece[0]), piece[0]))


def page(sizes: Sequence[Array]) -> list[Array]:
    """Return the corners of the pieces: in rows from left to right, top row first, each row centred."""
    if not sizes:
        return []
    padded = np.array(sizes) + _BETWEEN
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
