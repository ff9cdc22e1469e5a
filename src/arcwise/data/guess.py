"""Guesses about a text file: its encoding, its separator and its decimal sign.

Nothing here is clever: a separator is believed if it cuts the header and the following lines into
equally many cells, a decimal comma if there are cells like ``1,5`` and none like ``1.5``, and an
encoding if the whole file can be decoded with it. Each guess that differs from a plain file (comma,
point, UTF-8) ends as a sentence in the table's notes, and each can be overruled.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from arcwise.errors import DataError, unknown

# The word for "any run of blanks and tabs".
SPACES = " "
SEPARATORS = (",", ";", "\t", "|", SPACES)
SEPARATOR_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", SPACES: "white space"}
# How much of a file is looked at for separator and decimal sign.
LINES, SAMPLE = 50, 1 << 22
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Layout:
    """How a text table is laid out.

    Parameters
    ----------
    header : the names as written, empty where a column has none.
    lines : how many lines of the file come before the first row.
    separator, decimal : the signs between cells and inside numbers.
    """

    header: tuple[str, ...]
    lines: int
    separator: str
    decimal: str

    @property
    def separator_note(self) -> str:
        """A sentence if the separator is not a comma."""
        word = SEPARATOR_WORDS.get(self.separator, repr(self.separator))
        return "" if self.separator == "," else f"Cells were taken to be separated by {word}."

    @property
    def decimal_note(self) -> str:
        """A sentence if numbers are not written with a point."""
        said = "Numbers were taken to be written with a decimal comma, as in 1,5."
        return "" if self.decimal == "." else said


# -- encoding ------------------------------------------------------------------------------------


def encoding_of(raw: bytes, whole: bool = True) -> str:
    """Guess the encoding of a text from its bytes.

    Parameters
    ----------
    raw : the file, or its beginning.
    whole : whether this is all of it; a beginning may end inside a letter.

    Returns
    -------
    ``"utf-8"`` wherever that is possible, else the encoding named by a byte order mark, UTF-16
    without one, or ``"cp1252"`` and as a last resort ``"latin-1"``.

    Raises
    ------
    DataError : the bytes are no text.

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
    raise DataError("The file holds binary data, not a table of text: save it as CSV or Parquet.")


def _decodes(raw: bytes, encoding: str, whole: bool, step: int = 1 << 24) -> bool:
    # In pieces, so that checking a large file does not double it in memory.
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(raw), step):
            decoder.decode(raw[start : start + step], whole and start + step >= len(raw))
    except UnicodeDecodeError:
        return False
    return True


def as_utf8(raw: bytes, encoding: str) -> bytes:
    """Give the text as UTF-8 without a byte order mark; ``encoding`` must be one that fits."""
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


def layout_of(raw: bytes, separator: str | None = None, decimal: str | None = None) -> Layout:
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
        raise DataError("The file is empty: a table needs a line of names and rows below it.")
    if len(raw) > SAMPLE and not re.search(rb"[\r\n]", raw[:SAMPLE].lstrip()):
        raise DataError(
            f"The first line is longer than {SAMPLE >> 20} MB: a table begins with a line of names."
        )
    sign = _checked_separator(separator) if separator is not None else _separator(start)
    layout = Layout(*_header(start, sign), sign, decimal or _decimal(raw[:SAMPLE], sign))
    if layout.decimal not in (".", ","):
        raise unknown("decimal sign", decimal, (".", ","))
    return layout


def _checked_separator(separator: str) -> str:
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(f"A separator is one sign, such as ';' or a tab, not {separator!r}.")
    return separator


def cells(text: str, separator: str) -> Iterator[list[str]]:
    """Cut lines into cells, quotes minded."""
    lines = io.StringIO(text, newline="")
    if separator != SPACES:
        return csv.reader(lines, delimiter=separator)
    spaced = (re.sub(r"[ \t]+", " ", line.strip(" \t")) for line in lines)
    return csv.reader(spaced, delimiter=" ")


def _header(text: str, separator: str) -> tuple[tuple[str, ...], int]:
    """Find the line of names, and how many lines it takes; R leaves out the first name."""
    lines = cells(text, separator)
    try:
        header = next(line for line in lines if line)
        taken = _line_number(lines)
        widths = {len(line) for line in islice(filter(None, lines), LINES)}
    except csv.Error:
        raise DataError(
            f"A cell of the first lines is longer than {csv.field_size_limit()} letters: that is no table of "
            "numbers and levels, or a quote is not closed."
        ) from None
    names = [name.strip() for name in header]
    return tuple([""] * (widths == {len(names) + 1}) + names), taken


def _line_number(lines: Iterator[list[str]]) -> int:
    return int(lines.line_num)  # type: ignore[attr-defined]


def _separator(text: str) -> str:
    sample = "".join(text.splitlines(keepends=True)[: LINES + 1])
    scored = [(_fits(sample, sign), -rank, sign) for rank, sign in enumerate(SEPARATORS)]
    (fit, width), _, sign = max(scored)
    return sign if fit > 0 and width > 1 else ","


def _fits(sample: str, separator: str) -> tuple[float, int]:
    """Score a separator: the share of lines as wide as the header, and that width."""
    try:
        widths = [len(line) for line in cells(sample, separator) if line]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    rows = widths[1:] or widths
    wanted = {widths[0], widths[0] + 1} if len(set(rows)) == 1 else {widths[0]}
    share = sum(width in wanted for width in rows) / len(rows)
    # Blanks also occur inside cells, so they have to be clearly better than every other sign.
    return share - 0.2 * (separator == SPACES), widths[0]


def _decimal(start: bytes, separator: str) -> str:
    """Look for cells such as 1,5 and 1.5; with commas between cells the former are quoted."""
    signs = rb'"\r\n' + (rb" \t" if separator == SPACES else re.escape(separator).encode())
    edge = rb'"' if separator == "," else rb"[" + signs + rb"]"
    number = rb"[ ]*[-+]?[0-9]*%s[0-9]+(?:[eE][-+]?[0-9]+)?[ ]*"
    comma = re.search(edge + number % b"," + rb"(?=" + edge + rb"|$)", start)
    if comma is None:
        return "."
    point = re.search(rb"[" + signs + rb"]" + number % rb"\." + rb"(?=[" + signs + rb"]|$)", start)
    return "." if point else ","


def without_header(raw: bytes, layout: Layout) -> bytes:
    """Give the rows alone, blanks between cells turned into tabs."""
    position = 0
    for _ in range(layout.lines):
        position = _next_line(raw, position)
    rows = raw[position:]
    if layout.separator != SPACES:
        return rows
    rows = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", rows)
    return re.sub(rb'("(?:[^"]|"")*")?[ \t]+', rb"\1\t", rows)


def _next_line(raw: bytes, position: int) -> int:
    """Find the start of the next line; lines end in LF, CR LF or (old Macintosh) CR."""
    feed = raw.find(b"\n", position)
    back = raw.find(b"\r", position, feed if feed >= 0 else len(raw))
    if back >= 0 and back + 1 != feed:
        return back + 1
    return len(raw) if feed < 0 else feed + 1


def reading_layout(layout: Layout) -> Layout:
    """Give the layout of the rows after ``without_header``."""
    return replace(layout, separator="\t") if layout.separator == SPACES else layout
