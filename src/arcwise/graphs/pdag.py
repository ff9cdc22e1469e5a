"""Partially directed acyclic graphs (PDAGs): arcs and undirected edges in one graph.

Different DAGs can say exactly the same about independence; such a class is drawn as one PDAG, in
which an arc has the same direction in every member (*compelled*) and an edge occurs in both
(*reversible*). `convert.cpdag` makes it from a DAG and `convert.extension` picks a member.

Source: Andersson, Madigan and Perlman (1997); Chickering (1995).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import AnyGraph, Arc, Node, check_nodes, named, names_in, pair
from arcwise.graphs.ugraph import UGraph


@dataclass(frozen=True, repr=False)
class PDAG(AnyGraph):
    """A graph with arcs and undirected edges, without a directed cycle.

    Parameters
    ----------
    nodes : names of the nodes; a node's number is its place here.
    parents : for each node the numbers of its parents.
    neighbours : for each node the numbers of those joined to it by an undirected edge.

    Raises
    ------
    GraphError : what DAG and UGraph refuse, or a pair that is joined in two ways.

    Examples
    --------
    >>> PDAG(("a", "b", "c"), ((), (0,), ()), ((), (2,), (1,)))
    <PDAG a -> b, b - c>
    """

    parents: tuple[tuple[int, ...], ...]
    neighbours: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        """Check each half as a graph of its own, then that they share no pair."""
        directed = DAG(self.nodes, self.parents)
        undirected = UGraph(directed.nodes, self.neighbours)
        object.__setattr__(self, "nodes", directed.nodes)
        object.__setattr__(self, "parents", directed.parents)
        object.__setattr__(self, "neighbours", undirected.neighbours)
        for head, row in enumerate(self.parents):
            both = set(row).intersection(self.neighbours[head])
            if both:
                ends = f"{self.nodes[min(both)]!r} and {self.nodes[head]!r}"
                raise GraphError(
                    f"{ends} are joined by an arc and by an edge; keep one of the two."
                )

    @classmethod
    def from_edges(
        cls,
        arcs: Iterable[Arc] = (),
        edges: Iterable[tuple[Node, Node]] = (),
        nodes: Iterable[str] | None = None,
    ) -> Self:
        """Make a graph from its arcs and its undirected edges.

        Parameters
        ----------
        arcs : pairs (parent, child) of names or numbers, or texts "parent -> child".
        edges : pairs joined without direction.
        nodes : all names; the sorted names of arcs and edges if left out.

        Raises
        ------
        GraphError : unknown names, a directed cycle, or a pair that is joined in two ways.

        Examples
        --------
        >>> PDAG.from_edges(arcs=["a -> b"], edges=[("b", "c")])
        <PDAG a -> b, b - c>
        """
        directed, undirected = [pair(arc) for arc in arcs], list(edges)
        names = names_in(directed + undirected) if nodes is None else check_nodes(nodes)
        parents = DAG.from_arcs(directed, names).parents
        return cls(names, parents, UGraph.from_edges(undirected, names).neighbours)

    @cached_property
    def directed(self) -> DAG:
        """The arcs alone, as a graph on all nodes."""
        return DAG.unchecked(self.nodes, self.parents)

    @cached_property
    def undirected(self) -> UGraph:
        """The undirected edges alone, as a graph on all nodes."""
        return UGraph.unchecked(self.nodes, self.neighbours)

    @property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node by arcs, ascending numbers."""
        return self.directed.children

    @property
    def n_arcs(self) -> int:
        """Number of arcs."""
        return self.directed.n_arcs

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.undirected.n_edges

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Arcs as pairs of names (parent, child), in the order of the numbers."""
        return self.directed.arcs

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Undirected edges as pairs of names, in the order of the numbers."""
        return self.undirected.edges

    def parents_of(self, node: Node) -> tuple[str, ...]:
        """Name the nodes with an arc to a node, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).parents_of("b")
        ('a',)
        """
        return named(self, self.parents[self.index(node)])

    def children_of(self, node: Node) -> tuple[str, ...]:
        """Name the nodes with an arc from a node, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).children_of("a")
        ('b',)
        """
        return named(self, self.children[self.index(node)])

    def neighbours_of(self, node: Node) -> tuple[str, ...]:
        """Name the nodes joined to a node by an undirected edge, in node order.

        Examples
        --------
        >>> PDAG.from_edges(["a -> b"], [("b", "c")]).neighbours_of("b")
        ('c',)
        """
        return named(self, self.neighbours[self.index(node)])

    def __hash__(self) -> int:
        """Hash arcs and edges only: graphs met in one search share their nodes."""
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
