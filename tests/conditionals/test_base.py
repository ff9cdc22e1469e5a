"""The defaults of families: everything from `fit` alone."""

import numpy as np
import pytest
from contracts.cases import linear
from contracts.laplace import Laplace

import arcwise as aw
from arcwise.conditionals import FAMILIES, Family, GaussianFamily
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Moments
from arcwise.errors import FitError
from arcwise.scores import bic


class Plain(GaussianFamily):
    """The Gaussian family without any closed form."""

    def fits(self, statistics):
        return Family.fits(self, statistics)


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
    slow, fast = Plain().bind(source), GaussianFamily().bind(source)
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
    with pytest.raises(FitError, match="use loo or kfold"):
        fits.n_params(0, [()])


def test_what_needs_rows_refuses_moments():
    with pytest.raises(FitError, match="needs the rows"):
        Laplace().bind(Moments.of(linear(1)))


class Counting(Laplace):
    """Notes how often it is asked to fit."""

    def __init__(self):
        self.fitted = 0

    def fit(self, *columns, **options):
        self.fitted += 1
        return super().fit(*columns, **options)


def test_a_set_is_fitted_once_for_its_likelihood_and_its_count():
    family = Counting()
    score = bic(family.bind(linear(1, rows=20, p=4)))
    family.fitted = 0
    score.many(0, [(), (1,), (2, 3)])
    assert family.fitted == 3
    assert score.fits.n_params(1, [(2,)]).tolist() == [3.0]  # not asked for before: fitted for it
    assert family.fitted == 4


def test_a_family_that_draws_numbers_gets_a_generator_that_follows_the_seed(monkeypatch):
    class Drawing(Laplace):
        name, drawn = "drawing", []

        def fits(self, statistics, *, rng):
            self.drawn.append(float(rng.random()))
            return super().fits(statistics)

    monkeypatch.setitem(FAMILIES, "drawing", Drawing())
    source = linear(1, rows=20, p=3)
    for seed in (1, 1, 2):
        aw.learn(source, model="drawing", score="bic", search="greedy", seed=seed)
    first, again, other = Drawing.drawn
    assert first == again != other
    with pytest.raises(aw.OptionError, match="rng"):  # it is no option of users
        aw.learn(source, model="drawing", score="bic", rng=1)


@pytest.mark.parametrize(
    ("rows", "parents"), [(2, 1), (19, 1), (20, 2), (29, 2), (100, 10), (1009, 100)]
)
def test_a_gaussian_variable_may_have_a_parent_for_ten_rows(rows, parents):
    assert GaussianFamily().default_parents(rows) == parents


def test_few_rows_bound_the_parents_that_are_learned():
    rng = np.random.default_rng(1)
    causes = rng.normal(size=(29, 5))
    table = {f"c{i}": causes[:, i] for i in range(5)} | {"effect": causes @ np.arange(3.0, 8.0)}
    net = aw.learn(table, score="loglik")
    assert max(map(len, net.graph.parents)) == 2
    assert any("Rows are few (29): a variable may have at most 2 parents" in n for n in net.notes)
    assert (
        max(map(len, aw.learn(table, score="loglik", rules=aw.Rules(max_parents=4)).graph.parents))
        == 4
    )
