"""Blocks: batches of chosen columns out of a file, without reading the file at once."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from arcwise.data.guess import SPACES, Layout, as_utf8, encoding_of, layout_of, without_header
from arcwise.data.kinds import is_text
from arcwise.data.raw import tidy_names
from arcwise.data.source import (
    GZIP,
    PARQUET,
    Asked,
    blank,
    convert_options,
    guess_notes,
    parse_options,
    parse_rows,
    ragged,
    starts_with,
)
from arcwise.data.texts import encode_text, no_states, spoilt
from arcwise.errors import DataError

# Cells per batch: 32 MB of numbers.
CELLS = 1 << 22
# Bytes of text that are looked at before the stream starts, and that are parsed at once.
HEAD = 1 << 22

Use = Literal["number", "text", "other"]


def open_source(place: Path, na_values: tuple[object, ...], asked: Asked) -> Source:
    """Open a file for streaming; ``asked`` is separator, decimal sign and encoding."""
    if starts_with(place, PARQUET):
        return ParquetSource.open(place)
    return TextSource.open(place, na_values, asked)


def use_of(name: str, kind: Any, sample: Any) -> Use:
    """Say what a column of this Arrow type, with this beginning, is good for.

    Raises
    ------
    DataError : a column of numbers that a few words have turned into text.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if is_text(kind):
        values, codes, _ = encode_text(sample)
        note = spoilt(name, values, codes)
        if note:
            raise DataError(note)
        return "other" if not len(values) or no_states(values, codes) else "text"
    return "text" if types.is_dictionary(kind) or types.is_boolean(kind) else "other"


@dataclass(frozen=True)
class Columns:
    """A file's columns: tidy names in its order, sentences about what was guessed, and Arrow's schema."""

    place: Path
    names: tuple[str, ...]
    notes: tuple[str, ...]
    schema: Any

    def whole(self, name: str) -> bool:
        """Say whether a column holds whole numbers."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.schema.field(self.names.index(name)).type))


class ParquetSource(Columns):
    """A Parquet file, read by row groups in batches of bounded size."""

    @classmethod
    def open(cls, place: Path) -> ParquetSource:
        """Read the names and types."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(place) as file:
            schema = file.schema_arrow
        return cls(place, *tidy_names(schema.names), schema)

    def kind(self, name: str) -> Use:
        """Say what a column is good for; text is judged by its first rows."""
        stored = self.schema.field(self.names.index(name))
        return use_of(name, stored.type, self._first(stored.name) if is_text(stored.type) else None)

    def batches(self, names: Sequence[str], levels: bool = False) -> Iterator[Sequence[Any]]:
        """Give these columns batch by batch."""
        import pyarrow.parquet as pq

        number = {name: position for position, name in enumerate(self.names)}
        stored = [self.schema.names[number[name]] for name in names]
        height = max(CELLS // len(names), 1024)
        # One row group at a time and small buffers: reading ahead would hold most of the file.
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
    """Separated text, parsed block by block; types are settled by the first megabytes."""

    layout: Layout
    encoding: str
    na_values: tuple[object, ...]
    head: Any
    whole_head: bool

    @classmethod
    def open(cls, place: Path, na_values: tuple[object, ...], asked: Asked) -> TextSource:
        """Look at the beginning of the file."""
        separator, decimal, encoding = asked
        start, whole = _beginning(place)
        found = encoding or encoding_of(start, whole)
        text = as_utf8(start if whole else _whole_letters(start, found), found)
        layout = layout_of(text, separator, decimal)
        if layout.separator == SPACES:
            raise DataError("Text separated by white space cannot be streamed: use read().")
        names, notes = tidy_names(layout.header, numbered=True)
        rows = without_header(text, layout)
        rows = rows if whole else rows[: rows.rfind(b"\n") + 1]
        if blank(rows):
            raise DataError("There are names but no rows below them.")
        said = (*guess_notes(layout, found, asked), *notes)
        head = parse_rows(rows, layout, na_values)
        return cls(place, names, said, head.schema, layout, found, na_values, head, whole)

    def kind(self, name: str) -> Use:
        """Say what a column is good for."""
        import pyarrow as pa

        column = self.head.column(self.names.index(name))
        # A column that only begins with gaps may have numbers further on.
        if pa.types.is_null(column.type) and not self.whole_head:
            return "number"
        return use_of(name, column.type, column)

    def batches(self, names: Sequence[str], levels: bool = False) -> Iterator[Sequence[Any]]:
        """Give these columns batch by batch."""
        import pyarrow as pa

        number = {name: position for position, name in enumerate(self.names)}
        bad: list[Any] = []
        keys = [str(number[name]) for name in names]
        try:
            for batch in self._reader(keys, bad, pa.string() if levels else pa.float64()):
                yield [batch.column(key) for key in keys]
        except pa.ArrowInvalid as error:
            said = ragged(bad[0], len(self.names), self.layout.lines) if bad else self._said(error)
            raise DataError(said) from None

    def _reader(self, keys: Sequence[str], bad: list[Any], kind: Any) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        packed = "gzip" if starts_with(self.place, GZIP) else None
        types = dict.fromkeys(keys, kind)
        return csv.open_csv(
            pa.input_stream(str(self.place), compression=packed),
            read_options=csv.ReadOptions(
                column_names=[str(i) for i in range(len(self.names))],
                skip_rows=self.layout.lines,
                block_size=max(HEAD, 200 * len(self.names)),
                encoding=self.encoding.removesuffix("-sig"),
                use_threads=False,
            ),
            parse_options=parse_options(self.layout, bad, quoted=True),
            convert_options=convert_options(
                self.layout, self.na_values, include_columns=list(keys), column_types=types
            ),
        )

    def _said(self, error: Exception) -> str:
        found = re.search(r"column #(\d+).*invalid value '(.*)'", str(error))
        if not found:
            return str(error).splitlines()[0]
        name, cell = self.names[int(found[1])], found[2]
        return (
            f"Column {name!r} begins with numbers but has the text {cell!r} further on; if that"
            f" means a gap, say na_values=[{cell!r}]."
        )


Source = ParquetSource | TextSource


def _beginning(place: Path) -> tuple[bytes, bool]:
    """Give the first megabytes of text, and whether that is all."""
    opener = gzip.open if starts_with(place, GZIP) else open
    with opener(place, "rb") as file:
        start = file.read(HEAD)
        return start, not file.read(1)


def _whole_letters(start: bytes, encoding: str) -> bytes:
    # A beginning may stop inside a letter; what follows the last complete one is dropped.
    return start.decode(encoding, errors="ignore").encode(encoding)
