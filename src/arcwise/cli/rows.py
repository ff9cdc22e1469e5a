"""Tables in and out, for the shell.

Reading: the columns of a file as they are, before kinds are settled, so that columns can be left
out before anything in them can be refused, and so that a file with filled gaps keeps all others.
Writing: CSV, TSV or Parquet by the end of the name, whole or not at all. ``-`` as a file to read
is standard input.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.errors import DataError, FileError, close_to

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Kind, Moments, Table
    from arcwise.data.raw import Raw

__all__ = [
    "chosen",
    "destination",
    "draw",
    "file_name",
    "model_file",
    "picture",
    "print_table",
    "read_moments",
    "read_raw",
    "read_rows",
    "read_table",
    "unmarked",
    "write_table",
]

TABLES = (".csv", ".tsv", ".parquet")
MODELS = (".json", ".arcwise")
STANDARD_INPUT = Path("-")


# -- in ------------------------------------------------------------------------------------------


def chosen(there: Sequence[str], only: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Choose columns: some only, or all but some, in the file's order.

    >>> chosen(["a", "b", "c"], [], ["b"])
    ['a', 'c']
    """
    for name in (*only, *drop):
        if name not in there:
            raise DataError(f"There is no column {name!r}. {close_to(name, there)}")
    return [name for name in there if name not in drop and (not only or name in only)]


def file_name(path: Path) -> str:
    """Call a file that is read by its name.

    >>> file_name(Path("data/wine.csv")), file_name(Path("-"))
    ('wine.csv', 'standard input')
    """
    return "standard input" if path == STANDARD_INPUT else path.name


def read_raw(path: Path, missing: Sequence[str] = ()) -> Raw:
    """Read the columns of a file as Arrow arrays, with notes of what was guessed."""
    from arcwise.data import source

    if path == STANDARD_INPUT:
        with source.naming(Path(file_name(path))):
            return source.raw_bytes(sys.stdin.buffer.read(), tuple(missing))
    place = source.existing(path)
    with source.naming(place):
        return source.raw(place, tuple(missing))


def read_table(
    path: Path,
    *,
    kinds: Mapping[str, Kind] | None = None,
    missing: Sequence[str] = (),
    weights: str | None = None,
    only: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Table:
    """Read a table as `arcwise.read` does, columns left out before they are looked at."""
    from arcwise.data.kinds import settle
    from arcwise.data.raw import Raw
    from arcwise.data.source import naming

    raw = read_raw(path, missing)
    with naming(Path(file_name(path))):
        wanted = [*only, weights] if only and weights else only
        names = chosen(raw.names, wanted, drop)
        columns = dict(zip(raw.names, raw.arrays, strict=True))
        arrays = tuple(columns[name] for name in names)
        left = Raw(tuple(names), arrays, raw.notes, raw.whole, raw.own)
        return settle(left, kinds=kinds, na_values=missing, weights=weights)


def read_moments(
    path: Path,
    *,
    missing: Sequence[str] = (),
    weights: str | None = None,
    only: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Moments:
    """Gather the moments of a file that may be larger than memory."""
    from arcwise.data import moments
    from arcwise.data.blocks import open_source
    from arcwise.data.source import READ_ONCE, existing, naming

    if path == STANDARD_INPUT:
        raise DataError(f"{file_name(path)}: {READ_ONCE}")
    place = existing(path)
    if not (only or drop):
        return moments(place, na_values=missing, weights=weights)
    with naming(place):
        there = open_source(place, tuple(missing), (None, None, None)).names
        names = [name for name in chosen(there, only, drop) if name != weights]
    return moments(place, columns=names, na_values=missing, weights=weights)


def read_rows(
    raw: Raw, net: Network, missing: Sequence[str] = (), unread: Iterable[str] = ()
) -> Table:
    """Bring the columns of a file into the form that a network knows; others are passed over."""
    import pyarrow as pa

    from arcwise.data import conform

    skipped = set(unread)
    columns = {
        name: unmarked(array, missing)
        for name, array in zip(raw.names, raw.arrays, strict=True)
        if name not in skipped and name in net.net.names
    }
    if not columns:
        if skipped.isdisjoint(raw.names):
            raise DataError(
                f"The file has no column that the network knows: it has {_some(raw.names)}, "
                f"the network {_some(net.variables)}."
            )
        # Only the target itself is there: nothing is known of any row.
        columns = {net.net.names[0]: pa.nulls(raw.rows, pa.float64())}
    return conform(pa.table(columns), net.net.variables)


def unmarked(array: Any, missing: Sequence[str]) -> Any:
    """Turn numbers that mean a gap into gaps; text is taken care of when read."""
    import pyarrow as pa

    from arcwise.data.kinds import number_array

    numeric = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
    if not (missing and numeric):
        return array
    return pa.array(number_array(array, missing), from_pandas=True)


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")


# -- out -----------------------------------------------------------------------------------------


def picture(path: Path, inputs: Iterable[Path] = ()) -> Path:
    """See, before any work is done, that a picture can be written; as `destination`."""
    from arcwise.plot import PICTURES

    return destination(path, inputs, PICTURES)


def draw(axes: Callable[[], Any], path: Path) -> None:
    """Draw what a function draws into a file."""
    from arcwise.plot import save_picture

    save_picture(axes, path)


def destination(path: Path, inputs: Iterable[Path] = (), endings: Sequence[str] = ()) -> Path:
    """See, before any work is done, that a file can be written.

    Parameters
    ----------
    path : where to write.
    inputs : files that must not be overwritten.
    endings : what the name may end in, with or without ``.gz``; empty for anything.

    Raises
    ------
    FileError : a folder that is not there, a folder's own name, an input, another ending.
    """
    if path.is_dir():
        raise FileError(f"{str(path)!r} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise FileError(f"There is no folder {str(path.parent)!r} to write into: make it first.")
    for other in inputs:
        if path.exists() and other.exists() and os.path.samefile(path, other):
            raise FileError(f"{str(path)!r} is read by this command: write to another file.")
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if endings and ending not in endings:
        raise FileError(f"{str(path)!r} should end in {_either(endings)}, but ends in {ending!r}.")
    return path


def _either(endings: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))


def model_file(path: Path | None, source: Path) -> Path:
    """Give the file that a model goes to: as asked, or the data's name with .json, here."""
    from arcwise.data.source import existing

    if source == STANDARD_INPUT:
        return destination(path or Path("stdin.json"), endings=MODELS)
    existing(source)
    if path is None:
        stem = source.name.removesuffix(".gz")
        path = Path(f"{Path(stem).stem}.json")
    return destination(path, [source], MODELS)


def write_table(table: Any, path: Path) -> None:
    """Write an Arrow table as CSV, TSV or Parquet, by the end of the name."""
    from arcwise.io.files import write_bytes

    if path.name.lower().endswith((".parquet", ".parquet.gz")):
        import pyarrow.parquet as pq

        content = io.BytesIO()
        pq.write_table(table, content)
        write_bytes(path, content.getvalue())
        return
    separator = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    write_bytes(path, _separated(table, separator))


def print_table(table: Any) -> None:
    """Write an Arrow table to standard output as CSV."""
    sys.stdout.flush()
    sys.stdout.buffer.write(_separated(table, ","))
    sys.stdout.buffer.flush()


def _separated(table: Any, separator: str) -> bytes:
    """Write separated text; cells and names are quoted only where they need it."""
    import csv

    import pyarrow as pa
    from pyarrow import csv as arrow

    header = io.StringIO()
    csv.writer(header, delimiter=separator, lineterminator="\n").writerow(table.column_names)
    out = io.BytesIO()
    style = "none"
    try:
        _write(arrow, table, out, separator, style)
    except pa.ArrowInvalid:  # some text holds a separator, a quote or a line break
        out = io.BytesIO()
        _write(arrow, table, out, separator, "needed")
    return header.getvalue().encode() + out.getvalue()


def _write(arrow: Any, table: Any, out: io.BytesIO, separator: str, style: str) -> None:
    flat = [_flat(column) for column in table.columns]
    options = arrow.WriteOptions(include_header=False, delimiter=separator, quoting_style=style)
    numbered = type(table).from_arrays(flat, names=[str(i) for i in range(len(flat))])
    arrow.write_csv(numbered, out, options)


def _flat(column: Any) -> Any:
    """Text levels as text: separated files have no dictionaries."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column
