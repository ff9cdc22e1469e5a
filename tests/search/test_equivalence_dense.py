"""Equivalence search on dense graphs: a clique of k neighbours has 2^k subsets."""

import time

import numpy as np
import pytest

from arcwise.conditionals import FAMILIES
from arcwise.data import table
from arcwise.graphs import DAG, random_dag
from arcwise.scores import Score, bic, total
from arcwise.search.equivalence import ges


def bic_of(p: int, seed: int = 0) -> Score:
    """The compiled BIC on a chain of p variables in 300 rows."""
    x = np.random.default_rng(seed).normal(size=(300, p))
    for child in range(1, p):
        x[:, child] += 0.5 * x[:, child - 1]
    names = [f"x{i:02d}" for i in range(p)]
    return bic(FAMILIES["gaussian"].bind(table(x, names=names)))


@pytest.mark.parametrize(("p", "bound"), [(17, None), (17, 12), (40, 12)])
def test_watcher_is_heard_inside_a_step(p, bound):
    score = bic_of(p)
    asked = []

    def late(step):
        if time.perf_counter() - began > 0.3:
            asked.append(time.perf_counter())
        return bool(asked)

    start, began = DAG.complete(score.nodes), time.perf_counter()
    result = ges(score, start, max_clique=bound, on_step=late)
    ended = time.perf_counter()
    assert not asked or (ended - asked[0] < 2 and str(result.stopped) == "asked to stop")
    assert ended - began < 3
    assert len(asked) <= 2
    if not result.trace:
        assert result.graph == start
    assert result.score == pytest.approx(total(score, result.graph))


def test_a_score_that_takes_long_is_not_waited_for():
    class Slow(Score):
        nodes, rows = tuple("abcdefghij"), 1.0

        def many(self, child, sets):
            time.sleep(0.001 * len(sets))
            return np.zeros(len(sets))

    ticks = []
    start = DAG.complete(Slow.nodes)
    result = ges(Slow(), start, on_step=lambda step: ticks.append(step) or True)
    assert len(ticks) == 1
    assert ticks[0].elapsed < 2  # of the eight seconds and more that all first rows take
    assert (str(result.stopped), result.trace) == ("asked to stop", ())


def test_sets_of_large_cliques_are_bounded():
    score = bic_of(17)
    result = ges(score, DAG.complete(score.nodes))
    assert str(result.stopped).endswith("; sets of more than 4 neighbours were skipped")
    assert result.score == pytest.approx(total(score, result.graph))
    assert result.trace[-1].score == pytest.approx(result.score)
    assert "skipped" not in str(ges(score).stopped)


@pytest.mark.parametrize("seed", range(10))
def test_a_bound_that_no_clique_reaches_changes_nothing(seed):
    score = bic_of(9, seed)
    start = random_dag(score.nodes, 6.0, np.random.default_rng(seed))
    whole = ges(score, start, max_clique=None)
    for bound in (8, 12):
        again = ges(score, start, max_clique=bound)
        assert (again.graph, again.score, again.stopped) == (
            whole.graph,
            whole.score,
            whole.stopped,
        )


@pytest.mark.parametrize(("bound", "tried"), [(1, 1), (2, 1), (5, 2), (6, 2), (7, 3)])
def test_bounds_that_bite_still_lead_to_better_graphs(bound, tried):
    score = bic_of(9)
    start = DAG.complete(score.nodes)
    result = ges(score, start, max_clique=bound)
    assert str(result.stopped).endswith(f"; sets of more than {tried} neighbours were skipped")
    assert result.score == pytest.approx(total(score, result.graph))
    assert result.trace[-1].score == pytest.approx(result.score)
    assert result.score > total(score, start)
