"""Multinomial logits by Newton's method, finite whatever the rows.

One row's worth of imaginary cases is spread over the rows, each with the shares of the levels in the whole
column (Clogg, Rubin, Schenker, Schultz and Weidman 1991). So there is a largest likelihood even where a
parent separates the levels, and the result depends neither on names nor on the order of levels.
"""

from typing import NamedTuple

import numpy as np

from arcwise._kernels.lapack import dposv
from arcwise.conditionals.base import Array

__all__ = ["PSEUDO", "Logit", "information", "newton", "shares"]

PSEUDO = 1.0
"""Imaginary rows."""

_ROUNDS = 40
_CLOSE = 1e-9  # nats that a step still gains


class Logit(NamedTuple):
    """Coefficients (columns, levels), those of the last level 0, and log probabilities (levels, rows)."""

    coefficients: Array
    logs: Array


def shares(counts: Array) -> Array:
    """The shares of levels, above 0 for those that never occur."""
    found: Array = (counts + 0.5) / (counts.sum() + 0.5 * len(counts))
    return found


def newton(
    columns: Array, targets: Array, start: Array | None = None, precision: Array | None = None
) -> Logit:
    """The logit of largest likelihood.

    Parameters
    ----------
    columns : (d, n), independent; the first is 1.
    targets : (levels, n) how often each level occurs in each row, all above 0.
    start : coefficients (d, levels) to begin with.
    precision : of a normal prior of the coefficients of all levels but the last, level by level.
    """
    rows, last = targets.sum(axis=0), len(targets) - 1
    if start is None:
        start = np.zeros((len(columns), len(targets)))
        means = targets.sum(axis=1)
        start[0] = np.log(means / means[-1])
    found = start
    logs = _logs(found, columns)
    value = float(np.vdot(targets, logs)) - _price(found, precision)
    for _ in range(_ROUNDS):
        fitted = np.exp(logs) * rows
        slope = ((targets - fitted)[:last] @ columns.T).ravel()
        curve = information(columns, fitted, rows)
        if precision is not None:
            slope -= precision @ found[:, :last].T.ravel()
            curve += precision
        _, step, info = dposv(curve, slope)
        if info:
            curve[np.diag_indices_from(curve)] *= 1 + 1e-6
            _, step, info = dposv(curve, slope)
        if info or not float(slope @ step) > _CLOSE:
            break
        move = np.zeros_like(found)
        move[:, :last] = step.reshape(last, -1).T
        found, logs, value, better = _ahead(found, move, columns, targets, value, precision)
        if not better:
            break
    return Logit(found, logs)


def _ahead(
    found: Array,
    move: Array,
    columns: Array,
    targets: Array,
    value: float,
    precision: Array | None,
) -> tuple[Array, Array, float, bool]:
    """The first of smaller and smaller steps that is no loss."""
    share = 1.0
    while share > 1e-4:
        trial = found + share * move
        logs = _logs(trial, columns)
        fresh = float(np.vdot(targets, logs)) - _price(trial, precision)
        if fresh >= value - 1e-12 * abs(value):
            return trial, logs, fresh, True
        share /= 2
    return found, _logs(found, columns), value, False


def _price(coefficients: Array, precision: Array | None) -> float:
    """What a normal prior takes off."""
    if precision is None:
        return 0.0
    flat = coefficients[:, :-1].T.ravel()
    return 0.5 * float(flat @ precision @ flat)


def _logs(coefficients: Array, columns: Array) -> Array:
    logs = coefficients.T @ columns
    logs -= logs.max(axis=0)
    logs -= np.log(np.exp(logs).sum(axis=0))
    return logs


def information(columns: Array, fitted: Array, rows: Array) -> Array:
    """The information matrix of the coefficients of all levels but the last, level by level."""
    last, d = len(fitted) - 1, len(columns)
    found = np.empty((last, d, last, d))
    for a in range(last):
        weighted = columns * (fitted[a] * (1 - fitted[a] / rows))
        found[a, :, a] = weighted @ columns.T
        for b in range(a):
            weighted = columns * (fitted[a] * fitted[b] / rows)
            found[a, :, b] = -(weighted @ columns.T)
            found[b, :, a] = found[a, :, b]
    return found.reshape(last * d, last * d)
