"""Preparation of tables: standardised, as changes, without missing values, or conforming to a model.

All functions take tables and give new ones. Two steps come before each family's own check of its columns:
columns of numeric levels become numbers, unless their kind was set by the user, so that a new number is
not an unseen level; and a policy treats missing values (`POLICIES`). A *scaling* stores means and standard
deviations, to transform new rows and to return results in the units of the data.

`conform` gives data for prediction, scoring or imputation the form of the training data: the same
levels with the same codes, and numbers for numbers. Levels made from raw values are made by the same cuts,
patterns or times. An unseen level is an error; an absent variable is missing in all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.coding import Coding, hours_of
from arcwise.data.frames import Raw, na_marks, raw_of, to_arrow
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
from arcwise.notes import Fix, data_note
from arcwise.values import clear_calls


@dataclass(frozen=True, eq=False)
class ColumnScales:
    """Means and standard deviations of continuous variables: z = (x - mean) / sd.

    Parameters
    ----------
    names : the variables that are scaled; others are unchanged.
    means, sds : one per name; the sd of a constant column is taken as one.
    """

    names: tuple[str, ...]
    means: NDArray[np.float64]
    sds: NDArray[np.float64]

    def __post_init__(self) -> None:
        self.means.setflags(write=False)
        self.sds.setflags(write=False)

    def apply(self, table: Table) -> Table:
        """Return the table in standard units."""
        scales = zip(self.names, self.means, self.sds, strict=True)
        return _replace(table, {name: (table.column(name) - m) / sd for name, m, sd in scales})

    def undo(self, table: Table) -> Table:
        """Return the table in its original units."""
        scales = zip(self.names, self.means, self.sds, strict=True)
        return _replace(table, {name: table.column(name) * sd + m for name, m, sd in scales})


@clear_calls
def standardise(table: Table) -> tuple[Table, ColumnScales]:
    """Return every continuous column mean zero and standard deviation one (divisor n).

    Parameters
    ----------
    table : discrete columns are unchanged; missing values stay missing; weights are used.

    Returns
    -------
    The new table, and the scaling that made it.

    >>> from arcwise.data.frames import table
    >>> scaled, scaling = standardise(table({"x": [1.0, 3.0]}))
    >>> scaled.values("x").tolist(), scaling.means.tolist()
    ([-1.0, 1.0], [2.0])
    """
    names = tuple(variable.name for variable in table.variables if not variable.discrete)
    centres = [_mean_and_sd(table.column(name), table.weights) for name in names]
    means = np.array([mean for mean, _ in centres])
    scaling = ColumnScales(names, means, np.array([sd for _, sd in centres]))
    return scaling.apply(table), scaling


def _mean_and_sd(
    column: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[float, float]:
    observed = ~np.isnan(column)
    counts = None if weights is None else weights[observed]
    if not observed.any() or (counts is not None and not counts.sum() > 0):
        return 0.0, 1.0
    values = column[observed]
    mean = float(np.average(values, weights=counts))
    sd = float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))
    # Rounding gives a constant column a tiny sd that is not zero.
    return mean, sd if sd > 1e-14 * max(abs(mean), 1e-300) else 1.0


@clear_calls
def returns(table: Table) -> Table:
    """Return the relative changes from row to row, x[t] / x[t-1] - 1.

    Parameters
    ----------
    table : rows in the order of time; discrete columns keep their later value.

    Returns
    -------
    A table with one row fewer.

    Raises
    ------
    DataError : fewer than two rows, weights, or a change from zero.

    >>> from arcwise.data.frames import table
    >>> returns(table({"price": [100.0, 110.0, 99.0]})).values("price").round(6).tolist()
    [0.1, -0.1]
    """
    if table.rows < 2:
        raise DataError("Changes need at least two rows in the order of time.")
    if table.weights is not None:
        raise DataError("Changes need rows in the order of time, which weighted rows are not.")
    later = table.take(np.arange(1, table.rows))
    names = [variable.name for variable in table.variables if not variable.discrete]
    return _replace(later, {name: _change(name, table.column(name)) for name in names})


def _change(name: str, column: NDArray[np.float64]) -> NDArray[np.float64]:
    before, after = column[:-1], column[1:]
    if (before == 0).any():
        row = int((before == 0).argmax()) + 1
        raise DataError(f"{name!r} is zero in row {row}: a relative change from zero is undefined.")
    return after / before - 1


def _replace(table: Table, columns: dict[str, NDArray[np.float64]]) -> Table:
    kept = zip(table.names, table.columns, strict=True)
    return replace(table, columns=tuple(columns.get(name, column) for name, column in kept))


def pseudo_rows(rows: Any, variables: Sequence[Variable]) -> Table:
    """Read artificial rows, which count like real ones after merging; a note reports their number.

    Parameters
    ----------
    rows : whatever `conform` takes, with a value in every cell.
    variables : those of the real rows.

    >>> from arcwise.data.frames import table
    >>> real = table({"x": [0.5, 1.5], "y": [1.0, 2.5]})
    >>> pseudo_rows({"x": 1.0, "y": 2.0}, real.variables).notes
    (<Note: 1 artificial row counts like real ones.>,)
    """
    table = conform(rows, variables)
    empty = [name for name, gaps in zip(table.names, table.missing().T, strict=True) if gaps.any()]
    if empty or not table.rows:
        what = f"{empty[0]!r} is missing or has missing values" if empty else "there is no row"
        raise DataError(f"pseudo_rows need a value in every row of each column; {what}.")
    many = table.rows != 1
    text = f"{table.rows} artificial row{'s' * many} count{'s' * (not many)} like real ones."
    return replace(table, notes=(data_note(text),))


# -- missing values ------------------------------------------------------------------------------


POLICIES = ("auto", "impute", "weights", "drop")
"""What to do about missing values: use all observed ones, by EM or by draws; always draw the missing ones;
weigh the complete rows so that they represent all; or drop the rows that have any missing."""


def as_numbers(table: Table) -> Table:
    """Turn columns of numeric levels into numbers, except those fixed by name; a note names them.

    >>> from arcwise.data.frames import table
    >>> as_numbers(table({"count": [1, 2, 2, 3], "colour": ["red", "blue", "red", "red"]}))
    Table(4 rows, 1 continuous, 1 discrete: count, colour)
    """
    numeric = [v.name for v in table.variables if v.numeric and v.name not in table.fixed]
    if not numeric:
        return table
    several = len(numeric) > 1
    note = (
        f"{sentence_list(numeric)} {'have' if several else 'has'} few distinct integers and "
        f"{'are' if several else 'is'} treated as numbers; {{kinds=}} changes "
        f"that{f' for {numeric[0]!r}' * several}."
    )
    fix = Fix("kinds", {numeric[0]: "discrete"})
    noted = data_note(note, tuple(numeric), (fix,))
    return table.recast(dict.fromkeys(numeric, "continuous")).with_notes(noted)


def checked_policy(missing: object) -> str:
    """Return the policy for missing values, after checking its name.

    Raises
    ------
    DataError : another name, such as a value that means missing (which is for `na_values=`).

    >>> checked_policy(["?"])
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: missing= must be a policy for missing values ('auto', 'impute', 'weights', \
'drop'), got ['?']: give values that mean missing as na_values=['?'].
    """
    if isinstance(missing, str) and missing in POLICIES:
        return missing
    raise DataError(
        f"{{missing=}} must be a policy for missing values ({', '.join(map(repr, POLICIES))}), got "
        f"{missing!r}: give values that mean missing as {{na_values=}}.",
        fixes=[Fix("missing"), Fix("na_values", na_marks(missing))],
    )


# -- new rows in the form of known variables --------------------------------------------------------


Unseen = Callable[[str, list[Any]], None]
"""Callback for values that are not levels: the variable's name, and the values."""


def conform(data: Any, variables: Sequence[Variable], *, unseen: Unseen | None = None) -> Table:
    """Bring data into the form of known variables.

    Parameters
    ----------
    data : whatever ``table`` takes; a dictionary of single values is one row.
    variables : as learned from.
    unseen : called with values that are not levels, which become missing; without it they are an error.

    Returns
    -------
    A table of exactly these variables: absent ones are missing in all rows, others are ignored with a note.

    Raises
    ------
    DataError : an unseen level, text instead of numbers, or no known variable.

    >>> known = (Variable("rain", levels=("no", "yes")), Variable("x"))
    >>> conform({"rain": ["yes", None]}, known).columns[0]
    array([1, 2], dtype=uint8)
    """
    source = data if isinstance(data, Table) else None
    raw = raw_of(data) if source is None else Raw(source.order, tuple(to_arrow(source).columns))
    present = dict(zip(raw.names, raw.arrays, strict=True))
    if not any(variable.name in present for variable in variables):
        expected = sentence_list([variable.name for variable in variables])
        raise DataError(f"None of the variables {expected} is among the columns of the data.")
    coded = {} if source is None else _coded_already(source, variables)
    columns = tuple(
        coded[variable.name]
        if variable.name in coded
        else raw_column(variable, present.get(variable.name), raw.rows, unseen)
        for variable in variables
    )
    names = {variable.name for variable in variables}
    extra = [name for name in raw.names if name not in names]
    notes = (
        data_note(
            f"Ignored, since they are not in the model: {sentence_list(extra)}.", tuple(extra)
        ),
    )
    weights = None if source is None else source.weights
    return Table(tuple(variables), columns, weights, notes=notes if extra else ())


def _coded_already(data: Table, variables: Sequence[Variable]) -> dict[str, Column]:
    """Return the columns of a table whose variables are equal to the required ones."""
    expected = set(variables)
    pairs = zip(data.variables, data.columns, strict=True)
    return {
        variable.name: column
        for variable, column in pairs
        if variable.discrete and variable in expected
    }


def raw_column(variable: Variable, array: Any, rows: int, unseen: Unseen | None = None) -> Column:
    """Convert an Arrow array of any type, or None for an absent column, to the form of a variable."""
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
    values, codes = _code(array)
    return _match(variable, values, codes, unseen)


def _number_codes(variable: Variable, array: Any) -> Column | None:
    """Return the codes of numbers that are all levels or missing; None if some are not."""
    import pyarrow as pa

    levels = np.array(variable.levels, dtype=np.float64)
    kinds = (pa.types.is_floating, pa.types.is_integer)
    if not any(is_kind(array.type) for is_kind in kinds) or (np.diff(levels) <= 0).any():
        return None
    numbers = number_array(array)
    codes = np.searchsorted(levels, numbers).astype(code_type(len(levels)))
    matches = np.append(levels, np.nan)[codes] == numbers
    codes[~matches] = len(levels)
    return codes if (matches | np.isnan(numbers)).all() else None


def _is_words(array: Any) -> bool:
    import pyarrow as pa

    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return is_text(kind)


def _by_coding(variable: Variable, coding: Coding, array: Any) -> Column:
    """Code raw text or times; numbers are read as text, as in patterns of postcodes."""
    import pyarrow as pa

    if pa.types.is_temporal(array.type) and coding.reads == "time":
        if pa.types.is_date(array.type):
            raise DataError(f"Column {variable.name!r} must have times of day, got dates.")
        hours = hours_of(array)
        codes = coding.of_hours(np.nan_to_num(hours))
        return np.where(np.isnan(hours), variable.gap, codes).astype(variable.dtype)
    values, positions = _code(array if _is_words(array) else array.cast(pa.string()))
    return _match(variable, values, positions)


def _numbers(name: str, array: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if is_text(array.type):
        values, codes, _ = encode_text(array)
        return parse_numbers(name, values, codes)
    if pa.types.is_temporal(array.type) or pa.types.is_nested(array.type):
        raise DataError(f"Column {name!r} must be numbers, got {array.type}.")
    return finite_numbers(name, number_array(array).copy())


def finite_numbers(name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers of a column, or raise an error if some are infinite."""
    if np.isinf(numbers).any():
        raise DataError(
            f"Column {name!r} has infinite values: replace them, or leave the cells empty."
        )
    return numbers


def _code(array: Any) -> tuple[list[Any], NDArray[Any]]:
    """Return distinct values of any type, and each row's code; the code after the last is a missing value."""
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
    """Map codes of new values to codes of known levels."""
    levels = variable.levels or ()
    code_by_level = {level: code for code, level in enumerate(levels)}
    code_by_text = {word_of(level): code for code, level in enumerate(levels)}
    used = np.bincount(codes, minlength=len(values) + 1)
    translation = np.full(len(values) + 1, variable.gap, dtype=variable.dtype)
    open_ones = []
    for number in np.flatnonzero(used[: len(values)]).tolist():
        code = code_by_level.get(values[number], code_by_text.get(word_of(values[number])))
        if code is None:
            open_ones.append(number)
        else:
            translation[number] = code
    if open_ones:
        strange = [values[number] for number in open_ones]
        translation[open_ones] = _from_raw(variable, strange, unseen)
    return np.take(translation, codes)


def _from_raw(variable: Variable, values: list[Any], unseen: Unseen | None) -> NDArray[Any]:
    """Code raw values that are not levels, each distinct value once."""
    if variable.coding is not None:
        return variable.coding.of_values(variable.name, values)
    if variable.cuts is not None:
        import pyarrow as pa

        return cut_codes(variable, _numbers(variable.name, pa.array(values)))
    if unseen is not None:
        unseen(variable.name, values)
        return np.full(len(values), len(variable.levels or ()))
    levels = sentence_list([str(level) for level in variable.levels or ()], 12)
    raise DataError(
        f"{variable.name!r} has the value {values[0]!r}, which is not in the training data; its "
        f"levels are {levels}."
    )


def word_of(level: Level) -> str:
    """Return a level as text, such that 1, 1.0 and "1" are equal, and True equals "true"."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level).lower() if str(level).lower() in ("true", "false") else str(level)
