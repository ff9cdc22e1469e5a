"""Partially directed acyclic graphs (PDAGs): arcs and undirected edges in one graph.

Different DAGs can imply the same independences; one PDAG represents such a class, in
which an arc has the same direction in every member (*compelled*) and an edge occurs in both
(*reversible*). `independence.cpdag` makes it from a DAG and `independence.extension` picks a member.

Once an edge of a class is directed, by prior knowledge or tentatively, others have only one possible
direction: the other way would make a new v-structure or a cycle. Meek's four rules find all of them:

1. a -> b - c with a, c not adjacent gives b -> c;
2. a -> b -> c with a - c gives a -> c;
3. a - b with a - c -> b and a - d -> b, c and d not adjacent, gives a -> b;
4. a - b with a - c -> d -> b, a and d adjacent, c and b not adjacent, gives a -> b.

In a graph closed under these rules, each remaining edge has both directions among the members. So `members`
are enumerated without a dead end: direct an edge, apply the rules, continue.

Sources: Andersson, Madigan and Perlman (1997); Chickering (1995); Meek (1995), "Causal inference and causal
explanation with background knowledge".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import AnyGraph, Node, check_nodes, names_in, node_names
from arcwise.graphs.parser import Arc, edge, pair
from arcwise.graphs.ugraph import UGraph

NumberedArc: TypeAlias = tuple[int, int]
Choose: TypeAlias = Callable[[NumberedArc], NumberedArc]


@dataclass(frozen=True, repr=False)
class PDAG(AnyGraph):
    """A graph with arcs and undirected edges, without a directed cycle.

    Parameters
    ----------
    nodes : names of the nodes; a node's number is its position in this tuple.
    parents : for each node the numbers of its parents.
    neighbours : for each node the numbers of its neighbours by an undirected edge.

    Raises
    ------
    GraphError : what DAG and UGraph reject, or a pair with both an arc and an edge.

    Examples
    --------
    >>> PDAG(("a", "b", "c"), ((), (0,), ()), ((), (2,), (1,)))
    <PDAG a -> b, b - c>
    """

    parents: tuple[tuple[int, ...], ...]
    neighbours: tuple[tuple[int, ...], ...]
    directed: ClassVar[None] = None

    def __post_init__(self) -> None:
        """Check arcs and edges separately, then that they share no pair."""
        directed = DAG(self.nodes, self.parents)
        undirected = UGraph(directed.nodes, self.neighbours)
        object.__setattr__(self, "nodes", directed.nodes)
        object.__setattr__(self, "parents", directed.parents)
        object.__setattr__(self, "neighbours", undirected.neighbours)
        for head, row in enumerate(self.parents):
            both = set(row).intersection(self.neighbours[head])
            if both:
                ends = f"{self.nodes[min(both)]!r} and {self.nodes[head]!r}"
                raise GraphError(f"{ends} have both an arc and an edge: keep one of the two.")

    @classmethod
    def from_edges(
        cls,
        arcs: Iterable[Arc] = (),
        edges: Iterable[Arc] = (),
        nodes: Iterable[str] | None = None,
    ) -> Self:
        """Make a graph from its arcs and its undirected edges.

        Parameters
        ----------
        arcs : pairs (parent, child) of names or numbers, or texts "parent -> child".
        edges : undirected pairs, or texts "one -- other".
        nodes : all names; the sorted names of arcs and edges by default.

        Raises
        ------
        GraphError : unknown names, a directed cycle, or a pair with both an arc and an edge.

        Examples
        --------
        >>> PDAG.from_edges(arcs=["a -> b"], edges=[("b", "c")])
        <PDAG a -> b, b - c>
        """
        directed, undirected = [pair(arc) for arc in arcs], [edge(edge_text) for edge_text in edges]
        names = names_in(directed + undirected) if nodes is None else check_nodes(nodes)
        parents = DAG.from_arcs(directed, names).parents
        return cls(names, parents, UGraph.from_edges(undirected, names).neighbours)

    @cached_property
    def directed_part(self) -> DAG:
        """The arcs alone, as a graph on all nodes."""
        return DAG.make_unchecked(self.nodes, self.parents)

    @cached_property
    def undirected_part(self) -> UGraph:
        """The undirected edges alone, as a graph on all nodes."""
        return UGraph.make_unchecked(self.nodes, self.neighbours)

    @property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node by arcs, ascending numbers."""
        return self.directed_part.children

    def order(self) -> tuple[int, ...]:
        """Return the numbers so that parents come before children, ties by number."""
        return self.directed_part.order()

    @property
    def n_arcs(self) -> int:
        """Return the number of arcs."""
        return self.directed_part.n_arcs

    @property
    def n_edges(self) -> int:
        """Return the number of undirected edges."""
        return self.undirected_part.n_edges

    @property
    def numbered_arcs(self) -> tuple[NumberedArc, ...]:
        """Return the arcs as pairs of numbers (parent, child), ascending."""
        return self.directed_part.numbered_arcs

    @property
    def numbered_edges(self) -> tuple[tuple[int, int], ...]:
        """Undirected edges as pairs of numbers, smaller first, ascending."""
        return self.undirected_part.numbered_edges

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Return the arcs as pairs of names (parent, child), in the order of the numbers."""
        return self.directed_part.arcs

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Undirected edges as pairs of names, in the order of the numbers."""
        return self.undirected_part.edges

    def parents_of(self, node: Node) -> tuple[str, ...]:
        """Name the nodes with an arc to a node, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).parents_of("b")
        ('a',)
        """
        return node_names(self, self.parents[self.index(node)])

    def children_of(self, node: Node) -> tuple[str, ...]:
        """Name the nodes with an arc from a node, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).children_of("a")
        ('b',)
        """
        return node_names(self, self.children[self.index(node)])

    def neighbours_of(self, node: Node) -> tuple[str, ...]:
        """Return the names of the nodes with an undirected edge to a node, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).neighbours_of("b")
        ('c',)
        """
        return node_names(self, self.neighbours[self.index(node)])

    def __hash__(self) -> int:
        """Hash arcs and edges only: the graphs of one search share their nodes."""
        return hash((self.parents, self.neighbours))

    def __str__(self) -> str:
        """Write arcs, edges and the nodes that have neither."""
        ends = {name for pairs in (self.arcs, self.edges) for ends in pairs for name in ends}
        parts = [f"{tail} -> {head}" for tail, head in self.arcs]
        parts += [f"{one} - {two}" for one, two in self.edges]
        return ", ".join(parts + [name for name in self.nodes if name not in ends])

    def __repr__(self) -> str:
        """Show small graphs in full and large ones by their size."""
        return self._brief(f"{self.n_arcs} arcs, {self.n_edges} edges")


Graph: TypeAlias = DAG | UGraph | PDAG


class _Partial:
    """A class some of whose edges are directed already.

    Copies share rows until one of them writes; `own` are the nodes whose rows this copy does not share.
    """

    def __init__(
        self, parents: list[set[int]], children: list[set[int]], free: list[set[int]]
    ) -> None:
        self.parents, self.children, self.free = parents, children, free
        self.own: set[int] = set()

    @classmethod
    def of(cls, pdag: PDAG) -> "_Partial":
        """Return the state of a PDAG."""
        rows = (pdag.parents, pdag.children, pdag.neighbours)
        return cls(*(list(map(set, row)) for row in rows))

    def copy(self) -> "_Partial":
        """Return a copy, to try other directions from here."""
        self.own = set()
        return _Partial(self.parents.copy(), self.children.copy(), self.free.copy())

    def _touch(self, node: int) -> None:
        """Copy the rows of a node before they are changed."""
        if node not in self.own:
            self.own.add(node)
            for rows in (self.parents, self.children, self.free):
                rows[node] = rows[node].copy()

    def is_adjacent(self, one: int, two: int) -> bool:
        """Return whether two nodes are adjacent."""
        return two in self.free[one] or two in self.parents[one] or two in self.children[one]

    def direct(self, *arcs: NumberedArc) -> "_Partial":
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
            self._touch(tail)
            self._touch(head)
            self.free[tail].remove(head)
            self.free[head].remove(tail)
            self.children[tail].add(head)
            self.parents[head].add(tail)
            waiting += self._implied_arcs(tail, head)
        return self

    def _implied_arcs(self, a: int, b: int) -> Iterator[NumberedArc]:
        """Return the arcs that Meek's rules imply for the new arc a -> b."""
        parents, children, free = self.parents, self.children, self.free
        yield from ((b, c) for c in free[b] if not self.is_adjacent(a, c))  # rule 1
        yield from ((a, c) for c in children[b] & free[a])  # rule 2, the first arc
        yield from ((c, b) for c in parents[a] & free[b])  # rule 2, the second arc
        for x in free[a] & free[b]:  # rule 3
            if any(x in free[d] and not self.is_adjacent(a, d) for d in parents[b] - {a}):
                yield x, b
        for c in children[b]:  # rule 4, with a -> b -> c
            if free[c] and not self.is_adjacent(a, c):
                yield from ((x, c) for x in free[c] & free[a] if self.is_adjacent(x, b))
        for c in parents[a]:  # rule 4, with c -> a -> b
            if free[c] and not self.is_adjacent(c, b):
                yield from ((x, b) for x in free[b] & free[c] if self.is_adjacent(x, a))

    def complete(self, near: DAG) -> DAG:
        """Direct all remaining edges, as in a given member if possible."""
        for head, row in enumerate(near.parents):
            for tail in row:
                if tail in self.free[head]:
                    self.direct((tail, head))
        rows = tuple(tuple(sorted(row)) for row in self.parents)
        return near if rows == near.parents else DAG.make_unchecked(near.nodes, rows)

    def pdag(self, nodes: tuple[str, ...]) -> PDAG:
        """Return the state as a graph."""
        parents, free = (
            tuple(tuple(sorted(row)) for row in rows) for rows in (self.parents, self.free)
        )
        return PDAG.make_unchecked(nodes, parents, free)


def directed_by(pdag: PDAG, arcs: Iterable[NumberedArc]) -> PDAG:
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
    """Return the members of a class, or one for each way to direct the edges at some nodes.

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
    edges = _edges_at(pdag, range(len(pdag.nodes)) if at is None else at)
    turn: tuple[NumberedArc, ...] = ()
    waiting = [(_Partial.of(pdag), 0, turn)]
    while waiting:
        state, index, turn = waiting.pop()
        state.direct(*turn)
        while index < len(edges) and edges[index][1] not in state.free[edges[index][0]]:
            index += 1
        if index == len(edges):
            yield state.complete(near)
            continue
        edge = edges[index]
        as_near = edge if edge[0] in near.parents[edge[1]] else edge[::-1]
        waiting.append((state.copy(), index + 1, (as_near[::-1],)))
        waiting.append((state, index + 1, (as_near,)))


def _edges_at(pdag: PDAG, nodes: Iterable[int]) -> list[NumberedArc]:
    return [(node, other) for node in nodes for other in pdag.neighbours[node]]


class Members(NamedTuple):
    """Some members of a class, and whether the class has no others."""

    graphs: tuple[DAG, ...]
    complete: bool


def some_members(
    pdag: PDAG, near: DAG, at: Sequence[int], most: int, rng: np.random.Generator
) -> Members:
    """Return the members of a class that differ in the parents of some nodes, up to a number.

    If there are more, a diverse selection: `near`, the members with as many edges as possible out of the
    nodes and into them, and random ones.

    Parameters
    ----------
    pdag, near, at : as for `members`.
    most : the largest number of graphs.
    rng : random generator.
    """
    graphs = tuple(islice(members(pdag, near, at), most + 1))
    if len(graphs) <= most:
        return Members(graphs, True)
    sample = {_parents(near, at): near}
    for choose in _choices(set(at), 3 * most, rng):
        if len(sample) >= most:
            break
        graph = _descent(pdag, near, at, choose)
        sample.setdefault(_parents(graph, at), graph)
    for graph in graphs:  # what chance met twice leaves room
        if len(sample) >= most:
            break
        sample.setdefault(_parents(graph, at), graph)
    return Members(tuple(sample.values()), False)


def _parents(graph: DAG, at: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(graph.parents[node] for node in at)


def _choices(
    at: set[int], draws: int, rng: np.random.Generator
) -> Iterator[Callable[[NumberedArc], NumberedArc]]:
    """Yield ways to direct an edge (node, other): out of the nodes, into them, then at random."""
    yield lambda edge: edge
    yield lambda edge: edge[::-1] if edge[1] not in at else edge
    for share in rng.random(draws).tolist():  # many parents and few alike

        def toss(edge: NumberedArc, share: float = share) -> NumberedArc:
            return edge[::-1] if rng.random() < share else edge

        yield toss


def _descent(pdag: PDAG, near: DAG, at: Sequence[int], choose: Choose) -> DAG:
    state = _Partial.of(pdag)
    for node, other in _edges_at(pdag, at):
        if other in state.free[node]:
            state.direct(choose((node, other)))
    return state.complete(near)
