"""Separated text: detection of its encoding, separator and decimal sign, and of cells that span lines.

A separator must split the header and the following lines into equal numbers of cells. A decimal comma
needs cells like ``1,5`` and none like ``1.5``, and an encoding must decode the whole file. Notes of the
table report each detected format that differs from comma, point and UTF-8, and options override it.

A cell that begins with a double quote ends at the next one that is not doubled, line breaks included. So
an extra quote swallows all rows up to the next one. Most files have as many rows as lines, which
shows at once that no cell spans lines; only the others are scanned, line by line.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from arcwise.errors import DataError, unknown
from arcwise.notes import Note, NoteKind

# The name of "any run of spaces and tabs".
SPACES = " "
SEPARATORS = (",", ";", "\t", "|", SPACES)
SEPARATOR_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", SPACES: "white space"}
# Characters of a file that are checked for separator and decimal sign.
LINES, SAMPLE = 50, 1 << 22
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class TextLayout:
    """The layout of a text table.

    Parameters
    ----------
    header : the names as written, empty if a column has none.
    lines : number of lines of the file before the first row.
    separator, decimal : the characters between cells and inside numbers.
    """

    header: tuple[str, ...]
    lines: int
    separator: str
    decimal: str

    @property
    def separator_note(self) -> str:
        """A note if the separator is not a comma; else empty."""
        name = SEPARATOR_WORDS.get(self.separator, repr(self.separator))
        return "" if self.separator == "," else f"The separator was detected as {name}."

    @property
    def decimal_note(self) -> str:
        """A note if numbers are not written with a point; else empty."""
        text = "Numbers were read with a decimal comma, as in 1,5."
        return "" if self.decimal == "." else text


# -- encoding ------------------------------------------------------------------------------------


def encoding_of(raw: bytes, whole: bool = True) -> str:
    """Guess the encoding of a text from its bytes.

    Parameters
    ----------
    raw : the file, or its beginning.
    whole : whether this is all of it; a beginning may end inside a multi-byte character.

    Returns
    -------
    ``"utf-8"`` if possible, else the encoding named by a byte order mark, UTF-16
    without one, or ``"cp1252"`` and as a last resort ``"latin-1"``.

    Raises
    ------
    DataError : the bytes are not text.

    >>> encoding_of("a,b".encode()), encoding_of("Größe".encode("latin-1"))
    ('utf-8', 'cp1252')
    """
    for mark, name in MARKS:
        if raw.startswith(mark):
            return name
    if raw.startswith(b"PK\3\4"):
        raise DataError("The file is a zip archive or a workbook: save the sheet as CSV first.")
    if b"\0" in raw[:4096]:
        return _wide_encoding(raw[:4096])
    for name in ("utf-8", "cp1252"):
        if _decodes(raw, name, whole):
            return name
    return "latin-1"


def _wide_encoding(start: bytes) -> str:
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if min(even, odd) == 0 and max(even, odd) > len(start) / 5:
        return "utf-16-le" if odd else "utf-16-be"
    raise DataError("The file must be a text table, got binary data: save it as CSV or Parquet.")


def _decodes(raw: bytes, encoding: str, whole: bool, step: int = 1 << 24) -> bool:
    # In pieces, so that checking a large file does not double its memory.
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(raw), step):
            decoder.decode(raw[start : start + step], whole and start + step >= len(raw))
    except UnicodeDecodeError:
        return False
    return True


def as_utf8(raw: bytes, encoding: str) -> bytes:
    """Return the text as UTF-8 without a byte order mark; ``encoding`` must be one that fits."""
    try:
        if codecs.lookup(encoding).name in ("utf-8", "ascii"):
            raw.decode("utf-8")
            return raw.removeprefix(codecs.BOM_UTF8)
        return raw.decode(encoding).encode("utf-8")
    except LookupError:
        raise unknown("encoding", encoding, ("utf-8", "utf-16", "latin-1", "cp1252")) from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"Byte {error.start + 1} does not fit the encoding {encoding}: name another with"
            " encoding=, such as 'latin-1'."
        ) from None


# -- layout --------------------------------------------------------------------------------------


def layout_of(raw: bytes, separator: str | None = None, decimal: str | None = None) -> TextLayout:
    """Guess names, separator and decimal sign from the beginning of a UTF-8 text.

    Parameters
    ----------
    raw : the text, or its first megabytes.
    separator, decimal : to be used instead of a guess.

    Raises
    ------
    DataError : there is no header.

    >>> layout = layout_of(b"x;y\\n1,5;2\\n")
    >>> layout.header, layout.separator, layout.decimal
    (('x', 'y'), ';', ',')
    """
    start = raw[:SAMPLE].decode("utf-8", errors="ignore")
    if not start.strip():
        raise DataError("The file is empty: a table must have a line of names and rows below it.")
    if len(raw) > SAMPLE and not re.search(rb"[\r\n]", raw[:SAMPLE].lstrip()):
        raise DataError(
            f"The first line is longer than {SAMPLE >> 20} MB: a table begins with a line of names."
        )
    sign = _checked_separator(separator) if separator is not None else _separator(start)
    layout = TextLayout(*_header(start, sign), sign, decimal or _decimal(raw[:SAMPLE], sign))
    if layout.decimal not in (".", ","):
        raise unknown("decimal mark", decimal, (".", ","))
    return layout


def _checked_separator(separator: str) -> str:
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(
            f"The separator must be one character, such as ';' or a tab, got {separator!r}."
        )
    return separator


def cells(text: str, separator: str) -> Iterator[list[str]]:
    """Split lines into cells, with respect to quotes."""
    lines = io.StringIO(text, newline="")
    if separator != SPACES:
        return csv.reader(lines, delimiter=separator)
    spaced = (re.sub(r"[ \t]+", " ", line.strip(" \t")) for line in lines)
    return csv.reader(spaced, delimiter=" ")


def _header(text: str, separator: str) -> tuple[tuple[str, ...], int]:
    """Return the header line and its number of lines; R omits the first name."""
    lines = cells(text, separator)
    try:
        header = next(line for line in lines if line)
        n_lines = _line_number(lines)
        widths = {len(line) for line in islice(filter(None, lines), LINES)}
    except csv.Error:
        raise DataError(
            f"A cell of the first lines is longer than {csv.field_size_limit()} letters: a quote "
            "is not closed, or this is not a table of numbers and levels."
        ) from None
    names = [name.strip() for name in header]
    return tuple([""] * (widths == {len(names) + 1}) + names), n_lines


def _line_number(lines: Iterator[list[str]]) -> int:
    return int(lines.line_num)  # type: ignore[attr-defined]


def _separator(text: str) -> str:
    sample = "".join(text.splitlines(keepends=True)[: LINES + 1])
    scored = [(_fits(sample, sign), -rank, sign) for rank, sign in enumerate(SEPARATORS)]
    (fit, width), _, sign = max(scored)
    return sign if fit > 0 and width > 1 else ","


def _fits(sample: str, separator: str) -> tuple[float, int]:
    """Return a score for a separator: the share of lines as wide as the header, and that width."""
    try:
        widths = [len(line) for line in cells(sample, separator) if line]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    rows = widths[1:] or widths
    allowed = {widths[0], widths[0] + 1} if len(set(rows)) == 1 else {widths[0]}
    share = sum(width in allowed for width in rows) / len(rows)
    # Spaces also occur inside cells, so they must be clearly better than every other separator.
    return share - 0.2 * (separator == SPACES), widths[0]


def _decimal(start: bytes, separator: str) -> str:
    """Detect cells such as 1,5 and 1.5; with commas between cells the former are quoted."""
    signs = rb'"\r\n' + (rb" \t" if separator == SPACES else re.escape(separator).encode())
    edge = rb'"' if separator == "," else rb"[" + signs + rb"]"
    number = rb"[ ]*[-+]?[0-9]*%s[0-9]+(?:[eE][-+]?[0-9]+)?[ ]*"
    comma = re.search(edge + number % b"," + rb"(?=" + edge + rb"|$)", start)
    if comma is None:
        return "."
    point = re.search(rb"[" + signs + rb"]" + number % rb"\." + rb"(?=[" + signs + rb"]|$)", start)
    return "." if point else ","


def without_header(raw: bytes, layout: TextLayout) -> bytes:
    """Return the rows alone, with spaces between cells turned into tabs."""
    position = 0
    for _ in range(layout.lines):
        position = _next_line(raw, position)
    rows = raw[position:]
    if layout.separator != SPACES:
        return rows
    rows = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", rows)
    return re.sub(rb'("(?:[^"]|"")*")?[ \t]+', rb"\1\t", rows)


def _next_line(raw: bytes, position: int) -> int:
    """Return the start of the next line; lines end in LF, CR LF or (old Macintosh) CR."""
    feed = raw.find(b"\n", position)
    back = raw.find(b"\r", position, feed if feed >= 0 else len(raw))
    if back >= 0 and back + 1 != feed:
        return back + 1
    return len(raw) if feed < 0 else feed + 1


def reading_layout(layout: TextLayout) -> TextLayout:
    """Return the layout of the rows after ``without_header``."""
    return replace(layout, separator="\t") if layout.separator == SPACES else layout


# -- quotes --------------------------------------------------------------------------------------


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
        """Return whether the cell has three or more lines, each with the cells of one row."""
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


def check_quotes(lines: Iterable[str], separator: str, width: int) -> list[Note]:
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
    [<Note: A quoted cell spans several lines (2 to 3).>]
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
        return [Note(NoteKind.FILE, f"A quoted cell spans several lines ({first}).")]
    text = f"{len(cells)} quoted cells span several lines (the first: {first})."
    return [Note(NoteKind.FILE, text)]


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
