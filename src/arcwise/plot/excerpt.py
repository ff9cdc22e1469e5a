"""Excerpts of graphs: the strongest edges, and a caption on the omitted ones."""

import textwrap
from typing import NamedTuple

import numpy as np

from arcwise.errors import GraphError, close_to, plural
from arcwise.graphs import DAG, PDAG, Graph, UGraph
from arcwise.plot.layout import lines_of
from arcwise.plot.marks import EdgeRow, Rows, names_of

MAX_NODES, MAX_EDGES = 200, 400
"""Larger graphs are drawn by their strongest edges, if strengths are available."""

DEFAULT_TOP = 100
"""Number of edges that are drawn of such a graph."""

MAX_PLAIN_NODES = 400
"""Largest number of nodes without strengths, as all edges must be drawn."""

_MAX_NAMES, _MAX_LETTERS = 8, 24


class Excerpt(NamedTuple):
    """The part of a graph that is drawn, and a caption on the rest; empty if all is drawn."""

    graph: Graph
    caption: str = ""


def excerpt(graph: Graph, rows: Rows, top: int | None, target: str | None) -> Excerpt:
    """Return the strongest edges of a graph with their variables.

    Parameters
    ----------
    graph : any graph.
    rows : its edges with their strengths.
    top : how many edges; None takes all, or the `DEFAULT_TOP` strongest of a graph that is too large.
    target : a variable that is kept, with its strongest edge.

    Raises
    ------
    GraphError : a negative number, no strengths, an unknown target, or a graph that is too large.
    """
    number = None if target is None else node_number(graph, target)
    if top is None:
        if is_readable(graph) or (not rows and len(graph.nodes) <= MAX_PLAIN_NODES):
            return Excerpt(graph)
        top = DEFAULT_TOP if rows else None
    refuse_crowds(graph, top)
    if top is None or top < 0:
        raise GraphError(f"top must be a non-negative integer, got {top}.")
    if not rows and top:
        raise GraphError("top needs strengths: give the table of edges as edges=.")
    pairs = lines_of(graph)
    row_of = {pair: rows.get(names_of(graph, pair)) for pair in pairs}
    order = sorted(pairs, key=lambda pair: -_finite(row_of[pair]))
    kept = _with_target(order, top, number)
    part = _part(graph, kept, number)
    weakest = min((_finite(row_of[pair]) for pair in order[:top] if pair in kept), default=-np.inf)
    extra = "" if kept == order[:top] else f", and the strongest edge of {target}"
    return Excerpt(part, _caption(graph, part, weakest, extra))


def is_readable(graph: Graph) -> bool:
    """Return whether a whole graph is small enough to be read."""
    return len(graph.nodes) <= MAX_NODES and len(lines_of(graph)) <= MAX_EDGES


def refuse_crowds(graph: Graph, top: int | None = None) -> None:
    """Raise GraphError if all nodes are to be drawn and there are too many."""
    if top is None and len(graph.nodes) > MAX_PLAIN_NODES:
        raise GraphError(
            f"A figure of {len(graph.nodes)} nodes cannot be read; at most {MAX_PLAIN_NODES} are "
            "drawn: give top= to draw the strongest edges only, or a smaller graph."
        )


def node_number(graph: Graph, name: str) -> int:
    """Return the number of a node."""
    if name not in graph.nodes:
        raise GraphError(f"The graph has no variable {name!r}. {close_to(name, graph.nodes)}")
    return graph.nodes.index(name)


Pairs = list[tuple[int, int]]


def _with_target(order: Pairs, top: int, target: int | None) -> Pairs:
    """Return the first edges of an order; the target's first edge replaces the last if the target has
    none.
    """
    strongest = order[:top]
    if target is None or not strongest or any(target in pair for pair in strongest):
        return strongest
    edge = next((pair for pair in order if target in pair), None)
    return strongest if edge is None else [*strongest[:-1], edge]


def _part(graph: Graph, kept: Pairs, target: int | None) -> Graph:
    """Return the graph of some edges, their ends and the target."""
    names, chosen = graph.nodes, set(kept)
    ends = {node for pair in kept for node in pair} | (set() if target is None else {target})
    nodes = tuple(names[node] for node in sorted(ends))
    arcs, edges = (
        [(names[a], names[b]) for a, b in pairs if (a, b) in chosen]
        for pairs in (graph.numbered_arcs, graph.numbered_edges)
    )
    if graph.directed:
        return DAG.from_arcs(arcs, nodes)
    if graph.directed is False:
        return UGraph.from_edges(edges, nodes)
    return PDAG.from_edges(arcs, edges, nodes)


def _finite(row: EdgeRow | None) -> float:
    """Return a strength to sort by: edges without one come last."""
    return -np.inf if row is None or np.isnan(row.strength) else float(row.strength)


def _caption(graph: Graph, part: Graph, weakest: float, extra: str) -> str:
    """Return a caption: the number of drawn edges, the smallest strength, and the omitted variables."""
    every, drawn = len(lines_of(graph)), len(lines_of(part))
    limit = f": strength {weakest:.2g} nats per row or more" if np.isfinite(weakest) else ""
    text = f"{drawn} of {plural(every, 'edge')}{limit}{extra}." if drawn < every else ""
    present = set(part.nodes)
    missing = [name for name in graph.nodes if name not in present]
    if missing:
        names = ", ".join(
            textwrap.shorten(name, _MAX_LETTERS, placeholder="…") or name[:_MAX_LETTERS]
            for name in missing[:_MAX_NAMES]
        )
        more = len(missing) - _MAX_NAMES
        text += f" Not drawn: {names}" + (
            f" and {plural(more, 'more variable')}." if more > 0 else "."
        )
    return text.strip()
