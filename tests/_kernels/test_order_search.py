import numpy as np
import pytest
from contracts.cases import bind, linear, nasty
from naive import orders as naive

from arcwise._kernels.local_scores import GaussianScores
from arcwise._kernels.order_search import Orders
from arcwise.conditionals import FAMILIES
from arcwise.scores import SCORES, ArcPenalty, Sum

SCORE_WORDS = ("bic", "ebic", "aic", "loglik", "bge")


def called(score):
    def rows(child, base, among):
        toggled = score.toggles(child, base, among) if among else np.zeros(0)
        return np.concatenate([[score.local(child, base)], toggled])

    return rows


def climbed(source, p, order, turns=None, *, most=10**8, max_parents=None, kept=None, watch=None):
    orders = Orders(
        source,
        [()] * p,
        kept or [()] * p,
        max_parents=p if max_parents is None else max_parents,
        tolerance=1e-9,
        most=most,
    )
    turns = range(p) if turns is None else turns
    return orders.climb(list(order), list(turns), watch or (lambda *_: False))


@pytest.mark.parametrize("word", SCORE_WORDS)
@pytest.mark.parametrize("seed", range(4))
def test_an_order_has_the_graph_that_growing_and_shrinking_finds(word, seed):
    score = bind(word, FAMILIES["gaussian"], linear(seed, rows=120, p=7))
    order = np.random.default_rng(seed).permutation(7).tolist()
    found = climbed(score.compiled(), 7, order)
    parents, total = naive.graph_of(score, found.order)
    assert found.parents == parents
    assert found.total == pytest.approx(total, rel=1e-10)
    assert total >= naive.graph_of(score, order)[1] - 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_no_variable_has_a_better_place_left(seed):
    score = bind("bic", FAMILIES["gaussian"], linear(10 + seed, rows=150, p=7))
    found = climbed(score.compiled(), 7, range(7))
    for x in range(7):
        assert naive.best_place(score, found.order, x) <= found.total + 1e-6


@pytest.mark.parametrize("word", SCORE_WORDS)
@pytest.mark.parametrize(
    "source", [linear(3, rows=60, p=9), nasty(1, rows=60)], ids=["linear", "nasty"]
)
def test_compiled_and_called_scores_agree_even_where_columns_are_collinear(word, source):
    fits = FAMILIES["gaussian"].bind(source)
    score = Sum([SCORES[word].bind(fits), ArcPenalty(fits.nodes, fits.rows, 0.02)])
    p, compiled = len(fits.nodes), score.compiled()
    assert isinstance(compiled, GaussianScores)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(p).tolist()
        ours = climbed(compiled, p, order, max_parents=3)
        plain = climbed(called(score), p, order, max_parents=3)
        assert ours.parents == plain.parents
        assert ours.total == pytest.approx(plain.total, rel=1e-9)


def test_scores_of_single_arcs_have_no_compiled_form():
    fits = FAMILIES["gaussian"].bind(linear(1))
    kfold = bind("kfold", FAMILIES["gaussian"], linear(1))
    assert kfold.compiled() is None
    assert Sum([SCORES["bic"].bind(fits), kfold]).compiled() is None


def test_what_is_forgotten_is_found_again():
    score = bind("bic", FAMILIES["gaussian"], linear(5, rows=200, p=12))
    whole = climbed(score.compiled(), 12, range(12))
    forgetful = climbed(score.compiled(), 12, range(12), most=1)
    assert (forgetful.order, forgetful.parents) == (whole.order, whole.parents)
    assert whole.cleared == 0
    assert forgetful.cleared > 0
    assert forgetful.asked > whole.asked


def test_kept_parents_stay_before_their_children_and_in_their_sets():
    score = bind("bic", FAMILIES["gaussian"], linear(6, rows=100, p=6))
    kept = [(), (), (0, 1), (), (2,), ()]
    found = climbed(score.compiled(), 6, range(6), kept=kept)
    places = {x: i for i, x in enumerate(found.order)}
    for child, row in enumerate(kept):
        assert set(row) <= set(found.parents[child])
        assert all(places[parent] < places[child] for parent in row)


def test_a_watcher_ends_the_climb_with_a_whole_graph():
    score = bind("bic", FAMILIES["gaussian"], linear(7, rows=300, p=10))
    told = []

    def watch(column, total, arcs):
        told.append((column, total, arcs))
        return True

    found = climbed(score.compiled(), 10, range(10), watch=watch)
    assert found.ended
    assert len(told) == 1
    assert found.parents == naive.graph_of(score, found.order)[0]
    assert told[0][1:] == (pytest.approx(found.total), sum(map(len, found.parents)))
    assert climbed(lambda *_: None, 10, range(10)).total == -np.inf


def test_tables_of_another_size_are_rejected():
    with pytest.raises(ValueError, match="other sizes"):
        GaussianScores(
            np.eye(3),
            tolerance=1e-10,
            floor=0.0,
            knee=1e-10,
            offset=np.zeros(4),
            slope=-np.ones(3),
            shift=np.zeros(3),
        )
    with pytest.raises(ValueError, match="another length"):
        climbed(lambda child, base, among: np.zeros(1), 4, range(4))
