"""The marginal likelihood of a number given a hidden layer with random weights.

The number y is normal. Its mean is a linear function of the inputs, plus ridge regression on the hidden
units; the logarithm of its standard deviation is another such function. With F the hidden units minus
their linear part in the inputs, e their squared singular values, r the residuals of the linear regression,
and prior variance 1 / l of each coefficient in units of the noise (MacKay 1992),

    log p(mean) = -n / 2 log(2 pi e q / n) - d / 2 log n - 1 / 2 sum_i log(1 + e_i / l),
    q = |r|^2 - sum_i c_i^2 / (e_i + l),

so one decomposition gives the evidence for all l. The d linear coefficients are penalised as in BIC. The
evidence is averaged over l and the scales of the layer, including no hidden units. The log spread has
constant Fisher information 2 F'F, so the same decomposition gives its evidence by Laplace's method.
Large residuals of a few rows look like a varying spread. So a regression of the logarithms of residuals,
which is robust against few rows, bounds the gain of the spread.
"""

from typing import NamedTuple

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.neural.hidden_layer import SCALES, FittedLayer, LayerInputs
from arcwise.conditionals.neural.network_model import LEAST_SD, hidden

__all__ = ["RANGE", "fit_number"]

_RIDGES = np.geomspace(1e-2, 1e4, 13)
_SPREAD_RIDGES = (1.0, 30.0)
_STEPS = 12  # of the spread's coefficients, each of them a fraction of what the last one gained
_CLOSE = 0.01  # nats
_PER_LOG = np.pi**2 / 4
"""Information of normal residuals about the log spread, 2 per row, relative to that of their logs, 8 /
pi^2.
"""
_LEAST_LEFT = 0.05
RANGE = 3.0
"""Logarithm of the ratio of the largest to the usual spread, and of that to the smallest."""
_LINEAR_RIDGE = 1e-3
_LOG_2PI = float(np.log(2 * np.pi))


class _Basis(NamedTuple):
    """Orthonormal linear functions, and the remaining hidden units by their singular values."""

    linear: Array  # (rows, d), of unit weighted sum of squares
    units: Array  # (rows, k) principal combinations of residual units
    sizes: Array  # (k,) their sums of squares
    turn: Array  # (width, k) from units to combinations
    layer: Array  # (rows, width) the units themselves
    scale: float


def fit_number(inputs: LayerInputs, child: int, parents: tuple[int, ...]) -> FittedLayer:
    """Return the evidence of a number given its parents, and the best layer.

    Parents have no effect if there are too few rows for their linear effects.
    """
    y = inputs.design.columns[inputs.design.number(child)]
    level = _mean(inputs, y)  # 0 but for some of the rows
    y = y - level
    columns = inputs.columns(parents)
    straight = inputs.independent(columns)
    n, jacobian = inputs.total, inputs.total * float(np.log(inputs.design.scales[child]))
    charge = 0.5 * len(straight) * float(np.log(n))
    if not columns or 2 * (len(straight) + 2) > n:
        constant = np.array([[level, 0.5 * np.log(max(_mean(inputs, y * y), LEAST_SD**2))]])
        value = _log_evidence(np.array([inputs.weights @ (y * y)]), n)[0] - jacobian - charge
        return FittedLayer(float(value), [], 0.0, constant, (constant[0, 1], constant[0, 1]))
    linear = _linear(inputs, inputs.centred(inputs.values(straight)), y)
    layer = _best(inputs, columns, linear, y, charge + jacobian)
    layer.coefficients[0, 0] += level
    return layer


class _Linear(NamedTuple):
    """The linear regression on inputs."""

    functions: Array  # (rows, d) of unit weighted sum of squares
    rest: Array  # (rows,) residuals
    clear: Array  # (rows,) effects of inputs that BIC would keep one by one


def _linear(inputs: LayerInputs, centred: Array, y: Array) -> _Linear:
    factor = np.linalg.cholesky(inputs.cross(centred, centred))
    inverse = np.linalg.inv(factor)
    functions = centred @ inverse.T
    slopes = inputs.cross(functions, y[:, None])[:, 0]
    rest = y - functions @ slopes
    coefficients, errors = slopes @ inverse, (inverse * inverse).sum(axis=0)
    noise = max(_mean(inputs, rest * rest), LEAST_SD**2)
    clear = coefficients**2 > float(np.log(inputs.total)) * noise * errors
    right = inputs.cross(centred[:, clear], y[:, None])[:, 0]
    gram = inputs.cross(centred[:, clear], centred[:, clear])
    return _Linear(functions, rest, centred[:, clear] @ np.linalg.solve(gram, right))


def _best(
    inputs: LayerInputs, columns: list[int], linear: _Linear, y: Array, charge: float
) -> FittedLayer:
    """Return the evidence with and without hidden units, and the layer of most evidence."""
    rest, values = linear.rest, inputs.values(columns)
    squares = float(inputs.weights @ (rest * rest))
    plain = float(_log_evidence(np.array([squares]), inputs.total)[0])
    bases = [_basis(inputs, columns, values, linear.functions, scale) for scale in SCALES]
    ridges = [_ridge(inputs, basis, rest, squares) for basis in bases]
    logs = np.concatenate([ridge.logs for ridge in ridges])
    basis, _, units, sizes = max(ridges, key=lambda ridge: float(ridge.logs.max()))
    value = _average(plain, float(np.logaddexp.reduce(logs) - np.log(len(logs))))
    if not logs.max() > plain:
        units, sizes = np.zeros_like(units), np.full_like(sizes, np.inf)
    curved = basis.units @ units
    gain, log_sd = 0.0, np.zeros(len(y))
    if inputs.spread:
        gain, log_sd = _spread(inputs, basis, y - linear.clear - curved)
    errors = ((rest - curved) / _left_out(inputs, basis, sizes)) ** 2 + LEAST_SD**2
    log_sd = log_sd + 0.5 * float(np.log(_mean(inputs, errors * np.exp(-2 * log_sd))))
    usual = 0.5 * float(np.log(_mean(inputs, errors)))
    limits = max(usual - RANGE, float(np.log(LEAST_SD))), usual + RANGE
    centred = log_sd - _mean(inputs, log_sd)
    spread_units = inputs.cross(basis.units, centred[:, None])[:, 0] / basis.sizes
    design = np.column_stack([np.ones(len(values)), values])
    outputs = [
        _coefficients(inputs, design, target, basis.turn @ part, basis.layer)
        for target, part in ((y - rest + curved, units), (log_sd, spread_units))
    ]
    value = _average(value, value + gain) - charge
    return FittedLayer(value, columns, basis.scale, np.column_stack(outputs), limits)


def _average(one: float, two: float) -> float:
    """Return log((exp(one) + exp(two)) / 2)."""
    return float(np.logaddexp(one, two) - np.log(2))


class _Ridge(NamedTuple):
    """Log evidence at all ridges; coefficients, and sizes with ridge, at the best ridge."""

    basis: _Basis
    logs: Array
    units: Array
    sizes: Array


def _ridge(inputs: LayerInputs, basis: _Basis, rest: Array, squares: float) -> _Ridge:
    """Ridge regression of residuals on hidden units."""
    slopes = inputs.cross(basis.units, rest[:, None])[:, 0]
    explained = (slopes**2 / (_RIDGES[:, None] + basis.sizes)).sum(axis=1)
    volume = 0.5 * np.log1p(basis.sizes / _RIDGES[:, None]).sum(axis=1)
    logs = _log_evidence(squares - explained, inputs.total) - volume
    best = basis.sizes + _RIDGES[logs.argmax()]
    return _Ridge(basis, logs, slopes / best, best)


def _log_evidence(squares: Array, n: float) -> Array:
    """Return the largest log-likelihood of residuals by their sums of squares, with the spread at least
    the floor.
    """
    share = np.maximum(squares, 0.0) / n
    variance = np.maximum(share, LEAST_SD**2)
    logs: Array = -0.5 * n * (_LOG_2PI + np.log(variance) + share / variance)
    return logs


def _mean(inputs: LayerInputs, values: Array) -> float:
    return float(inputs.weights @ values) / inputs.total


def _basis(
    inputs: LayerInputs, columns: list[int], values: Array, linear: Array, scale: float
) -> _Basis:
    layer = hidden(values, *inputs.layer(columns, scale))
    units = inputs.centred(layer)
    units -= linear @ inputs.cross(linear, units)
    sizes, turn = np.linalg.eigh(inputs.cross(units, units))
    large = sizes > 1e-9 * inputs.total
    turn = turn[:, large]
    return _Basis(linear, units @ turn, sizes[large], turn, layer, scale)


def _left_out(inputs: LayerInputs, basis: _Basis, sizes: Array) -> Array:
    """Return one minus the leverage of a unit of each row.

    Residuals over these are leave-one-out errors. They give the level of the spread, which would be too small
    from residuals if the mean is fitted closely.
    """
    leverage = 1 / inputs.total + (basis.linear**2).sum(axis=1) + basis.units**2 @ (1 / sizes)
    left: Array = np.maximum(1 - leverage, _LEAST_LEFT)
    return left


def _spread(inputs: LayerInputs, basis: _Basis, residual: Array) -> tuple[float, Array]:
    """Return the log evidence gained by a varying spread, and the logarithms of the rows' relative spreads.

    `residual` are those of clear effects alone: a slope due to chance would move the residuals of skewed
    noise and look like a varying spread.
    """
    n, weights = inputs.total, inputs.weights
    squares = residual * residual + LEAST_SD**2  # so that no row has a spread of 0
    share = squares / _mean(inputs, squares)
    functions = np.hstack([basis.linear * np.sqrt(n), basis.units])
    sizes = np.concatenate([np.full(basis.linear.shape[1], n), basis.sizes])
    charge = 0.5 * basis.linear.shape[1] * float(np.log(n))
    gains: list[float] = []
    logs_of_best = np.zeros(len(residual))
    for ridge in _SPREAD_RIDGES:
        penalty = np.full(len(sizes), ridge)
        penalty[: basis.linear.shape[1]] = _LINEAR_RIDGE
        logs, value = _fit_spread(weights, functions, sizes, penalty, share)
        gain = value - 0.5 * float(np.log1p(2 * basis.sizes / ridge).sum()) - charge
        if gain > max(gains, default=0.0):
            logs_of_best = logs
        gains.append(gain)
    average = float(np.logaddexp.reduce(gains)) - float(np.log(len(gains)))
    average = min(average, _PER_LOG * max(0.0, _gain_of_logs(inputs, basis, share)))
    return average, logs_of_best if average > 0 else np.zeros_like(logs_of_best)


def _gain_of_logs(inputs: LayerInputs, basis: _Basis, share: Array) -> float:
    """Return the log evidence gained by a regression of log residuals, which large residuals do not
    dominate.
    """
    logs = 0.5 * np.log(share)
    logs -= _mean(inputs, logs)
    usual = float(inputs.weights @ (logs * logs))
    slopes = inputs.cross(basis.linear, logs[:, None])[:, 0]
    ridge = _ridge(inputs, basis, logs - basis.linear @ slopes, usual - float(slopes @ slopes))
    charge = 0.5 * len(slopes) * float(np.log(inputs.total))
    average = float(np.logaddexp.reduce(ridge.logs)) - float(np.log(len(ridge.logs)))
    return average - charge - float(_log_evidence(np.array([usual]), inputs.total)[0])


def _fit_spread(
    weights: Array, functions: Array, sizes: Array, penalty: Array, share: Array
) -> tuple[Array, float]:
    """Return each row's log standard deviation by Fisher's scoring from a constant spread, and the gain.

    `share` are squared residuals over their mean. The log-likelihood is penalised and maximised over the
    level of the spread.
    """
    n = float(weights.sum())
    coefficients, logs, value = np.zeros(len(sizes)), np.zeros(len(share)), 0.0
    for _ in range(_STEPS):
        scaled = share * np.exp(-2 * logs)
        scaled /= float(weights @ scaled) / n
        slope = functions.T @ (weights * (scaled - 1)) - penalty * coefficients
        step, before = slope / (2 * sizes + penalty), value
        for length in (1.0, 0.5, 0.25, 0.125):
            trial = coefficients + length * step
            moved = functions @ trial
            if np.abs(moved).max() > RANGE:
                continue
            level = float(weights @ (share * np.exp(-2 * moved))) / n
            fresh = -float(weights @ moved) - 0.5 * n * np.log(level)
            fresh -= 0.5 * float(penalty @ trial**2)
            if fresh > value:
                coefficients, logs, value = trial, moved + 0.5 * np.log(level), float(fresh)
                break
        if not value > before + _CLOSE:
            break
    return logs, value


def _coefficients(
    inputs: LayerInputs, design: Array, target: Array, units: Array, layer: Array
) -> Array:
    """Return coefficients of (1, inputs, hidden units) of a function with the coefficients `units`."""
    root, remaining = np.sqrt(inputs.weights), target - layer @ units
    linear = np.linalg.lstsq(design * root[:, None], remaining * root, rcond=1e-8)[0]
    return np.concatenate([linear, units])
