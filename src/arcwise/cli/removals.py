"""Commands that take edges or inputs away one by one: ``path`` and ``prune``."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import options, outputs, summary, terminal
from arcwise.cli.categories import Categories
from arcwise.cli.options import data_option, learning_option, main_output, output_option
from arcwise.errors import plural

if TYPE_CHECKING:
    from arcwise.api import PenaltyPath
    from arcwise.data import Moments, Table
    from arcwise.evaluate.validate import Pruning

# So many removals are printed: the last ones, of the strongest edges.
PRINTED = 40


def path(
    *,
    source: options.Source,
    stream: options.Stream = False,
    search: Annotated[str, learning_option("WORD")] = "auto",
    scoring: options.Scoring,
    known: options.EdgeRules,
    categories: Categories,
    time_limit: options.TimeLimit = None,
    output: Annotated[Path | None, main_output()] = None,
    plot: Annotated[Path | None, output_option()] = None,
    edges: Annotated[Path | None, output_option()] = None,
    plot_edges: Annotated[Path | None, output_option()] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn undirected graphs at every penalty per edge, from the complete graph to none.

    Prints each removal: the penalty from which on the edge is gone, and what the models at its two
    ends lose without it, in nats per row. For gaussian models it is the path of the graphical lasso:
    edges at 30 penalties. Ctrl-C ends the run with the path so far.

    Example: arcwise path boston.csv --model parzen -o curve.csv --plot curve.png

    Parameters
    ----------
    search : how edges are removed: {undirected}, where boundary takes the weakest one away first and
        deletion tests each given all others; for gaussian models also glasso (the graphical lasso) or
        neighbourhood. auto is glasso for gaussian models unless a score is given, else boundary.
    output : write the number of edges against the penalty as a table: {tables}.
    plot : draw the number of edges against the penalty: {pictures}.
    edges : write one row for each penalty and edge, with the partial correlation that the graphical lasso
        has there: {tables}.
    plot_edges : draw partial correlations against the penalty, of the graphical lasso: {pictures}.
    """
    from arcwise import api
    from arcwise.plot import PICTURES

    tables = [(output, outputs.TABLES), (edges, outputs.TABLES)]
    outputs.check([*tables, (plot, PICTURES), (plot_edges, PICTURES)], [source.data])
    settings = {
        "graph": "undirected",
        "search": search,
        "time_limit": time_limit,
        **scoring.settings(),
    }
    settings |= {"progress": False if quiet else None, **known.settings(source)}
    data = categories.table(source, stream, scoring.model)
    began = clock.monotonic()
    found = api.path(data, **settings)
    seconds = clock.monotonic() - began
    written = outputs.write(
        [
            (output, lambda to: outputs.write_table(_curve(found), to), "edges against penalty"),
            (edges, lambda to: outputs.write_table(_edges(found), to), "edges at each penalty"),
            (plot, outputs.draw(found.plot), "a picture"),
            (plot_edges, outputs.draw(found.plot_edges), "a picture of partial correlations"),
        ]
    )
    if json:
        terminal.show_json({**found.to_dict(), "written": [str(each) for each in written]})
    elif not quiet:
        _show_path(found, data, source.data, seconds)
        outputs.say_written(written)
    terminal.end_if_interrupted(found.stopped)


def _curve(found: PenaltyPath) -> Any:
    return outputs.arrow(found.curve(), {"penalty": "float64", "edges": "int64"})


def _edges(found: PenaltyPath) -> Any:
    ends = {"penalty": "float64", "first": "string", "second": "string"}
    return outputs.arrow(found.edge_rows(), {**ends, "partial_correlation": "float64"})


def _show_path(found: PenaltyPath, data: Table | Moments, name: Path, seconds: float) -> None:
    words, gone = found.settings, found.removals
    about: list[tuple[str, object]] = [
        ("data", summary.said_of(data, name, found.rows)),
        *(("note", note) for note in summary.said_notes([*data.notes, *found.notes])),
        ("model", str(words["model"])),
        ("score", "" if found.unit.startswith("rho") else str(words["score"])),
        ("search", f"{words['search']} in {seconds:.1f} s; {found.stopped}"),
    ]
    terminal.show(terminal.facts(about), "")
    if gone:
        head = [">edges left", ">from penalty", "edge removed", ">first loses", ">second loses"]
        terminal.show(terminal.grid(head, [_cells(found, each) for each in gone[-PRINTED:]]))
    else:
        curve = [(str(edges), f"{penalty:.4f}") for penalty, edges in found.curve()]
        at = ">at penalty" if found.path.grid else ">from penalty"
        terminal.show(terminal.grid([">edges left", at], curve))
    if len(gone) > PRINTED:
        more = plural(len(gone) - PRINTED, "removal")
        terminal.show(f"... after {more} of weaker edges")
    what = "Penalties" if found.path.grid else "Penalties and losses"
    terminal.show("", terminal.styled(f"{what} in {found.unit}.", "dim"), "")


def _cells(found: PenaltyPath, each: Any) -> list[str]:
    names = found.path.nodes
    losses = [f"{loss:.4f}" for loss in each.losses]
    edge = f"{names[each.first]} -- {names[each.second]}"
    return [str(each.edges), f"{max(each.penalty, 0.0):.4f}", edge, *losses]


def prune(
    source: options.Source,
    target: options.Target,
    scoring: options.Scoring,
    test: Annotated[Path | None, data_option("FILE")] = None,
    time_limit: options.TimeLimit = None,
    output: Annotated[Path | None, main_output()] = None,
    json: options.Json = False,
) -> None:
    """Predict one variable from fewer and fewer others: the least useful one goes first.

    Prints the score against the number of inputs left: how many of them matter, and which (backward
    elimination).

    Example: arcwise prune boston.csv INDUS --model parzen --option bandwidths=one

    Parameters
    ----------
    test : a table of other rows, to be scored by every model.
    output : write the stages as a table: {tables}.
    """
    from arcwise import api
    from arcwise.data import read

    outputs.check([(output, outputs.TABLES)], [source.data])
    settings = {**scoring.settings(), "missing": source.missing}
    other = None if test is None else read(test)
    found = api.prune(source.table(), target, test=other, time_limit=time_limit, **settings)
    what = f"{plural(len(found.stages), 'stage')} of {target}"
    written = outputs.write([(output, lambda to: outputs.write_table(_stages(found), to), what)])
    if json:
        terminal.show_json(found.to_dict())
    elif output is None:
        terminal.show(*str(found).splitlines())
    else:
        outputs.say_written(written)
        if found.stopped:
            terminal.show(str(found).splitlines()[-1])


def _stages(found: Pruning) -> Any:
    import pyarrow as pa

    own = ("removed", "score", "test", "test_median")
    return pa.table(
        {
            "inputs": [len(stage.inputs) for stage in found.stages],
            **{word: [getattr(stage, word) for stage in found.stages] for word in own},
            "names": [" ".join(stage.inputs) for stage in found.stages],
        }
    )
