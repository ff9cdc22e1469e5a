"""Changes of directed graphs: single arcs, and steps between equivalence classes.

Legal changes of one arc in a directed acyclic graph, on rows of 64-bit words.

`below[a]` holds the strict descendants of a. An arc tail -> head may be added iff tail is not below
head; it may be reversed iff no other child of tail has head at or below it.

Greedy equivalence search on column numbers, with local scores from a callback.

Graphs and rules come and go as lists of parent sets, one for each column. A step costs O(p + edges)
plus O(edges p / 64) for the paths, besides the scores.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack, unpack

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]

ADD, DROP, FLIP = 0, 1, 2


def scan(
    gains: NDArray[np.float64],
    parents: Words,
    children: Words,
    below: Words,
    blocked: Words,
    required: Words,
    slack: float,
    heads: Integers,
    best: NDArray[np.float64],
    kind: Integers,
    tails: Integers,
) -> None:
    """Write the best legal move into each of `heads` to `best`, `kind`, `tails` (kind -1: none).

    gains[head, tail] is the change of score when tail is toggled in head's parents (-inf where not
    allowed). Pairs in `blocked` are skipped, arcs in `required` are never removed. Gains within
    `slack` of the best are ties: additions go before drops and flips, then lower tails. O(p) a head.
    """
    _native.scan_moves(
        gains, parents, children, below, blocked, required, slack, heads, best, kind, tails
    )


def legal_add(below: Words, tail: int, head: int) -> bool:
    """Return whether tail -> head closes no cycle."""
    return bool(_native.legal_add(below, tail, head))


def legal_flip(children: Words, below: Words, tail: int, head: int) -> bool:
    """Return whether turning tail -> head round closes no cycle."""
    return bool(_native.legal_flip(children, below, tail, head))


def link(below: Words, tail: int, head: int) -> None:
    """Update the descendants for a new arc, in place: O(p^2 / 64)."""
    _native.link(below, tail, head)


def unlink(below: Words, children: Words, tail: int) -> None:
    """Update the descendants after an arc out of `tail` left `children`, in place."""
    _native.unlink(below, children, tail)


def stale_after_link(
    below: Words, tail: int, head: int, kind: Integers, tails: Integers
) -> Integers:
    """Heads whose best move may have become illegal by the arc just linked."""
    heads: Integers = _native.stale_after_link(below, tail, head, kind, tails)
    return heads


def stale_after_unlink(below: Words, tail: int, head: int) -> Integers:
    """Return the heads that may gain legal moves by the removal of tail -> head; called before `unlink`."""
    heads: Integers = _native.stale_after_unlink(below, tail, head)
    return heads


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
    required: Sets,
    *,
    phases: Sequence[int],
    iterate: bool,
    max_parents: int,
    max_clique: int,
    tolerance: float,
) -> tuple[list[tuple[int, ...]], float, int, int]:
    """Search from the class of the DAG `start`; return the parents of a member of the best class.

    Parameters
    ----------
    sweep : (children, bases) -> local scores (m,) and those with each variable toggled (m, p).
    watch : called with (kind, tail, head, score, edges) after each step, and with the kind TICK regularly
        while a step takes long; True ends the search.
    start : parents of each column.
    barred : for each column the parents that it may not have.
    required : for each column the parents that it keeps; the opposite arcs should be barred.
    phases : which of INSERT, DELETE, TURN to go through, in this order.
    iterate : go through them again until none of them finds a step.
    max_parents : largest number of parents.
    max_clique : cliques of up to this many neighbours of a node have all their subsets tried. A node with
        a larger one has its sets tried up to the largest size with at most 2^max_clique of them, next to
        the empty and the single ones.
    tolerance : smallest gain that counts.

    Returns
    -------
    Parents of each column; the score of `start` (-inf if the search ended before it was known); why the
    search ended: DONE, ASKED (by `watch`) or CIRCLE (it came back to a class that it had left, as no score
    does that ties within classes); and the size beyond which sets were skipped, -1 if none were.
    """

    def rows(children: NDArray[np.int64], *bases: NDArray[np.int64]) -> tuple[Array, Array]:
        base_scores, toggled = sweep(children.tolist(), unpack(*bases))
        return np.ascontiguousarray(base_scores, np.float64), np.ascontiguousarray(
            toggled, np.float64
        )

    graphs = *pack(start), *pack(barred), *pack(required)
    options = np.array(phases, dtype=np.int64), iterate, max_parents, max_clique, tolerance
    indptr, indices, *rest = _native.ges(rows, watch, *graphs, *options)
    return unpack(indptr, indices), *rest
