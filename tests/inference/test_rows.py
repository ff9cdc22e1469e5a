"""Tables of questions: every pattern of gaps against row-by-row brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from shared_networks import (
    dense_conditional,
    dense_moments,
    gaussian_net,
    published_net,
    random_net,
)

from arcwise.data import Table, Variable
from arcwise.errors import DataError, FitError
from arcwise.graphs import DAG
from arcwise.inference import impute, marginal_log_density, misses, predict
from arcwise.inference.evidence import patterns
from arcwise.networks import BayesNet, ancestral, cut, log_density


def with_gaps(table, gaps):
    columns = tuple(np.where(gaps[:, i], np.nan, c) for i, c in enumerate(table.columns))
    return Table(table.variables, columns)


def all_patterns(net, rng):
    """One row for each way to know or not know the variables."""
    gaps = np.array(list(product([False, True], repeat=len(net.names))))
    return with_gaps(ancestral(net, rng, len(gaps)), gaps), gaps


@pytest.fixture(params=range(3))
def net(request):
    return random_net(np.random.default_rng(request.param), 5, 0.5)


def test_prediction_with_every_pattern_of_gaps(net):
    table, gaps = all_patterns(net, np.random.default_rng(9))
    moments, matrix = dense_moments(net), table.matrix()
    found = predict(net, table, net.names[2])
    for row, known in enumerate(~gaps):
        values = {i: matrix[row, i] for i in np.flatnonzero(known) if i != 2}
        mean, covariance = dense_conditional(*moments, [2], values)
        assert found.mean[row] == pytest.approx(mean[0], abs=1e-7)
        assert found.sd[row] == pytest.approx(np.sqrt(covariance[0, 0]), abs=1e-7)


def test_imputation_with_every_pattern_of_gaps(net):
    table, gaps = all_patterns(net, np.random.default_rng(9))
    moments, matrix = dense_moments(net), table.matrix()
    filled = impute(net, table).matrix()
    assert np.array_equal(filled[~gaps], matrix[~gaps])
    for row, hidden in enumerate(gaps):
        targets = np.flatnonzero(hidden).tolist()
        values = {i: matrix[row, i] for i in np.flatnonzero(~hidden)}
        expected, _ = dense_conditional(*moments, targets, values)
        np.testing.assert_allclose(filled[row, targets], expected, atol=1e-7)


def test_density_with_every_pattern_of_gaps(net):
    table, gaps = all_patterns(net, np.random.default_rng(9))
    mean, covariance = dense_moments(net)
    found = marginal_log_density(net, table)
    for row, known in enumerate(~gaps):
        seen = np.flatnonzero(known)
        if not len(seen):
            assert found[row] == 0.0
            continue
        law = multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])
        assert found[row] == pytest.approx(law.logpdf(table.matrix()[row, seen]), rel=1e-7)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_random_gaps_in_random_networks(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, 8, 0.3)
    gaps = rng.random((12, 8)) < 0.4
    table = with_gaps(ancestral(net, rng, 12), gaps)
    mean, covariance = dense_moments(net)
    found, filled = marginal_log_density(net, table), impute(net, table).matrix()
    for row, hidden in enumerate(gaps):
        seen, targets = np.flatnonzero(~hidden), np.flatnonzero(hidden).tolist()
        if len(seen):
            law = multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])
            assert found[row] == pytest.approx(law.logpdf(table.matrix()[row, seen]), rel=1e-5)
        values = {i: table.matrix()[row, i] for i in seen}
        expected, _ = dense_conditional(mean, covariance, targets, values)
        np.testing.assert_allclose(filled[row, targets], expected, rtol=1e-5, atol=1e-5)


def test_complete_rows_have_the_plain_density(net):
    table = ancestral(net, np.random.default_rng(1), 30)
    assert np.array_equal(marginal_log_density(net, table), log_density(net, table.columns))


def test_the_targets_own_values_are_ignored(net):
    table = ancestral(net, np.random.default_rng(1), 10)
    name = net.names[0]
    bare = table.select([other for other in table.order if other != name])
    first, second = predict(net, table, name), predict(net, bare, name)
    assert np.array_equal(first.mean, second.mean)
    assert first.notes == second.notes == ()


def test_a_table_of_the_target_alone_is_predicted_by_the_mean(net):
    name = net.names[1]
    rows = Table((Variable(name),), (np.array([3.0, np.nan]),))
    found = predict(net, rows, name)
    np.testing.assert_allclose(found.mean, dense_moments(net)[0][1])


CHAIN = gaussian_net({"a": (1, {}, 2), "b": (0, {"a": 2}, 1), "c": (-1, {"b": 0.5}, 0.5)})


def test_absent_columns_are_gaps_and_extra_ones_are_noted():
    rows = Table((Variable("a"), Variable("z")), (np.array([2.0]), np.array([1.0])))
    found = predict(CHAIN, rows, "c")
    assert found.mean[0] == pytest.approx(1.0)
    assert tuple(map(str, found.notes)) == (
        "The network has no variable 'z': ignored.",
        "The table has no column 'b': missing in every row.",
    )
    filled = impute(CHAIN, rows)
    assert filled.names == ("a", "b", "c")
    assert filled.column("b")[0] == pytest.approx(4.0)


def test_unknown_target_is_answered_with_close_names():
    with pytest.raises(DataError, match=r"no variable 'C'\. Did you mean 'c'"):
        predict(CHAIN, Table((Variable("a"),), (np.ones(1),)), "C")


def test_no_rows():
    rows = Table((Variable("a"),), (np.ones(0),))
    assert len(predict(CHAIN, rows, "c")) == 0
    assert str(predict(CHAIN, rows, "c")).startswith("c: no rows to predict")
    assert impute(CHAIN, rows).rows == 0
    assert marginal_log_density(CHAIN, rows).shape == (0,)


def test_drawn_imputations_have_the_right_joint_law():
    rows = Table((Variable("b"),), (np.full(100_000, 3.0),))
    filled = impute(CHAIN, rows, np.random.default_rng(4))
    mean, covariance = dense_conditional(*dense_moments(CHAIN), [0, 2], {1: 3.0})
    drawn = np.array([filled.column("a"), filled.column("c")])
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.02)
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.02)
    again = impute(CHAIN, rows, np.random.default_rng(4))
    assert np.array_equal(filled.matrix(), again.matrix())


def test_drawn_imputations_keep_correlations_of_gaps():
    rows = Table((Variable("a"),), (np.full(50_000, 1.0),))
    filled = impute(CHAIN, rows, np.random.default_rng(4))
    _, covariance = dense_conditional(*dense_moments(CHAIN), [1, 2], {0: 1.0})
    drawn = np.array([filled.column("b"), filled.column("c")])
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.03)


def test_the_given_table_is_not_changed():
    column = np.array([1.0, np.nan])
    rows = Table((Variable("a"), Variable("b")), (column, np.array([2.0, 2.0])))
    impute(CHAIN, rows)
    assert np.isnan(rows.column("a")[1])
    assert impute(CHAIN, rows).column("a")[0] == 1.0


def test_predictions_read_as_arrays_and_text():
    rows = Table((Variable("a"),), (np.array([0.0, 1.0, np.nan]),))
    found = predict(CHAIN, rows, "b")
    low, high = found.interval(0.9)
    np.testing.assert_allclose(found.quantiles([0.05, 0.95]), np.column_stack([low, high]))
    np.testing.assert_allclose(found.quantiles(0.5), found.mean)
    assert list(found.to_dict()) == ["mean", "sd", "low", "high"]
    summary, head, first, *_ = str(found).splitlines()
    assert summary == "b: 3 predictions between 0 and 2, sd 1 to 4.123"
    assert head.split() == ["mean", "sd", "low", "high"]
    assert first.split() == ["0", "1", "-1.96", "1.96"]
    assert repr(found) == f"<Predictions: {summary}>"
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 1.0


def test_a_row_that_contradicts_the_network():
    net = gaussian_net({"a": (0, {}, 1), "b": (0, {"a": 2}, 1e-30), "c": (0, {"a": 3}, 1e-30)})
    good = Table((Variable("b"), Variable("c")), (np.array([4.0]), np.array([6.0])))
    assert predict(net, good, "a").mean[0] == pytest.approx(2.0)
    assert predict(net, good, "a").sd[0] == 0.0
    bad = Table((Variable("b"), Variable("c")), (np.array([4.0]), np.array([7.0])))
    with pytest.raises(FitError, match="contradicts itself"):
        predict(net, bad, "a")


def test_density_after_setting_a_value():
    after = cut(CHAIN, {1: 2.0})
    rows = Table((Variable("b"), Variable("c")), (np.array([2.0, 3.0]), np.array([0.0, 0.0])))
    found = marginal_log_density(after, rows)
    assert found[0] == pytest.approx(-0.5 * np.log(2 * np.pi) + np.log(2))
    assert found[1] == -np.inf


def test_gaps_in_discrete_networks_are_summed_over():
    class Coin:
        word = "discrete"
        n_params = 1

        def logpdf(self, y, xs):
            return np.full(len(y), np.log(0.25))

    net = BayesNet((Variable("c", (0, 1)),), DAG.empty(["c"]), (Coin(),))
    rows = Table((Variable("c", (0, 1)),), (np.array([0, 2], dtype=np.uint8),))
    assert marginal_log_density(net, rows).tolist() == [np.log(0.25), 0.0]


@settings(max_examples=30)
@given(st.integers(0, 30), st.integers(1, 20), st.integers(0, 10**6))
def test_patterns_cover_every_row_once(rows, columns, seed):
    gaps = np.random.default_rng(seed).random((rows, columns)) < 0.2
    seen = []
    for places, known in patterns(gaps):
        for row in places:
            assert set(np.flatnonzero(~gaps[row]).tolist()) == known
        seen += places.tolist()
    assert sorted(seen) == list(range(rows))


def test_published_network_with_gaps(shared_data):
    net = published_net(shared_data, "arth150")
    rng = np.random.default_rng(5)
    gaps = rng.random((6, len(net.names))) < 0.3
    table = with_gaps(ancestral(net, rng, 6), gaps)
    mean, covariance = dense_moments(net)
    found = marginal_log_density(net, table)
    for row in range(6):
        seen = np.flatnonzero(~gaps[row])
        law = multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])
        assert found[row] == pytest.approx(law.logpdf(table.matrix()[row, seen]), rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_residuals_are_the_errors_of_predicting_each_variable(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, 7)
    rows = ancestral(net, rng, 40)
    expected = [rows.column(name) - predict(net, rows, name).mean for name in rows.names]
    np.testing.assert_allclose(misses(net, rows).errors, np.column_stack(expected), atol=1e-9)


@pytest.mark.filterwarnings("error")
def test_rows_too_far_out_have_no_density_and_no_prediction():
    net = gaussian_net({"a": (0, {}, 1), "b": (0, {"a": 1e10}, 1), "c": (0, {"a": -3, "b": 1}, 1)})
    columns = {"a": [1e300, 1.0, np.nan], "b": [1e300, np.nan, 1e308], "c": [0.0, 1e308, -1e308]}
    table = Table(tuple(map(Variable, columns)), tuple(map(np.array, columns.values())))
    assert (marginal_log_density(net, table) == -np.inf).all()
    assert marginal_log_density(net, table.take([0])).tolist() == [-np.inf]
    with pytest.raises(FitError, match="too extreme"):
        predict(net, Table((Variable("a"),), (np.array([1e300]),)), "b")
