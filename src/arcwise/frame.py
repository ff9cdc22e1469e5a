"""A `Frame`: named columns of equal length, with the methods that all tables of results share.

Edges, audits, validations, predictions and other results are tables of facts. Each of them makes one
frame, and the frame provides the rest: aligned text, an HTML table for notebooks, plain dictionaries, CSV,
and data frames of pandas, polars and Arrow. It can be sorted, filtered and cut; it never changes: a
changed frame is a new one.

>>> strength = np.array([0.31, 0.052, np.nan])
>>> edges = Frame((Series("edge", ["a -> b", "b -- c", "a -- c"]), Series("strength", strength, ".3f")))
>>> print(edges.sort("strength"))
edge    strength
b -- c     0.052
a -> b     0.310
a -- c
>>> edges.filter(edge="a -> b").to_records()
[{'edge': 'a -> b', 'strength': 0.31}]

A result inherits from `Framed` and defines its frame; then it has the same methods.

>>> class Edges(Framed):
...     @property
...     def frame(self):
...         return edges
>>> Edges().to_dict()
{'edge': ['a -> b', 'b -- c', 'a -- c'], 'strength': [0.31, 0.052, None]}
"""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError, FileError, plural, unknown
from arcwise.values import clear_methods, is_number

Values = Sequence[Any] | NDArray[Any]
Row = dict[str, Any]

MAX_ROWS = 40
"""Rows that are printed; the others are counted."""

MAX_REPR = 160  # characters; the middle of a longer repr is left out
LONGEST_CELL = 300
"""Letters of a cell, a title or a note in HTML; the middle of longer ones is left out."""

STYLE = """
.arcwise, .arcwise table, .arcwise tr, .arcwise th, .arcwise td { color: inherit; background: none; border:
0 } .arcwise table { border-collapse: collapse; margin: .4em 0; width: auto; font-size: inherit }
.arcwise p { text-align: left; white-space: pre-line; color: inherit; padding: 0; margin: .3em 0 }
.arcwise table th, .arcwise table td { padding: .15em 1.2em .15em 0; vertical-align: top; font-weight: normal;
text-align: left !important; max-width: 40em; overflow-wrap: anywhere }
.arcwise thead th { border-bottom: 1px solid; white-space: nowrap }
.arcwise thead th, .arcwise p { opacity: .75 } .arcwise p.title { opacity: 1 }
.arcwise table .number { text-align: right !important; font-variant-numeric: tabular-nums;
white-space: nowrap }
.arcwise pre { color: inherit; background: none; border: 0; padding: 0; margin: .3em 0; overflow-x: auto }
"""
"""Rules for HTML of results. Colours are those of the page around it, so that it is light or dark with it."""


class Series(NamedTuple):
    """One column of a frame.

    Parameters
    ----------
    name : its name, the same in every form.
    values : a sequence or an array; None and NaN are missing.
    spec : how numbers are printed, as for ``format``, by default floats with four digits; the mark of True.
    head : its heading in print, if that is not the name.
    shown : whether it is printed; it is always exported.
    """

    name: str
    values: Values
    spec: str = ""
    head: str = ""
    shown: bool = True

    @property
    def plain(self) -> list[Any]:
        """The values as plain Python objects; missing ones are None."""
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return [_plain(value) for value in values]

    @property
    def exported(self) -> Any:
        """The values as other libraries take them: arrays as they are."""
        return self.values if isinstance(self.values, np.ndarray) else self.plain

    @property
    def numeric(self) -> bool:
        """Whether all values that are not missing are numbers."""
        return all(value is None or is_number(value) for value in self.plain)

    def cells(self) -> list[str]:
        """Return the values as text; missing ones are empty."""
        return [_text(value, self.spec) for value in self.plain]


@clear_methods
class Framed(ABC):
    """A result that is a table, with one way to print, export, sort and filter it.

    A result defines frames: `frame` has all, `display` is shown in notebooks, `brief` is printed as text.
    """

    @property
    @abstractmethod
    def frame(self) -> Frame:
        """The whole result as a frame."""

    @property
    def display(self) -> Frame:
        """The frame that is shown; by default the whole one."""
        return self.frame

    @property
    def brief(self) -> Frame:
        """The frame that is printed as text; by default the one that is shown."""
        return self.display

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the short repr, in place of the one that dataclasses make of all fields."""
        super().__init_subclass__(**options)
        clear_methods(cls)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        text = " ".join(self._summary().split())
        return f"<{type(self).__name__}: {middle_out(text, MAX_REPR)}>"

    def _summary(self) -> str:
        """Return the result in a few words, for its repr."""
        frame = self.frame
        return (
            frame.title.partition("\n")[0]
            or f"{plural(len(frame), 'row')}, {', '.join(frame.names)}"
        )

    def __str__(self) -> str:
        return self.to_text()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_records())

    def __getitem__(self, name: Any) -> Any:
        """Return the values of a column."""
        return self.frame.column(name).values

    def _repr_html_(self) -> str:
        return self.to_html(MAX_ROWS)

    def to_text(self, max_rows: int | None = MAX_ROWS) -> str:
        """Aligned text, numbers to the right; None prints all rows."""
        frame = self.brief
        columns = frame.printed(max_rows)
        rows = zip(*(_align(column, frame.headed) for column in columns), strict=True)
        indent = "" if frame.headed else "  "
        lines = [indent + "  ".join(cells).rstrip() for cells in rows]
        return "\n".join([*([frame.title] * bool(frame.title)), *lines, *frame.below(max_rows)])

    def to_html(self, max_rows: int | None = None) -> str:
        """Return a table in HTML, escaped, without scripts; it takes its colours from the page around it."""
        frame, columns = self.display, self.display.printed(max_rows)
        marks = [' class="number"' * column.numeric for column in columns]
        head = _html_row("th", marks, [column.head or column.name for column in columns])
        rows = zip(*(column.cells() for column in columns), strict=True)
        body = "".join(_html_row("td", marks, row) for row in rows)
        title = f'<p class="title">{escaped(frame.title.strip())}</p>' * bool(frame.title)
        notes = (f"<p>{escaped(note)}</p>" for note in frame.below(max_rows))
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>" * bool(columns)
        return html_block(title, table, *notes)

    def document(self) -> dict[str, Any]:
        """Return all of the result as plain values, for JSON; by default its columns."""
        return self.to_dict()

    def head(self, rows: int | None = 5) -> Frame:
        """Return the first rows; None keeps all."""
        frame = self.frame
        return frame if rows is None or len(frame) <= rows else frame.take(range(rows))

    def select(self, names: Iterable[str]) -> Frame:
        """These columns, in this order, all of them printed."""
        frame = self.frame
        columns = tuple(frame.column(name)._replace(shown=True) for name in names)
        if any(column.name == frame.index for column in columns):
            return replace(frame, columns=columns)
        return replace(frame, columns=columns, index="", labels=None)

    def sort(self, by: str, descending: bool = False) -> Frame:
        """Return the rows in the order of a column; equal ones keep their order, missing values come last."""
        frame = self.frame
        values = frame.column(by).plain
        present = [row for row, value in enumerate(values) if value is not None]
        order = sorted(present, key=values.__getitem__, reverse=descending)
        return frame.take([*order, *(row for row, value in enumerate(values) if value is None)])

    def filter(self, test: Callable[[Row], bool] | None = None, /, **values: Any) -> Frame:
        """Return the rows for which the function `test` is true and whose columns have these values."""
        frame = self.frame
        for name in values:
            frame.column(name)
        rows = [
            all(row[name] == value for name, value in values.items()) and (not test or test(row))
            for row in frame
        ]
        return frame.take(np.flatnonzero(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as plain lists by name; missing values are None."""
        return {column.name: column.plain for column in self.frame.columns}

    def to_records(self) -> list[Row]:
        """Return the rows as plain dictionaries; missing values are None."""
        rows = zip(*(column.plain for column in self.frame.columns), strict=True)
        return [dict(zip(self.frame.names, row, strict=True)) for row in rows]

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Comma-separated values under a line of names, also written to a file if there is a path."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.frame.names)
        writer.writerows(zip(*(column.plain for column in self.frame.columns), strict=True))
        if path is not None:
            try:
                Path(path).write_text(text.getvalue(), encoding="utf-8", newline="")
            except OSError as error:
                raise FileError(f"{path} cannot be written: {error.strerror}.") from None
        return text.getvalue()

    def to_pandas(self) -> Any:
        """Return a pandas data frame, with the frame's index if there is one."""
        pandas, frame = _library("pandas"), self.frame
        columns = {column.name: pandas.Series(column.exported) for column in frame.columns}
        made = pandas.DataFrame(columns, columns=list(frame.names))
        if frame.labels is not None:
            return made.drop(columns=frame.index).set_axis(frame.labels, axis=0)
        return made.set_index(frame.index) if frame.index else made

    def to_polars(self) -> Any:
        """Return a polars data frame."""
        return _library("polars").from_arrow(self.to_arrow())

    def to_arrow(self) -> Any:
        """Return a pyarrow table; values of several types in one column become text."""
        import pyarrow

        arrays = {}
        for name, values in ((column.name, column.exported) for column in self.frame.columns):
            try:
                arrays[name] = pyarrow.array(values, from_pandas=True)
            except pyarrow.ArrowException:
                arrays[name] = pyarrow.array([None if x is None else str(x) for x in values])
        return pyarrow.table(arrays)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the columns to a library that knows Arrow, as in ``polars.DataFrame(edges)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, eq=False, repr=False)
class Frame(Framed):
    """Named columns of equal length.

    Parameters
    ----------
    columns : in their order; arrays in them become read-only.
    title : lines above the table.
    notes : lines below it.
    index : the name of the column that names the rows: the index of a pandas data frame.
    labels : the index itself if it is one of pandas.
    headed : whether text has a line of headings; without it, rows are lines below the title.

    >>> frame = Frame((Series("x", [3, 1, 2]), Series("y", ["c", None, "b"])))
    >>> frame
    <Frame of 3 rows: x, y>
    >>> frame["x"], len(frame), [row["y"] for row in frame.filter(lambda row: row["x"] > 1)]
    ((3, 1, 2), 3, ['c', 'b'])
    >>> frame.sort("x", descending=True).head(2).select(["y"]).to_dict()
    {'y': ['c', 'b']}
    """

    columns: tuple[Series, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    index: str = ""
    labels: Any = None
    headed: bool = True

    def __post_init__(self) -> None:
        """Check the columns and close them."""
        columns = tuple(each._replace(values=_close(each.values)) for each in self.columns)
        object.__setattr__(self, "columns", columns)
        sizes = [len(column.values) for column in columns]
        if len(set(sizes)) > 1 or len(set(self.names)) < len(columns):
            lengths = ", ".join(f"{n!r} of {k}" for n, k in zip(self.names, sizes, strict=True))
            raise DataError(f"Columns must have different names and equal lengths, got {lengths}.")

    @property
    def frame(self) -> Frame:
        """The frame itself."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def column(self, name: str) -> Series:
        """Return a column with its name and its format."""
        if name not in self.names:
            raise unknown("column", name, self.names)
        return self.columns[self.names.index(name)]

    def __repr__(self) -> str:
        return f"<Frame of {plural(len(self), 'row')}: {', '.join(self.names)}>"

    def printed(self, max_rows: int | None) -> tuple[Series, ...]:
        """Return the columns that are printed, with this many rows."""
        return tuple(column for column in self.head(max_rows).columns if column.shown)

    def below(self, max_rows: int | None) -> list[str]:
        """Return the lines below the table: a count of the rows that are not printed, and the notes."""
        more = 0 if max_rows is None else len(self) - max_rows
        return [*([f"... and {plural(more, 'more row')}"] if more > 0 else []), *self.notes]

    def take(self, rows: Iterable[int]) -> Frame:
        """These rows, by their numbers, in this order."""
        chosen = np.fromiter(rows, dtype=np.intp)
        values = (
            x[chosen] if isinstance(x, np.ndarray) else tuple(x[row] for row in chosen)
            for x in (column.values for column in self.columns)
        )
        pairs = zip(self.columns, values, strict=True)
        columns = tuple(column._replace(values=x) for column, x in pairs)
        labels = None if self.labels is None else self.labels.take(chosen)
        return replace(self, columns=columns, labels=labels)


def unused(name: str, taken: Iterable[str]) -> str:
    """Return an unused name: variables may have the names of columns of a result."""
    names = set(taken)
    while name in names:
        name += "_"
    return name


def escaped(text: str) -> str:
    """Return text for HTML: special characters as entities, very long texts without their middle."""
    return escape(middle_out(text, LONGEST_CELL))


def middle_out(text: str, letters: int) -> str:
    """Return a text, without its middle if it has more than this many characters."""
    half = letters // 2
    return text if len(text) <= letters else f"{text[:half]} … {text[-half:]}"


def text_html(text: str) -> str:
    """Return the lines of text as HTML, in a font of even width; a very long text loses its middle lines."""
    lines = text.splitlines()
    if len(lines) > MAX_ROWS:
        half = MAX_ROWS // 2
        lines = [*lines[:half], f"... {len(lines) - 2 * half} more lines ...", *lines[-half:]]
    content = "\n".join(map(escaped, lines))
    return html_block(f"<pre>{content}</pre>")


def html_block(*parts: str) -> str:
    """Return the pieces of HTML, each escaped already, in one block with the style of results."""
    return f'<div class="arcwise"><style>{STYLE}</style>{"".join(parts)}</div>'


def _html_row(tag: str, marks: Sequence[str], cells: Iterable[str]) -> str:
    pairs = zip(marks, cells, strict=True)
    return f"<tr>{''.join(f'<{tag}{mark}>{escaped(cell.strip())}</{tag}>' for mark, cell in pairs)}</tr>"


def _align(column: Series, headed: bool) -> list[str]:
    """Return the cells of a column, under its heading if there is one, all of one width."""
    cells = [*[column.head or column.name] * headed, *column.cells()]
    width, right = max(map(len, cells), default=0), headed and column.numeric
    return [cell.rjust(width) if right else cell.ljust(width) for cell in cells]


def _text(value: Any, spec: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return (spec or "yes") if value else ("" if spec else "no")
    if is_number(value) and (spec or isinstance(value, float)):
        return format(value, "z" + (spec or ".4g"))  # z: no negative zero
    return str(value)


def _plain(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and plain != plain else plain


def _close(values: Values) -> Values:
    if not isinstance(values, np.ndarray) or values.dtype == object:
        return tuple(values)
    view = values.view()
    view.flags.writeable = False
    return view


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise DataError(f"to_{name}() needs {name}: install it, or use to_arrow().") from None
