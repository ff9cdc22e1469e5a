"""What people read: tables, a few words in colour, bars; plain text where no person is looking.

On a terminal rich lays things out within its width. In a pipe or a file there are no colours, no
bars and no line breaks inside a sentence or a row of a table, so that other programs can read it.
Names come from users' files: they are never taken for markup, and control characters in them are
written as escapes.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from arcwise import errors

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table as Grid
    from rich.text import Text

# No line of a pipe is broken, however wide its table.
ENDLESS = 1_000_000
# The exit code after Ctrl-C.
INTERRUPTED = 130


def printable(text: object) -> str:
    r"""Write control characters as escapes.

    >>> print(printable("a\x1b[31m\tb"))
    a\x1b[31m\tb
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(text)
    )


def styled(text: object, style: str = "") -> Text:
    """Give text for a terminal, with no markup in it."""
    from rich.text import Text

    return Text(printable(text), style=style)


def unbroken(text: object) -> Text:
    """Give text that stays one line, however narrow the terminal: it may be copied from there."""
    found = styled(text)
    found.no_wrap = True
    return found


def _console() -> Console:
    from rich.console import Console

    plain = partial(Console, file=sys.stdout, markup=False, emoji=False, highlight=False)
    found = plain()
    return found if found.is_terminal else plain(width=ENDLESS, color_system=None)


def show(*parts: RenderableType) -> None:
    """Write to standard output; a text is taken as it is, an empty one is an empty line."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            piece = styled(part) if isinstance(part, str) else part
            console.print(piece, soft_wrap=bool(getattr(piece, "no_wrap", False)))
    text = captured.get()
    if not console.is_terminal:
        text = "".join(line.rstrip() + "\n" for line in text.splitlines())
    sys.stdout.write(text)
    sys.stdout.flush()


def aside(sentence: str) -> None:
    """Write a sentence to standard error, beside the output."""
    sys.stderr.write(f"{printable(sentence)}\n")


def end_if_interrupted(stopped: str) -> None:
    """End with the exit code of Ctrl-C where that is why a search stopped."""
    if stopped.endswith("Ctrl-C"):
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
        found.add_row(*(each if hasattr(each, "plain") else styled(each) for each in row))
    return found


def facts(pairs: Iterable[tuple[str, object]]) -> Grid:
    """Lay out pairs of a word and what is said about it; empty ones are passed over."""
    rows = [(styled(word, "bold"), text) for word, text in pairs if str(text)]
    return grid(["", ""], rows, title=False)


def bar(share: float, style: str = "", width: int = 10) -> Text:
    """Draw a number from 0 to 1 as a bar, on a terminal that can show it."""
    console = _console()
    if not console.is_terminal or console.options.ascii_only or not share > 0:
        return styled("")
    eighths = round(min(share, 1.0) * width * 8)
    full, rest = divmod(max(eighths, 1), 8)
    return styled("█" * full + ("" if rest == 0 else " ▏▎▍▌▋▊▉"[rest]), style)


def listed(names: Iterable[str], most: int = 8) -> str:
    """Write names for a sentence, without signs that steer the terminal.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return errors.listed(map(printable, names), most)
