"""Kinds: rules that turn raw columns into variables or drop them.

The rules, in this order; an entry in ``kinds=`` comes before all of them:

========================================================  =====================================
column                                                    becomes
========================================================  =====================================
no value at all; lists and other shapes                   left out
dates and times                                           left out (a number of days, if numeric)
text with more than 10 values, over half as many as rows  left out (names, keys, remarks)
text, truth values, categories                            discrete
whole numbers with at most 10 values                      discrete, levels numeric and ordered
a permutation of consecutive whole numbers                left out (it numbers the rows)
other numbers                                             continuous
========================================================  =====================================

Integers have an integer type in the source, or are a CSV column without any point. Floats with integer
values and missing values count too, as pandas stores them. Notes report dropped columns and the reasons.

Text is read by its distinct values, not by cells. Spaces around a value are ignored. The empty text
is missing, and so are ``na_values=``; "None" or "NA" in a column of text is a level like any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.amounts import days_of, written_numbers
from arcwise.data.table import Table, checked_weights
from arcwise.data.variable import (
    Column,
    Kind,
    Variable,
    code_type,
    read_kind,
    sentence_list,
    to_levels,
)
from arcwise.errors import DataError, close_to
from arcwise.notes import Fix, Note, data_note, mention

if TYPE_CHECKING:
    from arcwise.data.frames import Raw

# Integers with at most this many distinct values are levels.
FEW = 10

NO_KIND = ("no value at all", "values that are neither numbers nor text")
"""Reasons for dropping a column whatever its kind."""


@dataclass(frozen=True)
class Outcome:
    """The variable and column made of a raw column, or the reason for dropping it; and a note."""

    variable: Variable | None = None
    column: Column | None = None
    reason: str = ""
    note: Note | None = None


def settle(
    raw: Raw,
    *,
    kinds: Mapping[str, Kind] | None = None,
    na_values: Iterable[object] = (),
    weights: str | ArrayLike | None = None,
) -> Table:
    """Turn raw columns into a table by the rules of this module.

    Parameters
    ----------
    raw : names and Arrow arrays.
    kinds : kinds by name; every model keeps them.
    na_values : further values that mean "missing", text or numbers.
    weights : the name of a column (which is then no variable) or one number per row.

    Raises
    ------
    DataError : no rows, no usable column, infinite values, bad weights or unknown names.
    """
    if raw.rows == 0:
        raise DataError("A table must have at least one row, got none.")
    choices, marks = _checked_kinds(kinds or {}, raw.names), tuple(na_values)
    wanted = {name: kind for name, (kind, _) in choices.items()}
    heights, weight_name = row_weights(raw, weights)
    outcomes = {
        name: settle_column(name, array, wanted.get(name), marks, raw)
        for name, array in zip(raw.names, raw.arrays, strict=True)
        if name != weight_name
    }
    drops = _left_out(outcomes)
    kept = [outcome for outcome in outcomes.values() if outcome.variable is not None]
    if not kept:
        raise DataError("No column can be used. " + (" ".join(map(str, drops)) or "There is none."))
    notes = [*raw.notes, *drops, *(outcome.note for outcome in outcomes.values() if outcome.note)]
    variables = tuple(outcome.variable for outcome in kept if outcome.variable is not None)
    columns = tuple(outcome.column for outcome in kept if outcome.column is not None)
    fixed = frozenset(wanted) & {variable.name for variable in variables}
    table = Table(variables, columns, heights, notes=tuple(notes), fixed=fixed)
    table = table.recast({name: levels for name, (_, levels) in choices.items() if levels})
    return table.with_notes(*small(table))


def settle_column(
    name: str, array: Any, kind: Kind | None, na_values: Sequence[object], raw: Raw
) -> Outcome:
    """Turn one Arrow array into a variable and a column, or drop it with a reason."""
    import pyarrow as pa

    kinds = pa.types
    if array.null_count == len(array):
        return Outcome(reason="no value at all")
    if kinds.is_dictionary(array.type) and not is_text(array.type.value_type):
        array, kind = array.cast(array.type.value_type), kind or "discrete"
    if kinds.is_boolean(array.type):
        return _settle_truth(name, array, kind)
    if kinds.is_integer(array.type):
        return _settle_numbers(name, array, kind, na_values, raw, whole=True)
    if kinds.is_floating(array.type) or kinds.is_decimal(array.type):
        return _settle_numbers(name, array, kind, na_values, raw, whole=False)
    if kinds.is_temporal(array.type) and kind is None:
        return Outcome(reason="dates or times")
    if kinds.is_temporal(array.type) and kind == "continuous":
        return Outcome(Variable(name), days_of(array))
    if kinds.is_temporal(array.type):
        array = array.cast(pa.string())
    if is_text(array.type) or kinds.is_dictionary(array.type):
        return _settle_text(name, array, kind, na_values)
    return Outcome(reason="values that are neither numbers nor text")


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type is text."""
    import pyarrow as pa

    string_view = getattr(pa.types, "is_string_view", lambda _: False)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or string_view(kind))


def number_array(array: Any, na_values: Sequence[object] = ()) -> NDArray[np.float64]:
    """Return an Arrow array of numbers or booleans as a float64 array, missing values NaN."""
    import pyarrow as pa

    if pa.types.is_integer(array.type) and not array.null_count and not na_values:
        numbers = np.from_dlpack(_in_one(array))  # Arrow's cast loads pyarrow.compute
        return np.asarray(numbers, dtype=np.float64)
    if not pa.types.is_float64(array.type):
        array = array.cast(pa.float64(), safe=False)
    array = _in_one(array)
    if array.null_count:
        array = array.fill_null(np.nan)
    # Not to_numpy, which imports pandas if installed: a quarter of the time of a short command.
    numbers = np.from_dlpack(array)
    marks = _number_marks(na_values)
    if marks:
        numbers = np.where(np.isin(numbers, marks), np.nan, numbers)
    return np.asarray(numbers, dtype=np.float64)


def _number_marks(na_values: Sequence[object]) -> list[float]:
    marks = []
    for mark in na_values:
        with suppress(TypeError, ValueError):
            marks.append(float(mark))  # type: ignore[arg-type]
    return marks


def _settle_truth(name: str, array: Any, kind: Kind | None) -> Outcome:
    variable, column = Variable(name), number_array(array)
    if kind == "continuous":
        return Outcome(variable, column)
    variable, column = to_levels(variable, column)
    return Outcome(Variable(name, tuple(map(bool, variable.levels or ()))), column)


def _settle_numbers(
    name: str, array: Any, kind: Kind | None, na_values: Sequence[object], raw: Raw, *, whole: bool
) -> Outcome:
    numbers = number_array(array, na_values)
    if not raw.own and numbers.base is not None:
        numbers = numbers.copy()
    _refuse_infinite(name, numbers)
    gaps = np.isnan(numbers)
    if gaps.all():
        return Outcome(reason="no value at all")
    whole = whole or _whole_with_gaps(numbers, gaps)
    few = whole and _at_most(numbers[~gaps] if gaps.any() else numbers, FEW)
    if kind == "discrete" or (kind is None and few):
        return Outcome(*to_levels(Variable(name), numbers))
    if kind is None and whole and _numbers_rows(numbers):
        return Outcome(reason="consecutive numbers of the rows")
    return Outcome(Variable(name), numbers)


def _refuse_infinite(name: str, numbers: NDArray[np.float64]) -> None:
    infinite = np.isinf(numbers)
    if infinite.any():
        raise DataError(
            f"Column {name!r} has infinite values, {int(infinite.sum())} in all and the first in row "
            f"{int(infinite.argmax()) + 1}: replace them, or treat them as missing with {{na_values=}}.",
            fixes=[Fix("na_values", ["inf", "-inf"])],
        )


def _whole_with_gaps(numbers: NDArray[np.float64], gaps: NDArray[np.bool_]) -> bool:
    return bool(gaps.any() and (numbers[~gaps] == np.floor(numbers[~gaps])).all())


def _at_most(numbers: NDArray[np.float64], few: int) -> bool:
    """Return whether there are at most `few` distinct values; a small sample decides for most columns."""
    if len(np.unique(numbers[:1000])) > few:
        return False
    return len(np.unique(numbers)) <= few


def _numbers_rows(numbers: NDArray[np.float64]) -> bool:
    """Return whether the values are a permutation of consecutive integers."""
    low, rows = numbers.min(), len(numbers)
    # With a missing value both are NaN, which equals nothing: such a column numbers no rows.
    if numbers.max() - low + 1 != rows:
        return False
    seen = np.zeros(rows, dtype=bool)
    seen[(numbers - low).astype(np.intp)] = True
    return bool(seen.all())


# -- weights and notes ----------------------------------------------------------------------------


def _checked_kinds(kinds: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    for name in kinds:
        _check_column("kinds", name, names)
    return {name: read_kind(choice) for name, choice in kinds.items()}


def _check_column(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        message = f"{{{option}=}} names {name!r}, which is not a column. {close_to(name, names)}"
        raise DataError(message, fixes=[mention(option)])


def row_weights(
    raw: Raw, weights: str | ArrayLike | None
) -> tuple[NDArray[np.float64] | None, str | None]:
    """Return the row weights, and the name of their column if they have one."""
    if weights is None:
        return None, None
    if not isinstance(weights, str):
        return checked_weights(weights, raw.rows), None
    _check_column("weights", weights, raw.names)
    array = raw.arrays[raw.names.index(weights)]
    import pyarrow as pa

    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        raise DataError(f"The weights {weights!r} must be numbers, got {array.type}.")
    return checked_weights(number_array(array), raw.rows), weights


def _left_out(outcomes: Mapping[str, Outcome]) -> list[Note]:
    """Return one note per reason for dropping columns."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, outcome in outcomes.items():
        if outcome.variable is None:
            by_reason[outcome.reason].append(name)
    return [left_out_note(names, reason) for reason, names in by_reason.items()]


def left_out_note(names: Sequence[str], reason: str) -> Note:
    """Return the note on dropped columns and the kind that would keep them."""
    kind = "categorical" if reason.startswith("text") else "numeric"
    fixes = () if reason in NO_KIND else (Fix("kinds", {names[0]: kind}),)
    return data_note(f"Dropped: {sentence_list(names)} ({reason}).", tuple(names), fixes)


def small(table: Table) -> list[Note]:
    """Return notes if the table is too small for learning."""
    notes = []
    if len(table.variables) == 1:
        notes.append(f"There is only one column, {table.names[0]!r}: no edge is possible.")
    if table.rows == 1:
        notes.append("There is only one row: it can be queried, but not learned from.")
    elif all(_constant(*pair) for pair in zip(table.variables, table.columns, strict=True)):
        notes.append("Every column is constant: there is nothing to learn from them.")
    return [data_note(text) for text in notes]


def _constant(variable: Variable, column: Column) -> bool:
    if variable.levels is not None:
        return len(variable.levels) == 1
    # The first pair of different values ends the search for nearly every column.
    if len(column) > 1 and column[0] != column[1] and not np.isnan(column[:2]).any():
        return False
    return bool(np.nanmin(column) == np.nanmax(column))


# -- text ----------------------------------------------------------------------------------------


# Text with more values than this, and over half as many as rows, identifies rows rather than states.
MANY = 10
NUMBERS = tuple(
    rf"^[-+]?([0-9]+{sign}?[0-9]*|{sign}[0-9]+)([eE][-+]?[0-9]+)?$" for sign in (r"\.", ",")
)
DATE = r"^[0-9]{1,4}([-/.])[0-9]{1,2}[-/.][0-9]{1,4}([ T][0-9:.,]+(Z|[-+][0-9:]+)?)?$"


def _settle_text(name: str, array: Any, kind: Kind | None, na_values: Sequence[object]) -> Outcome:
    """Turn a text array into a discrete variable with its codes, or into numbers if requested."""
    values, codes, ordered = encode_text(array, na_values)
    if not len(values):
        return Outcome(reason="no value at all")
    if kind == "continuous":
        return Outcome(Variable(name), parse_numbers(name, values, codes))
    note = text_column_note(name, values, codes)
    reason = "" if kind or ordered else no_states(values, codes)
    if reason:
        return Outcome(reason=reason, note=note)
    return Outcome(Variable(name, tuple(values.to_pylist()), ordered), codes, note=note)


def _in_one(array: Any) -> Any:
    """Return the chunks of an Arrow array as one array."""
    import pyarrow as pa

    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array  # as in older pyarrow


def encode_text(array: Any, na_values: Sequence[object] = ()) -> tuple[Any, NDArray[Any], bool]:
    """Return the distinct values as Arrow text, each row's code, and whether the values are ordered.

    Categories stay if they do not occur. The code after the last value is a missing value.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = _in_one(array)
    declared = pa.types.is_dictionary(array.type)
    coded = array if declared else array.dictionary_encode()
    words = pc.utf8_trim_whitespace(coded.dictionary.cast(pa.large_string()))
    rows = pc.fill_null(coded.indices.cast(pa.int64()), len(words)).to_numpy(zero_copy_only=False)
    ordered = bool(coded.type.ordered)
    values = _values(words, rows, {"", *map(str, na_values)}, declared)
    values = values if ordered else values.take(pc.sort_indices(values))
    codes = pc.fill_null(pc.index_in(words, value_set=values), len(values)).to_numpy()
    return values, np.append(codes, len(values)).astype(code_type(len(values)))[rows], ordered


def _values(words: Any, rows: NDArray[np.int64], gaps: set[str], declared: bool) -> Any:
    """Return the distinct values that are not missing; if none were declared, those that occur."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keep = pc.invert(pc.is_in(words, value_set=pa.array(sorted(gaps), pa.large_string())))
    if not declared:
        keep = pc.and_(keep, pa.array(np.bincount(rows, minlength=len(words))[: len(words)] > 0))
    return words.filter(keep).unique()


def no_states(values: Any, codes: NDArray[Any]) -> str:
    """Return the reason why text is not a variable, or an empty text."""
    if len(values) > 1 and _matches(values, DATE).all():
        return "dates or times"
    present = codes[codes < len(values)]
    if len(values) > MANY and 2 * len(np.unique(present)) > len(present):
        return f"text with nearly as many values as rows, such as {values[0].as_py()!r}"
    return ""


def _matches(values: Any, pattern: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    hits = pc.match_substring_regex(values, pattern)
    return np.asarray(hits.to_numpy(zero_copy_only=False), dtype=bool)


def text_column_note(name: str, values: Any, codes: NDArray[Any]) -> Note | None:
    """Return the note on a column of numbers that a few entries turned into text."""
    numbers = _numbers(values)
    if numbers.all() or not numbers.any():
        return None
    counts = np.bincount(codes, minlength=len(values) + 1)[: len(values)]
    words = int(counts[~numbers].sum())
    if not words or words >= counts[numbers].sum():
        return None
    cell, row = _first_word(values, codes, numbers)
    which = (
        f"{words} of its values are not numbers" if words > 1 else "1 of its values is not a number"
    )
    text = (
        f"Column {name!r} is text because {which}, such as {cell!r} in row {row}; if that means "
        "missing, give {na_values=}."
    )
    return data_note(text, (name,), (Fix("na_values", [cell]),))


def _numbers(values: Any) -> NDArray[np.bool_]:
    """Return a mask of the values that are numbers, with a point or with a comma, whichever are more."""
    return max((_matches(values, pattern) for pattern in NUMBERS), key=np.count_nonzero)


def _first_word(values: Any, codes: NDArray[Any], numbers: NDArray[np.bool_]) -> tuple[str, int]:
    word = np.append(~numbers, False)[codes]
    row = int(word.argmax())
    return str(values[int(codes[row])]), row + 1


def parse_numbers(name: str, values: Any, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Parse all values as numbers (see also ``written_numbers``); another value is an error."""
    numbers = _numbers(values)
    if not numbers.all():
        if (read := written_numbers(values)) is not None:
            return np.take(np.append(read, np.nan), codes)
        cell, row = _first_word(values, codes, numbers)
        raise DataError(
            f"Column {name!r} cannot be continuous: {cell!r} in row {row} is not a number; if it "
            f"means missing, give {{na_values=}}.",
            fixes=[Fix("na_values", [cell])],
        )
    parsed = [float(value.replace(",", ".")) for value in values.to_pylist()]
    return np.take(np.array([*parsed, np.nan]), codes)
