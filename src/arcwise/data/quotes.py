"""Quoted cells that span several lines of a separated text, and quotes that are never closed.

A cell that begins with a double quote ends at the next one that is not doubled, line breaks included. So
one quote too many swallows all rows up to the next quote. Most files have as many rows as lines, which
shows at once that no cell spans lines; only the others are scanned, line by line.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from arcwise.data.guess import SPACES
from arcwise.errors import DataError

INSIDE = re.compile(r'(?:[^"]++|"")*+')
REMEDY = "close it, or double quotes that belong to the text"


@dataclass(frozen=True)
class LongCell:
    """A quoted cell that spans lines.

    Parameters
    ----------
    first, last : the numbers of its lines, from 1.
    closed : whether its quote is closed before the text ends.
    clean : whether the closing quote ends the cell.
    marks : the number of separators in each of its lines, as if there were no quotes.
    """

    first: int
    last: int
    closed: bool
    clean: bool
    marks: tuple[int, ...]

    def swallows_rows(self, width: int) -> bool:
        """Return whether each of its lines, of which it has three or more, has the cells of one row."""
        return width > 1 and len(self.marks) > 2 and set(self.marks) == {width - 1}


def may_span_lines(rows: bytes, n_rows: int, separator: str) -> bool:
    """Return whether a scan is needed: there are quotes, and fewer rows than lines or an open end.

    >>> may_span_lines(b'1,"a"\\n2,b\\n', 2, ","), may_span_lines(b'1,"a\\n2,b\\n', 1, ",")
    (False, True)
    """
    if b'"' not in rows:
        return False
    lines = rows.count(b"\n") + (not rows.endswith(b"\n"))
    last = rows[rows.rfind(b"\n", 0, len(rows) - 1) + 1 :]
    return lines != n_rows or _is_open(last.decode("utf-8", errors="replace"), separator, 0)


def check_quotes(lines: Iterable[str], separator: str, width: int) -> list[str]:
    """Reject a text with a quote that is never closed or that swallows rows.

    Parameters
    ----------
    lines : the text, line by line, from its first.
    separator : between cells; a space for any white space.
    width : the number of cells of a row.

    Returns
    -------
    A note about the cells that span lines, or none.

    Raises
    ------
    DataError : names the line of the quote.

    >>> check_quotes(["a,b", '1,"two', 'lines"', "2,x"], ",", 2)
    ['A quoted cell spans several lines (2 to 3).']
    >>> check_quotes(["a,b", '1,"x', "2,y"], ",", 2)
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: The quote that opens in line 2 is never closed: close it, or double \
quotes that belong to the text.
    """
    cells = []
    for cell in long_cells(lines, separator):
        start = f"The quote that opens in line {cell.first}"
        if not cell.closed:
            raise DataError(f"{start} is never closed: {REMEDY}.")
        if not cell.clean:
            raise DataError(
                f"{start} closes in line {cell.last}, where text follows it in the same cell: {REMEDY}."
            )
        if cell.swallows_rows(width):
            count = cell.last - cell.first + 1
            raise DataError(
                f"{start} closes in line {cell.last} only, and each of these {count} lines has the "
                f"{width} cells of a row: {REMEDY}."
            )
        cells.append(cell)
    if not cells:
        return []
    first = f"{cells[0].first} to {cells[0].last}"
    if len(cells) == 1:
        return [f"A quoted cell spans several lines ({first})."]
    return [f"{len(cells)} quoted cells span several lines (the first: {first})."]


def long_cells(lines: Iterable[str], separator: str) -> Iterator[LongCell]:
    """Find the quoted cells that span lines.

    Arrow's rule holds: a quote opens a cell only at its beginning.

    >>> [(cell.first, cell.last) for cell in long_cells(['x,5"', '"a', 'b",c'], ",")]
    [(2, 3)]
    """
    first, marks = 0, [0]
    for number, line in enumerate(lines, start=1):
        position = 0
        if first:
            marks.append(_count(line, separator))
            position = INSIDE.match(line).end() + 1  # type: ignore[union-attr]
            if position > len(line):
                continue
            rest = line[position : position + 1]
            yield LongCell(
                first, number, True, not rest or rest in _breaks(separator), tuple(marks)
            )
            first = 0
        if '"' in line[position:] and _is_open(line, separator, position):
            first, marks = number, [_count(line, separator)]
    if first:
        yield LongCell(first, number, False, False, tuple(marks))


def _breaks(separator: str) -> str:
    return ("\t " if separator == SPACES else separator) + "\r\n"


def _count(line: str, separator: str) -> int:
    return len(line.split()) - 1 if separator == SPACES else line.count(separator)


@lru_cache(16)
def _cell(separator: str) -> re.Pattern[str]:
    before = re.escape(_breaks(separator))
    return re.compile(rf'(?:\A|(?<=[{before}]))"(?:[^"]++|"")*+("?)')


def _is_open(line: str, separator: str, position: int) -> bool:
    """Return whether a line ends inside a quoted cell."""
    return any(not cell[1] for cell in _cell(separator).finditer(line, position))
