r"""Patterns of missing values, and tests whether values are missing completely at random.

Little's test (Little 1988) compares the means of each pattern of observed columns with those of all rows,
with the mean and covariance of EM: the sum over patterns of

.. math:: n_k (\bar x_k - \mu_o)^T \Sigma_{oo}^{-1} (\bar x_k - \mu_o)

has about a chi-squared distribution. Its degrees of freedom are the observed columns, summed over patterns,
less all columns. Pairs of columns are tested as well: whether the observed values of one differ if
the other is missing, by Welch's test for numbers and the chi-squared test for levels. Each p-value is
multiplied by the number of tests (Bonferroni).

EM is valid if missingness depends on observed values only. No test of observed values can show whether it
depends on the missing values themselves.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data.normal_em import fit_normal
from arcwise.data.table import Table
from arcwise.data.variable import numbers_of
from arcwise.errors import plural
from arcwise.notes import Note, data_note

__all__ = ["Dependence", "Little", "dependences", "little_test", "missing_findings"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEVEL = 0.05
"""The p-value, times the number of tests, below which a finding is reported."""

MIN_GAPS = 5
"""Least number of rows with a missing value, and without, for a test."""

_TOGETHER = 0.9  # correlation of the gaps of two columns that are reported as missing together
_MAX_TESTS = 20_000
_MAX_COLUMNS = 100  # of Little's test, whose matrices grow with the cube
_NAMED = 3
_SMALLEST = 1e-6  # p-value that is shown by its digits


class Little(NamedTuple):
    """Little's test: the statistic, its degrees of freedom, and the p-value."""

    statistic: float
    degrees: int
    p_value: float


class Dependence(NamedTuple):
    """A column whose missingness depends on the observed values of another; the p-value is of this test
    alone.
    """

    missing: str
    observed: str
    p_value: float


def little_test(table: Table) -> Little | None:
    """Test whether numeric values are missing completely at random; None if nothing can be tested.

    >>> from arcwise.data.frames import table
    >>> x = np.arange(40.0) + 0.5
    >>> y = np.where(x > 25, np.nan, np.sin(x))
    >>> little_test(table({"x": x, "y": y})).p_value < 1e-4
    True
    """
    x = _varying_numbers(table)
    gaps = np.isnan(x)
    if not 2 <= x.shape[1] <= _MAX_COLUMNS or not gaps.any() or (~gaps).sum(axis=0).min() < 2:
        return None
    fit = fit_normal(x, np.ones(len(x)))
    _, first, pattern = np.unique(gaps, axis=0, return_index=True, return_inverse=True)
    statistic, degrees = 0.0, -x.shape[1]
    for number, row in enumerate(first):
        seen, members = np.flatnonzero(~gaps[row]), pattern.ravel() == number
        if not seen.size:
            continue
        off = x[np.ix_(members, seen)].mean(axis=0) - fit.mean[seen]
        inverse = np.linalg.pinv(fit.covariance[np.ix_(seen, seen)], hermitian=True)
        statistic += members.sum() * float(off @ inverse @ off)
        degrees += len(seen)
    if degrees <= 0:
        return None
    return Little(statistic, degrees, _chi_squared(statistic, degrees))


def _varying_numbers(table: Table) -> Floats:
    """Return the numeric columns that vary, in units of their spread."""
    columns = []
    for variable, column in zip(table.variables, table.columns, strict=True):
        if variable.discrete and not variable.numeric:
            continue
        numbers = numbers_of(variable, column)
        seen = numbers[~np.isnan(numbers)]
        if seen.size and np.ptp(seen) > 0:
            columns.append((numbers - seen.mean()) / np.ptp(seen))
    return np.column_stack(columns) if columns else np.zeros((table.rows, 0))


def _chi_squared(statistic: float, degrees: int) -> float:
    """Return the probability of a larger value of a chi-squared variable."""
    from scipy.special import gammaincc

    return float(gammaincc(degrees / 2, statistic / 2))


def dependences(table: Table) -> tuple[list[Dependence], int]:
    """Return pairs of a column with missing values and one whose values differ with it, and the number
    of tests.

    Pairs are those whose p-value, times the number of tests, is below `LEVEL`; the smallest first.
    """
    gaps = table.missing()
    holes = [
        j for j in range(gaps.shape[1]) if MIN_GAPS <= gaps[:, j].sum() <= table.rows - MIN_GAPS
    ]
    pairs = [(j, i) for j, i in product(holes, range(gaps.shape[1])) if i != j][:_MAX_TESTS]
    results = [(_pair_test(table, gaps, j, i), j, i) for j, i in pairs]
    tested = [(p, j, i) for p, j, i in results if p is not None]
    clear = sorted(result for result in tested if result[0] * len(tested) < LEVEL)
    return [Dependence(table.names[j], table.names[i], p) for p, j, i in clear], len(tested)


def _pair_test(table: Table, gaps: Mask, missing: int, observed: int) -> float | None:
    """Return the p-value of one pair; None if there are too few observed values."""
    seen = ~gaps[:, observed]
    inside, outside = seen & gaps[:, missing], seen & ~gaps[:, missing]
    if min(inside.sum(), outside.sum()) < MIN_GAPS:
        return None
    variable, column = table.variables[observed], table.columns[observed]
    if variable.discrete:
        return _levels_test(column[inside], column[outside], len(variable.levels or ()))
    return _numbers_test(column[inside], column[outside])


def _levels_test(one: NDArray[np.integer], two: NDArray[np.integer], many: int) -> float | None:
    """Return the p-value of the chi-squared test of equal shares of levels; rare levels are merged."""
    counts = np.array([np.bincount(codes, minlength=many) for codes in (one, two)], dtype=float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    rare = expected.min(axis=0) < 1
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    if counts.shape[1] < 2 or expected.min() < 1:
        return None
    return _chi_squared(float(((counts - expected) ** 2 / expected).sum()), counts.shape[1] - 1)


def _numbers_test(one: Floats, two: Floats) -> float | None:
    """Return the p-value of Welch's test of equal means."""
    from scipy.special import stdtr

    parts = [sample.var(ddof=1) / len(sample) for sample in (one, two)]
    spread = sum(parts)
    if not spread > 0:
        return None
    steps = (len(one) - 1, len(two) - 1)
    degrees = spread**2 / sum(part**2 / step for part, step in zip(parts, steps, strict=True))
    return float(2 * stdtr(degrees, -abs(one.mean() - two.mean()) / spread**0.5))


def missing_findings(table: Table) -> list[Note]:
    """Return notes on columns that are missing together, and on the tests of missingness."""
    gaps = table.missing()
    if not gaps.any():
        return []
    little, (pairs, tests) = little_test(table), dependences(table)
    return [*_together(table.names, gaps), *_verdict(little, pairs, tests)]


def _together(names: tuple[str, ...], gaps: Mask) -> list[Note]:
    """Return notes on pairs of columns whose missing values coincide."""
    holes = np.flatnonzero((gaps.sum(axis=0) >= MIN_GAPS) & ~gaps.all(axis=0))
    if len(holes) < 2:
        return []
    match = np.triu(np.corrcoef(gaps[:, holes].T.astype(float)), 1)
    indices = [(int(i), int(j)) for i, j in np.argwhere(match > _TOGETHER)]
    indices.sort(key=lambda pair: -match[pair])
    coincident = [(names[holes[i]], names[holes[j]]) for i, j in indices]
    if not coincident:
        return []
    more = (
        f" and {plural(len(coincident) - _NAMED, 'more pair')}" if len(coincident) > _NAMED else ""
    )
    text = ", ".join(f"{a!r} and {b!r}" for a, b in coincident[:_NAMED])
    return [
        data_note(f"Missing together: {text}{more}.", tuple(dict.fromkeys(sum(coincident, ()))))
    ]


def _format_p(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= _SMALLEST else f"p < {_SMALLEST:g}"


def _verdict(little: Little | None, pairs: list[Dependence], tests: int) -> list[Note]:
    """Return notes on the results of the tests and their limits."""
    texts, refuted = [], bool(pairs) or (little is not None and little.p_value < LEVEL)
    if little is not None:
        texts.append(f"Little's test of the numbers has {_format_p(little.p_value)}.")
    if tests:
        named = ", ".join(
            f"{d.missing!r} with {d.observed!r} ({_format_p(d.p_value)})" for d in pairs[:_NAMED]
        )
        more = f" and {plural(len(pairs) - _NAMED, 'more pair')}" if len(pairs) > _NAMED else ""
        clear = (
            f"missing values depend on observed ones: {named}{more}"
            if pairs
            else "no pair is clear"
        )
        texts.append(f"{plural(tests, 'test')} of dependence on observed values: {clear}.")
    if not texts:
        return []
    end = (
        "Values are not missing completely at random: dropping rows biases results. "
        if refuted
        else "The tests are consistent with values missing completely at random. "
    )
    rest = "Dependence on the missing values themselves cannot be tested."
    about = tuple(dict.fromkeys(d.missing for d in pairs))
    return [data_note(" ".join([*texts, end + rest]), about)]
