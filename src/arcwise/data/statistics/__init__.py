"""Sufficient statistics of local models, one file per kind of source."""

from arcwise.data.moments import Moments
from arcwise.data.statistics.available import Available
from arcwise.data.statistics.complete import Complete
from arcwise.data.statistics.completed import CompletedRows
from arcwise.data.statistics.gathered import GatheredMoments
from arcwise.data.statistics.incomplete import Incomplete
from arcwise.data.statistics.inverse_weights import WeightedRows
from arcwise.data.statistics.protocol import Statistics
from arcwise.data.table import Table

__all__ = [
    "Available",
    "Complete",
    "CompletedRows",
    "GatheredMoments",
    "Incomplete",
    "Source",
    "Statistics",
    "WeightedRows",
    "statistics_of",
]

Source = Table | Moments | Statistics
"""Sources of learning."""


def statistics_of(source: Source) -> Statistics:
    """Return the statistics of a table or of moments; statistics are returned as they are.

    >>> from arcwise.data.frames import table
    >>> statistics_of(table({"x": [0.5, 1.5]})).total
    2.0
    """
    if isinstance(source, Table):
        return Complete(source)
    return GatheredMoments(source) if isinstance(source, Moments) else source
