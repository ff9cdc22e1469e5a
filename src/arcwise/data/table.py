"""Tables: columns of data with their variables.

A table is a set of equally long columns next to their variables, sorted by name, so that no result depends on
the order of a file. The user's order is for presentation. A row of weight 3 counts as three rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import (
    Column,
    Kind,
    Variable,
    check_column,
    declare_levels,
    gaps_of,
    numbers_of,
    read_kind,
    sentence_list,
    to_levels,
    to_numbers,
)
from arcwise.errors import DataError, close_to
from arcwise.notes import Fix, Note, data_note
from arcwise.values import clear_methods
from arcwise.view import figure

if TYPE_CHECKING:
    from arcwise.data.audit import Audit

__all__ = ["COPIES", "Table", "Variable", "checked_weights", "gap_note", "no_rows_left"]

COPIES = ("apart", "together")
"""Meaning of the copies of a row: separate units, or repetitions of one measurement."""


@clear_methods
@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Immutable columns of equal length, sorted by name.

    Parameters
    ----------
    variables : one per column; sorted here, with their columns, if they are not.
    columns : float64 or codes, all of one length.
    weights : row weights; None for weights of one.
    order : the names in the order the user gave them; empty for the order of ``variables``.
    notes : detected formats, dropped columns and other decisions.
    fixed : the variables whose kind the user set, which models keep.
    copies : the meaning of weight 3: "apart", three units, of which folds and leave-one-out remove one at a
        time; "together", one unit, measured three times.

    The attribute `rows` is the number of rows, each counted once.

    Raises
    ------
    DataError : names that repeat, or columns that do not fit their variables.

    >>> import numpy as np
    >>> table = Table((Variable("y"), Variable("x")), (np.ones(3), np.zeros(3)))
    >>> table.names, table.order, table.rows
    (('x', 'y'), ('y', 'x'), 3)
    """

    variables: tuple[Variable, ...]
    columns: tuple[Column, ...]
    weights: NDArray[np.float64] | None = None
    order: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    fixed: frozenset[str] = frozenset()
    copies: str = "apart"
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        names = [variable.name for variable in self.variables]
        _check_distinct(names)
        if len(names) != len(self.columns) or not names:
            raise DataError(f"{len(names)} variables need as many columns and at least one.")
        by_name = sorted(range(len(names)), key=names.__getitem__)
        columns = tuple(_lock(self.columns[i]) for i in by_name)
        _assign(self, rows=len(columns[0]))
        _assign(self, variables=tuple(self.variables[i] for i in by_name), columns=columns)
        _assign(self, order=tuple(self.order) or tuple(names), notes=tuple(self.notes))
        if sorted(self.order) != list(self.names):
            raise DataError("The order of a table must name each of its columns once.")
        for variable, column in zip(self.variables, columns, strict=True):
            check_column(variable, column, len(columns[0]))
        if self.weights is not None:
            _assign(self, weights=_lock(checked_weights(self.weights, self.rows)))

    # -- properties -----------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, in column-number order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def total(self) -> float:
        """The number of cases: the sum of the weights, or the rows."""
        return float(self.rows if self.weights is None else self.weights.sum())

    @cached_property
    def effective_rows(self) -> float:
        """The effective sample size, (sum w)^2 / sum w^2 (Kish): the same for weights of any unit."""
        if self.weights is None:
            return float(self.rows)
        shares = self.weights / self.weights.max()
        return float(shares.sum() ** 2 / (shares**2).sum())

    @cached_property
    def units(self) -> int:
        """The number of units to hold out: copies of rows, or rows if copies stay together.

        If weights are not integers, it is the number of rows.
        """
        if self.weights is None:
            return self.rows
        if self.copies == "together" or not (self.weights == np.round(self.weights)).all():
            return int((self.weights > 0).sum())
        return int(self.weights.sum())

    def counted_copies(self) -> NDArray[np.intp]:
        """Return the number of copies of each row, each of them a unit.

        Raises
        ------
        DataError : a weight that is not an integer.
        """
        if self.weights is None:
            return np.ones(self.rows, dtype=np.intp)
        part = np.flatnonzero(self.weights != np.round(self.weights))
        if len(part):
            raise DataError(
                "Weights must be integers for folds and leave-one-out, which hold out one copy of a row "
                f"at a time, got {float(self.weights[part[0]])!r} in row {part[0] + 1}: {{copies=}} "
                "holds out a row with its whole weight.",
                fixes=[Fix("copies", "together")],
            )
        return self.weights.astype(np.intp)

    def unit_weights(self) -> NDArray[np.float64]:
        """Return the weight that each row loses if one of its units is held out."""
        if self.weights is not None and self.copies == "together":
            return self.weights
        return np.minimum(self.counted_copies(), 1).astype(float)

    def index(self, name: str) -> int:
        """Return the column number of a name; an unknown name is a DataError with close matches."""
        number = self._numbers.get(name)
        if number is None:
            raise DataError(f"There is no column {name!r}. {close_to(name, self.order)}")
        return number

    def variable(self, name: str) -> Variable:
        """Return the variable of that name."""
        return self.variables[self.index(name)]

    def column(self, name: str) -> Column:
        """Return the stored array of that name: numbers, or codes of levels."""
        return self.columns[self.index(name)]

    def values(self, name: str) -> NDArray[Any]:
        """Return the values of that name as the user gave them: numbers (missing NaN) or levels (missing
        None).

        >>> import numpy as np
        >>> codes = np.array([1, 0, 2], dtype=np.uint8)
        >>> Table((Variable("rain", ("no", "yes")),), (codes,)).values("rain").tolist()
        ['yes', 'no', None]
        """
        variable, column = self.variable(name), self.column(name)
        if variable.levels is None:
            return column
        values = np.empty(len(variable.levels) + 1, dtype=object)
        values[:-1] = variable.levels
        return values[column]

    # -- derived tables -------------------------------------------------------------------------

    def select(self, names: Iterable[str]) -> Table:
        """Return these columns only, presented in this order."""
        selected = tuple(names)
        numbers = [self.index(name) for name in selected]
        return replace(
            self,
            variables=tuple(self.variables[i] for i in numbers),
            columns=tuple(self.columns[i] for i in numbers),
            order=selected,
            fixed=self.fixed & frozenset(selected),
        )

    def take(self, rows: ArrayLike) -> Table:
        """Return these rows, given by numbers (repeats allowed) or by a mask."""
        index = np.asarray(rows)
        weights = None if self.weights is None else self.weights[index]
        return replace(
            self, columns=tuple(column[index] for column in self.columns), weights=weights
        )

    def head(self, rows: int = 5) -> Table:
        """Return the first rows."""
        return self.take(np.arange(min(rows, self.rows)))

    def with_weights(self, weights: ArrayLike | None, copies: str | None = None) -> Table:
        """Return the rows with other weights (None: all one); `copies` is their meaning."""
        checked = None if weights is None else checked_weights(weights, self.rows)
        return replace(self, weights=checked, copies=copies or self.copies)

    def expanded(self) -> Table:
        """Return a row for each unit, without weights; unchanged if copies stay together.

        >>> import numpy as np
        >>> Table((Variable("x"),), (np.array([1.5, 2.5]),), np.array([2, 1])).expanded().to_dict()
        {'x': [1.5, 1.5, 2.5]}
        """
        if self.weights is None or self.copies == "together":
            return self
        copies = self.counted_copies()
        return self.with_weights(None).take(np.repeat(np.arange(self.rows), copies))

    def with_notes(self, *notes: Note) -> Table:
        """Add notes, each once."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def complete(self) -> Table:
        """Drop the rows with missing values, with a note on them; a DataError if no row is complete.

        >>> import numpy as np
        >>> gappy = Table((Variable("x"),), (np.array([1.0, np.nan, 3.0]),))
        >>> gappy.complete().notes
        (<Note: 1 of 3 rows dropped because of missing values (most in 'x': 1).>,)
        """
        gaps, missing = np.zeros(self.rows, dtype=bool), {}
        for variable, column in zip(self.variables, self.columns, strict=True):
            holes = gaps_of(variable, column)
            if holes.any():
                gaps |= holes
                missing[variable.name] = int(holes.sum())
        if not missing:
            return self
        if gaps.all():
            raise DataError(no_rows_left(self.rows, missing))
        return self.take(~gaps).with_notes(gap_note(int(gaps.sum()), self.rows, missing))

    def available(self, numbers: Iterable[int]) -> Table:
        """Return some columns, given by their numbers, and the rows in which all of them are observed.

        >>> import numpy as np
        >>> x, y = np.array([1.0, np.nan]), np.array([2.0, 3.0])
        >>> Table((Variable("x"), Variable("y")), (x, y)).available([0, 1]).rows
        1
        """
        keep = sorted(numbers)
        variables, columns = [self.variables[i] for i in keep], [self.columns[i] for i in keep]
        pairs, weights = zip(variables, columns, strict=True), self.weights
        gaps = np.any([gaps_of(variable, column) for variable, column in pairs], axis=0)
        if gaps.any():
            columns = [column[~gaps] for column in columns]
            weights = None if weights is None else weights[~gaps]
        return Table(tuple(variables), tuple(columns), weights, copies=self.copies)

    def recast(self, kinds: Mapping[str, Kind | Sequence[Any]]) -> Table:
        """Change kinds: numeric levels become numbers, numbers become ordered numeric levels.

        Parameters
        ----------
        kinds : names to ``"continuous"``, ``"discrete"`` or levels; booleans become 0 and 1.

        Raises
        ------
        DataError : an unknown name, or text that should become numbers.
        OptionError : an unknown kind.

        >>> import numpy as np
        >>> table = Table((Variable("x"),), (np.array([3.0, 1.0]),))
        >>> table.recast({"x": "discrete"}).variable("x").levels
        (1, 3)
        """
        variables, columns = list(self.variables), list(self.columns)
        for name, kind in kinds.items():
            number = self.index(name)
            pair, (target, levels) = (variables[number], columns[number]), read_kind(kind)
            if target != pair[0].kind:
                pair = (to_numbers if target == "continuous" else to_levels)(*pair)
            variables[number], columns[number] = declare_levels(*pair, levels) if levels else pair
        return replace(self, variables=tuple(variables), columns=tuple(columns))

    def continuous(self) -> Table:
        """Turn every column with numeric levels into numbers, except those fixed by name.

        Models of numbers do this first, so that a new number is not an unseen level.

        Raises
        ------
        DataError : a column of text or booleans whose kind the user did not set.
        """
        open_ones = [v for v in self.variables if v.discrete and v.name not in self.fixed]
        stuck = [variable.name for variable in open_ones if not variable.numeric]
        if stuck:
            raise DataError(
                f"{sentence_list(stuck)} {'hold' if len(stuck) > 1 else 'holds'} text or booleans, but "
                "this model needs numbers: drop such columns with {select()}.",
                fixes=[Fix(verb="select")],
            )
        return self.recast({variable.name: "continuous" for variable in open_ones})

    # -- conversions ----------------------------------------------------------------------------

    def matrix(self) -> NDArray[np.float64]:
        """Return all columns as one float64 matrix, rows by column numbers, stored column-wise."""
        out = np.empty((self.rows, len(self.columns)), order="F")
        for number, variable in enumerate(self.variables):
            out[:, number] = numbers_of(variable, self.columns[number])
        return out

    def missing(self) -> NDArray[np.bool_]:
        """Return the mask of missing values, rows by column numbers."""
        out = np.empty((self.rows, len(self.columns)), dtype=bool, order="F")
        for number, variable in enumerate(self.variables):
            out[:, number] = gaps_of(variable, self.columns[number])
        return out

    def to_dict(self) -> dict[str, list[Any]]:
        """Return plain lists of values by name, in the user's order."""
        return {name: self.values(name).tolist() for name in self.order}

    def to_arrow(self) -> Any:
        """Return a pyarrow table, in the user's order; text levels become dictionaries."""
        from arcwise.data.frames import to_arrow

        return to_arrow(self)

    def to_pandas(self) -> Any:
        """Return a pandas data frame, in the user's order; text levels become categories."""
        from arcwise.data.frames import to_pandas

        return to_pandas(self)

    def audit(self) -> Audit:
        """Check for possible problems of models; see ``arcwise.data.audit``."""
        from arcwise.data.audit import audit

        return audit(self)

    def plot_missing(self, *, every: bool = False, title: str | None = None, ax: Any = None) -> Any:
        """Draw the patterns of missing values; `every` draws columns without them, too."""
        return figure("plot_missing")(self, every=every, title=title, ax=ax)

    def __len__(self) -> int:
        return self.rows

    def _repr_html_(self) -> str:
        from arcwise.data.frames import first_rows

        return first_rows(self).to_html()

    def __repr__(self) -> str:
        discrete = sum(variable.discrete for variable in self.variables)
        kinds = f"{len(self.columns) - discrete} continuous, {discrete} discrete"
        weights = "" if self.weights is None else f", weights summing to {self.total:g}"
        shown = ", ".join(self.order[:8]) + (", ..." if len(self.order) > 8 else "")
        return f"Table({self.rows} rows, {kinds}{weights}: {shown})"


def checked_weights(weights: ArrayLike, rows: int, *, some: bool = True) -> NDArray[np.float64]:
    """Return weights as float64 after checking that they can count rows; ``some`` means above zero."""
    if isinstance(weights, np.ma.MaskedArray):  # a weight that is missing is no number
        weights = np.ma.filled(weights.astype(float), np.nan)
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (rows,):
        raise DataError(
            f"Weights must be one number per row, {rows} in all, got shape {array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        row = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        value = float(array[row])
        raise DataError(
            f"Weights must be finite and non-negative, but row {row + 1} has {value!r}."
        )
    if some and not array.sum() > 0:
        raise DataError("Some weight must be positive, but all are zero.")
    return array


def _assign(table: Table, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(table, name, value)


def _lock(array: Column) -> Column:
    # A view is read-only, not the caller's array.
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view


def _check_distinct(names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        twice = [name for name, times in Counter(names).items() if times > 1]
        raise DataError(f"Column names must be unique, got twice: {sentence_list(twice)}.")


def gap_note(skipped: int, rows: int, missing: Mapping[str, int]) -> Note:
    """Return the note on dropped rows, given the missing values of each column that has some."""
    text = f"{skipped} of {rows} rows dropped because of missing values ({_costly(missing)})."
    return data_note(text, tuple(sorted(missing)))


def no_rows_left(rows: int, missing: Mapping[str, int]) -> str:
    """Return the error if all rows have missing values."""
    return f"No row of {rows} is complete ({_costly(missing)}): drop the columns with most missing values."


def _costly(missing: Mapping[str, int]) -> str:
    worst = sorted(missing, key=lambda name: (-missing[name], name))[:3]
    return f"most in {', '.join(f'{name!r}: {missing[name]}' for name in worst)}"
