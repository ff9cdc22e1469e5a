"""Fitting a neural network to rows: the layer that has most evidence."""

from dataclasses import replace

import numpy as np

from arcwise.conditionals.neural.category_evidence import CategoryLayer, fit_category
from arcwise.conditionals.neural.hidden_layer import LayerInputs, counted
from arcwise.conditionals.neural.network_model import NeuralConditional
from arcwise.conditionals.neural.number_evidence import FLOOR, NumberLayer, fit_number
from arcwise.data import Table

__all__ = ["fit_network", "model_of"]


def fit_network(
    table: Table, child: int, parents: tuple[int, ...], width: int
) -> NeuralConditional:
    """The network of the layer that has most evidence; parents in any order."""
    inputs = LayerInputs(counted(table), width)
    fit = fit_category if inputs.levels[child] else fit_number
    layer = fit(inputs, child, tuple(sorted(parents)))
    return model_of(inputs, child, parents, layer)


def model_of(
    inputs: LayerInputs, child: int, parents: tuple[int, ...], layer: NumberLayer | CategoryLayer
) -> NeuralConditional:
    """The network of a layer."""
    design, members = inputs.design, list(parents)
    coefficients, centre, scale = layer.coefficients, 0.0, 1.0
    if not inputs.levels[child]:
        centre, scale = float(design.centres[child]), float(design.scales[child])
    width = len(coefficients) - 1 - len(layer.columns)
    weights, biases = np.zeros((len(layer.columns), 0)), np.zeros(0)
    if width:
        weights, biases = inputs.layer(layer.columns, layer.scale)
    described = [design.describe(c) for c in layer.columns]
    model = NeuralConditional(
        inputs.levels[child],
        centre,
        scale,
        design.centres[members],
        design.scales[members],
        tuple(design.groups[j].copy() for j in members),
        np.array([(members.index(j), g) for j, g in described], dtype=np.int64).reshape(-1, 2),
        weights[:, :width].copy(),
        biases[:width].copy(),
        coefficients,
        FLOOR,
        trained=False,
        explained=0.0,
        rows=inputs.total,
    )
    return replace(model, explained=_explained(inputs, model, child, members))


def _explained(
    inputs: LayerInputs, model: NeuralConditional, child: int, members: list[int]
) -> float:
    """The share of the variance of a number, or of the log loss of a category, that a model explains."""
    columns, weights = inputs.table.columns, inputs.weights
    xs, y = tuple(columns[j] for j in members), columns[child]
    if model.levels:
        shares = np.bincount(y, weights, model.levels) / inputs.total
        usual = inputs.total * float(shares @ np.log(np.where(shares > 0, shares, 1.0)))
        loss = float(weights @ model.logpdf(y, xs))
    else:
        usual = float(weights @ (y - model.centre) ** 2)
        loss = float(weights @ (y - model.mean(xs, len(weights))) ** 2)
    return max(0.0, 1.0 - loss / usual) if usual else 0.0
