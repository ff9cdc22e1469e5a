import numpy as np
import pytest
from contracts.cases import linear, nasty
from contracts.laplace import Laplace
from naive import gaussian as naive

from arcwise.conditionals import FAMILIES
from arcwise.data import Moments, table
from arcwise.errors import FitError
from arcwise.scores import bge

gaussian = FAMILIES["gaussian"]


@pytest.mark.parametrize("source", [linear(1), linear(2, rows=3), linear(3, rows=1), nasty()])
@pytest.mark.parametrize(
    "prior", [{}, {"alpha_mu": 0.3}, {"alpha_mu": 5.0, "alpha_w": 20.5}, {"prior_mean": "zero"}]
)
def test_the_score_is_the_printed_marginal_likelihood(source, prior):
    p = len(source.names)
    score = bge(gaussian.bind(source), **prior)
    for child in range(p):
        sets = list(naive.parent_sets(p, child))
        expected = [naive.bge(source.matrix(), child, s, **prior) for s in sets]
        np.testing.assert_allclose(score.many(child, sets), expected, rtol=1e-8, atol=1e-6)


def test_the_whole_is_the_same_for_complete_graphs_in_any_order():
    score = bge(gaussian.bind(linear(1)))
    forth = sum(score.local(c, tuple(range(c))) for c in range(5))
    back = sum(score.local(c, tuple(range(c + 1, 5))) for c in range(5))
    assert forth == pytest.approx(back, rel=1e-12)


def test_moments_are_enough():
    source = linear(1)
    a, b = bge(gaussian.bind(source)), bge(gaussian.bind(Moments.of(source)))
    assert a.local(0, (1, 2)) == pytest.approx(b.local(0, (1, 2)), rel=1e-12)


@pytest.mark.parametrize("prior", [{"alpha_mu": 0}, {"alpha_w": 6}, {"alpha_mu": -1.0}])
def test_an_improper_prior_is_rejected(prior):
    with pytest.raises(FitError, match=r"alpha_w > p \+ 1 = 6"):
        bge(gaussian.bind(linear(1)), **prior)


def test_other_families_are_rejected_with_a_message():
    with pytest.raises(FitError, match="Gaussian"):
        bge(Laplace().bind(linear(1)))


@pytest.mark.parametrize("prior", [{}, {"prior_mean": "zero"}])
def test_standardised_columns_have_no_units(prior):
    source = linear(1)
    scaled = table({name: 10.0**i * source.column(name) for i, name in enumerate(source.names)})
    one, two = (bge(gaussian.bind(each), standardise=True, **prior) for each in (source, scaled))
    sd = source.matrix().std(axis=0)
    columns = dict(zip(source.names, (source.matrix() / sd).T, strict=True))
    plain = bge(gaussian.bind(table(columns)), **prior)
    for child in range(5):
        sets = list(naive.parent_sets(5, child))
        np.testing.assert_allclose(one.many(child, sets), two.many(child, sets), rtol=1e-10)
        np.testing.assert_allclose(one.many(child, sets), plain.many(child, sets), rtol=1e-10)
    start = (0,) * 2, ((), (1,))
    np.testing.assert_allclose(one.sweep(*start)[1], plain.sweep(*start)[1], rtol=1e-10)


def test_a_constant_column_has_a_finite_standardised_score():
    source = table({"x": np.arange(9.0), "c": np.ones(9)})
    assert np.isfinite(bge(gaussian.bind(source), standardise=True).local(1, (0,)))
