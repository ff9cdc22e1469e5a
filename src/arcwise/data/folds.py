"""Folds: units of a table, held out in turn.

A row that occurs three times is three units, whether the table lists it three times or once with a weight
of 3. Units are assigned to folds by the contents of rows: distinct rows are sorted by their
values, and each fold draws copies of each. So the folds depend neither on the order of the rows
nor on whether a table is counted or long. In a counted table a distinct row is split into one row per fold.

With ``copies="together"`` a row of the table is one unit, whatever its weight: its copies are repetitions of
one measurement, and all of them are held out at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data.table import COPIES, Table
from arcwise.data.variable import Column, Level, Variable
from arcwise.errors import DataError, unknown
from arcwise.notes import data_note
from arcwise.values import clear_calls

Integers = NDArray[np.int64]
Rows = NDArray[np.intp]

_LARGEST = 1 << 62  # keys of rows stay within 64 bits
_MOST_UNITS = 10**9  # that numpy deals
_TOGETHER = data_note(
    "Equal rows are treated as copies of one measurement: each counts by its weight, and folds "
    "and leave-one-out hold out all copies together.",
)


class Parts(NamedTuple):
    """Parts of a table that are held out in turn.

    `rows` are row numbers of `table`, one array per part. The table is the given one; for counted rows each
    distinct row is split into one row per part that contains it.
    """

    table: Table
    rows: tuple[Rows, ...]

    def expanded(self) -> Parts:
        """Return the same parts of a table with one row per unit."""
        long = self.table.expanded()
        if long is self.table:
            return self
        row_of = np.repeat(np.arange(self.table.rows), self.table.counted_copies())
        return Parts(long, tuple(np.flatnonzero(np.isin(row_of, part)) for part in self.rows))


class Folds(NamedTuple):
    """Parts of a table that are held out in turn, with the training rows for each.

    `training` has row numbers for each part, or None for all rows outside it; an empty tuple means that all
    are None.
    """

    table: Table
    rows: tuple[Rows, ...]
    training: tuple[Rows | None, ...] = ()

    def rest(self, number: int) -> Rows:
        """Return the training rows while a part is held out."""
        rows = self.training[number] if self.training else None
        return np.setdiff1d(np.arange(self.table.rows), self.rows[number]) if rows is None else rows


def folds(table: Table, k: int, rng: np.random.Generator, by: str | None = None) -> Parts:
    """Split the units of a table at random into k folds of nearly equal size.

    Parameters
    ----------
    table : with integer weights, unless copies stay together.
    k : number of folds, from 2 to the number of units.
    rng : random generator.
    by : a discrete column whose levels have nearly the same share in each fold.

    Raises
    ------
    DataError : fewer than two folds or more than units; weights that are not integers.

    >>> from arcwise.data.frames import table
    >>> dealt = folds(table({"x": ["a", "b"]}, weights=[7, 3]), 3, np.random.default_rng(1))
    >>> [int(dealt.table.weights[part].sum()) for part in dealt.rows]
    [4, 3, 3]
    """
    units = _Units(table)
    if not 2 <= k <= units.total:
        raise DataError(f"{units.total} rows must be split into 2 to {units.total} folds, got {k}.")
    shares, start = np.zeros((len(units.counts), k), dtype=np.int64), 0
    for members in units.strata(by):
        count = int(units.counts[members].sum())
        sizes = [len(range(start + (f - start) % k, start + count, k)) for f in range(k)]
        shares[members] = _draw_counts(units.counts[members], sizes, rng)
        start += count
    return units.parts(shares)


def given_folds(table: Table, parts: Any, present: NDArray[np.bool_] | None = None) -> Folds:
    """Return user-defined folds.

    Parameters
    ----------
    table : the rows that may be held out.
    parts : a label for each row (a fold is the rows of one label, those without are never held out); a list
        of arrays of row numbers, or of pairs of them (rows to train on, rows to hold out); or an object whose
        method `split` makes such pairs, as in scikit-learn.
    present : mask of the rows of the data that the table has, if some were dropped; row numbers and labels
        refer to the data.

    Raises
    ------
    DataError : fewer than two folds, an empty one, unknown rows, or equal rows that were merged.

    >>> from arcwise.data.frames import table
    >>> rows = table({"x": [1.0, 2.0, 4.0, 8.0]})
    >>> [part.tolist() for part in given_folds(rows, ["a", "b", "a", "b"]).rows]
    [[0, 2], [1, 3]]
    """
    used = np.ones(table.rows, dtype=bool) if present is None else present
    if int(used.sum()) != table.rows:
        raise DataError("Folds given by rows need the original rows, and these were merged.")
    numbers = np.where(used, np.cumsum(used) - 1, -1)
    if hasattr(parts, "split") and not isinstance(parts, str):
        parts = list(parts.split(np.zeros((len(used), 1))))
    pairs = (
        _label_folds(parts, len(used)) if _are_labels(parts) else [_pair(part) for part in parts]
    )

    def known(part: Any) -> Rows:
        rows = np.asarray(part)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise DataError(f"A fold must be a list of row numbers, got {part!r}.")
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(used):
            raise DataError(
                f"Row numbers of folds must be from 0 to {len(used) - 1}, got {rows.min()} to {rows.max()}."
            )
        present_rows: Rows = numbers[np.unique(rows)].astype(np.intp)
        return present_rows[present_rows >= 0]

    held_out = tuple(known(part) for _, part in pairs)
    training = tuple(None if rest is None else known(rest) for rest, _ in pairs)
    if len(pairs) < 2 or not all(map(len, held_out)):
        sizes = ", ".join(str(len(part)) for part in held_out)
        raise DataError(f"Folds must be two or more, none of them empty, got sizes {sizes}.")
    return Folds(table, held_out, training)


def _are_labels(parts: Any) -> bool:
    """Return whether folds are given as labels of rows, not as lists of row numbers."""
    if isinstance(parts, str | bytes) or not hasattr(parts, "__len__"):
        raise DataError(
            "Folds must be their number, a label for each row, or lists of row numbers, "
            f"got {parts!r}."
        )
    return all(isinstance(label, str | float | np.generic | int | None) for label in parts)


def _label_folds(labels: Any, rows: int) -> list[tuple[None, Rows]]:
    """Return the rows of each label, in the order of the labels."""
    if len(labels) != rows:
        raise DataError(f"Labels of folds must be one per row, got {len(labels)} for {rows} rows.")
    rows_of = dict[Any, list[int]]()
    for row, label in enumerate(labels):
        if label is not None and label == label:
            rows_of.setdefault(label, []).append(row)
    return [
        (None, np.array(rows_of[label], dtype=np.intp)) for label in sorted(rows_of, key=_place)
    ]


def _place(label: Any) -> tuple[bool, float, str]:
    return _key(str(label))


def _pair(part: Any) -> tuple[Any, Any]:
    """Return training rows (None for all others) and held-out rows."""
    pair = isinstance(part, tuple) and len(part) == 2 and all(np.ndim(rows) == 1 for rows in part)
    return part if pair else (None, part)


def held_out_part(table: Table, fraction: float, rng: np.random.Generator) -> Parts:
    """Draw one part with a fraction of the units of a table, at least one unit."""
    units = _Units(table)
    size = max(1, round(fraction * units.total))
    parts = units.parts(_draw_counts(units.counts, [size, units.total - size], rng))
    return Parts(parts.table, parts.rows[:1])


@clear_calls
def split(table: Table, fraction: float, rng: np.random.Generator) -> tuple[Table, Table]:
    """Split the rows at random into a training and a test part.

    Parameters
    ----------
    table : a row of weight 3 is three units, unless copies stay together.
    fraction : the share of units to train on, between 0 and 1.
    rng : random generator.

    Returns
    -------
    Training and test table, each with at least one unit, rows in their original order.

    Raises
    ------
    DataError : a fraction outside (0, 1), fewer than two units, or weights that are not integers.

    >>> from arcwise.data.frames import table
    >>> both = split(table({"x": [1.0, 2.0, 4.0, 8.0]}), 0.75, np.random.default_rng(1))
    >>> [part.rows for part in both]
    [3, 1]
    """
    if not 0 < fraction < 1:
        raise DataError(f"The fraction to train on must be between 0 and 1, got {fraction!r}.")
    units = _Units(table)
    if units.total < 2:
        raise DataError("A split needs at least two rows.")
    size = min(max(round(fraction * units.total), 1), units.total - 1)
    parts = units.parts(_draw_counts(units.counts, [size, units.total - size], rng))
    train, test = (parts.table.take(part) for part in parts.rows)
    return train, test


def with_copies(table: Table, copies: str) -> Table:
    """Set whether equal rows of a table are separate units or copies of one measurement.

    Parameters
    ----------
    table : any.
    copies : "apart", or "together", which merges equal rows and adds their weights.

    >>> from arcwise.data.frames import table
    >>> with_copies(table({"x": [1.5, 2.5, 1.5]}), "together").weights.tolist()
    [2.0, 1.0]
    """
    if copies not in COPIES:
        raise unknown("meaning of copies", copies, COPIES)
    if copies == "apart":
        return table
    groups, first = _distinct(table.columns)
    weights = np.bincount(groups, table.weights)
    order = np.argsort(first, kind="stable")
    return table.take(first[order]).with_weights(weights[order], "together").with_notes(_TOGETHER)


class _Units:
    """The units of a table by distinct row: `groups` by row, `counts` of units and `first` row by group."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.whole = table.weights is None or table.copies == "together"
        weights = np.ones(table.rows) if table.weights is None else table.weights
        self.seen = np.flatnonzero(weights > 0)
        pairs = zip(table.variables, table.columns, strict=True)
        columns = [_rank_codes(variable, column[self.seen]) for variable, column in pairs]
        if table.weights is not None and table.copies == "together":
            columns.append(weights[self.seen])  # a unit is a row with its weight
        self.groups, self.first = _distinct(columns)
        copies = np.ones(len(self.seen)) if self.whole else table.counted_copies()[self.seen]
        self.counts: Integers = np.bincount(self.groups, copies).astype(np.int64)
        self.total = int(self.counts.sum())
        if self.total >= _MOST_UNITS:
            raise DataError(
                f"At most {_MOST_UNITS:.0e} rows can be split, got {self.total:.3g}: use "
                "fewer rows."
            )

    def strata(self, by: str | None) -> Iterator[Rows]:
        """Return the groups of each level of a column, or all groups."""
        if by is None:
            yield np.arange(len(self.counts))
            return
        codes = _rank_codes(self.table.variable(by), self.table.column(by)[self.seen][self.first])
        for code in np.unique(codes):
            yield np.flatnonzero(codes == code)

    def parts(self, shares: Integers) -> Parts:
        """Return parts, given the number of units of each group (rows) in each part (columns)."""
        k = shares.shape[1]
        if self.whole:
            part = np.full(self.table.rows, -1)
            order = self.seen[np.argsort(self.groups, kind="stable")]
            part[order] = np.repeat(np.tile(np.arange(k), len(shares)), shares.ravel())
            return Parts(self.table, tuple(np.flatnonzero(part == f) for f in range(k)))
        rows = self.seen[self.first]
        shown = np.argsort(rows, kind="stable")  # in the order of the table
        group, part = np.nonzero(shares[shown])
        weights = shares[shown][group, part].astype(float)
        table = self.table.take(rows[shown][group]).with_weights(weights)
        return Parts(table, tuple(np.flatnonzero(part == f) for f in range(k)))


def _draw_counts(counts: Integers, sizes: list[int], rng: np.random.Generator) -> Integers:
    """Draw the number of units of each group in each part, without replacement."""
    left, shares = counts.copy(), np.zeros((len(counts), len(sizes)), dtype=np.int64)
    for f, size in enumerate(sizes[:-1]):
        shares[:, f] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= shares[:, f]
    shares[:, -1] = left
    return shares


def _rank_codes(variable: Variable, column: Column) -> Column:
    """Return codes that follow the names of levels, so that the order of the levels does not matter."""
    if variable.levels is None:
        return column
    order = sorted(
        range(len(variable.levels)), key=lambda code: _key((variable.levels or ())[code])
    )
    ranks = np.arange(len(order) + 1)  # a gap comes last
    ranks[order] = np.arange(len(order))
    return ranks[column]


def _key(level: Level) -> tuple[bool, float, str]:
    """Return a sort key: numbers by size, even if written as text, then text by the alphabet."""
    try:
        number = float(level)
    except ValueError:
        number = np.nan
    return (False, number, "") if np.isfinite(number) else (True, 0.0, str(level))


def _distinct(columns: Any) -> tuple[Rows, Rows]:
    """Return the group of each row, numbered by the order of the rows' values, and each group's first row."""
    keys, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        if size * len(values) > _LARGEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        keys, size = keys * len(values) + codes, size * len(values)
        if len(values) == len(keys):  # no two rows are alike
            break
    _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
    return groups.astype(np.intp), first.astype(np.intp)
