"""Missing values that are drawn: the distribution of the draws, and what is learned from them."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import GaussianConditional
from arcwise.data import Complete, CompletedRows
from arcwise.learners import Specification, prepare_data
from arcwise.learners.completion import RowChains

GRAPH = aw.dag("a -> b -> c")


def discrete_chain(rng, rows):
    a = rng.random(rows) < 0.4
    b = rng.random(rows) < np.where(a, 0.8, 0.3)
    c = rng.random(rows) < np.where(b, 0.9, 0.2)
    return {
        name: np.where(x, "yes", "no").astype(object)
        for name, x in zip("abc", (a, b, c), strict=True)
    }


def with_gaps(columns, rng, share):
    rows = len(next(iter(columns.values())))
    return {name: np.where(rng.random(rows) < share, None, x) for name, x in columns.items()}


def test_levels_are_drawn_given_all_others():
    rng = np.random.default_rng(1)
    columns = discrete_chain(rng, 3000)
    net = aw.fit("a -> b -> c", columns).net
    gappy = {**columns, "b": np.full(3000, None)}
    gappy["b"][:2] = ["yes", "no"]
    table = aw.table(gappy)
    chains = RowChains(table, 4, rng)
    for _ in range(3):
        chains.sweep(net.graph, net.conditionals)
    filled = chains.filled()
    for a in (0, 1):
        for c in (0, 1):
            rows = (filled.columns[0] == a) & (filled.columns[2] == c)
            names = {"a": table.variables[0].levels[a], "c": table.variables[2].levels[c]}
            belief = aw.fit("a -> b -> c", columns).query("b", given=names)
            share = (filled.columns[1][rows] == 1).mean()
            assert share == pytest.approx(
                belief.probability("yes"), abs=4 * 0.5 / rows.sum() ** 0.5
            )


def test_numbers_are_drawn_from_their_conditional_distribution():
    rng = np.random.default_rng(2)
    none, one = np.zeros((1, 1)), np.zeros((2, 2))
    models = (
        GaussianConditional(1.0, np.zeros(0), 1.0, none, 0.0),
        GaussianConditional(0.0, np.array([2.0]), 0.5, one, 0.0),
    )
    a = np.full(4000, np.nan)
    a[:2] = 1.37, 0.22
    table = aw.table({"a": a, "b": np.full(4000, 3.0) + 1e-9 * np.arange(4000)})
    chains = RowChains(table, 1, rng)
    for _ in range(60):
        chains.sweep(aw.dag("a -> b"), models)
    drawn = chains.columns[0][2:]
    precision = 1 + 4 / 0.5
    assert drawn.mean() == pytest.approx((1 + 2 * 3 / 0.5) / precision, abs=0.03)
    assert drawn.std() == pytest.approx(precision**-0.5, rel=0.06)


@pytest.mark.parametrize("kind", ["discrete", "mixed"])
def test_the_graph_is_learned_in_spite_of_the_gaps(kind):
    rng = np.random.default_rng(103)
    columns = discrete_chain(rng, 800)
    if kind == "mixed":
        columns["c"] = rng.normal(size=800) + 2.0 * (columns["b"] == "yes")
    gappy = with_gaps(columns, rng, 0.25)
    net = aw.learn(gappy, certainty=False)
    assert {frozenset(arc) for arc in net.graph.arcs} == {frozenset("ab"), frozenset("bc")}
    assert any("drawn 10 times" in note for note in net.notes)
    assert net.rows < 800
    again = aw.learn({name: gappy[name] for name in "cba"}, certainty=False)
    assert again.graph == net.graph
    assert again.score == net.score


def test_weights_sum_to_the_rows_that_they_are_worth():
    rng = np.random.default_rng(4)
    table = aw.table(with_gaps(discrete_chain(rng, 300), rng, 0.3))
    _, ready = prepare_data(Specification(np.random.default_rng(0)), Complete(table))
    assert isinstance(ready, CompletedRows)
    assert ready.table.weights.sum() == pytest.approx(ready.total)
    assert not ready.table.missing().any()
    assert ready.cases("The test needs").missing().any()
    assert ready.total < 300


def test_without_gaps_nothing_is_drawn():
    rng = np.random.default_rng(5)
    columns = discrete_chain(rng, 200)
    one, two = (aw.learn(columns, missing=word, certainty=False) for word in ("auto", "drop"))
    assert (one.graph, one.score, one.notes) == (two.graph, two.score, two.notes)


def test_columns_with_hardly_a_value_and_rows_without_any():
    rng = np.random.default_rng(6)
    columns = with_gaps(discrete_chain(rng, 400), rng, 0.1)
    columns["d"] = np.where(rng.random(400) < 0.9, None, rng.choice(["u", "v"], 400))
    for values in columns.values():
        values[:5] = None
    columns["a"][7], columns["b"][7], columns["c"][7] = "rare", None, None
    net = aw.learn(columns, certainty=False)
    assert {frozenset("ab"), frozenset("bc")} <= {frozenset(arc) for arc in net.graph.arcs}
    assert not net.graph.parents_of("d")
    assert net.query("a").probability("rare") < 0.1


def test_held_out_scores_and_windows_learn_from_gaps():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(120, 2))
    x[:, 1] = x[:, 0] ** 2 + 0.3 * x[:, 1]
    x[rng.random(x.shape) < 0.15] = np.nan
    for words in ({"model": "parzen"}, {"model": "gaussian", "score": "loo"}):
        net = aw.learn(x, certainty=False, **words)
        assert np.isfinite(net.score)
        assert any("drawn 1 time" in note for note in net.notes)


def test_parameters_of_a_known_graph_use_the_observed_values():
    rng = np.random.default_rng(8)
    columns = discrete_chain(rng, 1500)
    net = aw.fit("a -> b -> c", with_gaps(columns, rng, 0.3))
    belief = net.query("c", given={"b": "yes"})
    assert belief.probability("yes") == pytest.approx(0.9, abs=0.05)


def test_validation_scores_rows_with_gaps_by_their_observed_part():
    rng = np.random.default_rng(9)
    gappy = with_gaps(discrete_chain(rng, 200), rng, 0.2)
    judged = aw.validate(gappy, folds=3)
    rows = sum(any(gappy[name][i] is not None for name in "abc") for i in range(200))
    assert len(judged.log_density) == rows
    assert np.isfinite(judged.log_density).all()
    aimed = aw.validate(gappy, folds=3, target="b")
    assert len(aimed.log_density) == sum(value is not None for value in gappy["b"])
    assert np.isfinite(aimed.log_density).all()


def test_replicates_draw_the_missing_values_again_for_their_own_weights():
    rng = np.random.default_rng(10)
    table = aw.table(with_gaps(discrete_chain(rng, 200), rng, 0.3))
    _, ready = prepare_data(Specification(np.random.default_rng(0)), Complete(table))
    rows = ready.observed.rows
    weights = rng.multinomial(rows, np.full(rows, 1 / rows)).astype(float)
    one, same = (ready.redraw(weights, np.random.default_rng(1)) for _ in range(2))
    other = ready.redraw(weights, np.random.default_rng(2))
    tables = [each.table.to_arrow().to_pylist() for each in (one, same, other)]
    assert tables[0] == tables[1] != tables[2]
    assert one.observed.rows == (weights > 0).sum()
    assert one.table.weights.sum() == pytest.approx(one.total)
    shares = [
        np.bincount(each.columns[0], each.weights) / each.weights.sum()
        for each in (one.table, ready.observed.with_weights(weights, "together").complete())
    ]
    assert shares[0] == pytest.approx(shares[1], abs=0.1)


def test_tables_with_gaps_have_a_quick_certainty():
    rng = np.random.default_rng(11)
    net = aw.learn(with_gaps(discrete_chain(rng, 300), rng, 0.2))
    rows = {frozenset((row["first"], row["second"])): row for row in net.edges.to_records()}
    assert rows[frozenset("ab")]["certainty"] > 0.9
    assert rows[frozenset("bc")]["certainty"] > 0.9


def test_drawing_ends_with_the_time_limit_and_a_note_states_it():
    rng = np.random.default_rng(12)
    gappy = with_gaps(discrete_chain(rng, 300), rng, 0.2)
    net = aw.learn(gappy, time_limit=0, progress=False)
    assert any("Drawing missing values was stopped after 0 of 6 rounds" in n for n in net.notes)
    graph = aw.dag("a -> b -> c")
    spec, seen = Specification(np.random.default_rng(0)), []

    def watch(step):
        seen.append(step.what)
        return len(seen) > 6

    _, ready = prepare_data(spec, Complete(aw.table(gappy)), graph, watch)
    assert "round 1 of 4 of drawing missing values" in seen
    assert any("was stopped after 1 of 4 rounds" in note for note in ready.notes)
    assert not ready.table.missing().any()


def test_quick_replicates_take_one_draw_of_each_row():
    rng = np.random.default_rng(13)
    columns = discrete_chain(rng, 60)
    columns["d"] = rng.normal(size=60)
    gappy = with_gaps({name: columns[name] for name in "abc"}, rng, 0.3)
    gappy["d"] = np.where(rng.random(60) < 0.3, np.nan, columns["d"])
    for names in ("abc", "abcd"):
        table = aw.table({name: gappy[name] for name in names})
        _, ready = prepare_data(Specification(np.random.default_rng(0)), Complete(table))
        weights = np.arange(ready.observed.rows) % 3.0
        drawn = ready.one_draw(weights, rng)
        counted = np.flatnonzero(drawn)
        assert sorted(ready.owners[counted]) == np.flatnonzero(weights).tolist()
        assert drawn.sum() == pytest.approx(weights.sum() * ready.total / ready.observed.rows)
    net = aw.learn({name: gappy[name] for name in "abcd"})
    assert net.edges.to_records()[0]["certainty"] is not None
