"""`fit` and `network`: known graphs."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.scores import bic, total

SOURCE = linear(1)


@pytest.mark.parametrize(
    "graph",
    [
        "[v0][v1|v0][v2|v0:v1]",
        "v0 + v1:v0 + v2:v0:v1",
        aw.DAG.from_arcs([("v0", "v1"), ("v0", "v2"), ("v1", "v2")]),
    ],
)
def test_a_graph_over_some_columns_is_fitted_to_them(graph):
    net = aw.fit(graph, SOURCE)
    part = SOURCE.select(["v0", "v1", "v2"])
    fits = FAMILIES["gaussian"].bind(part)
    assert net.variables == ("v0", "v1", "v2")
    assert net["v2"].coefficients == pytest.approx(fits.conditional(2, (0, 1)).coefficients)
    assert net.score == pytest.approx(total(bic(fits), net.graph))
    assert net.rows == 80


def test_weights_gaps_and_moments():
    weights = np.random.default_rng(1).integers(1, 4, 80)
    a = aw.fit("[v0][v1|v0]", aw.table(SOURCE, weights=weights))
    b = aw.fit("[v0][v1|v0]", SOURCE.take(np.repeat(np.arange(80), weights)))
    assert a["v1"].coefficients == pytest.approx(b["v1"].coefficients)
    assert a.score == pytest.approx(b.score)
    c = aw.fit("[v0][v1|v0]", aw.Moments.of(SOURCE))
    assert c["v1"].coefficients == pytest.approx(aw.fit("[v0][v1|v0]", SOURCE)["v1"].coefficients)


def test_one_word_or_one_for_each_variable():
    a = aw.fit("[v0][v1|v0]", SOURCE, model="gaussian")
    b = aw.fit("[v0][v1|v0]", SOURCE, model={"v1": "gaussian"})
    assert a["v1"].coefficients == pytest.approx(b["v1"].coefficients)
    assert b.net.models == ("gaussian", "gaussian")


@pytest.mark.parametrize(
    ("graph", "words", "hint"),
    [
        ("[v0][v9|v0]", {}, "'v9'"),
        ("[v0][v1|v0", {}, "model string"),
        ("[v0][v1|v0]", {"model": "gausian"}, "'gaussian'"),
        ("[v0][v1|v0]", {"model": {"v7": "gaussian"}}, "'v7'"),
        (aw.graphs.cpdag(aw.dag("v0 -> v1")), {}, "must be a DAG or a UGraph"),
    ],
)
def test_graphs_and_words_that_do_not_fit_are_rejected(graph, words, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.fit(graph, SOURCE, **words)
    assert hint in str(caught.value)


def test_a_network_by_hand_answers_as_its_numbers_say():
    net = aw.network(
        "[b][a|b]",
        {"b": {"intercept": 1.0, "sd": 2.0}, "a": {"coefficients": {"b": 3.0}, "variance": 0.25}},
    )
    assert net.variables == ("b", "a")
    belief = net.query("a")
    assert belief.mean == pytest.approx(3.0)
    assert belief.sd == pytest.approx(np.sqrt(9 * 4 + 0.25))
    assert net.query("a", given={"b": 0.0}).mean == pytest.approx(0.0)
    logs = net.logpdf({"a": [3.0], "b": [1.0]})
    assert logs[0] == pytest.approx(-np.log(2 * np.pi) - np.log(2.0) - np.log(0.5))
    assert net.score is None
    assert net.edges["a", "b"].strength > 0


@pytest.mark.parametrize(
    ("numbers", "hint"),
    [
        ({"a": {"sd": 1}}, "'b'"),
        ({"a": {"sd": 1}, "b": {"sd": 1}}, "coefficients"),
        ({"a": {"sd": 1, "variance": 1}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "'sd'"),
        ({"a": {}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "'sd'"),
        ({"a": {"sd": 0}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "positive"),
        ({"a": {"sd": -1}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "positive"),
        ({"a": {"sd": "x"}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "'a'"),
        ({"a": {"sd": 1}, "b": {"sd": 1, "coefficients": {"a": "x"}}}, "'b'"),
        ({"a": {"sd": 1}, "b": {"sd": np.nan, "coefficients": {"a": 1}}}, "variance"),
        ({"a": {"sdd": 1}, "b": {"sd": 1, "coefficients": {"a": 1}}}, "Did you mean 'sd'"),
    ],
)
def test_numbers_that_make_no_network_are_rejected(numbers, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.network("[a][b|a]", numbers)
    assert hint in str(caught.value)


@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_a_shared_width_is_tuned_to_the_graph_given(graph):
    table = aw.example("boston").select(["CRIM", "DIS", "LSTAT", "MEDV", "NOX", "RM"])
    found = aw.learn(table, graph=graph, model=aw.Parzen(bandwidths="shared"))
    fitted = aw.fit(found.graph, table, model=aw.Parzen(bandwidths="shared"))
    own = sum(found.scorer.local(i, row) for i, row in enumerate(found.net.inputs))
    assert fitted.score == pytest.approx(own, abs=1e-3 * table.rows)
    for name in table.names:
        assert fitted[name].bandwidths == pytest.approx(found[name].bandwidths, rel=1e-3)
    blankets = getattr(fitted.net, "blankets", None) or fitted.net
    assert {float(w) for m in blankets.conditionals for w in m.bandwidths} == set(
        fitted["RM"].bandwidths
    )


@pytest.mark.parametrize("score", ["kfold", "heldout"])
def test_the_same_seed_splits_rows_in_the_same_way(score):
    table = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    net = aw.learn(table, score=score, seed=1)
    assert aw.score(net.graph, table, score=score, seed=1) == pytest.approx(net.score, rel=1e-12)
    assert aw.fit(net.graph, table, score=score, seed=1).score == pytest.approx(
        net.score, rel=1e-12
    )
