"""Text columns: levels from words, with an eye on numbers that a few words have spoilt.

Everything is done on the distinct values of a column, never cell by cell. Blanks around a value do
not count. The empty text is a gap, and so is what ``na_values=`` names; "None" or "NA" in a column of
words is a level like any other.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.variable import Column, Kind, Variable, code_type
from arcwise.errors import DataError

# Text with more values than this, and over half as many as rows, names rows rather than states.
MANY = 10
NUMBERS = tuple(
    rf"^[-+]?([0-9]+{sign}?[0-9]*|{sign}[0-9]+)([eE][-+]?[0-9]+)?$" for sign in (r"\.", ",")
)
DATE = r"^[0-9]{1,4}([-/.])[0-9]{1,2}[-/.][0-9]{1,4}([ T][0-9:.,]+(Z|[-+][0-9:]+)?)?$"


def settle_text(
    name: str, array: Any, kind: Kind | None, na_values: Sequence[object]
) -> tuple[Variable | None, Column | None, str, str]:
    """Turn a text array into a discrete variable with its codes.

    Parameters
    ----------
    name : of the column.
    array : Arrow text or dictionary of text.
    kind : as asked for, or None.
    na_values : further values that mean a gap.

    Returns
    -------
    Variable and column, or None twice and the reason for leaving the column out; and a note.

    Raises
    ------
    DataError : numbers were asked for and there are words.
    """
    values, codes, ordered = encode_text(array, na_values)
    if not len(values):
        return None, None, "no value at all", ""
    if kind == "continuous":
        return Variable(name), parse_numbers(name, values, codes), "", ""
    note = spoilt(name, values, codes)
    if kind is None and not ordered:
        reason = no_states(values, codes)
        if reason:
            return None, None, reason, note
    return Variable(name, levels=tuple(values.to_pylist()), ordered=ordered), codes, "", note


def encode_text(array: Any, na_values: Sequence[object] = ()) -> tuple[Any, NDArray[Any], bool]:
    """Give the distinct values as Arrow text, each row's code, and whether they came in an order.

    Values that do not occur are dropped unless they were declared in an order; without one they are
    sorted. The code after the last value is a gap.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # older pyarrow combines into one chunk
        array = array.chunk(0)
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = pc.utf8_trim_whitespace(coded.dictionary.cast(pa.large_string()))
    rows = pc.fill_null(coded.indices.cast(pa.int64()), len(words)).to_numpy(zero_copy_only=False)
    ordered = bool(coded.type.ordered)
    values = _values(words, rows, {"", *map(str, na_values)}, ordered)
    codes = pc.fill_null(pc.index_in(words, value_set=values), len(values)).to_numpy()
    return values, np.append(codes, len(values)).astype(code_type(len(values)))[rows], ordered


def _values(words: Any, rows: NDArray[np.int64], gaps: set[str], ordered: bool) -> Any:
    """Give the distinct words that are no gaps; those that occur, sorted, if none were declared."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keep = pc.invert(pc.is_in(words, value_set=pa.array(sorted(gaps), pa.large_string())))
    if not ordered:
        keep = pc.and_(keep, pa.array(np.bincount(rows, minlength=len(words))[: len(words)] > 0))
    values = words.filter(keep).unique()
    return values if ordered else values.take(pc.sort_indices(values))


def no_states(values: Any, codes: NDArray[Any]) -> str:
    """Say why text is no variable, or nothing."""
    if len(values) > 1 and _matches(values, DATE).all():
        return "dates or times"
    if len(values) > MANY and 2 * len(values) > np.count_nonzero(codes < len(values)):
        return f"text with nearly as many values as rows, such as {values[0].as_py()!r}"
    return ""


def _matches(values: Any, pattern: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    found = pc.match_substring_regex(values, pattern)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def spoilt(name: str, values: Any, codes: NDArray[Any]) -> str:
    """Write the note about a column of numbers that a few words turned into text."""
    numbers = _numbers(values)
    if numbers.all() or not numbers.any():
        return ""
    counts = np.bincount(codes, minlength=len(values) + 1)[: len(values)]
    words = int(counts[~numbers].sum())
    if not words or words >= counts[numbers].sum():
        return ""
    cell, row = _first_word(values, codes, numbers)
    which = (
        f"{words} of its values are not numbers" if words > 1 else "1 of its values is not a number"
    )
    return (
        f"Column {name!r} is text because {which}, such as {cell!r} in row {row}; if that means a gap, say"
        f" na_values=[{cell!r}]."
    )


def _numbers(values: Any) -> NDArray[np.bool_]:
    """Say which values are numbers, with a point or with a comma, whichever are more."""
    return max((_matches(values, pattern) for pattern in NUMBERS), key=np.count_nonzero)


def _first_word(values: Any, codes: NDArray[Any], numbers: NDArray[np.bool_]) -> tuple[str, int]:
    word = np.append(~numbers, False)[codes]
    row = int(word.argmax())
    return str(values[int(codes[row])]), row + 1


def parse_numbers(name: str, values: Any, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Read all values as numbers, or say which one is none."""
    numbers = _numbers(values)
    if not numbers.all():
        cell, row = _first_word(values, codes, numbers)
        raise DataError(
            f"Column {name!r} cannot be continuous: {cell!r} in row {row} is not a number; if it"
            f" means a gap, say na_values=[{cell!r}]."
        )
    parsed = [float(value.replace(",", ".")) for value in values.to_pylist()]
    return np.take(np.array([*parsed, np.nan]), codes)
