import numpy as np
import pytest
from contracts.cases import bind, linear
from naive.visits import dense_bic, visited

from arcwise.conditionals import FAMILIES
from arcwise.graphs import DAG, Rules
from arcwise.search import exact, greedy, tabu

BIC = bind("bic", FAMILIES["gaussian"], linear(1, rows=70, p=7))


def run(**options):
    return tabu(BIC, rng=np.random.default_rng(1), **options)


def test_walks_do_not_touch_a_pair_again_while_it_is_tabu():
    length, steps = 6, 12
    result = run(tabu_length=length, walk_length=steps)
    recent: list[frozenset[int]] = []
    for step in result.trace:
        if not step.what.startswith("walk") or len(recent) == steps:
            recent = []  # a new walk begins
        if step.what.startswith("walk"):
            pair = frozenset((step.tail, step.head))
            assert pair not in recent[-length:]
            recent.append(pair)
    assert any(step.what.startswith("walk") for step in result.trace)


def test_walks_go_on_where_greedy_search_ends_and_are_never_worse():
    climbed, walked = greedy(BIC), run()
    steps = [s.what for s in walked.trace]
    assert steps[: len(climbed.trace)] == [s.what for s in climbed.trace]
    assert steps[len(climbed.trace)].startswith("walk")
    assert walked.score >= climbed.score


def test_no_walks_is_greedy_search():
    assert run(walks=0).graph == greedy(BIC).graph


def test_restarts_begin_at_random_graphs_and_keep_the_best():
    once, often = run(), run(restarts=4)
    assert sum(step.what == "restart" for step in often.trace) == 4
    assert often.score >= once.score
    assert often.trace[: len(once.trace)] != ()


def test_a_walk_with_nowhere_to_go_ends():
    shut = Rules(max_parents=0).on(BIC.nodes)
    result = tabu(BIC, rng=np.random.default_rng(1), limits=shut, restarts=2)
    assert result.graph == DAG.empty(BIC.nodes)


def test_the_best_graph_of_a_walk_is_not_lost():
    """The walk crosses the optimum, and the climb that follows does not lead back to it."""
    score = dense_bic(54, 4)
    assert tabu(score, rng=np.random.default_rng(0)).score == pytest.approx(exact(score).score)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("restarts", [0, 2])
def test_no_graph_on_the_way_is_better_than_the_one_handed_back(seed, restarts, monkeypatch):
    totals = visited(monkeypatch)
    score = dense_bic(seed, 4 + seed % 5)
    result = tabu(score, rng=np.random.default_rng(seed), restarts=restarts)
    assert result.score >= max(step.score for step in result.trace) - 1e-6
    assert result.score == pytest.approx(max(totals), abs=1e-6)
    assert greedy(score, result.graph).score == pytest.approx(result.score)
