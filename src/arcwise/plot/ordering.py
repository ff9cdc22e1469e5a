"""Order of the vertices inside each layer: few crossings of lines.

Two lines between the same two layers cross if their ends are in opposite order. Least crossings are
NP-hard to find; the heuristic here sorts each layer by the mean place of its neighbours in the one
before (*barycentre*), up and down in turn, and after each sweep exchanges adjacent vertices as long
as that helps (*transpose*). It runs from several starts and keeps the best, so the result never has
more crossings than the first order.

Source: Sugiyama, Tagawa and Toda (1981); Gansner, Koutsofios, North and Vo (1993), section 3.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence

import numpy as np

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
    down : for each vertex those of the next layer that it is joined to.

    Examples
    --------
    >>> crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    place = {vertex: i for layer in layers for i, vertex in enumerate(layer)}
    return sum(_inversions([sorted(place[w] for w in down[v]) for v in layer]) for layer in layers)


def _inversions(rows: list[list[int]]) -> int:
    """Pairs of entries of different rows, the earlier one greater."""
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
        found, count = _improve(first, up, down)
        if count < fewest:
            best, fewest = found, count
    return best


def _improve(layers: Layers, up: Links, down: Links) -> tuple[Layers, int]:
    """Sweep down and up until nothing better turns up."""
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
    """Sort each layer by the mean place of its neighbours in the one before."""
    done = [list(layers[0])]
    for layer in layers[1:]:
        place = {vertex: i for i, vertex in enumerate(done[-1])}
        scale = len(done[-1]) / len(layer)
        key = {
            v: sum(place[w] for w in before[v]) / len(before[v]) if before[v] else i * scale
            for i, v in enumerate(layer)
        }
        done.append(sorted(layer, key=key.__getitem__))
    return done


def _transpose(layers: Layers, up: Links, down: Links) -> None:
    """Exchange neighbours in a layer, in place, as long as that saves crossings."""
    place = {vertex: i for layer in layers for i, vertex in enumerate(layer)}
    better = True
    while better:
        better = False
        for layer in layers:
            for i in range(len(layer) - 1):
                v, w = layer[i], layer[i + 1]
                if _saving(up[v], up[w], place) + _saving(down[v], down[w], place) > 0:
                    layer[i], layer[i + 1] = w, v
                    place[v], place[w] = i + 1, i
                    better = True


def _saving(left: Sequence[int], right: Sequence[int], place: dict[int, int]) -> int:
    """How many crossings fewer the lines of two adjacent vertices have when these are exchanged."""
    count = 0
    for a in left:
        at = place[a]
        for b in right:
            other = place[b]
            count += (at > other) - (at < other)
    return count
