"""The parent sets that samplers over orders and partitions sum over.

Where they are few enough, all sets that the rules allow are listed. Otherwise each variable has a list of
candidate parents: all sets of candidates count, and those of few candidates also with one more parent from
outside (Kuipers, Suter and Moffa 2022). Candidates are chosen greedily, each the best addition to some pair of
those before; a variable that the chain keeps taking from outside becomes a candidate, see `grown`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import ParentSets
from arcwise.errors import FitError, GraphError
from arcwise.graphs import Limits
from arcwise.scores import Score

__all__ = ["ParentLists", "grown", "parent_lists"]

Array = NDArray[np.float64]
Words = NDArray[np.uint64]
Candidates = tuple[tuple[int, ...], ...]

_BYTES = 1 << 28  # that lists may take
_CLOSED, _DEAR = 2_000_000, 20_000  # sets that are scored, in closed form and by fits
_MOST, _LEAST = 12, 5  # candidates of a variable, where not all variables are
_PIECE = 1 << 14  # sets scored at a time
_OFTEN = 0.02  # share of draws with an arc from outside that makes its tail a candidate


@dataclass(frozen=True, eq=False)
class ParentLists:
    """Parent sets of each variable, as bits, with their scores.

    Parameters
    ----------
    sets : for each variable (n, words).
    scores : for each variable (n,), none -inf.
    candidates : for each variable the parents whose sets are all there; None where every set is that the
        rules allow.
    extended : largest number of candidates beside which a parent from outside is listed, -1 for none.
    """

    sets: tuple[Words, ...]
    scores: tuple[Array, ...]
    candidates: Candidates | None = None
    extended: int = -1

    def kernel(self, beta: float = 1.0) -> ParentSets:
        """Lists for compiled chains, their log weights being `beta` times the scores."""
        return ParentSets(self.sets, [beta * each for each in self.scores])

    def __len__(self) -> int:
        return sum(map(len, self.scores))


def parent_lists(score: Score, limits: Limits, candidates: Candidates | None = None) -> ParentLists:
    """List the parent sets of each variable.

    Parameters
    ----------
    score : scores them.
    limits : rules bound to the score's columns.
    candidates : for each variable the parents to choose from; by default all if the sets are few enough,
        else chosen by the score.

    Raises
    ------
    GraphError : a variable has no set with a finite score.
    """
    p, budget = len(limits.nodes), _budget(score)
    if candidates is None and sum(_ways(limits, v) for v in range(p)) <= budget:
        found = [_scored(score, v, _all_sets(limits, v), limits) for v in range(p)]
        return _checked(limits, found, None, -1)
    if candidates is None:
        candidates = tuple(_chosen(score, limits, v, _many(limits, v, budget)) for v in range(p))
    if len(candidates) != p:
        raise FitError(f"Candidate parents are needed for {p} variables, got {len(candidates)}.")
    depth = _depth(limits, candidates, budget)
    found = [
        _scored(score, v, _some_sets(limits, v, candidates[v], depth), limits) for v in range(p)
    ]
    return _checked(limits, found, candidates, depth)


def grown(lists: ParentLists, shares: Array, limits: Limits) -> Candidates | None:
    """Candidates with those from outside that a chain keeps taking; None if there are none.

    Parameters
    ----------
    lists : those of the chain.
    shares : (tail, head) shares of its draws with each arc.
    limits : rules bound to the columns.

    A full list gives up the candidates that were taken least.
    """
    if lists.candidates is None:
        return None
    found = []
    for child, own in enumerate(lists.candidates):
        column = shares[:, child].copy()
        column[[child, *limits.required[child]]] = 0.0
        new = [u for u in np.flatnonzero(column > _OFTEN).tolist() if u not in own]
        ranked = sorted((*own, *new), key=lambda u: -column[u])  # stable: older ones first
        found.append(tuple(sorted(ranked[: max(len(own), _MOST)])))
    changed = tuple(found)
    return None if changed == lists.candidates else changed


def _budget(score: Score) -> int:
    words = (len(score.nodes) + 63) // 64
    return min(_BYTES // (8 * words + 32), _CLOSED if score.lattice else _DEAR)


def _room(limits: Limits, child: int) -> int:
    """How many parents a variable may have beside the required ones."""
    p = len(limits.nodes)
    return (p if limits.max_parents is None else limits.max_parents) - len(limits.required[child])


def _ways(limits: Limits, child: int, size: int | None = None) -> int:
    """How many sets of at most `size` candidates there are, of all that the rules allow by default."""
    free = len(limits.candidates(child)) if size is None else size
    return sum(comb(free, j) for j in range(min(free, _room(limits, child)) + 1))


def _many(limits: Limits, child: int, budget: int) -> int:
    """How many candidates a variable gets: half of its part of the budget is for their own sets."""
    share = budget / (2 * len(limits.nodes))
    size = _MOST
    while size > _LEAST and _ways(limits, child, size) > share:
        size -= 1
    return min(size, len(limits.candidates(child)))


def _depth(limits: Limits, candidates: Candidates, budget: int) -> int:
    """Beside how many candidates one from outside is listed."""
    p = len(limits.nodes)
    left = budget - sum(_ways(limits, v, len(candidates[v])) for v in range(p))
    for depth in range(-1, p):
        for v in range(p):
            if depth + 1 < _room(limits, v):
                outside = len(limits.candidates(v)) - len(candidates[v])
                left -= outside * comb(len(candidates[v]), depth + 1)
        if left < 0:
            return depth
    return p


def _chosen(score: Score, limits: Limits, child: int, size: int) -> tuple[int, ...]:
    """Candidates, each the best addition to the required parents with up to two candidates before it."""
    required, free = limits.required[child], limits.candidates(child).tolist()
    best = np.full(len(score.nodes), -np.inf)
    found: list[int] = []
    bases: list[tuple[int, ...]] = [()]
    while len(found) < size:
        for base in bases:
            others = [u for u in free if u not in found]
            values = score.toggles(child, tuple(sorted((*required, *base))), others)
            best[others] = np.maximum(best[others], values)
        left = [u for u in free if u not in found]
        last = max(left, key=lambda u: best[u])
        bases = [(last,), *(tuple(sorted((last, u))) for u in found)]
        if _room(limits, child) < 2:
            bases = []
        elif _room(limits, child) < 3:
            bases = bases[:1]
        found.append(last)
    return tuple(sorted(found))


def _all_sets(limits: Limits, child: int) -> Iterator[tuple[int, ...]]:
    free = limits.candidates(child).tolist()
    for size in range(min(len(free), _room(limits, child)) + 1):
        yield from combinations(free, size)


def _some_sets(
    limits: Limits, child: int, candidates: Sequence[int], depth: int
) -> Iterator[tuple[int, ...]]:
    """All sets of candidates, and those of at most `depth` with one parent from outside."""
    room, outside = _room(limits, child), limits.candidates(child).tolist()
    outside = [u for u in outside if u not in candidates]
    for size in range(min(len(candidates), room) + 1):
        for base in combinations(candidates, size):
            yield base
            if size <= depth and size < room:
                for u in outside:
                    yield (*base, u)


def _scored(
    score: Score, child: int, sets: Iterator[tuple[int, ...]], limits: Limits
) -> tuple[Words, Array]:
    """The sets as bits, and their scores; those of -inf left out."""
    required = limits.required[child]
    members = [tuple(sorted((*required, *each))) for each in sets]
    values = [
        score.many(child, members[first : first + _PIECE])
        for first in range(0, len(members), _PIECE)
    ]
    logs = np.concatenate(values)
    bits = _bits(members, len(limits.nodes))
    kept = logs > -np.inf
    return bits[kept], logs[kept]


def _bits(members: list[tuple[int, ...]], p: int) -> Words:
    bits = np.zeros((len(members), max(1, (p + 63) // 64)), dtype=np.uint64)
    sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
    rows = np.repeat(np.arange(len(members)), sizes)
    columns = np.fromiter((x for each in members for x in each), dtype=np.int64, count=sizes.sum())
    flags = np.left_shift(np.uint64(1), (columns % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (rows, columns // 64), flags)
    return bits


def _checked(
    limits: Limits,
    found: list[tuple[Words, Array]],
    candidates: Candidates | None,
    depth: int,
) -> ParentLists:
    for name, (_, logs) in zip(limits.nodes, found, strict=True):
        if not len(logs):
            raise GraphError(f"No parents of {name!r} that the rules allow have a finite score.")
    sets, scores = zip(*found, strict=True)
    return ParentLists(tuple(sets), tuple(scores), candidates, depth)
