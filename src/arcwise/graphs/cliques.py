"""Cliques, decomposability and factorisation.

A clique here is a *maximal* set of nodes that are all joined. The density of a Markov network is
a product of one potential per clique, p(x) = (1/Z) prod_c g_c(x_c). A graph is *decomposable*
(chordal) if every cycle of four or more nodes has a shortcut; then the estimates have closed
forms.

Sources: cliques by Bron and Kerbosch (1973) with the pivot of Tomita, Tanaka and Takahashi
(2006), from each node in an order of degeneracy (Eppstein, Loeffler and Strash 2010), good for
large sparse graphs; decomposability by maximum cardinality search (Tarjan and Yannakakis 1984),
linear.
"""

from collections.abc import Iterator

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import named
from arcwise.graphs.ugraph import UGraph


def maximal_cliques(graph: UGraph) -> tuple[tuple[int, ...], ...]:
    """List the maximal cliques.

    Returns
    -------
    Ascending tuples of numbers, in ascending order. A graph can have exponentially many of them.

    Examples
    --------
    >>> maximal_cliques(UGraph.from_edges([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]))
    ((0, 1, 2), (2, 3))
    """
    near = [set(row) for row in graph.neighbours]
    place = {node: rank for rank, node in enumerate(_degeneracy(graph))}
    found: list[tuple[int, ...]] = []
    for node, rank in place.items():
        later = {other for other in near[node] if place[other] > rank}
        found.extend(_grow(near, node, later, near[node] - later))
    return tuple(sorted(found))


def decomposable(graph: UGraph) -> bool:
    """Tell whether every cycle of four or more nodes has a shortcut.

    Examples
    --------
    >>> square = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> decomposable(square), decomposable(square.with_edge("a", "c"))
    (False, True)
    """
    order = cardinality_order(graph)
    place = {node: rank for rank, node in enumerate(order)}
    for node in order:
        earlier = {other for other in graph.neighbours[node] if place[other] < place[node]}
        if earlier:
            last = max(earlier, key=place.__getitem__)
            if not earlier - {last} <= set(graph.neighbours[last]):
                return False
    return True


def cardinality_order(graph: UGraph) -> tuple[int, ...]:
    """Number the nodes by maximum cardinality search: next the one with most visited neighbours.

    For a decomposable graph the earlier neighbours of each node are all joined.

    Examples
    --------
    >>> cardinality_order(UGraph.from_edges([("a", "b"), ("b", "c")]))
    (0, 1, 2)
    """
    score = [0] * len(graph.nodes)
    # Stacks by score; a node's old entries stay behind and are skipped when met.
    stacks: list[list[int]] = [list(range(len(score)))[::-1]]
    order: list[int] = []
    done = [False] * len(score)
    while stacks:
        if not stacks[-1]:
            stacks.pop()
            continue
        node = stacks[-1].pop()
        if done[node] or score[node] != len(stacks) - 1:
            continue
        done[node] = True
        order.append(node)
        for other in reversed(graph.neighbours[node]):
            if not done[other]:
                score[other] += 1
                if score[other] == len(stacks):
                    stacks.append([])
                stacks[score[other]].append(other)
    return tuple(order)


def _degeneracy(graph: UGraph) -> list[int]:
    """Order nodes so that each has few later neighbours: always take one of smallest degree."""
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


def factorisation(graph: DAG | UGraph) -> str:
    """Write how the joint density is put together.

    A DAG says p(x) = prod_i p(x_i | parents of x_i); an undirected graph says p(x) = (1/Z) prod_c g(x_c)
    over its maximal cliques, with potentials g >= 0 and the partition function Z (Bishop 2006, chapter 8).

    Parameters
    ----------
    graph : DAG, one factor per node in node order; or UGraph, one potential per maximal clique.

    Raises
    ------
    GraphError : another kind of graph; of a PDAG take its `extension` first.

    Examples
    --------
    >>> factorisation(DAG.from_arcs(["fuel -> gauge", "battery -> gauge"]))
    'p(battery)p(fuel)p(gauge|battery,fuel)'
    >>> factorisation(UGraph.from_edges([("a", "b"), ("b", "c")]))
    '(1/Z)g(a,b)g(b,c)'
    """
    if isinstance(graph, DAG):
        return "".join(_factor(graph, node) for node in range(len(graph.nodes)))
    if not isinstance(graph, UGraph):
        raise GraphError(f"A DAG or a UGraph was expected, got {type(graph).__name__}.")
    cliques = [",".join(named(graph, clique)) for clique in maximal_cliques(graph)]
    return "(1/Z)" + "".join(f"g({clique})" for clique in cliques)


def _factor(dag: DAG, node: int) -> str:
    """Write one conditional density."""
    parents = ",".join(dag.parents_of(node))
    return f"p({dag.nodes[node]}|{parents})" if parents else f"p({dag.nodes[node]})"
