import numpy as np
import pytest
from contracts.cases import linear
from naive import gaussian as naive

from arcwise.conditionals import FAMILIES
from arcwise.data.folds import Folds
from arcwise.evaluate import validate_folds
from arcwise.graphs import DAG
from arcwise.networks import BayesNet

SOURCE = linear(1, rows=40, p=4)
PARTS = np.array_split(np.random.default_rng(1).permutation(40), 5)


def complete(training) -> BayesNet:
    """Every variable on all before it: a regression on all others predicts as the joint does."""
    graph = DAG.complete(training.names)
    fits = FAMILIES["gaussian"].bind(training)
    models = tuple(fits.conditional(c, row) for c, row in enumerate(graph.parents))
    return BayesNet(training.variables, graph, models)


def by_hand(weights):
    """Held-out log densities and errors of each variable's regression on all others."""
    rows = SOURCE.matrix()
    logs, errors = np.zeros(40), np.zeros((40, 4))
    for part in PARTS:
        rest = np.setdiff1d(np.arange(40), part)
        for child in range(4):
            before = tuple(range(child))
            mean, variance = naive.regression(rows[rest], child, before, weights[rest])
            logs[part] += naive.normal(rows[part, child], mean(rows[part]), variance)
            others = tuple(x for x in range(4) if x != child)
            mean, _ = naive.regression(rows[rest], child, others, weights[rest])
            errors[part, child] = rows[part, child] - mean(rows[part])
    return logs, errors


@pytest.mark.parametrize("weighted", [False, True])
def test_every_row_is_scored_by_the_network_of_the_other_folds(weighted):
    weights = np.random.default_rng(2).integers(1, 4, 40) * 1.0 if weighted else np.ones(40)
    source = SOURCE.with_weights(weights) if weighted else SOURCE
    found = validate_folds(Folds(source, PARTS), complete)
    logs, errors = by_hand(weights)
    np.testing.assert_allclose(found.log_density, logs, rtol=1e-8)
    mse = np.average(errors**2, axis=0, weights=weights)
    np.testing.assert_allclose(found.rmse, np.sqrt(mse), rtol=1e-8)
    mean = np.average(source.matrix(), axis=0, weights=weights)
    variance = np.average((source.matrix() - mean) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(found.r2, 1 - mse / variance, rtol=1e-8)
    assert found.mean == pytest.approx(np.average(logs, weights=weights))
    copies = np.repeat(logs, weights.astype(int))
    assert found.error == pytest.approx(copies.std() / np.sqrt(len(copies) - 1))
    assert found.median == pytest.approx(np.median(copies))
    assert found.edges == (6,) * 5


def test_the_answer_reads_as_a_table_and_as_plain_numbers():
    found = validate_folds(Folds(SOURCE, PARTS), complete)
    text = str(found)
    assert "5-fold cross-validation of 40 rows" in text
    assert all(name in text for name in SOURCE.names)
    plain = found.document()
    assert plain["rows"] == 40
    assert plain["folds"] == 5
    assert plain["variables"]["v0"]["rmse"] == found.rmse[0]
    assert plain["log_density"]["mean"] == found.mean


def test_pieces_may_be_done_in_any_order():
    def backwards(work, count):
        return [work(i) for i in reversed(range(count))][::-1]

    a, b = (
        validate_folds(Folds(SOURCE, PARTS), complete),
        validate_folds(Folds(SOURCE, PARTS), complete, backwards),
    )
    assert (a.log_density == b.log_density).all()
