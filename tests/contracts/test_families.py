"""Laws of every registered local model, and of throw-away ones, on every kind of columns that they take."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.cases import KINDS, TABLES, awkward, kinds_of, linear, whole_kinds_of
from contracts.laplace import Laplace
from contracts.multinomial import Multinomial
from scipy.integrate import cumulative_trapezoid
from scipy.stats import chisquare, kstest, norm

from arcwise import io
from arcwise.conditionals import (
    CONDITIONALS,
    FAMILIES,
    Conditional,
    DiscreteConditional,
    ParzenConditional,
    distribution_of,
    linear_of,
    prepare,
    table_of,
)
from arcwise.data import Complete, Moments, Table
from arcwise.errors import DataError, FileError, FitError
from arcwise.graphs import DAG
from arcwise.networks import BayesNet, FixedValue, ancestral, log_density
from arcwise.scores import leave_one_out
from arcwise.undirected.edge_removal import boundary

EVERY = [*FAMILIES.values(), Laplace(), Multinomial()]
PARENTS = [(), (1,), (1, 3), (1, 2, 3, 4)]

ON = [(family, kind) for family in EVERY for kind in kinds_of(family)]
family_law = pytest.mark.parametrize("family", EVERY, ids=lambda family: family.name)
kind_law = pytest.mark.parametrize(
    ("family", "kind"), ON, ids=[f"{family.name} {kind}" for family, kind in ON]
)
whole = [(family, kind) for family in EVERY for kind in whole_kinds_of(family)]
whole_law = pytest.mark.parametrize(
    ("family", "kind"), whole, ids=[f"{family.name} {kind}" for family, kind in whole]
)
parents_law = pytest.mark.parametrize("parents", PARENTS, ids=len)


def test_every_family_declares_columns_that_some_table_has():
    assert {family.name for family, _ in ON} == {family.name for family in EVERY}
    assert {kind for _, kind in ON} == set(TABLES)


@family_law
def test_every_family_meets_every_kind_of_parent_that_it_takes(family):
    met = [
        {KINDS[kind][j] for j in parents}
        for each, kind in ON
        if each is family
        for parents in PARENTS
    ]
    assert set().union(*met) == family.parent_kinds
    assert set(family.parent_kinds) in met  # together, too


def fitted(family, source: Table, child: int, parents) -> Conditional:
    return family.fit(
        source.columns[child],
        tuple(source.columns[j] for j in parents),
        source.variables[child],
        tuple(source.variables[j] for j in parents),
        weights=source.weights,
    )


def without(model: Conditional, rest: Table, parents) -> Conditional | None:
    """A model on other rows, its bandwidths and scales held fixed; None where it has no such things."""
    if not isinstance(model, ParzenConditional):
        return None
    weights = np.ones(rest.rows) if rest.weights is None else rest.weights
    inputs = tuple(rest.columns[j] for j in parents)
    return replace(model, output=rest.columns[0], inputs=inputs, weights=weights)


def at(source: Table, parents, row: int, size: int):
    """The parents' values of one row, repeated."""
    return tuple(np.full(size, source.columns[j][row]) for j in parents)


def law(model: Conditional, source: Table, parents, row: int):
    """All values that the first column may have, with the distribution function up to each of them.

    A density is integrated over a fine grid, far beyond the data; probabilities of levels are summed.
    """
    variable, column = source.variables[0], source.columns[0]
    if variable.levels is not None:
        values = np.arange(len(variable.levels), dtype=column.dtype)
        return values, np.cumsum(
            np.exp(model.logpdf(values, at(source, parents, row, len(values))))
        )
    reach = 30 * column.std()
    values = np.linspace(column.min() - reach, column.max() + reach, 200_001)
    density = np.exp(model.logpdf(values, at(source, parents, row, len(values))))
    return values, cumulative_trapezoid(density, values, initial=0.0)


def near(kind: str) -> float:
    """How close numbers are; the likelihood of levels is so flat that bandwidths are known less sharply."""
    return 1e-7 if kind == "continuous" else 3e-6


@kind_law
@parents_law
def test_the_density_integrates_or_sums_to_one(family, kind, parents):
    source = TABLES[kind](1)
    model = fitted(family, source, 0, parents)
    for row in (0, 7, 41):
        _, below = law(model, source, parents, row)
        assert below[-1] == pytest.approx(1.0, abs=1e-6)
        assert (np.diff(below) >= 0).all()


@kind_law
@parents_law
def test_samples_agree_with_the_density(family, kind, parents):
    source = TABLES[kind](2)
    model = fitted(family, source, 0, parents)
    size = 4000
    drawn = model.sample(at(source, parents, 5, size), np.random.default_rng(3), size)
    values, below = law(model, source, parents, 5)
    if source.variables[0].levels is not None:
        assert drawn.dtype == source.columns[0].dtype
        expected = size * np.diff(below, prepend=0.0)
        counts = np.bincount(drawn, minlength=len(values))
        common = expected > 5  # what is rarer is taken together
        seen, hoped = (np.append(x[common], x[~common].sum()) for x in (counts, expected))
        assert (counts[expected < 1e-9] == 0).all()
        used = hoped > 0
        assert chisquare(seen[used], hoped[used] * size / hoped.sum()).pvalue > 1e-3
        return
    assert kstest(drawn, lambda y: np.interp(y, values, below)).pvalue > 1e-3
    middle = float(values @ np.diff(below, prepend=0.0))
    assert abs(drawn.mean() - middle) < 5 * drawn.std() / np.sqrt(size)


@kind_law
@parents_law
def test_what_a_model_can_be_read_as_has_its_density(family, kind, parents):
    source = TABLES[kind](2)
    model, variable = fitted(family, source, 0, parents), source.variables[0]
    xs = tuple(source.columns[j] for j in parents)
    linear, table = linear_of(model), table_of(model, len(variable.levels or ()))
    if linear is not None:
        assert not variable.discrete
        mean = linear.intercept + sum(map(np.multiply, linear.coefficients, xs), np.zeros(()))
        logs = norm.logpdf(source.columns[0], mean, linear.sd)
        assert model.logpdf(source.columns[0], xs) == pytest.approx(logs, rel=1e-9, abs=1e-9)
        assert linear.variance == pytest.approx(linear.sd**2)
        assert linear.spread.shape == (len(parents) + 1,) * 2
    if table is not None:
        assert table.shape == tuple(len(source.variables[j].levels) for j in (*parents, 0))
        logs = np.log(table[(*xs, source.columns[0])])
        assert model.logpdf(source.columns[0], xs) == pytest.approx(logs)
    assert linear is None or table is None
    always = {"gaussian": linear, "discrete": table}
    if family.name in always:
        assert always[family.name] is not None
    elif family.name not in ("glm", "curved"):  # whose form decides
        assert linear is None
        assert table is None


def test_a_value_that_was_set_reads_as_a_regression_and_as_a_table():
    model = FixedValue(2.0)
    linear = linear_of(model)
    assert (linear.intercept, linear.sd, linear.variance, len(linear.coefficients)) == (2, 0, 0, 0)
    assert table_of(model, 4).tolist() == [0, 0, 1, 0]


@kind_law
@parents_law
def test_distributions_are_those_of_the_density(family, kind, parents):
    source = TABLES[kind](2)
    model, variable = fitted(family, source, 0, parents), source.variables[0]
    found = distribution_of(model, variable, at(source, parents, 5, 3), 3)
    values, below = law(model, source, parents, 5)
    if variable.levels is not None:
        expected = np.diff(below, prepend=0.0)
        np.testing.assert_allclose(found.probabilities, np.tile(expected, (3, 1)), atol=1e-9)
        return
    inner = np.linspace(*np.interp([0.02, 0.98], below, values), 9)
    np.testing.assert_allclose(
        found.cdf(np.tile(inner, (3, 1))),
        np.tile(np.interp(inner, values, below), (3, 1)),
        atol=5e-3,
    )


@kind_law
@parents_law
def test_the_order_of_parents_does_not_matter(family, kind, parents):
    source = TABLES[kind](4)
    model = fitted(family, source, 0, parents)
    turned = fitted(family, source, 0, parents[::-1])
    xs = tuple(source.columns[j] for j in parents)
    forth = model.logpdf(source.columns[0], xs)
    np.testing.assert_allclose(turned.logpdf(source.columns[0], xs[::-1]), forth, rtol=1e-6)


@kind_law
def test_bound_answers_are_those_of_single_fits(family, kind):
    source = TABLES[kind](5)
    fits = family.bind(source)
    assert fits.nodes == source.names
    assert fits.rows == source.rows
    for parents in PARENTS:
        model = fitted(family, source, 0, parents)
        assert model.word == family.conditional.word
        xs = tuple(source.columns[j] for j in parents)
        logs = model.logpdf(source.columns[0], xs)
        again = fits.conditional(0, parents).logpdf(source.columns[0], xs)
        np.testing.assert_allclose(again, logs, rtol=near(kind))
        assert fits.takes(0, parents)
        if (
            fits.smoothed
        ):  # the likelihood of scores is the largest, and not that of the smoothed model
            assert fits.loglik(0, [parents])[0] > logs.sum()
            model = family.bind(source, alpha=0.0).conditional(0, parents)
            logs = model.logpdf(source.columns[0], xs)
        assert fits.loglik(0, [parents])[0] == pytest.approx(
            logs.sum(), rel=1e-9 if kind == "continuous" else 1e-6
        )
        if model.n_params is not None:
            assert fits.n_params(0, [parents])[0] == model.n_params


@family_law
def test_sets_that_a_family_cannot_take_score_minus_infinity_and_are_not_fitted(family):
    """Bound to columns of another kind beside its own, as families of several kinds of variables are."""
    foreign = [kind for kind in ("continuous", "discrete") if kind not in family.parent_kinds]
    if not foreign or type(family).fits is not Laplace.fits:
        pytest.skip("it takes parents of every kind, or is bound to numbers as a whole")
    own = TABLES[next(kind for kind in TABLES if kind in family.kinds)](1, rows=20)
    other = TABLES[foreign[0]](1, rows=20)
    both = Table(
        (own.variables[0], own.variables[1], other.variables[2]),
        (own.columns[0], own.columns[1], other.columns[2]),
    )
    fits = family.bind(both)
    sets = [(), (1,), (2,), (1, 2)]
    parts = np.array_split(np.arange(20), 4)
    for found in (fits.loglik(0, sets), fits.loo(0, sets), fits.held_out(parts).loglik(0, sets)):
        assert (np.isneginf(found) == [False, False, True, True]).all()
    assert (fits.n_params(0, sets)[2:] == 0).all()
    assert [fits.takes(0, s) for s in sets] == [True, True, False, False]
    with pytest.raises(
        FitError, match=rf"no {family.name} model of 'v0' .* given 'v2' \({foreign[0]}\)"
    ):
        fits.conditional(0, (2,))
    with pytest.raises(DataError, match="v2"):
        prepare(family, Complete(both))


@kind_law
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_refitting_without_each_row(family, kind, weighted):
    source = TABLES[kind](6, rows=25)
    if weighted:
        counts = np.random.default_rng(1).integers(1, 4, size=25)
        source = source.with_weights(counts, "together")
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
    found = family.bind(source).loo(0, sets)
    assert found == pytest.approx(expected, rel=0.1 * near(kind))


@kind_law
@pytest.mark.parametrize("weighted", [False, True])
def test_held_out_parts_are_scored_by_the_fit_of_the_rest(family, kind, weighted):
    source = TABLES[kind](7, rows=30)
    if weighted:
        counts = np.random.default_rng(1).integers(1, 4, size=30)
        source = source.with_weights(counts, "together")
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


@kind_law
def test_weights_count_rows_several_times(family, kind):
    source = TABLES[kind](8, rows=30)
    counts = np.random.default_rng(1).integers(0, 4, size=30)
    once = source.with_weights(counts)
    several = source.take(np.repeat(np.arange(30), counts))
    a, b = family.bind(once), family.bind(several)
    assert a.rows == b.rows == counts.sum()
    assert a.loglik(0, PARENTS) == pytest.approx(b.loglik(0, PARENTS), rel=1e-7)


@family_law
def test_awkward_columns_are_fitted_and_stay_finite(family):
    for source in awkward(family):
        fits, p = family.bind(source), len(source.names)
        for child in [x for x in range(p) if source.variables[x].kind in family.kinds]:
            others = tuple(x for x in range(p) if x != child)
            sets = [(), (others[0],), (others[-1],), others]
            for found in (fits.loglik(child, sets), fits.loo(child, sets)):
                assert np.isfinite(found).all(), source.names[child]
            model = fits.conditional(child, others)
            xs = tuple(source.columns[j] for j in others)
            assert np.isfinite(model.logpdf(source.columns[child], xs)).all()
            assert np.isfinite(model.sample(xs, np.random.default_rng(1), source.rows)).all()


def partner(family, kind, child: int, parents):
    """The family itself, or the first one that takes a child which it does not take, given its parents."""
    known = {KINDS[kind][j] for j in parents}
    return next(
        each
        for each in (family, *EVERY)
        if KINDS[kind][child] in each.kinds and known <= each.parent_kinds
    )


def small_net(family, kind) -> BayesNet:
    source = TABLES[kind](9)
    graph = DAG.from_arcs([("v1", "v0"), ("v1", "v3"), ("v0", "v3"), ("v3", "v4")], source.names)
    models = tuple(
        partner(family, kind, child, row).bind(source).conditional(child, row)
        for child, row in enumerate(graph.parents)
    )
    return BayesNet(source.variables, graph, models)


@kind_law
def test_networks_multiply_the_densities_and_draw_from_them(family, kind):
    net = small_net(family, kind)
    own = [child for child in range(5) if KINDS[kind][child] in family.kinds]
    assert {net.models[child] for child in own} == {family.conditional.word}
    drawn = ancestral(net, np.random.default_rng(1), 3000)
    total, last = log_density(net, drawn.columns), drawn.columns[4]
    assert total.shape == (3000,)
    local, other = net.conditionals[4].logpdf(last, (drawn.columns[3],)), np.full_like(last, 1)
    without = log_density(net, (*drawn.columns[:4], other))
    fixed = net.conditionals[4].logpdf(other, (drawn.columns[3],))
    np.testing.assert_allclose(total - without, local - fixed, rtol=1e-9, atol=1e-9)
    # Draws give back what they came from: in expectation no model of theirs is more likely.
    again = family.bind(drawn).conditional(4, (3,)).logpdf(last, (drawn.columns[3],))
    assert again.mean() == pytest.approx(local.mean(), abs=0.1)


@whole_law
def test_boundaries_are_learned_from_the_complete_graph(family, kind):
    path = boundary(leave_one_out(family.bind(TABLES[kind](3, rows=16, p=4))))
    edges = [path.at(penalty).n_edges for penalty in (0.0, 0.05, 0.2, 10.0)]
    assert edges == sorted(edges, reverse=True)
    assert edges[-1] == 0


WRITTEN = [end for end, form in io.FORMATS.items() if form.read and form.write]


@kind_law
@pytest.mark.parametrize("ending", WRITTEN)
def test_saving_and_loading_give_the_network_back(family, kind, ending, tmp_path, monkeypatch):
    monkeypatch.setitem(FAMILIES, family.name, family)
    net = small_net(family, kind)
    if ending in io.DISCRETE and family.conditional is not DiscreteConditional:
        with pytest.raises(FileError, match="discrete networks only"):
            io.save(io.StoredNet.of(net), tmp_path / f"net{ending}")
        return
    for path in (tmp_path / f"net{ending}", tmp_path / f"net{ending}.gz"):
        io.save(io.StoredNet.of(net, {"score": 1.5}), path)
        found = io.load(path)
        assert found.graph == net.graph
        if found.net is None:
            continue
        rows = TABLES[kind](9).columns
        assert found.net.models == net.models
        assert (log_density(found.net, rows) == log_density(net, rows)).all()
        if ending in io.DISCRETE:  # whose levels are words
            assert found.net.names == net.names
            continue
        assert found.net.variables == net.variables
        assert found.about == {"score": 1.5}


def test_some_format_keeps_numbers(tmp_path):
    net = small_net(next(iter(FAMILIES.values())), "continuous")
    kept = []
    for ending in set(WRITTEN) - set(io.DISCRETE):
        path = tmp_path / f"net{ending}"
        io.save(io.StoredNet.of(net), path)
        kept.append(io.load(path).net is not None)
    assert any(kept)


@family_law
def test_moments_are_enough_or_rejected_with_a_message(family):
    moments = Moments.of(linear(1))
    try:
        fits = family.bind(moments)
    except FitError as error:
        if not any(word in str(error) for word in ("rows", "counts")):  # what it needs
            raise
        return
    assert fits.loglik(0, PARENTS) == pytest.approx(family.bind(linear(1)).loglik(0, PARENTS))
    with pytest.raises(FitError, match="rows"):
        fits.loo(0, PARENTS)
    with pytest.raises(FitError, match="rows"):
        fits.held_out([np.arange(3)])


@pytest.mark.parametrize("word", FAMILIES)
def test_the_registers_call_families_and_their_models_by_their_words(word, monkeypatch):
    assert FAMILIES[word].name == word
    assert CONDITIONALS[FAMILIES[word].conditional.word] is FAMILIES[word].conditional
    monkeypatch.delitem(FAMILIES, "multinomial", raising=False)
    before = len(CONDITIONALS)
    monkeypatch.setitem(FAMILIES, "multinomial", Multinomial())
    assert CONDITIONALS["multinomial"] is Multinomial.conditional
    assert len(CONDITIONALS) == len([*CONDITIONALS]) == before + 1
