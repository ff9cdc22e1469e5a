import numpy as np
import pytest
from contracts.cases import linear
from naive import gaussian as naive

from arcwise.conditionals import FAMILIES
from arcwise.scores import held_out, kfold, leave_one_out

SOURCE = linear(1, rows=50)
FITS = FAMILIES["gaussian"].bind(SOURCE)
SETS = list(naive.parent_sets(5, 0))


def test_leave_one_out_is_k_fold_with_one_row_a_fold():
    rows = [np.array([i]) for i in range(50)]
    expected = [naive.held_out(SOURCE.matrix(), 0, s, rows) for s in SETS]
    assert leave_one_out(FITS).many(0, SETS) == pytest.approx(expected, rel=1e-9)
    assert kfold(FITS, rows).many(0, SETS) == pytest.approx(expected, rel=1e-8)


def test_copies_that_go_together_are_left_out_at_once():
    weights = np.random.default_rng(1).integers(1, 4, size=50).astype(float)
    fits = FAMILIES["gaussian"].bind(SOURCE.with_weights(weights, "together"))
    rows = [np.array([i]) for i in range(50)]
    expected = [naive.held_out(SOURCE.matrix(), 0, s, rows, weights) for s in SETS]
    assert leave_one_out(fits).many(0, SETS) == pytest.approx(expected, rel=1e-9)


def test_held_out_counts_the_rows_that_it_scores():
    part = np.arange(0, 50, 3)
    score = held_out(FITS, part, float(len(part)))
    expected = [naive.held_out(SOURCE.matrix(), 0, s, [part]) for s in SETS]
    assert score.many(0, SETS) == pytest.approx(expected, rel=1e-9)
    assert score.rows == len(part)
    assert kfold(FITS, np.array_split(np.arange(50), 5)).rows == 50
