"""``arcwise compare``: how far apart two graphs are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import choices, shown, words
from arcwise.errors import GraphError

if TYPE_CHECKING:
    from arcwise.graphs import DAG, PDAG, UGraph

    Graph = DAG | UGraph | PDAG

__all__ = ["compare"]

# So many differences of a kind are printed.
PRINTED = 20


def compare(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A graph: a model file, a .bif file, a .csv table of arcs or edges, a model string,"
            " or 'ug a:b + b:c' for an undirected one.",
            show_default=False,
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", help="The graph to compare it with.", show_default=False)
    ],
    json: choices.Json = False,
) -> None:
    """Compare a graph with another one: edges in both, edges in one, distances.

    A node that only one graph names counts as one without edges in the other.

    Example: arcwise compare learned.json '[pH][alcohol][quality|pH:alcohol]'
    """
    from arcwise.graphs import compare as compare_graphs

    one, two = words.any_graph(first), words.any_graph(second)
    notes = _lacking(one, two)
    nodes = sorted({*one.nodes, *two.nodes})
    found = compare_graphs(one.over(nodes), two.over(nodes))
    differing = _differences(one, two)
    if json:
        shown.show_json({**asdict(found), "differences": differing, "notes": notes})
        return
    for note in notes:
        shown.aside(note)
    shown.show(*str(found).splitlines())
    for what, pairs in differing.items():
        if pairs:
            shown.show("", shown.styled(what, "bold"), *_lines(pairs))


def _lacking(one: Graph, two: Graph) -> list[str]:
    """Say which nodes each graph lacks: tables of arcs often name only nodes with arcs."""
    if one.nodes and two.nodes and set(one.nodes).isdisjoint(two.nodes):
        raise GraphError(
            f"The two graphs share no node: A has {shown.listed(one.nodes)}, "
            f"B has {shown.listed(two.nodes)}."
        )
    notes = []
    for name, graph, other in (("A", one, two), ("B", two, one)):
        named = set(graph.nodes)
        absent = [node for node in other.nodes if node not in named]
        if absent:
            counted = "a node" if len(absent) == 1 else "nodes"
            notes.append(
                f"{name} does not name {shown.listed(absent)}: counted as {counted} without edges."
            )
    return notes


def _lines(pairs: list[str]) -> list[Any]:
    lines = [shown.styled(f"  {pair}") for pair in pairs[:PRINTED]]
    more = len(pairs) - PRINTED
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def _differences(one: Graph, two: Graph) -> dict[str, list[str]]:
    """List the pairs that differ: joined in one graph only, or joined in another way."""
    left, right = _joined(one), _joined(two)
    alike = hasattr(one, "arcs") == hasattr(two, "arcs")  # else every pair is joined in another way
    return {
        "only in A": [left[pair] for pair in sorted(set(left) - set(right))],
        "only in B": [right[pair] for pair in sorted(set(right) - set(left))],
        "joined in another way": [
            f"{left[pair]} in A, {right[pair]} in B"
            for pair in sorted(set(left) & set(right))
            if alike and left[pair] != right[pair]
        ],
    }


def _joined(graph: Graph) -> dict[tuple[str, str], str]:
    """Say of each pair, in the order of names, how it is joined."""
    found = {}
    for tail, head in getattr(graph, "arcs", ()):
        found[min(tail, head), max(tail, head)] = f"{tail} -> {head}"
    for one, two in getattr(graph, "edges", ()):
        found[min(one, two), max(one, two)] = f"{min(one, two)} -- {max(one, two)}"
    return found
