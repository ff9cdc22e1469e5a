"""Independences implied by a graph: separation, equivalence classes and moral graphs.

- The *skeleton* forgets directions; a *v-structure* is a pair of non-adjacent parents of one child.
- Two DAGs are *equivalent*, i.e. they imply the same independences, iff they have the same
  skeleton and the same v-structures (Verma and Pearl 1990).
- The *moral graph* connects the parents of a common child and forgets directions (Lauritzen 1996).
- The *CPDAG* or essential graph represents a class: compelled arcs are directed, reversible ones undirected.
  Made by ordering and labelling arcs (Chickering 1995, and 2002, appendix), linear in the families;
  prior knowledge directs further edges (Meek's rules in ``pdag``).
- A *consistent extension* directs the edges of a PDAG without new v-structures or cycles: sinks
  are removed one at a time (Dor and Tarsi 1992), here with a list of nodes to check again.
- In a DAG a path is *blocked* by a set C if it contains a head-to-tail or tail-to-tail node in C, or a
  head-to-head node that is neither in C nor an ancestor of C. X and Y are *d-separated* by C if all paths
  between them are blocked; then they are independent given C in every density that factorises along the DAG
  (Pearl 1988). In an undirected graph C separates X and Y if every path meets C. The "Bayes ball" (Shachter
  1998; Koller and Friedman 2009, algorithm 3.1) takes linear time, and so do minimal separators, by two
  walks in the moral graph of the ancestors, which is never built (van der Zander, Liskiewicz and Textor
  2014, 2019).
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import Any

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.formula import any_graph, graph_of
from arcwise.graphs.nodes import Nodes, node_names, pick, reach
from arcwise.graphs.pdag import PDAG, directed_by
from arcwise.graphs.rules import Limits
from arcwise.graphs.ugraph import UGraph
from arcwise.values import clear_calls


def skeleton(graph: Any) -> UGraph:
    """Return the undirected graph with an edge for each arc or edge of a graph in any form.

    Examples
    --------
    >>> skeleton(DAG.from_arcs(["a -> c", "b -> c"]))
    <UGraph a:c + b:c>
    """
    whole = any_graph(graph)
    if whole.directed is False:
        return whole
    rows = [tuple(sorted(row)) for row in _adjacent(whole)]
    return UGraph.make_unchecked(whole.nodes, tuple(rows))


def v_structures(graph: Any) -> tuple[tuple[str, str, str], ...]:
    """Return the triples of names (parent, child, parent) whose parents are not adjacent, by child.

    Examples
    --------
    >>> v_structures(DAG.from_arcs(["a -> c", "b -> c", "a -> b", "d -> c"]))
    (('a', 'c', 'd'), ('b', 'c', 'd'))
    """
    graph = _with_arcs(graph)
    near, names = _adjacent(graph), graph.nodes
    return tuple(
        (names[left], names[child], names[right])
        for child, row in enumerate(graph.parents)
        for left, right in combinations(row, 2)
        if right not in near[left]
    )


def _with_arcs(graph: Any) -> DAG | PDAG:
    """Return a DAG or PDAG in any form; reject an undirected graph."""
    form = any_graph(graph)
    if form.directed is False:
        raise GraphError("The graph must be a DAG or a PDAG, got an undirected graph.")
    return form


def moral(dag: Any) -> UGraph:
    """Return the moral graph: parents of a common child are connected, and arcs become edges.

    Returns
    -------
    UGraph in which the neighbours of a node are its Markov blanket in the DAG.

    Raises
    ------
    GraphError : not a DAG; for a PDAG take its `extension` first.

    Examples
    --------
    >>> moral(DAG.from_arcs(["a -> c", "b -> c"]))
    <UGraph a:b + a:c + b:c>
    """
    dag = any_graph(dag)
    if not dag.directed:
        raise GraphError(f"The moral graph needs a DAG, got {type(dag).__name__}.")
    near = _adjacent(dag)
    for row in dag.parents:
        if len(row) > 1:
            for node in row:
                near[node].update(row)
    rows = [tuple(sorted(row - {node})) for node, row in enumerate(near)]
    return UGraph.make_unchecked(dag.nodes, tuple(rows))


def equivalent(one: Any, two: Any) -> bool:
    """Return whether two DAGs imply the same independences.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> equivalent(DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["c -> b", "b -> a"]))
    True
    """
    one, two = any_graph(one), any_graph(two)
    if set(one.nodes) != set(two.nodes):
        raise GraphError("Both graphs must have the same nodes, and these differ.")
    return cpdag(one) == cpdag(two.over(one.nodes))


def cpdag(graph: Any, limits: Limits | None = None) -> PDAG:
    """Make the completed PDAG (essential graph) of an equivalence class.

    Parameters
    ----------
    graph : a member of the class in any form that `dag` takes, or a PDAG with a consistent extension.
    limits : rules in force, which the member obeys: the arcs they direct are compelled, and so are
        those that follow (Meek 1995). `max_parents` directs nothing: either all members of a
        class reach it, or none does.

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
    graph = _with_arcs(graph)
    dag = graph if graph.directed else extension(graph)
    compelled = _find_compelled(dag)
    free: list[list[int]] = [[] for _ in dag.nodes]
    for head, row in enumerate(dag.parents):
        for tail in row:
            if tail not in compelled[head]:
                free[head].append(tail)
                free[tail].append(head)
    parents = tuple(tuple(sorted(row)) for row in compelled)
    result = PDAG.make_unchecked(dag.nodes, parents, tuple(tuple(sorted(row)) for row in free))
    arcs = [] if limits is None else _known_arcs(dag, free, limits)
    return directed_by(result, arcs) if arcs else result


def _known_arcs(dag: DAG, free: list[list[int]], limits: Limits) -> list[tuple[int, int]]:
    """Return the reversible arcs that the rules direct: they require the arc or forbid its reversal."""
    if limits.nodes != dag.nodes:
        raise GraphError("The rules must be bound to the nodes of the graph: bind them again.")
    return [
        (tail, head)
        for head, row in enumerate(dag.parents)
        for tail in set(row).intersection(free[head])
        if tail in limits.required[head] or (limits.barred and head in limits.barred[tail])
    ]


def _find_compelled(dag: DAG) -> list[set[int]]:
    """Return for each node the parents whose arcs are compelled (Chickering's label-edges)."""
    rank = {node: number for number, node in enumerate(dag.order())}
    families = [frozenset(row) for row in dag.parents]
    compelled: list[set[int]] = [set() for _ in dag.nodes]
    for node in dag.order():
        family = families[node]
        if not family:
            continue
        # The lowest unlabelled arc into a node comes from its last parent; it decides all others.
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
    remaining = set(range(len(pdag.nodes)))
    look = [-node for node in remaining]
    heapify(look)
    while look:
        node = -heappop(look)
        if node not in remaining or below[node] or not _simplicial(node, near, free):
            continue
        rows[node] = tuple(sorted(free[node].union(pdag.parents[node])))
        remaining.remove(node)
        for other in near[node]:
            near[other].remove(node)
            below[other].discard(node)
            free[other].discard(node)
            # Only a node that lost a neighbour can have become a sink.
            heappush(look, -other)
    if remaining:
        raise _no_extension(pdag, remaining)
    return DAG.make_unchecked(pdag.nodes, tuple(rows))


def _simplicial(node: int, near: list[set[int]], free: list[set[int]]) -> bool:
    """Return whether each undirected neighbour is adjacent to all other neighbours of the node."""
    around = near[node]
    # Comparing sizes first rejects the centre of a large star at once.
    return all(
        len(near[other]) >= len(around) and around - near[other] == {other} for other in free[node]
    )


def _no_extension(pdag: PDAG, remaining: set[int]) -> GraphError:
    """Return the error that names the nodes whose edges cannot be directed."""
    names = node_names(pdag, sorted(remaining))
    text = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return GraphError(
        f"No DAG extends this PDAG: the edges among {text} cannot all be directed without "
        "a cycle or a new v-structure."
    )


def _adjacent(graph: DAG | PDAG) -> list[set[int]]:
    """Return for each node all adjacent nodes."""
    near = [set(row) for row in graph.parents]
    for node, row in enumerate(graph.children):
        near[node].update(row)
    if graph.directed is None:
        for node, row in enumerate(graph.neighbours):
            near[node].update(row)
    return near


@clear_calls
def separated(graph: Any, xs: Nodes, ys: Nodes, given: Nodes = ()) -> bool:
    """Return whether two sets of nodes are separated by a third.

    Parameters
    ----------
    graph : a DAG (d-separation) or UGraph (every path meets the third set), in any form.
    xs, ys, given : a node or several, by names or numbers; no node in two of the sets.

    Raises
    ------
    GraphError : unknown nodes, a node in two sets, or a PDAG (take its `extension`).

    Examples
    --------
    >>> dag = DAG.from_arcs(["a -> e", "f -> e", "f -> b", "e -> c"])
    >>> separated(dag, "a", "b", given="c"), separated(dag, "a", "b", given="f")
    (False, True)
    """
    graph = graph_of(graph)
    left, right, between = _disjoint(graph, xs, ys, given)
    return _find_connected(graph, left, between).isdisjoint(right)


def d_separated_from(graph: Any, xs: Nodes, given: Nodes = ()) -> tuple[str, ...]:
    """Return the names of all nodes that `given` separates from all of `xs`.

    Parameters
    ----------
    graph : a DAG (d-separation) or UGraph, in any form.
    xs, given : a node or several, by names or numbers.

    Raises
    ------
    GraphError : unknown nodes, or a node in both sets.

    Examples
    --------
    >>> d_separated_from(DAG.from_arcs(["a -> b", "b -> c", "d -> c"]), "a", given="b")
    ('c', 'd')
    """
    graph = graph_of(graph)
    left, _, between = _disjoint(graph, xs, (), given)
    out = _find_connected(graph, left, between) | between
    return node_names(graph, (node for node in range(len(graph.nodes)) if node not in out))


def minimal_separator(
    graph: Any, x: Nodes, y: Nodes, within: Nodes | None = None
) -> tuple[str, ...] | None:
    """Return a separating set of two sides from which no node can be removed.

    Of the minimal sets it is the one nearest to x.

    Parameters
    ----------
    graph : a DAG or UGraph, in any form.
    x, y : a node or several on each side.
    within : nodes that may be used; all others by default.

    Returns
    -------
    Names in node order, or None if no set of the permitted nodes separates x and y.

    Raises
    ------
    GraphError : unknown nodes, or a node on both sides.

    Examples
    --------
    >>> dag = DAG.from_arcs(["a -> b", "b -> c", "a -> d", "d -> c"])
    >>> minimal_separator(dag, "a", "c")
    ('b', 'd')
    >>> minimal_separator(dag, "a", "b") is None
    True
    """
    graph = graph_of(graph)
    left, right, _ = _disjoint(graph, x, y, ())
    ends = left | right
    room = set(range(len(graph.nodes))) if within is None else set(pick(graph, within))
    keep = _ancestors(graph, ends)
    near = _moral_walk(graph, keep, left, (room & keep) - ends)
    if not near.isdisjoint(right):
        return None
    first = (near & room) - ends
    return node_names(graph, sorted(first & _moral_walk(graph, keep, right, first)))


def _disjoint(
    graph: DAG | UGraph, xs: Nodes, ys: Nodes, given: Nodes
) -> tuple[set[int], set[int], set[int]]:
    """Return three sets of node numbers, after checking that they do not overlap."""
    left, right, between = (set(pick(graph, nodes)) for nodes in (xs, ys, given))
    twice = (left & right) | (left & between) | (right & between)
    if twice:
        raise GraphError(
            f"Node {graph.nodes[min(twice)]!r} is in two of the sets, and the three sets must "
            "not overlap."
        )
    return left, right, between


def _find_connected(graph: DAG | UGraph, starts: set[int], evidence: set[int]) -> set[int]:
    """Return the nodes with an open path from the starts, the starts included."""
    if graph.directed:
        return _ball(graph, starts, evidence)
    return _moral_walk(graph, set(range(len(graph.nodes))), starts, evidence) - evidence


def _ball(dag: DAG, starts: set[int], evidence: set[int]) -> set[int]:
    """Return the nodes on open paths, by the Bayes ball; a state is (node, entered from a child)."""
    opened = reach(dag.parents, evidence)
    todo = [(node, True) for node in starts]
    states = set(todo)
    while todo:
        node, upward = todo.pop()
        steps: list[tuple[int, bool]] = []
        if node not in evidence:
            steps += [(child, False) for child in dag.children[node]]
        # Upwards through a node: as a chain or fork if not observed, as a collider if opened.
        if (node not in evidence) if upward else (node in opened):
            steps += [(parent, True) for parent in dag.parents[node]]
        fresh = [step for step in steps if step not in states]
        states.update(fresh)
        todo.extend(fresh)
    return {node for node, _ in states if node not in evidence}


def _ancestors(graph: DAG | UGraph, ends: set[int]) -> set[int]:
    """Return the ends with their ancestors; in an undirected graph, all nodes."""
    return reach(graph.parents, ends) if graph.directed else set(range(len(graph.nodes)))


def _moral_walk(graph: DAG | UGraph, keep: set[int], starts: set[int], stops: set[int]) -> set[int]:
    """Return the nodes reached by a walk in the moral graph of the kept nodes; the walk ends at `stops`."""
    visited, todo = set(starts), list(starts)
    married: set[int] = set()
    while todo:
        node = todo.pop()
        if node in stops:
            continue
        for other in _moral_neighbours(graph, node, keep, married):
            if other in keep and other not in visited:
                visited.add(other)
                todo.append(other)
    return visited


def _moral_neighbours(
    graph: DAG | UGraph, node: int, inside: set[int], married: set[int]
) -> Iterable[int]:
    """Yield the neighbours in the moral graph; the parents of a child are visited once per walk."""
    if not graph.directed:
        yield from graph.neighbours[node]
        return
    yield from graph.parents[node]
    for child in graph.children[node]:
        yield child
        if child in inside and child not in married:
            married.add(child)
            yield from graph.parents[child]
