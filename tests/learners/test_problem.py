"""A problem binds data to family and score once, and learners are found by their words."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.conditionals import FAMILIES, GaussianFamily, ParzenFamily
from arcwise.data import Table, Variable
from arcwise.data.folds import Folds
from arcwise.evaluate import validate_folds
from arcwise.learners import LEARNERS, RULES, Learner, Specification, bind, searches
from arcwise.networks import BayesNet, MarkovNet

SOURCE = linear(3, rows=60, p=4)
UNDIRECTED = {"graph": "undirected", "model": "gaussian"}


@pytest.fixture
def bindings(monkeypatch):
    """How many rows were bound, each time that a family was tied to data."""
    found = []
    for family in (GaussianFamily, ParzenFamily):
        own = family.fits

        def counted(self, statistics, own=own, **options):
            found.append(statistics.total)
            return own(self, statistics, **options)

        monkeypatch.setattr(family, "fits", counted)
    return found


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"graph": "undirected"},
        {"graph": "undirected", "score": "bic"},
        {**UNDIRECTED, "penalty": 0.1},
        {**UNDIRECTED, "search": "glasso"},
        {**UNDIRECTED, "penalty": "stars", "search": aw.Glasso(subsamples=3)},
        {**UNDIRECTED, "search": "neighbourhood"},
    ],
)
def test_data_are_bound_once(bindings, words):
    aw.learn(SOURCE, **{"model": "gaussian", **words})
    assert bindings == [60]


@pytest.mark.parametrize(
    "words", [{}, {"graph": "undirected", "score": "loglik"}, {**UNDIRECTED, "search": "glasso"}]
)
def test_under_cross_validation_each_fold_is_bound_once_more(bindings, words):
    aw.learn(SOURCE, **{"model": "gaussian", **words}, penalty="cv")
    assert bindings == [60] + [54] * 10


def test_a_path_and_its_networks_are_from_one_binding(bindings):
    path = aw.path(SOURCE, model="gaussian")
    for penalty in (0.05, 0.2):
        path.network(penalty)
    assert bindings == [60]


def specified(**words):
    return Specification(np.random.default_rng(0), **words)


def test_a_learner_is_a_function_from_a_table_to_a_network():
    for words, kind in (({}, BayesNet), ({"graph": "undirected"}, MarkovNet)):
        learner = Learner(specified(**words))
        assert isinstance(learner(SOURCE), kind)
        one, two = learner(SOURCE), learner(SOURCE)
        assert one.graph == two.graph
    parts = [np.arange(0, 30), np.arange(30, 60)]
    found = validate_folds(Folds(SOURCE, parts), Learner(specified()))
    assert np.isfinite(found.mean)
    assert len(found.edges) == 2


def test_the_generator_of_a_specification_is_never_advanced():
    spec = specified(search="ils", search_options={"rounds": 3})
    graphs = {Learner(spec)(SOURCE).graph for _ in range(3)}
    assert len(graphs) == 1
    assert spec.rng.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({}, "directed"),
        ({"graph": "undirected"}, "stepwise"),
        ({"graph": "undirected", "penalty": 0.1}, "lasso"),
        ({"graph": "undirected", "rule": "cv"}, "lasso"),
        ({"graph": "undirected", "score": "bic"}, "boundary"),
        ({"graph": "undirected", "model": "parzen"}, "boundary"),
        ({"graph": "undirected", "search": "deletion"}, "boundary"),
    ],
)
def test_words_lead_to_learners(words, name):
    assert type(bind(specified(**words), SOURCE)) is LEARNERS[name]


def test_words_that_lead_nowhere_are_answered():
    with pytest.raises(aw.OptionError, match=r"no kind of graph 'tree'.*'directed', 'undirected'"):
        searches("tree")
    with pytest.raises(aw.OptionError, match="no search 'glasso' for directed graphs, only for un"):
        bind(specified(search="glasso"), SOURCE)
    with pytest.raises(aw.FitError, match="penalty='stars' is for the lasso"):
        aw.learn(SOURCE, penalty="stars")
    assert list(RULES) == ["cv", "cv-1se", "ebic", "stars", "ric"]


def test_learning_along_penalties_gives_what_learning_at_each_does():
    penalties = np.array([0.0, 0.02, 0.3])
    cases = ({"search": "greedy"}, {"graph": "undirected", "score": "loglik"})
    for words in (*cases, {"graph": "undirected", "search": "glasso"}):
        problem = bind(specified(**words), SOURCE)
        nets = problem.along(penalties[::-1], None)
        alone = [problem.learn(penalty).net for penalty in penalties[::-1]]
        assert [net.graph for net in nets] == [net.graph for net in alone]


def levels(rows=60, seed=4):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    words = np.array(["low", "middle", "high"])
    return aw.table({"a": words[a], "b": words[b], "c": words[rng.integers(0, 3, rows)]})


def test_what_a_family_chooses_for_its_score_is_not_for_its_models():
    """BDeu's equivalent rows are in the score; tables are smoothed by what is asked for."""
    table = levels()
    plain, smooth = aw.learn(table), aw.learn(table, model=aw.Discrete(alpha=1.0))
    assert plain.settings["score"] == "bdeu"
    assert plain.score == smooth.score
    chosen = FAMILIES["discrete"].default_score(3, 60).options
    named = aw.learn(table, score=aw.BDeu(**chosen))
    assert named.score == pytest.approx(plain.score)
    assert not np.allclose(plain["c"].table, smooth["c"].table)
    counts = np.bincount(table.column("c"), minlength=3)
    assert np.allclose(smooth["c"].table, (counts + 1) / 63)
    assert np.allclose(plain["c"].table, (counts + 5 / 3) / 65)


def test_a_tuned_penalty_takes_the_place_of_charges():
    table = levels()
    for rule, gamma in ((None, 1.5), ("cv", 0.0)):
        problem = bind(specified(rule=rule), table)
        assert problem.score_word == "bdeu"
        assert problem.score_options.get("gamma", 0.0) == gamma


def test_columns_that_number_the_rows_take_no_part_in_arcs():
    table = levels(200)
    number = Variable("id", tuple(f"r{i}" for i in range(200)))
    codes = np.arange(200, dtype=np.uint8)
    numbered = Table((*table.variables, number), (*table.columns, codes))
    net = aw.learn(numbered)
    assert not net.graph.parents_of("id")
    assert {a for a, _ in net.graph.arcs} | {b for _, b in net.graph.arcs} == {"a", "b"}
    assert any("'id'" in note and "no arcs" in note for note in net.notes)
    kept = aw.learn(numbered, search="greedy", rules=aw.Rules(required=[("c", "id")]))
    assert ("c", "id") in kept.graph.arcs
