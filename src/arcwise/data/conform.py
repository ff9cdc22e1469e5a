"""Conforming: new rows brought into the form a fitted model knows.

Data to predict, to score or to fill in has to mean the same as the data that was learned from: the
same levels with the same codes, numbers where numbers were. A state that was never seen is an error
that names variable, value and known states; a variable that is absent is all gaps.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.frames import raw_of, to_arrow
from arcwise.data.kinds import is_text, number_array
from arcwise.data.raw import Raw
from arcwise.data.table import Table
from arcwise.data.texts import encode_text, parse_numbers
from arcwise.data.variable import Column, Level, Variable, code_type, sentence_list
from arcwise.errors import DataError


def conform(data: Any, variables: Sequence[Variable]) -> Table:
    """Bring data into the form of known variables.

    Parameters
    ----------
    data : whatever ``table`` takes; a dictionary of single values is one row.
    variables : as learned from.

    Returns
    -------
    A table of exactly these variables: absent ones are all gaps, others are ignored with a note.

    Raises
    ------
    DataError : an unseen state, text where numbers were, or no known variable at all.

    >>> known = (Variable("rain", levels=("no", "yes")), Variable("x"))
    >>> conform({"rain": ["yes", None]}, known).columns[0]
    array([1, 2], dtype=uint8)
    """
    raw = _raw(data)
    present = dict(zip(raw.names, raw.arrays, strict=True))
    if not any(variable.name in present for variable in variables):
        wanted = sentence_list([variable.name for variable in variables])
        raise DataError(f"None of the variables {wanted} is among the columns of the data.")
    columns = tuple(_column(each, present.get(each.name), raw.rows) for each in variables)
    known = {variable.name for variable in variables}
    extra = [name for name in raw.names if name not in known]
    notes = (f"Ignored, because the model does not know them: {sentence_list(extra)}.",)
    return Table(tuple(variables), columns, _weights(data), notes=notes if extra else ())


def _raw(data: Any) -> Raw:
    if isinstance(data, Table):
        return Raw(data.order, tuple(to_arrow(data).columns))
    return raw_of(data)


def _weights(data: Any) -> NDArray[np.float64] | None:
    return data.weights if isinstance(data, Table) else None


def _column(variable: Variable, array: Any, rows: int) -> Column:
    if variable.levels is None:
        return np.full(rows, np.nan) if array is None else _numbers(variable.name, array)
    gap = len(variable.levels)
    if array is None or array.null_count == len(array):
        return np.full(rows, gap, dtype=code_type(gap))
    if variable.cuts is not None:
        return _cut(variable, _numbers(variable.name, array))
    values, codes = _coded(array)
    return _match(variable, values, codes)


def _numbers(name: str, array: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if is_text(array.type):
        values, codes, _ = encode_text(array)
        return parse_numbers(name, values, codes)
    if pa.types.is_temporal(array.type) or pa.types.is_nested(array.type):
        raise DataError(f"Column {name!r} should be numbers, but is {array.type}.")
    numbers = number_array(array).copy()
    if np.isinf(numbers).any():
        raise DataError(f"Column {name!r} has infinite values: replace them or leave them empty.")
    return numbers


def _cut(variable: Variable, numbers: NDArray[np.float64]) -> Column:
    gap = len(variable.levels or ())
    codes = np.searchsorted(np.array(variable.cuts), numbers, side="right")
    return np.where(np.isnan(numbers), gap, codes).astype(code_type(gap))


def _coded(array: Any) -> tuple[list[Any], NDArray[Any]]:
    """Give distinct values of any type, and each row's code; the code after the last is a gap."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type) and not is_text(array.type.value_type):
        array = array.cast(array.type.value_type)
    if is_text(array.type) or pa.types.is_dictionary(array.type):
        values, codes, _ = encode_text(array)
        return values.to_pylist(), codes
    numbers = number_array(array)
    distinct, inverse = np.unique(numbers[~np.isnan(numbers)], return_inverse=True)
    codes = np.full(len(numbers), len(distinct), dtype=np.intp)
    codes[~np.isnan(numbers)] = inverse
    truth = pa.types.is_boolean(array.type)
    return [bool(value) if truth else float(value) for value in distinct], codes


def _match(variable: Variable, values: list[Any], codes: NDArray[Any]) -> Column:
    """Translate codes of found values into codes of known levels."""
    levels = variable.levels or ()
    known = {level: code for code, level in enumerate(levels)}
    words = {_word(level): code for code, level in enumerate(levels)}
    gap = len(levels)
    used = np.bincount(codes, minlength=len(values) + 1)
    translation = np.full(len(values) + 1, gap, dtype=code_type(gap))
    for number, value in enumerate(values):
        code = known.get(value, words.get(_word(value))) if used[number] else gap
        if code is None:
            raise DataError(
                f"{variable.name!r} has the value {value!r}, which was not there when the model"
                f" was learned; known are {sentence_list([str(each) for each in levels], 12)}."
            )
        translation[number] = code
    return np.take(translation, codes)


def _word(level: Level) -> str:
    """Write a level so that 1, 1.0 and "1" meet, and True meets "true"."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level).lower() if str(level).lower() in ("true", "false") else str(level)
