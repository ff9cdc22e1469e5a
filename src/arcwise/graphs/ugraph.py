"""Undirected graphs.

In a Markov network each variable is joined to its Markov boundary, the smallest set that makes it
independent of all the rest; a missing edge says that two variables are independent given the
others. The graph is stored as one ascending tuple of neighbour numbers per node and never
changes.

Source: Lauritzen (1996), Graphical Models, chapters 2 and 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from arcwise.errors import GraphError
from arcwise.graphs.nodes import AnyGraph, Node, check_nodes, check_rows, edge, named, names_in
from arcwise.graphs.walks import transpose


@dataclass(frozen=True, repr=False)
class UGraph(AnyGraph):
    """An undirected graph.

    Parameters
    ----------
    nodes : names of the nodes; a node's number is its place here.
    neighbours : for each node the numbers of its neighbours.

    Raises
    ------
    GraphError : names that are not unique text, numbers out of range, or an edge told at one end
        only.

    Examples
    --------
    >>> UGraph(("a", "b", "c"), ((1,), (0,), ()))
    <UGraph a:b + c>
    """

    neighbours: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        """Check names, numbers and symmetry."""
        object.__setattr__(self, "nodes", check_nodes(self.nodes))
        rows = check_rows(self.nodes, self.neighbours, "neighbours")
        object.__setattr__(self, "neighbours", rows)
        check_symmetry(self.nodes, rows)

    @classmethod
    def complete(cls, nodes: Iterable[str]) -> Self:
        """Make the graph that joins every pair.

        Examples
        --------
        >>> UGraph.complete(["a", "b", "c"])
        <UGraph a:b + a:c + b:c>
        """
        names = check_nodes(nodes)
        every = tuple(range(len(names)))
        return cls.unchecked(names, tuple(every[:node] + every[node + 1 :] for node in every))

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[Node, Node] | str], nodes: Iterable[str] | None = None
    ) -> Self:
        """Make a graph from its edges.

        Parameters
        ----------
        edges : pairs of names or numbers, in either order, or texts such as "a -- b".
        nodes : all names; the sorted names of the edges if left out.

        Raises
        ------
        GraphError : unknown names, or a node joined to itself.

        Examples
        --------
        >>> UGraph.from_edges([("b", "a"), ("b", "c")])
        <UGraph a:b + b:c>
        """
        pairs = [edge(each) for each in edges]
        graph = cls.empty(names_in(pairs) if nodes is None else nodes)
        rows: list[set[int]] = [set() for _ in graph.nodes]
        for left, right in pairs:
            one, two = graph.index(left), graph.index(right)
            rows[one].add(two)
            rows[two].add(one)
        return cls(graph.nodes, tuple(map(tuple, rows)))

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.neighbours)) // 2

    @property
    def numbered_edges(self) -> tuple[tuple[int, int], ...]:
        """Edges as pairs of numbers, smaller first, ascending."""
        rows = enumerate(self.neighbours)
        return tuple((one, two) for one, row in rows for two in row if one < two)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Edges as pairs of names, in the order of the numbers."""
        return tuple((self.nodes[one], self.nodes[two]) for one, two in self.numbered_edges)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The maximal cliques by names: largest sets of nodes that are all joined.

        Examples
        --------
        >>> UGraph.from_edges(["a:b", "b:c", "a:c", "c:d"]).cliques
        (('a', 'b', 'c'), ('c', 'd'))
        """
        from arcwise.graphs.cliques import maximal_cliques

        return tuple(tuple(self.nodes[i] for i in clique) for clique in maximal_cliques(self))

    def has_edge(self, one: Node, two: Node) -> bool:
        """Tell whether two nodes are joined.

        Examples
        --------
        >>> UGraph.from_edges([("a", "b")]).has_edge("b", "a")
        True
        """
        return self.index(two) in self.neighbours[self.index(one)]

    def neighbours_of(self, node: Node) -> tuple[str, ...]:
        """Name the neighbours of a node, in node order.

        Examples
        --------
        >>> UGraph.from_edges([("a", "b"), ("b", "c")]).neighbours_of("b")
        ('a', 'c')
        """
        return named(self, self.neighbours[self.index(node)])

    def boundary_of(self, node: Node) -> tuple[str, ...]:
        """Name the Markov boundary of a node: in an undirected graph, its neighbours.

        Examples
        --------
        >>> UGraph.from_edges([("a", "b"), ("b", "c")]).boundary_of("a")
        ('b',)
        """
        return self.neighbours_of(node)

    def with_edge(self, one: Node, two: Node) -> Self:
        """Return the graph with one edge more.

        Raises
        ------
        GraphError : the edge is there already, or joins a node to itself.

        Examples
        --------
        >>> UGraph.empty(["a", "b"]).with_edge("a", "b")
        <UGraph a:b>
        """
        left, right = self.index(one), self.index(two)
        if left == right:
            raise GraphError(f"Node {self.nodes[left]!r} cannot be joined to itself.")
        if right in self.neighbours[left]:
            raise GraphError(f"The edge {self._words(left, right)} is in the graph already.")
        rows = list(self.neighbours)
        rows[left] = tuple(sorted((*rows[left], right)))
        rows[right] = tuple(sorted((*rows[right], left)))
        return type(self).unchecked(self.nodes, tuple(rows))

    def without_edge(self, one: Node, two: Node) -> Self:
        """Return the graph with one edge less.

        Raises
        ------
        GraphError : there is no such edge.

        Examples
        --------
        >>> UGraph.from_edges([("a", "b")]).without_edge("b", "a")
        <UGraph a + b>
        """
        left, right = self.index(one), self.index(two)
        if right not in self.neighbours[left]:
            raise GraphError(f"The edge {self._words(left, right)} is not in the graph.")
        rows = list(self.neighbours)
        rows[left] = tuple(node for node in rows[left] if node != right)
        rows[right] = tuple(node for node in rows[right] if node != left)
        return type(self).unchecked(self.nodes, tuple(rows))

    def _words(self, one: int, two: int) -> str:
        """Write an edge by names."""
        return f"{self.nodes[one]} - {self.nodes[two]}"

    def __hash__(self) -> int:
        """Hash the edges only: graphs met in one search share their nodes."""
        return hash(self.neighbours)

    def __str__(self) -> str:
        """Write the graph as a formula: its edges, and the nodes that have none."""
        alone = [name for name, row in zip(self.nodes, self.neighbours, strict=True) if not row]
        return " + ".join([":".join(edge) for edge in self.edges] + alone)

    def __repr__(self) -> str:
        """Show small graphs in full and large ones by their size."""
        return self._brief(f"{self.n_edges} edges")


def check_symmetry(nodes: tuple[str, ...], rows: tuple[tuple[int, ...], ...]) -> None:
    """Refuse neighbours that are told at one end only."""
    # Ascending rows make the transpose ascending too, so symmetry is plain equality.
    if transpose(rows) == rows:
        return
    arcs = {(node, other) for node, row in enumerate(rows) for other in row}
    one, two = min(arc for arc in arcs if arc[::-1] not in arcs)
    raise GraphError(
        f"Node {nodes[two]!r} is a neighbour of {nodes[one]!r} but not the other way round; "
        "give both, or use from_edges."
    )
