"""The linear-Gaussian family: textbook regression, and the stated rules for awkward columns."""

import numpy as np
import pytest
from contracts.cases import linear, nasty, table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import gaussian as naive

from arcwise.conditionals import FAMILIES, GaussianConditional, GaussianFamily
from arcwise.conditionals.gaussian import FLOOR, GaussianFits
from arcwise.data import Moments, Variable
from arcwise.errors import FitError

gaussian = GaussianFamily()
SETS = [(), (1,), (2, 4), (1, 2, 3, 4)]


def test_coefficients_and_errors_are_those_of_textbook_regression():
    source = linear(1)
    y, x = source.columns[0], np.column_stack([source.columns[j] for j in (1, 2, 4)])
    model = gaussian.bind(source).conditional(0, (1, 2, 4))
    design = np.column_stack([np.ones(len(y)), x])
    beta = np.linalg.solve(design.T @ design, design.T @ y)
    rss = np.sum((y - design @ beta) ** 2)
    spread = rss / (len(y) - 4) * np.linalg.inv(design.T @ design)
    assert [model.intercept, *model.coefficients] == pytest.approx(beta)
    assert model.variance == pytest.approx(rss / len(y))
    assert model.standard_errors == pytest.approx(np.sqrt(np.diag(spread)))
    np.testing.assert_allclose(model.spread, spread, rtol=1e-6)
    assert model.rows == len(y)
    assert model.redundant == (False,) * 3
    assert not model.at_floor


@pytest.mark.parametrize("weights", [None, "counts", "fractions"])
def test_loglik_is_that_of_least_squares(weights):
    source, rng = linear(2), np.random.default_rng(1)
    given = {
        None: None,
        "counts": rng.integers(0, 5, 80),
        "fractions": rng.random(80),
    }[weights]
    source = source if given is None else source.with_weights(given)
    fits = gaussian.bind(source)
    for child in range(5):
        sets = list(naive.parent_sets(5, child))
        expected = [naive.loglik(source.matrix(), child, s, given) for s in sets]
        assert fits.loglik(child, sets) == pytest.approx(expected, rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.floats(-6, 6), st.floats(-8, 8))
def test_shift_and_scale_change_the_fit_as_they_must(seed, power, shift):
    """Far from zero and in odd units the residuals are the same: moments are centred."""
    source, factor = linear(seed, rows=30, p=3), 10.0**power
    centre = shift * 1e4 * factor * source.columns[1].std()
    moved = table(
        {
            "v0": source.columns[0],
            "v1": source.columns[1] * factor + centre,
            "v2": source.columns[2],
        }
    )
    a, b = (gaussian.bind(each).conditional(0, (1, 2)) for each in (source, moved))
    assert b.variance == pytest.approx(a.variance, rel=1e-6)
    assert b.coefficients[0] * factor == pytest.approx(a.coefficients[0], rel=1e-4, abs=1e-9)
    assert b.coefficients[1] == pytest.approx(a.coefficients[1], rel=1e-4, abs=1e-9)


def test_a_redundant_parent_gets_no_coefficient_and_costs_a_parameter():
    source = nasty()
    fits = gaussian.bind(source)
    a, b, constant, copy, total, two = (
        source.names.index(n) for n in ("a", "b", "constant", "copy", "sum", "two")
    )
    model = fits.conditional(two, (a, b, constant, copy, total))
    assert model.redundant == (False, False, True, True, True)
    assert model.coefficients[2:].tolist() == [0.0, 0.0, 0.0]
    plain = fits.conditional(two, (a, b))
    assert model.variance == pytest.approx(plain.variance)
    assert model.coefficients[:2] == pytest.approx(plain.coefficients)
    assert model.n_params == plain.n_params + 3
    assert fits.loglik(two, [(a, b, constant, copy, total)]) == pytest.approx(
        fits.loglik(two, [(a, b)])
    )
    assert np.isfinite(model.spread).all()
    assert model.standard_errors[3:].tolist() == [0.0, 0.0, 0.0]


def test_a_determined_child_stays_at_the_floor():
    source = nasty()
    names = source.names
    model = gaussian.bind(source).conditional(names.index("copy"), (names.index("a"),))
    assert model.at_floor
    assert model.coefficients == pytest.approx([1.0])
    assert model.variance == pytest.approx(FLOOR * source.column("copy").var())


@pytest.mark.parametrize("value", [0.0, 7.0, -1e9, 0.1])
def test_a_constant_has_the_stated_spread_and_no_relations(value):
    rng = np.random.default_rng(1)
    source = table({"a": rng.normal(size=30), "k": np.full(30, value)})
    fits = gaussian.bind(source)
    model = fits.conditional(1, (0,))
    assert model.at_floor
    assert model.coefficients.tolist() == [0.0]
    assert model.intercept == pytest.approx(value)
    assert model.sd == pytest.approx(1e-6 * max(1.0, abs(value)))
    assert fits.loglik(1, [(), (0,)]) == pytest.approx([fits.loglik(1, [()])[0]] * 2)
    assert fits.loglik(0, [(), (1,)]) == pytest.approx([fits.loglik(0, [()])[0]] * 2)


def refitted(source, child, parents, parts) -> float:
    """Held-out log-likelihood by fitting the family anew, whatever the columns."""
    out = 0.0
    for part in parts:
        rest = source.take(np.setdiff1d(np.arange(source.rows), part))
        unseen = source.take(part)
        model = gaussian.bind(rest).conditional(child, parents)
        xs = tuple(unseen.columns[j] for j in parents)
        out += float(np.sum(model.logpdf(unseen.columns[child], xs)))
    return out


@pytest.mark.parametrize("child", ["a", "constant", "two"])
def test_held_out_scores_follow_the_rules_for_constants(child):
    source = nasty()
    number = source.names.index(child)
    parts = np.array_split(np.random.default_rng(1).permutation(source.rows), 4)
    others = tuple(x for x in range(len(source.names)) if source.names[x] in ("b", "constant"))
    sets = [(), tuple(x for x in others if x != number)]
    found = gaussian.bind(source).held_out(parts).loglik(number, sets)
    assert found == pytest.approx([refitted(source, number, s, parts) for s in sets], rel=1e-6)


def test_a_column_that_varies_in_one_part_only_is_scored_as_refitting_does():
    """Outside that part it is a constant: the stated spread applies, not a division by nothing."""
    rare = np.zeros(20)
    rare[3] = 1.0
    rng = np.random.default_rng(1)
    source = table({"rare": rare, "x": rng.normal(size=20)})
    parts = np.array_split(np.arange(20), 4)
    fits = gaussian.bind(source)
    held = fits.held_out(parts)
    rare_number, x = 0, 1
    for child, parents in ((x, (rare_number,)), (rare_number, ()), (rare_number, (x,))):
        expected = refitted(source, child, parents, parts)
        assert held.loglik(child, [parents])[0] == pytest.approx(expected, rel=1e-6)


def test_leave_one_out_of_a_column_with_one_odd_value_is_finite():
    rare = np.zeros(20)
    rare[3] = 1.0
    source = table({"rare": rare, "x": np.random.default_rng(1).normal(size=20)})
    fits = gaussian.bind(source)
    for child, parents in ((1, (0,)), (0, ()), (0, (1,))):
        assert np.isfinite(fits.loo(child, [parents])).all()


def test_one_row_and_fewer_rows_than_columns_give_numbers():
    one = table({"a": [1.0], "b": [2.0], "c": [3.0]})
    fits = gaussian.bind(one)
    assert np.isfinite(fits.loglik(0, [(), (1,), (1, 2)])).all()
    assert np.isinf(fits.conditional(0, (1, 2)).spread).all()  # nothing is known of its errors
    few = gaussian.bind(linear(1, rows=4, p=6))
    sets = list(naive.parent_sets(6, 0))
    assert np.isfinite(few.loglik(0, sets)).all()
    assert np.isfinite(few.loo(0, sets)).all()
    model = few.conditional(0, (1, 2, 3, 4, 5))
    assert model.at_floor
    assert sum(model.redundant) == 2  # four rows leave three free columns


def test_moments_say_all_that_rows_do_for_the_likelihood():
    source = linear(3)
    by_rows, by_moments = gaussian.bind(source), gaussian.bind(Moments.of(source))
    for child in range(5):
        sets = list(naive.parent_sets(5, child))
        assert by_rows.loglik(child, sets) == pytest.approx(by_moments.loglik(child, sets))
    a, b = by_rows.conditional(0, (1, 2)), by_moments.conditional(0, (1, 2))
    assert a.coefficients == pytest.approx(b.coefficients)
    with pytest.raises(FitError, match="rows of the table"):
        by_moments.loo(0, [()])


def test_numbers_that_make_no_density_are_rejected():
    for numbers in ((np.nan, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, np.inf)):
        with pytest.raises(FitError, match="positive variance"):
            GaussianConditional(numbers[0], np.zeros(0), numbers[1], np.zeros((1, 1)), 0.0)
    with pytest.raises(FitError, match="no row is left"):
        gaussian.bind(linear(1, rows=5)).held_out([np.arange(5)])


def test_arrays_of_a_fitted_model_are_closed():
    model = gaussian.bind(linear(1)).conditional(0, (1,))
    with pytest.raises(ValueError, match="read-only"):
        model.coefficients[0] = 1.0


def test_parameters_are_counted_by_the_number_of_parents():
    fits = FAMILIES["gaussian"].bind(linear(1))
    assert isinstance(fits, GaussianFits)
    sets = [(), (1,), (1, 3), (1, 2, 3), (1, 2, 3, 4)]
    assert fits.params_by_size()[:5].tolist() == fits.n_params(0, sets).tolist()
    for parents in sets:
        assert fits.conditional(0, parents).n_params == fits.n_params(0, [parents])[0]


def test_fit_takes_columns_of_any_number_type():
    y, x = np.array([1, 2, 4]), np.array([1, 2, 3], dtype=np.uint8)
    model = gaussian.fit(y, (x,), Variable("y"), (Variable("x"),))
    assert model.coefficients == pytest.approx([1.5])


def test_leave_one_out_of_a_row_that_a_regression_cannot_do_without():
    """A column with a single 1 has leverage 1 there: without the row it is a constant."""
    rng = np.random.default_rng(0)
    single, x, y = np.zeros(50), rng.normal(size=50), rng.normal(size=50)
    single[7], y[7] = 1.0, 9.0
    source = table({"single": single, "x": x, "y": y})
    sets = [(), (0,), (0, 1), (1,)]
    rows = [np.array([i]) for i in range(50)]
    expected = [refitted(source, 2, parents, rows) for parents in sets]
    assert gaussian.bind(source).loo(2, sets) == pytest.approx(expected, rel=1e-9)


def test_the_likelihood_at_the_floor_is_that_of_the_fitted_model():
    a = np.random.default_rng(0).normal(size=100)
    source = table({"a": a, "b": a.copy(), "c": np.full(100, 3.0)})
    fits = gaussian.bind(source)
    for child, parents in ((1, (0,)), (1, ()), (2, ()), (2, (0,))):
        model = fits.conditional(child, parents)
        logs = model.logpdf(source.columns[child], tuple(source.columns[j] for j in parents))
        assert fits.loglik(child, [parents])[0] == pytest.approx(logs.sum(), abs=1e-3)


def test_sets_that_make_no_sense_are_rejected_by_the_kernel():
    fits = gaussian.bind(linear(3))
    for parents in ((0,), (1, 1), (99,), (-1,), (2, 1)):
        with pytest.raises((IndexError, ValueError)):
            fits.loglik(0, [parents])
