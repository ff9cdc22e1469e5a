"""Commands on graphs and their files: ``compare`` and ``convert``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, outputs
from arcwise.cli.flags import argument
from arcwise.cli.inputs import any_graph
from arcwise.cli.terminal import list_names, print_aside, show, show_json, style_text
from arcwise.errors import ArcwiseError, FitError, GraphError

if TYPE_CHECKING:
    from arcwise.graphs import DAG, PDAG, Comparison, UGraph

    Graph = DAG | UGraph | PDAG

# So many differences of a kind are printed.
PRINTED = 20


def compare(
    first: Annotated[str, argument("A")],
    second: Annotated[str, argument("B")],
    json: flags.Json = False,
) -> None:
    """Compare two graphs: common edges, differences, distances.

    For two networks with parameters, prints the Kullback-Leibler divergences, too, in nats per row, and on
    equal graphs the parameters that differ most. A node of only one graph has no edges in the other.

    Example: arcwise compare learned.json '[pH][alcohol][quality|pH:alcohol]'

    Parameters
    ----------
    first : a graph file, or a graph such as '[a][b|a]' or 'a -- b'.
    second : the graph to compare it with.
    """
    from arcwise.graphs import compare as compare_graphs

    one, two = any_graph(first), any_graph(second)
    notes = _missing_nodes(one, two)
    nodes = sorted({*one.nodes, *two.nodes})
    found = compare_graphs(one.over(nodes), two.over(nodes))
    differing = _differences(found)
    numbers = _numbers(first, second)
    if json:
        show_json({**asdict(found), "differences": differing, "notes": notes, **numbers})
        return
    for note in notes:
        print_aside(note)
    show(*found.distances)
    for what, pairs in differing.items():
        if pairs:
            show("", style_text(what, "bold"), *_lines(pairs))
    _show_numbers(numbers)


def _numbers(first: str, second: str) -> dict[str, Any]:
    """Divergences and differing numbers of two networks, where both have numbers of the same variables."""
    from arcwise import api, io

    nets = [io.load(text).net if Path(text).exists() else None for text in (first, second)]
    one, two = nets
    if one is None or two is None or set(one.names) != set(two.names):
        return {}
    try:
        both = {"D(A||B)": api.divergence(one, two), "D(B||A)": api.divergence(two, one)}
    except ArcwiseError as error:
        return {"divergence": str(error)}
    found: dict[str, Any] = {
        "divergence": {
            each: {"nats": found.nats, "error": found.error} for each, found in both.items()
        }
    }
    if one.graph == two.graph:
        with suppress(FitError):
            largest = api.parameter_differences(one, two, most=5)
            found["parameters"] = [each._asdict() for each in largest]
    return found


def _show_numbers(found: dict[str, Any]) -> None:
    """Print divergences, and the numbers that differ most."""
    apart = found.get("divergence", {})
    if isinstance(apart, str):
        print_aside(f"No divergence: {apart}")
    elif apart:
        show("", style_text("divergence (nats per row)", "bold"))
        for each, value in apart.items():
            error = f" ± {value['error']:.2g}" if value["error"] else ""
            show(f"  {each}: {value['nats']:.6g}{error}")
    if found.get("parameters"):
        show("", style_text("parameters that differ most", "bold"))
        show(
            *(
                f"  {each['variable']}: {each['number']} is {each['first']:.4g} in A, "
                f"{each['second']:.4g} in B"
                for each in found["parameters"]
            )
        )


def _missing_nodes(one: Graph, two: Graph) -> list[str]:
    """Say which nodes each graph lacks: tables of arcs often name only nodes with arcs."""
    if one.nodes and two.nodes and set(one.nodes).isdisjoint(two.nodes):
        raise GraphError(
            f"The two graphs share no node: A has {list_names(one.nodes)}, B has {list_names(two.nodes)}."
        )
    notes = []
    for name, graph, other in (("A", one, two), ("B", two, one)):
        absent = [node for node in other.nodes if node not in set(graph.nodes)]
        if absent:
            counted = "a node" if len(absent) == 1 else "nodes"
            notes.append(
                f"{name} does not name {list_names(absent)}: counted as {counted} without edges."
            )
    return notes


def _lines(pairs: list[str]) -> list[Any]:
    lines = [style_text(f"  {pair}") for pair in pairs[:PRINTED]]
    more = len(pairs) - PRINTED
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def _differences(found: Comparison) -> dict[str, list[str]]:
    """List the pairs that differ: joined in one graph only, or joined in another way."""
    others = [each for each in found.differences if each.graph and each.reference]
    return {
        "only in A": [each.graph for each in found.differences if not each.reference],
        "only in B": [each.reference for each in found.differences if not each.graph],
        "another kind of edge": [f"{each.graph} in A, {each.reference} in B" for each in others],
    }


def convert(
    source: Annotated[str, argument("IN")], target: Annotated[Path, argument("OUT")]
) -> None:
    """Convert a network or a graph to another file format.

    A .json or .arcwise file contains the whole network; .bif, .xmlbif, .net, .xdsl and .uai files a discrete
    network, .csv files the edges, .dot files the graph for Graphviz.

    Example: arcwise convert alarm.bif.gz alarm.dot

    Parameters
    ----------
    source : a network or graph file, or a graph such as '[a][b|a]'.
    target : the file to write: {formats}; also with .gz.
    """
    from arcwise import api, io

    outputs.check([(target, ())], [Path(source)])
    there = Path(source).exists()
    stored = io.load(source) if there else io.StoredNet(any_graph(source))
    learned = stored.net is not None or "kind" in stored.about
    drawn = api.load(source).drawn if learned and io.is_figure(target) else stored
    io.save(drawn, target)
    ending = Path(target.name.lower().removesuffix(".gz")).suffix
    whole = ending in (*outputs.MODELS, *io.DISCRETE)
    fitted = "the network" if whole else "the graph without its parameters"
    outputs.say_written({target: "a graph" if stored.net is None else fitted})
