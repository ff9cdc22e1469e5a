"""Commands on tables: ``audit``, and ``data`` and ``demo`` with those that come with Arcwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from arcwise.cli import inputs, options, outputs, terminal
from arcwise.cli.arguments import shell_words
from arcwise.cli.options import argument, main_output, option
from arcwise.cli.terminal import facts, grid, show, show_json, styled
from arcwise.errors import FileError, plural, unknown

if TYPE_CHECKING:
    from arcwise.data import Audit, Example

DEMO = "boston"


def audit(source: options.DataOptions, json: options.Json = False) -> None:
    """Look at a table before learning from it: kinds, missing values, copies, ties, tails.

    Example: arcwise audit wine.csv
    """
    found = source.table().audit()
    if json:
        show_json(found.to_dict())
    else:
        _show_audit(found, terminal.file_name(source.data))


def _show_audit(found: Audit, name: str) -> None:
    from arcwise.data.audit import cells

    rows, columns = found.size
    weighted = "" if found.cases == rows else f" ({found.cases:g} cases by weight)"
    size = f"{plural(rows, 'row')}{weighted}, {plural(columns, 'column')}"
    headings = ["column", "kind", "why", ">gaps", ">values", "range"]
    show(styled(f"{name}: {size}", "bold"), "")
    show(grid(headings, [cells(row) for row in found.rows]))
    for title, sentences in (("Notes", found.notes), ("Findings", found.findings)):
        if sentences:
            show("", styled(title, "bold"), *(f"- {shell_words(each)}" for each in sentences))


def data(
    name: Annotated[str | None, argument("[NAME]")] = None,
    output: Annotated[Path | None, main_output()] = None,
    json: options.Json = False,
) -> None:
    """List the example data that come with Arcwise, with origin and terms, or write one to a file.

    Example: arcwise data boston -o boston.csv

    Parameters
    ----------
    name : one of them; all by default.
    output : write it: a table as {tables}, a network as .bif, .csv or .dot.
    """
    from arcwise.data import examples

    entries = [each for each in examples() if name in (None, each.name)]
    if not entries:
        raise unknown("example table or network", name, {each.name for each in examples()})
    if output is not None:
        if name is None:
            raise FileError("Name one of the tables or networks to write.")
        _write(entries, output)
    elif json:
        words = ("name", "kind", "what", "rows", "columns", "origin", "terms")
        show_json([{word: getattr(each, word) for word in words} for each in entries])
    else:
        _show_entries(entries)


def _size(entry: Example) -> str:
    if entry.kind == "network":
        return f"network of {entry.columns} variables"
    return f"table, {entry.rows} rows, {entry.columns} columns"


def _show_entries(entries: list[Example]) -> None:
    for entry in entries:
        title = f"{entry.name}: {_size(entry)}"
        about = (("", entry.what), ("", f"Origin: {entry.origin}. Terms: {entry.terms}."))
        show("", styled(title, "bold"), facts(about))
    first = entries[0]
    ending = "csv" if first.kind == "table" else "bif"
    show("", f"Write one with: arcwise data {first.name} -o {first.name}.{ending}")


def _write(entries: list[Example], output: Path) -> None:
    """Write a table or a network; the ending says which, where both have the name."""
    import pyarrow as pa

    is_table = output.name.lower().removesuffix(".gz").endswith(outputs.TABLES)
    kinds = {entry.kind: entry for entry in entries}
    entry = kinds.get("table" if is_table else "network", entries[0])
    outputs.check([(output, outputs.TABLES if entry.kind == "table" else ())])
    if entry.kind == "table":
        raw = inputs.read_raw(entry.path)
        outputs.write_table(pa.table(list(raw.arrays), names=list(raw.names)), output)
    else:
        _write_network(entry, output)
    outputs.say_written({output: _size(entry)})
    show(f"Terms: {entry.terms}.")


def _write_network(entry: Example, output: Path) -> None:
    from arcwise import io
    from arcwise.io.files import read_bytes, write_bytes

    if output.name.lower().removesuffix(".gz").endswith(".bif"):
        write_bytes(output, read_bytes(entry.path))
    else:
        io.save(io.load(entry.path), output)


def demo(folder: Annotated[Path, option("FOLDER")] = Path("demo")) -> None:
    """Learn a network from the Boston housing data, show it and write it.

    Writes the model, the graph for Graphviz and, where matplotlib is installed, a picture.

    Parameters
    ----------
    folder : where to write the files; made if it is missing.
    """
    from arcwise.api import learn
    from arcwise.data import example

    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None
    model, dot, picture = (folder / f"{DEMO}.{ending}" for ending in ("json", "dot", "png"))
    outputs.check((path, ()) for path in (model, dot, picture))
    table = example(DEMO)
    net, seconds = terminal.timed(lambda: learn(table))
    terminal.show_network(net, Path(f"{DEMO} (example data of Arcwise)"), seconds)
    files = [(model, net.save, "the model"), (dot, net.save, "the graph for Graphviz")]
    outputs.say_written(outputs.write(files))
    try:
        outputs.say_written(outputs.write([(picture, outputs.draw(net.plot), "a picture")]))
    except FileError as error:
        show(str(error))
    terminal.show_go_on(net, table, model)
