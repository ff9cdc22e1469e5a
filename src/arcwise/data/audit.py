"""Audit: describe a table and list what may cause problems for models.

It checks each column (kind and why, missing values, distinct values, tails, tiny cells) and at columns
together (copies, near-copies, linear functions of others, rows against columns). It changes nothing:
constants, copies and heavy tails stay in the table, since each model has its own rules for them.

Linear dependence is detected by a Cholesky factorisation with pivots of the correlation matrix:
when the largest remaining pivot, a variance given the columns chosen so far, is below 1e-8, the
remaining columns are linear functions of the chosen ones (1 - R^2 < 1e-8).
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.missingness import missing_findings
from arcwise.data.moments import Moments
from arcwise.data.source import any_table
from arcwise.data.statistics import statistics_of
from arcwise.data.table import Table
from arcwise.data.variable import Column, Variable, gaps_of, sentence_list
from arcwise.errors import DataError, plural
from arcwise.frame import Frame, Framed, Series
from arcwise.notes import Note, data_note
from arcwise.values import clear_calls

Floats = NDArray[np.float64]

FAR = 10.0  # robust standard deviations from the median beyond which a value is far out
SINGLETONS = 0.02  # share of unique values below which a column is too grainy for bandwidths
TINY = 5  # fewer cases of a level say little about its conditional distribution


@dataclass(frozen=True)
class ColumnAudit:
    """One column of a table.

    Parameters
    ----------
    name, kind, why : the variable, its kind, and the rule that decided the kind.
    gaps : number of missing values.
    distinct : number of distinct values.
    low, high : smallest and largest number; None for text.
    singletons : share of values that occur once; None for discrete columns.
    far : largest distance from the median in robust standard deviations; None for discrete columns.
    smallest : cases of the rarest level; None for continuous columns.
    """

    name: str
    kind: str
    why: str
    gaps: int
    distinct: int
    low: float | None = None
    high: float | None = None
    singletons: float | None = None
    far: float | None = None
    smallest: float | None = None


@dataclass(frozen=True)
class Audit(Framed):
    """The result of an audit: one row per column, and findings.

    Parameters
    ----------
    size : rows and columns.
    cases : sum of the weights, or the number of rows.
    rows : one per column, in the user's order.
    findings : notes on possible problems, if any.
    notes : the notes of the table.
    """

    size: tuple[int, int]
    cases: float
    rows: tuple[ColumnAudit, ...]
    findings: tuple[Note, ...]
    notes: tuple[Note, ...]

    def document(self) -> dict[str, Any]:
        """Return everything as plain dictionaries and lists."""
        return {
            "rows": self.size[0],
            "columns": self.to_records(),
            "cases": self.cases,
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": [note.to_dict() for note in self.notes],
        }

    def _summary(self) -> str:
        return (
            f"{self.size[0]} rows, {self.size[1]} columns, {plural(len(self.findings), 'finding')}"
        )

    @property
    def frame(self) -> Frame:
        """Return one row per column of the table, with the findings as notes."""
        weighted = "" if self.cases == self.size[0] else f" ({self.cases:g} cases by weight)"
        title = f"{self.size[0]} rows{weighted}, {self.size[1]} columns\n"
        notes: list[str] = []
        for head, sentences in (("Notes", self.notes), ("Findings", self.findings)):
            notes += ["", head, *(f"- {note}" for note in sentences)] if sentences else []
        columns = (
            Series(
                name, [getattr(row, name) for row in self.rows], "", *_PRINT.get(name, ("", False))
            )
            for name in (field.name for field in fields(ColumnAudit))
        )
        return Frame((*columns, Series("range", list(map(_span, self.rows)))), title, tuple(notes))


# Headings of the printed columns.
_PRINT = {
    "name": ("column", True), "kind": ("kind", True), "why": ("why", True), "gaps": ("missing", True),
    "distinct": ("values", True),
}  # fmt: skip


def _span(row: ColumnAudit) -> str:
    return "" if row.low is None or row.high is None else f"{row.low:.4g} to {row.high:.4g}"


@clear_calls
def audit(data: Any) -> Audit:
    """Check a table for possible problems of models.

    Parameters
    ----------
    data : a table, or what `table` makes one of: a data frame, an array, a dictionary; or a file's path.

    Returns
    -------
    The audit; print it, or read its rows and findings.

    >>> from arcwise.data.frames import table
    >>> x = [0.1, 0.4, 0.2, 0.9, 0.5]
    >>> report = audit(table({"x": x, "twice": [2 * each for each in x]}))
    >>> print(report.findings[0])
    Near-copies (correlation beyond 0.9999): 'x' and 'twice'.
    """
    table = statistics_of(any_table(data)).rows("An audit needs")
    rows = tuple(_look(table, name) for name in table.order)
    findings = [*_size_findings(table), *_gap_findings(table, rows), *_column_findings(rows)]
    pairs = pair_findings(table)
    return Audit(
        (table.rows, len(table.variables)), table.total, rows, (*pairs, *findings), table.notes
    )


# -- one column ----------------------------------------------------------------------------------


def _look(table: Table, name: str) -> ColumnAudit:
    variable, column = table.variable(name), table.column(name)
    gaps = gaps_of(variable, column)
    values = column[~gaps]
    weights = None if table.weights is None else table.weights[~gaps]
    why = _why(variable, name in table.fixed)
    about = _levels(variable, values, weights) if variable.discrete else _numbers(values)
    return ColumnAudit(name, variable.kind, why, int(gaps.sum()), **about)


def _why(variable: Variable, fixed: bool) -> str:
    if fixed:
        return "as requested"
    if variable.levels is None:
        return "numbers"
    if variable.numeric:
        return "few distinct integers" if len(variable.levels) <= 10 else "numeric categories"
    return "booleans" if all(isinstance(level, bool) for level in variable.levels) else "text"


def _levels(
    variable: Variable, codes: Column, weights: NDArray[np.float64] | None
) -> dict[str, Any]:
    counts = np.bincount(codes, weights=weights, minlength=len(variable.levels or ()))
    least = float(counts.min()) if len(counts) else None
    about: dict[str, Any] = {"distinct": int(np.count_nonzero(counts)), "smallest": least}
    if variable.numeric and variable.levels:
        numbers = [float(level) for level in variable.levels]
        about |= {"low": min(numbers), "high": max(numbers)}
    return about


def _numbers(values: NDArray[np.float64]) -> dict[str, Any]:
    if not len(values):
        return {"distinct": 0}
    distinct, counts = np.unique(values, return_counts=True)
    return {
        "distinct": len(distinct),
        "low": float(distinct[0]),
        "high": float(distinct[-1]),
        "singletons": float(np.count_nonzero(counts == 1) / len(values)),
        "far": _farthest(values, distinct[0], distinct[-1]),
    }


def _farthest(values: NDArray[np.float64], low: float, high: float) -> float:
    """Return the largest distance from the median in robust standard deviations.

    The median absolute deviation times 1.4826 estimates the sd of normal data; if over half of
    the values are equal it is zero, and the standard deviation is used instead.
    """
    middle = float(np.median(values))
    scale = 1.4826 * float(np.median(np.abs(values - middle))) or float(values.std())
    return max(high - middle, middle - low) / scale if scale > 0 else 0.0


# -- findings ------------------------------------------------------------------------------------


def _size_findings(table: Table) -> list[Note]:
    columns, cases = len(table.variables), table.total
    if columns >= cases:
        text = (
            f"There are {columns} columns and only {cases:g} cases: no model of all columns has "
            "a unique fit, so use a sparse search with the extended BIC."
        )
        return [data_note(text)]
    if columns > np.sqrt(cases):
        text = (
            f"There are {columns} columns, more than the square root of {cases:g} cases: BIC "
            "keeps too many arcs, the extended BIC does not."
        )
        return [data_note(text)]
    return []


def _gap_findings(table: Table, rows: Sequence[ColumnAudit]) -> list[Note]:
    gappy = sorted((row for row in rows if row.gaps), key=lambda row: -row.gaps)
    if not gappy:
        return []
    most = ", ".join(f"{row.name!r}: {row.gaps}" for row in gappy[:3])
    whole = table.rows - int(table.missing().any(axis=1).sum())
    text = f"{whole} of {table.rows} rows are complete; most missing values are in {most}."
    return [data_note(text, tuple(row.name for row in gappy)), *missing_findings(table)]


def _column_findings(rows: Sequence[ColumnAudit]) -> list[Note]:
    """Return one note for each problem that some columns have."""
    varied = [row for row in rows if row.distinct > 1]
    grainy = [row for row in varied if row.singletons is not None and row.singletons < SINGLETONS]
    troubles = (
        ("Constant", [row for row in rows if row.distinct <= 1], "they stay, without arcs"),
        (
            "Mostly ties",
            grainy,
            "under 2% of their values occur once, so Parzen bandwidths may shrink onto the ties",
        ),
        (
            "Heavy tails",
            [row for row in varied if (row.far or 0.0) > FAR],
            "values over 10 robust standard deviations out; logarithms or ranks may help",
        ),
        (
            "Tiny cells",
            [row for row in varied if row.smallest is not None and row.smallest < TINY],
            "levels with fewer than 5 cases",
        ),
    )
    return [
        data_note(f"{title}: {sentence_list(names)} ({meaning}).", tuple(names))
        for title, matching, meaning in troubles
        if (names := [row.name for row in matching])
    ]


# -- columns together -----------------------------------------------------------------------------


NEAR = 0.9999  # correlation beyond which columns are near-copies
EXACT = 1e-8  # 1 - R^2 below which a column is a linear function of others
MOST = 2000  # columns of numbers whose correlations are looked at: time grows as the cube


def pair_findings(table: Table) -> list[Note]:
    """Return notes on copies and linear functions among a table's columns.

    Correlations use complete rows; a note reports it if there are too many columns to check.
    """
    copies = _copies(table)
    notes = [_pairs("Copies (all values equal)", copies)] if copies else []
    repeated = {name for group in copies for name in group[1:]}
    numbers = [
        v.name for v in table.variables if (not v.discrete or v.numeric) and v.name not in repeated
    ]
    if len(numbers) <= MOST:
        return notes + _linear_findings(table, numbers)
    return [
        *notes,
        data_note(f"Correlations were not computed: there are over {MOST} columns of numbers."),
    ]


def _pairs(title: str, groups: Sequence[list[str]]) -> Note:
    texts = [sentence_list(group) for group in groups]
    more = f"; and {len(texts) - 5} more" if len(texts) > 5 else ""
    names = tuple(dict.fromkeys(name for group in groups for name in group))
    return data_note(f"{title}: {'; '.join(texts[:5])}{more}.", names)


def _copies(table: Table) -> list[list[str]]:
    """Return groups of columns with equal contents, compared by their bytes, in the user's order."""
    groups: dict[tuple[object, bytes], list[str]] = defaultdict(list)
    for name in table.order:
        variable, column = table.variable(name), table.column(name)
        if (column != column[0]).any():  # not constant
            groups[(variable.levels, column.tobytes())].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _linear_findings(table: Table, numbers: list[str]) -> list[Note]:
    if len(numbers) < 2:
        return []
    try:
        moments = Moments.of(table.select(numbers))
    except DataError:  # no complete row: nothing to correlate
        return []
    names, correlations = _correlations(moments)
    near = _near_copies(correlations, [table.order.index(name) for name in names])
    pairs = [[names[a], names[b]] for a, b in near]
    notes = [_pairs(f"Near-copies (correlation beyond {NEAR})", pairs)] if pairs else []
    dropped = {b for _, b in near}
    keep = [number for number in range(len(names)) if number not in dropped]
    # As many columns as rows are linear functions of each other in any case.
    if len(keep) < 2 or len(keep) >= min(moments.n, table.rows):
        return notes
    return notes + _functions([names[i] for i in keep], correlations[np.ix_(keep, keep)])


def _correlations(moments: Moments) -> tuple[list[str], Floats]:
    """Return the correlations of the columns that vary."""
    spread = np.sqrt(np.diag(moments.scatter))
    size = np.abs(moments.mean) * np.sqrt(moments.n)
    keep = np.flatnonzero(spread > 1e-13 * size)
    scale = spread[keep]
    matrix = moments.scatter[np.ix_(keep, keep)] / np.outer(scale, scale)
    return [moments.names[i] for i in keep], matrix


def _near_copies(correlations: Floats, positions: list[int]) -> list[tuple[int, int]]:
    """Return pairs of near-copies, the first of each pair first in the user's order."""
    close = np.argwhere(np.triu(np.abs(correlations) > NEAR, 1)).tolist()
    pairs = [(a, b) if positions[a] < positions[b] else (b, a) for a, b in close]
    return sorted(pairs, key=lambda pair: (positions[pair[0]], positions[pair[1]]))


def _functions(names: list[str], correlations: Floats) -> list[Note]:
    """Return a note for each column that is a linear function of others."""
    with suppress(np.linalg.LinAlgError):
        np.linalg.cholesky(correlations - EXACT * np.eye(len(correlations)))
        return []  # all eigenvalues exceed the bound
    from scipy.linalg.lapack import dpstrf

    _, pivots, rank, _ = dpstrf(correlations, tol=EXACT, lower=1)
    basis, dependent = np.sort(pivots[:rank] - 1), np.sort(pivots[rank:] - 1)
    notes = [_function(names, correlations, basis, int(column)) for column in dependent[:5]]
    if len(dependent) > 5:
        more = f"{len(dependent) - 5} more columns are linear functions of others."
        notes.append(data_note(more, tuple(names[i] for i in dependent[5:])))
    return notes


def _function(names: list[str], correlations: Floats, basis: NDArray[np.intp], column: int) -> Note:
    block = correlations[np.ix_(basis, basis)]
    weights = np.linalg.lstsq(block, correlations[basis, column], rcond=None)[0]
    parts = [names[i] for i, weight in zip(basis, weights, strict=True) if abs(weight) > 1e-4]
    text = f"{names[column]!r} is a linear function of {sentence_list(parts)} (1 - R^2 < 1e-8)."
    return data_note(text, (names[column], *parts))
