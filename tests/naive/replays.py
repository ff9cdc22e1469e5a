"""Searches in plain words: every gain computed again at every step, nothing kept from one step to the next.

Each twin is handed a score and tells the steps it takes. Gains within `slack` of the best tie, and the order
of names decides: for single arcs by child, then additions by parent before drops and turns by parent.
"""

from collections import deque
from functools import cache

import numpy as np
from naive import moves
from naive.moves import ADD, FLIP
from naive.subsets import acyclic

KINDS = ("add", "drop", "flip")


def slack_of(score) -> float:
    return 1e-10 * max(1.0, score.rows)


class Plain:
    """A graph, all of whose legal moves are scored whenever somebody asks."""

    def __init__(self, score, parents=None) -> None:
        self.score, self.slack = score, slack_of(score)
        self.parents = [set(row) for row in parents or [()] * len(score.nodes)]
        self.steps: list[tuple[str, int, int]] = []

    @property
    def total(self) -> float:
        return sum(self.score.local(c, tuple(sorted(row))) for c, row in enumerate(self.parents))

    def all_moves(self):
        return [
            (moves.gain(self.score, self.parents, *move), *move)
            for move in moves.legal_moves(self.parents)
        ]

    def best(self, blocked=()):
        """The best move, (gain, kind, tail, head); of those that tie the first one."""
        open_moves = [m for m in self.all_moves() if {m[2], m[3]} not in blocked and m[0] > -np.inf]
        if not open_moves:
            return None
        tops = {}
        for gain, _, _, head in open_moves:
            tops[head] = max(gain, tops.get(head, -np.inf))
        top = max(tops.values())
        head = min(h for h, value in tops.items() if value >= top - self.slack)
        tied = [m for m in open_moves if m[3] == head and m[0] >= tops[head] - self.slack]
        return min(tied, key=lambda m: (m[1] != ADD, m[2], m[1]))

    def apply(self, move, prefix="") -> None:
        _, kind, tail, head = move
        self.parents = moves.changed(self.parents, kind, tail, head)
        self.steps.append((prefix + KINDS[kind], tail, head))

    def turned_if_better(self, move):
        """An addition, or its opposite where that gains the same and leaves more to be gained."""
        gain, kind, tail, head = move
        back = (ADD, head, tail)
        if kind != ADD or back not in set(moves.legal_moves(self.parents)):
            return move
        other = (moves.gain(self.score, self.parents, *back), *back)
        if abs(other[0] - gain) > self.slack:
            return move
        return other if self.left(other) > self.left(move) + self.slack else move

    def left(self, move) -> float:
        """What arcs between the two ends and each other variable can gain after a move."""
        _, _, tail, head = move
        after, found = moves.changed(self.parents, ADD, tail, head), 0.0
        for z in set(range(len(after))) - {tail, head}:
            pairs = ((z, head), (z, tail), (head, z), (tail, z))
            found += max(0.0, *(self.toggle_gain(after, a, b) for a, b in pairs))
        return found

    def toggle_gain(self, parents, tail: int, head: int) -> float:
        rows = [set(row) for row in parents]
        rows[head] ^= {tail}
        if not acyclic(rows):
            return -np.inf
        local = self.score.local
        return local(head, tuple(sorted(rows[head]))) - local(head, tuple(sorted(parents[head])))

    def ascend(self) -> None:
        while (move := self.best()) is not None and move[0] > self.slack:
            self.apply(self.turned_if_better(move))


def greedy(score):
    plain = Plain(score)
    plain.ascend()
    return plain.steps, plain.parents


def tabu(score, tabu_length: int, walk_length: int, walks: int):
    plain = Plain(score)
    plain.ascend()
    best, top, failures = plain.parents, plain.total, 0
    while failures < walks:
        failures += 1
        recent: deque[set[int]] = deque(maxlen=tabu_length)
        start = top
        for _ in range(walk_length):
            if (move := plain.best(recent)) is None:
                break
            plain.apply(move, "walk ")
            recent.append({move[2], move[3]})
            if plain.total > top + plain.slack:
                best, top = plain.parents, plain.total
        if top > start:
            plain.parents = best
        plain.ascend()
        if plain.total > top + plain.slack:
            best, top = plain.parents, plain.total
        failures = 0 if top > start else failures
    return plain.steps, best


def annealing(score, rng, steps: int, hot: float, cold: float):
    """The best graph met, climbed from; draws come in batches of 512."""
    plain = Plain(score)
    plain.ascend()
    p, best, top = len(score.nodes), plain.parents, plain.total
    for begin in range(0, steps, 512):
        share = np.arange(begin, min(begin + 512, steps)) / steps
        tails = rng.integers(p, size=len(share))
        heads = rng.integers(p - 1, size=len(share))
        heads += heads >= tails
        turns = rng.random(len(share)) < 0.5
        least = np.log(rng.random(len(share))) * hot * (cold / hot) ** share
        for tail, head, turn, bound in zip(tails, heads, turns, least, strict=True):
            kind = (FLIP if turn else moves.DROP) if tail in plain.parents[head] else ADD
            if (kind, tail, head) not in set(moves.legal_moves(plain.parents)):
                continue
            gain = moves.gain(score, plain.parents, kind, tail, head)
            if gain > bound:
                plain.apply((gain, kind, tail, head))
            if plain.total > top + plain.slack:
                best, top = plain.parents, plain.total
    plain.ascend()
    if top > plain.total + plain.slack:
        plain.parents = best
        plain.ascend()
    return plain.parents


def first_of_ties(values: dict, slack: float):
    """The key of the largest value; of those within the slack the smallest."""
    top = max(values.values(), default=-np.inf)
    tied = [key for key, value in values.items() if value >= top - slack]
    return (min(tied), top) if tied and top > -np.inf else (None, -np.inf)


def family(score, child: int, before, slack: float):
    """The parents grown among the variables before a child, and the score once they are shrunk."""
    local = lambda parents: score.local(child, tuple(sorted(parents)))  # noqa: E731
    parents: set[int] = set()
    grown: set[int] = set()
    for grow in (True, False):
        while True:
            pool = set(before) - parents if grow else parents
            x, value = first_of_ties({x: local(parents ^ {x}) for x in pool}, slack)
            if x is None or value <= local(parents) + slack:
                break
            parents = parents ^ {x}
        grown = parents if grow else grown
    return grown, local(parents)


class PlainOrders:
    """Orders of the variables, each family found anew wherever a variable stands."""

    def __init__(self, score) -> None:
        self.slack = slack_of(score)
        self.family = cache(lambda x, before: family(score, x, before, self.slack))

    def total(self, order) -> float:
        return sum(self.family(x, frozenset(order[:i]))[1] for i, x in enumerate(order))

    def likely(self, rest, x) -> list[int]:
        """The end, and the places just before variables that take x in where they can."""
        takes = [i for i, y in enumerate(rest) if x in self.family(y, frozenset({*rest[:i], x}))[0]]
        return [len(rest), *reversed(takes)]

    def best(self, order, x, everywhere: bool):
        rest = [y for y in order if y != x]
        best, top, most = order, self.total(order), np.inf
        for place in range(len(rest), -1, -1) if everywhere else self.likely(rest, x):
            tried, own = (
                [*rest[:place], x, *rest[place:]],
                self.family(x, frozenset(rest[:place]))[1],
            )
            value = self.total(tried)
            if not everywhere and most + value - own <= top + self.slack:
                continue
            most = own
            if value > top + self.slack:
                best, top = tried, value
        return best


def boss(score, order, turns):
    """Moves of one variable to its best place: first the likely ones, at the end all of them."""
    plain, moved, quiet, i = PlainOrders(score), [], 0, 0
    order = list(order)
    while quiet < 2 * len(turns):
        x, everywhere = turns[i % len(turns)], quiet >= len(turns)
        best = plain.best(order, x, everywhere)
        quiet, i = quiet + 1 if best == order else 1 + everywhere * len(turns), i + 1
        moved.extend([x] * (best != order))
        order = best
    return moved, order


def strengths(score, near) -> dict[tuple[int, int], float]:
    """What each edge is worth to the end that needs it more, in nats per row."""
    losses = {}
    for i, row in enumerate(near):
        own = score.local(i, tuple(sorted(row)))
        for j in row:
            loss = (own - score.local(i, tuple(sorted(row - {j})))) / score.rows
            least = 1e-10 * max(1.0, abs(own) / score.rows)
            losses[i, j] = 0.0 if abs(loss) <= least else loss
    return {(i, j): max(losses[i, j], losses[j, i]) for i, j in losses if i < j}


def removals(score, again: bool = True):
    """Pairs in the order in which edges go: all scored again after each (boundary), or once (deletion)."""
    p = len(score.nodes)
    near = [set(range(p)) - {i} for i in range(p)]
    left = strengths(score, near)
    while left:
        (i, j), _ = first_of_ties({pair: -value for pair, value in left.items()}, 1e-10)
        yield i, j
        near[i].discard(j)
        near[j].discard(i)
        left = strengths(score, near) if again else {k: v for k, v in left.items() if k != (i, j)}


def grown_pairs(score, penalty: float):
    """Pairs one end of which takes the other in by growing."""
    p, pairs = len(score.nodes), set()
    for node in range(p):
        chosen: set[int] = set()
        while True:
            own = score.local(node, tuple(sorted(chosen)))
            least = 1e-10 * max(score.rows, abs(own))
            others = set(range(p)) - chosen - {node}
            tried = {x: score.local(node, tuple(sorted(chosen | {x}))) for x in others}
            x, value = first_of_ties(tried, least)
            if x is None or not value > own + penalty * score.rows + least:
                break
            chosen.add(x)
        pairs |= {(min(node, x), max(node, x)) for x in chosen}
    return pairs


def expected_gain(known, child: int, x: int, base: set[int]) -> float:
    """The least gain of x beside any part of the base that is known with and without it; nan: none is."""
    told = [
        known[child][tuple(sorted({*members, x}))] - value
        for members, value in known[child].items()
        if x not in members and set(members) <= base - {x}
        if tuple(sorted({*members, x})) in known[child]
    ]
    return min(told, default=float("nan")) * (-1 if x in base else 1)
