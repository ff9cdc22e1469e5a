"""Separation: which independences a graph implies.

In a DAG a path is *blocked* by a set C if it holds a head-to-tail or tail-to-tail node that is in
C, or a head-to-head node that is neither in C nor an ancestor of C. X and Y are *d-separated* by
C if all paths between them are blocked; then X and Y are independent given C in every density
that factorises along the DAG (Pearl 1988). In an undirected graph C separates X and Y if every
path meets C.

All answers take time linear in nodes and arcs: reachability with directions, the "Bayes ball"
(Shachter 1998; Koller and Friedman 2009, algorithm 3.1), and for minimal separators two walks in
the moral graph of the ancestors, which is never built (van der Zander, Liskiewicz and Textor
2014, 2019).
"""

from collections.abc import Iterable

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import Nodes, pick, reach
from arcwise.graphs.ugraph import UGraph


def separated(graph: DAG | UGraph, xs: Nodes, ys: Nodes, given: Nodes = ()) -> bool:
    """Tell whether two sets of nodes are separated by a third.

    Parameters
    ----------
    graph : DAG (d-separation) or UGraph (every path meets the third set).
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
    left, right, between = _disjoint(graph, xs, ys, given)
    return _connected(graph, left, between).isdisjoint(right)


def d_separated_from(graph: DAG | UGraph, xs: Nodes, given: Nodes = ()) -> tuple[int, ...]:
    """List all nodes that are separated from a set.

    Parameters
    ----------
    graph : DAG (d-separation) or UGraph.
    xs, given : a node or several, by names or numbers.

    Returns
    -------
    Ascending numbers of the nodes outside both sets that are separated from all of `xs`.

    Raises
    ------
    GraphError : unknown nodes, or a node in both sets.

    Examples
    --------
    >>> d_separated_from(DAG.from_arcs(["a -> b", "b -> c", "d -> c"]), "a", given="b")
    (2, 3)
    """
    left, _, between = _disjoint(graph, xs, (), given)
    out = _connected(graph, left, between) | between
    return tuple(node for node in range(len(graph.nodes)) if node not in out)


def minimal_separator(
    graph: DAG | UGraph, x: Nodes, y: Nodes, within: Nodes | None = None
) -> tuple[int, ...] | None:
    """Find a set that separates two nodes and of which no node can be left out.

    Among the minimal sets it is the one nearest to x that the two walks find.

    Parameters
    ----------
    graph : DAG or UGraph.
    x, y : a node or several on each side.
    within : nodes that may be used; all others if left out.

    Returns
    -------
    Ascending numbers, or None if no set of the permitted nodes separates x and y.

    Raises
    ------
    GraphError : unknown nodes, or a node on both sides.

    Examples
    --------
    >>> dag = DAG.from_arcs(["a -> b", "b -> c", "a -> d", "d -> c"])
    >>> minimal_separator(dag, "a", "c")
    (1, 3)
    >>> minimal_separator(dag, "a", "b") is None
    True
    """
    left, right, _ = _disjoint(graph, x, y, ())
    ends = left | right
    room = set(range(len(graph.nodes))) if within is None else set(pick(graph, within))
    keep = _ancestors(graph, ends)
    near = _moral_walk(graph, keep, left, (room & keep) - ends)
    if not near.isdisjoint(right):
        return None
    first = (near & room) - ends
    return tuple(sorted(first & _moral_walk(graph, keep, right, first)))


def _disjoint(
    graph: DAG | UGraph, xs: Nodes, ys: Nodes, given: Nodes
) -> tuple[set[int], set[int], set[int]]:
    """Number three sets of nodes and see that they do not overlap."""
    if not isinstance(graph, DAG | UGraph):
        raise GraphError(
            f"Separation is read off a DAG or a UGraph, got {type(graph).__name__}; "
            "of a PDAG take a member of its class first, extension(pdag)."
        )
    left, right, between = (set(pick(graph, nodes)) for nodes in (xs, ys, given))
    twice = (left & right) | (left & between) | (right & between)
    if twice:
        raise GraphError(
            f"Node {graph.nodes[min(twice)]!r} is in two of the sets; "
            "the two sides and the given nodes must not overlap."
        )
    return left, right, between


def _connected(graph: DAG | UGraph, starts: set[int], given: set[int]) -> set[int]:
    """Collect the nodes with an open path from the starts, the starts included."""
    if isinstance(graph, UGraph):
        return _moral_walk(graph, range(len(graph.nodes)), starts, given) - given
    return _ball(graph, starts, given)


def _ball(dag: DAG, starts: set[int], given: set[int]) -> set[int]:
    """Follow open trails; a state is a node and whether it was entered from a child."""
    opened = reach(dag.parents, given)
    todo = [(node, True) for node in starts]
    seen = set(todo)
    while todo:
        node, upward = todo.pop()
        steps: list[tuple[int, bool]] = []
        if node not in given:
            steps += [(child, False) for child in dag.children[node]]
        # Upwards through a node: as a chain or fork if not given, as a collider if opened.
        if (node not in given) if upward else (node in opened):
            steps += [(parent, True) for parent in dag.parents[node]]
        fresh = [step for step in steps if step not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return {node for node, _ in seen if node not in given}


def _ancestors(graph: DAG | UGraph, ends: set[int]) -> set[int]:
    """Return the ends with their ancestors; in an undirected graph, all nodes."""
    if isinstance(graph, UGraph):
        return set(range(len(graph.nodes)))
    return reach(graph.parents, ends)


def _moral_walk(
    graph: DAG | UGraph, keep: Iterable[int], starts: set[int], stops: set[int]
) -> set[int]:
    """Walk in the moral graph of the kept nodes; stops are entered and not left."""
    inside = keep if isinstance(keep, set) else set(keep)
    found, todo = set(starts), list(starts)
    married: set[int] = set()
    while todo:
        node = todo.pop()
        if node in stops:
            continue
        for other in _moral_neighbours(graph, node, inside, married):
            if other in inside and other not in found:
                found.add(other)
                todo.append(other)
    return found


def _moral_neighbours(
    graph: DAG | UGraph, node: int, inside: set[int], married: set[int]
) -> Iterable[int]:
    """Go through neighbours in the moral graph, each family's parents once in the whole walk."""
    if isinstance(graph, UGraph):
        yield from graph.neighbours[node]
        return
    yield from graph.parents[node]
    for child in graph.children[node]:
        yield child
        if child in inside and child not in married:
            married.add(child)
            yield from graph.parents[child]
