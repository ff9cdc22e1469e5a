"""Blocks: batches of chosen columns out of a file, without reading the file at once."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from arcwise.data.guess import (
    SPACES,
    Layout,
    as_utf8,
    encoding_of,
    layout_of,
    without_header,
)
from arcwise.data.kinds import is_text
from arcwise.data.raw import tidy_names
from arcwise.data.source import (
    GZIP,
    PARQUET,
    convert_options,
    parse_options,
    parse_rows,
    starts_with,
)
from arcwise.data.texts import encode_text, no_states
from arcwise.errors import DataError

__all__ = ["ParquetSource", "Source", "TextSource", "open_source"]

# Cells per batch: 32 MB of numbers.
CELLS = 1 << 22
# Bytes of text that are looked at before the stream starts, and that are parsed at once.
HEAD = 1 << 22

Use = Literal["number", "text", "other"]


class Source(Protocol):
    """A file that gives batches of columns."""

    names: tuple[str, ...]

    def kind(self, name: str) -> Use:
        """Say whether a column holds numbers, states, or what is always left out."""

    def whole(self, name: str) -> bool:
        """Say whether a column holds whole numbers."""

    def batches(self, names: Sequence[str]) -> Iterator[Sequence[Any]]:
        """Give these columns batch by batch, each a list of Arrow arrays."""


def open_source(
    place: Path, missing: tuple[object, ...], said: tuple[str | None, str | None, str | None]
) -> Source:
    """Open a file for streaming; ``said`` is separator, decimal sign and encoding."""
    if starts_with(place, PARQUET):
        return ParquetSource.open(place)
    return TextSource.open(place, missing, *said)


def use_of(kind: Any, sample: Any) -> Use:
    """Say what a column of this Arrow type, beginning like this, is good for."""
    import pyarrow as pa

    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_null(kind):
        return "number"
    if not (is_text(kind) or types.is_dictionary(kind) or types.is_boolean(kind)):
        return "other"
    if is_text(kind):
        values, codes, _ = encode_text(sample)
        return "other" if len(values) and no_states(values, codes) else "text"
    return "text"


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, read by row groups in batches of bounded size."""

    place: Path
    names: tuple[str, ...]
    stored: tuple[str, ...]
    uses: dict[str, Use]
    types: dict[str, Any]

    @classmethod
    def open(cls, place: Path) -> ParquetSource:
        """Read the schema, and the first rows of text columns."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(place) as file:
            schema = file.schema_arrow
            names, _ = tidy_names(schema.names)
            texts = [each.name for each in schema if is_text(each.type)]
            first = (
                next(file.iter_batches(batch_size=10_000, columns=texts), None) if texts else None
            )
        uses, types = {}, {}
        for name, each in zip(names, schema, strict=True):
            sample = first.column(each.name) if first is not None and each.name in texts else None
            uses[name], types[name] = use_of(each.type, sample), each.type
        return cls(place, names, tuple(schema.names), uses, types)

    def kind(self, name: str) -> Use:
        """Say what a column is good for."""
        return self.uses[name]

    def whole(self, name: str) -> bool:
        """Say whether a column holds whole numbers."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.types[name]))

    def batches(self, names: Sequence[str]) -> Iterator[Sequence[Any]]:
        """Give these columns batch by batch."""
        import pyarrow.parquet as pq

        stored = [self.stored[self.names.index(name)] for name in names]
        height = max(CELLS // len(names), 1024)
        with pq.ParquetFile(self.place) as file:
            for batch in file.iter_batches(batch_size=height, columns=stored, use_threads=False):
                yield [batch.column(name) for name in stored]


@dataclass(frozen=True)
class TextSource:
    """Separated text, parsed block by block; types are settled by the first megabytes."""

    place: Path
    names: tuple[str, ...]
    layout: Layout
    encoding: str
    missing: tuple[object, ...]
    head: Any

    @classmethod
    def open(
        cls,
        place: Path,
        missing: tuple[object, ...],
        separator: str | None,
        decimal: str | None,
        encoding: str | None,
    ) -> TextSource:
        """Look at the beginning of the file."""
        start, whole = _beginning(place)
        found = encoding or encoding_of(start, whole)
        text = as_utf8(start if whole else _whole_letters(start, found), found)
        layout = layout_of(text, separator, decimal)
        if layout.separator == SPACES:
            raise DataError("text separated by white space cannot be streamed: use read().")
        names, _ = tidy_names(layout.header)
        rows = without_header(text, layout)
        rows = rows if whole else rows[: rows.rfind(b"\n") + 1]
        if not rows.strip():
            raise DataError("there are names but no rows below them.")
        return cls(place, names, layout, found, missing, parse_rows(rows, layout, missing))

    def kind(self, name: str) -> Use:
        """Say what a column is good for."""
        column = self.head.column(self.names.index(name))
        return use_of(column.type, column)

    def whole(self, name: str) -> bool:
        """Say whether a column begins with whole numbers."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.head.column(self.names.index(name)).type))

    def batches(self, names: Sequence[str]) -> Iterator[Sequence[Any]]:
        """Give these columns batch by batch."""
        import pyarrow as pa

        keys = [str(self.names.index(name)) for name in names]
        try:
            for batch in self._reader(keys):
                yield [batch.column(key) for key in keys]
        except pa.ArrowInvalid as error:
            raise DataError(self._said(str(error))) from None

    def _reader(self, keys: Sequence[str]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        packed = "gzip" if starts_with(self.place, GZIP) else None
        more = {
            "include_columns": list(keys),
            "column_types": {key: pa.float64() for key in keys},
        }
        return csv.open_csv(
            pa.input_stream(str(self.place), compression=packed),
            read_options=csv.ReadOptions(
                column_names=[str(i) for i in range(len(self.names))],
                skip_rows=self.layout.lines,
                block_size=max(HEAD, 200 * len(self.names)),
                encoding=self.encoding.removesuffix("-sig"),
                use_threads=False,
            ),
            parse_options=parse_options(self.layout, quoted=True),
            convert_options=convert_options(self.layout, self.missing, **more),
        )

    def _said(self, error: str) -> str:
        found = re.search(r"column #(\d+).*invalid value '(.*)'", error)
        if not found:
            return error.splitlines()[0]
        name, cell = self.names[int(found[1])], found[2]
        return (
            f"column {name!r} begins with numbers but has the text {cell!r} further on; if that"
            f" means a gap, say missing=[{cell!r}]."
        )


def _beginning(place: Path) -> tuple[bytes, bool]:
    """Give the first megabytes of text, and whether that is all."""
    opener = gzip.open if starts_with(place, GZIP) else open
    with opener(place, "rb") as file:
        start = file.read(HEAD)
        return start, not file.read(1)


def _whole_letters(start: bytes, encoding: str) -> bytes:
    # A beginning may stop inside a letter; what follows the last complete one is dropped.
    return start.decode(encoding, errors="ignore").encode(encoding)
