"""Files in: CSV and its relatives, Parquet, and either of them compressed by gzip.

A file is known by its first bytes, not by its name. Text is parsed by Arrow after encoding,
separator and decimal sign have been guessed (see ``arcwise.data.guess``), so wide and long files
are quick. Empty cells are gaps; so are NA, NaN and null in columns of numbers.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from arcwise.data.guess import (
    Layout,
    as_utf8,
    encoding_of,
    layout_of,
    reading_layout,
    without_header,
)
from arcwise.data.kinds import settle
from arcwise.data.raw import Raw, tidy_names
from arcwise.data.table import Table
from arcwise.data.variable import Kind
from arcwise.errors import DataError

__all__ = ["GAPS", "existing", "naming", "parse_rows", "read", "starts_with"]

# What means a gap in a column of numbers, besides an empty cell.
GAPS = ("", "NA", "na", "NaN", "nan", "NAN", "null", "NULL", "Null")
PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
# What Arrow parses at once; wide rows need more, and get the whole file.
BLOCK = 1 << 24


def read(
    path: str | os.PathLike[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    missing: Iterable[object] = (),
    weights: str | ArrayLike | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read a table from a file.

    Parameters
    ----------
    path : CSV, TSV or other separated text with a line of names, or Parquet; either may be .gz.
    kinds : ``{"RAD": "discrete"}`` and the like, instead of the rules for kinds.
    missing : further values that mean a gap, such as ``["?", -999]``.
    weights : the name of a column, or one number per row, that says how often rows count.
    separator, decimal, encoding : instead of a guess; ``separator=" "`` is any white space.

    Returns
    -------
    The table; its notes say what was guessed, decided and left out.

    Raises
    ------
    DataError : a file that is missing, empty, ragged, binary, or has no usable column.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "wine.csv")
    ...     size = path.write_text("pH;alcohol\\n3,2;9,5\\n3,4;11\\n")
    ...     wine = read(path)
    >>> wine.notes[0], wine.values("pH").tolist()
    ('Cells were taken to be separated by semicolon.', [3.2, 3.4])
    """
    place, marks = existing(path), tuple(missing)
    with naming(place):
        if starts_with(place, PARQUET):
            raw = _parquet(place)
        else:
            raw = _text(_content(place), marks, separator, decimal, encoding)
        return settle(raw, kinds=kinds, missing=marks, weights=weights)


# -- files ---------------------------------------------------------------------------------------


def existing(path: str | os.PathLike[str]) -> Path:
    """Give the path of a file that is there, or say that it is not."""
    place = Path(path)
    if place.is_dir():
        raise DataError(f"{str(place)!r} is a folder, not a file with a table.")
    if not place.exists():
        raise DataError(f"There is no file {str(place)!r}: check the name and the folder.")
    return place


@contextmanager
def naming(place: Path) -> Iterator[None]:
    """Let every error say which file it is about, and none be Arrow's or the system's."""
    import pyarrow as pa

    try:
        yield
    except DataError as error:
        raise DataError(f"{place.name!r} cannot be used: {error}") from None
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{place.name!r} cannot be read: {said}.") from None


def starts_with(place: Path, mark: bytes) -> bool:
    """Say whether a file begins with these bytes."""
    with place.open("rb") as file:
        return file.read(len(mark)) == mark


def _content(place: Path) -> bytes:
    raw = place.read_bytes()
    if raw.startswith(GZIP):
        raw = gzip.decompress(raw)
    if raw.startswith(b"PK\3\4"):
        raise DataError("it is a zip archive or a workbook: save the sheet as CSV first.")
    return raw


def _parquet(place: Path) -> Raw:
    import pyarrow.parquet as pq

    with pq.ParquetFile(place) as file:
        names, notes = tidy_names(file.schema_arrow.names)
        return Raw(names, tuple(file.read().columns), notes, own=True)


def _text(
    content: bytes,
    missing: tuple[object, ...],
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
) -> Raw:
    if content.startswith(PARQUET):
        return _parquet_bytes(content)
    found = encoding or encoding_of(content)
    content = as_utf8(content, found)
    layout = layout_of(content, separator, decimal)
    names, notes = tidy_names(layout.header)
    rows = without_header(content, layout)
    if not rows.strip():
        raise DataError("there are names but no rows below them.")
    columns = parse_rows(rows, reading_layout(layout), missing).columns
    said = [f"The text was taken to be encoded in {found}."] if _unusual(found, encoding) else []
    given = (separator, decimal)
    guessed = [note for note, word in zip(_layout_notes(layout), given, strict=True) if not word]
    return Raw(names, tuple(columns), (*said, *filter(None, guessed), *notes), own=True)


def _unusual(found: str, asked: str | None) -> bool:
    return asked is None and not found.startswith("utf-8")


def _layout_notes(layout: Layout) -> tuple[str, str]:
    return layout.separator_note, layout.decimal_note


def _parquet_bytes(content: bytes) -> Raw:
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = pq.read_table(pa.BufferReader(content))
    names, notes = tidy_names(whole.schema.names)
    return Raw(names, tuple(whole.columns), notes, own=True)


# -- text ----------------------------------------------------------------------------------------


def parse_rows(rows: bytes, layout: Layout, missing: Iterable[object] = ()) -> Any:
    """Parse rows without a header into an Arrow table whose types fit every row.

    Raises
    ------
    DataError : a row with more or fewer cells than there are names.
    """
    import pyarrow as pa
    from pyarrow import csv

    if len(layout.header) == 1:
        rows = rows.rstrip(b"\r\n")
    return csv.read_csv(
        pa.BufferReader(rows),
        read_options=csv.ReadOptions(
            column_names=[str(i) for i in range(len(layout.header))],
            # A row of 20 bytes per cell has to fit several times.
            block_size=min(max(BLOCK, 200 * len(layout.header)), 1 << 30),
        ),
        parse_options=parse_options(layout, quoted=b'"' in rows),
        convert_options=convert_options(layout, missing),
    )


def parse_options(layout: Layout, *, quoted: bool) -> Any:
    """Give Arrow's options for cutting lines into cells."""
    from pyarrow import csv

    wide = len(layout.header)

    def refuse(row: Any) -> str:
        where = f"row {row.number - 1}" if row.number else "a row"
        start = row.text[:60] + ("..." if len(row.text) > 60 else "")
        raise DataError(
            f"{where} has {row.actual_columns} cells where {wide} names are given: {start!r}."
        )

    return csv.ParseOptions(
        delimiter=layout.separator,
        newlines_in_values=quoted,
        ignore_empty_lines=wide > 1,
        invalid_row_handler=refuse,
    )


def convert_options(layout: Layout, missing: Iterable[object], **more: Any) -> Any:
    """Give Arrow's options for turning cells into values."""
    from pyarrow import csv

    # A text that means a gap must not turn a column of numbers into text.
    gaps = list(dict.fromkeys([*GAPS, *map(str, missing)]))
    return csv.ConvertOptions(
        null_values=gaps, strings_can_be_null=False, decimal_point=layout.decimal, **more
    )
