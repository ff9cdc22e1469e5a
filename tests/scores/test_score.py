"""Watched scores: small batches of local fits, a question before each, the same numbers."""

import numpy as np
import pytest

from arcwise.results import SearchEnd
from arcwise.scores import ArcPenalty, CachedScore, Score, Sum
from arcwise.scores import score as contract

NAMES = tuple("abcdefg")


class Slow(Score):
    """Each local fit takes the same time, by a clock of its own."""

    def __init__(self, seconds: float, threads: int = 1) -> None:
        self.nodes, self.rows, self.threads = NAMES, 10.0, threads
        self.seconds, self.now, self.batches = seconds, 0.0, []

    def perf_counter(self) -> float:
        return self.now

    def many(self, child, sets):
        self.batches.append(len(sets))
        self.now += self.seconds * len(sets) / self.threads
        return np.array([child + sum(s) + 0.5 * len(s) for s in sets])


def watched(monkeypatch, score, check=lambda: None):
    monkeypatch.setattr(contract, "time", score)
    return score.interruptible(check)


SETS = [(x,) for x in range(1, 7)] * 20


def test_batches_grow_to_a_tenth_of_a_second_and_shrink_again(monkeypatch):
    score = Slow(0.004)
    slow = watched(monkeypatch, score)
    slow.many(0, SETS)
    assert score.batches == [1, 2, 4, 8, 16, 25, 25, 25, 14]
    score.seconds, score.batches = 0.04, []
    slow.many(0, SETS[:60])
    assert score.batches[:3] == [25, 2, 2]  # one second at most, where fits got ten times dearer


def test_there_are_as_many_sets_as_threads_at_least(monkeypatch):
    score = Slow(1.0, threads=4)
    watched(monkeypatch, score).many(0, SETS[:10])
    assert score.batches == [4, 4, 2]
    score.seconds, score.batches = 0.2, []
    watched(monkeypatch, score).many(0, SETS[:30])
    assert score.batches == [4, 8, 10, 8]  # half a second


def test_every_batch_is_asked_for_and_what_is_known_is_not(monkeypatch):
    score, asked = Slow(1.0), []
    cached = CachedScore(score)
    cached.many(0, SETS[:3])
    careful = cached.interruptible(lambda: asked.append(len(score.batches)))
    score.batches.clear()
    careful.many(0, SETS[:3])
    assert (asked, score.batches) == ([], [])
    careful.many(0, SETS[:6])
    assert (asked, score.batches) == ([0, 1], [1, 2])
    cached.many(0, SETS[:6])
    assert score.batches == [1, 2]  # the memory is one


def test_an_interruption_goes_through_and_the_score_stays_as_it_was():
    def stop():
        raise SearchEnd

    score = Sum([CachedScore(Slow(1.0)), ArcPenalty(NAMES, 10.0, 0.1)])
    with pytest.raises(SearchEnd):
        score.interruptible(stop).toggles(0, (1,))
    np.testing.assert_array_equal(
        score.interruptible(lambda: None).toggles(0, (1,)), score.toggles(0, (1,))
    )
    assert ArcPenalty(NAMES, 10.0, 0.1).interruptible(stop).local(0, (1,)) < 0  # cheap: never asked


def test_all_ways_to_ask_give_the_same_numbers():
    score = Slow(1.0)
    careful = score.interruptible(lambda: None)
    assert careful.local(2, (0, 1)) == score.local(2, (0, 1))
    np.testing.assert_array_equal(careful.subsets(0, [1, 2, 3]), score.subsets(0, [1, 2, 3]))
    np.testing.assert_array_equal(
        careful.sweep([0, 1], [(), (0,)])[1], score.sweep([0, 1], [(), (0,)])[1]
    )
    assert len(careful.many(0, [])) == 0


class Closed(Slow):
    """A score in closed form, which says what it is asked for."""

    lattice = True

    def __init__(self):
        super().__init__(1.0)
        self.asked = []
        self.threads = 3

    def sweep(self, children, bases, among=None):
        self.asked.append(("sweep", len(children), None if among is None else int(among.sum())))
        return super().sweep(children, bases, among)

    def subsets(self, child, candidates, always=(), most=contract.ALL):
        self.asked.append(("subsets", len(candidates)))
        return super().subsets(child, candidates, always, most)

    def by_number(self):
        return np.arange(5.0)

    def compiled(self, extra=None):
        return ("compiled", extra)


def test_a_cache_forwards_what_has_a_closed_form_and_remembers_what_has_not():
    closed = Closed()
    cached = CachedScore(closed)
    assert cached.lattice
    assert cached.threads == 3
    mask = np.array([[True, False, True, False, False, False, False]])
    found = cached.sweep([1], [(2,)], mask)[1][0]
    np.testing.assert_array_equal(found, np.where(mask[0], Slow(1.0).toggles(1, (2,)), -np.inf))
    cached.subsets(0, [1, 2])
    cached.toggles(0, (1,))
    assert closed.asked == [("sweep", 1, 2), ("subsets", 2), ("sweep", 1, None)]
    assert cached.known == {}
    assert cached.by_number().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert cached.compiled("x") == ("compiled", "x")
    dear = Slow(1.0)
    dear.batches.clear()
    cached = CachedScore(dear)
    assert not cached.lattice
    assert cached.compiled() is None
    for _ in range(2):
        cached.sweep([1], [(2,)], mask)
        cached.subsets(0, [1, 2])
    assert sum(dear.batches) == 3 + 4  # the base and two toggles, and four subsets: once each


def test_scores_of_few_toggles_do_not_sweep_over_all():
    closed = Closed()
    names = [f"x{i}" for i in range(9)]
    closed.nodes = tuple(names)
    closed.toggles(0, (), [1, 2])
    assert closed.asked == []
    closed.toggles(0, (), [1, 2, 3])
    assert closed.asked == [("sweep", 1, None)]
