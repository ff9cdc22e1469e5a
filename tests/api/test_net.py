"""What a learned network says of itself, and what a file keeps of it."""

import re

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.graphs import cpdag
from arcwise.io import StoredNet
from arcwise.scores import total

SOURCE = linear(1, rows=80, p=6)


@pytest.fixture(scope="module")
def net():
    return aw.learn(SOURCE, score="bic", penalty=0.01, rules=aw.Rules(max_parents=2))


def test_strengths_leave_the_penalty_out(net):
    whole = total(net.scorer, net.graph)
    assert whole == pytest.approx(net.score + 0.01 * 80 * net.graph.n_arcs)
    for row in net.edges.present:
        tail, head = row.direction.split(" -> ")
        without = total(net.scorer, net.graph.without_arc(tail, head))
        assert row.total == pytest.approx(whole - without, abs=1e-6)
        assert row.strength == pytest.approx(row.total / 80)


def test_flags_are_those_of_the_class(net):
    assert net.cpdag == cpdag(net.graph)
    loose = {frozenset(edge) for edge in net.cpdag.edges}
    for row in net.edges:
        assert row.reversible == (frozenset((row.first, row.second)) in loose)


def test_neighbours_by_name(net):
    for name in net.variables:
        assert net.parents(name) == net.graph.parents_of(name)
        assert net.children(name) == net.graph.children_of(name)
        assert net.blanket(name) == net.graph.blanket_of(name)
        rest = [v for v in net.variables if v != name and v not in net.blanket(name)]
        assert not rest or net.separated(name, rest, given=net.blanket(name))
    pairs = [(a, b) for a in net.variables for b in net.variables if a < b]
    for a, b in pairs:
        found = net.separator(a, b)
        joined = a in (*net.parents(b), *net.children(b))
        assert (found is None) == joined
        assert joined or net.separated(a, b, given=found)


@pytest.mark.parametrize(
    "call",
    [
        lambda net: net["v7"],
        lambda net: net.parents("v7"),
        lambda net: net.blanket("v7"),
        lambda net: net.separated("v0", "v7"),
        lambda net: net.separator("v0", "v7"),
        lambda net: net.edges["v0", "v7"],
        lambda net: net.predict(SOURCE, "v7"),
        lambda net: net.query("v7"),
        lambda net: net.query("v0", given={"v7": 1.0}),
        lambda net: net.local("v7"),
    ],
)
def test_an_unknown_name_is_answered_with_known_ones(net, call):
    with pytest.raises(aw.ArcwiseError) as caught:
        call(net)
    assert "'v7'" in str(caught.value)
    assert "v0" in str(caught.value)


def test_log_densities_sum_to_the_likelihood(net):
    logs = net.logpdf(SOURCE)
    expected = total(net.scorer, net.graph) + 0.5 * np.log(80) * net.net.n_params
    assert logs.sum() == pytest.approx(expected)
    by_dict = net.logpdf({name: SOURCE.column(name) for name in SOURCE.names})
    np.testing.assert_allclose(by_dict, logs)


def test_samples_follow_the_users_order_and_the_seed(net):
    turned = aw.learn(SOURCE.select(SOURCE.names[::-1]), score="bic")
    drawn = turned.sample(5, seed=1)
    assert drawn.order == SOURCE.names[::-1]
    assert drawn.to_dict() == turned.sample(5, seed=1).to_dict()
    assert drawn.to_dict() != turned.sample(5, seed=2).to_dict()
    assert turned.sample(0).rows == 0


@pytest.mark.parametrize("ending", [".json", ".arcwise", ".json.gz"])
def test_a_file_keeps_numbers_words_and_edges(net, ending, tmp_path):
    again = aw.load(net.save(tmp_path / f"net{ending}"))
    assert again.graph == net.graph
    assert again.score == net.score
    assert again.settings == net.settings
    assert again.notes == net.notes
    assert again.optimal == net.optimal
    assert again.stopped == net.stopped
    assert again.rows == net.rows
    assert again.fingerprint == net.fingerprint
    assert again.variables == net.variables
    assert (again.logpdf(SOURCE) == net.logpdf(SOURCE)).all()
    assert again.edges.rows == net.edges.rows
    assert again.edges.meaning == net.edges.meaning
    twice = aw.load(again.save(tmp_path / f"twice{ending}"))
    assert twice.edges.rows == net.edges.rows


@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_a_loaded_network_says_nothing_of_steps_it_does_not_know(graph, tmp_path):
    net = aw.learn(SOURCE, graph=graph)
    again = aw.load(net.save(tmp_path / "net.json"))
    word, many = net.settings["search"], len(net.trace)
    assert f"search: {word}, {many} step{'s' * (many != 1)}; {net.stopped}" in str(net)
    assert f"search: {word}; {net.stopped}" in str(again)
    assert not re.search(r"\bsteps?\b", str(again).replace(str(net.stopped), ""))


def test_a_tuned_penalty_survives_saving(tmp_path):
    net = aw.learn(SOURCE, penalty="cv", search=aw.Greedy(max_steps=5))
    again = aw.load(net.save(tmp_path / "net.json"))
    assert [dict(row) for row in again.tuning] == [dict(row) for row in net.tuning]
    assert again.settings == net.settings


def test_a_graph_without_numbers_is_loaded_as_a_graph(net, tmp_path):
    path = net.save(tmp_path / "arcs.csv")
    with pytest.raises(aw.FileError, match="load_graph"):
        aw.load(path)
    assert set(aw.load_graph(path).arcs) == set(net.graph.arcs)
    assert aw.load_graph(net.save(tmp_path / "net.json")) == net.graph


@pytest.mark.parametrize("name", ["none.json", "none.jsn", "folder/none.json"])
def test_files_that_are_not_there_are_errors_in_words(name, tmp_path):
    with pytest.raises(aw.FileError):
        aw.load(tmp_path / name)


def test_the_summary_says_what_was_found(net):
    text = str(net)
    assert f"6 variables, {net.graph.n_arcs} arcs" in text
    assert f"{net.score:.4f}" in text
    assert "proved to be the best" in text
    for row in net.edges.present:
        assert row.first in text
    assert repr(net).startswith("<Network")
    model = net["v1"]
    words = net.local("v1")
    assert f"{model.intercept:.5g}" in words
    assert all(parent in words for parent in net.parents("v1"))


def test_other_libraries_get_the_graph(net):
    graph = net.to_networkx()
    assert set(graph.edges) == set(net.graph.arcs)
    assert set(graph.nodes) == set(net.variables)


@pytest.mark.parametrize(
    "call",
    [
        lambda net: net.sample(1.5),
        lambda net: net.sample(-1),
        lambda net: net.sample(3, seed=-1),
        lambda net: net.impute(SOURCE, seed=0.5),
        lambda net: net.query(3),
        lambda net: net.query("v0", given=["v1"]),
        lambda net: net.query("v0").draws(-1),
        lambda net: net.query("v0").quantile(2),
    ],
)
def test_questions_of_the_wrong_kind_get_a_sentence(net, call):
    with pytest.raises(aw.ArcwiseError, match=r"(came|got .+)\.$"):
        call(net)


@pytest.mark.filterwarnings("error")
def test_rows_far_out_have_no_density(net):
    assert net.logpdf({"v0": [1e300]}).tolist() == [-np.inf]


def test_a_file_with_directions_in_part_is_rejected(monkeypatch):
    # No format of today holds such a graph; one of tomorrow may.
    monkeypatch.setattr("arcwise.io.load", lambda path: StoredNet(cpdag(aw.dag("a -> b"))))
    with pytest.raises(
        aw.FileError, match=r"'net\.some' contains a graph with both arcs and undirected"
    ):
        aw.load_graph("net.some")


def test_a_network_is_a_collection_of_its_variables(net):
    assert "v0" in net
    assert "v7" not in net
    assert 3 not in net
    assert [*net] == [*net.variables]
    assert len(net) == 6
    assert net.nodes == net.graph.nodes
    assert net.arcs == net.graph.arcs
    undirected = aw.learn(SOURCE, graph="undirected")
    assert undirected.nodes == undirected.graph.nodes
    with pytest.raises(aw.GraphError, match=r"no arcs: use graph.edges"):
        _ = undirected.arcs


def test_networkx_edges_carry_strengths_and_certainty(net):
    made = net.to_networkx()
    assert {*made.edges} == {*net.arcs}
    for tail, head, attributes in made.edges(data=True):
        row = net.edges[tail, head]
        assert attributes["strength"] == row.strength
        assert attributes["certainty"] == row.certainty
        assert attributes["head"] is row.head
        assert not {"first", "second", "refit_loss"} & set(attributes)
    sides = aw.learn(SOURCE, graph="undirected", model="parzen", penalty=0.01).to_networkx()
    assert all("first_side" in each and "head" not in each for *_, each in sides.edges(data=True))


def test_a_row_of_a_frame_is_evidence_in_every_verb(net):
    import pandas as pd

    frame = SOURCE.to_pandas()
    row = frame.iloc[3].copy()
    row["v1"], row["other"] = np.nan, 5.0
    values = {name: row[name] for name in net.variables if name != "v1"}
    no_target = {name: value for name, value in values.items() if name != "v0"}
    one_row = pd.DataFrame([row])
    for given in (row, one_row):
        assert net.query("v0", given).mean == net.query("v0", no_target).mean
        assert net.marginals(given)["v1"].mean == net.marginals(values)["v1"].mean
        assert str(net.conflict(given)) == str(net.conflict(values))
        assert str(net.impact("v0", given)) == str(net.impact("v0", no_target))
        drawn = net.sample(5, given=given)
        np.testing.assert_array_equal(drawn.column("v1"), net.sample(5, given=values).column("v1"))
    with pytest.raises(aw.DataError, match="one row of a data frame, got 80 rows"):
        net.query("v0", frame)


def test_predictions_have_the_index_of_the_rows(net):
    frame = SOURCE.to_pandas().set_index(np.arange(80)[::-1] + 7)
    assert [*net.predict(frame, "v0").to_pandas().index] == [*frame.index]
    assert [*net.predict(frame.iloc[[3, 1]], "v0").to_pandas().index] == [83, 85]
