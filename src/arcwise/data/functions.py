"""Columns that shape a graph without being measurements: functions of other columns, and identifiers.

A copy or a sum of columns takes over their edges, two codings of one variable are joined for certain, and
the number of a row is joined to whatever the rows are sorted by. All of these are legal, so they are named
and not left out.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.data.audit import pair_findings
from arcwise.data.table import Table
from arcwise.data.variable import gaps_of, sentence_list

MAX_WORK = 2e9
"""Rows times squared columns up to which correlations are computed."""
ROWS_PER_LEVEL = 5
"""Fewer rows per level make one column a function of another by chance."""


def function_notes(table: Table, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Name exact functions and identifiers among columns that have edges.

    Parameters
    ----------
    table : the rows that a graph was learned from.
    pairs : the edges.

    >>> from arcwise.data.frames import table
    >>> data = table({"size": ["s", "m", "m", "s"] * 4, "code": ["1", "2", "2", "1"] * 4})
    >>> function_notes(data, [("code", "size")])
    ["'code' and 'size' are the same levels under other names."]
    """
    edges = [pair for pair in pairs if all(name in table.names for name in pair)]
    joined = sorted({name for pair in edges for name in pair}, key=table.order.index)
    if not joined:
        return []
    numbers = [v.name for v in map(table.variable, joined) if not v.discrete or v.numeric]
    notes = _identifiers(table, [name for name in numbers if not table.variable(name).discrete])
    if len(numbers) > 1 and table.rows * len(numbers) ** 2 <= MAX_WORK:
        notes += pair_findings(table.select(numbers))
    return notes + [note for pair in edges if (note := _recoding(table, *pair))]


def _identifiers(table: Table, numbers: list[str]) -> list[str]:
    """Name columns with another whole number in each row, in ascending or descending order."""
    found = [name for name in numbers if _is_identifier(table.column(name))]
    if not found:
        return []
    several = len(found) > 1
    return [
        f"{sentence_list(found)} {'have' if several else 'has'} another whole number in each row, in the "
        f"order of the rows, as identifiers have: {'their' if several else 'its'} edges show how the rows "
        f"are sorted; leave {'them' if several else 'it'} out with select()."
    ]


def _is_identifier(column: NDArray[np.float64]) -> bool:
    steps = np.diff(column)
    return len(column) > 10 and bool(
        ((steps > 0).all() or (steps < 0).all()) and (column == np.floor(column)).all()
    )


def _recoding(table: Table, first: str, second: str) -> str:
    """Say that of two discrete columns one is a function of the other, if it is."""
    one, two = table.variable(first), table.variable(second)
    if one.levels is None or two.levels is None:
        return ""
    a, b = table.column(first), table.column(second)
    kept = ~(gaps_of(one, a) | gaps_of(two, b))
    codes = np.unique(a[kept].astype(np.int64) * len(two.levels) + b[kept])
    sizes = [len(np.unique(codes // len(two.levels))), len(np.unique(codes % len(two.levels)))]
    if min(sizes) < 2 or kept.sum() < ROWS_PER_LEVEL * max(sizes):
        return ""
    if len(codes) == sizes[0] == sizes[1]:
        return f"{first!r} and {second!r} are the same levels under other names."
    if len(codes) in sizes:
        source, target = (first, second) if len(codes) == sizes[0] else (second, first)
        return f"{target!r} is a function of {source!r}: each level of {source!r} has one of {target!r}."
    return ""
