"""Cross-validation of networks without a closed form, by the measure that they have."""

import numpy as np
import pytest
from contracts.cases import linear as source
from inference.kernels import Kernels

from arcwise.data.folds import Folds
from arcwise.evaluate import validate_folds
from arcwise.graphs import DAG, UGraph
from arcwise.inference import marginal_log_density, predict, pseudo_log_density
from arcwise.networks import BayesNet, MarkovNet

SOURCE = source(1, rows=40, p=3)
PARTS = np.array_split(np.random.default_rng(1).permutation(40), 4)


def kernels(training, node, inputs):
    columns, bandwidths = training.columns, [0.5 * column.std() for column in training.columns]
    others = tuple(columns[j] for j in inputs)
    return Kernels(columns[node], bandwidths[node], others, tuple(bandwidths[j] for j in inputs))


def undirected(training):
    graph = UGraph.complete(training.names)
    models = tuple(kernels(training, i, row) for i, row in enumerate(graph.neighbours))
    return MarkovNet(training.variables, graph, models, training.columns)


def directed(training, blankets=True):
    graph = DAG.complete(training.names)
    models = tuple(kernels(training, i, row) for i, row in enumerate(graph.parents))
    fields = undirected(training) if blankets else None
    return BayesNet(training.variables, graph, models, fields)


def test_undirected_networks_are_judged_by_their_pseudo_likelihood():
    found = validate_folds(Folds(SOURCE, PARTS), undirected)
    assert found.measure == "log pseudo-likelihood"
    assert "held-out log pseudo-likelihood:" in str(found)
    plain = found.document()
    assert plain["measure"] == "log pseudo-likelihood"
    assert plain["log_pseudo_likelihood"]["mean"] == pytest.approx(found.mean)
    assert found.edges == (3,) * 4
    for part in PARTS:
        net = undirected(SOURCE.take(np.setdiff1d(np.arange(40), part)))
        unseen = SOURCE.take(part)
        np.testing.assert_allclose(found.log_density[part], pseudo_log_density(net, unseen))


@pytest.mark.parametrize("blankets", [True, False])
def test_directed_networks_are_judged_by_their_density(blankets):
    found = validate_folds(Folds(SOURCE, PARTS), lambda training: directed(training, blankets))
    assert found.measure == "log density"
    assert "log_density" in found.document()
    errors = np.zeros((40, 3))
    for part in PARTS:
        net, unseen = directed(SOURCE.take(np.setdiff1d(np.arange(40), part))), SOURCE.take(part)
        np.testing.assert_allclose(found.log_density[part], marginal_log_density(net, unseen))
        for node, name in enumerate(SOURCE.names):
            errors[part, node] = unseen.columns[node] - predict(net, unseen, name).mean
    expected = np.sqrt((errors**2).mean(axis=0))
    np.testing.assert_allclose(found.rmse, expected, rtol=1e-9 if blankets else 5e-3)
