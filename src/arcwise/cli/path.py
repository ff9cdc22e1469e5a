"""``arcwise path``: undirected graphs against the price of an edge."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import choices, rows, shown, summary, words
from arcwise.errors import FileError

if TYPE_CHECKING:
    from arcwise.api import PenaltyPath
    from arcwise.data import Moments, Table

__all__ = ["path"]

INTERRUPTED = 130
# So many removals are printed: the last ones, of the strongest edges.
PRINTED = 40


def path(
    data: choices.DataFile,
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    stream: choices.Stream = False,
    model: choices.Model = "auto",
    score: choices.Score = None,
    search: choices.UndirectedSearch = "auto",
    option: choices.Options = None,
    seed: choices.Seed = 0,
    jobs: choices.Jobs = 1,
    time: choices.Time = None,
    require: choices.Require = None,
    forbid: choices.Forbid = None,
    prior_rows: choices.PriorRows = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write edges against penalty as a table: .csv, .tsv or .parquet.",
            rich_help_panel="The output",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw edges against penalty: .png, .pdf or .svg.",
            rich_help_panel="The output",
        ),
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(
            "--edges",
            metavar="FILE",
            help="Write one row for each penalty and edge, with the partial correlation that the graphical"
            " lasso has there: .csv, .tsv or .parquet.",
            rich_help_panel="The output",
        ),
    ] = None,
    plot_edges: Annotated[
        Path | None,
        typer.Option(
            "--plot-edges",
            metavar="FILE",
            help="Draw partial correlations against penalty, of the graphical lasso: .png, .pdf or .svg.",
            rich_help_panel="The output",
        ),
    ] = None,
    json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Learn undirected graphs at every price of an edge, from the complete graph to none.

    Prints each removal: the penalty from which on the edge is gone, and what the models at its two
    ends lose without it, in nats per row. For gaussian models it is the path of the graphical lasso:
    edges at 30 penalties. Ctrl-C ends the run with the path so far.

    Example: arcwise path boston.csv --model parzen -o curve.csv --plot curve.png
    """
    asked = {**locals(), "graph": "undirected", "tier": None, "max_parents": None}
    from arcwise import api

    for place in filter(None, (output, edges)):
        rows.destination(place, [data], rows.TABLES)
    for place in filter(None, (plot, plot_edges)):
        rows.picture(place, [data])
    _refuse_twice([place for place in (output, edges, plot, plot_edges) if place])
    chosen = {**words.learning_words(asked), "time": time, "progress": False if quiet else None}
    source = words.moments(asked) if stream else words.table(asked)
    began = clock.monotonic()
    found = api.path(source, **chosen)
    seconds = clock.monotonic() - began
    written = _write(found, output, plot, edges, plot_edges)
    if json:
        shown.show_json({**found.to_dict(), "written": [str(each) for each in written]})
    elif not quiet:
        _show(found, source, data, seconds)
        shown.show(*(shown.wrote(each, what) for each, what in written.items()))
    if found.stopped.endswith("Ctrl-C"):
        raise typer.Exit(INTERRUPTED)


def _refuse_twice(places: list[Path]) -> None:
    names = [place.resolve() for place in places]
    for place, name in zip(places, names, strict=True):
        if names.count(name) > 1:
            raise FileError(f"{str(place)!r} is written twice: give each output a name of its own.")


def _write(
    found: PenaltyPath,
    output: Path | None,
    plot: Path | None,
    edges: Path | None,
    plot_edges: Path | None,
) -> dict[Path, str]:
    """Write tables and pictures where they are asked for; say what is where."""
    written = {}
    if output is not None:
        rows.write_table(_columns([*zip(*found.curve(), strict=True)], _CURVE), output)
        written[output] = "edges against penalty"
    if edges is not None:
        rows.write_table(_columns([*zip(*found.edge_rows(), strict=True)], _EDGES), edges)
        written[edges] = "edges at each penalty"
    if plot is not None:
        rows.draw(found.plot, plot)
        written[plot] = "a picture"
    if plot_edges is not None:
        rows.draw(found.plot_edges, plot_edges)
        written[plot_edges] = "a picture of partial correlations"
    return written


_CURVE = {"penalty": "float64", "edges": "int64"}
_EDGES = {
    "penalty": "float64",
    "first": "string",
    "second": "string",
    "partial_correlation": "float64",
}


def _columns(values: list[Any], kinds: dict[str, str]) -> Any:
    """Give a table by columns; a path without any edge has none of their values."""
    import pyarrow as pa

    columns = values or [()] * len(kinds)
    return pa.table(
        {
            name: pa.array(column, pa.type_for_alias(kind))
            for (name, kind), column in zip(kinds.items(), columns, strict=True)
        }
    )


def _show(found: PenaltyPath, source: Table | Moments, data: Path, seconds: float) -> None:
    words = found.words
    about: list[tuple[str, object]] = [
        ("data", shown.styled(summary.said_of(source, data, found.rows))),
        *(("note", note) for note in summary.said_notes([*source.notes, *found.notes])),
        ("model", str(words["model"])),
        ("score", "" if found.path.grid else str(words["score"])),
        ("search", f"{words['search']} in {seconds:.1f} s; {found.stopped}"),
    ]
    shown.show(shown.facts(about), "")
    gone = found.removals
    if gone:
        shown.show(shown.grid(_HEAD, [_cells(found, each) for each in gone[-PRINTED:]]))
    else:
        curve = [(str(edges), f"{penalty:.4f}") for penalty, edges in found.curve()]
        head = ">at penalty" if found.path.grid else ">from penalty"
        shown.show(shown.grid([">edges left", head], curve))
    if len(gone) > PRINTED:
        shown.show(f"... after {shown.plural(len(gone) - PRINTED, 'removal')} of weaker edges")
    what = "Penalties" if found.path.grid else "Penalties and losses"
    shown.show("", shown.styled(f"{what} in {found.unit}.", "dim"), "")


_HEAD = [">edges left", ">from penalty", "edge removed", ">first loses", ">second loses"]


def _cells(found: PenaltyPath, each: Any) -> list[str]:
    names = found.path.nodes
    losses = [f"{loss:.4f}" for loss in each.losses]
    edge = f"{names[each.first]} -- {names[each.second]}"
    return [str(each.edges), f"{max(each.penalty, 0.0):.4f}", edge, *losses]
