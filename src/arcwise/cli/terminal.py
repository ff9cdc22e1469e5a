"""What people read: tables, a few words in colour, bars; a network with its edges, and how to go on.

On a terminal rich lays things out within its width. In a pipe or a file there are no colours, no
bars and no line breaks inside a sentence or a row of a table, so that other programs can read it.
Names come from users' files: they are never taken for markup, and control characters in them are
written as escapes.
"""

from __future__ import annotations

import json
import math
import sys
import time as clock
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from arcwise import errors
from arcwise.cli.arguments import quote_for_shell
from arcwise.notes import Note, Stop, StopReason

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table as Grid
    from rich.text import Text

    from arcwise.api import Network
    from arcwise.data import Moments, Table
    from arcwise.evaluate import Edge, EdgeTable
    from arcwise.frame import Frame

# No line of a pipe is broken, however wide its table.
ENDLESS = 1_000_000
# The exit code after Ctrl-C.
INTERRUPTED = 130
STANDARD_INPUT = Path("-")

T = TypeVar("T")
# More edges than this are not printed after learning; `arcwise edges` prints all.
PRINTED = 40


def printable(text: object) -> str:
    r"""Write control characters as escapes.

    >>> print(printable("a\x1b[31m\tb"))
    a\x1b[31m\tb
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(text)
    )


def style_text(text: object, style: str = "") -> Text:
    """Give text for a terminal, with no markup in it."""
    from rich.text import Text

    return Text(printable(text), style=style)


def unbroken(text: object) -> Text:
    """Give text that stays one line, however narrow the terminal: it may be copied from there."""
    found = style_text(text)
    found.no_wrap = True
    return found


def _console() -> Console:
    from rich.console import Console

    plain = partial(Console, file=sys.stdout, markup=False, emoji=False, highlight=False)
    found = plain()
    return found if found.is_terminal else plain(width=ENDLESS, color_system=None)


def is_interactive() -> bool:
    """Tell whether standard output is a terminal."""
    return _console().is_terminal


def show(*parts: RenderableType) -> None:
    """Write to standard output; a text is taken as it is, an empty one is an empty line."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            piece = style_text(part) if isinstance(part, str) else part
            console.print(piece, soft_wrap=bool(getattr(piece, "no_wrap", False)))
    text = captured.get()
    if not console.is_terminal:
        text = "".join(line.rstrip() + "\n" for line in text.splitlines())
    sys.stdout.write(text)
    sys.stdout.flush()


def print_aside(said: str | Note) -> None:
    """Write a sentence to standard error, beside the output."""
    sentence = said if isinstance(said, str) else said.shell()
    sys.stderr.write(f"{printable(sentence)}\n")


def end_if_interrupted(stopped: Stop) -> None:
    """End with the exit code of Ctrl-C where that is why a search stopped."""
    if stopped.reason is StopReason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)


def show_json(document: object) -> None:
    """Write one JSON document to standard output; what is no finite number is null."""
    wide = "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()
    text = json.dumps(_plain(document), indent=2, ensure_ascii=not wide, allow_nan=False)
    sys.stdout.write(text + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if isinstance(value, str | int | None) else str(value)


def grid(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: bool = True) -> Grid:
    """Lay rows out under headings; a heading that begins with ``>`` has its column to the right."""
    from rich.table import Table

    found = Table(box=None, padding=(0, 2, 0, 0), show_header=title, header_style="bold")
    for column in columns:
        right = column.startswith(">")
        found.add_column(column.lstrip(">"), justify="right" if right else "left", overflow="fold")
    for row in rows:
        found.add_row(*(each if hasattr(each, "plain") else style_text(each) for each in row))
    return found


def frame_grid(frame: Frame, bars: Sequence[float] = ()) -> Grid:
    """Lay out the columns of a result that are printed, with a bar per row if there are shares for them."""
    columns = frame.printed(None)
    heads = [f"{'>' * column.numeric}{column.head or column.name}" for column in columns]
    cells: list[Sequence[Any]] = [[cell.strip() for cell in column.cells()] for column in columns]
    if len(bars):
        heads, cells = [*heads, ""], [*cells, [bar(share, "blue") for share in bars]]
    return grid(heads, zip(*cells, strict=True))


def facts(pairs: Iterable[tuple[str, object]]) -> Grid:
    """Lay out pairs of a word and what is said about it; empty ones are passed over."""
    rows = [(style_text(word, "bold"), text) for word, text in pairs if str(text)]
    return grid(["", ""], rows, title=False)


def bar(share: float, style: str = "", width: int = 10) -> Text:
    """Draw a number from 0 to 1 as a bar, on a terminal that can show it."""
    console = _console()
    if not console.is_terminal or console.options.ascii_only or not share > 0:
        return style_text("")
    eighths = round(min(share, 1.0) * width * 8)
    full, rest = divmod(max(eighths, 1), 8)
    return style_text("█" * full + ("" if rest == 0 else " ▏▎▍▌▋▊▉"[rest]), style)


def list_names(names: Iterable[str], most: int = 8) -> str:
    """Write names for a sentence, without signs that steer the terminal.

    >>> list_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return errors.join_words(map(printable, names), most)


def file_name(path: Path) -> str:
    """Call a file that is read by its name.

    >>> file_name(Path("data/wine.csv")), file_name(Path("-"))
    ('wine.csv', 'standard input')
    """
    return "standard input" if path == STANDARD_INPUT else path.name


# -- a network ---------------------------------------------------------------------------------------


def show_network(net: Network, path: Path, seconds: float | None = None) -> None:
    """Print what was learned or fitted: data, decisions, score, search, edges."""
    show(facts(_about(net, path, seconds)), "")
    show_edges(net.edges.present.sorted(), net, most=PRINTED)


def _about(net: Network, path: Path, seconds: float | None) -> list[tuple[str, object]]:
    from arcwise.api.describe import describe

    told: dict[str, Callable[[str], object]] = {
        "data": lambda text: style_text(f"{file_name(path)}: {text}"),
        "graph": lambda text: "" if net.directed else "undirected",
    }
    return [
        (label, told.get(label, str)(text))
        for label, text in describe(net, seconds, Note.shell)
        if label != "edges"
    ]


def origin(
    source: Table | Moments, path: Path, counted: float | None, notes: Iterable[Note]
) -> list[tuple[str, object]]:
    """Facts on where data came from and how much there is, and notes as one would type what they advise."""
    from arcwise.api.describe import data_said

    said = dict.fromkeys([*source.notes, *notes])
    data = f"{file_name(path)}: {data_said(source, counted)}"
    return [("data", data), *(("note", note.shell()) for note in said)]


def time_work(work: Callable[[], T]) -> tuple[T, float]:
    """Do some work; give its result, and the seconds that it took."""
    began = clock.monotonic()
    result = work()
    return result, clock.monotonic() - began


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
        show(f"... and {errors.plural(len(edges) - len(rows), 'more edge')}")
    count = f"{errors.plural(len(edges), 'edge')}. "
    said = legend(edges, Note.shell)
    lines = [f"{count * (not i)}{line}" for i, line in enumerate(said)]
    show("", *(style_text(line, "dim") for line in lines), "")


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
        colour = "red" if row.sign < 0 else "blue"
        share = row.strength / top if top > 0 else 0.0
        lines.append(
            (
                style_text(tail),
                style_text(sign, "" if row.head else "dim"),
                style_text(head),
                style_text(_number(row.strength, 4)),
                bar(share, colour),
                *(style_text(write(row)) for write in more.values()),
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
    if any(row.reversal_loss is not None and math.isfinite(row.reversal_loss) for row in rows):
        columns[">reversed"] = lambda row: _number(row.reversal_loss, 1)
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


def show_go_on(net: Network, source: Table | Moments, model: Path, data: Path) -> None:
    """Print a command to go on with, on one line, so that it can be copied."""
    show(unbroken(f"Next: {go_on(net, source, model, data)}"))


def go_on(net: Network, source: Table | Moments, model: Path, data: Path) -> str:
    """Give a command that asks the model something sensible: the last connected column, given a neighbour.

    If there are no edges, evidence changes no answer: then the command checks the table.
    """
    strongest = net.edges.present.sorted().rows
    touched = {name for row in strongest for name in row[:2]}
    target = next((name for name in reversed(net.variables) if name in touched), None)
    if target is None:
        readable = data.is_file() and not str(data).startswith("-")
        return (
            f"arcwise audit {quote_for_shell(str(data))}"
            if readable
            else _query(model, net.variables[-1])
        )
    beside = next(row for row in strongest if target in row[:2])
    other = beside.second if beside.first == target else beside.first
    return _query(model, target, f"{other}={_unusual(net, source, other)}")


def _query(model: Path, target: str, seen: str = "") -> str:
    """Write the command; after ``--`` nothing that begins with a minus is taken for an option."""
    plain = not any(word.startswith("-") for word in (str(model), target, seen))
    asked = f"{quote_for_shell(str(model))} {quote_for_shell(target)}"
    if plain:
        return f"arcwise query {asked}" + (f" --given {quote_for_shell(seen)}" if seen else "")
    given = f"--given={quote_for_shell(seen)} " if seen else ""
    return f"arcwise query {given}-- {asked}"


def _unusual(net: Network, source: Table | Moments, name: str) -> str:
    """A value of the data that changes an answer: a high number, or the level second in frequency."""
    import numpy as np

    from arcwise.data import Moments

    if isinstance(source, Moments):
        node = source.index(name)
        return f"{source.mean[node] + np.sqrt(source.scatter[node, node] / source.n):.3g}"
    if net.net.variables[net.net.index(name)].discrete:
        levels = source.variable(name).levels or ()
        counts = np.bincount(source.column(name), minlength=len(levels) + 1)[: len(levels)]
        frequent = np.argsort(-counts, kind="stable")[:2].tolist()
        return str(levels[[code for code in frequent if counts[code]][-1]])
    return f"{np.nanquantile(source.select([name]).matrix(), 0.9):.3g}"
