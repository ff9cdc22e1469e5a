"""Undirected graphs, their cliques, and spanning trees.

In a Markov network each variable is adjacent to its Markov boundary, the smallest set that makes it
independent of all others; a missing edge says that two variables are independent given the others. The graph
is stored as one ascending tuple of neighbour numbers per node and is immutable.

A clique here is a *maximal* set of nodes that are all adjacent: the density is a product of one potential
per clique, p(x) = (1/Z) prod_c g_c(x_c). A graph is *decomposable* (chordal) if every cycle of four or more
nodes has a shortcut; then the estimates have closed forms.

Sources: Lauritzen (1996), Graphical Models, chapters 2 and 3; cliques by Bron and Kerbosch (1973) with the
pivot of Tomita, Tanaka and Takahashi (2006), from each node in an order of degeneracy (Eppstein, Loeffler and
Strash 2010), good for large sparse graphs; decomposability by maximum cardinality search (Tarjan and
Yannakakis 1984), linear; spanning forests by Prim (1957).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs.nodes import (
    AnyGraph,
    Node,
    check_nodes,
    check_rows,
    names_in,
    node_names,
    transpose,
)
from arcwise.graphs.parser import edge


@dataclass(frozen=True, repr=False)
class UGraph(AnyGraph):
    """An undirected graph.

    Parameters
    ----------
    nodes : names of the nodes; a node's number is its place here.
    neighbours : for each node the numbers of its neighbours.

    Raises
    ------
    GraphError : names that are not unique text, numbers out of range, or an edge given at one end
        only.

    Examples
    --------
    >>> UGraph(("a", "b", "c"), ((1,), (0,), ()))
    <UGraph a:b + c>
    """

    neighbours: tuple[tuple[int, ...], ...]
    directed: ClassVar[Literal[False]] = False

    def __post_init__(self) -> None:
        """Check names, numbers and symmetry."""
        object.__setattr__(self, "nodes", check_nodes(self.nodes))
        rows = check_rows(self.nodes, self.neighbours, "neighbours")
        object.__setattr__(self, "neighbours", rows)
        check_symmetry(self.nodes, rows)

    @classmethod
    def complete(cls, nodes: Iterable[str]) -> Self:
        """Make the graph in which every pair is adjacent.

        Examples
        --------
        >>> UGraph.complete(["a", "b", "c"])
        <UGraph a:b + a:c + b:c>
        """
        names = check_nodes(nodes)
        every = tuple(range(len(names)))
        return cls.make_unchecked(names, tuple(every[:node] + every[node + 1 :] for node in every))

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[Node, Node] | str], nodes: Iterable[str] | None = None
    ) -> Self:
        """Make a graph from its edges.

        Parameters
        ----------
        edges : pairs of names or numbers, in either order, or texts such as "a -- b".
        nodes : all names; the sorted names of the edges by default.

        Raises
        ------
        GraphError : unknown names, or a node adjacent to itself.

        Examples
        --------
        >>> UGraph.from_edges([("b", "a"), ("b", "c")])
        <UGraph a:b + b:c>
        """
        pairs = [edge(form) for form in edges]
        graph = cls.empty(names_in(pairs) if nodes is None else nodes)
        rows: list[set[int]] = [set() for _ in graph.nodes]
        for left, right in pairs:
            one, two = graph.index(left), graph.index(right)
            rows[one].add(two)
            rows[two].add(one)
        return cls(graph.nodes, tuple(map(tuple, rows)))

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """Return for each node the variables that its local model depends on: its neighbours."""
        return self.neighbours

    @property
    def n_edges(self) -> int:
        """Return the number of edges."""
        return sum(map(len, self.neighbours)) // 2

    @property
    def numbered_edges(self) -> tuple[tuple[int, int], ...]:
        """Return the edges as pairs of numbers, smaller first, ascending."""
        rows = enumerate(self.neighbours)
        return tuple((one, two) for one, row in rows for two in row if one < two)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Return the edges as pairs of names, in the order of the numbers."""
        return tuple((self.nodes[one], self.nodes[two]) for one, two in self.numbered_edges)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The maximal cliques by names: largest sets of nodes that are all adjacent.

        Examples
        --------
        >>> UGraph.from_edges(["a:b", "b:c", "a:c", "c:d"]).cliques
        (('a', 'b', 'c'), ('c', 'd'))
        """
        return tuple(node_names(self, clique) for clique in numbered_cliques(self))

    def has_edge(self, one: Node, two: Node) -> bool:
        """Return whether two nodes are adjacent.

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
        return node_names(self, self.neighbours[self.index(node)])

    def blanket_of(self, node: Node) -> tuple[str, ...]:
        """Name the Markov blanket of a node: in an undirected graph, its neighbours.

        Examples
        --------
        >>> UGraph.from_edges([("a", "b"), ("b", "c")]).blanket_of("a")
        ('b',)
        """
        return self.neighbours_of(node)

    def with_edge(self, one: Node, two: Node) -> Self:
        """Return the graph with one more edge.

        Raises
        ------
        GraphError : the edge exists already, or its ends are equal.

        Examples
        --------
        >>> UGraph.empty(["a", "b"]).with_edge("a", "b")
        <UGraph a:b>
        """
        left, right = self.index(one), self.index(two)
        if left == right:
            raise GraphError(f"Node {self.nodes[left]!r} must not be adjacent to itself.")
        if right in self.neighbours[left]:
            raise GraphError(f"The edge {self._words(left, right)} is already in the graph.")
        rows = list(self.neighbours)
        rows[left] = tuple(sorted((*rows[left], right)))
        rows[right] = tuple(sorted((*rows[right], left)))
        return type(self).make_unchecked(self.nodes, tuple(rows))

    def without_edge(self, one: Node, two: Node) -> Self:
        """Return the graph without one of its edges.

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
        return type(self).make_unchecked(self.nodes, tuple(rows))

    def _words(self, one: int, two: int) -> str:
        """Return an edge as text, with names."""
        return f"{self.nodes[one]} - {self.nodes[two]}"

    def __hash__(self) -> int:
        """Hash the edges only: the graphs of one search share their nodes."""
        return hash(self.neighbours)

    def __str__(self) -> str:
        """Write the graph as a formula: its edges, and the nodes that have none."""
        alone = [name for name, row in zip(self.nodes, self.neighbours, strict=True) if not row]
        return " + ".join([":".join(edge) for edge in self.edges] + alone)

    def __repr__(self) -> str:
        """Show small graphs in full and large ones by their size."""
        return self._brief(f"{self.n_edges} edges")


def check_symmetry(nodes: tuple[str, ...], rows: tuple[tuple[int, ...], ...]) -> None:
    """Raise an error if an edge is given at one end only."""
    # Ascending rows make the transpose ascending too, so symmetry is plain equality.
    if transpose(rows) == rows:
        return
    arcs = {(node, other) for node, row in enumerate(rows) for other in row}
    one, two = min(arc for arc in arcs if arc[::-1] not in arcs)
    raise GraphError(
        f"Node {nodes[two]!r} is a neighbour of {nodes[one]!r} but not the reverse: give both, or use "
        "from_edges."
    )


def numbered_cliques(graph: UGraph) -> tuple[tuple[int, ...], ...]:
    """Return the maximal cliques as sorted tuples of numbers; there can be exponentially many.

    Examples
    --------
    >>> numbered_cliques(UGraph.from_edges([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]))
    ((0, 1, 2), (2, 3))
    """
    near = [set(row) for row in graph.neighbours]
    rank_of = {node: rank for rank, node in enumerate(_degeneracy(graph))}
    cliques: list[tuple[int, ...]] = []
    for node, rank in rank_of.items():
        later = {other for other in near[node] if rank_of[other] > rank}
        cliques.extend(_grow(near, node, later, near[node] - later))
    return tuple(sorted(cliques))


def decomposable(graph: UGraph) -> bool:
    """Return whether every cycle of four or more nodes has a shortcut.

    Examples
    --------
    >>> square = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> decomposable(square), decomposable(square.with_edge("a", "c"))
    (False, True)
    """
    order = cardinality_order(graph)
    rank_of = {node: rank for rank, node in enumerate(order)}
    for node in order:
        earlier = {other for other in graph.neighbours[node] if rank_of[other] < rank_of[node]}
        if earlier:
            last = max(earlier, key=rank_of.__getitem__)
            if not earlier - {last} <= set(graph.neighbours[last]):
                return False
    return True


def cardinality_order(graph: UGraph) -> tuple[int, ...]:
    """Return the nodes in the order of a maximum cardinality search: next the one with most visited
    neighbours.

    For a decomposable graph the earlier neighbours of each node are all adjacent.

    Examples
    --------
    >>> cardinality_order(UGraph.from_edges([("a", "b"), ("b", "c")]))
    (0, 1, 2)
    """
    score = [0] * len(graph.nodes)
    # Stacks by score; outdated entries remain and are skipped.
    stacks: list[list[int]] = [list(range(len(score)))[::-1]]
    order: list[int] = []
    visited = [False] * len(score)
    while stacks:
        if not stacks[-1]:
            stacks.pop()
            continue
        node = stacks[-1].pop()
        if visited[node] or score[node] != len(stacks) - 1:
            continue
        visited[node] = True
        order.append(node)
        for other in reversed(graph.neighbours[node]):
            if not visited[other]:
                score[other] += 1
                if score[other] == len(stacks):
                    stacks.append([])
                stacks[score[other]].append(other)
    return tuple(order)


def _degeneracy(graph: UGraph) -> list[int]:
    """Return an order in which each node has few later neighbours: repeatedly take one of smallest degree."""
    degree = [len(row) for row in graph.neighbours]
    stacks: list[list[int]] = [[] for _ in range(max(degree, default=0) + 1)]
    for node in reversed(range(len(degree))):
        stacks[degree[node]].append(node)
    order: list[int] = []
    level = 0
    while level < len(stacks):
        if not stacks[level]:
            level += 1
            continue
        node = stacks[level].pop()
        if degree[node] != level:
            continue
        degree[node] = -1
        order.append(node)
        for other in graph.neighbours[node]:
            if degree[other] > 0:
                degree[other] -= 1
                stacks[degree[other]].append(other)
        level = max(level - 1, 0)
    return order


def _grow(
    near: list[set[int]], node: int, later: set[int], earlier: set[int]
) -> Iterator[tuple[int, ...]]:
    """Extend one node to all maximal cliques among its later neighbours, without recursion."""
    todo: list[tuple[tuple[int, ...], set[int], set[int]]] = [((node,), later, earlier)]
    while todo:
        clique, open_, closed = todo.pop()
        if not open_ and not closed:
            yield tuple(sorted(clique))
            continue
        if not open_:
            continue
        pivot = max(open_ | closed, key=lambda other: len(near[other] & open_))
        for other in open_ - near[pivot]:
            todo.append(((*clique, other), open_ & near[other], closed & near[other]))
            open_ = open_ - {other}
            closed = closed | {other}


def spanning_forest(weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the edges of a spanning forest of largest weight.

    A tree grows by the heaviest edge between its nodes and the others; ties are resolved by the order of the
    nodes.

    Parameters
    ----------
    weights : symmetric; minus infinity if two nodes must not be adjacent. The diagonal is not read.

    Returns
    -------
    Pairs of nodes, the smaller number first, in ascending order.

    >>> spanning_forest(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]]))
    [(0, 1), (1, 2)]
    """
    size = len(weights)
    outside = np.ones(size, dtype=bool)
    best = np.full(size, -np.inf)
    link = np.full(size, -1)
    edges = []
    for _ in range(size):
        open_ones = np.flatnonzero(outside)
        node = int(open_ones[np.argmax(best[open_ones])])
        if best[node] > -np.inf:
            edges.append((min(node, int(link[node])), max(node, int(link[node]))))
        outside[node] = False
        nearer = outside & (weights[node] > best)
        best[nearer], link[nearer] = weights[node, nearer], node
    return sorted(edges)


def root_forest(
    size: int, edges: list[tuple[int, int]], roots: list[int]
) -> tuple[tuple[int, ...], ...]:
    """Direct the edges of a forest away from roots.

    Parameters
    ----------
    size : number of nodes.
    edges : pairs of nodes, without a cycle.
    roots : preferred roots; the first of each tree becomes its root, and other nodes follow in ascending
        order.

    Returns
    -------
    The parents of each node, one at most.

    >>> root_forest(4, [(0, 1), (1, 2)], [2])
    ((1,), (2,), (), ())
    """
    beside: list[list[int]] = [[] for _ in range(size)]
    for one, two in edges:
        beside[one].append(two)
        beside[two].append(one)
    parents: list[tuple[int, ...] | None] = [None] * size
    for root in [*roots, *range(size)]:
        if parents[root] is not None:
            continue
        parents[root] = ()
        stack = [root]
        while stack:
            node = stack.pop()
            for other in beside[node]:
                if parents[other] is None:
                    parents[other] = (node,)
                    stack.append(other)
                elif parents[node] != (other,) and parents[other] != (node,):
                    raise GraphError("The edges of a forest must have no cycle, got one.")
    return tuple(row or () for row in parents)
