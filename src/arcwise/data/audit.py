"""An audit: what a table holds and what may trouble a model, in sentences.

It looks at each column (kind and why, gaps, distinct values, tails, tiny cells) and at columns
together (copies, near-copies, linear functions of others, rows against columns). It changes
nothing: constants, copies and heavy tails stay in the table, and models state their own rules for
them. Linear dependence is found by a Cholesky factorisation with pivots of the correlation matrix:
when the largest remaining pivot, a variance given the columns chosen so far, is below 1e-8, the
remaining columns are linear functions of the chosen ones (1 - R^2 < 1e-8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.copies import pair_findings
from arcwise.data.moments import Moments
from arcwise.data.source import any_table
from arcwise.data.table import Table
from arcwise.data.variable import Column, Variable, gaps_of, sentence_list
from arcwise.errors import DataError

# A value further from the median than this many robust standard deviations is far out.
FAR = 10.0
# Below this share of values that occur once, a column is too grainy for bandwidths by leaving one out.
SINGLETONS = 0.02
# A level with fewer cases than this says little about its conditional distribution.
TINY = 5
# So many columns are printed; all of them are in `rows`.
SHOWN = 60


@dataclass(frozen=True)
class ColumnAudit:
    """One column of a table.

    Parameters
    ----------
    name, kind, why : the variable, its kind, and the rule that gave it.
    gaps : rows without a value.
    distinct : different values.
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
class Audit:
    """What was found: one row per column, and findings in sentences.

    Parameters
    ----------
    size : rows and columns.
    cases : sum of the weights, or the number of rows.
    rows : one per column, in the user's order.
    findings : sentences; none if nothing is worth saying.
    notes : the table's own notes.
    """

    size: tuple[int, int]
    cases: float
    rows: tuple[ColumnAudit, ...]
    findings: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries and lists."""
        return {
            "rows": self.size[0],
            "columns": [asdict(row) for row in self.rows],
            "cases": self.cases,
            "findings": list(self.findings),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        weighted = "" if self.cases == self.size[0] else f" ({self.cases:g} cases by weight)"
        lines = [f"{self.size[0]} rows{weighted}, {self.size[1]} columns", ""]
        lines += _aligned([_cells(row) for row in self.rows[:SHOWN]])
        if len(self.rows) > SHOWN:
            lines.append(f"... and {len(self.rows) - SHOWN} more columns")
        for title, sentences in (("Notes", self.notes), ("Findings", self.findings)):
            lines += ["", title, *(f"- {each}" for each in sentences)] if sentences else []
        return "\n".join(lines)


def audit(data: Any) -> Audit:
    """Look at a table for what may trouble a model.

    Parameters
    ----------
    data : a table, or what `table` makes one of: a data frame, an array, a dictionary; or a file's path.

    Returns
    -------
    The audit; print it, or read its rows and findings.

    >>> from arcwise.data.frames import table
    >>> x = [0.1, 0.4, 0.2, 0.9, 0.5]
    >>> report = audit(table({"x": x, "twice": [2 * each for each in x]}))
    >>> report.findings[0]
    "Near-copies (correlation beyond 0.9999): 'x' and 'twice'."
    """
    table = any_table(data)
    if isinstance(table, Moments):
        raise DataError("An audit looks at the rows of a table, got moments.")
    rows = tuple(_look(table, name) for name in table.order)
    findings = [
        *_size_findings(table),
        *_gap_findings(table, rows),
        *_column_findings(rows),
    ]
    pairs = pair_findings(table)
    return Audit(
        (table.rows, len(table.variables)),
        table.total,
        rows,
        (*pairs, *findings),
        table.notes,
    )


# -- one column ----------------------------------------------------------------------------------


def _look(table: Table, name: str) -> ColumnAudit:
    variable, column = table.variable(name), table.column(name)
    gaps = gaps_of(variable, column)
    there = column[~gaps]
    weights = None if table.weights is None else table.weights[~gaps]
    why = _why(variable, name in table.fixed)
    about = _levels(variable, there, weights) if variable.discrete else _numbers(there)
    return ColumnAudit(name, variable.kind, why, int(gaps.sum()), **about)


def _why(variable: Variable, fixed: bool) -> str:
    if fixed:
        return "as asked"
    if variable.levels is None:
        return "numbers"
    if variable.numeric:
        return "few whole numbers" if len(variable.levels) <= 10 else "numeric categories"
    truth = all(isinstance(level, bool) for level in variable.levels)
    return "truth values" if truth else "text"


def _levels(
    variable: Variable, codes: Column, weights: NDArray[np.float64] | None
) -> dict[str, Any]:
    counts = np.bincount(codes, weights=weights, minlength=len(variable.levels or ()))
    about: dict[str, Any] = {"distinct": int(np.count_nonzero(counts))}
    about["smallest"] = float(counts.min()) if len(counts) else None
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
    """Give the largest distance from the median in robust standard deviations.

    The median absolute deviation times 1.4826 estimates the sd of normal data; where over half of
    the values are equal it is zero, and the usual sd takes its place.
    """
    middle = float(np.median(values))
    scale = 1.4826 * float(np.median(np.abs(values - middle))) or float(values.std())
    return max(high - middle, middle - low) / scale if scale > 0 else 0.0


# -- findings ------------------------------------------------------------------------------------


def _size_findings(table: Table) -> list[str]:
    columns, cases = len(table.variables), table.total
    if columns >= cases:
        return [
            f"There are {columns} columns and only {cases:g} cases: no model of all columns at once"
            " has a unique fit, so use a sparse search with an extended BIC."
        ]
    if columns > np.sqrt(cases):
        return [
            f"There are {columns} columns, more than the square root of {cases:g} cases: plain BIC"
            " keeps too many arcs there, extended BIC does not."
        ]
    return []


def _gap_findings(table: Table, rows: Sequence[ColumnAudit]) -> list[str]:
    gappy = sorted((row for row in rows if row.gaps), key=lambda row: -row.gaps)
    if not gappy:
        return []
    holes = np.zeros(table.rows, dtype=bool)
    for variable, column in zip(table.variables, table.columns, strict=True):
        holes |= gaps_of(variable, column)
    most = ", ".join(f"{row.name!r}: {row.gaps}" for row in gappy[:3])
    whole = table.rows - int(holes.sum())
    return [f"{whole} of {table.rows} rows are complete; most gaps are in {most}."]


def _column_findings(rows: Sequence[ColumnAudit]) -> list[str]:
    """Write one sentence for each trouble that some columns have."""
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
            [row for row in varied if row.far is not None and row.far > FAR],
            "values over 10 robust standard deviations out; logarithms or ranks may help",
        ),
        (
            "Tiny cells",
            [row for row in varied if row.smallest is not None and row.smallest < TINY],
            "levels with fewer than 5 cases",
        ),
    )
    return [
        f"{title}: {sentence_list([row.name for row in found])} ({meaning})."
        for title, found, meaning in troubles
        if found
    ]


# -- text ----------------------------------------------------------------------------------------


def _cells(row: ColumnAudit) -> list[str]:
    span = "" if row.low is None or row.high is None else f"{row.low:.4g} to {row.high:.4g}"
    return [row.name, row.kind, row.why, str(row.gaps or ""), str(row.distinct), span]


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    table = [["column", "kind", "why", "gaps", "values", "range"], *lines]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    padded = (zip(line, widths, strict=True) for line in table)
    return ["  ".join(cell.ljust(width) for cell, width in line).rstrip() for line in padded]
