"""Moves: adding, dropping or flipping one arc of a DAG.

Searches and samplers over DAGs walk from graph to graph by these three moves. A move is legal if
the graph stays acyclic and the rules in force allow the new families:

- add tail -> head: no directed path leads from head to tail;
- drop: always acyclic;
- flip tail -> head: no other directed path leads from tail to head.

Source: Chickering (1995); Heckerman, Geiger and Chickering (1995), section 6.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import reach
from arcwise.graphs.rules import Limits


@dataclass(frozen=True)
class Move:
    """One change of one arc.

    Parameters
    ----------
    kind : "add" tail -> head, "drop" it, or "flip" it into head -> tail.
    tail, head : numbers of the arc's ends before the move (after it, for "add").

    Examples
    --------
    >>> graph = DAG.from_arcs(["a -> b"])
    >>> Move("flip", 0, 1).apply(graph)
    <DAG [b][a|b]>
    """

    kind: Literal["add", "drop", "flip"]
    tail: int
    head: int

    @property
    def inverse(self) -> Self:
        """The move that takes this one back."""
        if self.kind == "flip":
            return type(self)("flip", self.head, self.tail)
        return type(self)("drop" if self.kind == "add" else "add", self.tail, self.head)

    def changes(self, dag: DAG) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Give the families that the move makes: pairs (child, new parents), one or two.

        Examples
        --------
        >>> Move("flip", 0, 1).changes(DAG.from_arcs(["a -> b"]))
        ((1, ()), (0, (1,)))
        """
        row = dag.parents[self.head]
        if self.kind == "add":
            return ((self.head, tuple(sorted((*row, self.tail)))),)
        dropped = (self.head, tuple(node for node in row if node != self.tail))
        if self.kind == "drop":
            return (dropped,)
        return dropped, (self.tail, tuple(sorted((*dag.parents[self.tail], self.head))))

    def apply(self, dag: DAG, *, check: bool = True) -> DAG:
        """Return the changed graph.

        Parameters
        ----------
        dag : the graph before; it stays as it is.
        check : False trusts that the move is legal and saves the search for a cycle.

        Raises
        ------
        GraphError : the arc is there already, is not there, or would close a cycle.

        Examples
        --------
        >>> Move("add", 0, 1).apply(DAG.empty(["a", "b"]))
        <DAG [a][b|a]>
        """
        if check:
            return self._checked(dag)
        rows = list(dag.parents)
        for child, row in self.changes(dag):
            rows[child] = row
        return DAG.unchecked(dag.nodes, tuple(rows))

    def _checked(self, dag: DAG) -> DAG:
        """Apply through the graph's own checks."""
        if self.kind == "add":
            return dag.with_arc(self.tail, self.head)
        dropped = dag.without_arc(self.tail, self.head)
        if self.kind == "drop":
            return dropped
        if self.kind == "flip":
            return dropped.with_arc(self.head, self.tail)
        raise GraphError(f"A move is add, drop or flip, got {self.kind!r}.")


def legal_moves(dag: DAG, limits: Limits | None = None) -> Iterator[Move]:
    """Go through all moves that keep the graph acyclic and within its limits.

    The order is fixed: head by head; for each head first its arcs (drop, flip), then the additions.
    Taking all moves of a graph costs O(p (p + arcs)), the order of the number of moves itself.

    Parameters
    ----------
    dag : the graph to move from.
    limits : `Rules(...).on(dag.nodes)`; None for no rules.

    Returns
    -------
    Iterator of Move.

    Examples
    --------
    >>> [(move.kind, move.tail, move.head) for move in legal_moves(DAG.from_arcs(["a -> b"]))]
    [('drop', 0, 1), ('flip', 0, 1)]
    >>> len(list(legal_moves(DAG.empty(["a", "b", "c"]))))
    6
    """
    return (move for move in _acyclic_moves(dag) if _permitted(dag, move, limits))


def _acyclic_moves(dag: DAG) -> Iterator[Move]:
    """Go through the moves that keep the graph acyclic."""
    for head, parents in enumerate(dag.parents):
        below = reach(dag.children, [head])
        above = _indirect(dag, head)
        for tail in parents:
            yield Move("drop", tail, head)
            if tail not in above:
                yield Move("flip", tail, head)
        taken = below.union(parents)
        yield from (Move("add", tail, head) for tail in range(len(dag.nodes)) if tail not in taken)


def _indirect(dag: DAG, head: int) -> set[int]:
    """Return the nodes with a directed path of two or more arcs to head."""
    grand = {node for parent in dag.parents[head] for node in dag.parents[parent]}
    return reach(dag.parents, grand)


def _permitted(dag: DAG, move: Move, limits: Limits | None) -> bool:
    """Ask the limits about the new families, and about the whole graph where there is a condition on it."""
    if limits is None:
        return True
    if not all(limits.allows(child, row) for child, row in move.changes(dag)):
        return False
    return limits.condition is None or limits.condition(move.apply(dag, check=False))
