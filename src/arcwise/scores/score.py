"""Score: the interface between data and search.

A decomposable score is a sum over children of local scores s(child, parents); higher is better, in
natural logarithms, a total over rows. It is a pure function of child and parent set. A new score
implements only `many`; the other methods have defaults, overridden if a sweep is cheaper.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.local_scores import Batches, NativeScores, Work
from arcwise.errors import FitError
from arcwise.graphs import DAG, Move

__all__ = [
    "ALL",
    "Array",
    "BatchedScore",
    "CachedScore",
    "InterruptibleScore",
    "Mask",
    "Numbers",
    "ParentSets",
    "Parents",
    "Score",
    "Sum",
    "Sweep",
    "delta",
    "members",
    "toggle",
    "total",
]  # fmt: skip

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = Sequence[int]
Parents = tuple[int, ...]
ParentSets = Sequence[Parents]
Sweep = tuple[Array, Array]

ALL = 1 << 30
"""No bound on the number of parents."""

_BATCH = 0.1  # seconds that local fits may take between two questions to the watcher,
_SHARED = 5  # and so many times that where threads share them out, so that few have to wait


class Score(ABC):
    """Local scores of parent sets; `nodes` are the columns' names, `rows` the sum of weights.

    `equivalent` is whether equivalent graphs have equal scores, which equivalence search needs; `lattice`
    whether `sweep` and `subsets` are far cheaper than single sets, which allows larger exact searches;
    `interacting` whether two parents may be informative only together, as in tables. `threads` is the number
    of sets scored in parallel, `work` their cost if there is a lattice. Minus `log_units` it is the score of
    the columns in their units. A parent set without a local model scores -inf.
    """

    nodes: tuple[str, ...]
    rows: float
    equivalent: bool = False
    lattice: bool = False
    interacting: bool = False
    threads: int = 1
    log_units: float = 0.0
    work: Work = Work()

    @abstractmethod
    def many(self, child: int, sets: ParentSets) -> Array:
        """Return local scores of `child` for several parent sets (sorted tuples of column numbers)."""

    def local(self, child: int, parents: Parents) -> float:
        """Return the local score of `child` given `parents`."""
        return float(self.many(child, (parents,))[0])

    def toggles(self, child: int, parents: Parents, among: Numbers | None = None) -> Array:
        """Return local scores with each variable added to `parents`, or removed if it is one of them.

        One entry for each column, or for each of `among`; the child's own entry is -inf.
        """
        p = len(self.nodes)
        if self.lattice and (among is None or 4 * len(among) >= p):  # else it is quicker one by one
            row: Array = self.sweep((child,), (parents,))[1][0]
            return row if among is None else row[np.asarray(among, dtype=np.intp)]
        others = range(p) if among is None else among
        others_tried = [x for x in others if x != child]
        out = np.full(len(others), -np.inf)
        out[[i for i, x in enumerate(others) if x != child]] = self.many(
            child, [toggle(parents, x) for x in others_tried]
        )
        return out

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return local scores (m,) of m children with their bases, and of all toggles (m, p), in one call.

        `among` (m, p) marks the required toggles, such as those that rules allow: no other set is fitted,
        and the other entries are -inf.
        """
        p = len(self.nodes)
        base_scores, toggled = np.empty(len(children)), np.full((len(children), p), -np.inf)
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            columns = range(p) if among is None else np.flatnonzero(among[row]).tolist()
            others = [x for x in columns if x != child]
            values = self.many(child, [base, *(toggle(base, x) for x in others)])
            base_scores[row], toggled[row, others] = values[0], values[1:]
        return base_scores, toggled

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return local scores of `always` with every subset of `others`, indexed by bit mask.

        Sets of more than `most` parents score -inf.
        """
        sizes = np.array([mask.bit_count() for mask in range(1 << len(others))])
        masks = np.flatnonzero(sizes + len(always) <= most)
        sets = [members(int(mask), others, always) for mask in masks]
        out = np.full(len(sizes), -np.inf)
        out[masks] = self.many(child, sets)
        return out

    def by_number(self) -> Array | None:
        """Return scores with 0, 1, ..., p parents if only their number matters; else None."""
        return None

    def compiled(self, extra: Array | None = None) -> NativeScores | None:
        """Return these local scores for compiled searches, which then need no call for each set.

        `extra` (p + 1,) is added by the number of parents. None without a closed form.
        """
        return None

    def interruptible(self, check: Callable[[], None]) -> "Score":
        """Return a score that calls `check` between small batches of local fits if these are slow.

        An exception from `check` ends the work; cached local scores are kept.
        """
        return self if self.lattice else InterruptibleScore(self, check)


def toggle(parents: Parents, x: int) -> Parents:
    """Return the parents with one added, or removed if present."""
    return tuple(sorted(set(parents) ^ {x}))


def members(mask: int, candidates: Numbers, always: Parents) -> Parents:
    """Return the parents of a bit mask: `always`, and the candidates whose bits are set."""
    included = [c for i, c in enumerate(candidates) if mask >> i & 1]
    return tuple(sorted([*included, *always]))


def total(score: Score, graph: DAG) -> float:
    """Return the score of a whole graph: the sum of its local scores.

    The graph's nodes must be the score's, in the same order.
    """
    if graph.nodes != score.nodes:
        raise FitError(
            f"The graph and the data must have the same variables: {', '.join(graph.nodes[:5])}, "
            f"... and {', '.join(score.nodes[:5])}, ..."
        )
    return float(sum(score.local(child, graph.parents[child]) for child in range(len(graph.nodes))))


def delta(score: Score, graph: DAG, move: Move) -> float:
    """Return the change of the total if one arc is added, dropped or flipped, from local differences."""
    changed = [move.head] if move.kind != "flip" else [move.head, move.tail]
    gain = 0.0
    for child in changed:
        other = move.tail if child == move.head else move.head
        before = graph.parents[child]
        gain += score.local(child, toggle(before, other)) - score.local(child, before)
    return gain


class Sum(Score):
    """The sum of several scores, such as a likelihood and a prior over graphs."""

    def __init__(self, parts: Sequence[Score]) -> None:
        self.parts = tuple(parts)
        self.nodes, self.rows = self.parts[0].nodes, self.parts[0].rows
        self.equivalent = all(part.equivalent for part in self.parts)
        self.lattice = all(part.lattice for part in self.parts)
        self.interacting = any(part.interacting for part in self.parts)
        self.work = max(part.work for part in self.parts)

    def interruptible(self, check: Callable[[], None]) -> Score:
        """Return the sum of the parts, each interruptible."""
        return Sum([part.interruptible(check) for part in self.parts])

    def compiled(self, extra: Array | None = None) -> NativeScores | None:
        """Return the compiled form of the one part with data, plus the others by the number of parents."""
        by_size = [part.by_number() for part in self.parts]
        data = [part for part, added in zip(self.parts, by_size, strict=True) if added is None]
        additions = [added for added in (extra, *by_size) if added is not None]
        return (
            data[0].compiled(np.sum(additions, axis=0) if additions else None)
            if len(data) == 1
            else None
        )

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return the sum of the parts' local scores."""
        out: Array = np.sum([part.many(child, sets) for part in self.parts], axis=0)
        return out

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return the sum of the parts' sweeps."""
        base_scores, rows = zip(
            *(part.sweep(children, bases, among) for part in self.parts), strict=True
        )
        return np.sum(base_scores, axis=0), np.sum(rows, axis=0)

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return the sum of the parts' subsets."""
        parts_scores = [part.subsets(child, others, always, most) for part in self.parts]
        out: Array = np.sum(parts_scores, axis=0)
        return out


class BatchedScore(Score):
    """A score that a compiled object computes in batches."""

    lattice = True
    interacting = True

    def __init__(
        self, nodes: tuple[str, ...], rows: float, batches: Batches, *, equivalent: bool
    ) -> None:
        self.nodes, self.rows, self.equivalent, self.batches = nodes, rows, equivalent, batches
        self.work = batches.work

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return scores of several parent sets."""
        return self.batches.many(child, sets)

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return scores of bases and toggles, with one compiled call for each child."""
        p = len(self.nodes)
        base_scores, toggled = np.empty(len(children)), np.full((len(children), p), -np.inf)
        everything = np.arange(p)
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            columns = everything if among is None else np.flatnonzero(among[row])
            scores = self.batches.toggles(child, base, columns)  # type: ignore[arg-type]
            base_scores[row], toggled[row, columns] = scores[0], scores[1:]
        return base_scores, toggled

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return scores of all subsets in one compiled call."""
        scores = self.batches.subsets(child, others, always, most)
        return np.nan_to_num(scores, copy=False, nan=-np.inf, neginf=-np.inf, posinf=np.inf)

    def compiled(self, extra: Array | None = None) -> NativeScores:
        """Return the compiled object itself."""
        return self.batches if extra is None else self.batches.with_charges(extra)


class CachedScore(Score):
    """A cache of all local scores, for scores that are slow to compute.

    Sweeps and lattices of scores in closed form bypass the cache.
    """

    def __init__(self, score: Score) -> None:
        self.score = score
        self.nodes, self.rows, self.threads = score.nodes, score.rows, score.threads
        self.equivalent, self.lattice = score.equivalent, score.lattice
        self.interacting = score.interacting
        self.work = score.work
        self.known: dict[tuple[int, tuple[int, ...]], float] = {}

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return local scores; only those that are not cached are computed."""
        missing = [s for s in dict.fromkeys(sets) if (child, s) not in self.known]
        if missing:
            for s, value in zip(missing, self.score.many(child, missing), strict=True):
                self.known[child, s] = float(value)
        return np.array([self.known[child, s] for s in sets])

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return the score's sweep in closed form, else from the cache."""
        if self.lattice:
            return self.score.sweep(children, bases, among)
        return super().sweep(children, bases, among)

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return the score's subsets in closed form, else from the cache."""
        if self.lattice:
            return self.score.subsets(child, others, always, most)
        return super().subsets(child, others, always, most)

    def by_number(self) -> Array | None:
        """Return the score's values by the number of parents."""
        return self.score.by_number()

    def compiled(self, extra: Array | None = None) -> NativeScores | None:
        """Return the score's closed form."""
        return self.score.compiled(extra)

    def interruptible(self, check: Callable[[], None]) -> Score:
        """Return a score with the same cache; `check` is called before new local scores are computed."""
        cached = CachedScore(self.score.interruptible(check))
        cached.known = self.known
        return cached


class InterruptibleScore(Score):
    """A slow score in small batches: `check` is called before each of them.

    A batch has the sets that take a tenth of a second (with threads half a second), by the time of the last
    one, and at least one per thread. Scores do not depend on it.
    """

    def __init__(self, score: Score, check: Callable[[], None]) -> None:
        self.score, self.check = score, check
        self.nodes, self.rows, self.equivalent = score.nodes, score.rows, score.equivalent
        self.threads = self._size = score.threads
        self._seconds = _BATCH * (_SHARED if score.threads > 1 else 1)

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return local scores, batch by batch."""
        pieces, start = [np.zeros(0)], 0
        while start < len(sets):
            self.check()
            began, batch = time.perf_counter(), sets[start : start + self._size]
            pieces.append(self.score.many(child, batch))
            start += len(batch)
            pace = (time.perf_counter() - began) / len(batch)
            self._size = max(
                self.threads, min(2 * self._size, int(self._seconds / max(pace, 1e-9)))
            )
        return np.concatenate(pieces)
