"""Legal changes of one arc in a directed acyclic graph, on rows of 64-bit words.

`below[a]` holds the strict descendants of a. An arc tail -> head may be added iff tail is not below
head; it may be turned round iff no other child of tail has head at or below it.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]

ADD, DROP, FLIP = 0, 1, 2


def scan(
    gains: NDArray[np.float64],
    parents: Words,
    children: Words,
    below: Words,
    blocked: Words,
    kept: Words,
    slack: float,
    heads: Integers,
    best: NDArray[np.float64],
    kind: Integers,
    tails: Integers,
) -> None:
    """Write the best legal move into each of `heads` to `best`, `kind`, `tails` (kind -1: none).

    gains[head, tail] is the change of score when tail is toggled in head's parents (-inf where not
    allowed). Pairs in `blocked` are passed over, arcs in `kept` are never taken out. Gains within
    `slack` of the best are ties: additions go before drops and flips, then lower tails. O(p) a head.
    """
    _native.scan_moves(
        gains, parents, children, below, blocked, kept, slack, heads, best, kind, tails
    )


def legal_add(below: Words, tail: int, head: int) -> bool:
    """Tell whether tail -> head closes no cycle."""
    return bool(_native.legal_add(below, tail, head))


def legal_flip(children: Words, below: Words, tail: int, head: int) -> bool:
    """Tell whether turning tail -> head round closes no cycle."""
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
    found: Integers = _native.stale_after_link(below, tail, head, kind, tails)
    return found


def stale_after_unlink(below: Words, tail: int, head: int) -> Integers:
    """Heads that may gain legal moves when tail -> head goes; asked before `unlink`."""
    found: Integers = _native.stale_after_unlink(below, tail, head)
    return found
