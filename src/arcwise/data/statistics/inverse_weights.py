r"""Complete rows that represent all rows, by weights: the inverse probability of being complete.

If only the columns without missing values, z, decide which rows are complete, rows with weights

.. math:: w_i \propto 1 / P(\text{complete} \mid z_i)

have the distribution of all rows (Horvitz and Thompson 1952; Seaman and White 2013). The probability is a
logistic regression on numbers, their squares, and levels, of the columns that BIC chooses one at a time.
Weighted rows count as :math:`(\sum w)^2 / \sum w^2` rows (Kish 1965). Other observed values of incomplete
rows are not used, so EM and draws are more precise where their models hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data.statistics.completed import Representatives
from arcwise.data.table import Table
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, plural
from arcwise.notes import Fix, Note, data_note, mention

__all__ = ["WeightedRows"]

Floats = NDArray[np.float64]

MIN_PROBABILITY = 0.02
"""The smallest probability of being complete that counts: no row represents more than 50."""

_RIDGE = 0.04  # precision of slopes a priori, of columns in standard units
_MAX_COLUMNS = 10
_STEPS = 30


class WeightedRows(Representatives):
    """The complete rows of a table, weighted by the inverse probability of being complete.

    Parameters
    ----------
    observed : rows with missing values.

    >>> from arcwise.data.frames import table
    >>> z, y = [0.5, 1.5, 2.5, 3.5] * 20, [1.0, 2.0, 3.0, None] + [1.0, 2.0, 3.0, 4.5] * 19
    >>> rows = WeightedRows(table({"z": z, "y": y}))
    >>> rows.total, rows.table.rows
    (79.0, 79)
    """

    def __init__(self, observed: Table) -> None:
        gaps = observed.missing()
        full: NDArray[np.bool_] = np.asarray(~gaps.any(axis=1))
        if not full.any():
            raise DataError(
                f"None of {observed.rows} rows is complete, so none can be weighted: {{missing=}} uses "
                "all observed values.",
                fixes=[Fix("missing", "auto")],
            )
        usable = np.flatnonzero(~gaps.any(axis=0))
        if not usable.size:
            raise DataError(
                "{missing=} needs a column without missing values, to predict which rows are "
                "complete, got none: {missing=} uses all observed values.",
                fixes=[mention("missing", "weights"), Fix("missing", "auto")],
            )
        own = np.ones(observed.rows) if observed.weights is None else observed.weights
        names, chances = _completeness(observed, usable, full, own)
        factors = 1 / np.maximum(chances[full], MIN_PROBABILITY)
        worth = float(np.round((own[full] @ factors) ** 2 / (own[full] @ factors**2)))
        weights = own[full] * factors * (worth / (own[full] @ factors))
        complete = observed.take(full).with_weights(weights, "together")
        note = _note(observed.rows, int(full.sum()), names, factors, worth)
        super().__init__(complete.with_notes(note))
        self.observed, self.total, self.effective_rows = observed, worth, worth


def _note(rows: int, complete: int, names: list[str], factors: Floats, worth: float) -> Note:
    start = f"{rows - complete} of {plural(rows, 'row')} have missing values and are dropped."
    if names:
        ratio = factors.max() / factors.mean()
        text = (
            f"{start} The others are weighted by the inverse probability of being complete given "
            f"{sentence_list(names)}, by up to {ratio:.2g} times the mean, and count as {worth:.0f} "
            "rows; {missing=} uses all observed values."
        )
    else:
        text = (
            f"{start} No column without missing values predicts which rows are complete, so the "
            "others have equal weights; {missing=} uses all observed values."
        )
    return data_note(text, tuple(names), (Fix("missing", "auto"),))


class _Logistic(NamedTuple):
    """A logistic regression: its log-likelihood, and the probability of each row."""

    loglik: float
    probability: Floats


def _completeness(
    table: Table, usable: NDArray[np.intp], full: NDArray[np.bool_], weights: Floats
) -> tuple[list[str], Floats]:
    """Return the columns that predict which rows are complete, and the probability of each row."""
    groups = {int(i): block for i in usable if (block := _features(table, int(i))).size}
    inputs, answer = np.ones((table.rows, 1)), full.astype(np.float64)
    best, charge = _logistic(inputs, answer, weights), 0.5 * np.log(weights.sum())
    names: list[str] = []
    while groups and len(names) < _MAX_COLUMNS:
        fits = {i: _logistic(np.hstack([inputs, x]), answer, weights) for i, x in groups.items()}
        gains = {i: fits[i].loglik - best.loglik - charge * x.shape[1] for i, x in groups.items()}
        chosen = max(gains, key=lambda i: gains[i])
        if not gains[chosen] > 0:
            break
        best, inputs = fits[chosen], np.hstack([inputs, groups.pop(chosen)])
        names.append(table.names[chosen])
    return names, best.probability


def _features(table: Table, column: int) -> Floats:
    """Return a number and its square, or indicators of levels, in standard units; only those that vary."""
    variable, values = table.variables[column], table.columns[column]
    if variable.discrete:
        block = (values[:, None] == np.arange(1, len(variable.levels or ()))).astype(np.float64)
    else:
        centred = values - values.mean()
        block = np.column_stack([centred, centred**2])
    block = block - block.mean(axis=0)
    scale = block.std(axis=0)
    there = (
        scale > 1e-13 * np.maximum(np.abs(values).max(), 1.0)
        if not variable.discrete
        else scale > 0
    )
    result: Floats = block[:, there] / scale[there]
    return result


def _logistic(inputs: Floats, answer: Floats, weights: Floats) -> _Logistic:
    """Fit by Newton steps, halved until they gain; a weak prior keeps slopes finite."""
    ridge = np.full(inputs.shape[1], _RIDGE)
    ridge[0] = 0.0
    slopes = np.zeros(inputs.shape[1])
    share = np.clip(weights @ answer / weights.sum(), 1e-6, 1 - 1e-6)
    slopes[0] = np.log(share / (1 - share))

    def value(slopes: Floats) -> float:
        return _loglik(inputs @ slopes, answer, weights) - 0.5 * float(ridge @ slopes**2)

    now = value(slopes)
    for _ in range(_STEPS):
        chances = _expit(inputs @ slopes)
        slope = inputs.T @ (weights * (answer - chances)) - ridge * slopes
        curvature = (inputs * (weights * chances * (1 - chances))[:, None]).T @ inputs
        step = np.linalg.lstsq(curvature + np.diag(ridge + 1e-10), slope)[0]
        while (later := value(slopes + step)) < now and np.abs(step).max() > 1e-9:
            step = step / 2
        if not later > now + 1e-8:
            break
        slopes, now = slopes + step, later
    line = inputs @ slopes
    return _Logistic(_loglik(line, answer, weights), _expit(line))


def _expit(line: Floats) -> Floats:
    result: Floats = 0.5 * (1 + np.tanh(0.5 * line))
    return result


def _loglik(line: Floats, answer: Floats, weights: Floats) -> float:
    return float(weights @ (answer * line - np.logaddexp(0.0, line)))
