"""Scores and optima of discrete networks (bnlearn 4.8.3; oracles/scores.json and exact_structure.json)."""

import json

import pytest

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import cpdag, dag
from arcwise.scores import aic, bdeu, bic, k2, loglik, qnml, total

PLACES = {
    "lizards": "bnlearn/lizards.csv",
    "learning.test": "bnlearn/learning.test.csv",
    "asia": "bnlearn/asia.csv",
    "sachs_discrete_5400x11_ignoring_interventions": "sachs/sachs_discrete_5400x12.csv",
}
WORDS = {
    "bic": {"score": "bic"},
    "bdeu_ess1": {"score": "bdeu"},
    "bdeu_ess10": {"score": aw.BDeu(equivalent_sample_size=10)},
}


@pytest.fixture(scope="module")
def scores(shared_data):
    return json.loads((shared_data / "oracles" / "scores.json").read_text())


@pytest.fixture(scope="module")
def optima(shared_data):
    return json.loads((shared_data / "oracles" / "exact_structure.json").read_text())


@pytest.fixture(scope="module")
def tables(shared_data, optima):
    """Each data set, read once, with its columns in another order than the file's; levels as text."""
    found = {}
    for name, place in PLACES.items():
        wanted = optima[name]["variables"]
        table = aw.read(shared_data / place, kinds=dict.fromkeys(wanted, "discrete"))
        found[name] = table.select(sorted(wanted, key=lambda n: n[::-1]))
    return found


def bound(tables, name, words):
    fits = FAMILIES["discrete"].bind(tables[name])
    return fits, dag(words).over(fits.nodes)


def test_scores_of_learning_test(scores, tables):
    entry = scores["learning.test"]
    fits, graph = bound(tables, "learning.test", entry["dag"])
    for score in (loglik, aic, bic, k2, qnml):
        near = 1e-10 if score is not qnml else 1e-8  # ours has exact regrets, bnlearn's has not
        assert total(score(fits), graph) == pytest.approx(entry[score.__name__], rel=near)
    for size, expected in entry["bdeu"].items():
        found = total(bdeu(fits, equivalent_sample_size=float(size)), graph)
        assert found == pytest.approx(expected, rel=1e-10)
    for key, score in (("bic_by_node", bic(fits)), ("bdeu_ess1_by_node", bdeu(fits))):
        for name, expected in entry[key].items():
            child = graph.nodes.index(name)
            assert score.local(child, graph.parents[child]) == pytest.approx(expected, rel=1e-10)
    assert aw.fit(graph, tables["learning.test"]).net.n_params == entry["free_parameters"]


def test_an_arc_turned_round_ties_but_for_k2(scores, tables):
    entry = scores["learning.test"]
    fits, graph = bound(tables, "learning.test", entry["dag"])
    turned, expected = graph.without_arc("A", "B").with_arc("B", "A"), entry["arc_A_B_reversed"]
    for key, score in (("bic", bic), ("bdeu_ess1", bdeu), ("k2", k2)):
        assert total(score(fits), turned) == pytest.approx(expected[key], rel=1e-10)
    empty = aw.DAG.empty(fits.nodes)
    for key, score in (("loglik", loglik), ("bic", bic), ("bdeu_ess1", bdeu), ("k2", k2)):
        assert total(score(fits), empty) == pytest.approx(entry["empty_dag"][key], rel=1e-10)


def test_scores_of_asia_and_lizards(scores, tables):
    entry = scores["asia"]
    fits, graph = bound(tables, "asia", entry["dag"])
    for score in (loglik, bic, k2):
        assert total(score(fits), graph) == pytest.approx(entry[score.__name__], rel=1e-10)
    for size, expected in entry["bdeu"].items():
        found = total(bdeu(fits, equivalent_sample_size=float(size)), graph)
        assert found == pytest.approx(expected, rel=1e-10)
    for words, values in scores["lizards"].items():
        fits, graph = bound(tables, "lizards", words)
        for key, score in (("bic", bic), ("bdeu_ess1", bdeu), ("k2", k2)):
            assert total(score(fits), graph) == pytest.approx(values[key], rel=1e-10)


def test_hill_climbing_by_bic(scores, tables):
    expected = dag(scores["learning.test"]["hill_climbing_bic_result"])
    net = aw.learn(tables["learning.test"], score="bic", search="greedy")
    assert cpdag(net.graph) == cpdag(expected.over(net.graph.nodes))


@pytest.mark.parametrize("key", WORDS)
@pytest.mark.parametrize("name", PLACES)
def test_the_optimum_is_reached_and_named_as_such(optima, tables, name, key):
    entry, table = optima[name], tables[name]
    assert table.rows == entry["n"]
    for search in ("exact", "auto"):
        net = aw.learn(table, search=search, **WORDS[key])
        assert net.score == pytest.approx(entry[key]["optimal_score"], rel=1e-10)
        assert net.optimal
    long_way = aw.learn(table, search=aw.Auto(max_steps=10**6), **WORDS[key])
    assert not long_way.optimal
    assert (
        net.score - 15 <= long_way.score <= net.score + 1e-6
    )  # parents that help only together are missed


def test_the_default_search_passes_the_true_graph_of_alarm(scores, shared_data):
    """bnlearn's hill climbing stops at -220761.7."""
    net = aw.learn(aw.read(shared_data / "bnlearn" / "alarm.csv.gz"), score="bic")
    assert net.score >= scores["alarm"]["bic"]
