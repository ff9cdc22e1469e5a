"""Fitting mixtures of experts: expectation and maximisation, with Newton's method for the gates.

The number of experts grows as long as BIC increases, with a margin for each further expert. An expert is
split in three ways: by the sign of its residuals (two branches), by their size (two spreads), and by its
fitted values (a bend). A few rounds of each select the best, which is then fitted to the end. Every expert
has a least number of rows and a least standard deviation, so the likelihood is finite.
"""

from typing import NamedTuple

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.multinomial_logit import newton

__all__ = ["LEAST_SD", "MARGIN", "ExpertsFit", "fit_experts"]

MARGIN = 2.0
"""Default least gain of a further expert beyond BIC, in nats."""
LEAST_SD = 0.05
"""Smallest standard deviation of an expert, relative to that of its variable."""

_LEAST_ROWS = 15.0  # of an expert
_EACH = 5.0  # rows for each parameter
_GATE_DECAY = 1.0  # so that gates of separate branches stay finite
_COEFFICIENT_DECAY = 1e-6
_FIRST, _ROUNDS = 6, 60
_CLOSE = 0.02  # nats
_LOG_2PI = float(np.log(2 * np.pi))


class ExpertsFit(NamedTuple):
    """A mixture for standardised columns, its log-likelihood, and the responsibilities (rows, experts)."""

    loglik: float
    gates: Array
    coefficients: Array
    sds: Array
    shares: Array

    @property
    def parameters(self) -> int:
        """The number of free parameters."""
        d, experts = len(self.gates), len(self.sds)
        return experts * (d + 1) + (experts - 1) * d


def fit_experts(values: Array, y: Array, weights: Array, most: int, margin: float) -> ExpertsFit:
    """Return the mixture of best BIC.

    Parameters
    ----------
    values : (rows, 1 + d) inputs, 1 first.
    y : (rows,) standardised values.
    weights : of the rows.
    most : largest number of experts.
    margin : least gain of a further expert, in nats.
    """
    n = float(weights.sum())
    best = _maximise(values, y, weights, np.ones((len(y), 1)), None)
    d = values.shape[1]
    while len(best.sds) < most:
        count = len(best.sds) + 1
        size = count * (d + 1) + (count - 1) * d
        if n < _EACH * size or n < count * _LEAST_ROWS:
            break
        larger = _grown(values, y, weights, best)
        if larger is None:
            break
        price = 0.5 * float(np.log(n)) * (larger.parameters - best.parameters) + margin
        if not larger.loglik - best.loglik > price:
            break
        best = larger
    return best


def _grown(values: Array, y: Array, weights: Array, start: ExpertsFit) -> ExpertsFit | None:
    """Return the best mixture with one more expert, from the splits of the largest."""
    k = int((weights @ start.shares).argmax())
    fitted = values @ start.coefficients[:, k]
    off = y - fitted
    share = start.shares[:, k] * weights
    trials = []
    for by in (off, np.abs(off), fitted):
        upper = by > _median(by, share)
        shares = np.column_stack([start.shares, np.where(upper, start.shares[:, k], 0.0)])
        shares[:, k] = np.where(upper, 0.0, start.shares[:, k])
        shares = 0.8 * shares + 0.2 * shares.mean(
            axis=1, keepdims=True
        )  # no row is lost to an expert
        trial = _rounds(values, y, weights, shares, _FIRST)
        if trial is not None:
            trials.append(trial)
    if not trials:
        return None
    best = max(trials, key=lambda trial: trial.loglik)
    return _rounds(values, y, weights, best.shares, _ROUNDS, best.gates)


def _median(values: Array, weights: Array) -> float:
    """Return the weighted median."""
    order = np.argsort(values, kind="stable")
    heap = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(heap, 0.5 * heap[-1])]])


def _rounds(
    values: Array, y: Array, weights: Array, shares: Array, count: int, gates: Array | None = None
) -> ExpertsFit | None:
    """Run rounds of expectation and maximisation; return None if an expert has too few rows."""
    before = -np.inf
    for _ in range(count):
        if (weights @ shares).min() < _LEAST_ROWS:
            return None
        step = _maximise(values, y, weights, shares, gates)
        shares, gates = step.shares, step.gates
        if step.loglik - before < _CLOSE:
            break
        before = step.loglik
    return step


def _maximise(
    values: Array, y: Array, weights: Array, shares: Array, gates: Array | None
) -> ExpertsFit:
    """Return the parameters that suit the rows' shares, with the shares and the log-likelihood that
    follow.
    """
    d, count = values.shape[1], shares.shape[1]
    coefficients, sds = np.zeros((d, count)), np.zeros(count)
    for k in range(count):
        counts = weights * shares[:, k]
        gram = values.T @ (counts[:, None] * values)
        gram[np.diag_indices(d)] += _COEFFICIENT_DECAY * counts.sum()
        coefficients[:, k] = np.linalg.solve(gram, values.T @ (counts * y))
        off = y - values @ coefficients[:, k]
        sds[k] = max(np.sqrt(counts @ (off * off) / counts.sum()), LEAST_SD)
    logs = np.zeros_like(shares)
    if count > 1:
        targets = (weights[:, None] * np.maximum(shares, 1e-12)).T
        logit = newton(np.ascontiguousarray(values.T), targets, gates, _decay(d, count))
        gates, logs = logit.coefficients, logit.logs.T
    off = (y[:, None] - values @ coefficients) / sds
    logs = logs - 0.5 * (_LOG_2PI + off * off) - np.log(sds)
    totals = np.logaddexp.reduce(logs, axis=1)
    gates = np.zeros((d, 1)) if gates is None else gates
    return ExpertsFit(
        float(weights @ totals), gates, coefficients, sds, np.exp(logs - totals[:, None])
    )


def _decay(d: int, count: int) -> Array:
    """Return the precision of the prior of the gates' slopes, the same for all experts."""
    inner = np.zeros(d)
    inner[1:] = _GATE_DECAY
    return np.kron(np.linalg.inv(np.eye(count - 1) + 1), np.diag(inner))
