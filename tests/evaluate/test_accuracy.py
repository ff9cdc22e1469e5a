"""Accuracy, log-loss, confusion and calibration, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics

from arcwise.evaluate.accuracy import ClassProbabilities


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), 200)
    truth = np.array([rng.choice(3, p=row) for row in proba])
    weights = rng.integers(1, 4, 200).astype(float)
    return ClassProbabilities(
        "c", ("a", "b", "z"), truth, np.log(proba), proba.argmax(axis=1), weights, 5
    )


def test_numbers_are_those_of_scikit_learn(found):
    proba, w = np.exp(found.log_proba), found.weights
    right = metrics.accuracy_score(found.truth, found.decided, sample_weight=w)
    assert found.accuracy == pytest.approx(right)
    assert found.log_loss == pytest.approx(metrics.log_loss(found.truth, proba, sample_weight=w))
    confusion = metrics.confusion_matrix(found.truth, found.decided, sample_weight=w)
    assert found.confusion == pytest.approx(confusion)
    parts = [
        metrics.brier_score_loss(found.truth == k, proba[:, k], sample_weight=w) for k in range(3)
    ]
    assert found.brier == pytest.approx(sum(parts))


def test_errors_are_those_of_means():
    even, truth = np.log(np.full((4, 2), 0.5)), np.array([0, 0, 1, 1])
    alike = ClassProbabilities("c", (0, 1), truth, even, np.zeros(4, int), np.ones(4))
    assert alike.accuracy == 0.5
    assert alike.accuracy_error == pytest.approx(0.5 / np.sqrt(3))
    assert alike.log_loss_error == pytest.approx(0.0)


def test_reliability(found):
    table = found.calibration(bins=5)
    assert sum(each.rows for each in table) == pytest.approx(3 * found.weights.sum())
    for each in table:
        inside = (np.exp(found.log_proba) >= each.low) & (np.exp(found.log_proba) < each.high)
        wide = np.repeat(found.weights[:, None], 3, axis=1)
        hit = np.arange(3) == found.truth[:, None]
        assert each.observed == pytest.approx(np.average(hit[inside], weights=wide[inside]))
        assert each.low <= each.predicted <= each.high
        assert abs(each.observed - each.predicted) < 0.2  # truths were drawn by these probabilities
    assert found.calibration_error < 0.1


def test_a_sure_error_is_bounded():
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([[1.0, 0.0]]))
    wrong = ClassProbabilities("c", (0, 1), np.array([1]), logs, np.array([0]), np.ones(1))
    assert wrong.log_loss == pytest.approx(-np.log(1e-15))
    assert wrong.calibration_error == pytest.approx(1.0)


def test_in_words_and_as_plain_numbers(found):
    text = str(found)
    assert f"5-fold cross-validation of {found.weights.sum():.0f} rows, class c" in text
    assert "log-loss" in text
    plain = found.document()
    assert plain["confusion"] == found.confusion.tolist()
    assert plain["accuracy"]["mean"] == found.accuracy
    assert len(plain["calibration"]) == len(found.calibration())
