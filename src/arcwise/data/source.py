"""Readers of CSV and similar text files and of Parquet files, also compressed by gzip.

The first bytes of a file, not its name, decide its format. Text is parsed by Arrow after encoding, separator
and decimal sign have been guessed (see ``arcwise.data.text``), so wide and long files are quick. Empty cells
are missing values; so are NA, NaN and null in columns of numbers. A pipe can be read only once and is read
into memory. The package includes the example data, with their origin and terms.
"""

import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.data.folds import with_copies
from arcwise.data.frames import Raw, refuse_missing, table, tidy_names
from arcwise.data.kinds import settle
from arcwise.data.memory import available, unpack
from arcwise.data.moments import Moments
from arcwise.data.statistics import Source, Statistics, statistics_of
from arcwise.data.table import Table
from arcwise.data.text import (
    TextLayout,
    as_utf8,
    check_quotes,
    encoding_of,
    layout_of,
    may_span_lines,
    reading_layout,
    without_header,
)
from arcwise.data.variable import Kind
from arcwise.errors import DataError
from arcwise.notes import Fix, Note, NoteKind
from arcwise.values import clear_calls

# Texts that mean "missing" in a column of numbers, besides an empty cell.
GAPS = ("", "NA", "na", "NaN", "nan", "NAN", "null", "NULL", "Null")
PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
# Bytes that Arrow parses at once; wide rows need more, and get the whole file.
BLOCK = 1 << 24

Asked = tuple[str | None, str | None, str | None]


@clear_calls
def read(
    path: str | os.PathLike[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    na_values: Iterable[object] = (),
    weights: str | ArrayLike | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    copies: str = "apart",
    missing: object = None,
) -> Table:
    """Read a table from a file.

    Parameters
    ----------
    path : CSV, TSV or other separated text with a line of names, or Parquet; either may be .gz,
        and may come through a pipe.
    kinds : ``{"RAD": "discrete"}`` for example, instead of the rules for kinds.
    na_values : further values that mean "missing", such as ``["?", -999]``.
    weights : the name of a column, or one number per row, of row weights.
    separator, decimal, encoding : instead of a guess; ``separator=" "`` is any white space.
    copies : as for ``table``: "together" if equal rows repeat one measurement.
    missing : not used here; it is an option of learning.

    Returns
    -------
    The table; its notes say detected formats, decisions and dropped columns.

    Raises
    ------
    DataError : a file that is missing, empty, ragged, binary, or has no usable column.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "wine.csv")
    ...     size = path.write_text("pH;alcohol\\n3,2;9,5\\n3,4;11\\n")
    ...     wine = read(path)
    >>> wine.notes[0], wine.values("pH").tolist()
    (<Note: The separator was detected as semicolon.>, [3.2, 3.4])
    """
    refuse_missing(missing)
    file, marks = check_file(path), tuple(na_values)
    with name_file_in_errors(file):
        columns = raw(file, marks, (separator, decimal, encoding))
        table = settle(columns, kinds=kinds, na_values=marks, weights=weights)
        return with_copies(table, copies)


def any_table(
    data: Any,
    kinds: Mapping[str, Kind] | None = None,
    weights: str | ArrayLike | None = None,
    na_values: Iterable[object] = (),
) -> Source:
    """Make a table from a file's path, a frame or an array; moments and statistics are unchanged."""
    if isinstance(data, Moments | Statistics):
        if kinds or weights is not None:
            raise DataError("Moments have no kinds or weights: give these options to aw.table.")
        return data
    make = read if isinstance(data, str | os.PathLike) else table
    return make(data, kinds=kinds, na_values=na_values, weights=weights)


def fingerprint(source: Source) -> str:
    """Return a hash of the data: the same for the same columns and numbers, in any order."""
    digest = hashlib.sha256()
    for variable in source.variables:
        digest.update(repr((variable.name, variable.levels)).encode())
    for array in statistics_of(source).arrays():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def raw(place: Path, na_values: tuple[object, ...] = (), asked: Asked = (None,) * 3) -> Raw:
    """Read the columns of a file as Arrow arrays, before their kinds are decided.

    `asked` is separator, decimal sign and encoding, each None for a guess.
    """
    if place.is_file() and starts_with(place, PARQUET):
        return _parquet(place)
    return raw_bytes(place.read_bytes(), na_values, asked)


def raw_bytes(
    content: bytes, na_values: tuple[object, ...] = (), asked: Asked = (None,) * 3
) -> Raw:
    """Read the columns from the bytes of a file, as `raw` does.

    >>> raw_bytes(b"x,y\\n1,2\\n").names
    ('x', 'y')
    """
    import pyarrow as pa

    unpacked = _unpack(content) if content.startswith(GZIP) else content
    if unpacked.startswith(PARQUET):
        return _parquet(pa.BufferReader(unpacked))
    return _text(unpacked, na_values, asked)


# -- files ---------------------------------------------------------------------------------------


def check_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of an existing file, or raise an error."""
    file = Path(path)
    if file.is_dir():
        raise DataError(f"{str(file)!r} is a folder, not a file with a table.")
    if not file.exists():
        raise DataError(f"There is no file {str(file)!r}: check the name and the folder.")
    return file


@contextmanager
def name_file_in_errors(place: Path) -> Iterator[None]:
    """Add the name of the file to every error, and convert errors of Arrow and of the system."""
    import pyarrow as pa

    try:
        yield
    except DataError as error:
        raise error.within(f"{place.name}: ") from None
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{place.name} cannot be read: {message.rstrip('.')}.") from None


def _unpack(content: bytes) -> bytes:
    """Unpack a table into at most a quarter of the available memory, since parsing needs more."""
    try:
        return unpack(content, available() / 4)
    except DataError as error:
        message = str(error).removesuffix(".")
        raise DataError(
            f"{message}, a quarter of the available memory: read it in batches, with "
            "{in batches()}.",
            fixes=[Fix(verb="in batches")],
        ) from None


def read_once(name: str = "") -> DataError:
    """Return the error for a stream that is not a regular file."""
    return DataError(
        f"{name}A stream must be a regular file, since its beginning is read twice: {{at once()}}, or "
        "write the data to a file.",
        fixes=[Fix(verb="at once")],
    )


def starts_with(place: Path, mark: bytes) -> bool:
    """Return whether a file begins with these bytes.

    Raises
    ------
    DataError : not a regular file, whose first bytes could be read only once.
    """
    if not place.is_file():
        raise read_once()
    with place.open("rb") as file:
        return file.read(len(mark)) == mark


def _parquet(file: Any) -> Raw:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as content:
        names, notes = tidy_names(content.schema_arrow.names)
        cells = content.metadata.num_rows * len(names)
        if cells > available() / 4:
            raise DataError(
                f"It has {cells:.2g} cells, more than fit into a quarter of the available "
                "memory: read it in batches, with {in batches()}.",
                fixes=[Fix(verb="in batches")],
            )
        return Raw(names, tuple(content.read().columns), notes, own=True)


def _text(content: bytes, na_values: tuple[object, ...], asked: Asked) -> Raw:
    codec = asked[2] or encoding_of(content)
    content = as_utf8(content, codec)
    layout = layout_of(content, *asked[:2])
    names, notes = tidy_names(layout.header, numbered=True)
    rows, scan = without_header(content, layout), partial(_scan_quotes, content, layout)
    parsed, quoted = parsed_rows(rows, layout, na_values, scan)
    file_notes = guess_notes(layout, codec, asked) + quoted
    return Raw(names, tuple(parsed.columns), (*file_notes, *notes), own=True)


def parsed_rows(
    rows: bytes, layout: TextLayout, na_values: Iterable[object], scan: Callable[[], list[Note]]
) -> tuple[Any, list[Note]]:
    """Parse the rows of a text, or of its beginning; `scan` searches for unclosed quotes.

    Returns
    -------
    An Arrow table, and notes about cells that span lines.
    """
    import pyarrow as pa

    try:
        if not rows[:1000].strip() and not rows.strip():  # stripping a large text would copy it
            raise DataError("The file has names, but no rows below them.")
        parsed = parse_rows(rows, reading_layout(layout), na_values)
    except (DataError, pa.ArrowInvalid):
        scan()
        raise
    several = layout.lines > 1 or may_span_lines(rows, parsed.num_rows, layout.separator)
    return parsed, scan() if several else []


def _scan_quotes(content: bytes, layout: TextLayout) -> list[Note]:
    """Scan a UTF-8 text for unclosed quotes; see `check_quotes`."""
    lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace", newline=None)
    return check_quotes(lines, layout.separator, len(layout.header))


def guess_notes(layout: TextLayout, encoding: str, asked: Asked) -> list[Note]:
    """Return notes on detected formats; ``asked`` is separator, decimal sign and encoding as given."""
    coded = "" if encoding.startswith("utf-8") else f"The text was taken to be {encoding}."
    texts = (layout.separator_note, layout.decimal_note, coded)
    notes = [note for note, value in zip(texts, asked, strict=True) if note and value is None]
    if all(re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", name) for name in layout.header):
        notes.append("The first line was read as names, although it contains numbers only.")
    return [Note(NoteKind.FILE, text) for text in notes]


# -- text ----------------------------------------------------------------------------------------


_LARGE = 1 << 24
"""Bytes from which rows are parsed in threads. A thread that lets go of its part while the interpreter ends
aborts the process, which happened in one of twenty short programs."""


def parse_rows(rows: bytes, layout: TextLayout, na_values: Iterable[object] = ()) -> Any:
    """Parse rows without a header into an Arrow table whose types fit every row.

    Raises
    ------
    DataError : a row with more or fewer cells than there are names.
    """
    import pyarrow as pa

    bad: list[Any] = []
    try:
        return _parse(rows, layout, na_values, bad, threads=len(rows) >= _LARGE)
    except pa.ArrowInvalid:
        # Arrow numbers rows only if it reads them sequentially.
        if bad:
            bad.clear()
            with suppress(pa.ArrowInvalid):
                _parse(rows, layout, na_values, bad, threads=False)
            raise DataError(ragged_row_text(bad[0], len(layout.header))) from None
        raise


def _parse(
    rows: bytes, layout: TextLayout, na_values: Iterable[object], bad: list[Any], *, threads: bool
) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(rows),
        read_options=csv.ReadOptions(
            column_names=[str(i) for i in range(len(layout.header))],
            # A row of 20 bytes per cell must fit several times.
            block_size=min(max(BLOCK, 200 * len(layout.header)), 1 << 30),
            use_threads=threads,
        ),
        parse_options=parse_options(layout, bad, quoted=b'"' in rows),
        convert_options=convert_options(layout, na_values),
    )


def parse_options(layout: TextLayout, bad: list[Any], *, quoted: bool) -> Any:
    """Return Arrow's options for splitting lines into cells; a bad row is appended to ``bad``."""
    from pyarrow import csv

    def refuse(row: Any) -> str:
        bad.append(row)
        return "error"

    return csv.ParseOptions(
        delimiter=layout.separator, newlines_in_values=quoted, invalid_row_handler=refuse
    )


def ragged_row_text(row: Any, wide: int, skipped: int = 0) -> str:
    """Return the error message for a row with too many or too few cells."""
    where = f"Row {row.number - skipped}" if row.number else "A row"
    start = row.text[:60] + ("..." if len(row.text) > 60 else "")
    return f"{where} has {row.actual_columns} cells where {wide} are expected: {start!r}."


def convert_options(layout: TextLayout, na_values: Iterable[object], **more: Any) -> Any:
    """Return Arrow's options for converting cells."""
    from pyarrow import csv

    # A text that means "missing" must not turn a column of numbers into text.
    gaps = list(dict.fromkeys([*GAPS, *map(str, na_values)]))
    return csv.ConvertOptions(
        null_values=gaps, strings_can_be_null=False, decimal_point=layout.decimal, **more
    )
