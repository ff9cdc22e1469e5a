"""What is said of curves that a linear network does not follow."""

from collections.abc import Sequence

import numpy as np

from arcwise.data import Table
from arcwise.evaluate.curvature import Bend, bends
from arcwise.graphs import DAG, Limits, UGraph, cpdag
from arcwise.results import Path

_SAID = 3  # sentences, of the largest gains
_NAMED = 4  # inputs that are named; of more, the number is
_TAKEN = 4_000  # rows, evenly spread, among which complete ones are looked for


def bend_notes(table: Table, graph: DAG | UGraph, limits: Limits | None = None) -> tuple[str, ...]:
    """Sentences on local models of a linear graph that are curved.

    Parameters
    ----------
    table : rows of numbers, without gaps.
    graph : over the columns.
    limits : rules that it was learned under.
    """
    inputs = graph.parents if isinstance(graph, DAG) else graph.neighbours
    found = bends(table, inputs, _reversible(graph, limits))
    told = found if isinstance(graph, DAG) else _each_edge_once(found)
    said = [_sentence(bend, graph) for bend in told[:_SAID]]
    if len(told) > _SAID:
        more = len(told) - _SAID
        said[-1] += f" {more} more local model{'s are' if more > 1 else ' is'} curved."
    return tuple(said)


def _reversible(graph: DAG | UGraph, limits: Limits | None) -> list[tuple[int, int]]:
    """The arcs of a directed graph that data and rules let run either way."""
    if not isinstance(graph, DAG):
        return []
    free = cpdag(graph, limits).neighbours
    return [(j, child) for child, row in enumerate(graph.parents) for j in row if j in free[child]]


def middle_graph(path: Path) -> UGraph:
    """The sparsest graph of a path with as many edges as variables, or else the densest."""
    graphs = [knot.graph for knot in path.knots]
    enough = [graph for graph in graphs if graph.n_edges >= len(graph.nodes)]
    return min(enough or graphs, key=lambda graph: graph.n_edges if enough else -graph.n_edges)


def some_rows(table: Table) -> Table:
    """Evenly spread rows, where they are many."""
    if table.rows <= _TAKEN:
        return table
    return table.take(np.linspace(0, table.rows - 1, _TAKEN).astype(np.intp))


def _each_edge_once(found: Sequence[Bend]) -> list[Bend]:
    """Without models whose curved edges were told from the other end."""
    known: set[frozenset[int]] = set()
    fresh = []
    for bend in found:
        edges = {frozenset((bend.child, j)) for j in bend.curved}
        if edges - known:
            fresh.append(bend)
        known |= edges
    return fresh


def _sentence(bend: Bend, graph: DAG | UGraph) -> str:
    name = graph.nodes
    child, several = name[bend.child], len(bend.curved) > 1
    gain = f"+{bend.gain:.2f} nats per row (se {bend.error:.2g})"
    if bend.missed:
        what = f"{child} depends on {name[bend.curved[0]]} by a curve that has no edge in a linear graph"
    else:
        arrow = isinstance(graph, DAG) and not bend.turned
        edges = [_edge(name[j], child, arrow) for j in bend.curved]
        listed = " and ".join(filter(None, [", ".join(edges[:-1]), edges[-1]]))
        what = f"{listed} {'are' if several else 'is'} curved"
    given = f" for {child} given {_inputs(bend, graph)}" if len(bend.inputs) > 1 else ""
    return f"{what}: {gain}{given}; model='parzen' would follow {'them' if several else 'it'}."


def _edge(other: str, child: str, arrow: bool) -> str:
    return f"{other} -> {child}" if arrow else " -- ".join(sorted((other, child)))


def _inputs(bend: Bend, graph: DAG | UGraph) -> str:
    if len(bend.inputs) <= _NAMED:
        return ", ".join(graph.nodes[j] for j in bend.inputs)
    return f"{len(bend.inputs)} {'parents' if isinstance(graph, DAG) else 'neighbours'}"
