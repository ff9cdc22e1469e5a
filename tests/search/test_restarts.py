"""Every search that climbs may start again from random graphs, and never gets worse by it."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.search import SEARCHES

SOURCE = linear(3, rows=60, p=7)
CLIMBING = [
    aw.Greedy(restarts=4), aw.Tabu(restarts=2), aw.ILS(rounds=2, restarts=3),
    aw.Annealing(steps=300, restarts=2), aw.GES(restarts=4), aw.BOSS(restarts=2),
]  # fmt: skip


@pytest.mark.parametrize("search", CLIMBING, ids=lambda each: each.word)
def test_restarts_keep_the_best_graph(search):
    settings = {"model": "gaussian", "certainty": False, "seed": 1}
    net = aw.learn(SOURCE, search=search, **settings)
    alone = aw.learn(SOURCE, search=type(search)(**{**search.settings, "restarts": 0}), **settings)
    assert net.score >= alone.score - 1e-9
    assert net.score == pytest.approx(aw.score(net.graph, SOURCE, model="gaussian", score="ebic"))
    assert net.settings["search_options"]["restarts"] == search.restarts
    assert net.graph == aw.learn(SOURCE, search=search, **settings).graph  # the same seed
    assert str(net.stopped) == str(alone.stopped) or search.word == "boss"


def test_a_climb_from_a_bad_start_is_mended_by_restarts():
    scores = []
    for restarts in (0, 8):
        search = aw.Greedy(start="complete", restarts=restarts)
        net = aw.learn(SOURCE, model="gaussian", search=search, certainty=False)
        scores.append(net.score)
    assert scores[1] >= scores[0]


def test_rules_time_limits_and_steps_hold_in_restarts():
    rules = aw.Rules(required=["v0 -> v1"], forbidden=["v2 -> v3"], max_parents=2)
    for search in CLIMBING:
        graph = aw.learn(
            SOURCE, model="gaussian", search=search, rules=rules, certainty=False
        ).graph
        assert graph.has_arc("v0", "v1")
        assert not graph.has_arc("v2", "v3")
        assert max(map(len, graph.parents)) <= 2
    few = aw.learn(
        SOURCE, model="gaussian", search=aw.Greedy(restarts=5, max_steps=3), certainty=False
    )
    assert len(few.trace) == 3
    assert few.stopped.early
    quick = aw.learn(
        SOURCE, model="gaussian", search=aw.GES(restarts=10**6), time_limit=0.2, certainty=False
    )
    assert quick.stopped.early


def test_a_condition_on_whole_graphs_holds_in_restarts():
    net = aw.learn(
        SOURCE, model="gaussian", search=aw.Greedy(restarts=3), certainty=False,
        rules=aw.Rules(target="v0"),
    )  # fmt: skip
    assert net.children("v0")


def test_only_restarts_make_a_climb_random():
    with pytest.raises(aw.OptionError, match="finds the same graph each time"):
        aw.posterior(
            SOURCE, model="gaussian", search="greedy", draws=2, method=aw.Bootstrap("none")
        )
    post = aw.posterior(
        SOURCE, model="gaussian", search=aw.Greedy(restarts=1), draws=2, method=aw.Bootstrap("none")
    )
    assert len(post.graphs) >= 1


def test_one_column_and_two_rows():
    one = {"a": [1.0, 2.0]}
    for search in CLIMBING:
        assert aw.learn(one, model="gaussian", search=search, certainty=False).graph.n_arcs == 0


def test_restarts_need_a_generator():
    score = aw.fit("v0 -> v1", SOURCE).scorer
    for word in ("greedy", "ges"):
        with pytest.raises(aw.FitError, match="random generator"):
            SEARCHES[word](score, restarts=2)
        again = SEARCHES[word](score, restarts=2, rng=np.random.default_rng(3))
        assert again.score >= SEARCHES[word](score).score
