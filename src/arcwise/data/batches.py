"""Batches of selected columns of a file that is never read at once.

Moments and counts are each computed in one pass over such a file. Both share the types of columns, the row
weights and the treatment of missing values.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.frames import tidy_names
from arcwise.data.kinds import (
    encode_text,
    is_text,
    left_out_note,
    no_states,
    number_array,
    text_column_note,
)
from arcwise.data.memory import size_words
from arcwise.data.source import (
    GZIP,
    PARQUET,
    Asked,
    check_file,
    convert_options,
    guess_notes,
    name_file_in_errors,
    parse_options,
    parsed_rows,
    ragged_row_text,
    starts_with,
)
from arcwise.data.table import checked_weights, gap_note, no_rows_left
from arcwise.data.text import (
    SPACES,
    TextLayout,
    as_utf8,
    check_quotes,
    encoding_of,
    layout_of,
    long_cells,
    without_header,
)
from arcwise.errors import DataError, close_to
from arcwise.notes import Fix, Note

# Cells per batch: 32 MB of numbers.
CELLS = 1 << 22
# Bytes of text that are checked before the stream starts.
HEAD = 1 << 22
# Bytes of text that are parsed at once; Arrow reads some thirty blocks ahead.
PARSED = 1 << 20

Use = Literal["number", "whole", "truth", "text", "empty", "other"]
"""Type of a column: numbers, integers, booleans, text, all missing so far, or none of these."""


@contextmanager
def open_source(
    path: str | PathLike[str],
    columns: Sequence[str] | None = None,
    *,
    drop: Collection[str] = (),
    na_values: Iterable[object] = (),
    weights: str | None = None,
    asked: Asked = (None, None, None),
) -> Iterator[Pass]:
    """Open a file for one pass over some of its columns; errors name the file.

    Parameters
    ----------
    path : a file as for ``read``.
    columns : the names to use; None for all but those in `drop`.
    drop : names to omit.
    na_values : further values that mean "missing".
    weights : the name of the column of row weights.
    asked : separator, decimal sign and encoding, each None for a guess.
    """
    file, marks = check_file(path), tuple(na_values)
    with name_file_in_errors(file):
        parquet = starts_with(file, PARQUET)
        source = ParquetSource.open(file) if parquet else TextSource.open(file, marks, asked)
        for name in [*(columns or ()), *drop, *([weights] if weights else [])]:
            if name not in source.names:
                raise DataError(f"There is no column {name!r}. {close_to(name, source.names)}")
        selected = [
            name for name in columns or source.names if name != weights and name not in drop
        ]
        yield Pass(source, tuple(selected), bool(columns), marks, weights)


@dataclass
class Pass:
    """One pass over a file: the selected columns, and counts of rows with missing values."""

    source: Source
    wanted: tuple[str, ...]
    named: bool  # by the caller, rather than all there are
    na_values: tuple[object, ...]
    weights: str | None
    rows: int = 0
    kept: int = 0
    missing: Counter[str] = field(default_factory=Counter)

    def uses(self) -> dict[str, Use]:
        """Return the type of each column."""
        return {name: self.source.kind(name) for name in self.wanted}

    def batches(
        self, names: Sequence[str], *, levels: bool = False
    ) -> Iterator[tuple[Sequence[Any], NDArray[np.float64] | None]]:
        """Yield these columns batch by batch, as text if `levels`, with the row weights."""
        columns = [*names, *([self.weights] if self.weights else [])]
        for batch in self.source.batches(columns, names if levels else ()):
            heights = None
            if self.weights:
                heights = checked_weights(number_array(batch[-1]), len(batch[-1]), some=False)
            yield batch[: len(names)], heights

    def complete(self, names: Sequence[str], gaps: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Count the rows of a batch and their missing values; return True for complete rows."""
        for number in np.flatnonzero(gaps.any(axis=0)).tolist():
            self.missing[names[number]] += int(gaps[:, number].sum())
        full = np.logical_not(gaps.any(axis=1))
        self.rows, self.kept = self.rows + len(full), self.kept + int(full.sum())
        return full

    def check(self) -> None:
        """Raise an error if no row of the file is complete."""
        if not self.kept:
            raise DataError(
                no_rows_left(self.rows, self.missing) if self.rows else "There are no rows."
            )

    def notes(self, left_out: Sequence[str], reason: str) -> list[Note]:
        """Return notes on detected formats, dropped columns and dropped rows."""
        notes = [*self.source.notes, *self.source.quote_notes]
        if left_out:
            notes.append(left_out_note(left_out, reason))
        if self.missing:
            notes.append(gap_note(self.rows - self.kept, self.rows, self.missing))
        return notes


def use_of(name: str, kind: Any, sample: Any) -> Use:
    """Return the type of a column by its Arrow type and its first values.

    Raises
    ------
    DataError : a column of numbers that a few entries turned into text.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_integer(kind):
        return "whole"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_boolean(kind):
        return "truth"
    if is_text(kind):
        values, codes, _ = encode_text(sample)
        note = text_column_note(name, values, codes)
        if note:
            raise DataError(note.text, fixes=note.fixes)
        return "other" if not len(values) or no_states(values, codes) else "text"
    return "text" if types.is_dictionary(kind) else "other"


@dataclass(frozen=True)
class Columns:
    """A file's columns: clean names in its order, notes on detected formats, and Arrow's schema."""

    place: Path
    names: tuple[str, ...]
    notes: tuple[Note, ...]
    schema: Any


class ParquetSource(Columns):
    """A Parquet file, read by row groups in batches of bounded size."""

    quote_notes: Sequence[Note] = ()

    @classmethod
    def open(cls, place: Path) -> ParquetSource:
        """Read names and types."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(place) as file:
            schema = file.schema_arrow
        return cls(place, *tidy_names(schema.names), schema)

    def kind(self, name: str) -> Use:
        """Return the type of a column; text is classified by its first rows."""
        stored = self.schema.field(self.names.index(name))
        return use_of(name, stored.type, self._first(stored.name) if is_text(stored.type) else None)

    def batches(self, names: Sequence[str], words: Collection[str] = ()) -> Iterator[Sequence[Any]]:
        """Yield these columns batch by batch; `words` are stored like all others."""
        import pyarrow.parquet as pq

        number = {name: position for position, name in enumerate(self.names)}
        stored = [self.schema.names[number[name]] for name in names]
        height = max(CELLS // len(names), 1024)
        # One row group at a time and small buffers: reading ahead would load most of the file.
        with pq.ParquetFile(self.place, pre_buffer=False, buffer_size=1 << 20) as file:
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(height, [group], stored, use_threads=False):
                    yield [batch.column(name) for name in stored]

    def _first(self, stored: str) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.place) as file:
            batch = next(file.iter_batches(batch_size=10_000, columns=[stored]), None)
        return pa.array([], pa.string()) if batch is None else batch.column(0)


@dataclass(frozen=True)
class TextSource(Columns):
    """Separated text, parsed block by block; the first megabytes determine the types."""

    layout: TextLayout
    encoding: str
    na_values: tuple[object, ...]
    head: Any
    whole_head: bool
    quote_notes: list[Note] = field(default_factory=list)

    @classmethod
    def open(cls, place: Path, na_values: tuple[object, ...], asked: Asked) -> TextSource:
        """Read the beginning of the file."""
        separator, decimal, encoding = asked
        start, whole = _read_beginning(place)
        codec = encoding or encoding_of(start, whole)
        text = as_utf8(start if whole else _whole_letters(start, codec), codec)
        layout = layout_of(text, separator, decimal)
        if layout.separator == SPACES:
            raise DataError(
                "Text with white space as separator cannot be streamed: {at once()}.",
                fixes=[Fix(verb="at once")],
            )
        names, notes = tidy_names(layout.header, numbered=True)
        rows = without_header(text, layout)
        rows = rows if whole else _whole_rows(rows, layout.separator)
        file_notes = (*guess_notes(layout, codec, asked), *notes)
        head, _ = parsed_rows(rows, layout, na_values, partial(_scan_quotes, place, codec, layout))
        return cls(place, names, file_notes, head.schema, layout, codec, na_values, head, whole)

    def kind(self, name: str) -> Use:
        """Return the type of a column."""
        import pyarrow as pa

        column = self.head.column(self.names.index(name))
        # A column that begins with missing values may have values further on.
        if pa.types.is_null(column.type) and not self.whole_head:
            return "empty"
        return use_of(name, column.type, column)

    def batches(self, names: Sequence[str], words: Collection[str] = ()) -> Iterator[Sequence[Any]]:
        """Yield these columns batch by batch: `words` as text, the others as numbers.

        Raises
        ------
        DataError : a ragged row, text among numbers, or a quote that swallows rows.
        """
        import pyarrow as pa

        number = {name: position for position, name in enumerate(self.names)}
        bad: list[Any] = []
        keys = [str(number[name]) for name in names]
        texts = set(words)
        kinds = [pa.string() if name in texts else pa.float64() for name in names]
        text, count = _CountingStream(self._stream()), 0
        try:
            for batch in self._reader(text, dict(zip(keys, kinds, strict=True)), bad):
                count += batch.num_rows
                yield [batch.column(key) for key in keys]
            if text.quoted and text.lines != count + self.layout.lines:
                self.quote_notes[:] = _scan_quotes(self.place, self.encoding, self.layout)
        except pa.ArrowInvalid as error:
            if text.quoted:
                _scan_quotes(self.place, self.encoding, self.layout)
            if bad:
                ragged = ragged_row_text(bad[0], len(self.names), self.layout.lines)
                raise DataError(ragged) from None
            raise self._refusal(error) from None

    def _stream(self) -> Any:
        import pyarrow as pa

        packed = "gzip" if starts_with(self.place, GZIP) else None
        return pa.input_stream(str(self.place), compression=packed)

    def _reader(self, text: Any, types: dict[str, Any], bad: list[Any]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        return csv.open_csv(
            pa.PythonFile(text, mode="r"),
            read_options=csv.ReadOptions(
                column_names=[str(i) for i in range(len(self.names))],
                skip_rows=self.layout.lines,
                block_size=self._block(),
                encoding=self.encoding.removesuffix("-sig"),
                use_threads=False,
            ),
            parse_options=parse_options(self.layout, bad, quoted=True),
            convert_options=convert_options(
                self.layout, self.na_values, include_columns=list(types), column_types=types
            ),
        )

    def _block(self) -> int:
        """Return the bytes that are parsed at once: rows of 20 bytes per cell must fit several times."""
        return max(min(PARSED, HEAD), 200 * len(self.names))

    def _refusal(self, error: Exception) -> DataError:
        """Return the error for what Arrow cannot parse."""
        if "straddl" in str(error):
            most = size_words(self._block())
            return DataError(
                f"A row takes more than {most} of text: this is not a table of numbers and levels."
            )
        match = re.search(r"column #(\d+).*invalid value '(.*)'", str(error))
        if not match:
            return DataError(str(error).splitlines()[0])
        name, cell = self.names[int(match[1])], match[2]
        return DataError(
            f"Column {name!r} begins with numbers but contains the text {cell!r} later; if that "
            "means missing, give {na_values=}.",
            fixes=[Fix("na_values", [cell])],
        )


class _CountingStream:
    """A stream of bytes that counts its lines and detects quotes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.closed = False
        self.quoted = False
        self._breaks = 0
        self._last = b"\n"

    def read(self, size: int) -> bytes:
        """Read the next bytes."""
        part: bytes = self.stream.read(size)
        self._breaks += part.count(b"\n")
        self._last = part[-1:] or self._last
        self.quoted = self.quoted or b'"' in part
        return part

    @property
    def lines(self) -> int:
        """The number of lines read."""
        return self._breaks + (self._last != b"\n")

    def close(self) -> None:
        """Close the stream."""
        self.closed = True
        self.stream.close()


Source = ParquetSource | TextSource


def _read_beginning(place: Path) -> tuple[bytes, bool]:
    """Return the first megabytes of text, and whether they are the whole file."""
    opener = gzip.open if starts_with(place, GZIP) else open
    with opener(place, "rb") as file:
        start = file.read(HEAD)
        return start, not file.read(1)


def _whole_rows(rows: bytes, separator: str) -> bytes:
    """Return the complete rows in the beginning of a text."""
    rows = rows[: rows.rfind(b"\n") + 1]
    if rows.count(b'"') % 2 == 0:
        return rows
    lines = rows.splitlines(keepends=True)
    texts = (line.decode("utf-8", errors="replace") for line in lines)
    end = [cell.first for cell in long_cells(texts, separator) if not cell.closed]
    return b"".join(lines[: end[0] - 1]) if end else rows


def _scan_quotes(place: Path, encoding: str, layout: TextLayout) -> list[Note]:
    """Scan a whole file for unclosed quotes; see `check_quotes`."""
    opener = gzip.open if starts_with(place, GZIP) else open
    with opener(place, "rt", encoding=encoding, errors="replace") as lines:
        return check_quotes(lines, layout.separator, len(layout.header))


def _whole_letters(start: bytes, encoding: str) -> bytes:
    # The beginning may end inside a multi-byte character, which is dropped.
    return start.decode(encoding, errors="ignore").encode(encoding)
