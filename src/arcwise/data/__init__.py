"""Data: tables, their kinds, what is in them, and the way in from files and frames."""

from arcwise.data.audit import Audit, ColumnAudit, audit
from arcwise.data.conform import conform
from arcwise.data.frames import table
from arcwise.data.memory import check_square
from arcwise.data.moments import Accumulator, Moments
from arcwise.data.prepare import Scaling, changes, folds, split, standardise, with_rows
from arcwise.data.shipped import Shipped, catalogue, network_file, shipped
from arcwise.data.source import any_table, fingerprint, read
from arcwise.data.stream import moments
from arcwise.data.table import Table
from arcwise.data.variable import KINDS, Kind, Level, Variable

__all__ = [
    "KINDS",
    "Accumulator",
    "Audit",
    "ColumnAudit",
    "Kind",
    "Level",
    "Moments",
    "Scaling",
    "Shipped",
    "Table",
    "Variable",
    "any_table",
    "audit",
    "catalogue",
    "changes",
    "check_square",
    "conform",
    "fingerprint",
    "folds",
    "moments",
    "network_file",
    "read",
    "shipped",
    "split",
    "standardise",
    "table",
    "with_rows",
]
