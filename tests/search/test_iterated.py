import numpy as np
from contracts.cases import bind, linear

from arcwise.conditionals import FAMILIES
from arcwise.search import greedy, iterated

BIC = bind("bic", FAMILIES["gaussian"], linear(1, rows=70, p=7))


def test_rounds_shake_and_climb_and_keep_the_better_graph():
    result = iterated(BIC, rng=np.random.default_rng(1), rounds=6, shake=3)
    assert sum(step.what == "restart" for step in result.trace) == 6
    assert result.score >= greedy(BIC).score
    assert result.stopped == "6 rounds are over"


def test_no_rounds_is_greedy_search():
    assert iterated(BIC, rng=np.random.default_rng(1), rounds=0).graph == greedy(BIC).graph
