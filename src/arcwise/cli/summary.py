"""A fitted network as a person likes to read it: what it was made from, its edges, how to go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.cli.inputs import file_name
from arcwise.cli.syntax import shell_words, typed
from arcwise.cli.terminal import bar, facts, grid, show, styled, unbroken
from arcwise.errors import plural

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Moments, Table
    from arcwise.evaluate import Edge, EdgeTable

# More edges than this are not printed after learning; `arcwise edges` prints all.
PRINTED = 40


def show_network(net: Network, path: Path, seconds: float | None = None) -> None:
    """Print what was learned or fitted: data, decisions, score, search, edges."""
    show(facts(_about(net, path, seconds)), "")
    show_edges(net.edges.present.sorted(), net, most=PRINTED)


def _about(net: Network, path: Path, seconds: float | None) -> list[tuple[str, object]]:
    told: dict[str, Callable[[str], object]] = {
        "data": lambda text: styled(f"{file_name(path)}: {text}"),
        "note": shell_words,
        "graph": lambda text: "" if net.directed else "undirected",
    }
    return [
        (label, told.get(label, str)(text))
        for label, text in net.describe(seconds)
        if label != "edges"
    ]


def said_of(source: Table | Moments, path: Path, counted: float | None) -> str:
    """Say where data came from, and how much there is."""
    from arcwise.api.describe import data_said

    return f"{file_name(path)}: {data_said(source, counted)}"


def said_notes(notes: Iterable[str]) -> list[str]:
    """Notes as one would type what they advise, each once."""
    return [shell_words(note) for note in dict.fromkeys(notes)]


# -- edges ---------------------------------------------------------------------------------------


def show_edges(edges: EdgeTable, net: Network, most: int | None = None) -> None:
    """Print edges in their order, with what their strength means."""
    from arcwise.api.describe import legend, no_edges

    if not len(edges):
        show(no_edges(net), "")
        return
    rows = list(edges)[: most or len(edges)]
    show(edge_grid(rows))
    if len(edges) > len(rows):
        show(f"... and {plural(len(edges) - len(rows), 'more edge')}")
    count = f"{plural(len(edges), 'edge')}. "
    said = map(shell_words, legend(edges))
    lines = [f"{count * (not i)}{line}" for i, line in enumerate(said)]
    show("", *(styled(line, "dim") for line in lines), "")


def arrow(row: Edge) -> tuple[str, str, str]:
    """Give a pair as it is read: from, sign, to."""
    if not row.present:
        return row.first, "", row.second
    forward = not row.direction or row.direction.startswith(f"{row.first} -> ")
    tail, head = (row.first, row.second) if forward else (row.second, row.first)
    return tail, "->" if row.direction and row.head else "--", head


def edge_grid(rows: Sequence[Edge]) -> Any:
    """Lay edges out, with bars for their strengths and colours for their signs."""
    top = max((row.strength for row in rows if math.isfinite(row.strength)), default=0.0)
    more = _more_columns(rows)
    lines = []
    for row in rows:
        tail, sign, head = arrow(row)
        colour = "red" if row.partial_correlation < 0 else "blue"
        share = row.strength / top if top > 0 else 0.0
        lines.append(
            (
                styled(tail),
                styled(sign, "" if row.head else "dim"),
                styled(head),
                styled(_number(row.strength, 4)),
                bar(share, colour),
                *(styled(write(row)) for write in more.values()),
            )
        )
    ends = ("from", "to") if any(row.direction for row in rows) else ("first", "second")
    return grid([ends[0], "", ends[1], ">strength", "", *more], lines)


def _more_columns(rows: Sequence[Edge]) -> dict[str, Callable[[Edge], str]]:
    """Further columns that say something of these edges, each with how a row is written in it."""
    columns: dict[str, Callable[[Edge], str]] = {}
    if any(math.isfinite(row.partial_correlation) for row in rows):
        columns[">partial r"] = lambda row: _number(row.partial_correlation, 3)
    if any(row.certainty is not None for row in rows):
        columns[">certainty"] = lambda row: _number(row.certainty, 3)
        columns[">error"] = lambda row: _number(row.certainty_error, 3)
    if any(row.direction_support is not None for row in rows):
        columns[">direction"] = lambda row: _number(row.direction_support, 3)
    if any(row.refit_loss is not None for row in rows):
        columns[">refit loss"] = lambda row: _number(row.refit_loss, 4)
    if any(row.first_side is not None for row in rows):
        columns[">at first"] = lambda row: _number(row.first_side, 4)
        columns[">at second"] = lambda row: _number(row.second_side, 4)
    return columns


def _number(value: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" if value is not None and math.isfinite(value) else ""


# -- for machines, and what to do next -----------------------------------------------------------


def document(
    net: Network, source: Table | Moments, path: Path, written: Iterable[Path]
) -> dict[str, Any]:
    """Give all that `show_network` prints, and more, as plain values."""
    from arcwise.data import Moments

    rows, told = source.n if isinstance(source, Moments) else source.rows, net.to_dict()
    return {
        "data": {"file": str(path), "rows": rows, "columns": list(source.order or source.names)},
        "rows_used": told.pop("rows"),
        **told,
        "written": [str(each) for each in written],
    }


def show_go_on(net: Network, source: Table | Moments, model: Path) -> None:
    """Print a command to go on with, on one line, so that it can be copied."""
    show(unbroken(f"Go on with: {go_on(net, source, model)}"))


def go_on(net: Network, source: Table | Moments, model: Path) -> str:
    """Give a command that asks the model something sensible: the last connected column."""
    strongest = net.edges.present.sorted().rows
    touched = {name for row in strongest for name in row[:2]}
    target = next((name for name in reversed(net.variables) if name in touched), None)
    if target is None:
        return _query(model, net.variables[-1])
    beside = next(row for row in strongest if target in row[:2])
    other = beside.second if beside.first == target else beside.first
    return _query(model, target, f"{other}={_typical(net, source, other)}")


def _query(model: Path, target: str, seen: str = "") -> str:
    """Write the command; after ``--`` nothing that begins with a minus is taken for an option."""
    plain = not any(word.startswith("-") for word in (str(model), target, seen))
    asked = f"{typed(str(model))} {typed(target)}"
    if plain:
        return f"arcwise query {asked}" + (f" --given {typed(seen)}" if seen else "")
    given = f"--given={typed(seen)} " if seen else ""
    return f"arcwise query {given}-- {asked}"


def _typical(net: Network, source: Table | Moments, name: str) -> str:
    """A value that one may well see: the mean, or the level that is most often there."""
    import numpy as np

    from arcwise.data import Moments

    if isinstance(source, Moments):
        return f"{source.mean[source.index(name)]:.3g}"
    if net.net.variables[net.net.index(name)].discrete:
        levels = source.variable(name).levels or ()
        counts = np.bincount(source.column(name), minlength=len(levels) + 1)[: len(levels)]
        return str(levels[int(counts.argmax())])
    return f"{np.nanmean(source.select([name]).matrix()):.3g}"
