"""Preparation: standardised columns, relative changes, artificial rows, kinds and gaps.

All functions take tables and give new ones. Two steps come before each family's own check of its columns:
columns of numeric levels become numbers, unless their kind was asked for by name, since then a new number is
no unseen state; and gaps are dealt with by a policy (`POLICIES`). A *scaling* remembers what standardising
did, so that new rows can be treated alike and answers be brought back to the data's own units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.conform import conform
from arcwise.data.frames import na_marks
from arcwise.data.table import Table
from arcwise.data.variable import Variable, sentence_list
from arcwise.errors import DataError


@dataclass(frozen=True, eq=False)
class Scaling:
    """Means and standard deviations of continuous variables: z = (x - mean) / sd.

    Parameters
    ----------
    names : the variables that are scaled; others pass unchanged.
    means, sds : one per name; the sd of a constant column is taken as one.
    """

    names: tuple[str, ...]
    means: NDArray[np.float64]
    sds: NDArray[np.float64]

    def __post_init__(self) -> None:
        self.means.setflags(write=False)
        self.sds.setflags(write=False)

    def apply(self, table: Table) -> Table:
        """Give the table in standard units."""
        scales = zip(self.names, self.means, self.sds, strict=True)
        return _replaced(table, {name: (table.column(name) - m) / sd for name, m, sd in scales})

    def undo(self, table: Table) -> Table:
        """Give the table back in its own units."""
        scales = zip(self.names, self.means, self.sds, strict=True)
        return _replaced(table, {name: table.column(name) * sd + m for name, m, sd in scales})


def standardise(table: Table) -> tuple[Table, Scaling]:
    """Give every continuous column mean zero and standard deviation one (divisor n).

    Parameters
    ----------
    table : discrete columns pass unchanged; gaps stay gaps; weights count.

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
    scaling = Scaling(names, means, np.array([sd for _, sd in centres]))
    return scaling.apply(table), scaling


def _mean_and_sd(
    column: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[float, float]:
    there = ~np.isnan(column)
    counts = None if weights is None else weights[there]
    if not there.any() or (counts is not None and not counts.sum() > 0):
        return 0.0, 1.0
    values = column[there]
    mean = float(np.average(values, weights=counts))
    sd = float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))
    # Rounding leaves a constant column an sd that is tiny but not zero.
    return mean, sd if sd > 1e-14 * max(abs(mean), 1e-300) else 1.0


def returns(table: Table) -> Table:
    """Give the relative changes from row to row, x[t] / x[t-1] - 1.

    Parameters
    ----------
    table : rows in the order of time; discrete columns keep their later value.

    Returns
    -------
    A table with one row less.

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
    return _replaced(later, {name: _change(name, table.column(name)) for name in names})


def _change(name: str, column: NDArray[np.float64]) -> NDArray[np.float64]:
    before, after = column[:-1], column[1:]
    if (before == 0).any():
        row = int((before == 0).argmax()) + 1
        raise DataError(f"{name!r} is zero in row {row}: there is no relative change from zero.")
    return after / before - 1


def _replaced(table: Table, columns: dict[str, NDArray[np.float64]]) -> Table:
    kept = zip(table.names, table.columns, strict=True)
    return replace(table, columns=tuple(columns.get(name, column) for name, column in kept))


def pseudo_rows(rows: Any, variables: Sequence[Variable]) -> Table:
    """Read artificial rows, which count exactly like real ones once they are merged; a note says how many.

    Parameters
    ----------
    rows : whatever `conform` takes, with a value in every cell.
    variables : those of the real rows.

    >>> from arcwise.data.frames import table
    >>> real = table({"x": [0.5, 1.5], "y": [1.0, 2.5]})
    >>> pseudo_rows({"x": 1.0, "y": 2.0}, real.variables).notes
    ('1 artificial row counts like real ones.',)
    """
    given = conform(rows, variables)
    empty = [name for name, gaps in zip(given.names, given.missing().T, strict=True) if gaps.any()]
    if empty or not given.rows:
        what = f"{empty[0]!r} has gaps, or is not there at all" if empty else "there is no row"
        raise DataError(f"pseudo_rows need a value in every row of each column; {what}.")
    many = given.rows != 1
    said = f"{given.rows} artificial row{'s' * many} count{'s' * (not many)} like real ones."
    return replace(given, notes=(said,))


# -- gaps ----------------------------------------------------------------------------------------


POLICIES: dict[str, Callable[[Table], Table]] = {"drop": Table.complete}


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
        f"{sentence_list(numeric)} {'have' if several else 'has'} few distinct whole values and "
        f"{'are' if several else 'is'} treated as numbers; kinds={{{numeric[0]!r}: 'discrete'}} "
        f"changes that{f' for {numeric[0]!r}' * several}."
    )
    return table.recast(dict.fromkeys(numeric, "continuous")).with_notes(note)


def checked_policy(missing: object) -> str:
    """The policy for gaps, after checking that there is one of that name.

    Raises
    ------
    DataError : another word, or values that mean a gap, which ``na_values=`` takes.

    >>> checked_policy(["?"])
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: missing= says what to do about gaps ('drop'), got ['?']: values that mean \
a gap are given as na_values=['?'].
    """
    if isinstance(missing, str) and missing in POLICIES:
        return missing
    raise DataError(
        f"missing= says what to do about gaps ({', '.join(map(repr, POLICIES))}), got {missing!r}: "
        f"values that mean a gap are given as na_values={na_marks(missing)!r}."
    )


def without_gaps(table: Table, missing: str = "drop") -> Table:
    """Deal with the gaps of a table by a policy; "drop" leaves out the rows that have some.

    >>> from arcwise.data.frames import table
    >>> without_gaps(table({"x": [0.5, None, 2.5]})).notes[-1]
    "1 of 3 rows left out because of gaps (most in 'x': 1)."
    """
    return POLICIES[checked_policy(missing)](table)
