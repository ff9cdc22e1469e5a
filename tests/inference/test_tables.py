"""Tables of questions to networks without a closed form: any gaps, exact rows, levels."""

from dataclasses import replace

import numpy as np
import pytest
from inference.kernels import (
    bent_points,
    kernel_answer,
    kernel_bayes,
    kernel_markov,
    switch_net,
)
from shared_networks import gaussian_net

import arcwise as aw
from arcwise.data import Table, Variable
from arcwise.errors import DataError, FitError
from arcwise.inference import impute, misses, predict, query

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
BENT = kernel_markov(POINTS, BANDWIDTHS)
NAN = np.nan
ROWS = np.array(
    [
        [0.0, 0.2, 0.5],
        [0.0, NAN, 0.5],
        [NAN, 0.2, NAN],
        [0.0, NAN, NAN],
        [NAN, 0.2, 0.5],
        [NAN, NAN, -0.4],
    ]
)


def table(rows=ROWS):
    return Table(BENT.variables, tuple(np.ascontiguousarray(column) for column in rows.T))


@pytest.fixture(scope="module")
def found():
    return predict(BENT, table(), "a", sweeps=400, seed=1)


def test_every_pattern_of_gaps_is_right_within_its_error(found):
    for row, values in enumerate(ROWS):
        known = {i: values[i] for i in (1, 2) if not np.isnan(values[i])}
        mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, known)
        if len(known) == 2:
            assert found.error[row] == 0.0
            assert (found.rhat[row], found.ess[row]) == (1.0, np.inf)
            assert found.mean[row] == pytest.approx(mean)
            assert found.sd[row] == pytest.approx(sd)
        else:
            assert 0 < found.error[row] < 0.15
            assert abs(found.mean[row] - mean) < 4 * found.error[row]
            assert found.sd[row] == pytest.approx(sd, abs=0.1)


def test_rows_with_gaps_agree_with_single_questions(found):
    for row, values in enumerate(ROWS):
        given = {"abc"[i]: values[i] for i in (1, 2) if not np.isnan(values[i])}
        single = query(BENT, "a", given, seed=7)
        spread = np.hypot(single.error, found.error[row])
        assert abs(single.mean - found.mean[row]) <= 4 * spread + 1e-9
        low, high = (end[row] for end in found.interval(0.8))
        wanted = single.interval(0.8)
        assert (low, high) == (
            pytest.approx(wanted[0], abs=0.25),
            pytest.approx(wanted[1], abs=0.25),
        )


def test_log_densities_of_true_values(found):
    values = np.array([-1.0, 0.0, 1.0, 0.5, NAN, 2.0])
    logs = found.logdensity(values)
    for row in (0, 1, 5):
        known = {i: ROWS[row, i] for i in (1, 2) if not np.isnan(ROWS[row, i])}
        _, _, weights = kernel_answer(POINTS, BANDWIDTHS, 0, known)
        density = weights @ np.exp(-0.5 * ((values[row] - POINTS[0]) / BANDWIDTHS[0]) ** 2)
        expected = np.log(density / (BANDWIDTHS[0] * np.sqrt(2 * np.pi)))
        assert logs[row] == pytest.approx(expected, abs=1e-9 if row == 0 else 0.25)
    assert np.isnan(logs[4])
    with pytest.raises(DataError, match="6 predictions must have as many values, got 2"):
        found.logdensity([1.0, 2.0])


def test_predictions_show_the_face_of_exact_ones(found):
    assert len(found) == 6
    assert set(found.to_dict()) == {"mean", "sd", "low", "high", "error"}
    assert found.quantiles(0.5).shape == (6,)
    assert found.quantiles([0.1, 0.9]).shape == (6, 2)
    assert "6 predictions" in str(found)
    with pytest.raises(DataError, match="has no levels"):
        _ = found.probabilities
    exact = predict(gaussian_net({"x": (0, {}, 1)}), Table((Variable("x"),), (np.zeros(2),)), "x")
    assert exact.error.tolist() == [0.0, 0.0]
    assert exact.logdensity([0.0, NAN])[0] == pytest.approx(-0.9189385)
    assert np.isnan(exact.logdensity([0.0, NAN])[1])


def test_the_same_seed_predicts_the_same():
    one, two, other = (predict(BENT, table(), "a", seed=s, sweeps=20) for s in (1, 1, 2))
    assert (one.mean == two.mean).all()
    assert one.mean[1] != other.mean[1]
    assert one.mean[0] == other.mean[0]


def test_absent_columns_nothing_known_and_no_rows():
    rows = Table((Variable("c"), Variable("z")), (np.array([0.5]), np.ones(1)))
    found = predict(BENT, rows, "a", sweeps=20)
    assert any("no variable 'z'" in note for note in found.notes)
    assert any("no column 'b'" in note for note in found.notes)
    blank = predict(BENT, table(np.full((2, 3), NAN)), "a", sweeps=300)
    assert np.abs(blank.mean - POINTS[0].mean()).max() < 5 * blank.error.max()
    assert len(predict(BENT, table(ROWS[:0]), "a")) == 0
    with pytest.raises(DataError, match="no variable 'q'"):
        predict(BENT, table(), "q")


def test_rows_far_from_all_data_are_counted():
    rows = np.array([[0.0, 0.2, 900.0], [0.0, 0.2, 0.5]])
    found = predict(BENT, table(rows), "a")
    assert np.isfinite(found.mean).all()
    assert any("1 row lies more than 5 standard deviations" in note for note in found.notes)


def test_rows_whose_chains_disagree_are_counted():
    apart = kernel_markov(np.concatenate([POINTS, POINTS + 40], axis=1), BANDWIDTHS)
    found = predict(apart, table(np.array([[NAN, NAN, NAN], [NAN, 0.1, 0.2]])), "a", sweeps=40)
    assert any("In 1 of 1 simulated rows the chains disagree" in note for note in found.notes)


def test_large_tables_are_answered_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2500, 3))
    found = predict(BENT, table(rows), "a")
    expected = BENT.conditionals[0].distribution((rows[:, 1], rows[:, 2]), 2500).mean
    np.testing.assert_allclose(found.mean, expected)
    assert (found.error == 0).all()
    shares = found.distribution.cdf(found.quantiles(0.3))
    np.testing.assert_allclose(shares, 0.3, atol=1e-8)
    monkeypatch.setattr("arcwise.inference.gibbs.SLOTS", 16)
    gappy = rows[:5].copy()
    gappy[:, 1] = NAN
    small = predict(BENT, table(gappy), "a", sweeps=200)
    for row in range(5):
        mean, _, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {2: gappy[row, 2]})
        assert abs(small.mean[row] - mean) < 5 * small.error[row]


def test_evidence_beyond_all_numbers_is_rejected():
    class Overflowing(type(BENT.conditionals[0])):
        def weights(self, xs, size):
            return np.full((size, len(self.centres)), np.nan)

    first = BENT.conditionals[0]
    broken = Overflowing(first.centres, first.width, first.others, first.bandwidths)
    net = replace(BENT, conditionals=(broken, *BENT.conditionals[1:]))
    with pytest.raises(FitError, match="'a' is beyond the largest number"):
        predict(net, table(ROWS[:1]), "a")
    with pytest.raises(FitError, match="too extreme"):
        query(net, "a", {"b": 0.1, "c": 0.2})


def test_directed_networks_predict_by_blankets_or_by_the_product_rule():
    fitted = predict(
        kernel_bayes(POINTS, BANDWIDTHS, blankets=True), table(), "a", seed=1, sweeps=300
    )
    bare = predict(kernel_bayes(POINTS, BANDWIDTHS), table(ROWS[[0, 1]]), "a", sweeps=40)
    assert bare.error[0] == 0.0
    assert bare.mean[0] == pytest.approx(fitted.mean[0], abs=1e-3)
    assert bare.sd[0] == pytest.approx(fitted.sd[0], abs=1e-3)
    assert abs(bare.mean[1] - fitted.mean[1]) < 4 * np.hypot(bare.error[1], fitted.error[1])


def test_imputation_by_expected_values():
    filled = impute(BENT, table(), sweeps=400)
    matrix = filled.matrix()
    known = ~np.isnan(ROWS)
    assert (matrix[known] == ROWS[known]).all()
    mean, _, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {1: 0.2, 2: 0.5})
    assert matrix[4, 0] == pytest.approx(mean)
    for node in (0, 1):
        mean, _, _ = kernel_answer(POINTS, BANDWIDTHS, node, {2: -0.4})
        assert matrix[5, node] == pytest.approx(mean, abs=0.25)


def test_imputation_by_draws_keeps_relations():
    rows = np.full((1500, 3), NAN)
    filled = impute(BENT, table(rows), np.random.default_rng(1), sweeps=20).matrix()
    spread = np.cov(POINTS, ddof=0) + np.diag(BANDWIDTHS**2)
    np.testing.assert_allclose(np.cov(filled.T), spread, atol=0.35)
    again = impute(BENT, table(rows), np.random.default_rng(1), sweeps=20).matrix()
    assert (filled == again).all()


def test_imputation_without_gaps_changes_nothing():
    assert (impute(BENT, table(ROWS[:1])).matrix() == ROWS[:1]).all()


def test_levels_are_predicted_and_filled():
    net = switch_net(("off", "on"))
    light = np.array([2, 2, 1], dtype=np.uint8)
    rows = Table(net.variables, (light, np.array([1.0, -1.0, NAN])))
    found = predict(net, rows, "light")
    assert found.probabilities[:2].tolist() == [
        pytest.approx([0.1, 0.9]),
        pytest.approx([0.8, 0.2]),
    ]
    with pytest.raises(DataError, match=r"'light' are not numbers, .* use its probabilities"):
        _ = found.mean
    assert found.labels.tolist() == ["on", "off", "on"]
    assert found.log_loss(["on", "on", None]) == pytest.approx(-np.log([0.9, 0.2]).mean())
    assert list(found.to_dict()) == ["level", "p(off)", "p(on)"]
    assert "3 predictions; most probable levels: off" in str(found)
    logs = found.logdensity(["on", "on", "blue"])
    assert logs[:2].tolist() == pytest.approx([np.log(0.9), np.log(0.2)])
    assert np.isnan(logs[2])
    filled = impute(net, rows)
    assert filled.values("light").tolist() == ["on", "off", "on"]
    assert filled.column("x")[2] == pytest.approx(1.0)
    numeric = predict(switch_net((0, 10)), rows.select(["x"]), "light")
    assert numeric.mean[:2].tolist() == pytest.approx([9.0, 2.0])


def test_errors_of_predicting_each_variable_from_the_others():
    rows = table(ROWS[:1])
    found = misses(BENT, rows).errors
    for node in range(3):
        known = {i: ROWS[0, i] for i in range(3) if i != node}
        mean, _, _ = kernel_answer(POINTS, BANDWIDTHS, node, known)
        assert found[0, node] == pytest.approx(ROWS[0, node] - mean)
    bare = misses(kernel_bayes(POINTS, BANDWIDTHS), rows).errors
    np.testing.assert_allclose(bare, found, atol=2e-3)
    net = switch_net(("off", "on"))
    mixed = misses(
        net, Table(net.variables, (np.array([1], dtype=np.uint8), np.array([0.5])))
    ).errors
    assert np.isnan(mixed[0, 0])
    assert mixed[0, 1] == pytest.approx(-0.5)


def test_answers_are_frames():
    net = aw.example("asia")
    both = net.query(["dysp", "lung"], given={"smoke": "yes"}).to_pandas()
    assert list(both.columns) == ["dysp", "lung", "probability"]
    assert both["probability"].sum() == pytest.approx(1.0)
    one = net.query("lung", given={"smoke": "yes"})
    assert one.frame.to_dict()["probability"] == [
        float(each) for each in one.probabilities.values()
    ]
    every = net.marginals({"smoke": "yes"})
    assert every.to_pandas().loc["lung", "level"] == every["lung"].mode
    found = net.explain({"xray": "yes"})
    assert found.frame.to_records()[0] == {"variable": "asia", "level": found["asia"]}
    for answer in (one, every, found, net.query(["dysp", "lung"])):
        assert "<table>" in answer._repr_html_()
