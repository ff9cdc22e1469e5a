"""Fit of a neural network to rows: the layer of most evidence, trained if that predicts better."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from arcwise.conditionals.base import Columns
from arcwise.conditionals.distinct_rows import count_rows
from arcwise.conditionals.neural.category_evidence import fit_category
from arcwise.conditionals.neural.hidden_layer import FittedLayer, LayerInputs
from arcwise.conditionals.neural.network_model import NeuralConditional
from arcwise.conditionals.neural.number_evidence import fit_number
from arcwise.conditionals.neural.training import Weights, train, weights_of
from arcwise.data import Table

__all__ = ["fit_network", "model_of"]


def fit_network(
    table: Table,
    child: int,
    parents: tuple[int, ...],
    *,
    width: int,
    trained: bool,
    spread: bool,
) -> NeuralConditional:
    """Return the network of the layer of most evidence, trained if that predicts
    better.

    Columns are sorted by name and rows by content, so their order changes no digit.
    """
    inputs, members = LayerInputs(count_rows(table), width, spread), tuple(sorted(parents))

    def fit(part: LayerInputs) -> FittedLayer:
        return (fit_category if inputs.levels[child] else fit_number)(part, child, members)

    if trained:
        with _one_thread():
            return model_of(inputs, child, parents, *train(inputs, child, fit))
    layer = fit(inputs)
    return model_of(inputs, child, parents, layer, weights_of(inputs, layer), False)


@contextmanager
def _one_thread() -> Generator[None]:
    """Limit linear algebra to one thread, also that of scipy, which training loads late.

    Its waiting threads took ten times the work itself.
    """
    import scipy.optimize  # noqa: F401
    from threadpoolctl import ThreadpoolController

    with ThreadpoolController().limit(limits=1, user_api="blas"):
        yield


def model_of(
    inputs: LayerInputs,
    child: int,
    parents: tuple[int, ...],
    layer: FittedLayer,
    weights: Weights,
    trained: bool,
) -> NeuralConditional:
    """Return the network of a layer with some weights."""
    design, members, centre, scale = inputs.design, list(parents), 0.0, 1.0
    if not inputs.levels[child]:
        centre, scale = float(design.centres[child]), float(design.scales[child])
    described = [design.describe(c) for c in layer.columns]
    model = NeuralConditional(
        inputs.levels[child],
        centre,
        scale,
        design.centres[members],
        design.scales[members],
        tuple(design.groups[j].copy() for j in members),
        np.array([(members.index(j), g) for j, g in described], dtype=np.int64).reshape(-1, 2),
        weights.layer,
        weights.biases,
        weights.outputs,
        layer.log_sds,
        trained,
        explained=0.0,
        sds=(0.0, 0.0),
        rows=inputs.total,
        limits=design.limits(members),
    )
    xs = tuple(inputs.table.columns[j] for j in members)
    share = _explained_share(inputs, model, child, xs)
    return replace(model, explained=share, sds=_spreads(inputs, model, xs))


def _spreads(inputs: LayerInputs, model: NeuralConditional, xs: Columns) -> tuple[float, float]:
    """Return quantiles of the standard deviations of the rows, for a number."""
    if model.levels:
        return 0.0, 0.0
    sds = np.asarray(model.distribution(xs, inputs.table.rows).sd)
    low, high = np.quantile(sds, (0.1, 0.9))
    return float(low), float(high)


def _explained_share(
    inputs: LayerInputs, model: NeuralConditional, child: int, xs: Columns
) -> float:
    """Return the share of the variance of a number, or of the log loss of a category, that a model
    explains.
    """
    y, weights = inputs.table.columns[child], inputs.weights
    if model.levels:
        shares = np.bincount(y, weights, model.levels) / inputs.total
        usual = inputs.total * float(shares @ np.log(np.where(shares > 0, shares, 1.0)))
        loss = float(weights @ model.logpdf(y, xs))
    else:
        usual = float(weights @ (y - model.centre) ** 2)
        loss = float(weights @ (y - model.mean(xs, len(weights))) ** 2)
    return max(0.0, 1.0 - loss / usual) if usual else 0.0
