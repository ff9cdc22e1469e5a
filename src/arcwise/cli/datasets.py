"""Commands on tables: ``audit``, ``discretise``, and ``data`` and ``demo`` with those that come with Arcwise.

A level by hand is typed as ``column:level=what it holds``: a range of numbers ``0..4``, where either end may
be left out, a range of times ``22:00..6:00``, a form of text ``*.edu``, or a regular expression
``/[.]edu$/``. Without ``=`` the level holds all the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, inputs, outputs, terminal
from arcwise.cli.arguments import assignments, bounds, names, numbers
from arcwise.cli.flags import argument, main_output, option
from arcwise.cli.inputs import read_table
from arcwise.cli.terminal import (
    facts,
    file_name,
    frame_grid,
    grid,
    print_aside,
    show,
    show_json,
    style_text,
)
from arcwise.errors import DataError, FileError, LibraryError, OptionError, plural, unknown

if TYPE_CHECKING:
    from arcwise.data import Audit, Example, Moments, Table

DEMO = "boston"


def audit(source: flags.DataOptions, json: flags.Json = False) -> None:
    """Check a table: kinds, missing values, copies, ties, tails.

    Example: arcwise audit wine.csv
    """
    found = source.table().audit()
    if json:
        show_json(found.document())
    else:
        _show_audit(found, terminal.file_name(source.data))


def _show_audit(found: Audit, name: str) -> None:
    rows, columns = found.size
    weighted = "" if found.cases == rows else f" ({found.cases:g} cases by weight)"
    size = f"{plural(rows, 'row')}{weighted}, {plural(columns, 'column')}"
    show(style_text(f"{name}: {size}", "bold"), "")
    show(frame_grid(found.frame))
    for title, notes in (("Notes", found.notes), ("Findings", found.findings)):
        if notes:
            show("", style_text(title, "bold"), *(f"- {note.shell()}" for note in notes))


def data(
    name: Annotated[str | None, argument("[NAME]")] = None,
    output: Annotated[Path | None, main_output()] = None,
    json: flags.Json = False,
) -> None:
    """List the example data, or write one of them.

    With a name, and output to a file or a pipe, writes a table as CSV or a network as BIF.

    Example: arcwise data boston > boston.csv

    Parameters
    ----------
    name : a table or a network; by default all are listed.
    output : write a table as {tables}, or a network as .bif, .csv or .dot.
    """
    from arcwise.data import examples

    entries = [each for each in examples() if name in (None, each.name)]
    if not entries:
        raise unknown("example table or network", name, {each.name for each in examples()})
    if output is not None:
        if name is None:
            raise FileError("NAME of a table or network to write.")
        _write(entries, output)
    elif json:
        words = ("name", "kind", "what", "rows", "columns", "origin", "terms")
        show_json([{word: getattr(each, word) for word in words} for each in entries])
    elif name is None or terminal.is_interactive():
        _show_entries(entries)
    else:
        _print(entries[0])


def _size(entry: Example) -> str:
    if entry.kind == "network":
        return f"network of {entry.columns} variables"
    return f"table, {entry.rows} rows, {entry.columns} columns"


def _show_entries(entries: list[Example]) -> None:
    for entry in entries:
        title = f"{entry.name}: {_size(entry)}"
        about = (("", entry.what), ("", f"Origin: {entry.origin}. Terms: {entry.terms}."))
        show("", style_text(title, "bold"), facts(about))
    first = entries[0]
    ending = "csv" if first.kind == "table" else "bif"
    show("", f"Write one with: arcwise data {first.name} > {first.name}.{ending}")


def _print(entry: Example) -> None:
    """Write a table as CSV, or a network as BIF, to standard output; its terms to standard error."""
    from arcwise.io.files import read_bytes

    if entry.kind == "table":
        outputs.print_table(_columns(entry))
    else:
        outputs.print_bytes(read_bytes(entry.path))
    print_aside(f"{entry.name}: {_size(entry)}. Origin: {entry.origin}. Terms: {entry.terms}.")


def _columns(entry: Example) -> Any:
    """The columns of a table as they are in its file, as an Arrow table."""
    import pyarrow as pa

    raw = inputs.read_raw(entry.path)
    return pa.table(list(raw.arrays), names=list(raw.names))


def _write(entries: list[Example], output: Path) -> None:
    """Write a table or a network; the ending says which, where both have the name."""
    is_table = output.name.lower().removesuffix(".gz").endswith(outputs.TABLES)
    kinds = {entry.kind: entry for entry in entries}
    entry = kinds.get("table" if is_table else "network", entries[0])
    outputs.check([(output, outputs.TABLES if entry.kind == "table" else ())])
    if entry.kind == "table":
        outputs.write_table(_columns(entry), output)
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
    """Learn a network from example data, print it and write it.

    Writes the model, the graph for Graphviz, a report and, if matplotlib is installed, a plot.

    Example: arcwise demo --folder boston

    Parameters
    ----------
    folder : the folder to write to; it is created if necessary.
    """
    from arcwise.api import learn
    from arcwise.data import example

    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None
    endings = ("json", "dot", "png", "html")
    model, dot, picture, report = (folder / f"{DEMO}.{ending}" for ending in endings)
    outputs.check((path, ()) for path in (model, dot, picture, report))
    table = example(DEMO)
    net, seconds = terminal.time_work(lambda: learn(table))
    terminal.show_network(net, Path(f"{DEMO} (example data of Arcwise)"), seconds)
    files = [(model, net.save, "the model"), (dot, net.save, "the graph for Graphviz")]
    outputs.say_written(outputs.write(files))
    try:
        outputs.say_written(outputs.write([(picture, outputs.draw(net.plot), "a plot")]))
    except (FileError, LibraryError) as error:
        show(str(error))
    terminal.show_go_on(net, table, model, folder)
    outputs.write([(report, net.report, "the report")])
    show(f"Open the report {report} in a browser: it answers queries by click.")


# -- categories -------------------------------------------------------------------------------------


_ONE = ("bins", "target", "cuts", "names", "level")


def _category(metavar: str, **more: Any) -> Any:
    return option(metavar, panel="Make categories", **more)


@dataclass(frozen=True)
class Levels:
    """How columns become levels.

    Parameters
    ----------
    bins : the number of levels, 3 by default; entropy chooses it.
    target : the class column that entropy cuts for.
    cuts : cut a column at these values, as in links=5,11.
    names : name the levels of a cut column, lowest first, as in links=Low,Medium,High.
    level : define one level, as in links:Low=0..4.
    """

    bins: Annotated[int | None, _category("NUMBER", least=2)] = None
    target: Annotated[str | None, _category("COLUMN")] = None
    cuts: Annotated[list[str] | None, _category("COLUMN=NUMBERS")] = None
    names: Annotated[list[str] | None, _category("COLUMN=NAMES")] = None
    level: Annotated[list[str] | None, _category("COLUMN:LEVEL=WHAT")] = None

    def settings(self) -> dict[str, Any]:
        """Give these options as the library takes them."""
        return {
            "bins": self.bins,
            "target": self.target,
            "cuts": {name: _numbers(name, text) for name, text in self._assigned("cuts").items()},
            "names": {name: names([text]) for name, text in self._assigned("names").items()},
            "levels": levels(self.level or ()),
        }

    def _assigned(self, word: str) -> dict[str, str]:
        return assignments(getattr(self, word) or (), f"--{word}")


@dataclass(frozen=True)
class Categories(Levels):
    """Whether a command makes categories of columns before it learns.

    Parameters
    ----------
    discretise : cut all numeric columns; entropy needs --target.
    """

    discretise: Annotated[str | None, _category("{cutters}")] = None

    @property
    def wanted(self) -> bool:
        """Whether anything is asked for."""
        if self.discretise is None and (self.bins is not None or self.target is not None):
            raise OptionError(
                "--bins and --target need --discretise, since they set how columns are cut."
            )
        return self.discretise is not None or any(getattr(self, word) for word in _ONE)

    def table(
        self, source: flags.DataOptions, stream: bool = False, model: str = "auto"
    ) -> Table | Moments:
        """Read the table, with categories where some are asked for, or its counts or moments."""
        if not self.wanted:
            return source.gathered(stream, model)
        if stream:
            raise OptionError(
                "--discretise and --level do not go with --stream, which reads the file only once: write the "
                "levels to a file first, with 'arcwise discretise'."
            )
        return _discretised_table(source, self.discretise, self.settings())


def _discretised_table(
    source: flags.DataOptions, method: str | None, settings: dict[str, Any]
) -> Table:
    """Read a table and make categories of its columns."""
    from arcwise import data

    make = partial(data.discretise, method=method, **settings)
    return read_table(source.data, **source.reading(), make=make)


def discretise(
    source: flags.DataOptions,
    how: Levels,
    method: Annotated[str, _category("{cutters}|none")] = "quantiles",
    columns: Annotated[list[str] | None, _category("COLUMNS")] = None,
    output: flags.TableOut = None,
) -> None:
    """Turn numbers, text or times into categories.

    Writes a table of level names. To query a model with raw values, give these options to 'arcwise learn'
    instead, with --discretise for --method.

    Example: arcwise discretise iris.csv --method entropy --target class -o levels.csv

    Parameters
    ----------
    method : how to cut numeric columns.
    columns : cut these columns only; by default all numeric ones.
    """
    outputs.check([(output, outputs.TABLES)], [source.data])
    chosen = {"columns": names(columns)} if columns else {}
    table = _discretised_table(
        source, None if method == "none" else method, how.settings() | chosen
    )
    for note in table.notes:
        print_aside(note)
    if output is not None:
        _show(table, file_name(source.data))
    outputs.give_table(table.to_arrow(), output, plural(table.rows, "row"))


def _show(table: Table, name: str) -> None:
    """Print what became levels."""
    made = [table.variable(each) for each in table.order]
    rows = [
        [variable.name, str(len(variable.levels or ())), ", ".join(map(str, variable.levels or ()))]
        for variable in made
        if variable.cuts is not None or variable.coding is not None
    ]
    show(style_text(f"{name}: {plural(len(rows), 'column')} cut into levels", "bold"), "")
    show(grid(["column", ">levels", "which"], rows), "")


# -- how levels are typed ------------------------------------------------------------------------


def levels(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Give what each level holds, by column and level.

    >>> levels(["links:Low=0..4", "links:High=5..", "sent:night=22:00..6:00", "sent:day"])
    {'links': {'Low': (0.0, 4.0), 'High': (5.0, None)}, 'sent': {'night': ('22:00', '6:00'), 'day': None}}
    """
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        head, sign, held = text.partition("=")
        column, colon, level = (part.strip() for part in head.rpartition(":"))
        if not (colon and column and level and (held.strip() or not sign)):
            raise DataError(f"--level must be written as column:level=content, got {text!r}.")
        what = _parse_content(held.strip()) if sign else None
        found.setdefault(column, {}).setdefault(level, []).append(what)
    return {
        column: {level: held if len(held) > 1 else held[0] for level, held in levels.items()}
        for column, levels in found.items()
    }


def _parse_content(text: str) -> Any:
    """What a level holds: a range of numbers or times, a regular expression, or a form of text."""
    if len(text) > 2 and text[0] == text[-1] == "/":
        try:
            return re.compile(text[1:-1])
        except re.error as error:
            raise DataError(f"{text} is not a regular expression ({error}).") from None
    ends = bounds(text)
    if ends is not None:
        return ends
    low, dots, high = (part.strip() for part in text.partition(".."))
    return (low, high) if dots and ":" in low and ":" in high else text


def _numbers(name: str, text: str) -> list[float]:
    found = numbers(names([text]))
    if found is None:
        raise DataError(f"--cuts {name} must have numbers, as in {name}=5,11, got {text!r}.")
    return found
