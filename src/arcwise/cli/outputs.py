"""What goes into files: tables, models, pictures, each whole or not at all.

Places are checked, and tried with a small file, before any work is done. The format goes by the end of
the name. A result that cannot be written after all is kept in another folder, and the command fails.
"""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from arcwise.cli.arguments import either
from arcwise.cli.terminal import STANDARD_INPUT, print_aside, show, show_json
from arcwise.errors import FileError

TABLES = (".csv", ".tsv", ".parquet")
MODELS = (".json", ".arcwise")
MISPLACED = ContextVar("MISPLACED", default=False)
"""Whether a result of the command that runs could not be written to its own file."""

Wish = tuple[Path | None, Callable[[Path], Any], str]
"""Where to write, what writes there, and what it is called; no place for what is not asked for."""


def check(places: Iterable[tuple[Path | None, Sequence[str]]], inputs: Iterable[Path] = ()) -> None:
    """See, before any work is done, that files can be written.

    Parameters
    ----------
    places : each with what its name may end in, with or without ``.gz``; empty for anything. None is
        passed over.
    inputs : files that must not be overwritten.

    Raises
    ------
    FileError : a folder that is not there, not writable or full, a folder's own name, an input, another
        ending, a name that is given twice.
    """
    from arcwise.io.files import check_writable, is_special

    taken: set[Path] = set()
    for path, endings in places:
        if path is None:
            continue
        _check_place(path, inputs)
        ending = Path(path.name.lower().removesuffix(".gz")).suffix
        if endings and ending not in endings and (ending or not is_special(path)):
            raise FileError(f"{str(path)!r} must end in {either(endings)}, got {ending!r}.")
        if path.resolve() in taken:
            raise FileError(f"{str(path)!r} is written twice: give each output its own name.")
        taken.add(path.resolve())
        check_writable(path)


def _check_place(path: Path, inputs: Iterable[Path]) -> None:
    if path.is_dir():
        raise FileError(f"{str(path)!r} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise FileError(f"There is no folder {str(path.parent)!r} to write into: create it first.")
    for other in inputs:
        if path.exists() and other.exists() and os.path.samefile(path, other):
            raise FileError(f"{str(path)!r} is read by this command: write to another file.")


def model_file(path: Path | None, source: Path) -> Path:
    """Give the file that a model goes to: as asked, or the data's name with .json, here."""
    from arcwise.data.source import check_file

    if source == STANDARD_INPUT:
        return path or Path("stdin.json")
    stem = check_file(source).name.removesuffix(".gz")
    return path or Path(f"{Path(stem).stem}.json")


def write(wishes: Iterable[Wish]) -> dict[Path, str]:
    """Write the files; return what is where.

    A result that cannot be written to its file is written to another folder; standard error names it, and
    the command ends with an error code. What is where says if it replaced an earlier file.
    """
    written = {}
    for place, save, what in wishes:
        if place is not None:
            earlier = "; it replaces an earlier file" * place.is_file()
            path = _save(place, save, what)
            written[path] = what + earlier * (path == place)
    return written


def _save(place: Path, save: Callable[[Path], Any], what: str) -> Path:
    try:
        save(place)
        return place
    except FileError as error:
        kept = _save_elsewhere(place, save)
        if kept is None:
            raise
        print_aside(f"arcwise: {error} Instead, {what} was written to {str(kept)!r}.")
    MISPLACED.set(True)
    return kept


def _save_elsewhere(place: Path, save: Callable[[Path], Any]) -> Path | None:
    """Write a result into a new folder for temporary files, or into one here or at home."""
    for parent in (tempfile.gettempdir(), ".", os.path.expanduser("~")):
        try:
            folder = Path(tempfile.mkdtemp(prefix="arcwise-", dir=parent))
        except OSError:
            continue
        for name in (place.name, f"{place.name}.json"):  # a device has no extension
            with suppress(FileError):
                save(folder / name)
                return folder / name
        with suppress(OSError):
            folder.rmdir()
    return None


def say_written(written: dict[Path, str]) -> None:
    """Print what was written where."""
    show(*(f"Wrote {path} ({what})." for path, what in written.items()))


def give_result(result: Any, place: Path | None, what: str, *, json: bool) -> None:
    """Write a result to a table, if there is a place, and print it: as JSON, or as text without a place."""
    written = write([(place, lambda to: write_table(result, to), what)])
    if json:
        show_json(result.document())
    elif place is None:
        show(*str(result).splitlines())
    else:
        say_written(written)


def draw(axes: Callable[[], Any]) -> Callable[[Path], None]:
    """Give what writes a picture of what a function draws."""
    from arcwise.plot import save_picture

    return lambda path: save_picture(axes, path)


def give_table(table: Any, place: Path | None, what: str) -> None:
    """Write an Arrow table to a file, or to standard output where there is none."""
    if place is None:
        print_table(table)
    else:
        say_written(write([(place, lambda path: write_table(table, path), what)]))


def write_table(table: Any, path: Path) -> None:
    """Write an Arrow table, or a result that is one, as CSV, TSV or Parquet, by the end of the name."""
    import pyarrow as pa

    from arcwise.io.files import write_bytes

    name, table = path.name.lower().removesuffix(".gz"), pa.table(table)
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        content = io.BytesIO()
        pq.write_table(table, content)
        write_bytes(path, content.getvalue())
    else:
        write_bytes(path, _separate(table, "\t" if name.endswith(".tsv") else ","))


def arrow(rows: Iterable[Sequence[Any]], kinds: Mapping[str, str]) -> Any:
    """Give rows as an Arrow table; kinds are the types of its columns by name, in Arrow's words."""
    import pyarrow as pa

    columns = [*zip(*rows, strict=True)] or [()] * len(kinds)
    types = map(pa.type_for_alias, kinds.values())
    return pa.table(
        [
            pa.array(column, kind, from_pandas=True)
            for column, kind in zip(columns, types, strict=True)
        ],
        names=list(kinds),
    )


def print_table(table: Any) -> None:
    """Write an Arrow table to standard output as CSV."""
    print_bytes(_separate(table, ","))


def print_bytes(content: bytes) -> None:
    """Write bytes to standard output as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _separate(table: Any, separator: str) -> bytes:
    """Write separated text; cells and names are quoted only where they need it."""
    import pyarrow as pa

    header = separator.join(map(_quote, table.column_names))
    try:
        rows = _rows(table, separator, "none")
    except pa.ArrowInvalid:  # some text holds a separator, a quote or a line break
        rows = _rows(table, separator, "needed")
    return f"{header}\n".encode() + rows


def _quote(name: str) -> str:
    """Quote a name that holds a quote, a line break, or what might be taken for the separator.

    >>> _quote("pH"), _quote("acid; free")
    ('pH', '"acid; free"')
    """
    return '"' + name.replace('"', '""') + '"' if set(name) & set('",;|\t\r\n') else name


def _rows(table: Any, separator: str, quoting: str) -> bytes:
    """Write the rows; text levels as text, since separated files have no dictionaries."""
    import pyarrow as pa
    from pyarrow.csv import WriteOptions, write_csv

    flat = [
        each.cast(each.type.value_type) if pa.types.is_dictionary(each.type) else each
        for each in table.columns
    ]
    out = io.BytesIO()
    numbered = pa.Table.from_arrays(flat, names=[str(i) for i in range(len(flat))])
    options = WriteOptions(include_header=False, delimiter=separator, quoting_style=quoting)
    write_csv(numbered, out, options)
    return out.getvalue()
