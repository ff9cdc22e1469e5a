"""Conversion between tables and data frames, arrays or dictionaries.

Pandas, polars, pyarrow and other frames are read through narwhals, and none of them has to be
installed. All become Arrow arrays, so that one set of rules decides the kinds. `Raw` is the common
form of frames and files before that: clean names, and an Arrow array of any type for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.data.folds import with_copies
from arcwise.data.kinds import settle
from arcwise.data.table import Table
from arcwise.data.variable import Kind, sentence_list
from arcwise.errors import DataError, plural
from arcwise.frame import Frame, Series
from arcwise.notes import Fix, Note, data_note, mention
from arcwise.values import as_tuple, clear_calls


@clear_calls
def table(
    data: Any,
    *,
    names: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    na_values: Iterable[object] = (),
    weights: str | ArrayLike | None = None,
    copies: str = "apart",
    missing: object = None,
) -> Table:
    """Make a table from data in memory.

    Parameters
    ----------
    data : a pandas, polars or pyarrow frame, a numpy array (rows by columns), a dictionary of
        columns, a list of dictionaries (rows), or a table. Masked entries of a masked array are missing.
    names : for a numpy array; without them its columns are x1, x2, ...
    kinds : ``{"RAD": "discrete"}`` for example, instead of the rules for kinds.
    na_values : further values that mean "missing".
    weights : the name of a column, or one number per row, of row weights.
    copies : "apart" if equal rows, and copies by weight, are separate units: folds and
        leave-one-out hold out one at a time; "together" if they repeat one measurement: then they become one
        row, held out with its whole weight, which need not be an integer.
    missing : not used here; it is an option of learning.

    Returns
    -------
    The table; its notes say its decisions and dropped columns.

    Raises
    ------
    DataError : data that is not a table, has no rows or no usable column.

    >>> table({"height": [1.8, 1.6, 1.7], "smoker": ["no", "yes", "no"]})
    Table(3 rows, 1 continuous, 1 discrete: height, smoker)
    """
    refuse_missing(missing)
    if isinstance(data, Table):
        result = _retable(data, names, kinds or {}, tuple(na_values), weights)
    else:
        result = settle(raw_of(data, names), kinds=kinds, na_values=na_values, weights=weights)
    return with_copies(result, copies)


def _retable(
    old: Table,
    names: Sequence[str] | None,
    kinds: Mapping[str, Kind],
    na_values: tuple[object, ...],
    weights: str | ArrayLike | None,
) -> Table:
    if names is not None or na_values:
        raise DataError(
            "A table already has its names and missing values: give {names=} and "
            "{na_values=} when it is made.",
            fixes=[Fix("names"), Fix("na_values")],
        )
    if isinstance(weights, str):
        numbers = old.select([weights]).matrix()[:, 0]
        rest = [name for name in old.order if name != weights]
        old = old.select(rest).with_weights(numbers)
    elif weights is not None:
        old = old.with_weights(weights)
    return replace(old.recast(kinds), fixed=old.fixed | frozenset(kinds)) if kinds else old


def refuse_missing(missing: object) -> None:
    """Raise an error for a policy for missing values, which is an option of learning."""
    if missing is not None:
        raise DataError(
            "Values that mean missing must be given as {na_values=}; "
            "{missing=} is an option of learning, not of a table.",
            fixes=[Fix("na_values", na_marks(missing)), mention("missing", "drop")],
        )


def na_marks(missing: object) -> list[object]:
    """Return values that mean "missing" as a list, as na_values= takes them."""
    return [*as_tuple(missing)]


def raw_of(data: Any, names: Sequence[str] | None = None) -> Raw:
    """Return the columns of any data in memory as Arrow arrays."""
    if isinstance(data, np.ndarray):
        return _from_array(data, names)
    if names is not None:
        raise DataError("names= is for numpy arrays: leave it out, since other data have names.")
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        keys = dict.fromkeys(key for row in data for key in row)
        return _from_dict({key: [row.get(key) for row in data] for key in keys})
    if isinstance(data, Mapping):
        return _from_dict(data)
    return _from_frame(data)


def _from_array(data: np.ndarray[Any, Any], names: Sequence[str] | None) -> Raw:
    if data.dtype.names is not None:
        return _from_dict({name: data[name] for name in data.dtype.names})
    if data.ndim != 2:
        raise DataError(f"An array must be rows by columns, got shape {data.shape}.")
    labels = [f"x{i}" for i in range(1, data.shape[1] + 1)] if names is None else list(names)
    if len(labels) != data.shape[1]:
        raise DataError(
            f"{len(labels)} names were given for an array with {data.shape[1]} columns."
        )
    if isinstance(data, np.ma.MaskedArray):
        return _make(labels, list(data.T))
    # One copy with adjacent columns is quicker than a copy per column.
    block = np.array(data, order="F")
    return replace(_make(labels, list(block.T)), own=True)


def _from_dict(columns: Mapping[Any, Any]) -> Raw:
    arrays = {name: _as_column(name, column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in arrays.items()}
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(
            f"{name!r} has {length}" for name, length in list(lengths.items())[:5]
        )
        raise DataError(f"Columns must have equal lengths, but {lengths_text} rows.")
    return _make(list(arrays), list(arrays.values()))


def _as_column(name: object, column: Any) -> Any:
    """Return a column with a length; a single value becomes a column of one row."""
    if column is np.ma.masked:
        return [None]
    if isinstance(column, np.ndarray) and column.ndim > 1:
        raise DataError(f"Column {name!r} must be one-dimensional, got {column.shape}.")
    if column is None or isinstance(column, str | bytes) or not hasattr(column, "__iter__"):
        return [column]
    if isinstance(column, np.ndarray) and column.ndim == 0:
        return [column.item()]
    return column if hasattr(column, "__len__") else list(column)


def _make(names: Sequence[object], columns: Sequence[Any]) -> Raw:
    tidy, notes = tidy_names(names)
    arrays = tuple(_arrow(name, column) for name, column in zip(tidy, columns, strict=True))
    return Raw(tidy, arrays, notes)


def _arrow(name: str, column: Any) -> Any:
    """Make an Arrow array, or raise an error that names the column."""
    import pyarrow as pa

    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    if isinstance(column, np.ndarray) and column.dtype == np.float16:
        column = column.astype(np.float64)
    if isinstance(column, np.ma.MaskedArray):
        column, mask = np.ma.getdata(column), np.ma.getmaskarray(column)
    elif isinstance(column, list | tuple) and any(value is np.ma.masked for value in column):
        column, mask = [None if value is np.ma.masked else value for value in column], None
    else:
        mask = None
    try:
        if hasattr(column, "to_arrow"):
            return column.to_arrow()
        return pa.array(column, from_pandas=True, mask=mask)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        kinds = sorted({type(value).__name__ for value in column if value is not None})
        raise DataError(
            f"Column {name!r} mixes values of different types ({sentence_list(kinds)}): make them"
            " all numbers or all text."
        ) from None


def _from_frame(data: Any) -> Raw:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    try:
        frame = nw.from_native(data)
    except nw.exceptions.DuplicateError:
        return _refuse_repeated_columns(data)
    except TypeError:
        raise DataError(
            "A table must be made from a pandas, polars or pyarrow frame, a numpy array or a "
            f"dictionary of columns, got {type(data).__name__}."
        ) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if not isinstance(eager, nw.DataFrame):
        raise DataError(f"A table must have columns, got a {type(data).__name__}.")
    try:
        names = eager.columns
    except nw.exceptions.DuplicateError:
        return _refuse_repeated_columns(data)
    return _make(names, list(eager.iter_columns()))


def _refuse_repeated_columns(data: Any) -> Raw:
    tidy_names(getattr(data, "columns", ()) if not hasattr(data, "schema") else data.schema.names)
    raise DataError("Column names occur more than once: give each column its own name.")


# -- out -----------------------------------------------------------------------------------------


def to_arrow(source: Table) -> Any:
    """Return a pyarrow table: floats, integers, booleans, and dictionaries of text.

    >>> to_arrow(table({"rain": ["no", "yes", "no"]})).schema.names
    ['rain']
    """
    import pyarrow as pa

    return pa.table({name: _column_out(source, name) for name in source.order})


def _column_out(source: Table, name: str) -> Any:
    import pyarrow as pa

    variable, column = source.variable(name), source.column(name)
    if variable.levels is None:
        return pa.array(column, from_pandas=True)
    gaps = np.equal(column, len(variable.levels))
    indices = pa.array(column.astype(np.int32), mask=gaps)
    words = pa.array(list(variable.levels))
    coded = pa.DictionaryArray.from_arrays(indices, words, ordered=variable.ordered)
    return coded if pa.types.is_string(words.type) else coded.cast(words.type)


def filled_frame(frame: Any, filled: Table, gaps: Table) -> Any:
    """Put filled columns into a data frame; columns without missing values are unchanged.

    Parameters
    ----------
    frame : any data frame; unknown columns, the index and types stay.
    filled : the same rows without missing values.
    gaps : the same rows before.

    Returns
    -------
    A frame of the same kind; variables that it lacks are added at its end. A column of integers stays
    one where all that is filled in is whole; one of raw values with missing values, of which the network
    knows levels, becomes one of levels.
    """
    import narwhals as nw

    series: Any = nw.from_native(frame, eager_only=True)
    originals, holes = {str(name): name for name in series.columns}, gaps.missing()
    for name in filled.order:
        if name in originals and not holes[:, gaps.index(name)].any():
            continue
        variable, values = filled.variable(name), filled.values(name).tolist()
        made = variable.cuts is not None or variable.coding is not None
        old = series[originals[name]] if name in originals and not made else None
        if old is None or old.is_null().all():  # no cell says what the column holds
            fresh = nw.new_series(originals.get(name, name), values, backend=series.implementation)
        else:
            fresh = _like(old, values)
        series = series.with_columns(fresh)
    return series.to_native()


def _like(old: Any, values: list[Any]) -> Any:
    """Return a series of values with the name and, where these allow it, the type of another."""
    import narwhals as nw

    kind = old.dtype
    present = old.drop_nulls().to_list()
    numbers = all(isinstance(value, int | float | np.number) for value in present)
    if numbers and any(isinstance(value, str) for value in values):
        try:  # levels of a file that knows text only
            values = [float(value) for value in values]
        except ValueError:
            kind = nw.String()
    if kind == nw.String:
        values = [str(value) for value in values]
    fresh = nw.new_series(old.name, values, backend=old.implementation)
    if kind.is_integer() and any(value != np.floor(value) for value in values):
        return fresh
    return fresh.cast(kind)


def index_of(rows: Any) -> Any:
    """Return the index of a pandas data frame; None for anything else."""
    index = getattr(rows, "index", None) if hasattr(rows, "columns") else None
    return None if callable(index) else index


def first_rows(source: Table, most: int = 10) -> Frame:
    """Return the first rows and columns of a table, for display."""
    few, rest = source.head(most), (len(source) - most, len(source.order) - most)
    columns = tuple(Series(name, few.values(name)) for name in source.order[:most])
    counts = zip(rest, ("row", "column"), strict=True)
    notes = [f"... {plural(count, f'more {word}')}" for count, word in counts if count > 0]
    return Frame(columns, repr(source), (*notes, *map(str, source.notes)))


def to_pandas(source: Table) -> Any:
    """Return a pandas data frame, made through Arrow."""
    try:
        return to_arrow(source).to_pandas()
    except ImportError:
        raise DataError("to_pandas() needs pandas: install it, or use to_arrow().") from None


# -- raw columns ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Raw:
    """Raw columns.

    Parameters
    ----------
    names : clean and distinct.
    arrays : Arrow arrays of equal length, one per name.
    notes : decisions so far.
    own : whether nothing else uses the arrays, so that they need no copy.
    """

    names: tuple[str, ...]
    arrays: tuple[Any, ...]
    notes: tuple[Note, ...] = ()
    own: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.arrays[0]) if self.arrays else 0


def tidy_names(
    names: Iterable[object], *, numbered: bool = False
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Strip and complete column names.

    Parameters
    ----------
    names : original names; empty ones (or None) are missing.
    numbered : whether a repeated name gets a number, as in a.1, which suits files. Names that are numbers
        do not: then the header is missing.

    Returns
    -------
    The names, and notes if some had to be invented or numbered.

    Raises
    ------
    DataError : a name occurs twice.

    >>> tidy_names(["a", " b ", ""])
    (('a', 'b', 'x3'), (<Note: A column without a name is called by its position: 'x3'.>,))
    >>> tidy_names(["a", "b", "a"], numbered=True)
    (('a', 'b', 'a.1'), (<Note: Column names that occur again were numbered: 'a.1'.>,))
    """
    texts = ["" if name is None else str(name).strip() for name in names]
    taken, invented, tidy = set(texts), [], []
    for position, name in enumerate(texts, start=1):
        if not name:
            name = f"x{position}"
            while name in taken:
                name += "_"
            invented.append(name)
        tidy.append(name)
    again = _number_repeats(tidy) if numbered else []
    _refuse_repeats(tidy)
    repeats = f"Column names that occur again were numbered: {sentence_list(again)}."
    plural = "Columns without a name are" if len(invented) > 1 else "A column without a name is"
    note = f"{plural} called by {'their' if len(invented) > 1 else 'its'} position: "
    messages = ((invented, f"{note}{sentence_list(invented)}."), (again, repeats))
    notes = (data_note(text, tuple(about)) for about, text in messages if about)
    return tuple(tidy), tuple(notes)


def _number_repeats(names: list[str]) -> list[str]:
    """Add a number to repeated names, in place; return the new names."""
    taken, again = set(names), []
    seen: set[str] = set()
    times: Counter[str] = Counter()
    for position, name in enumerate(names):
        if name in seen and not _is_number(name):
            times[name] += 1
            while f"{name}.{times[name]}" in taken:
                times[name] += 1
            names[position] = f"{name}.{times[name]}"
            taken.add(names[position])
            again.append(names[position])
        seen.add(names[position])
    return again


def _is_number(name: str) -> bool:
    return name.replace(".", "").lstrip("-").isdigit()


def _refuse_repeats(names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if not twice:
        return
    numbers = all(map(_is_number, twice))
    hint = "is the first line of names missing" if numbers else "give each column its own name"
    end = "?" if numbers else "."
    raise DataError(f"Column names occur more than once ({sentence_list(twice)}): {hint}{end}")
