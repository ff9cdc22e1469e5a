"""Text columns: levels from words, with an eye on numbers that a few words have spoilt.

Everything is done on the distinct values of a column, never cell by cell. Blanks around a value do
not count. The empty text is a gap, and so is what ``missing=`` names; "None" or "NA" in a column of
words is a level like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.variable import Column, Kind, Variable, code_type
from arcwise.errors import DataError

__all__ = ["MANY", "encode_text", "no_states", "settle_text"]

# Text with more values than this, and over half as many as rows, names rows rather than states.
MANY = 10
NUMBER = r"^[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?$"
DATE = r"^[0-9]{1,4}([-/.])[0-9]{1,2}[-/.][0-9]{1,4}([ T][0-9:.,]+(Z|[-+][0-9:]+)?)?$"


def settle_text(
    name: str, array: Any, kind: Kind | None, missing: Sequence[object]
) -> tuple[Variable | None, Column | None, str, str]:
    """Turn a text array into a discrete variable with its codes.

    Parameters
    ----------
    name : of the column.
    array : Arrow text or dictionary of text.
    kind : as asked for, or None.
    missing : further values that mean a gap.

    Returns
    -------
    Variable and column, or None twice and the reason for leaving the column out; and a note.

    Raises
    ------
    DataError : numbers were asked for and there are words.
    """
    values, codes, ordered = encode_text(array, missing)
    if not len(values):
        return None, None, "no value at all", ""
    counts = np.bincount(codes, minlength=len(values) + 1)[: len(values)]
    if kind == "continuous":
        return Variable(name), _parse(name, values, codes), "", ""
    note = _spoilt(name, values, codes, counts)
    if kind is None and not ordered:
        reason = no_states(values, codes)
        if reason:
            return None, None, reason, note
    return Variable(name, levels=tuple(values.tolist()), ordered=ordered), codes, "", note


def encode_text(
    array: Any, missing: Sequence[object] = ()
) -> tuple[NDArray[np.object_], NDArray[Any], bool]:
    """Give the distinct values, sorted unless declared in an order, and each row's code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # older pyarrow combines into one chunk
        array = array.chunk(0)
    ordered = bool(pa.types.is_dictionary(array.type) and array.type.ordered)
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = pc.utf8_trim_whitespace(coded.dictionary.cast(pa.large_string()))
    words = words.to_numpy(zero_copy_only=False)
    rows = pc.fill_null(coded.indices.cast(pa.int64()), len(words)).to_numpy(zero_copy_only=False)
    return *_renumber(words, rows, {"", *map(str, missing)}, ordered), ordered


def _renumber(
    words: NDArray[np.object_], rows: NDArray[np.int64], gaps: set[str], ordered: bool
) -> tuple[NDArray[np.object_], NDArray[Any]]:
    """Number the values that occur (all of them if they were declared in an order)."""
    used = np.ones(len(words), bool) if ordered else np.bincount(rows, minlength=len(words)) > 0
    real = [word for word, seen in zip(words, used, strict=False) if seen and word not in gaps]
    values = list(dict.fromkeys(real)) if ordered else sorted(set(real))
    number = {word: code for code, word in enumerate(values)}
    codes = [number.get(word, len(values)) for word in words]
    table = np.array([*codes, len(values)], dtype=code_type(len(values)))
    known = np.empty(len(values), dtype=object)
    known[:] = values
    return known, table[rows]


def no_states(values: NDArray[np.object_], codes: NDArray[Any]) -> str:
    """Say why text is no variable, or nothing."""
    if len(values) > 1 and _matches(values, DATE).all():
        return "dates or times"
    if len(values) > MANY and 2 * len(values) > np.count_nonzero(codes < len(values)):
        return f"text with nearly as many values as rows, such as {values[0]!r}"
    return ""


def _matches(values: NDArray[np.object_], pattern: str) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.match_substring_regex(pa.array(values, pa.large_string()), pattern)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def _spoilt(
    name: str, values: NDArray[np.object_], codes: NDArray[Any], counts: NDArray[np.intp]
) -> str:
    """Write the note about a column of numbers that a few words turned into text."""
    numbers = _matches(values, NUMBER)
    words = int(counts[~numbers].sum())
    if not words or words >= counts[numbers].sum():
        return ""
    cell, row = _first_word(values, codes, numbers)
    return (
        f"Column {name!r} is text because {words} of its values {'are' if words > 1 else 'is'} no"
        f" number, such as {cell!r} in row {row}; if that means a gap, say missing=[{cell!r}]."
    )


def _first_word(
    values: NDArray[np.object_], codes: NDArray[Any], numbers: NDArray[np.bool_]
) -> tuple[str, int]:
    word = np.append(~numbers, False)[codes]
    row = int(word.argmax())
    return str(values[codes[row]]), row + 1


def _parse(name: str, values: NDArray[np.object_], codes: NDArray[Any]) -> NDArray[np.float64]:
    """Read all values as numbers, or say which one is none."""
    numbers = _matches(values, NUMBER)
    if not numbers.all():
        cell, row = _first_word(values, codes, numbers)
        raise DataError(
            f"Column {name!r} cannot be continuous: {cell!r} in row {row} is no number; if it"
            f" means a gap, say missing=[{cell!r}]."
        )
    parsed = [float(value.replace(",", ".")) for value in values]
    return np.take(np.array([*parsed, np.nan]), codes)
