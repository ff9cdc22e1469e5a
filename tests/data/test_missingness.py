"""Which values are missing together, and tests of missing completely at random."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.data.missingness import dependences, little_test


def complete(seed, rows=200):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    x[:, 1] += x[:, 0]
    return rng, x


def frame(x):
    return aw.table(x, names=["a", "b", "c"])


def test_littles_test_is_level_if_values_are_missing_completely_at_random():
    values = []
    for seed in range(60):
        rng, x = complete(seed)
        x[rng.random(x.shape) < 0.15] = np.nan
        values.append(little_test(frame(x)).p_value)
    assert np.mean(values) == pytest.approx(0.5, abs=4 * 12**-0.5 / 60**0.5)
    assert np.mean(np.array(values) < 0.05) < 0.2


def test_littles_test_finds_gaps_that_depend_on_observed_values():
    _, x = complete(1)
    x[x[:, 0] > 0.5, 1] = np.nan
    assert little_test(frame(x)).p_value < 1e-6
    shifted = little_test(frame(x * [1.0, 5.0, 1e-3] + 1e9))
    assert shifted.p_value < 1e-6
    assert shifted.degrees == little_test(frame(x)).degrees == 2 + 3 - 3


def test_littles_statistic_by_hand():
    x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [9.0, np.nan], [7.0, np.nan]])
    found = little_test(frame(np.column_stack([x, np.ones(5)])))
    values = x[:, 0]
    spread = values.var()
    # The mean and variance of the complete column are its own; b follows by regression on a.
    expected = 2 * (8 - values.mean()) ** 2 / spread
    full = x[:3]
    slope = np.cov(full.T)[0, 1] / np.cov(full.T)[0, 0]
    expected += 3 * (full[:, 0].mean() - values.mean()) ** 2 / spread
    assert slope > 0  # the residual of b has mean zero in the complete rows, and adds nothing
    assert found.statistic == pytest.approx(expected, rel=1e-3)
    assert found.degrees == 1


def test_the_pair_is_named_and_tests_are_counted():
    rng, x = complete(2)
    columns = {"a": x[:, 0], "b": np.where(x[:, 0] > 0.3, np.nan, x[:, 1])}
    columns["town"] = np.where(rng.random(200) < 0.1, None, np.where(x[:, 2] > 0, "u", "v"))
    pairs, tests = dependences(aw.table(columns))
    assert tests == 4
    assert [(each.missing, each.observed) for each in pairs] == [("b", "a")]
    (note,) = [n for n in aw.table(columns).audit().findings if "4 tests of dependence" in n]
    assert "'b' with 'a'" in note
    assert "cannot be tested" in note


def test_levels_are_compared_by_their_shares():
    rng = np.random.default_rng(3)
    town = rng.choice(["u", "v", "w"], 300)
    y = np.where((town == "u") & (rng.random(300) < 0.6), np.nan, rng.normal(size=300))
    pairs, _ = dependences(aw.table({"town": town, "y": y}))
    assert [(each.missing, each.observed) for each in pairs] == [("y", "town")]


def test_columns_missing_together_are_named():
    _, x = complete(4)
    x[:30, :2] = np.nan
    findings = frame(x).audit().findings
    assert any("Missing together: 'a' and 'b'." in note for note in findings)


def test_nothing_is_said_where_nothing_is_missing_or_nothing_can_be_tested():
    _, x = complete(5)
    assert not any("missing" in str(note) for note in frame(x).audit().findings)
    x[0, 0] = np.nan
    assert dependences(frame(x)) == ([], 0)
    for rows in (x[:1], x[:2], np.where(x > 0, np.nan, 1.0)):
        frame(rows).audit()
