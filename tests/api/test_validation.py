import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.data import folds

SOURCE = linear(1, rows=60, p=4)


def test_every_choice_of_words_can_be_validated():
    found = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=2)
    assert len(found.edges) == 4
    assert found.log_density.shape == (60,)
    again = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=2)
    assert (found.log_density == again.log_density).all()
    other = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=3)
    assert (found.log_density != other.log_density).any()


def test_held_out_rows_are_scored_by_learning_without_them():
    found = aw.validate(SOURCE, folds=3, search="exact", score="bic", seed=1)
    parts = folds(SOURCE, 3, np.random.default_rng(1)).rows
    for part in parts:
        net = aw.learn(SOURCE.take(np.setdiff1d(np.arange(60), part)), search="exact", score="bic")
        np.testing.assert_allclose(found.log_density[part], net.logpdf(SOURCE.take(part)))


def test_a_needless_penalty_costs_likelihood():
    dear = aw.validate(SOURCE, folds=4, search="greedy", penalty=100.0)
    plain = aw.validate(SOURCE, folds=4, search="greedy", score="bic")
    assert set(dear.edges) == {0}
    assert plain.mean > dear.mean
    assert (plain.r2 > -0.5).all()


def test_gaps_and_weights():
    rows = SOURCE.matrix()
    rows[0, 0] = np.nan
    assert aw.validate(aw.table(rows), folds=3, search="greedy").log_density.shape == (59,)
    weighted = aw.validate(SOURCE, folds=3, search="greedy", weights=np.arange(60) % 3 + 1.0)
    assert weighted.weights.sum() == np.sum(np.arange(60) % 3 + 1)


@pytest.mark.parametrize(
    "words",
    [
        {"scor": "bic"},
        {"score": "bicc"},
        {"folds": 1},
        {"folds": 61},
        {"graph": "undirectd"},
        {"n_jobs": 0},
        {"model": "parzn"},
    ],
)
def test_wrong_words_are_refused(words):
    with pytest.raises(aw.ArcwiseError):
        aw.validate(SOURCE, **{"folds": 3, **words})


def test_moments_have_no_rows_to_hold_out():
    with pytest.raises(aw.FitError, match="rows"):
        aw.validate(aw.Moments.of(SOURCE))
