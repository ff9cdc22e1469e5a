"""Learning from rows with missing values: what is learned, what is said, and what must not matter."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.data import Incomplete
from arcwise.data.statistics.incomplete import complete_equivalent, pair_counts
from arcwise.errors import DataError


def chain(seed, rows=300, share=0.2):
    """a -> b -> c -> d with values missing completely at random."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for i in range(1, 4):
        x[:, i] += 0.9 * x[:, i - 1]
    x[rng.random(x.shape) < share] = np.nan
    return x


def columns(x):
    return {name: x[:, i] for i, name in enumerate("abcd")}


def test_the_graph_is_learned_from_all_observed_values():
    net = aw.learn(columns(chain(1, share=0.3)), certainty=False)
    assert {frozenset(arc) for arc in net.graph.arcs} == {
        frozenset(pair) for pair in ("ab", "bc", "cd")
    }
    (note,) = [n for n in net.notes if "missing" in str(n)]
    assert "All observed values are used, by EM" in note
    assert note.fix.value == "drop"


def test_without_gaps_the_result_is_that_of_dropped_rows():
    data = columns(chain(2, share=0.0))
    kept, dropped = (aw.learn(data, missing=word, certainty=False) for word in ("auto", "drop"))
    assert kept.graph == dropped.graph
    assert kept.score == dropped.score
    assert kept.notes == dropped.notes


def test_another_unit_and_origin_change_no_edge_and_the_score_by_a_constant():
    x = chain(3)
    one = aw.learn(columns(x), certainty=False)
    two = aw.learn(columns(x * [1.0, 2.0, 4.0, 8.0]), certainty=False)
    far = aw.learn(columns(x + 1e9), certainty=False)
    assert one.graph == two.graph == far.graph
    assert two.score == pytest.approx(one.score - one.rows * np.log(64.0), rel=1e-9)
    assert far.score == pytest.approx(one.score, rel=1e-5)


def test_columns_in_another_order_and_rows_shuffled_change_nothing():
    x = chain(4)
    names, order = list("abcd"), np.random.default_rng(1).permutation(len(x))
    one = aw.learn(columns(x), certainty=False)
    two = aw.learn({name: x[order, names.index(name)] for name in "dbca"}, certainty=False)
    assert one.graph == two.graph
    assert two.score == pytest.approx(one.score, rel=1e-9)


def test_moments_count_as_the_harmonic_mean_of_the_rows_of_pairs():
    x = chain(5, rows=400)
    table = aw.table(columns(x))
    counts = pair_counts(table)
    assert counts[0, 1] == (~np.isnan(x[:, :2]).any(axis=1)).sum()
    pairs = counts[np.triu_indices(4, 1)]
    assert complete_equivalent(counts) == round(1 / np.mean(1 / pairs))
    assert Incomplete(table).total == aw.learn(columns(x), certainty=False).rows
    weighted = aw.table(columns(x), weights=np.full(400, 2.0))
    assert pair_counts(weighted) == pytest.approx(2 * counts)


def test_the_parameters_of_a_graph_have_the_largest_likelihood_of_the_observed_values():
    x = chain(6)
    table = aw.table(columns(x))
    net = aw.fit("a -> b -> c -> d", table)
    best = net.logpdf(table).sum()
    dropped = aw.fit("a -> b -> c -> d", table, missing="drop")
    assert best > dropped.logpdf(table).sum()
    model = net["c"]
    for change in (-0.02, 0.02):
        moved = aw.network(
            "a -> b -> c -> d",
            {
                name: {
                    "intercept": net[name].intercept,
                    "coefficients": {
                        p: k + (change if name == "c" else 0.0)
                        for p, k in zip(net.parents(name), net[name].coefficients, strict=True)
                    },
                    "sd": net[name].variance ** 0.5,
                }
                for name in "abcd"
            },
        )
        assert moved.logpdf(table).sum() < best
    assert model.coefficients[0] == pytest.approx(0.9, abs=0.2)


def test_certainty_and_validation_know_of_the_gaps():
    table = aw.table(columns(chain(7, rows=150)))
    net = aw.learn(table)
    rows = {(row["first"], row["second"]): row for row in net.edges.to_records()}
    assert max(row["certainty"] for row in rows.values()) > 0.9
    judged = aw.validate(table, folds=3)
    assert judged.rows == 150
    assert np.isfinite(judged.mean)


def test_a_column_with_few_values_is_named():
    x = chain(8)
    x[:-30, 3] = np.nan
    notes = aw.learn(columns(x), certainty=False).notes
    assert any("Without 'd', the other columns would count as" in note for note in notes)


def test_columns_never_observed_together_are_named():
    x = chain(9)
    x[:150, 0], x[150:, 3] = np.nan, np.nan
    net = aw.learn(columns(x), certainty=False)
    assert any("Never observed in the same row: 'a' and 'd'" in note for note in net.notes)
    assert not {("a", "d"), ("d", "a")} & set(net.graph.arcs)


def test_rows_without_any_value_tell_nothing():
    x = chain(10)
    more = np.vstack([x, np.full((50, 4), np.nan)])
    one, two = (aw.learn(columns(each), certainty=False) for each in (x, more))
    assert one.graph == two.graph
    assert one.score == pytest.approx(two.score)


def test_rules_that_resample_complete_rows_name_what_they_need():
    with pytest.raises(aw.FitError, match="without missing values"):
        aw.learn(columns(chain(11)), graph="undirected", penalty="stars")


def test_an_unknown_policy_is_an_error_that_lists_them():
    with pytest.raises(DataError, match="'auto', 'impute', 'weights', 'drop'"):
        aw.learn(columns(chain(12)), missing="guess")


def test_drawing_gives_the_graph_and_almost_the_numbers_of_em():
    table = aw.table(columns(chain(13, rows=600)))
    em, drawn = (aw.learn(table, missing=word, certainty=False) for word in ("auto", "impute"))
    assert drawn.cpdag == em.cpdag
    for name in "bcd":
        assert drawn[name].coefficients == pytest.approx(em[name].coefficients, abs=0.12)


def test_several_completions_differ_in_the_missing_values_alone():
    x = chain(14, rows=60)
    net = aw.learn(columns(x), certainty=False)
    several = net.impute(columns(x), completions=3, seed=1)
    again = net.impute(columns(x), completions=3, seed=1)
    gaps = np.isnan(x)
    matrices = [table.matrix() for table in several]
    assert len({matrix[gaps].sum() for matrix in matrices}) == 3
    for matrix, same in zip(matrices, again, strict=True):
        assert (matrix[~gaps] == x[~gaps]).all()
        assert (matrix == same.matrix()).all()


def test_em_ends_with_the_time_limit_and_a_note_states_it():
    x = chain(15, rows=200)
    net = aw.learn(columns(x), time_limit=0, progress=False)
    assert any("stopped before it converged" in note for note in net.notes)
    whole = aw.learn(columns(x), certainty=False)
    assert not any("converged" in note for note in whole.notes)


def losing_small(seed, rows=4000):
    """x, and y = x + noise that is missing where x is small; z goes with y."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    y = x + rng.normal(size=rows)
    z = y + rng.normal(size=rows)
    lost = rng.random(rows) < 1 / (1 + np.exp(2 + 2 * x))
    return {"x": x, "y": np.where(lost, np.nan, y), "z": z + 0.0}, y


def test_weighted_rows_have_the_mean_of_all_rows():
    data, y = losing_small(16)
    means = {
        word: aw.fit("x -> y -> z", data, missing=word).query("y").mean
        for word in ("drop", "weights", "auto")
    }
    assert abs(means["drop"] - y.mean()) > 0.1
    assert abs(means["weights"] - y.mean()) < 0.06
    assert abs(means["auto"] - y.mean()) < 0.06


def test_weighted_rows_count_as_their_effective_number_and_a_note_states_the_weights():
    data, _ = losing_small(17, rows=600)
    net = aw.learn(data, missing="weights")
    there = (~np.isnan(data["y"])).sum()
    assert 0.3 * there < net.rows < there
    (note,) = [n for n in net.notes if "inverse probability" in n]
    assert "given 'x'" in note
    assert f"count as {net.rows:.0f} rows" in note
    assert {frozenset(arc) for arc in net.graph.arcs} == {frozenset("xy"), frozenset("yz")}
    rows = {frozenset((row["first"], row["second"])): row for row in net.edges.to_records()}
    assert rows[frozenset("xy")]["certainty"] > 0.9
    assert np.isfinite(aw.validate(data, missing="weights", folds=3).mean)


def test_weights_are_equal_if_gaps_are_completely_at_random():
    x = chain(18)
    x[:, 0] = np.nan_to_num(x[:, 0])
    words = [aw.learn(columns(x), missing=word, certainty=False) for word in ("weights", "drop")]
    assert words[0].rows == pytest.approx(words[1].rows)
    assert words[0].score == pytest.approx(words[1].score)
    assert any("equal weights" in note for note in words[0].notes)


def test_weights_need_a_column_without_gaps_and_a_complete_row():
    with pytest.raises(DataError, match="needs a column without missing values"):
        aw.learn(columns(chain(19)), missing="weights")
    x = chain(20)
    x[:, 0] = np.arange(300) % 7 + 0.5
    x[::2, 1], x[1::2, 2] = np.nan, np.nan
    with pytest.raises(DataError, match="None of 300 rows is complete"):
        aw.learn(columns(x), missing="weights")


def test_levels_may_decide_which_rows_are_complete():
    rng = np.random.default_rng(21)
    town = rng.choice(["a", "b", "c"], 1500)
    sick = np.where(rng.random(1500) < np.where(town == "c", 0.8, 0.2), "yes", "no").astype(object)
    share = sum(each == "yes" for each in sick) / 1500
    sick[(town == "c") & (rng.random(1500) < 0.7)] = None
    data = {"town": town, "sick": sick}
    means = [aw.fit("town -> sick", data, missing=word) for word in ("drop", "weights")]
    found = [net.query("sick").probability("yes") for net in means]
    assert abs(found[0] - share) > 0.08
    assert abs(found[1] - share) < 0.03
