"""Variables: a name with a kind, and the form in which a column of that kind is stored.

A *variable* is continuous if it has no levels and discrete if it has some; levels may be numbers (and then
carry an order), text or booleans. A continuous column is float64, where NaN is missing; a discrete one has
the smallest unsigned codes of its levels, where the code after the last level means missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.coding import Coding
from arcwise.errors import DataError, unknown
from arcwise.frame import Frame, Series
from arcwise.notes import Fix
from arcwise.values import clear_methods, is_number

Kind = Literal["continuous", "discrete"]
Level = str | int | float | bool
Column = NDArray[Any]

KINDS: tuple[Kind, ...] = ("continuous", "discrete")

_MAX_LISTED = 20  # levels that a notebook lists

_SYNONYMS: dict[str, Kind] = {"numeric": "continuous", "categorical": "discrete"}


def kind_of(name: str) -> Kind:
    """Return the kind that a name, or a synonym of it, means.

    >>> kind_of("categorical"), kind_of("continuous")
    ('discrete', 'continuous')

    Raises
    ------
    OptionError : another name.
    """
    for kind in KINDS:
        if name == kind or _SYNONYMS.get(name) == kind:
            return kind
    raise unknown("kind of column", name, (*KINDS, *_SYNONYMS))


@clear_methods
@dataclass(frozen=True)
class Variable:
    """A column's name and kind.

    Parameters
    ----------
    name : non-empty text.
    levels : the states of a discrete variable; None for a continuous one.
    ordered : whether the levels have an order.
    cuts : ascending bounds that turn raw numbers into levels, one fewer than levels; a number x
        has level i if exactly i cuts are at most x.
    coding : the rule that turns raw text, or times of day, into levels.
    ends : the least and the greatest number of each level, for user-defined levels that do not cover all
        numbers.

    Attributes
    ----------
    discrete : whether the variable has levels.
    kind : "discrete" or "continuous".

    >>> Variable("pH").discrete, Variable("smoker", levels=("no", "yes")).discrete
    (False, True)
    """

    name: str
    levels: tuple[Level, ...] | None = None
    ordered: bool = False
    cuts: tuple[float, ...] | None = None
    coding: Coding | None = field(default=None, repr=False)
    ends: tuple[tuple[float, float], ...] | None = field(default=None, repr=False)
    discrete: bool = field(init=False, repr=False, compare=False)
    kind: Kind = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "discrete", self.levels is not None)
        object.__setattr__(self, "kind", "discrete" if self.discrete else "continuous")
        if not isinstance(self.name, str) or not self.name:
            raise DataError(f"The name of a variable must be text, got {self.name!r}.")
        if self.levels is not None and len(set(self.levels)) != len(self.levels):
            raise DataError(f"The levels of {self.name!r} must be distinct, got {self.levels!r}.")
        if self.cuts is not None and len(self.cuts) + 1 != len(self.levels or ()):
            raise DataError(
                f"{self.name!r} has {len(self.cuts)} cuts and must have one level more, got "
                f"{len(self.levels or ())}."
            )
        if self.ends is not None and len(self.ends) != len(self.levels or ()):
            raise DataError(
                f"{self.name!r} must have the ends of each of its levels, got {self.ends!r}."
            )
        if self.coding and set(self.coding.codes) - set(range(len(self.levels or ()))):
            raise DataError(f"The coding of {self.name!r} gives levels that it does not have.")

    def _repr_html_(self) -> str:
        rows = [("name", self.name), ("kind", self.kind)]
        if self.levels is not None:
            rows.append(("ordered levels" if self.has_order else "levels", _listed(self.levels)))
        if self.cuts is not None:
            rows.append(("cuts", _listed(self.cuts)))
        labels, values = zip(*rows, strict=True)
        return Frame((Series("variable", labels), Series("", values))).to_html()

    @property
    def gap(self) -> float:
        """The missing value in a column: NaN, or the code after the last level."""
        return np.nan if self.levels is None else len(self.levels)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a column: float64, or the smallest unsigned type for the codes."""
        return np.dtype(float) if self.levels is None else code_type(len(self.levels))

    @cached_property
    def numeric(self) -> bool:
        """Whether the variable is discrete and its levels are numbers (booleans are not)."""
        return bool(self.levels) and all(map(is_number, self.levels or ()))

    @property
    def has_order(self) -> bool:
        """Whether the values are ordered: numbers, and levels that are numbers or ordered."""
        return not self.discrete or self.numeric or self.ordered


def _listed(values: Sequence[Any]) -> str:
    """Return the values in a line; of many, the first ones."""
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    more = len(texts) - _MAX_LISTED
    return ", ".join([*texts[:_MAX_LISTED], *([f"and {more} more"] if more > 0 else [])])


def code_type(levels: int) -> np.dtype[Any]:
    """Return the smallest unsigned type for the codes of `levels` levels and of a missing value."""
    return np.min_scalar_type(levels)


def cut_codes(variable: Variable, numbers: NDArray[np.float64]) -> Column:
    """Return the codes of raw numbers by a variable's cuts; NaN is missing.

    Raises
    ------
    DataError : a number in no level, such as 4.5 for the levels 0 to 4 and 5 to 10.
    """
    codes = np.searchsorted(np.array(variable.cuts), numbers, side="right")
    if variable.ends is not None:
        low, high = np.array(variable.ends)[codes].T
        outside = numbers[(numbers < low) | (numbers > high)]
        if len(outside):
            pairs = zip(variable.levels or (), variable.ends, strict=True)
            ranges = ", ".join(f"{level}: {least:g} to {most:g}" for level, (least, most) in pairs)
            raise DataError(
                f"{variable.name!r} has the value {outside[0]:g}, which is in none of its levels "
                f"({ranges}): define ranges that meet, or drop the value."
            )
    return np.where(np.isnan(numbers), variable.gap, codes).astype(variable.dtype)


def numbers_of(variable: Variable, column: Column) -> NDArray[np.float64]:
    """Return a column as float64: itself, or its numeric levels; missing values are NaN."""
    if variable.levels is None:
        return column
    if any(isinstance(level, str) for level in variable.levels):
        raise DataError(
            f"{variable.name!r} holds text, such as {variable.levels[0]!r}, but numbers are "
            "needed: drop the column with {select()}.",
            fixes=[Fix(verb="select")],
        )
    return np.array([*map(float, variable.levels), np.nan])[column]


def to_levels(variable: Variable, column: Column) -> tuple[Variable, Column]:
    """Turn numbers into ordered numeric levels, integers as int."""
    present = column[~np.isnan(column)]
    values = np.unique(present)
    whole = bool(np.all(values == np.floor(values)))
    levels = tuple(int(value) if whole else float(value) for value in values)
    codes = np.searchsorted(values, column).astype(code_type(len(levels)))
    codes[np.isnan(column)] = len(levels)
    return replace(variable, levels=levels, ordered=True), codes


def read_kind(choice: object) -> tuple[Kind, tuple[Any, ...]]:
    """Return the kind of a column that a user chose, and the levels if listed.

    >>> read_kind("numeric"), read_kind(["low", "high"])
    (('continuous', ()), ('discrete', ('low', 'high')))

    Raises
    ------
    OptionError : another name.
    """
    if isinstance(choice, list | tuple | np.ndarray) and len(choice):
        return "discrete", tuple(np.asarray(choice, dtype=object).tolist())
    return kind_of(str(choice)), ()


def declare_levels(
    variable: Variable, column: Column, levels: Sequence[Any]
) -> tuple[Variable, Column]:
    """Return a discrete column exactly these levels, in their order; those that do not occur are kept.

    Raises
    ------
    DataError : a value that is not among the levels, or a level twice.
    """
    if len(set(levels)) != len(levels):
        raise DataError(f"The levels of {variable.name!r} must differ, got {list(levels)!r}.")
    present = variable.levels or ()
    for code in np.unique(column[~gaps_of(variable, column)]).tolist():
        if present[code] not in levels:
            raise DataError(
                f"Column {variable.name!r} has the value {present[code]!r}, which is not among the levels "
                f"{list(levels)!r}."
            )
    new_codes = [levels.index(value) if value in levels else 0 for value in present]
    codes = np.array([*new_codes, len(levels)], dtype=code_type(len(levels)))[column]
    return Variable(variable.name, tuple(levels), ordered=variable.ordered), codes


def to_numbers(variable: Variable, column: Column) -> tuple[Variable, Column]:
    """Turn numeric levels into numbers, booleans into 0 and 1."""
    return Variable(variable.name), numbers_of(variable, column)


def gaps_of(variable: Variable, column: Column) -> NDArray[np.bool_]:
    """Return the mask of a column's missing values."""
    if variable.levels is None:
        return np.isnan(column)
    return np.equal(column, len(variable.levels))


def is_complete(variable: Variable, column: Column) -> bool:
    """Return whether an array contains values of a variable, none missing."""
    if column.ndim != 1:
        return False
    if variable.levels is None:
        return column.dtype == np.float64 and bool(np.isfinite(column).all())
    return column.dtype.kind == "u" and bool((column < len(variable.levels)).all())


def check_column(variable: Variable, column: Column, rows: int) -> None:
    """Raise an error if a column does not fit its variable."""
    if column.ndim != 1 or len(column) != rows:
        raise DataError(f"{variable.name!r} has shape {column.shape} but must have ({rows},).")
    if variable.levels is None:
        if column.dtype != np.float64:
            raise DataError(f"{variable.name!r} must be float64, got {column.dtype}.")
    elif column.dtype.kind != "u":
        raise DataError(f"{variable.name!r} needs unsigned codes of its levels, not {column.dtype}")
    elif rows and int(column.max()) > len(variable.levels):
        raise DataError(f"{variable.name!r} has a code beyond its {len(variable.levels)} levels.")


def sentence_list(names: Sequence[str], most: int = 5) -> str:
    """Return names for a sentence: the first few, quoted, and the number of others.

    >>> sentence_list(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else "none"
