"""The defaults of families: everything from `fit` alone."""

import numpy as np
import pytest
from contracts.cases import linear
from contracts.laplace import Laplace

from arcwise.conditionals import Family, Gaussian
from arcwise.conditionals.base import RowFits
from arcwise.data import Moments
from arcwise.errors import FitError


class Plain(Gaussian):
    """The Gaussian family without any closed form."""

    def bind(self, source):
        return Family.bind(self, source)


class Uncounted(Plain):
    """A family in which counting parameters has no meaning."""

    def fit(self, *columns, **options):
        model = super().fit(*columns, **options)

        class Without(type(model)):
            n_params = None

        return Without(model.intercept, model.coefficients, model.variance, model.spread, 1.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_defaults_and_closed_forms_agree(weighted):
    source = linear(1, rows=20, p=4)
    if weighted:
        source = source.with_weights(np.random.default_rng(1).integers(1, 4, size=20))
    slow, fast = Plain().bind(source), Gaussian().bind(source)
    assert isinstance(slow, RowFits)
    assert slow.rows == fast.rows
    assert slow.nodes == fast.nodes
    sets = [(), (1,), (1, 3), (1, 2, 3)]
    parts = np.array_split(np.arange(20), 3)
    for child in (0,):
        assert slow.loglik(child, sets) == pytest.approx(fast.loglik(child, sets))
        assert slow.loo(child, sets) == pytest.approx(fast.loo(child, sets))
        assert slow.n_params(child, sets).tolist() == fast.n_params(child, sets).tolist()
        a, b = slow.held_out(parts), fast.held_out(parts)
        assert a.loglik(child, sets) == pytest.approx(b.loglik(child, sets))
    assert slow.params_by_size() is None
    assert slow.sweep([0], [()]) is None
    assert slow.subsets(0, [1], (), 2) is None


def test_what_has_no_count_of_parameters_says_so():
    fits = Uncounted().bind(linear(1, rows=10, p=3))
    with pytest.raises(FitError, match="take loo or kfold"):
        fits.n_params(0, [()])


def test_what_needs_rows_refuses_moments():
    with pytest.raises(FitError, match="needs the rows"):
        Laplace().bind(Moments.of(linear(1)))
