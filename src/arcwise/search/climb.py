"""Climb: the state of greedy search, tabu search and annealing.

`Climb` holds a DAG with the gain of toggling every arc, and the best legal change of one arc.
After a move only the changed children are scored again (one `Score.sweep` call) and only the heads
whose best move could have changed are checked again, so a step costs about O(p).

If an expensive score is interrupted (`Score.interruptible`), the climb keeps its graph and has no
moves left, so every walk on it ends.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import graph_moves as kernel
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits, Move
from arcwise.results import SearchEnd
from arcwise.scores import Score

__all__ = ["Climb", "Gain", "Peak", "least_gain"]

KINDS = ("add", "drop", "flip")
_BLOCK = 1 << 22  # gains computed at a time when a graph is entered: 32 MB


class Gain(NamedTuple):
    """A legal change of one arc and its effect on the total score."""

    gain: float
    kind: int
    tail: int
    head: int

    @property
    def what(self) -> str:
        """The name of the move."""
        return KINDS[self.kind]


def least_gain(score: Score) -> float:
    """Return the largest difference that counts as rounding: 1e-10 nats per row."""
    return 1e-10 * max(1.0, score.rows)


class Climb:
    """A DAG with the gains of all its neighbours; moves change it in place.

    The total is minus infinity if the score was interrupted before it was computed.
    """

    def __init__(self, score: Score, start: DAG, limits: Limits) -> None:
        p = len(score.nodes)
        words = (p + 63) // 64
        self.score, self.limits, self.p = score, limits, p
        self._slack = least_gain(score)
        self.parents: list[tuple[int, ...]] = [()] * p
        self.local, self.gains = np.zeros(p), np.zeros((p, p))
        self._parents = np.zeros((p, words), dtype=np.uint64)
        self._children = np.zeros((p, words), dtype=np.uint64)
        self._below = np.zeros((p, words), dtype=np.uint64)
        self._blocked = np.zeros((p, words), dtype=np.uint64)
        self._kept = np.zeros((p, words), dtype=np.uint64)
        for child, row in enumerate(limits.required):
            _set_bits(self._kept, child, row)
        self._best = np.full(p, -np.inf)
        self._kind = np.full(p, -1, dtype=np.int64)
        self._tail = np.full(p, -1, dtype=np.int64)
        self._stale = np.ones(p, dtype=bool)
        self.arcs = 0
        self._enter(start, range(p))

    @property
    def total(self) -> float:
        """The score of the graph."""
        return float(self.local.sum())

    def graph(self) -> DAG:
        """Return the graph as an immutable value."""
        return DAG.make_unchecked(self.score.nodes, tuple(self.parents))

    def after(self, move: Gain) -> DAG:
        """Return the graph that a legal move leads to."""
        kind = cast(Literal["add", "drop", "flip"], move.what)
        return Move(kind, move.tail, move.head).apply(self.graph(), check=False)

    def go_to(self, graph: DAG) -> None:
        """Change to another graph; only children with other parents are scored again."""
        changed = [c for c in range(self.p) if graph.parents[c] != self.parents[c]]
        self._enter(graph, changed)

    def _enter(self, graph: DAG, changed: Iterable[int]) -> None:
        self.parents = list(graph.parents)
        self.arcs = graph.n_arcs
        self._parents[:], self._children[:], self._below[:] = 0, 0, 0
        for child, row in enumerate(graph.parents):
            _set_bits(self._parents, child, row)
        for node in reversed(graph.order()):
            for child in graph.children[node]:
                self._below[node] |= self._below[child]
            _set_bits(self._below, node, graph.children[node])
            _set_bits(self._children, node, graph.children[node])
        pending = list(changed)
        self.local[pending] = -np.inf
        height = max(1, _BLOCK // max(self.p, 1))
        for start in range(0, len(pending), height):
            self._score(pending[start : start + height])
        self._stale[:] = True

    def _score(self, children: list[int]) -> bool:
        """Score children again, with all their toggles; return False if interrupted: no
        moves are left.
        """
        try:
            base_scores, toggled = self._sweep(children, [self.parents[c] for c in children])
        except SearchEnd:
            self._give_up()
            return False
        values = base_scores.tolist()
        if -np.inf in values:
            raise self._no_model(children[values.index(-np.inf)])
        toggled -= base_scores[:, None]
        for row, child in enumerate(children):
            self.local[child], self.gains[child] = values[row], toggled[row]
        return True

    def _sweep(
        self, children: list[int], bases: list[tuple[int, ...]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return local scores of children with their bases, and of all toggles that the rules allow."""
        if self.limits.free:
            return self.score.sweep(children, bases)
        among = [self.candidates(*pair) for pair in zip(children, bases, strict=True)]
        return self.score.sweep(children, bases, np.array(among))

    def _no_model(self, child: int) -> FitError:
        name, *parents = (self.score.nodes[x] for x in (child, *self.parents[child]))
        return FitError(
            f"There is no local model of {name!r} given {', '.join(parents) or 'nothing'}: start from "
            "another graph, or use another model."
        )

    def _give_up(self) -> None:
        self.gains[:] = -np.inf
        self._stale[:] = True

    def candidates(self, child: int, base: tuple[int, ...]) -> NDArray[np.bool_]:
        """Mark the variables that the rules allow to become parents of a child, or to cease being one."""
        mask, parents = self.limits.allowed_mask(child), list(base)
        if self.limits.max_parents is not None and len(parents) >= self.limits.max_parents:
            inside = mask[parents]
            mask[:] = False
            mask[parents] = inside
        mask[list(self.limits.required[child])] = False
        return mask

    def permits(self, move: Gain) -> bool:
        """Return whether the graph after a move meets the condition on whole graphs, if there is one."""
        return self.limits.condition is None or self.limits.condition(self.after(move))

    def best(self) -> Gain | None:
        """Return the legal move with the largest gain, even if that is negative; None if there is none."""
        move = self._first()
        if self.limits.condition is None or move is None or self.permits(move):
            return move
        return next((m for m in self.above(-np.inf) if not self._is_blocked(m)), None)

    def choose_direction(self, move: Gain) -> Gain:
        """Return the move, or the opposite arc if it has the same gain but more remaining gain.

        Equivalent graphs have equal scores, but the next steps depend on the choice. The remaining gain has
        one term for each other variable: the best legal change of an arc between it and one of the two
        ends. If local scores are expensive, the order of names decides.
        """
        if move.kind != kernel.ADD or not self.score.lattice:
            return move
        other = self.legal(kernel.ADD, move.head, move.tail)
        if other is None or abs(other.gain - move.gain) > self._slack or not self.permits(other):
            return move
        return other if self._gain_left(other) > self._gain_left(move) + self._slack else move

    def _gain_left(self, move: Gain) -> float:
        """Return the remaining gain of changes at the two ends after adding tail -> head."""
        _, _, tail, head = move
        base_score, toggled = self._sweep([head], [tuple(sorted((*self.parents[head], tail)))])
        under = _members(self._below[head], self.p)
        above = self._above(tail)
        into_head, into_tail = toggled[0] - base_score[0], self.gains[tail].copy()
        from_head, from_tail = self.gains[:, head].copy(), self.gains[:, tail].copy()
        into_head[under] = into_tail[under] = -np.inf
        into_tail[_members(self._below[tail], self.p)] = -np.inf
        from_head[above] = from_tail[above] = -np.inf
        from_head[self._above(head)] = -np.inf
        best = np.maximum.reduce([into_head, into_tail, from_head, from_tail])
        best[[tail, head]] = 0.0
        return float(np.maximum(best, 0.0).sum())

    def _above(self, node: int) -> NDArray[np.bool_]:
        """Mark the ancestors of a node."""
        return (self._below[:, node >> 6] >> np.uint64(node & 63) & np.uint64(1)).astype(bool)

    def _first(self) -> Gain | None:
        """Return the best move by the rules on single arcs."""
        if self._stale.any():
            self._scan(np.flatnonzero(self._stale))
            self._stale[:] = False
        top = self._best.max(initial=-np.inf)
        if top == -np.inf:
            return None
        head = int((self._best >= top - self._slack).argmax())  # the first of those that tie
        kind, tail = int(self._kind[head]), int(self._tail[head])
        return Gain(float(self._best[head]), kind, tail, head)

    def _scan(self, heads: NDArray[np.intp]) -> None:
        kernel.scan(
            self.gains,
            self._parents,
            self._children,
            self._below,
            self._blocked,
            self._kept,
            self._slack,
            heads.astype(np.int64, copy=False),
            self._best,
            self._kind,
            self._tail,
        )

    def apply(self, move: Gain) -> None:
        """Make one legal move."""
        _, kind, tail, head = move
        gains = (float(self.gains[head, tail]), float(self.gains[tail, head]))
        if kind != kernel.ADD:
            self._unlink(tail, head)
        if kind == kernel.ADD:
            self._link(tail, head)
        elif kind == kernel.FLIP:
            self._link(head, tail)
        changed = [head] if kind != kernel.FLIP else [head, tail]
        if not self._score(changed):
            for child, gain in zip(changed, gains, strict=False):
                self.local[child] += gain
        for child in changed:  # turning an arc out of `child` weighs its gains, too
            self._stale[child] = True
            self._stale[_members(self._children[child], self.p)] = True

    def _link(self, tail: int, head: int) -> None:
        self.parents[head] = tuple(sorted((*self.parents[head], tail)))
        _set_bits(self._parents, head, (tail,))
        _set_bits(self._children, tail, (head,))
        kernel.link(self._below, tail, head)
        self._stale[kernel.stale_after_link(self._below, tail, head, self._kind, self._tail)] = True
        self.arcs += 1

    def _unlink(self, tail: int, head: int) -> None:
        self._stale[kernel.stale_after_unlink(self._below, tail, head)] = True
        self.parents[head] = tuple(x for x in self.parents[head] if x != tail)
        _take(self._parents, head, tail)
        _take(self._children, tail, head)
        kernel.unlink(self._below, self._children, tail)
        self.arcs -= 1

    def legal(self, kind: int, tail: int, head: int) -> Gain | None:
        """Return one move with its gain, or None if it is not legal."""
        gain = float(self.gains[head, tail])
        if kind == kernel.ADD:
            fine = tail not in self.parents[head] and kernel.legal_add(self._below, tail, head)
        else:
            fine = tail in self.parents[head] and tail not in self.limits.required[head]
        if kind == kernel.FLIP and fine:
            gain += float(self.gains[tail, head])
            fine = kernel.legal_flip(self._children, self._below, tail, head)
        return Gain(gain, kind, tail, head) if fine and gain > -np.inf else None

    def above(self, least: float) -> Iterator[Gain]:
        """Return all legal moves whose gain is larger than `least`, best first; ties in the order of
        `best`.
        """
        moves = sorted(
            (g for g in self._moves_above(least) if g.gain > least), key=lambda g: -g.gain
        )
        apart = [b.gain < a.gain - self._slack for a, b in pairwise(moves)]
        ranks = dict(zip(moves, accumulate(apart, initial=0), strict=False))
        order = sorted(
            moves, key=lambda g: (ranks[g], g.head, g.kind != kernel.ADD, g.tail, g.kind)
        )
        return filter(self.permits, order)

    def _moves_above(self, least: float) -> Iterator[Gain]:
        for head, tail in np.argwhere(self.gains > least).tolist():
            if move := self.legal(kernel.ADD, tail, head):
                yield move
        for head, row in enumerate(self.parents):
            for tail in row:
                for kind in (kernel.DROP, kernel.FLIP):
                    if move := self.legal(kind, tail, head):
                        yield move

    def random_move(self, rng: np.random.Generator) -> Gain | None:
        """Return a move of a uniformly drawn pair; None if the draw is not legal."""
        tail, head = rng.integers(self.p), rng.integers(self.p - 1)
        return self.move_of(int(tail), int(head + (head >= tail)), rng.random() < 0.5)

    def move_of(self, tail: int, head: int, turn: bool) -> Gain | None:
        """Return the addition of tail -> head, or its removal (or reversal) if present; None if that is
        not legal.
        """
        if tail in self.parents[head]:
            move = self.legal(kernel.FLIP if turn else kernel.DROP, tail, head)
        else:
            move = None if head in self.parents[tail] else self.legal(kernel.ADD, tail, head)
        return move if move is not None and self.permits(move) else None

    def shake(self, rng: np.random.Generator, moves: int) -> None:
        """Make some random legal moves (giving up after many draws if few are legal)."""
        count = 0
        for _ in range(200 * moves if self.p > 1 else 0):
            move = self.random_move(rng)
            if move is not None:
                self.apply(move)
                count += 1
            if count == moves:
                return

    def block(self, tail: int, head: int) -> None:
        """Exclude the pair from `best` until it is unblocked."""
        _set_bits(self._blocked, head, (tail,))
        _set_bits(self._blocked, tail, (head,))
        self._stale[[tail, head]] = True

    def _is_blocked(self, move: Gain) -> bool:
        return bool(int(self._blocked[move.head, move.tail >> 6]) >> (move.tail & 63) & 1)

    def unblock(self, tail: int, head: int) -> None:
        """Include the pair in `best` again."""
        _take(self._blocked, head, tail)
        _take(self._blocked, tail, head)
        self._stale[[tail, head]] = True


class Peak:
    """The best graph of a climb so far, and its score; differences up to `least_gain` are ignored."""

    def __init__(self, climb: Climb) -> None:
        self.climb, self.least = climb, least_gain(climb.score)
        self.graph, self.score = climb.graph(), climb.total

    def see(self) -> bool:
        """Record the present graph if it is the best so far; return whether it is."""
        score = self.climb.total
        if not score > self.score + self.least:
            return False
        self.graph, self.score = self.climb.graph(), score
        return True


def _set_bits(sets: NDArray[np.uint64], which: int, members: Iterable[int]) -> None:
    for member in members:
        sets[which, member >> 6] |= np.uint64(1 << (member & 63))


def _take(sets: NDArray[np.uint64], which: int, member: int) -> None:
    sets[which, member >> 6] &= ~np.uint64(1 << (member & 63))


def _members(row: NDArray[np.uint64], p: int) -> NDArray[np.intp]:
    bits = np.unpackbits(row.view(np.uint8), bitorder="little", count=p)
    return np.flatnonzero(bits)
