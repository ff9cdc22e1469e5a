import numpy as np
import pytest
from contracts.cases import bind, linear, table
from naive.orders import best_place, graph_of
from naive.visits import dense_bic

from arcwise.conditionals import FAMILIES
from arcwise.errors import FitError
from arcwise.graphs import DAG, Rules
from arcwise.scores import CachedScore, total
from arcwise.search import boss, exact, ges
from arcwise.search.boss import OrderSearch, displace, legal_order
from arcwise.search.run import Run


def dense(seed, p=30, degree=10, rows=5000):
    """A dense random linear network and the BIC of a sample."""
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(p), tuple(f"v{i:02}" for i in range(p))
    parents, x = [()] * p, np.zeros((rows, p))
    for place, node in enumerate(order):
        row = [int(j) for j in order[:place] if rng.random() < degree / (p - 1)]
        weights = rng.choice([-1, 1], len(row)) * rng.uniform(0.3, 0.9, len(row))
        x[:, node] = x[:, row] @ weights + rng.uniform(0.5, 1.5) * rng.standard_normal(rows)
        parents[node] = tuple(sorted(row))
    source = table(dict(zip(names, (x / x.std(axis=0)).T, strict=True)))
    return DAG(names, tuple(parents)), bind("bic", FAMILIES["gaussian"], source)


def run(score, **options):
    return boss(score, rng=np.random.default_rng(1), **options)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_dense_graphs_are_found_where_classes_get_lost(seed):
    truth, score = dense(seed)
    result = run(score)
    assert result.score >= total(score, truth) - 1e-6
    assert ges(score).score < total(score, truth) - 100


def test_small_problems_end_at_the_optimum_or_close_to_it():
    """Greedily grown parents cannot reach every graph, so the optimum is not always among them."""
    gaps = []
    for seed in range(12):
        score = bind("bic", FAMILIES["gaussian"], linear(seed, rows=100, p=8))
        gaps.append(exact(score).score - run(score, restarts=20).score)
    assert min(gaps) > -1e-6
    assert sum(gap < 1e-6 for gap in gaps) >= 9
    assert max(gaps) < 2


@pytest.mark.parametrize("seed", [11, 31, 81, 114])
def test_a_climb_ends_where_no_move_of_one_variable_helps(seed):
    """Greedy growing may give a variable less the more come before it, so every place has to be tried."""
    score, rng = dense_bic(seed, 8, rows=30), np.random.default_rng(seed)
    orders = OrderSearch(Run(score), rng)
    start = rng.permutation(8).tolist()
    end = orders._climb(orders._orders, start, lambda *step: False)
    assert graph_of(score, end.order)[1] == pytest.approx(end.total)
    assert max(best_place(score, end.order, x) for x in range(8)) <= end.total + 1e-6


def test_dear_scores_take_the_same_way_set_by_set():
    score = bind("bic", FAMILIES["gaussian"], linear(4, rows=100, p=8))
    options = {"start": DAG.empty(score.nodes), "restarts": 0}
    closed, plain = run(score, **options), run(CachedScore(score), **options)
    assert plain.graph == closed.graph
    assert [s.what for s in plain.trace] == [s.what for s in closed.trace]


@pytest.mark.parametrize("seed", [1, 3])
def test_falling_charges_find_dense_graphs_that_one_climb_does_not(seed):
    truth, score = dense(seed, p=60, degree=15, rows=2000)
    plain = run(score, start=DAG.empty(score.nodes), restarts=0)
    assert plain.score < total(score, truth) - 1000
    assert run(score, restarts=0).score >= total(score, truth) - 1e-6


def test_full_memory_is_said_and_changes_nothing():
    _, score = dense(4, rows=500)
    small = run(score, memory=4096, restarts=1)
    assert "the memory was full" in str(small.stopped)
    assert small.graph == run(score, restarts=1).graph


def test_more_climbs_are_never_worse():
    _, score = dense(5, rows=300)
    scores = [run(score, restarts=restarts).score for restarts in (0, 3, 10)]
    assert scores == sorted(scores)


@pytest.mark.parametrize("options", [{"restarts": -1}, {"memory": 0}])
def test_options_that_make_no_sense_are_rejected(options):
    with pytest.raises(FitError, match="restarts must be non-negative and memory positive"):
        run(bind("bic", FAMILIES["gaussian"], linear(1)), **options)


def test_displaced_orders_keep_required_parents_first():
    names = tuple("abcdefgh")
    limits = Rules(required=["h -> a", "a -> d"]).on(names)
    rng = np.random.default_rng(1)
    start = legal_order(limits.start(), np.arange(8.0))
    seen = set()
    for _ in range(50):
        order = displace(start, limits, rng)
        assert sorted(order) == list(range(8))
        assert order.index(7) < order.index(0) < order.index(3)
        seen.add(tuple(order))
    assert len(seen) > 20
