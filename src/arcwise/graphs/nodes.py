"""Nodes of a graph: names at the interface, numbers inside, and rows of numbers.

A node is a name (any non-empty text) in the tuple `nodes` of a graph; its position there is the
node's number. Internal code works with numbers, and every public function also takes names. This file
checks names, turns names into numbers and suggests close matches for unknown names.

`rows[i]` are the nodes that one step leads to from node i (or from which one comes): parents, children
or neighbours. `reach`, `transpose` and `topological` take time linear in nodes and arcs, up to a logarithm.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from heapq import heapify, heappop, heappush
from operator import index as as_int
from typing import ClassVar, Self, TypeAlias

from arcwise.errors import GraphError, close_to
from arcwise.values import are_texts, as_tuple
from arcwise.view import picture

Node: TypeAlias = str | int
Nodes: TypeAlias = Node | Iterable[Node]
Rows: TypeAlias = tuple[tuple[int, ...], ...]

# Larger graphs are shown by their size only.
_SHOWN = 30


def check_nodes(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; reject names that are empty, repeated or not text."""
    if isinstance(nodes, str):
        raise GraphError(
            f"Nodes must be a list of names, got one text: {nodes!r}; write [{nodes!r}]."
        )
    names = tuple(nodes)
    for name in names:
        if not isinstance(name, str) or not name:
            raise GraphError(f"A node name must be non-empty text, got {name!r}.")
    if len(set(names)) != len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise GraphError(f"Node {twice!r} occurs twice, but node names must be unique.")
    return names


def find_node(name: str, nodes: Iterable[str], numbers: Mapping[str, int]) -> int:
    """Return the number of a node given by name."""
    if name in numbers:
        return numbers[name]
    raise unknown_node(name, nodes)


def _checked_number(node: object, nodes: Sequence[str]) -> int:
    """Return the number of a node given by number."""
    try:
        number = as_int(node)  # type: ignore[arg-type]
    except TypeError:
        raise GraphError(
            f"A node must be a name or a number, got {node!r} ({type(node).__name__})."
        ) from None
    if not 0 <= number < len(nodes):
        raise GraphError(f"There is no node number {number}: the graph has {len(nodes)} nodes.")
    return number


def unknown_node(name: str, nodes: Iterable[str]) -> GraphError:
    """Return the error for an unknown name, with the most similar names."""
    return GraphError(f"There is no node {name!r}. {close_to(name, nodes)}")


def pick(graph: "AnyGraph", nodes: Nodes) -> tuple[int, ...]:
    """Return the ascending numbers of one node, or of several, without repetition."""
    return tuple(sorted({graph.index(node) for node in as_tuple(nodes)}))


def node_names(graph: "AnyGraph", numbers: Iterable[int]) -> tuple[str, ...]:
    """Return the names of numbered nodes, in the order given.

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> node_names(DAG.empty(["a", "b", "c"]), [2, 0])
    ('c', 'a')
    """
    return tuple(graph.nodes[number] for number in numbers)


def given_names(nodes: int | Iterable[str]) -> tuple[str, ...]:
    """Return the names of nodes; for a number, make this many names."""
    return numbered_names(nodes) if isinstance(nodes, int) else check_nodes(nodes)


def numbered_names(count: int, prefix: str = "x") -> tuple[str, ...]:
    """Return names such as x01 ... x10, padded so that sorting keeps their order."""
    width = len(str(count))
    return tuple(f"{prefix}{number:0{width}d}" for number in range(1, count + 1))


def names_in(pairs: Iterable[tuple[Node, Node]]) -> tuple[str, ...]:
    """Return the sorted names that occur in pairs of names."""
    names = {node for ends in pairs for node in ends}
    if not are_texts(names):
        number = next(node for node in names if node != str(node))
        raise GraphError(f"Node number {number!r} cannot be resolved: give the names as nodes=.")
    return tuple(sorted(map(str, names)))


def check_rows(nodes: Sequence[str], rows: Iterable[Iterable[int]], word: str) -> Rows:
    """Return one ascending tuple of other nodes' numbers per node, after checking them."""
    try:
        table = tuple(tuple(sorted(as_int(entry) for entry in row)) for row in rows)
    except TypeError:
        raise GraphError(
            f"The {word} of a node must be numbers: use from_arcs or from_edges for names."
        ) from None
    if len(table) != len(nodes):
        raise GraphError(f"{len(nodes)} nodes must have as many sets of {word}, got {len(table)}.")
    for node, row in enumerate(table):
        if row and not 0 <= row[0] <= row[-1] < len(nodes):
            raise GraphError(
                f"Node {nodes[node]!r} has {word} {row}, beyond the numbers 0 to {len(nodes) - 1}."
            )
        if node in row:
            raise GraphError(f"Node {nodes[node]!r} must not be one of its own {word}.")
        if len(set(row)) != len(row):
            raise GraphError(f"Node {nodes[node]!r} has one of its {word} twice: {row}.")
    return table


def rows_over(nodes: Sequence[str], rows: Sequence[Sequence[int]], names: Sequence[str]) -> Rows:
    """Translate the rows of a graph to other nodes, which include all of its nodes."""
    numbers = {name: number for number, name in enumerate(names)}
    index_of = [find_node(name, names, numbers) for name in nodes]
    result: list[tuple[int, ...]] = [()] * len(names)
    for node, row in enumerate(rows):
        result[index_of[node]] = tuple(sorted(index_of[other] for other in row))
    return tuple(result)


@dataclass(frozen=True, repr=False)
class AnyGraph:
    """Base of all graphs: names of nodes, and fields of rows of numbers."""

    nodes: tuple[str, ...]
    directed: ClassVar[bool | None] = None
    """Whether all adjacent pairs have a direction; None if the kind of graph has both arcs and edges."""

    @property
    def graph(self) -> Self:
        """The graph itself, so that functions of a network's graph take a graph as well."""
        return self

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """All adjacent pairs of names: arcs (parent, child), then edges without a direction."""
        pairs = (*self.numbered_arcs, *self.numbered_edges)
        return tuple((self.nodes[one], self.nodes[two]) for one, two in pairs)

    @classmethod
    def make_unchecked(cls, nodes: tuple[str, ...], *rows: Rows) -> Self:
        """Make a graph without any check: for callers that have checked it.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.make_unchecked(("a", "b"), ((), (0,))).n_arcs
        1
        """
        graph = object.__new__(cls)
        graph.__dict__.update(zip(cls.__match_args__, (nodes, *rows), strict=True))
        return graph

    @classmethod
    def empty(cls, nodes: Iterable[str]) -> Self:
        """Make the graph without arcs and edges.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.empty(["a", "b"])
        <DAG [a][b]>
        """
        names = check_nodes(nodes)
        return cls.make_unchecked(names, *[((),) * len(names)] * (len(cls.__match_args__) - 1))

    @property
    def numbered_arcs(self) -> tuple[tuple[int, int], ...]:
        """Return the arcs as pairs of numbers (parent, child), ascending; none in an undirected graph."""
        return ()

    @property
    def numbered_edges(self) -> tuple[tuple[int, int], ...]:
        """Return the edges without a direction as pairs of numbers, smaller first, ascending; none in a
        DAG.
        """
        return ()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Return the numbers by name."""
        return {name: number for number, name in enumerate(self.nodes)}

    def index(self, node: Node) -> int:
        """Return the number of a node.

        Raises
        ------
        GraphError : no such node; the message has close names.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.empty(["a", "b"]).index("b")
        1
        """
        if isinstance(node, str):
            return find_node(node, self.nodes, self._numbers)
        return _checked_number(node, self.nodes)

    def over(self, nodes: Iterable[str]) -> Self:
        """Return the same graph on other nodes: another order, or more of them.

        Raises
        ------
        GraphError : a node of this graph is missing.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.from_arcs(["a -> b"]).over(["c", "b", "a"]).parents
        ((), (2,), ())
        """
        names = check_nodes(nodes)
        rows = (getattr(self, field.name) for field in fields(self)[1:])
        return self.make_unchecked(names, *(rows_over(self.nodes, row, names) for row in rows))

    def subgraph(self, nodes: Iterable[Node]) -> Self:
        """Return the graph on some of its nodes, with all arcs and edges between them.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.from_arcs(["a -> b", "b -> c", "a -> c"]).subgraph(["c", "a"])
        <DAG [a][c|a]>
        """
        keep = pick(self, nodes)
        rank = {node: new for new, node in enumerate(keep)}
        rows = (getattr(self, field.name) for field in fields(self)[1:])
        return self.make_unchecked(
            node_names(self, keep),
            *(tuple(tuple(rank[n] for n in row[k] if n in rank) for k in keep) for row in rows),
        )

    def rename(self, names: Mapping[str, str]) -> Self:
        """Return the graph with other names for some of its nodes, which keep their order.

        Raises
        ------
        GraphError : a node that the graph does not have, or a name that two nodes would share.

        Examples
        --------
        >>> from arcwise.graphs import DAG
        >>> DAG.from_arcs(["a -> b"]).rename({"b": "rain"})
        <DAG [a][rain|a]>
        """
        for name in names:
            self.index(name)
        nodes = check_nodes(names.get(name, name) for name in self.nodes)
        return self.make_unchecked(
            nodes, *(getattr(self, field.name) for field in fields(self)[1:])
        )

    def _repr_html_(self) -> str | None:
        """Draw small graphs in notebooks."""
        return picture(self)

    def _brief(self, size: str) -> str:
        """Show small graphs in full and large ones by their size."""
        content = self if 0 < len(self.nodes) <= _SHOWN else f"{len(self.nodes)} nodes, {size}"
        return f"<{type(self).__name__} {content}>"


def reach(rows: Sequence[Sequence[int]], starts: Iterable[int]) -> set[int]:
    """Return all nodes that can be reached along `rows`, the starts included."""
    reached = set(starts)
    todo = list(reached)
    while todo:
        fresh = [node for node in rows[todo.pop()] if node not in reached]
        reached.update(fresh)
        todo.extend(fresh)
    return reached


def transpose(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Turn parents into children, or children into parents."""
    turned: list[list[int]] = [[] for _ in rows]
    for head, row in enumerate(rows):
        for tail in row:
            turned[tail].append(head)
    return tuple(map(tuple, turned))


def topological(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """Return the topological order by Kahn's algorithm; of several free nodes the smallest number comes
    first.
    """
    waiting = [len(row) for row in parents]
    ready = [node for node, count in enumerate(waiting) if count == 0]
    heapify(ready)
    order = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, child)
    return tuple(order)
