"""Training of all weights of a network, from a hidden layer with random weights.

The loss is the negative log-likelihood, plus a / 2 times the squares of the output weights of hidden units
and of the distances of the layer's weights from the random ones. So with a large decay a the layer does
not change. The decay is chosen on folds of the rows. The random layer is kept unless the trained network
predicts held-out rows better; it has a constant spread if that predicts better. Folds and starts depend on
the data alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals.base import Array
from arcwise.conditionals.neural.hidden_layer import FittedLayer, LayerInputs
from arcwise.conditionals.neural.network_model import LEAST_SD
from arcwise.conditionals.neural.number_evidence import RANGE

__all__ = ["Weights", "train", "weights_of"]

_FEWEST = 100.0  # rows below which folds do not tell which network predicts better
_FOLDS = 3
_DECAYS = (0.0, 30.0, 3.0, 0.3)  # 0 for no training
_SPREADS = ((False, True), (False,))  # whether it is constant; of a number, and of a category
_STARTS = 2
_OUTLYING = (
    25.0  # squared standardised errors beyond which a held-out row tells no more of the level
)
_STEPS = 60  # of L-BFGS: more gain nothing on held-out rows
_LINEAR_DECAY = 1e-3
_TAIL, _WIDE = (
    1e-4,
    3.0,
)  # a normal distribution mixed in where held-out rows are judged, so that none rules


class Weights(NamedTuple):
    """Weights (inputs, width) and biases of the layer, and coefficients of (1, inputs, units)."""

    layer: Array
    biases: Array
    outputs: Array

    @property
    def flat(self) -> Array:
        """All weights in one array."""
        return np.concatenate([array.ravel() for array in self])

    def like(self, flat: Array) -> "Weights":
        """Return weights of these shapes from one array."""
        ends = np.cumsum([array.size for array in self])[:-1]
        parts = np.split(flat, ends)
        return Weights(
            *(part.reshape(array.shape) for part, array in zip(parts, self, strict=True))
        )


class _Rows(NamedTuple):
    """Data to train a network: inputs, standardised targets or codes, and row weights."""

    values: Array
    targets: NDArray[Any]
    counts: Array
    levels: int
    log_sds: tuple[float, float]

    @property
    def usual(self) -> float:
        """The logarithm of the standard deviation of all residuals."""
        return self.log_sds[1] - RANGE

    def take(self, mask: NDArray[np.bool_]) -> "_Rows":
        values, targets, counts = self.values[mask], self.targets[mask], self.counts[mask]
        return self._replace(values=values, targets=targets, counts=counts)


class _Choice(NamedTuple):
    """Whether the spread is constant, and the decay; 0 for no training."""

    steady: bool
    decay: float


Fit = Callable[[LayerInputs], FittedLayer]
"""The layer of most evidence, with the scale and the coefficients."""


def weights_of(inputs: LayerInputs, layer: FittedLayer) -> Weights:
    """Return the weights of a random layer."""
    width = len(layer.coefficients) - 1 - len(layer.columns)
    if not width:
        empty = np.zeros((len(layer.columns), 0))
        return Weights(empty, np.zeros(0), layer.coefficients)
    weights, biases = inputs.layer(layer.columns, layer.scale)
    return Weights(weights[:, :width].copy(), biases[:width].copy(), layer.coefficients)


def train(inputs: LayerInputs, child: int, fit: Fit) -> tuple[FittedLayer, Weights, bool]:
    """Return the layer of most evidence, its weights, and whether they were trained.

    `fit` returns the layer for a table's inputs.
    """
    layer = fit(inputs)
    start = weights_of(inputs, layer)
    if inputs.total < _FEWEST or not start.outputs[1 + len(layer.columns) :].any():
        return layer, start, False
    rows = _rows_of(inputs, child, layer)
    choice, shift = _best_choice(inputs, child, fit, rows, layer.columns)
    if not choice.decay:
        weights = _steady(start, rows) if choice.steady else start
        return layer, _shift_spread(weights, rows, shift), False
    best, least = start, np.inf
    for number in range(_STARTS):
        if number:
            other = inputs.redrawn(number)
            start = weights_of(other, fit(other))
        begin = _steady(start, rows) if choice.steady else start
        trained, loss = _descend(begin, rows, choice)
        if loss < least:
            best, least = trained, loss
    return layer, _shift_spread(best, rows, shift), True


def _shift_spread(weights: Weights, rows: _Rows, shift: float) -> Weights:
    """Return the weights with another level of a number's spread."""
    if rows.levels:
        return weights
    outputs = weights.outputs.copy()
    outputs[0, 1] += shift
    return weights._replace(outputs=outputs)


def _rows_of(inputs: LayerInputs, child: int, layer: FittedLayer) -> _Rows:
    design, levels = inputs.design, inputs.levels[child]
    targets = inputs.table.columns[child] if levels else design.columns[design.number(child)]
    return _Rows(inputs.values(layer.columns), targets, inputs.weights, levels, layer.log_sds)


def _best_choice(
    inputs: LayerInputs, child: int, fit: Fit, rows: _Rows, columns: list[int]
) -> tuple[_Choice, float]:
    """Return the choice of largest held-out likelihood, and the shift of its log spread that fits held-out
    rows.

    The random layer is unchanged unless another choice has more.
    """
    spreads = _SPREADS[rows.levels > 0] if inputs.spread or rows.levels else (True,)
    choices = [_Choice(steady, decay) for steady in spreads for decay in _DECAYS]
    judged: list[list[tuple[_Rows, Array]]] = [[] for _ in choices]
    fold = np.arange(len(rows.counts)) % _FOLDS
    for held in range(_FOLDS):
        inside, outside = rows.take(fold != held), rows.take(fold == held)
        part = inputs.part(np.flatnonzero(fold != held))
        layer = fit(part)
        start = weights_of(part, layer)
        if layer.columns != columns or not len(start.biases):
            continue
        for choice, results in zip(choices, judged, strict=True):
            if not choice.decay:
                trained = begin = _steady(start, rows) if choice.steady else start
            else:
                trained, _ = _descend(begin, inside, choice, trained)
            results.append((outside, _forward(trained, outside.values)[0]))
    if not judged[0]:
        return choices[0], 0.0
    values = [_judge(results) for results in judged]
    best = int(np.argmax([value for value, _ in values]))
    return choices[best], values[best][1]


def _judge(results: list[tuple[_Rows, Array]]) -> tuple[float, float]:
    """Return the held-out log-likelihood at the best level of the spread, and the shift to that level."""
    if results[0][0].levels:
        return -sum(_category(outputs, rows)[0] for rows, outputs in results), 0.0
    counts = np.concatenate([rows.counts for rows, _ in results])
    targets = np.concatenate([rows.targets for rows, _ in results])
    log_sd = np.concatenate([np.clip(outputs[:, 1], *rows.log_sds) for rows, outputs in results])
    off = np.concatenate([outputs[:, 0] - rows.targets for rows, outputs in results])
    squares = (off * off + LEAST_SD**2) * np.exp(-2 * log_sd)
    shift = 0.5 * float(np.log(np.average(np.minimum(squares, _OUTLYING), weights=counts)))
    logs = -log_sd - shift - 0.5 * squares * np.exp(-2 * shift)
    wide = -np.log(_WIDE) - 0.5 * (targets / _WIDE) ** 2
    mixed = np.logaddexp(np.log1p(-_TAIL) + logs, np.log(_TAIL) + wide)
    return float(counts @ mixed), shift


def _steady(weights: Weights, rows: _Rows) -> Weights:
    """Return the weights with the usual spread in every row."""
    if rows.levels:
        return weights
    outputs = weights.outputs.copy()
    outputs[:, 1] = 0.0
    outputs[0, 1] = rows.usual
    return weights._replace(outputs=outputs)


def _descend(
    prior: Weights, rows: _Rows, choice: _Choice, begin: Weights | None = None
) -> tuple[Weights, float]:
    """Return the weights after training, and their loss; weight decay pulls to `prior`."""
    from scipy.optimize import minimize

    centre, pull = prior.flat, _pull(prior, choice.decay)
    free = _free(prior, choice.steady)
    centre = np.where(_outputs(prior), 0.0, centre)

    def value(flat: Array) -> tuple[float, Array]:
        loss, slope = _loss_and_slope(prior.like(flat), rows)
        off = flat - centre
        return loss + 0.5 * float(pull @ (off * off)), (slope + pull * off) * free

    options = {"maxiter": _STEPS, "maxcor": 20}
    result = minimize(value, (begin or prior).flat, jac=True, method="L-BFGS-B", options=options)
    if not np.isfinite(result.x).all():
        return prior, np.inf
    return prior.like(result.x), float(result.fun)


def _outputs(weights: Weights) -> NDArray[np.bool_]:
    """Return a mask of the flat weights that are coefficients of outputs."""
    out = np.zeros(weights.flat.size, dtype=bool)
    out[weights.layer.size + weights.biases.size :] = True
    return out


def _free(weights: Weights, steady: bool) -> NDArray[np.bool_]:
    """Return the weights that training may change."""
    outputs = np.ones(weights.outputs.shape, dtype=bool)
    if steady:
        outputs[1:, 1] = False
    layer = np.ones(weights.layer.size + weights.biases.size, dtype=bool)
    return np.concatenate([layer, outputs.ravel()])


def _pull(weights: Weights, decay: float) -> Array:
    """Return the decay of each weight."""
    outputs = np.full(weights.outputs.shape, decay)
    outputs[: 1 + len(weights.layer)] = _LINEAR_DECAY
    layer = np.full(weights.layer.size + weights.biases.size, decay)
    return np.concatenate([layer, outputs.ravel()])


def _forward(weights: Weights, values: Array) -> tuple[Array, Array]:
    """Return the (rows, outputs) outputs and the (rows, width) hidden units."""
    units = values @ weights.layer
    units += weights.biases
    np.tanh(units, out=units)
    split = 1 + len(weights.layer)
    outputs = weights.outputs[0] + values @ weights.outputs[1:split]
    outputs += units @ weights.outputs[split:]
    return outputs, units


def _loss_and_slope(weights: Weights, rows: _Rows) -> tuple[float, Array]:
    """Return the negative log-likelihood without constants, and its gradient."""
    outputs, units = _forward(weights, rows.values)
    split = 1 + len(weights.layer)
    loss, slopes = (_category if rows.levels else _number)(outputs, rows)
    back = slopes @ weights.outputs[split:].T
    back *= 1 - units * units
    return loss, np.concatenate(
        [
            (rows.values.T @ back).ravel(),
            back.sum(axis=0),
            slopes.sum(axis=0),
            (rows.values.T @ slopes).ravel(),
            (units.T @ slopes).ravel(),
        ]
    )


def _number(outputs: Array, rows: _Rows) -> tuple[float, Array]:
    """Return a normal distribution by its mean and log standard deviation, and the gradient (rows, 2)."""
    log_sd = np.clip(outputs[:, 1], *rows.log_sds)
    off = outputs[:, 0] - rows.targets
    precision = rows.counts * np.exp(-2 * log_sd)
    squares = precision * (off * off + LEAST_SD**2)
    loss = float(rows.counts @ log_sd) + 0.5 * float(squares.sum())
    inside = log_sd == outputs[:, 1]
    return loss, np.column_stack([precision * off, (rows.counts - squares) * inside])


def _category(outputs: Array, rows: _Rows) -> tuple[float, Array]:
    """Return the probabilities of levels, and the gradient (rows, levels)."""
    outputs = outputs - outputs.max(axis=1, keepdims=True)
    exponentials = np.exp(outputs)
    totals = exponentials.sum(axis=1)
    cells = np.arange(len(outputs)), rows.targets.astype(np.intp)
    loss = float(rows.counts @ (np.log(totals) - outputs[cells]))
    slopes = exponentials / totals[:, None]
    slopes[cells] -= 1
    return loss, slopes * rows.counts[:, None]
