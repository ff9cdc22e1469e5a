"""Columns that follow from others get noise, others do not."""

import numpy as np
import pytest

from arcwise.undirected.given_matrices import NOISE, add_noise


def columns(rows, size, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, size))


def test_ordinary_correlations_are_left_alone():
    for rows, size in ((60, 10), (8, 20)):
        R = np.corrcoef(columns(rows, size).T)
        found = add_noise(R, rows)
        assert found.columns == ()
        assert found.matrix is R


@pytest.mark.parametrize(("rows", "size"), [(60, 6), (5, 12)])
def test_copies_get_noise_with_few_rows_and_with_many(rows, size):
    x = columns(rows, size)
    x[:, 4] = -2.54 * x[:, 1] + 7
    found = add_noise(np.corrcoef(x.T), rows)
    assert found.columns == (1, 4)
    assert found.matrix[1, 4] == pytest.approx(-1 / (1 + NOISE), rel=1e-9)
    assert (found.matrix.diagonal() == 1).all()


def test_sums_get_noise_where_rows_are_many():
    x = columns(80, 7)
    x[:, 6] = x[:, 0] + x[:, 2] - x[:, 5]
    found = add_noise(np.corrcoef(x.T), 80)
    assert found.columns == (0, 2, 5, 6)
    assert np.linalg.eigvalsh(found.matrix)[0] > 0.5 * NOISE


def test_near_copies_that_can_be_told_apart_are_left_alone():
    x = columns(500, 4)
    x[:, 3] = x[:, 0] + 0.02 * x[:, 3]
    assert add_noise(np.corrcoef(x.T), 500).columns == ()


def test_the_order_of_columns_does_not_matter():
    x = columns(60, 9, 3)
    x[:, 6], x[:, 7] = x[:, 0] + x[:, 1], x[:, 2] + x[:, 3]
    x[:, 8] = x[:, 0] - x[:, 3]
    R = np.corrcoef(x.T)
    wanted = set(add_noise(R, 60).columns)
    rng = np.random.default_rng(0)
    for _ in range(50):
        turned = rng.permutation(9)
        found = add_noise(R[np.ix_(turned, turned)], 60).columns
        assert {int(turned[i]) for i in found} == wanted
