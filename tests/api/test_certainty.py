"""Certainty of the edges of a network: in its table, in pictures, in words and in files."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FitError, WordError

NAMES = ["RM", "LSTAT", "MEDV", "AGE", "CRIM"]


@pytest.fixture(scope="module")
def homes():
    return aw.example("boston").select(NAMES)


def test_certainty_is_that_of_the_posterior(homes):
    net = aw.learn(homes)
    sure = net.certainty(draws=40)
    post = aw.posterior(homes, method="bootstrap", draws=40)
    for row in sure.edges:
        assert row.certainty == float(post.edge(row.first, row.second))
        if row.present:
            tail, head = row.direction.split(" -> ")
            assert row.direction_certainty == float(post.arc(tail, head))
        else:
            assert np.isnan(row.direction_certainty)
        assert row.certainty_error > 0
    assert sure.graph == net.graph
    assert net.edges["RM", "MEDV"].certainty is None


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
    net = aw.learn(homes, certainty=True, **words)
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
    exact, post = aw.learn(homes, certainty="exact"), aw.posterior(homes)
    assert exact.edges.certainty_meaning == f"posterior, prior {post.prior}"
    for row in exact.edges:
        assert row.certainty == float(post.edge(row.first, row.second))
    with pytest.raises(WordError, match="method"):
        aw.learn(homes, certainty="guess")
    with pytest.raises(WordError, match="option of certainty"):
        aw.learn(homes).certainty(nonsense=1)


def test_networks_that_were_not_learned_have_none(tmp_path, homes):
    with pytest.raises(FitError, match="learned from"):
        aw.fit("RM -> MEDV", homes).certainty()
    place = aw.learn(homes).save(tmp_path / "net.json")
    with pytest.raises(FitError, match="learned from"):
        aw.load(place).certainty()


def test_no_time_for_certainty_is_said(homes):
    net = aw.learn(homes, model="parzen", certainty=True, time_limit=0.05)
    assert "There was no time to find how sure edges are." in net.notes or net.posterior is not None


def test_sure_edges_are_dark(homes):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from arcwise.plot.marks import edge_rows, marked

    net = aw.learn(homes).certainty(draws=30)
    lines = marked(net.graph, edge_rows(net.edges))
    sure = sorted(lines, key=lambda line: line.certainty)
    assert [line.ink for line in sure] == sorted(line.ink for line in lines)
    axes = net.plot()
    assert any("bootstrap frequency" in text.get_text() for text in axes.get_legend().get_texts())
    post = aw.posterior(homes, method="mcmc", draws=50, chains=2)
    for kind in ("graph", "matrix", "trace"):
        assert post.plot(kind) is not None
    assert post.plot("reliability", truth=net.graph) is not None
    with pytest.raises(WordError, match="picture"):
        post.plot("pie")
    matplotlib.pyplot.close("all")


def test_certainty_that_was_cut_short_says_so(homes):
    net = aw.learn(homes).certainty("bootstrap", draws=100_000, time_limit=1.0)
    assert f"Certainty rests on {net.posterior.draws} draws: the time budget" in net.notes[-1]
    whole = aw.learn(homes).certainty(draws=5)
    assert not any("rests on" in note for note in whole.notes)
    assert (
        "so certainty is resampled." in whole.notes[-1]
    )  # and no word of an option that learn has not
