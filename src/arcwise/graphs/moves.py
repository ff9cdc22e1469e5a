"""Moves of one arc (add, drop, flip), and random DAGs.

Searches and samplers over DAGs use these three moves. A move is legal if
the graph stays acyclic and the rules in force allow the new families:

- add tail -> head: no directed path leads from head to tail;
- drop: always acyclic;
- flip tail -> head: no other directed path leads from tail to head.

For a random sparse DAG, nodes are put in a random order and each pair has an arc from the earlier to the
later node independently with the same probability (Erdos and Renyi 1959). The distances between present pairs
in the list of all pairs are geometric, so the cost is linear in the arcs (Batagelj and Brandes 2005).

Source: Chickering (1995); Heckerman, Geiger and Chickering (1995), section 6.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import given_names, reach, topological, transpose
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
        """The move that undoes this one."""
        if self.kind == "flip":
            return type(self)("flip", self.head, self.tail)
        return type(self)("drop" if self.kind == "add" else "add", self.tail, self.head)

    def changes(self, dag: DAG) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Return the families after the move: pairs (child, new parents), one or two.

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
        check : whether to check that the move is legal, which searches for a cycle.

        Raises
        ------
        GraphError : the arc exists already, does not exist, or would close a cycle.

        Examples
        --------
        >>> Move("add", 0, 1).apply(DAG.empty(["a", "b"]))
        <DAG [a][b|a]>
        """
        if check:
            return self._apply_checked(dag)
        rows = list(dag.parents)
        for child, row in self.changes(dag):
            rows[child] = row
        return DAG.make_unchecked(dag.nodes, tuple(rows))

    def _apply_checked(self, dag: DAG) -> DAG:
        """Apply the move with the checks of the graph."""
        if self.kind == "add":
            return dag.with_arc(self.tail, self.head)
        dropped = dag.without_arc(self.tail, self.head)
        if self.kind == "drop":
            return dropped
        if self.kind == "flip":
            return dropped.with_arc(self.head, self.tail)
        raise GraphError(f"A move must be add, drop or flip, got {self.kind!r}.")


def legal_moves(dag: DAG, limits: Limits | None = None) -> Iterator[Move]:
    """Yield all moves that keep the graph acyclic and within its limits.

    The order is fixed: head by head; for each head first its arcs (drop, flip), then the additions.
    All moves of a graph cost O(p (p + arcs)), the order of the number of moves itself.

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
    return (move for move in _acyclic_moves(dag) if _is_permitted(dag, move, limits))


def _acyclic_moves(dag: DAG) -> Iterator[Move]:
    """Yield the moves that keep the graph acyclic."""
    for head, parents in enumerate(dag.parents):
        below = reach(dag.children, [head])
        above = _indirect(dag, head)
        for tail in parents:
            yield Move("drop", tail, head)
            if tail not in above:
                yield Move("flip", tail, head)
        excluded = below.union(parents)
        yield from (
            Move("add", tail, head) for tail in range(len(dag.nodes)) if tail not in excluded
        )


def _indirect(dag: DAG, head: int) -> set[int]:
    """Return the nodes with a directed path of two or more arcs to head."""
    grand = {node for parent in dag.parents[head] for node in dag.parents[parent]}
    return reach(dag.parents, grand)


def _is_permitted(dag: DAG, move: Move, limits: Limits | None) -> bool:
    """Return whether the limits allow the new families, and the whole graph if there is a condition on it."""
    if limits is None:
        return True
    if not all(limits.allows(child, row) for child, row in move.changes(dag)):
        return False
    return limits.condition is None or limits.condition(move.apply(dag, check=False))


# -- random graphs ----------------------------------------------------------------------------------


def random_dag(nodes: int | Iterable[str], degree: float, rng: np.random.Generator) -> DAG:
    """Draw a DAG in which a node has on average `degree` neighbours.

    Parameters
    ----------
    nodes : names, or their number (names are then x1, x2, ..., padded with zeros).
    degree : expected number of parents and children of a node, from 0 to the nodes less one.
    rng : random generator.

    Returns
    -------
    DAG with about degree / 2 arcs per node.

    Raises
    ------
    GraphError : a degree that is negative or more than there are other nodes.

    Examples
    --------
    >>> len(random_dag(20_000, 3, np.random.default_rng(1)).nodes)
    20000
    """
    names = given_names(nodes)
    count = len(names)
    if not 0 <= degree <= max(count - 1, 0):
        raise GraphError(f"The degree must be from 0 to {max(count - 1, 0)}, got {degree}.")
    order = rng.permutation(count).tolist()
    rows: list[list[int]] = [[] for _ in names]
    for early, late in zip(*_pairs(count, degree / max(count - 1, 1), rng), strict=True):
        rows[order[late]].append(order[early])
    return DAG.make_unchecked(names, tuple(tuple(sorted(row)) for row in rows))


def _pairs(count: int, probability: float, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Draw the adjacent pairs (early, late) of ranks."""
    pair_numbers = _successes(count * (count - 1) // 2, probability, rng)
    # Pair (i, j), i < j, has index j (j - 1) / 2 + i; the square root may be off by one.
    late = ((1 + np.sqrt(1 + 8 * pair_numbers.astype(np.float64))) / 2).astype(np.int64)
    late -= late * (late - 1) // 2 > pair_numbers
    late += late * (late + 1) // 2 <= pair_numbers
    return (pair_numbers - late * (late - 1) // 2).tolist(), late.tolist()


def _successes(trials: int, probability: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the positions of the successes among independent trials, ascending."""
    if probability <= 0 or trials == 0:
        return np.zeros(0, dtype=np.int64)
    steps: list[NDArray[np.int64]] = []
    last = -1
    while last < trials:
        # Some more than expected, so that one round nearly always suffices.
        size = int(1.1 * (trials - last) * probability) + 20
        gaps = np.minimum(rng.geometric(probability, size), trials + 1)
        steps.append(last + np.cumsum(gaps))
        last = int(steps[-1][-1])
    successes = np.concatenate(steps)
    return successes[successes < trials]


def all_dags(limits: Limits) -> Iterator[DAG]:
    """Yield every graph that the rules allow; for four variables these are 543, for five 29 281.

    >>> sum(1 for _ in all_dags(Limits.none(["a", "b", "c"])))
    25
    """
    nodes = range(len(limits.nodes))
    sets = [
        [row for size in nodes for row in combinations([o for o in nodes if o != node], size)]
        for node in nodes
    ]
    for rows in product(*sets):
        if len(topological(rows, transpose(rows))) == len(rows):
            graph = DAG.make_unchecked(limits.nodes, rows)
            if limits.allows_graph(graph):
                yield graph


def complete_dag(limits: Limits, rng: np.random.Generator) -> DAG:
    """Draw a complete DAG in random order, as far as the rules allow.

    Examples
    --------
    >>> complete_dag(Limits.none(["a", "b", "c"]), np.random.default_rng(1)).n_arcs
    3
    """
    rank = {node: i for i, node in enumerate(_order(limits, rng))}
    parents = []
    for child in range(len(limits.nodes)):
        required = limits.required[child]
        earlier = [x for x in limits.candidates(child).tolist() if rank[x] < rank[child]]
        room = len(earlier) if limits.max_parents is None else limits.max_parents - len(required)
        parents.append(tuple(sorted([*required, *earlier[:room]])))
    return DAG(limits.nodes, tuple(parents))


def _order(limits: Limits, rng: np.random.Generator) -> list[int]:
    """Return a random order in which required parents come first."""
    key = rng.permutation(len(limits.nodes))
    required, placed = limits.start(), list[int]()
    waiting = [len(row) for row in required.parents]
    ready = [v for v, count in enumerate(waiting) if not count]
    while ready:
        node = min(ready, key=lambda v: key[v])
        ready.remove(node)
        placed.append(node)
        for child in required.children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return placed
