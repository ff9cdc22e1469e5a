"""Directing the edges of an equivalence class, and its members.

Once an edge of a class is directed, by prior knowledge or for trial, others can run one way only:
the other way would make a new v-structure or a cycle. Meek's four rules find them all:

1. a -> b - c with a, c not joined gives b -> c;
2. a -> b -> c with a - c gives a -> c;
3. a - b with a - c -> b and a - d -> b, c and d not joined, gives a -> b;
4. a - b with a - c -> d -> b, a and d joined, c and b not joined, gives a -> b.

In a graph closed under them, each edge that is left runs both ways among the members. So members are
found one after the other without a dead end: direct an edge, apply the rules, go on.

Source: Meek (1995), "Causal inference and causal explanation with background knowledge".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.pdag import PDAG

__all__ = ["Members", "directed_by", "members", "some_members"]

Arc = tuple[int, int]


class _Partial:
    """A class some of whose edges are directed already; rows are replaced, never changed."""

    def __init__(
        self,
        parents: Iterable[frozenset[int]],
        children: Iterable[frozenset[int]],
        free: Iterable[frozenset[int]],
    ) -> None:
        self.parents, self.children, self.free = list(parents), list(children), list(free)

    @classmethod
    def of(cls, pdag: PDAG) -> "_Partial":
        """The state of a PDAG."""
        rows = (pdag.parents, pdag.children, pdag.neighbours)
        return cls(*(map(frozenset, each) for each in rows))

    def copy(self) -> "_Partial":
        """The same, to go another way from here."""
        return _Partial(self.parents, self.children, self.free)

    def joined(self, one: int, two: int) -> bool:
        """Whether two nodes are adjacent."""
        return two in self.free[one] or two in self.parents[one] or two in self.children[one]

    def direct(self, *arcs: Arc) -> "_Partial":
        """Direct edges, and all others that follow by Meek's rules."""
        waiting = list(arcs)
        while waiting:
            tail, head = waiting.pop()
            if head in self.children[tail]:
                continue
            if head not in self.free[tail]:
                raise GraphError(
                    f"The arc from node {tail} to node {head} contradicts the other directions."
                )
            self.free[tail] -= {head}
            self.free[head] -= {tail}
            self.children[tail] |= {head}
            self.parents[head] |= {tail}
            waiting.extend(self._following(tail, head))
        return self

    def _following(self, a: int, b: int) -> Iterator[Arc]:
        """Arcs that Meek's rules demand because of the new arc a -> b."""
        parents, children, free = self.parents, self.children, self.free
        yield from ((b, c) for c in free[b] if not self.joined(a, c))  # rule 1
        yield from ((a, c) for c in children[b] & free[a])  # rule 2, the first arc
        yield from ((c, b) for c in parents[a] & free[b])  # rule 2, the second arc
        for x in free[a] & free[b]:  # rule 3
            if any(x in free[d] and not self.joined(a, d) for d in parents[b] - {a}):
                yield x, b
        for c in children[b]:  # rule 4, with a -> b -> c
            if free[c] and not self.joined(a, c):
                yield from ((x, c) for x in free[c] & free[a] if self.joined(x, b))
        for c in parents[a]:  # rule 4, with c -> a -> b
            if free[c] and not self.joined(c, b):
                yield from ((x, b) for x in free[b] & free[c] if self.joined(x, a))

    def next_edge(self, at: Iterable[int]) -> Arc | None:
        """An edge at some nodes that has no direction yet."""
        return next(((node, min(self.free[node])) for node in at if self.free[node]), None)

    def completed(self, near: DAG) -> DAG:
        """Direct all that is left, as in a member where that can be."""
        for head, row in enumerate(near.parents):
            for tail in row:
                if tail in self.free[head]:
                    self.direct((tail, head))
        rows = tuple(tuple(sorted(row)) for row in self.parents)
        return near if rows == near.parents else DAG.unchecked(near.nodes, rows)

    def pdag(self, nodes: tuple[str, ...]) -> PDAG:
        """The state as a graph."""
        parents, free = (
            tuple(tuple(sorted(row)) for row in rows) for rows in (self.parents, self.free)
        )
        return PDAG.unchecked(nodes, parents, free)


def directed_by(pdag: PDAG, arcs: Iterable[Arc]) -> PDAG:
    """Direct edges of a class, and all others that follow by Meek's rules.

    Parameters
    ----------
    pdag : an equivalence class, such as `cpdag` makes.
    arcs : pairs (tail, head) of numbers, each an edge of the class.

    Raises
    ------
    GraphError : the directions contradict each other.

    Examples
    --------
    >>> chain = PDAG.from_edges(edges=[("a", "b"), ("b", "c"), ("c", "d")])
    >>> directed_by(chain, [(1, 2)])
    <PDAG b -> c, c -> d, a - b>
    """
    return _Partial.of(pdag).direct(*arcs).pdag(pdag.nodes)


def members(pdag: PDAG, near: DAG, at: Sequence[int] | None = None) -> Iterator[DAG]:
    """The members of a class, or one for each way in which the edges at some nodes can run.

    Parameters
    ----------
    pdag : a class closed under Meek's rules, as `cpdag` makes.
    near : one of its members: it comes first, and the others have its directions where they can.
    at : nodes; members that agree in all parents of these count once. None for all nodes.

    Examples
    --------
    >>> graph = DAG.from_arcs(["a -> b", "b -> c"])
    >>> chain = PDAG.from_edges(edges=[("a", "b"), ("b", "c")])
    >>> [str(each) for each in members(chain, graph)]
    ['[a][b|a][c|b]', '[b][a|b][c|b]', '[c][b|c][a|b]']
    >>> [str(each) for each in members(chain, graph, at=[0])]
    ['[a][b|a][c|b]', '[b][a|b][c|b]']
    """
    nodes = range(len(pdag.nodes)) if at is None else at
    waiting = [_Partial.of(pdag)]
    while waiting:
        state = waiting.pop()
        edge = state.next_edge(nodes)
        if edge is None:
            yield state.completed(near)
            continue
        as_near = edge if edge[0] in near.parents[edge[1]] else edge[::-1]
        waiting.append(state.copy().direct(as_near[::-1]))
        waiting.append(state.direct(as_near))


class Members(NamedTuple):
    """Some members of a class, and whether they are all that there are."""

    graphs: tuple[DAG, ...]
    complete: bool


def some_members(
    pdag: PDAG, near: DAG, at: Sequence[int], most: int, rng: np.random.Generator
) -> Members:
    """The members of a class that differ in the parents of some nodes, up to a number.

    Where there are more, some far apart: `near`, the one with all edges out of the nodes and the one
    with all into them, as far as these can be, and others by chance.

    Parameters
    ----------
    pdag, near, at : as for `members`.
    most : how many graphs are enough.
    rng : where chance comes from.
    """
    found = tuple(islice(members(pdag, near, at), most + 1))
    if len(found) <= most:
        return Members(found, True)
    chosen = {_parents(near, at): near}
    for choose in _choices(set(at), 3 * most, rng):
        if len(chosen) >= most:
            break
        graph = _descent(pdag, near, at, choose)
        chosen.setdefault(_parents(graph, at), graph)
    for graph in found:  # what chance met twice leaves room
        if len(chosen) >= most:
            break
        chosen.setdefault(_parents(graph, at), graph)
    return Members(tuple(chosen.values()), False)


def _parents(graph: DAG, at: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(graph.parents[node] for node in at)


def _choices(
    at: set[int], draws: int, rng: np.random.Generator
) -> Iterator[Callable[[Arc], Arc]]:
    """Ways to direct an edge (node, other): out of the nodes, into them, then by chance."""
    yield lambda edge: edge
    yield lambda edge: edge[::-1] if edge[1] not in at else edge
    for share in rng.random(draws).tolist():  # many parents and few alike

        def toss(edge: Arc, share: float = share) -> Arc:
            return edge[::-1] if rng.random() < share else edge

        yield toss


def _descent(pdag: PDAG, near: DAG, at: Sequence[int], choose: Callable[[Arc], Arc]) -> DAG:
    state = _Partial.of(pdag)
    while (edge := state.next_edge(at)) is not None:
        state.direct(choose(edge))
    return state.completed(near)
