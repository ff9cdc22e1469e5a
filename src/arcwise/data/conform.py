"""Conforming: new rows brought into the form a fitted model knows.

Data to predict, to score or to fill in has to mean the same as the data that was learned from: the
same levels with the same codes, numbers where numbers were. Where levels were made from raw values, new
raw values become levels by the same cuts, patterns or times; a value that is a level is that level. A state
that was never seen is an error that names variable, value and known states; a variable that is absent is
all gaps.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.coding import Coding, hours_of
from arcwise.data.frames import Raw, raw_of, to_arrow
from arcwise.data.kinds import encode_text, is_text, number_array, parse_numbers
from arcwise.data.table import Table
from arcwise.data.variable import (
    Column,
    Level,
    Variable,
    code_type,
    cut_codes,
    sentence_list,
)
from arcwise.errors import DataError

Unseen = Callable[[str, list[Any]], None]
"""What is told of values that are no levels: the variable's name, and the values."""


def conform(data: Any, variables: Sequence[Variable], *, unseen: Unseen | None = None) -> Table:
    """Bring data into the form of known variables.

    Parameters
    ----------
    data : whatever ``table`` takes; a dictionary of single values is one row.
    variables : as learned from.
    unseen : told of values that are no levels, which are gaps then; without it they are an error.

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
    coded = _coded_already(data, variables)
    columns = tuple(
        coded[each.name]
        if each.name in coded
        else raw_column(each, present.get(each.name), raw.rows, unseen)
        for each in variables
    )
    known = {variable.name for variable in variables}
    extra = [name for name in raw.names if name not in known]
    notes = (f"Ignored, because the model does not know them: {sentence_list(extra)}.",)
    weights = data.weights if isinstance(data, Table) else None
    return Table(tuple(variables), columns, weights, notes=notes if extra else ())


def _raw(data: Any) -> Raw:
    if isinstance(data, Table):
        return Raw(data.order, tuple(to_arrow(data).columns))
    return raw_of(data)


def _coded_already(data: Any, variables: Sequence[Variable]) -> dict[str, Column]:
    """Columns of a table that have these very variables."""
    if not isinstance(data, Table):
        return {}
    wanted = set(variables)
    found = zip(data.variables, data.columns, strict=True)
    return {each.name: column for each, column in found if each.discrete and each in wanted}


def raw_column(variable: Variable, array: Any, rows: int, unseen: Unseen | None = None) -> Column:
    """Bring an Arrow array of any type, or None for one that is absent, into the form of a variable."""
    if array is None or (variable.discrete and array.null_count == len(array)):
        return np.full(rows, variable.gap, dtype=variable.dtype)
    if not variable.discrete:
        return _numbers(variable.name, array)
    if variable.coding is not None:
        return _by_coding(variable, variable.coding, array)
    if variable.cuts is not None and not _is_words(array):
        return cut_codes(variable, _numbers(variable.name, array))
    if variable.numeric and (quick := _number_codes(variable, array)) is not None:
        return quick
    values, codes = _coded(array)
    return _match(variable, values, codes, unseen)


def _number_codes(variable: Variable, array: Any) -> Column | None:
    """Codes of numbers that are all levels or missing; None where some are not."""
    import pyarrow as pa

    levels = np.array(variable.levels, dtype=np.float64)
    kinds = (pa.types.is_floating, pa.types.is_integer)
    if not any(is_kind(array.type) for is_kind in kinds) or (np.diff(levels) <= 0).any():
        return None
    numbers = number_array(array)
    codes = np.searchsorted(levels, numbers).astype(code_type(len(levels)))
    there = np.append(levels, np.nan)[codes] == numbers
    codes[~there] = len(levels)
    return codes if (there | np.isnan(numbers)).all() else None


def _is_words(array: Any) -> bool:
    import pyarrow as pa

    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return is_text(kind)


def _by_coding(variable: Variable, coding: Coding, array: Any) -> Column:
    """Code raw text or times; numbers are read as text, as in patterns of post codes."""
    import pyarrow as pa

    if pa.types.is_temporal(array.type) and coding.reads == "time":
        if pa.types.is_date(array.type):
            raise DataError(f"Column {variable.name!r} has dates without a time of day.")
        hours = hours_of(array)
        codes = coding.of_hours(np.nan_to_num(hours))
        return np.where(np.isnan(hours), variable.gap, codes).astype(variable.dtype)
    values, places = _coded(array if _is_words(array) else array.cast(pa.string()))
    return _match(variable, values, places)


def _numbers(name: str, array: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if is_text(array.type):
        values, codes, _ = encode_text(array)
        return parse_numbers(name, values, codes)
    if pa.types.is_temporal(array.type) or pa.types.is_nested(array.type):
        raise DataError(f"Column {name!r} should be numbers, but is {array.type}.")
    return finite_numbers(name, number_array(array).copy())


def finite_numbers(name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the numbers of a column, or say that some are infinite."""
    if np.isinf(numbers).any():
        raise DataError(f"Column {name!r} has infinite values: replace them or leave them empty.")
    return numbers


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


def _match(
    variable: Variable, values: list[Any], codes: NDArray[Any], unseen: Unseen | None = None
) -> Column:
    """Translate codes of found values into codes of known levels."""
    levels = variable.levels or ()
    known = {level: code for code, level in enumerate(levels)}
    words = {word_of(level): code for code, level in enumerate(levels)}
    used = np.bincount(codes, minlength=len(values) + 1)
    translation = np.full(len(values) + 1, variable.gap, dtype=variable.dtype)
    open_ones = []
    for number in np.flatnonzero(used[: len(values)]).tolist():
        code = known.get(values[number], words.get(word_of(values[number])))
        if code is None:
            open_ones.append(number)
        else:
            translation[number] = code
    if open_ones:
        strange = [values[number] for number in open_ones]
        translation[open_ones] = _from_raw(variable, strange, unseen)
    return np.take(translation, codes)


def _from_raw(variable: Variable, values: list[Any], unseen: Unseen | None) -> NDArray[Any]:
    """Code raw values that are no levels, each distinct one once."""
    if variable.coding is not None:
        return variable.coding.of_values(variable.name, values)
    if variable.cuts is not None:
        import pyarrow as pa

        return cut_codes(variable, _numbers(variable.name, pa.array(values)))
    if unseen is not None:
        unseen(variable.name, values)
        return np.full(len(values), len(variable.levels or ()))
    known = sentence_list([str(each) for each in variable.levels or ()], 12)
    raise DataError(
        f"{variable.name!r} has the value {values[0]!r}, which was not there when the model"
        f" was learned; known are {known}."
    )


def word_of(level: Level) -> str:
    """Write a level so that 1, 1.0 and "1" meet, and True meets "true"."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level).lower() if str(level).lower() in ("true", "false") else str(level)
