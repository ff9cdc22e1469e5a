"""Data: tables, their kinds, what is in them, and the way in from files and frames."""

from arcwise.data.frames import table
from arcwise.data.moments import Moments
from arcwise.data.source import read
from arcwise.data.table import Table
from arcwise.data.variable import Kind, Variable

__all__ = ["Kind", "Moments", "Table", "Variable", "read", "table"]
