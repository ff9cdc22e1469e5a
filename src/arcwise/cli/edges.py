"""``arcwise edges``: the table of edges of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import choices, rows, shown, summary, words
from arcwise.errors import WordError

if TYPE_CHECKING:
    from arcwise.evaluate import EdgeTable

__all__ = ["edges"]


def edges(
    net: choices.NetFile,
    every: Annotated[
        bool, typer.Option("--all", help="All pairs, also those without an edge.")
    ] = False,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            help="By strength, partial_correlation, names, or, with --refit, refit_loss.",
            metavar="COLUMN",
        ),
    ] = "strength",
    refit: Annotated[
        bool,
        typer.Option(
            "--refit",
            help="Of an undirected gaussian network: what the likelihood loses without each edge when"
            " the others are fitted again.",
        ),
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print a CSV table, for machines.")] = False,
    plot: choices.Plot = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            min=0,
            metavar="NUMBER",
            help="Draw only so many of the strongest edges, with --plot.",
            rich_help_panel="The output",
        ),
    ] = None,
    json: choices.Json = False,
) -> None:
    """Print the edges of a network, strongest first, and draw it.

    Example: arcwise edges wine.json --csv > edges.csv; arcwise edges wine.json --plot wine.png --top 20
    """
    if plot is not None:
        rows.picture(plot, [net])
    elif top is not None:
        raise WordError("--top says how many edges to draw: it needs --plot FILE.")
    network = words.load_network(net)
    if sort == "refit_loss" and not refit:
        raise WordError("--sort refit_loss needs --refit, which finds the losses.")
    found = network.refit_losses() if refit else network.edges
    table = (found if every else found.present).sorted(sort)
    if json:
        shown.show_json({"strength": table.meaning, "edges": table.to_dict()})
    elif csv:
        rows.print_table(_columns(table))
    else:
        summary.show_edges(table, network)
    if plot is not None:
        rows.draw(lambda: network.plot(top=top), plot)
        if not (json or csv):
            shown.show(shown.wrote(plot, "a picture"))


def _columns(table: EdgeTable) -> Any:
    """Give the table by columns: from, to and what is known of the pair."""
    import pyarrow as pa

    found = list(table)
    ends = [summary.arrow(row) for row in found]
    directed = table.directed
    names = ("from", "to") if directed else ("first", "second")
    columns = {
        names[0]: pa.array([tail for tail, _, _ in ends], pa.string()),
        names[1]: pa.array([head for _, _, head in ends], pa.string()),
        "present": pa.array([row.present for row in found], pa.bool_()),
        "reversible": pa.array([row.reversible for row in found], pa.bool_()),
        "strength": _numbers([row.strength for row in found]),
        "partial_correlation": _numbers([row.partial_correlation for row in found]),
    }
    if not directed and table.sides is None:
        del columns["reversible"]
        columns["sign"] = pa.array([row.sign for row in found], pa.int64())
    if "refit_loss" in table.more:
        columns["refit_loss"] = _numbers([row.refit_loss for row in found])
    if table.sides is not None:
        del columns["reversible"]
        columns["first_side"] = _numbers([row.first_side for row in found])
        columns["second_side"] = _numbers([row.second_side for row in found])
    return pa.table(columns)


def _numbers(values: list[Any]) -> Any:
    import pyarrow as pa

    return pa.array(values, pa.float64(), from_pandas=True)
