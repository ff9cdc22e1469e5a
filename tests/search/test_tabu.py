import numpy as np
from contracts.cases import bind, linear

from arcwise.conditionals import FAMILIES
from arcwise.graphs import DAG, Rules
from arcwise.search import greedy, tabu

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
