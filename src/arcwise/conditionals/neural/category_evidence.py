"""The marginal likelihood of a category given a hidden layer with random weights.

The category has a multinomial logit of the inputs and the hidden units. The coefficients of the inputs are
penalised as in BIC. Those of the hidden units have a normal prior, the same for all levels, of precision l.
The curvature and the slope of the logit without hidden units give an approximate evidence for all l at once.
At the best l and scale the logit is fitted by Newton's method, and Laplace's method gives its evidence
(MacKay 1992).
"""

from typing import NamedTuple

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.multinomial_logit import PSEUDO, Logit, information, newton, shares
from arcwise.conditionals.neural.hidden_layer import SCALES, FittedLayer, LayerInputs
from arcwise.conditionals.neural.network_model import hidden

__all__ = ["fit_category"]

_RIDGES = np.geomspace(0.1, 1e3, 9)
_HOPELESS = -3.0  # nats that a layer may seem to lose and still be fitted
_FEWEST = 8  # hidden units for a category of many levels


class _Start(NamedTuple):
    """The logit without hidden units, at which slopes and curvatures are computed."""

    rows: Array  # (1 + d, rows) the intercept and the inputs
    counts: Array  # (levels, rows)
    targets: Array  # the same with imaginary cases
    logit: Logit
    evidence: float


def fit_category(inputs: LayerInputs, child: int, parents: tuple[int, ...]) -> FittedLayer:
    """Return the evidence of a category given its parents, and the best layer."""
    counts = np.zeros((inputs.levels[child], len(inputs.weights)))
    counts[inputs.table.columns[child].astype(np.intp), np.arange(counts.shape[1])] = inputs.weights
    columns = inputs.columns(parents)
    straight = inputs.independent(columns)
    free = int((counts.sum(axis=1) > 0).sum()) - 1
    charge = 0.5 * len(straight) * max(free, 0) * float(np.log(inputs.total))
    if not columns or free < 1 or 2 * (len(straight) + 1) * free > inputs.total:
        usual = np.log(shares(counts.sum(axis=1)))
        value = float(counts.sum(axis=1) @ usual) - charge
        return FittedLayer(value, [], 0.0, usual[None, :])
    start = _start(inputs, counts, straight, charge)
    plain = np.zeros((1 + len(columns), len(counts)))
    plain[[0, *(1 + columns.index(c) for c in straight)]] = start.logit.coefficients
    best = FittedLayer(start.evidence, columns, 0.0, plain)
    return _with_units(inputs, columns, straight, start, best)


def _start(inputs: LayerInputs, counts: Array, straight: list[int], charge: float) -> _Start:
    usual = shares(counts.sum(axis=1))
    part = PSEUDO / (inputs.total + PSEUDO)
    targets = (1 - part) * counts + part * usual[:, None] * counts.sum(axis=0)
    rows = inputs.design.columns[[0, *straight]]
    seen = inputs.weights > 0
    logit = newton(rows[:, seen], targets[:, seen])
    logs = np.zeros_like(counts)
    logs[:, seen] = logit.logs
    logit = Logit(logit.coefficients, logs)
    return _Start(rows, counts, targets, logit, float(np.vdot(counts, logs)) - charge)


def _with_units(
    inputs: LayerInputs, columns: list[int], straight: list[int], start: _Start, best: FittedLayer
) -> FittedLayer:
    """Return the better of the logits with and without hidden units, at the average of their evidence."""
    width = max(min(_FEWEST, inputs.width), 2 * inputs.width // len(start.counts))
    values, trials, top = inputs.values(columns), [], (-np.inf, 0.0, 0.0, np.zeros((0, 0)))
    for scale in SCALES:
        units = inputs.centred(hidden(values, *_first(inputs, columns, scale, width))).T
        slopes, sizes = _curvature(start, units)
        promised = 0.5 * (slopes**2 / (sizes + _RIDGES[:, None])).sum(axis=1)
        promised -= 0.5 * np.log1p(sizes / _RIDGES[:, None]).sum(axis=1)
        trials.append(promised)
        if promised.max() > top[0]:
            top = float(promised.max()), scale, float(_RIDGES[promised.argmax()]), units
    if top[0] < _HOPELESS:
        return best._replace(evidence=best.evidence - float(np.log(2)))
    logs = np.concatenate(trials)
    average = float(np.logaddexp.reduce(logs)) - float(np.log(len(logs))) - top[0]
    _, scale, ridge, units = top
    evidence, logit = _laplace(start, units, ridge, best.evidence)
    value = float(np.logaddexp(best.evidence, evidence + average) - np.log(2))
    if not evidence > best.evidence:
        return best._replace(evidence=value)
    wide = np.zeros((1 + len(columns) + width, logit.shape[1]))
    places = [0, *(1 + columns.index(c) for c in straight)]
    wide[places] = logit[: len(places)]
    wide[1 + len(columns) :] = logit[len(places) :]
    layer = hidden(values, *_first(inputs, columns, scale, width))
    wide[0] -= (inputs.weights @ layer / inputs.total) @ wide[1 + len(columns) :]
    return FittedLayer(value, columns, scale, wide)


def _first(
    inputs: LayerInputs, columns: list[int], scale: float, width: int
) -> tuple[Array, Array]:
    """Return the first units of the layer."""
    weights, biases = inputs.layer(columns, scale)
    return weights[:, :width], biases[:width]


def _contrasts(levels: int) -> Array:
    """Return (levels - 1, levels - 1), a square root of the prior covariance of differences to the last
    level.
    """
    return np.asarray(np.linalg.cholesky(np.eye(levels - 1) + 1), dtype=float)


def _curvature(start: _Start, units: Array) -> tuple[Array, Array]:
    """Return slopes and curvatures of hidden units added to the linear logit, along the axes of the
    curvature.
    """
    beyond, slopes = _beyond(start, units, np.exp(start.logit.logs))
    sizes, axes = np.linalg.eigh(beyond)
    return axes.T @ slopes, np.maximum(sizes, 0.0)


def _beyond(start: _Start, units: Array, probabilities: Array) -> tuple[Array, Array]:
    """Return the information of units that the inputs do not have, and the slopes, in independent
    contrasts.
    """
    rows, last = start.counts.sum(axis=0), len(start.counts) - 1
    wide = np.vstack([start.rows, units])
    d, size = len(start.rows), len(wide)
    fitted = probabilities * rows
    seen = rows > 0
    curve = information(wide[:, seen], fitted[:, seen], rows[seen]).reshape(last, size, last, size)
    blocks = np.split(np.arange(size), [d])
    inner, cross, outer = (
        curve[:, a][..., b].reshape(last * len(a), last * len(b))
        for a, b in ((blocks[0], blocks[0]), (blocks[1], blocks[0]), (blocks[1], blocks[1]))
    )
    inner[np.diag_indices_from(inner)] *= 1 + 1e-9
    rest = outer - cross @ np.linalg.solve(inner, cross.T)
    turn = np.kron(_contrasts(last + 1), np.eye(size - d))
    slopes = ((start.targets - fitted)[:last] @ units.T).ravel()
    return turn.T @ rest @ turn, turn.T @ slopes


def _laplace(start: _Start, units: Array, ridge: float, plain: float) -> tuple[float, Array]:
    """Return the evidence of the logit with hidden units, and its coefficients."""
    last, d, width = len(start.counts) - 1, len(start.rows), len(units)
    wide = np.vstack([start.rows, units])
    prior = np.zeros((last, d + width, last, d + width))
    inner = ridge * np.linalg.inv(np.eye(last) + 1)
    for a in range(last):
        for b in range(last):
            prior[a, range(d, d + width), b, range(d, d + width)] = inner[a, b]
    flat = prior.reshape(last * (d + width), -1)
    begin = np.vstack([start.logit.coefficients, np.zeros((width, last + 1))])
    seen = start.counts.sum(axis=0) > 0
    logit = newton(wide[:, seen], start.targets[:, seen], begin, flat)
    probabilities = np.zeros_like(start.counts)
    probabilities[:, seen] = np.exp(logit.logs)
    beyond, _ = _beyond(start, units, probabilities)
    sizes = np.maximum(np.linalg.eigvalsh(beyond), 0.0)
    before = float(np.vdot(start.counts, start.logit.logs))
    gain = float(np.vdot(start.counts[:, seen], logit.logs)) - before
    coefficients = logit.coefficients[:, :last].T.ravel()
    gain -= 0.5 * float(coefficients @ flat @ coefficients)
    return plain + gain - 0.5 * float(np.log1p(sizes / ridge).sum()), logit.coefficients
