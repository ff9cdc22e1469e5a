"""Parent sets of samplers over orders and partitions.

If they are few enough, all sets that the rules allow are listed. Otherwise each variable has a list of
candidate parents: all sets of candidates are included, and those of few candidates also with one more parent
from outside (Kuipers, Suter and Moffa 2022). Candidates are chosen greedily, each the best addition to some
pair of those before; a variable that the chain often uses from outside becomes a candidate
(`grow_candidates`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import ParentSets
from arcwise.errors import FitError, GraphError
from arcwise.graphs import Limits
from arcwise.scores import Score

__all__ = ["ParentLists", "grow_candidates", "parent_lists"]

Array = NDArray[np.float64]
Words = NDArray[np.uint64]
Candidates = tuple[tuple[int, ...], ...]

_BYTES = 1 << 28  # that lists may take
_CLOSED, _DEAR = 400_000, 20_000  # sets that are scored, in closed form and by fits
_MOST, _LEAST, _GROWN = 9, 5, 12  # candidates, where not all are: at first, and once grown
_DEPTH = 1  # most candidates beside which a parent from outside is listed
_PIECE = 1 << 12  # sets scored at a time
_WHOLE = 18  # candidates whose lattice is scored at once
_OFTEN = 0.02  # share of draws with an arc from outside that makes its tail a candidate


@dataclass(frozen=True, eq=False)
class ParentLists:
    """Parent sets of each variable, as bits, with their scores.

    Parameters
    ----------
    sets : for each variable (n, words).
    scores : for each variable (n,), none -inf.
    candidates : for each variable the parents of which all sets are included; None if these are all sets
        that the rules allow.
    extended : largest number of candidates combined with a parent from outside, -1 for none.
    """

    sets: tuple[Words, ...]
    scores: tuple[Array, ...]
    candidates: Candidates | None = None
    extended: int = -1

    def kernel(self, beta: float = 1.0) -> ParentSets:
        """Return lists for compiled chains, with log weights of `beta` times the scores."""
        return ParentSets(self.sets, [beta * row for row in self.scores])

    def __len__(self) -> int:
        return sum(map(len, self.scores))


def parent_lists(
    score: Score,
    limits: Limits,
    candidates: Candidates | None = None,
    before: ParentLists | None = None,
) -> ParentLists:
    """Return the parent sets of each variable.

    Parameters
    ----------
    score : the score of the sets.
    limits : rules bound to the score's columns.
    candidates : for each variable the candidate parents; by default all if the sets are few enough, else
        chosen by the score.
    before : lists of the same score and limits; a variable with the same candidates keeps its list.

    Raises
    ------
    GraphError : a variable has no set with a finite score.
    """
    p, budget = len(limits.nodes), _budget(score)
    if candidates is None and sum(_ways(limits, v) for v in range(p)) <= budget:
        every = [tuple(limits.candidates(v).tolist()) for v in range(p)]
        lists = [_list_sets(score, limits, v, every[v], -1) for v in range(p)]
        return _parent_lists(limits, lists, None, -1)
    if candidates is None:
        candidates = tuple(
            _choose_candidates(score, limits, v, _count_candidates(limits, v, budget))
            for v in range(p)
        )
    if len(candidates) != p:
        raise FitError(f"Candidate parents must be given for {p} variables, got {len(candidates)}.")
    depth = _depth(limits, candidates, budget)
    listed: dict[int, tuple[Words, Array]] = {}
    if before is not None and before.candidates is not None and before.extended == depth:
        same = [v for v in range(p) if before.candidates[v] == candidates[v]]
        listed = {v: (before.sets[v], before.scores[v]) for v in same}
    lists = [listed.get(v) or _list_sets(score, limits, v, candidates[v], depth) for v in range(p)]
    return _parent_lists(limits, lists, candidates, depth)


def grow_candidates(lists: ParentLists, shares: Array, limits: Limits) -> Candidates | None:
    """Return candidates with those that a chain often uses from outside; None if there are none.

    Parameters
    ----------
    lists : those of the chain.
    shares : (tail, head) shares of its draws with each arc.
    limits : rules bound to the columns.

    A full list drops the candidates that were used least.
    """
    if lists.candidates is None:
        return None
    grown = []
    for child, current in enumerate(lists.candidates):
        column = shares[:, child].copy()
        column[[child, *limits.required[child]]] = 0.0
        new = [u for u in np.flatnonzero(column > _OFTEN).tolist() if u not in current]
        ranked = sorted((*current, *new), key=lambda u: -column[u])  # stable: older ones first
        grown.append(tuple(sorted(ranked[: max(len(current), _GROWN)])))
    changed = tuple(grown)
    return None if changed == lists.candidates else changed


def _budget(score: Score) -> int:
    words = (len(score.nodes) + 63) // 64
    return min(_BYTES // (8 * words + 32), _CLOSED if score.lattice else _DEAR)


def _room(limits: Limits, child: int) -> int:
    """Return the number of parents that a variable may have besides the required ones."""
    p = len(limits.nodes)
    return (p if limits.max_parents is None else limits.max_parents) - len(limits.required[child])


def _ways(limits: Limits, child: int, size: int | None = None) -> int:
    """Return the number of sets of at most `size` candidates, by default of all that the rules allow."""
    free = len(limits.candidates(child)) if size is None else size
    return sum(comb(free, j) for j in range(min(free, _room(limits, child)) + 1))


def _count_candidates(limits: Limits, child: int, budget: int) -> int:
    """Return the number of candidates of a variable: half of its part of the budget is for their own sets."""
    share = budget / (2 * len(limits.nodes))
    size = _MOST
    while size > _LEAST and _ways(limits, child, size) > share:
        size -= 1
    return min(size, len(limits.candidates(child)))


def _depth(limits: Limits, candidates: Candidates, budget: int) -> int:
    """Return the largest number of candidates combined with a parent from outside."""
    p = len(limits.nodes)
    room_left = budget - sum(_ways(limits, v, len(candidates[v])) for v in range(p))
    for depth in range(-1, _DEPTH):
        for v in range(p):
            if depth + 1 < _room(limits, v):
                outside = len(limits.candidates(v)) - len(candidates[v])
                room_left -= outside * comb(len(candidates[v]), depth + 1)
        if room_left < 0:
            return depth
    return _DEPTH


def _choose_candidates(score: Score, limits: Limits, child: int, size: int) -> tuple[int, ...]:
    """Return candidates, each the best addition to the required parents with up to two candidates
    before it.
    """
    required, free = limits.required[child], limits.candidates(child).tolist()
    best = np.full(len(score.nodes), -np.inf)
    candidates: list[int] = []
    bases: list[tuple[int, ...]] = [()]
    while len(candidates) < size:
        for base in bases:
            others = [u for u in free if u not in candidates]
            values = score.toggles(child, tuple(sorted((*required, *base))), others)
            best[others] = np.maximum(best[others], values)
        others_left = [u for u in free if u not in candidates]
        last = max(others_left, key=lambda u: best[u])
        bases = [(last,), *(tuple(sorted((last, u))) for u in candidates)]
        if _room(limits, child) < 2:
            bases = []
        elif _room(limits, child) < 3:
            bases = bases[:1]
        candidates.append(last)
    return tuple(sorted(candidates))


def _list_sets(
    score: Score, limits: Limits, child: int, candidates: Sequence[int], depth: int
) -> tuple[Words, Array]:
    """Return all sets of candidates, and those of at most `depth` with one parent from outside, with scores.

    Sets that score -inf are omitted.
    """
    p, required, room = len(limits.nodes), limits.required[child], _room(limits, child)
    sizes = range(min(len(candidates), room) + 1)
    inner = [tuple(sorted((*required, *s))) for n in sizes for s in combinations(candidates, n)]
    bits, logs = [_bits(inner, p)], [_values(score, child, inner, candidates, required)]
    bases = [s for s in inner if len(s) - len(required) <= min(depth, room - 1)]
    outside = sorted(set(limits.candidates(child).tolist()).difference(candidates))
    if bases and outside:
        for first in range(0, len(bases), _PIECE):
            part = bases[first : first + _PIECE]
            toggled = np.zeros((len(part), p), dtype=bool)
            toggled[:, outside] = True
            rows = score.sweep((child,) * len(part), part, toggled)[1]
            logs.append(rows[:, outside].ravel())
            flags = _bits([(u,) for u in outside], p)
            bits.append((_bits(part, p)[:, None] | flags[None]).reshape(-1, flags.shape[1]))
    values, sets = np.concatenate(logs), np.concatenate(bits)
    finite = values > -np.inf
    return sets[finite], values[finite]


def _values(
    score: Score,
    child: int,
    sets: list[tuple[int, ...]],
    candidates: Sequence[int],
    required: tuple[int, ...],
) -> Array:
    """Return scores of sets of candidates: from the whole lattice if that is cheap."""
    if score.lattice and len(candidates) <= _WHOLE and 1 << len(candidates) <= 8 * len(sets):
        table = score.subsets(child, candidates, required)
        flags = [1 << i for i in range(len(candidates))]
        most = max(map(len, sets)) - len(required)  # sets come by size, each size in order
        return table[
            [sum(chosen_flags) for n in range(most + 1) for chosen_flags in combinations(flags, n)]
        ]
    parts = [sets[first : first + _PIECE] for first in range(0, len(sets), _PIECE)]
    return np.concatenate([score.many(child, part) for part in parts])


def _bits(members: list[tuple[int, ...]], p: int) -> Words:
    bits = np.zeros((len(members), max(1, (p + 63) // 64)), dtype=np.uint64)
    sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
    rows = np.repeat(np.arange(len(members)), sizes)
    columns = np.fromiter(
        (x for members_of_set in members for x in members_of_set), dtype=np.int64, count=sizes.sum()
    )
    flags = np.left_shift(np.uint64(1), (columns % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (rows, columns // 64), flags)
    return bits


def _parent_lists(
    limits: Limits,
    lists: list[tuple[Words, Array]],
    candidates: Candidates | None,
    depth: int,
) -> ParentLists:
    for name, (_, logs) in zip(limits.nodes, lists, strict=True):
        if not len(logs):
            raise GraphError(f"No parents of {name!r} that the rules allow have a finite score.")
    sets, scores = zip(*lists, strict=True)
    return ParentLists(tuple(sets), tuple(scores), candidates, depth)
