"""Certainty of the edges of a network: in its table, in pictures, in words and in files."""

import re
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FitError, OptionError

NAMES = ["RM", "LSTAT", "MEDV", "AGE", "CRIM"]


@pytest.fixture(scope="module")
def homes():
    return aw.example("boston").select(NAMES)


def test_certainty_is_that_of_the_posterior(homes):
    net = aw.learn(homes, model="gaussian")
    sure = net.certainty(draws=40)
    post = aw.posterior(homes, method="bootstrap", draws=40)
    for row in sure.edges:
        assert row.certainty == float(post.edge(row.first, row.second))
        if row.present:
            tail, head = row.direction.split(" -> ")
            assert row.direction_certainty == float(post.arc(tail, head))
        else:
            assert row.direction_certainty is None
        assert row.certainty_error > 0
    assert sure.graph == net.graph
    assert aw.learn(homes, model="gaussian", certainty=False).edges["RM", "MEDV"].certainty is None


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ({}, "bootstrap frequency"),
        ({"score": "bge"}, "posterior"),
        ({"score": "bic"}, "approximate posterior"),
        ({"graph": "undirected"}, "bootstrap frequency"),
        ({"graph": "undirected", "penalty": 0.2}, "bootstrap frequency"),
    ],
)
def test_learning_with_certainty_names_its_meaning(tmp_path, homes, words, meaning):
    net = aw.learn(homes, model="gaussian", certainty=True, **words)
    assert net.edges.certainty_meaning.startswith(meaning)
    assert meaning in str(net)
    assert any(meaning in text for _, text in net.describe())
    assert meaning in net.to_dict()["certainty"]
    again = aw.load(net.save(tmp_path / "sure.json"))
    assert again.edges.certainty_meaning == net.edges.certainty_meaning
    for row in net.edges:
        assert again.edges[row.first, row.second].certainty == row.certainty


def test_parzen_models_have_certainty(homes):
    few = homes.take(np.arange(0, 506, 8)).select(["RM", "MEDV", "LSTAT"])
    for graph in ("directed", "undirected"):
        net = aw.learn(few, model="parzen", graph=graph).certainty(draws=8)
        assert net.edges.certainty_meaning == "bootstrap frequency"
        assert 0 < net.edges["LSTAT", "MEDV"].certainty <= 1


def test_a_method_can_be_named(homes):
    exact, post = aw.learn(homes, model="gaussian", certainty="exact"), aw.posterior(homes)
    assert exact.edges.certainty_meaning == f"posterior, prior {post.prior}"
    for row in exact.edges:
        assert row.certainty == float(post.edge(row.first, row.second))
    with pytest.raises(OptionError, match="method"):
        aw.learn(homes, model="gaussian", certainty="guess")
    with pytest.raises(OptionError, match="no parameter"):
        aw.learn(homes, model="gaussian").certainty(nonsense=1)


def test_networks_that_were_not_learned_have_none(tmp_path, homes):
    with pytest.raises(FitError, match="training data"):
        aw.fit("RM -> MEDV", homes).certainty()
    place = aw.learn(homes, model="gaussian").save(tmp_path / "net.json")
    with pytest.raises(FitError, match="training data"):
        aw.load(place).certainty()


def supports(homes, draws):
    """Shares of replicates whose class compels each arrow, counted one graph after the other."""
    net = aw.learn(homes, model="gaussian")
    post = net.certainty("bootstrap", draws=draws).posterior
    counted = {}
    for graph, weight in zip(post.graphs, post.weights, strict=True):
        for arc in aw.graphs.cpdag(graph).arcs:
            counted[arc] = counted.get(arc, 0.0) + weight
    return counted


def test_learning_has_a_quick_certainty_by_default(homes, tmp_path):
    net = aw.learn(homes, model="gaussian")
    assert net.posterior is None
    assert "certainty" not in vars(net)
    edges = net.edges
    assert edges.certainty_meaning == "bootstrap frequency, 100 replicates"
    assert "100 replicates" in str(net)
    wanted = supports(homes, 100)
    for row in edges.present:
        arc = tuple(row.direction.split(" -> "))
        assert row.direction_support == pytest.approx(wanted.get(arc, 0.0), abs=1e-12)
        assert row.head == (not row.reversible and row.direction_support >= 0.5)
    assert any(not row.reversible and not row.head for row in edges.present)
    again = aw.load(net.save(tmp_path / "net.json"))
    assert again.edges.rows == edges.rows
    assert str(again.edges) == str(edges)
    assert aw.learn(homes, model="gaussian").edges.rows == edges.rows


def test_the_graph_does_not_depend_on_certainty(homes):
    nets = [aw.learn(homes, model="gaussian", certainty=word) for word in (None, False, True)]
    assert len({(net.graph, net.score, net.stopped, len(net.trace)) for net in nets}) == 1
    off = nets[1].edges
    assert str(off.unchecked) == "it was turned off by certainty=False"
    assert "certainty" not in off.more
    assert all(row.head == (not row.reversible) for row in off.present)
    assert "certainty: none" in str(nets[1])


def test_the_budget_ends_it_and_says_so(homes, monkeypatch):
    from dataclasses import replace

    net = aw.learn(homes, model="gaussian")
    short = replace(net, _certainty_budget=replace(net._certainty_budget, seconds=0.0, wall=0.0))
    assert "30 replicates take more than 0 s" in short.edges.unchecked
    assert any("Arrow heads are unchecked" in text for _, text in short.describe())
    late = aw.learn(homes, model="gaussian", time_limit=1e-6)
    assert late.edges.unchecked
    from arcwise.api import edge_certainty

    monkeypatch.setattr(edge_certainty, "_RUNGS", (40, 20, 10))
    assert net.edges.certainty_meaning == "bootstrap frequency, 40 replicates"


def test_wide_tables_have_a_quick_certainty():
    """37 columns of levels and 2000 rows: 30 replicates took 2.5 s of the 2 that there are."""
    edges = aw.learn(aw.example("alarm").sample(2000, seed=1)).edges
    assert re.fullmatch(r"subsampling frequency, (30|60|100) replicates", edges.certainty_meaning)


def test_networks_that_cannot_be_resampled_say_why(homes, tmp_path):
    homes.to_pandas().to_csv(tmp_path / "homes.csv", index=False)
    found = aw.learn(aw.moments(tmp_path / "homes.csv")).edges
    assert str(found.unchecked) == "there are no rows to resample"


def test_graphs_that_were_given_keep_their_heads(homes, tmp_path):
    given = aw.fit("RM -> MEDV -> LSTAT", homes)
    numbers = {"a": {"sd": 1.0}, "b": {"sd": 1.0, "coefficients": {"a": 2.0}}}
    for net in (given, aw.network("a -> b", numbers)):
        for each in (net, aw.load(net.save(tmp_path / "net.json"))):
            assert all(row.head for row in each.edges.present)
            assert not each.edges.unchecked
            assert " -- " not in str(each.edges)
    asia = aw.load(aw.network_file("asia"))
    assert all(row.head for row in asia.edges.present)


def test_no_time_for_certainty_is_said(homes):
    net = aw.learn(homes, model="parzen", certainty=True, time_limit=0.05)
    assert (
        "There was no time for the certainty of edges." in map(str, net.notes)
        or net.posterior is not None
    )


def test_sure_edges_are_dark(homes):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from arcwise.plot.marks import edge_rows, mark_lines

    net = aw.learn(homes, model="gaussian").certainty(draws=30)
    lines = mark_lines(net.graph, edge_rows(net.edges))
    sure = sorted(lines, key=lambda line: line.certainty)
    assert [line.ink for line in sure] == sorted(line.ink for line in lines)
    axes = net.plot()
    assert any("bootstrap frequency" in text.get_text() for text in axes.get_legend().get_texts())
    post = aw.posterior(homes, method=aw.MCMC(chains=2), draws=50)
    for kind in ("graph", "matrix", "trace"):
        assert post.plot(kind) is not None
    assert post.plot("reliability", truth=net.graph) is not None
    with pytest.raises(OptionError, match="kind of plot"):
        post.plot("pie")
    matplotlib.pyplot.close("all")


def test_certainty_that_was_cut_short_says_so(homes):
    net = aw.learn(homes, model="gaussian").certainty("bootstrap", draws=100_000, time_limit=1.0)
    assert f"Certainty rests on {net.posterior.draws} draws: the time budget" in net.notes[-1]
    whole = aw.learn(homes, model="gaussian").certainty(draws=5)
    assert not any("rests on" in note for note in whole.notes)
    assert (
        "so certainty is estimated by resampling." in whole.notes[-1]
    )  # and no word of an option that learn has not


def test_answers_to_do_have_a_range_over_equivalent_and_over_other_graphs():
    net = aw.learn(aw.example("boston"), model="gaussian")
    belief = net.query("MEDV", do={"RM": 7.0})
    over = belief.range.graphs
    low, high = over.mean
    assert round(belief.mean, 1) == 28.3
    assert (low, high) == pytest.approx((22.53, 29.12), abs=0.3)
    assert "over 100 bootstrap graphs" in str(belief)
    told = belief.document()["range"]
    assert told["graphs"] == 1
    assert told["over_graphs"]["mean"] == (low, high)
    assert net.marginals(do={"RM": 7.0})["MEDV"].range.graphs.mean == (low, high)
    both = net.query(["MEDV", "TAX"], do={"RM": 7.0})
    assert both.range.graphs["MEDV"].mean == (low, high)


def test_a_range_over_graphs_is_the_one_that_is_counted_by_hand(homes):
    net = aw.learn(homes, model="gaussian")
    low, high = net.query("MEDV", do={"AGE": 50.0}).range.graphs.mean
    means = []
    for graph in net.certainty("bootstrap", draws=100).posterior.graphs:
        for member in aw.graphs.members(aw.graphs.cpdag(graph), graph):
            means.append(aw.fit(member, homes).query("MEDV", do={"AGE": 50.0}).mean)
    assert (low, high) == pytest.approx((min(means), max(means)), rel=1e-9)


def test_answers_to_do_without_certainty_say_so(homes, tmp_path):
    off = aw.learn(homes, model="gaussian", certainty=False).query("MEDV", do={"RM": 7.0})
    assert off.range is not None
    assert off.range.graphs is None
    assert "since they have no certainty: it was turned off" in str(off)
    loaded = aw.load(aw.learn(homes, model="gaussian").save(tmp_path / "net.json")).query(
        "MEDV", do={"RM": 7.0}
    )
    assert "bootstrap graphs needs the training data" in str(loaded)
    given = aw.fit("RM -> MEDV", homes).query("MEDV", do={"RM": 7.0})
    assert given.range is None
    assert "note" not in str(given)


def heads_of(path: Path) -> set[str]:
    """Arcs with a head in a file for Graphviz."""
    lines = path.read_text().splitlines()
    return {line.strip(" ;").replace('"', "") for line in lines if "->" in line and "[" not in line}


def test_a_file_for_graphviz_has_the_heads_of_the_printed_table(tmp_path):
    net = aw.learn(aw.example("boston"), model="gaussian")
    shown = {row.direction for row in net.edges.present if row.head}
    assert heads_of(net.save(tmp_path / "net.dot")) == shown
    assert 0 < len(shown) < net.graph.n_arcs
    aw.load(net.save(tmp_path / "net.json")).save(tmp_path / "again.dot")
    assert (tmp_path / "again.dot").read_text() == (tmp_path / "net.dot").read_text()


def test_heads_without_certainty_are_called_unchecked_in_a_file_for_graphviz(tmp_path):
    net = aw.learn(aw.example("boston"), model="gaussian", certainty=False)
    path = net.save(tmp_path / "net.dot")
    assert heads_of(path) == set(str(net.cpdag).split(", ")) & {r.direction for r in net.edges}
    assert 'label="heads are unchecked: no certainty"' in path.read_text()


def test_graphs_that_were_given_keep_their_heads_in_a_file_for_graphviz(tmp_path):
    for net in (aw.example("asia", "network"), aw.fit("[RM][MEDV|RM]", aw.example("boston"))):
        path = net.save(tmp_path / "net.dot")
        assert heads_of(path) == {f"{tail} -> {head}" for tail, head in net.graph.arcs}
        assert "label" not in path.read_text()
