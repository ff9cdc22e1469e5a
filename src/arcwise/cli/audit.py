"""``arcwise audit``: what a table holds, and what may trouble a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.cli import choices, rows, shown, words
from arcwise.cli.shell import shell_words

if TYPE_CHECKING:
    from arcwise.data import Audit, ColumnAudit

__all__ = ["audit"]


def audit(
    data: choices.DataFile,
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    json: choices.Json = False,
) -> None:
    """Look at a table before learning from it: kinds, gaps, copies, ties, tails.

    Example: arcwise audit wine.csv
    """
    found = words.table(locals()).audit()
    if json:
        shown.show_json(found.to_dict())
    else:
        _show(found, rows.file_name(data))


def _show(found: Audit, name: str) -> None:
    rows_there, columns = found.size
    weighted = "" if found.cases == rows_there else f" ({found.cases:g} cases by weight)"
    size = f"{shown.plural(rows_there, 'row')}{weighted}, {shown.plural(columns, 'column')}"
    shown.show(shown.styled(f"{name}: {size}", "bold"), "")
    headings = ["column", "kind", "why", ">gaps", ">values", "range"]
    shown.show(shown.grid(headings, [_cells(row) for row in found.rows]))
    for title, sentences in (("Notes", found.notes), ("Findings", found.findings)):
        if sentences:
            shown.show("", shown.styled(title, "bold"))
            shown.show(*(f"- {shell_words(each)}" for each in sentences))


def _cells(row: ColumnAudit) -> list[str]:
    span = "" if row.low is None or row.high is None else f"{row.low:.4g} to {row.high:.4g}"
    return [row.name, row.kind, row.why, str(row.gaps or ""), str(row.distinct), span]
