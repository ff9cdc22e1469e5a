"""Laws of every registered local model, and of the throw-away one."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.cases import linear, nasty
from contracts.laplace import Laplace
from scipy.integrate import cumulative_trapezoid, quad
from scipy.stats import kstest

from arcwise import io
from arcwise.conditionals import FAMILIES, Conditional, ParzenConditional, distribution_of
from arcwise.data import Moments, Table
from arcwise.errors import FitError
from arcwise.graphs import DAG
from arcwise.networks import BayesNet, ancestral, log_density

EVERY = [*FAMILIES.values(), Laplace()]
PARENTS = [(), (1,), (1, 3), (1, 2, 3, 4)]

family_law = pytest.mark.parametrize("family", EVERY, ids=lambda family: family.name)
parents_law = pytest.mark.parametrize("parents", PARENTS, ids=len)


def fitted(family, source: Table, child: int, parents) -> Conditional:
    return family.fit(
        source.columns[child],
        tuple(source.columns[j] for j in parents),
        source.variables[child],
        tuple(source.variables[j] for j in parents),
        weights=source.weights,
    )


def without(model: Conditional, rest: Table, parents) -> Conditional | None:
    """A model on other rows, its widths and scales held fixed; None where it has no such things."""
    if not isinstance(model, ParzenConditional):
        return None
    weights = np.ones(rest.rows) if rest.weights is None else rest.weights
    inputs = tuple(rest.columns[j] for j in parents)
    return replace(model, output=rest.columns[0], inputs=inputs, weights=weights)


def middle_of(model: Conditional, variable, xs, size: int) -> np.ndarray:
    return distribution_of(model, variable, xs, size).mean


def at(source: Table, parents, row: int, size: int):
    """The parents' values of one row, repeated."""
    return tuple(np.full(size, source.columns[j][row]) for j in parents)


@family_law
@parents_law
def test_the_density_integrates_to_one(family, parents):
    source = linear(1)
    model = fitted(family, source, 0, parents)
    spread = source.columns[0].std()
    for row in (0, 7, 41):
        xs = at(source, parents, row, 1)
        middle = float(middle_of(model, source.variables[0], xs, 1)[0])

        def density(z, xs=xs, middle=middle):
            return spread * np.exp(model.logpdf(np.array([middle + spread * z]), xs)[0])

        halves = [quad(density, *ends, limit=200)[0] for ends in ((-60, 0), (0, 60))]
        assert sum(halves) == pytest.approx(1.0, abs=1e-6)


@family_law
@parents_law
def test_samples_agree_with_the_density(family, parents):
    source = linear(2)
    model = fitted(family, source, 0, parents)
    size = 4000
    xs = at(source, parents, 5, size)
    drawn = model.sample(xs, np.random.default_rng(3), size)
    middle, spread = float(middle_of(model, source.variables[0], xs, size)[0]), drawn.std()
    grid = middle + spread * np.linspace(-30, 30, 60_001)
    density = np.exp(model.logpdf(grid, at(source, parents, 5, len(grid))))
    distribution = cumulative_trapezoid(density, grid, initial=0.0)
    assert kstest(drawn, lambda y: np.interp(y, grid, distribution)).pvalue > 1e-3
    assert abs(drawn.mean() - middle) < 5 * spread / np.sqrt(size)


@family_law
@parents_law
def test_the_order_of_parents_does_not_matter(family, parents):
    source = linear(4)
    model = fitted(family, source, 0, parents)
    turned = fitted(family, source, 0, parents[::-1])
    xs = tuple(source.columns[j] for j in parents)
    forth = model.logpdf(source.columns[0], xs)
    np.testing.assert_allclose(turned.logpdf(source.columns[0], xs[::-1]), forth, rtol=1e-6)


@family_law
def test_bound_answers_are_those_of_single_fits(family):
    source = linear(5)
    fits = family.bind(source)
    assert fits.nodes == source.names
    assert fits.rows == source.rows
    for parents in PARENTS:
        model = fitted(family, source, 0, parents)
        xs = tuple(source.columns[j] for j in parents)
        logs = model.logpdf(source.columns[0], xs)
        again = fits.conditional(0, parents).logpdf(source.columns[0], xs)
        np.testing.assert_allclose(again, logs, rtol=1e-7)
        assert fits.loglik(0, [parents])[0] == pytest.approx(logs.sum(), rel=1e-9)
        if model.n_params is not None:
            assert fits.n_params(0, [parents])[0] == model.n_params


@family_law
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_refitting_without_each_row(family, weighted):
    source = linear(6, rows=25)
    if weighted:
        source = source.with_weights(np.random.default_rng(1).integers(1, 4, size=25))
    weights = np.ones(25) if source.weights is None else source.weights
    sets = PARENTS[:3]
    expected = np.zeros(len(sets))
    whole = [fitted(family, source, 0, parents) for parents in sets]
    for row in range(source.rows):
        rest = source.take(np.delete(np.arange(source.rows), row))
        for i, parents in enumerate(sets):
            model = without(whole[i], rest, parents) or fitted(family, rest, 0, parents)
            log = model.logpdf(source.columns[0][[row]], at(source, parents, row, 1))[0]
            expected[i] += weights[row] * log  # every copy of a row is left out with it
    assert family.bind(source).loo(0, sets) == pytest.approx(expected, rel=1e-8)


@family_law
@pytest.mark.parametrize("weighted", [False, True])
def test_held_out_parts_are_scored_by_the_fit_of_the_rest(family, weighted):
    source = linear(7, rows=30)
    if weighted:
        source = source.with_weights(np.random.default_rng(1).integers(1, 4, size=30))
    parts = np.array_split(np.random.default_rng(2).permutation(30), 4)
    expected = np.zeros(len(PARENTS))
    for part in parts:
        rest = source.take(np.setdiff1d(np.arange(30), part))
        unseen = source.take(part)
        weights = np.ones(len(part)) if unseen.weights is None else unseen.weights
        for i, parents in enumerate(PARENTS):
            model = fitted(family, rest, 0, parents)
            xs = tuple(unseen.columns[j] for j in parents)
            expected[i] += weights @ model.logpdf(unseen.columns[0], xs)
    found = family.bind(source).held_out(parts).loglik(0, PARENTS)
    assert found == pytest.approx(expected, rel=1e-7)


@family_law
def test_weights_count_rows_several_times(family):
    if family.conditional is ParzenConditional:
        pytest.skip("a row's copies are left out with it, so copies tell more than a weight")
    source = linear(8, rows=30)
    counts = np.random.default_rng(1).integers(0, 4, size=30)
    once = source.with_weights(counts)
    several = source.take(np.repeat(np.arange(30), counts))
    a, b = family.bind(once), family.bind(several)
    assert a.rows == b.rows == counts.sum()
    assert a.loglik(0, PARENTS) == pytest.approx(b.loglik(0, PARENTS), rel=1e-7)


@family_law
def test_awkward_columns_are_fitted_and_stay_finite(family):
    source = nasty()
    fits, p = family.bind(source), len(source.names)
    for child in range(p):
        others = tuple(x for x in range(p) if x != child)
        sets = [(), (others[0],), others]
        for found in (fits.loglik(child, sets), fits.loo(child, sets)):
            assert np.isfinite(found).all(), source.names[child]
        model = fits.conditional(child, others)
        xs = tuple(source.columns[j] for j in others)
        assert np.isfinite(model.logpdf(source.columns[child], xs)).all()
        assert np.isfinite(model.sample(xs, np.random.default_rng(1), source.rows)).all()


def small_net(family) -> BayesNet:
    source = linear(9)
    graph = DAG.from_arcs([("v1", "v0"), ("v1", "v3"), ("v0", "v3"), ("v3", "v4")], source.names)
    fits = family.bind(source)
    models = tuple(fits.conditional(child, row) for child, row in enumerate(graph.parents))
    return BayesNet(source.variables, graph, models, (family.name,) * len(models))


@family_law
def test_networks_multiply_the_densities_and_draw_from_them(family):
    net = small_net(family)
    drawn = ancestral(net, np.random.default_rng(1), 3000)
    total = log_density(net, drawn.columns)
    assert total.shape == (3000,)
    local = net.conditionals[4].logpdf(drawn.columns[4], (drawn.columns[3],))
    without = log_density(net, (*drawn.columns[:4], drawn.columns[4] * 0 + 1.0))
    fixed = net.conditionals[4].logpdf(np.ones(3000), (drawn.columns[3],))
    np.testing.assert_allclose(total - without, local - fixed, rtol=1e-9)
    again = family.bind(drawn).conditional(4, (3,))  # draws give back what they came from
    xs = (np.array([drawn.columns[3].mean()]),)
    spread = drawn.columns[4].std()
    means = (middle_of(model, net.variables[4], xs, 1)[0] for model in (again, net.conditionals[4]))
    assert abs(np.subtract(*means)) < 0.2 * spread


WRITTEN = [end for end, form in io.FORMATS.items() if form.read and form.write]


@family_law
@pytest.mark.parametrize("ending", WRITTEN)
def test_saving_and_loading_give_the_network_back(family, ending, tmp_path, monkeypatch):
    monkeypatch.setitem(FAMILIES, family.name, family)
    net = small_net(family)
    for path in (tmp_path / f"net{ending}", tmp_path / f"net{ending}.gz"):
        io.save(io.Stored.of(net, {"score": 1.5}), path)
        found = io.load(path)
        assert found.graph == net.graph
        if found.net is None:
            continue
        rows = linear(9).columns
        assert found.net.models == net.models
        assert found.net.variables == net.variables
        assert (log_density(found.net, rows) == log_density(net, rows)).all()
        assert found.about == {"score": 1.5}


def test_some_format_keeps_numbers(tmp_path):
    net = small_net(next(iter(FAMILIES.values())))
    kept = []
    for ending in WRITTEN:
        path = tmp_path / f"net{ending}"
        io.save(io.Stored.of(net), path)
        kept.append(io.load(path).net is not None)
    assert any(kept)


@family_law
def test_moments_are_enough_or_refused_in_words(family):
    moments = Moments.of(linear(1))
    try:
        fits = family.bind(moments)
    except FitError as error:
        if "rows" not in str(error):
            raise
        return
    assert fits.loglik(0, PARENTS) == pytest.approx(family.bind(linear(1)).loglik(0, PARENTS))
    with pytest.raises(FitError, match="rows"):
        fits.loo(0, PARENTS)
    with pytest.raises(FitError, match="rows"):
        fits.held_out([np.arange(3)])


@pytest.mark.parametrize("word", FAMILIES)
def test_the_register_calls_families_by_their_names(word):
    assert FAMILIES[word].name == word
    assert isinstance(FAMILIES[word].conditional, type)
