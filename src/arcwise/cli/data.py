"""``arcwise data``: the tables and networks that come with Arcwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli import choices, rows, shown
from arcwise.errors import FileError, unknown

if TYPE_CHECKING:
    from arcwise.data import Shipped

__all__ = ["data"]


def data(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One of them; all by default.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write it: a table as .csv, .tsv or .parquet, a network as .bif, .csv or .dot.",
        ),
    ] = None,
    json: choices.Json = False,
) -> None:
    """List the data that come with Arcwise, with origin and terms, or write one to a file.

    Example: arcwise data boston -o boston.csv
    """
    from arcwise.data import catalogue

    entries = [each for each in catalogue() if name in (None, each.name)]
    if not entries:
        raise unknown("shipped table or network", name, {each.name for each in catalogue()})
    if output is not None:
        if name is None:
            raise FileError("Name one of the tables or networks to write.")
        _write(entries, output)
    elif json:
        shown.show_json([_plain(each) for each in entries])
    else:
        _show(entries)


def _plain(entry: Shipped) -> dict[str, object]:
    words = ("name", "kind", "what", "rows", "columns", "origin", "terms")
    return {word: getattr(entry, word) for word in words}


def _size(entry: Shipped) -> str:
    if entry.kind == "network":
        return f"network of {entry.columns} variables"
    return f"table, {entry.rows} rows, {entry.columns} columns"


def _show(entries: list[Shipped]) -> None:
    for entry in entries:
        title = f"{entry.name}: {_size(entry)}"
        about = (("", entry.what), ("", f"Origin: {entry.origin}. Terms: {entry.terms}."))
        shown.show("", shown.styled(title, "bold"), shown.facts(about))
    first = entries[0]
    ending = "csv" if first.kind == "table" else "bif"
    shown.show("", f"Write one with: arcwise data {first.name} -o {first.name}.{ending}")


def _write(entries: list[Shipped], output: Path) -> None:
    """Write a table or a network; the ending says which, where both have the name."""
    is_table = output.name.lower().removesuffix(".gz").endswith(rows.TABLES)
    kinds = {entry.kind: entry for entry in entries}
    entry = kinds.get("table" if is_table else "network", entries[0])
    if entry.kind == "table":
        rows.destination(output, endings=rows.TABLES)
        raw = rows.read_raw(entry.path)
        _write_raw(raw.names, raw.arrays, output)
    else:
        rows.destination(output)
        _write_network(entry, output)
    shown.show(shown.wrote(output, _size(entry)), f"Terms: {entry.terms}.")


def _write_raw(names: tuple[str, ...], arrays: tuple[object, ...], output: Path) -> None:
    import pyarrow as pa

    rows.write_table(pa.table(dict(zip(names, arrays, strict=True))), output)


def _write_network(entry: Shipped, output: Path) -> None:
    from arcwise import io
    from arcwise.io.files import read_bytes, write_bytes

    if output.name.lower().removesuffix(".gz").endswith(".bif"):
        write_bytes(output, read_bytes(entry.path))
    else:
        io.save(io.load(entry.path), output)
