"""Directed acyclic graphs (DAGs).

A DAG factorises a joint density, p(x) = prod_i p(x_i | parents of x_i). It is
stored as one ascending tuple of parent numbers per node: an immutable, hashable value
that stays small for sparse graphs of many thousand nodes. Methods that "change" a graph return a new one.

Source: Lauritzen (1996), Graphical Models, chapter 2; Koller and Friedman (2009), chapter 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Self

from arcwise.errors import GraphError
from arcwise.graphs.nodes import (
    AnyGraph,
    Node,
    check_nodes,
    check_rows,
    names_in,
    node_names,
    reach,
    topological,
    transpose,
)
from arcwise.graphs.parser import Arc, pair


@dataclass(frozen=True, repr=False)
class DAG(AnyGraph):
    """A directed acyclic graph.

    Parameters
    ----------
    nodes : names of the nodes; a node's number is its position in this tuple.
    parents : for each node the numbers of its parents.

    Raises
    ------
    GraphError : names that are not unique text, numbers out of range, or a cycle, which is shown.

    Examples
    --------
    >>> DAG(("fuel", "gauge"), ((), (0,)))
    <DAG [fuel][gauge|fuel]>
    """

    parents: tuple[tuple[int, ...], ...]
    directed: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        """Check names, numbers and acyclicity once; later code may rely on them."""
        object.__setattr__(self, "nodes", check_nodes(self.nodes))
        object.__setattr__(self, "parents", check_rows(self.nodes, self.parents, "parents"))
        if len(self._order) < len(self.nodes):
            raise _cyclic(self.nodes, _find_cycle(self.parents, self._order))

    @classmethod
    def complete(cls, nodes: Iterable[str], order: Iterable[Node] | None = None) -> Self:
        """Make the graph in which every node has all earlier ones of an order as parents.

        Parameters
        ----------
        nodes : names.
        order : every node once, names or numbers; the order of `nodes` by default.

        Raises
        ------
        GraphError : the order does not contain every node exactly once.

        Examples
        --------
        >>> DAG.complete(["a", "b", "c"], order=["c", "a", "b"])
        <DAG [c][a|c][b|a:c]>
        """
        graph = cls.empty(nodes)
        ranking = range(len(graph.nodes)) if order is None else [graph.index(n) for n in order]
        if sorted(ranking) != list(range(len(graph.nodes))):
            raise GraphError("An order must name every node exactly once.")
        rows: list[tuple[int, ...]] = [()] * len(graph.nodes)
        for rank, node in enumerate(ranking):
            rows[node] = tuple(sorted(ranking[:rank]))
        return cls.make_unchecked(graph.nodes, tuple(rows))

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], nodes: Iterable[str] | None = None) -> Self:
        """Make a graph from its arcs.

        Parameters
        ----------
        arcs : pairs (parent, child) of names or numbers, or texts "parent -> child".
        nodes : all names; the sorted names of the arcs by default.

        Raises
        ------
        GraphError : unknown names or a cycle.

        Examples
        --------
        >>> DAG.from_arcs([("a", "c"), "b -> c"])
        <DAG [a][b][c|a:b]>
        """
        pairs = [pair(arc) for arc in arcs]
        graph = cls.empty(names_in(pairs) if nodes is None else nodes)
        rows: list[set[int]] = [set() for _ in graph.nodes]
        for tail, head in pairs:
            rows[graph.index(head)].add(graph.index(tail))
        return cls(graph.nodes, tuple(map(tuple, rows)))

    @cached_property
    def _order(self) -> tuple[int, ...]:
        """Topological order; shorter than the nodes if there is a cycle."""
        return topological(self.parents, self.children)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, ascending numbers."""
        return transpose(self.parents)

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """Return for each node the variables that its local model depends on: its parents."""
        return self.parents

    @property
    def n_arcs(self) -> int:
        """Return the number of arcs."""
        return sum(map(len, self.parents))

    @property
    def numbered_arcs(self) -> tuple[tuple[int, int], ...]:
        """Return the arcs as pairs of numbers (parent, child), ascending."""
        return tuple((tail, head) for tail, row in enumerate(self.children) for head in row)

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Return the arcs as pairs of names (parent, child), in the order of the numbers."""
        return tuple((self.nodes[tail], self.nodes[head]) for tail, head in self.numbered_arcs)

    def order(self) -> tuple[int, ...]:
        """Return the numbers so that parents come before children, ties by number.

        Examples
        --------
        >>> DAG.from_arcs(["c -> a", "a -> b"]).order()
        (2, 0, 1)
        """
        return self._order

    @property
    def node_order(self) -> tuple[str, ...]:
        """All names, parents before their children; `order` gives the numbers.

        Examples
        --------
        >>> DAG.from_arcs(["c -> a", "a -> b"]).node_order
        ('c', 'a', 'b')
        """
        return node_names(self, self._order)

    def has_arc(self, tail: Node, head: Node) -> bool:
        """Return whether there is an arc from tail to head.

        Examples
        --------
        >>> DAG.from_arcs(["a -> b"]).has_arc("b", "a")
        False
        """
        return self.index(tail) in self.parents[self.index(head)]

    def parents_of(self, node: Node) -> tuple[str, ...]:
        """Name the parents of a node, in node order.

        Examples
        --------
        >>> DAG.from_arcs(["a -> c", "b -> c"]).parents_of("c")
        ('a', 'b')
        """
        return node_names(self, self.parents[self.index(node)])

    def children_of(self, node: Node) -> tuple[str, ...]:
        """Name the children of a node, in node order.

        Examples
        --------
        >>> DAG.from_arcs(["a -> c", "b -> c"]).children_of("a")
        ('c',)
        """
        return node_names(self, self.children[self.index(node)])

    def ancestors_of(self, node: Node) -> tuple[str, ...]:
        """Name all nodes from which a directed path leads to a node, itself excluded.

        Examples
        --------
        >>> DAG.from_arcs(["a -> b", "b -> c"]).ancestors_of("c")
        ('a', 'b')
        """
        number = self.index(node)
        return node_names(self, sorted(reach(self.parents, [number]) - {number}))

    def descendants_of(self, node: Node) -> tuple[str, ...]:
        """Name all nodes to which a directed path leads from a node, itself excluded.

        Examples
        --------
        >>> DAG.from_arcs(["a -> b", "b -> c"]).descendants_of("a")
        ('b', 'c')
        """
        number = self.index(node)
        return node_names(self, sorted(reach(self.children, [number]) - {number}))

    def blanket_of(self, node: Node) -> tuple[str, ...]:
        """Name the Markov blanket: parents, children and the children's other parents.

        Given its blanket a node is independent of all the rest (Pearl 1988).

        Examples
        --------
        >>> DAG.from_arcs(["a -> c", "b -> c", "c -> d"]).blanket_of("a")
        ('b', 'c')
        """
        number = self.index(node)
        family = set(self.parents[number]).union(self.children[number])
        mates = family.union(*(self.parents[child] for child in self.children[number]))
        return node_names(self, sorted(mates - {number}))

    def with_arc(self, tail: Node, head: Node) -> Self:
        """Return the graph with one more arc.

        Raises
        ------
        GraphError : the arc exists, or it would close a cycle, which is shown.

        Examples
        --------
        >>> DAG.empty(["a", "b"]).with_arc("a", "b")
        <DAG [a][b|a]>
        """
        start, end = self.index(tail), self.index(head)
        if start in self.parents[end]:
            raise GraphError(f"The arc {self._words(start, end)} is already in the graph.")
        way = _path(self.parents, end, start)
        if way:
            raise _cyclic(self.nodes, [start, *way])
        return self._with_row(end, tuple(sorted((*self.parents[end], start))))

    def without_arc(self, tail: Node, head: Node) -> Self:
        """Return the graph without one of its arcs.

        Raises
        ------
        GraphError : there is no such arc.

        Examples
        --------
        >>> DAG.from_arcs(["a -> b"]).without_arc("a", "b")
        <DAG [a][b]>
        """
        start, end = self.index(tail), self.index(head)
        if start not in self.parents[end]:
            raise GraphError(f"The arc {self._words(start, end)} is not in the graph.")
        return self._with_row(end, tuple(node for node in self.parents[end] if node != start))

    def reverse(self, tail: Node, head: Node) -> Self:
        """Return the graph with one arc reversed.

        Raises
        ------
        GraphError : there is no such arc, or its reversal would close a cycle, which is shown.

        Examples
        --------
        >>> DAG.from_arcs(["a -> b", "b -> c"]).reverse("b", "c")
        <DAG [a][c][b|a:c]>
        """
        return self.without_arc(tail, head).with_arc(head, tail)

    def _with_row(self, child: int, row: tuple[int, ...]) -> Self:
        """Replace the parents of one child, unchecked."""
        rows = (*self.parents[:child], row, *self.parents[child + 1 :])
        return type(self).make_unchecked(self.nodes, rows)

    def _words(self, tail: int, head: int) -> str:
        """Return an arc as text, with names."""
        return f"{self.nodes[tail]} -> {self.nodes[head]}"

    def __hash__(self) -> int:
        """Hash the arcs only: the graphs of one search share their nodes."""
        return hash(self.parents)

    def __str__(self) -> str:
        """Write the graph as bnlearn's model string, roots first."""
        return "".join(_term(self, node) for node in sorted_by_depth(self))

    def __repr__(self) -> str:
        """Show small graphs in full and large ones by their size."""
        return self._brief(f"{self.n_arcs} arcs")


def sorted_by_depth(dag: DAG) -> list[int]:
    """Order nodes by the longest path that leads to them, ties by number."""
    depth = [0] * len(dag.nodes)
    for node in dag.order():
        depth[node] = max((depth[parent] + 1 for parent in dag.parents[node]), default=0)
    return sorted(range(len(depth)), key=depth.__getitem__)


def _term(dag: DAG, node: int) -> str:
    """Write one node and its parents in a model string."""
    parents = ":".join(dag.parents_of(node))
    return f"[{dag.nodes[node]}|{parents}]" if parents else f"[{dag.nodes[node]}]"


def _cyclic(nodes: Sequence[str], cycle: Sequence[int]) -> GraphError:
    """Return the error that shows a cycle."""
    path = " -> ".join(nodes[node] for node in cycle)
    return GraphError(
        f"The arcs form a cycle: {path}; a DAG must have none: remove or reverse one arc."
    )


def _find_cycle(parents: Sequence[Sequence[int]], placed: Iterable[int]) -> list[int]:
    """Return a cycle, first node repeated at the end, among nodes that have no position in a topological
    order.
    """
    stuck = set(range(len(parents))).difference(placed)
    walk = [min(stuck)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(node for node in parents[walk[-1]] if node in stuck))
    return walk[walk.index(walk[-1]) :][::-1]


def _path(parents: Sequence[Sequence[int]], start: int, goal: int) -> list[int]:
    """Return the nodes of a directed path from start to goal, or nothing if there is none."""
    onward = {goal: goal}
    todo = [goal]
    while todo and start not in onward:
        node = todo.pop()
        fresh = [parent for parent in parents[node] if parent not in onward]
        onward.update(dict.fromkeys(fresh, node))
        todo.extend(fresh)
    if start not in onward:
        return []
    way = [start]
    while way[-1] != goal:
        way.append(onward[way[-1]])
    return way
