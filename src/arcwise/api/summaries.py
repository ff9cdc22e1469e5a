"""What a document says of the data: summaries of columns and of pairs, none of which is a row.

A bin of a pair has at least `MIN_BIN` rows, so that no number in it is that of a single row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table, Variable
from arcwise.data.variable import gaps_of, numbers_of
from arcwise.errors import DataError

__all__ = ["BinnedPair", "Histogram", "Summary", "listed_rows", "pair", "rounded_range", "summary"]

Array = NDArray[np.float64]

MIN_BIN = 5
"""Fewest rows of a bin; levels with fewer have none."""

MAX_BINS, ROWS_PER_BIN = 12, 20

MAX_ROWS = 20_000
"""Rows that bins are made of; of more rows, every second, third or later one counts."""

MAX_LISTED = 2000
"""Rows that a report contains if they are asked for."""

MAX_SHARES = 12
"""Levels of a child whose shares are told."""

_BINS = 24


class Histogram(TypedDict):
    """Counts of rows between bounds, one more than counts."""

    bounds: list[float]
    counts: list[float]


class Summary(TypedDict):
    """Rows of a variable without missing values, and what they are: numbers, or counts of levels."""

    rows: float
    missing: float
    mean: float | None
    sd: float | None
    quantiles: list[float]
    counts: list[float]
    histogram: Histogram | None


class BinnedPair(TypedDict):
    """A child in bins of a parent: means and sds of numbers, or shares of levels, in each bin."""

    at: list[float]
    rows: list[int]
    means: list[float]
    sds: list[float]
    shares: list[list[float]]


def summary(data: Any, variable: Variable) -> Summary | None:
    """Summaries of a column; None where the data are not available, or coded in another way."""
    column = _column(data, variable)
    if column is None:
        return None
    there = ~np.isnan(column)
    weights = np.ones(len(column)) if data.weights is None else data.weights
    whole = {"rows": _count(weights[there]), "missing": _count(weights[~there])}
    if variable.discrete:
        return _count_levels(variable, column[there], weights[there], whole)
    return _measure(column[there], weights[there], whole)


def listed_rows(data: Any, variables: Sequence[Variable]) -> list[list[float | None]]:
    """Rows of the data, variable by variable: numbers, or positions of levels; of many, evenly spaced rows.

    Only reports that were written with rows=True contain them.

    Raises
    ------
    DataError : the data are not available.
    """
    if not isinstance(data, Table):
        raise DataError(
            "rows=True needs rows, and this network has none: learn it from rows in this session."
        )
    counted = np.arange(data.rows) if data.weights is None else np.flatnonzero(data.weights > 0)
    at = np.unique(np.linspace(0, len(counted) - 1, min(len(counted), MAX_LISTED)).astype(np.intp))
    columns = [_column(data, variable) for variable in variables]
    return [[] if each is None else _numbers(each[counted[at]]) for each in columns]


def _numbers(column: Array) -> list[float | None]:
    return [None if np.isnan(x) else float(f"{x:.6g}") for x in column]


def pair(data: Any, child: Variable, parent: Variable) -> BinnedPair | None:
    """A child in bins of a parent; None where the data are not available. Rows count by their weights.

    >>> from arcwise.data import table
    >>> x = np.repeat([0.5, 1.5, 2.5], 20)
    >>> homes = table({"x": x, "y": 2.0 * x})
    >>> found = pair(homes, homes.variable("y"), homes.variable("x"))
    >>> found["at"], found["means"], found["rows"]
    ([0.5, 1.5, 2.5], [1.0, 3.0, 5.0], [20, 20, 20])
    """
    y, x = _column(data, child), _column(data, parent)
    if y is None or x is None:
        return None
    step = -(-len(x) // MAX_ROWS)
    weights = np.ones(len(x)) if data.weights is None else data.weights
    there = ~(np.isnan(x) | np.isnan(y)) & (weights > 0)
    x, y, weights = x[there][::step], y[there][::step], weights[there][::step]
    rows = [each for each in _bins(x, parent.discrete) if _effective(weights[each]) >= MIN_BIN]
    means = [float(np.average(y[each], weights=weights[each])) for each in rows]
    made: BinnedPair = {
        "at": _round([float(np.average(x[each], weights=weights[each])) for each in rows]),
        "rows": [step * len(each) for each in rows],
        "means": [],
        "sds": [],
        "shares": [],
    }
    if not child.discrete:
        squares = [
            np.average((y[each] - mean) ** 2, weights=weights[each])
            for each, mean in zip(rows, means, strict=True)
        ]
        made["means"], made["sds"] = _round(means), _round(np.sqrt(squares).tolist())
    elif len(child.levels or ()) <= MAX_SHARES:
        count = len(child.levels or ())
        made["shares"] = [_shares(y[each], weights[each], count) for each in rows]
    return made


def _bins(x: Array, discrete: bool) -> list[NDArray[np.intp]]:
    """Rows of each level, or of intervals with about as many rows each; equal values stay together."""
    if not len(x):
        return []
    order = np.argsort(x, kind="stable")
    values = x[order]
    cuts = np.flatnonzero(np.diff(values)) + 1
    if not discrete and len(cuts) >= MAX_BINS:
        count = int(np.clip(len(x) // ROWS_PER_BIN, 2, MAX_BINS))
        bounds = np.quantile(values, np.arange(1, count) / count)
        cuts = np.unique(np.searchsorted(values, bounds, side="right"))
    return [part for part in np.split(order, cuts) if len(part)]


def _effective(weights: Array) -> float:
    """Rows of equal weight that are worth as much: so no row of large weight is a bin by itself."""
    return float(weights.sum() ** 2 / (weights @ weights)) + 1e-9 if len(weights) else 0.0


def _shares(codes: Array, weights: Array, count: int) -> list[float]:
    counts = np.bincount(codes.astype(np.intp), weights, minlength=count)
    return [round(share, 4) for share in (counts / counts.sum()).tolist()]


def _round(numbers: list[float]) -> list[float]:
    """Numbers with five digits of what they differ by, however far from zero they are."""
    if not numbers:
        return []
    spread = max(numbers) - min(numbers) or abs(numbers[0]) or 1.0
    digits = 4 - math.floor(math.log10(spread))
    return [round(float(number), digits) for number in numbers]


def _column(data: Any, variable: Variable) -> Array | None:
    """A column as numbers, levels by their codes, missing values as NaN; None if it is coded otherwise."""
    if not isinstance(data, Table) or variable.name not in data.names:
        return None
    source, column = data.variable(variable.name), data.column(variable.name)
    if not variable.discrete:
        return None if source.discrete and not source.numeric else numbers_of(source, column)
    if source.levels != variable.levels:
        return None
    return np.where(gaps_of(source, column), np.nan, column.astype(float))


def _count(weights: Array) -> float:
    """Rows, which weights may make a fraction."""
    total = float(weights.sum())
    return float(f"{total:.10g}")


def _count_levels(
    variable: Variable, codes: Array, weights: Array, whole: Mapping[str, float]
) -> Summary:
    counts = np.bincount(codes.astype(np.intp), weights, minlength=len(variable.levels or ()))
    return {
        "rows": whole["rows"], "missing": whole["missing"], "mean": None, "sd": None,
        "quantiles": [], "counts": [float(f"{count:.10g}") for count in counts], "histogram": None,
    }  # fmt: skip


def _measure(values: Array, weights: Array, whole: Mapping[str, float]) -> Summary | None:
    if not len(values):
        return None
    low, high = rounded_range(*_quantiles(values, weights, (0.005, 0.995)))
    counts, bounds = np.histogram(np.clip(values, low, high), _BINS, (low, high), weights=weights)
    mean = float(np.average(values, weights=weights))
    sd = math.sqrt(np.average((values - mean) ** 2, weights=weights))
    return {
        "rows": whole["rows"],
        "missing": whole["missing"],
        "mean": float(f"{mean:.12g}"),
        "sd": float(f"{sd:.6g}"),
        "quantiles": _quantiles(values, weights, (0.05, 0.25, 0.5, 0.75, 0.95)),
        "counts": [],
        "histogram": {
            "bounds": _round(bounds.tolist()),
            "counts": [float(f"{count:.10g}") for count in counts],
        },
    }


def _quantiles(values: Array, weights: Array, parts: Sequence[float]) -> list[float]:
    if (weights == weights[0]).all():
        return _round(np.quantile(values, parts).tolist())
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    at = np.minimum(np.searchsorted(below, parts), len(values) - 1)
    return _round(values[order][at].tolist())


def rounded_range(low: float, high: float) -> tuple[float, float]:
    """A range of round numbers around another one.

    >>> rounded_range(3.7, 47.2), rounded_range(2.0, 2.0)
    ((0.0, 50.0), (1.0, 3.0))
    """
    if not high > low:
        return low - 1.0, high + 1.0
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    return float(f"{bottom:.10g}"), float(f"{top:.10g}")
