"""Distributions of one variable, one for each of many rows: what local models give and answers show.

`Normal`, `Student` and `Mixture` (of normals), `Grid` (a density known at points), `Categorical` (a
probability for each level); `RowParts` puts parts of a table's rows together, and `Average` takes in
distributions one at a time.
"""

from arcwise.distributions.categorical import Categorical, no_numbers
from arcwise.distributions.composites import Average, RowParts, centre, refuse_beyond
from arcwise.distributions.distribution import (
    Distribution,
    Readings,
    blocks,
    densest,
    entropy,
    format_by_spread,
    interval,
    log_sum,
)
from arcwise.distributions.grid import POINTS, Grid, tabulate
from arcwise.distributions.mixture import Mixture, Normal, standard_quantiles
from arcwise.distributions.student import Student

__all__ = [
    "POINTS",
    "Average",
    "Categorical",
    "Distribution",
    "Grid",
    "Mixture",
    "Normal",
    "Readings",
    "RowParts",
    "Student",
    "blocks",
    "centre",
    "densest",
    "entropy",
    "format_by_spread",
    "interval",
    "log_sum",
    "no_numbers",
    "refuse_beyond",
    "standard_quantiles",
    "tabulate",
]
