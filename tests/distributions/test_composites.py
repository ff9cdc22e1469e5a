"""Parts of rows put together, and running averages."""

import pickle
from functools import partial

import numpy as np
import pytest

from arcwise.distributions import Average, Categorical, Grid, Mixture, Normal, RowParts, centre
from arcwise.errors import DataError

PARTS = (
    (np.array([2, 0]), Normal(np.array([5.0, 1.0]), np.ones(2))),
    (
        np.array([1]),
        partial(Mixture, np.array([[0.0, 4.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]])),
    ),
)
JOINED = RowParts(PARTS, 3)


def test_rows_are_where_they_belong():
    assert JOINED.mean.tolist() == [1.0, 2.0, 5.0]
    assert JOINED.sd.tolist() == pytest.approx([1.0, np.sqrt(5), 1.0])
    assert JOINED.cdf(np.array([1.0, 2.0, 5.0])).tolist() == pytest.approx([0.5] * 3)
    assert JOINED.quantile(np.array([0.5, 0.9])).shape == (3, 2)
    assert JOINED.probability((2.0, np.inf))[1] == pytest.approx(0.5)
    lines = JOINED.logpdf(np.zeros((3, 4)))
    assert lines.shape == (3, 4)
    assert lines[0, 0] == pytest.approx(-0.5 - 0.5 * np.log(2 * np.pi))
    assert JOINED.sample(np.random.default_rng(1), 7).shape == (3, 7)
    assert pickle.loads(pickle.dumps(JOINED)).mean.tolist() == [1.0, 2.0, 5.0]


def test_a_single_part_with_all_rows_stands_for_itself():
    only = (np.arange(2), Normal(np.zeros(2), 1.0))
    assert RowParts.of([only, (np.arange(0), Normal(np.zeros(0), 1.0))], 2) is only[1]
    assert isinstance(RowParts.of(PARTS, 3), RowParts)
    with pytest.raises(DataError, match="different kinds"):
        JOINED.pool_rows(3)


def test_levels_of_parts():
    both = RowParts(
        (
            (np.array([1]), Categorical(np.array([[0.1, 0.9]]), ("a", "b"), "x")),
            (np.array([0]), Categorical(np.array([[0.6, 0.4]]), ("a", "b"), "x")),
        ),
        2,
    )
    assert both.chances(2).tolist() == [[0.6, 0.4], [0.1, 0.9]]
    with pytest.raises(DataError, match="use its probabilities"):
        _ = both.mean


def grid(shift):
    x = np.linspace(-8, 8, 200)
    return Grid(np.stack([x + shift, x]), np.stack([-0.5 * x**2] * 2))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Normal(np.array([0.0, 1.0]), 1.0), Normal(np.array([2.0, 3.0]), 2.0)),
        (grid(0.0), grid(3.0)),
        (Mixture(np.eye(2), np.ones((1, 1)), np.full((2, 2), 0.5)),) * 2,
        (
            Mixture(np.array([[0.0, 4.0]]), np.ones((1, 2)), np.eye(2)),
            Mixture(np.array([[0.0, 4.0]]), np.ones((1, 2)), np.eye(2)[::-1]),
        ),
        (Categorical(np.eye(2), (1, 3)), Categorical(np.full((2, 2), 0.5), (1, 3))),
    ],
    ids=["normals", "grids", "mixtures", "common mixtures", "levels"],
)
def test_running_averages_are_averages(first, second):
    average = Average()
    average.add(first)
    average.add(second)
    found = average.found()
    np.testing.assert_allclose(found.mean, 0.5 * (first.mean + second.mean), atol=1e-4)
    at = np.array([0.5, 1.5])
    np.testing.assert_allclose(found.cdf(at), 0.5 * (first.cdf(at) + second.cdf(at)), atol=2e-4)


def test_the_number_that_mixing_is_judged_by():
    assert centre(Categorical(np.array([[0.25, 0.75]]), ("no", "yes"))).tolist() == [0.75]
    assert centre(Categorical(np.array([[0.25, 0.75]]), (10, 20))).tolist() == [17.5]
