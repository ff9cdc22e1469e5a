"""Data: tables and the kinds of their variables, audits, and readers of files and data frames."""

from arcwise.data.audit import Audit, ColumnAudit, audit
from arcwise.data.coding import Coding
from arcwise.data.discretise import METHODS, discretise
from arcwise.data.examples import Example, example, examples, network_file
from arcwise.data.folds import Parts, folds, held_out_part, split, with_copies
from arcwise.data.frames import table
from arcwise.data.memory import check_square
from arcwise.data.moment_stream import moments
from arcwise.data.moments import Accumulator, Moments
from arcwise.data.prepare import ColumnScales, conform, pseudo_rows, returns, standardise
from arcwise.data.source import any_table, fingerprint, read
from arcwise.data.statistics import (
    Available,
    Complete,
    CompletedRows,
    GatheredMoments,
    Incomplete,
    Source,
    Statistics,
    WeightedRows,
    statistics_of,
)
from arcwise.data.stream import counts, gather_file
from arcwise.data.table import Table
from arcwise.data.variable import KINDS, Kind, Level, Variable, kind_of

__all__ = [
    "KINDS",
    "METHODS",
    "Accumulator",
    "Audit",
    "Available",
    "Coding",
    "ColumnAudit",
    "ColumnScales",
    "Complete",
    "CompletedRows",
    "Example",
    "GatheredMoments",
    "Incomplete",
    "Kind",
    "Level",
    "Moments",
    "Parts",
    "Source",
    "Statistics",
    "Table",
    "Variable",
    "WeightedRows",
    "any_table",
    "audit",
    "check_square",
    "conform",
    "counts",
    "discretise",
    "example",
    "examples",
    "fingerprint",
    "folds",
    "gather_file",
    "held_out_part",
    "kind_of",
    "moments",
    "network_file",
    "pseudo_rows",
    "read",
    "returns",
    "split",
    "standardise",
    "statistics_of",
    "table",
    "with_copies",
]
