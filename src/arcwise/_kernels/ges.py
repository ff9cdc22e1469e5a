"""Greedy equivalence search on column numbers, with local scores from a callback.

Graphs and rules come and go as lists of parent sets, one for each column. A step costs O(p + edges)
plus O(edges p / 64) for the paths, beside the scores that it asks for.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack, unpack

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]
Sweep = Callable[[list[int], list[tuple[int, ...]]], tuple[Array, Array]]
Watch = Callable[[int, int, int, float, int], bool]

TICK, INSERT, DELETE, TURN = -1, 0, 1, 2
DONE, ASKED, CIRCLE = 0, 1, 2


def ges(
    sweep: Sweep,
    watch: Watch,
    start: Sets,
    barred: Sets,
    kept: Sets,
    *,
    phases: Sequence[int],
    iterate: bool,
    max_parents: int,
    max_clique: int,
    tolerance: float,
) -> tuple[list[tuple[int, ...]], float, int, int]:
    """Search from the class of the DAG `start`; give the parents of a member of the class found.

    Parameters
    ----------
    sweep : (children, bases) -> local scores (m,) and those with each variable toggled (m, p).
    watch : told (kind, tail, head, score, edges) after each step, and with the kind TICK every so often
        while a step takes long; True ends the search.
    start : parents of each column.
    barred : for each column the parents that it may not have.
    kept : for each column the parents that it keeps; the opposite arcs should be barred.
    phases : which of INSERT, DELETE, TURN to go through, in this order.
    iterate : go through them again until none of them finds a step.
    max_parents : largest number of parents.
    max_clique : cliques of up to so many neighbours of a node have all their subsets tried. A node with
        a larger one has its sets tried up to the largest size with at most 2^max_clique of them, beside
        the empty and the single ones.
    tolerance : smallest gain that counts.

    Returns
    -------
    Parents of each column; the score of `start` (-inf if the search ended before it was known); why the
    search ended: DONE, ASKED (by `watch`) or CIRCLE (it came back to a class that it had left, as no score
    does that ties within classes); and the size beyond which sets were passed over, -1 if none were.
    """

    def rows(children: NDArray[np.int64], *bases: NDArray[np.int64]) -> tuple[Array, Array]:
        own, toggled = sweep(children.tolist(), unpack(*bases))
        return np.ascontiguousarray(own, np.float64), np.ascontiguousarray(toggled, np.float64)

    graphs = *pack(start), *pack(barred), *pack(kept)
    options = np.array(phases, dtype=np.int64), iterate, max_parents, max_clique, tolerance
    indptr, indices, *rest = _native.ges(rows, watch, *graphs, *options)
    return unpack(indptr, indices), *rest
