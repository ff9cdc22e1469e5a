"""Rules for undirected graphs: an edge has no direction, so rules about arcs bind the pair.

A required arc requires the edge, whichever way it runs, and so does "a -- b"; an arc that is forbidden
in one direction forbids the edge. Tiers and a largest number of parents speak of directions alone: they
are refused.
"""

from collections.abc import Iterable
from typing import NamedTuple

from arcwise.errors import FitError, GraphError
from arcwise.graphs import Limits, Rules, UGraph


class Bounds(NamedTuple):
    """The largest graph that rules allow, and the pairs (smaller number first) that must stay."""

    largest: UGraph
    required: frozenset[tuple[int, int]]

    @property
    def smallest(self) -> UGraph:
        """The graph of the pairs that must stay."""
        nodes = self.largest.nodes
        rows = (
            tuple(two for two in row if (min(one, two), max(one, two)) in self.required)
            for one, row in enumerate(self.largest.neighbours)
        )
        return UGraph.unchecked(nodes, tuple(rows))


def edge_limits(rules: Rules, nodes: Iterable[str]) -> Limits:
    """Bind rules to columns for undirected learning.

    Parameters
    ----------
    rules : by names; directions are ignored.
    nodes : names, in the order that gives the numbers.

    Returns
    -------
    Limits, for `boundary` and `deletion`.

    Raises
    ------
    GraphError : there are tiers or a largest number of parents, or an edge is both required and
        forbidden.

    Examples
    --------
    >>> limits = edge_limits(Rules(required=["a -- b"], forbidden=["c -> b"]), ["a", "b", "c"])
    >>> edge_bounds(limits)
    Bounds(largest=<UGraph a:b + a:c>, required=frozenset({(0, 1)}))
    """
    if rules.target is not None:
        raise GraphError(
            "A target is a class that arcs run away from, and edges of undirected graphs have no direction: "
            "leave it out, or learn a directed graph."
        )
    if rules.tiers:
        raise GraphError(
            "Tiers say which way arcs may run, and the edges of an undirected graph have no "
            "direction: leave the tiers out, or learn a directed graph."
        )
    limits = rules.on(nodes, directed=False)
    edge_bounds(limits)
    return limits


def edge_bounds(limits: Limits) -> Bounds:
    """What limits say of edges, directions ignored.

    Raises
    ------
    GraphError : there is a largest number of parents, or an edge is both required and forbidden.
    """
    if limits.max_parents is not None:
        raise GraphError(
            "max_parents bounds the arcs into a variable, and the edges of an undirected graph "
            "have no direction: leave it out; a higher penalty leaves fewer edges."
        )
    largest = UGraph.complete(limits.nodes) if limits.barred is None else _allowed(limits)
    pairs = ((tail, head) for head, row in enumerate(limits.required) for tail in row)
    required = frozenset((min(pair), max(pair)) for pair in pairs)
    for one, two in sorted(required):
        if two not in largest.neighbours[one]:
            raise GraphError(
                f"Undirected learning ignores directions, so the edge {limits.nodes[one]} - "
                f"{limits.nodes[two]} is both required and forbidden: take one of the rules away."
            )
    return Bounds(largest, required)


def _allowed(limits: Limits) -> UGraph:
    """The complete graph without the pairs that are barred in either direction."""
    barred = limits.barred or ()
    every = range(len(limits.nodes))
    rows = (
        tuple(
            two for two in every if two != one and two not in barred[one] and one not in barred[two]
        )
        for one in every
    )
    return UGraph.unchecked(limits.nodes, tuple(rows))


def bounds_for(nodes: tuple[str, ...], limits: Limits | None) -> Bounds:
    """The bounds of a run on a score's columns; everything is allowed without limits."""
    if limits is not None and limits.nodes != nodes:
        raise FitError("The rules are bound to other variables than the score's.")
    return edge_bounds(Limits.none(nodes) if limits is None else limits)
