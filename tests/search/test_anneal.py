import numpy as np
import pytest
from contracts.cases import bind, linear
from naive.subsets import all_graphs
from naive.visits import dense_bic, visited

from arcwise.conditionals import FAMILIES
from arcwise.errors import FitError
from arcwise.graphs import Limits
from arcwise.scores import Score, total
from arcwise.search import anneal
from arcwise.search.climb import Climb, Peak
from arcwise.search.local_search import _cool


class Few(Score):
    """Three variables with a random number for each parent set."""

    nodes, rows = ("a", "b", "c"), 1.0

    def __init__(self) -> None:
        self.table = np.random.default_rng(3).normal(size=(3, 8))

    def many(self, child, sets):
        return self.table[child, [sum(1 << x for x in s) for s in sets]]


def test_the_temperatures_have_to_fall_and_stay_above_zero():
    score = bind("bic", FAMILIES["gaussian"], linear(1))
    for options in ({"cold": 0.0}, {"hot": 0.1, "cold": 0.5}, {"cold": -1.0}):
        with pytest.raises(FitError, match="hot >= cold > 0"):
            anneal(score, rng=np.random.default_rng(1), **options)


def test_at_one_temperature_graphs_are_visited_by_their_weight():
    """Draws are symmetric but for turning (add, drop and flip undo each other at equal rates)."""
    score = Few()
    climb = Climb(score, Limits.none(score.nodes).start(), Limits.none(score.nodes))
    rng, counts, peak = np.random.default_rng(1), {}, Peak(climb)
    for _ in range(12_000):
        _cool(climb, rng, np.ones(2), peak)
        counts[climb.graph().parents] = counts.get(climb.graph().parents, 0) + 1
    values = {g: sum(score.local(c, r) for c, r in enumerate(g)) for g in all_graphs(3)}
    assert len(values) == 25
    best = max(values, key=values.get)
    assert peak.score == pytest.approx(max(values[graph] for graph in counts))
    worst = min(values, key=values.get)
    assert counts[best] > 20 * max(counts.get(worst, 0), 1) or values[best] - values[worst] < 3
    assert max(counts, key=counts.get) in sorted(values, key=values.get)[-4:]


def test_the_end_is_a_local_optimum_and_no_steps_is_climbing_alone():
    score = bind("bic", FAMILIES["gaussian"], linear(1, p=6))
    result = anneal(score, rng=np.random.default_rng(1), steps=2000)
    climb = Climb(score, result.graph, Limits.none(score.nodes))
    assert climb.best().gain < 1e-6
    assert str(result.stopped) == "cooled down"
    assert anneal(score, rng=np.random.default_rng(1), steps=0).score == pytest.approx(
        total(score, anneal(score, rng=np.random.default_rng(2), steps=0).graph)
    )


@pytest.mark.parametrize("seed", range(10))
def test_no_graph_on_the_way_is_better_than_the_one_handed_back(seed, monkeypatch):
    totals = visited(monkeypatch)
    result = anneal(dense_bic(seed, 8), rng=np.random.default_rng(seed), steps=4000)
    assert result.score == pytest.approx(max(totals), abs=1e-6)
