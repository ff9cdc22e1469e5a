"""From one kind of graph to another: skeleton, moral graph, equivalence class and its members.

- The *skeleton* forgets directions; a *v-structure* is a pair of parents that are not joined.
- Two DAGs are *equivalent*, i.e. they imply the same independences, iff they have the same
  skeleton and the same v-structures (Verma and Pearl 1990).
- The *moral graph* joins parents of a common child and forgets directions (Lauritzen 1996).
- The *CPDAG* or essential graph draws a class: compelled arcs directed, reversible ones not.
  Made by ordering and labelling arcs (Chickering 1995, and 2002, appendix), linear in the families;
  prior knowledge directs further edges (Meek's rules in ``pdag``).
- A *consistent extension* directs the edges of a PDAG without new v-structures or cycles: sinks
  are taken off one by one (Dor and Tarsi 1992), here with a list of nodes worth another look.
"""

from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import TypeAlias

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.pdag import PDAG, directed_by
from arcwise.graphs.rules import Limits
from arcwise.graphs.ugraph import UGraph

Graph: TypeAlias = DAG | UGraph | PDAG


def skeleton(graph: Graph) -> UGraph:
    """Forget the directions.

    Returns
    -------
    UGraph with an edge for each arc or edge.

    Examples
    --------
    >>> skeleton(DAG.from_arcs(["a -> c", "b -> c"]))
    <UGraph a:c + b:c>
    """
    if isinstance(graph, UGraph):
        return graph
    rows = [tuple(sorted(row)) for row in _adjacent(graph)]
    return UGraph.unchecked(graph.nodes, tuple(rows))


def v_structures(graph: DAG | PDAG) -> tuple[tuple[int, int, int], ...]:
    """List the triples parent -> child <- parent whose parents are not joined.

    Returns
    -------
    Triples of numbers (parent, child, parent), the smaller parent first, by child.

    Examples
    --------
    >>> v_structures(DAG.from_arcs(["a -> c", "b -> c", "a -> b", "d -> c"]))
    ((0, 2, 3), (1, 2, 3))
    """
    near = _adjacent(graph)
    return tuple(
        (left, child, right)
        for child, row in enumerate(graph.parents)
        for left, right in combinations(row, 2)
        if right not in near[left]
    )


def moral(dag: DAG) -> UGraph:
    """Join the parents of each child and forget the directions.

    Returns
    -------
    UGraph in which the neighbours of a node are its Markov blanket in the DAG.

    Raises
    ------
    GraphError : not a DAG; of a PDAG take its `extension` first.

    Examples
    --------
    >>> moral(DAG.from_arcs(["a -> c", "b -> c"]))
    <UGraph a:b + a:c + b:c>
    """
    if not isinstance(dag, DAG):
        raise GraphError(f"Only a DAG has a moral graph, got {type(dag).__name__}.")
    near = _adjacent(dag)
    for row in dag.parents:
        if len(row) > 1:
            for node in row:
                near[node].update(row)
    rows = [tuple(sorted(row - {node})) for node, row in enumerate(near)]
    return UGraph.unchecked(dag.nodes, tuple(rows))


def equivalent(one: DAG, two: DAG) -> bool:
    """Tell whether two DAGs imply the same independences.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> equivalent(DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["c -> b", "b -> a"]))
    True
    """
    if set(one.nodes) != set(two.nodes):
        raise GraphError(
            "Only graphs on the same nodes can be equivalent; these have different ones."
        )
    return cpdag(one) == cpdag(two.over(one.nodes))


def cpdag(graph: DAG | PDAG, limits: Limits | None = None) -> PDAG:
    """Make the completed PDAG (essential graph) of an equivalence class.

    Parameters
    ----------
    graph : a member of the class, or a PDAG that has a consistent extension.
    limits : rules in force, which the member obeys: what they direct is compelled, and so is what
        follows from that (Meek 1995). A largest number of parents directs nothing: it is reached in
        every member of a class, or in none.

    Returns
    -------
    PDAG whose arcs are compelled and whose edges are reversible.

    Raises
    ------
    GraphError : a PDAG without consistent extension.

    Examples
    --------
    >>> cpdag(DAG.from_arcs(["a -> c", "b -> c", "c -> d", "e -> f"]))
    <PDAG a -> c, b -> c, c -> d, e - f>
    >>> from arcwise.graphs.rules import Rules
    >>> chain = DAG.from_arcs(["a -> b", "b -> c", "c -> d"])
    >>> cpdag(chain, Rules(required=["b -> c"]).on(chain.nodes))
    <PDAG b -> c, c -> d, a - b>
    """
    dag = graph if isinstance(graph, DAG) else extension(graph)
    compelled = _compelled(dag)
    free: list[list[int]] = [[] for _ in dag.nodes]
    for head, row in enumerate(dag.parents):
        for tail in row:
            if tail not in compelled[head]:
                free[head].append(tail)
                free[tail].append(head)
    parents = tuple(tuple(sorted(row)) for row in compelled)
    found = PDAG.unchecked(dag.nodes, parents, tuple(tuple(sorted(row)) for row in free))
    known = [] if limits is None else _known_arcs(dag, free, limits)
    return directed_by(found, known) if known else found


def _known_arcs(dag: DAG, free: list[list[int]], limits: Limits) -> list[tuple[int, int]]:
    """Reversible arcs that rules require, or whose opposite they forbid."""
    if limits.nodes != dag.nodes:
        raise GraphError("The rules were bound to other nodes than the graph's: bind them anew.")
    return [
        (tail, head)
        for head, row in enumerate(dag.parents)
        for tail in set(row).intersection(free[head])
        if tail in limits.required[head] or (limits.barred and head in limits.barred[tail])
    ]


def _compelled(dag: DAG) -> list[set[int]]:
    """Find for each node the parents whose arcs are compelled (Chickering's label-edges)."""
    rank = {node: place for place, node in enumerate(dag.order())}
    families = [frozenset(row) for row in dag.parents]
    compelled: list[set[int]] = [set() for _ in dag.nodes]
    for node in dag.order():
        family = families[node]
        if not family:
            continue
        # The lowest unlabelled arc into a node comes from its last parent; it settles all others.
        last = max(family, key=rank.__getitem__)
        inherited = compelled[last]
        if not inherited <= family or family - families[last] != {last}:
            compelled[node] = set(family)
        else:
            compelled[node] = set(inherited)
    return compelled


def extension(pdag: PDAG) -> DAG:
    """Direct the edges of a PDAG without making a new v-structure or a cycle.

    Returns
    -------
    DAG with the same skeleton, arcs and v-structures; among possible sinks the last node goes first, so that
    free edges run from earlier to later nodes where they can.

    Raises
    ------
    GraphError : there is no such DAG; the nodes in conflict are named.

    Examples
    --------
    >>> extension(PDAG.from_edges(arcs=["a -> b"], edges=[("b", "c")]))
    <DAG [a][b|a][c|b]>
    """
    near = _adjacent(pdag)
    below = [set(row) for row in pdag.children]
    free = [set(row) for row in pdag.neighbours]
    rows: list[tuple[int, ...]] = list(pdag.parents)
    left = set(range(len(pdag.nodes)))
    look = [-node for node in left]
    heapify(look)
    while look:
        node = -heappop(look)
        if node not in left or below[node] or not _simplicial(node, near, free):
            continue
        rows[node] = tuple(sorted(free[node].union(pdag.parents[node])))
        left.remove(node)
        for other in near[node]:
            near[other].remove(node)
            below[other].discard(node)
            free[other].discard(node)
            # Only a node that lost a neighbour can have become a sink.
            heappush(look, -other)
    if left:
        raise _no_extension(pdag, left)
    return DAG.unchecked(pdag.nodes, tuple(rows))


def _simplicial(node: int, near: list[set[int]], free: list[set[int]]) -> bool:
    """Tell whether each undirected neighbour is joined to all other neighbours of the node."""
    around = near[node]
    # Comparing sizes first refuses the centre of a large star at once.
    return all(
        len(near[other]) >= len(around) and around - near[other] == {other} for other in free[node]
    )


def _no_extension(pdag: PDAG, left: set[int]) -> GraphError:
    """Name the nodes among which no direction is possible."""
    names = [pdag.nodes[node] for node in sorted(left)]
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return GraphError(
        f"No DAG extends this PDAG: the edges among {shown} cannot all be directed without "
        "a cycle or a new v-structure."
    )


def _adjacent(graph: DAG | PDAG) -> list[set[int]]:
    """Collect for each node all nodes joined to it."""
    near = [set(row) for row in graph.parents]
    for node, row in enumerate(graph.children):
        near[node].update(row)
    if isinstance(graph, PDAG):
        for node, row in enumerate(graph.neighbours):
            near[node].update(row)
    return near
