"""Notes on exact functions and identifiers among adjacent columns of a graph.

A copy or a sum of columns takes over their edges. Two codings of one variable are always adjacent, and so are
row numbers and the variables by which rows are sorted.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.data.audit import pair_findings
from arcwise.data.statistics import Source, statistics_of
from arcwise.data.table import Table
from arcwise.data.variable import gaps_of, sentence_list
from arcwise.notes import Fix, Note, data_note

MAX_WORK = 2e9
"""Rows times squared columns up to which correlations are computed."""
ROWS_PER_LEVEL = 5
"""Fewer rows per level make one column a function of another by chance."""


def function_notes(source: Source, pairs: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return notes on exact functions and identifiers among columns that have edges.

    Parameters
    ----------
    source : the data of the graph; without rows there are no notes.
    pairs : the edges.

    >>> from arcwise.data.frames import table
    >>> data = table({"size": ["s", "m", "m", "s"] * 4, "code": ["1", "2", "2", "1"] * 4})
    >>> print(*function_notes(data, [("code", "size")]))
    'code' and 'size' are the same levels under other names.
    """
    if not (statistics := statistics_of(source)).has_rows:
        return ()
    table = statistics.rows("Functions need")
    edges = [pair for pair in pairs if all(name in table.names for name in pair)]
    members = sorted({name for pair in edges for name in pair}, key=table.order.index)
    numbers = [v.name for v in map(table.variable, members) if not v.discrete or v.numeric]
    notes = _identifiers(table, [name for name in numbers if not table.variable(name).discrete])
    if len(numbers) > 1 and table.rows * len(numbers) ** 2 <= MAX_WORK:
        notes += pair_findings(table.select(numbers))
    return (*notes, *(note for pair in edges if (note := _recoding_note(table, *pair))))


def _identifiers(table: Table, numbers: list[str]) -> list[Note]:
    """Return the columns with a different integer in each row, in ascending or descending order."""
    identifiers = [name for name in numbers if _is_identifier(table.column(name))]
    if not identifiers:
        return []
    have, its, it = ("have", "their", "them") if len(identifiers) > 1 else ("has", "its", "it")
    text = (
        f"{sentence_list(identifiers)} {have} a different integer in each row, in the order of the "
        f"rows, like an identifier: {its} edges reflect the order of the rows; drop {it} with "
        "{select()}."
    )
    return [data_note(text, tuple(identifiers), (Fix(verb="select"),))]


def _is_identifier(column: NDArray[np.float64]) -> bool:
    steps = np.diff(column)
    return len(column) > 10 and bool(
        ((steps > 0).all() or (steps < 0).all()) and (column == np.floor(column)).all()
    )


def _recoding_note(table: Table, first: str, second: str) -> Note | None:
    """Return a note if one of two discrete columns is a function of the other."""
    one, two = table.variable(first), table.variable(second)
    if one.levels is None or two.levels is None:
        return None
    a, b = table.column(first), table.column(second)
    complete = ~(gaps_of(one, a) | gaps_of(two, b))
    codes = np.unique(a[complete].astype(np.int64) * len(two.levels) + b[complete])
    sizes = [len(np.unique(codes // len(two.levels))), len(np.unique(codes % len(two.levels)))]
    if min(sizes) < 2 or complete.sum() < ROWS_PER_LEVEL * max(sizes):
        return None
    if len(codes) == sizes[0] == sizes[1]:
        return data_note(
            f"{first!r} and {second!r} are the same levels under other names.", (first, second)
        )
    if len(codes) in sizes:
        source, target = (first, second) if len(codes) == sizes[0] else (second, first)
        text = f"{target!r} is a function of {source!r}: each level of {source!r} has one of {target!r}."
        return data_note(text, (target, source))
    return None
