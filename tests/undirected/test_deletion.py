"""The edge deletion method: independent tests in the complete graph."""

import numpy as np
import pytest
from naive import undirected as naive
from undirected.tables import SCORES, Counted, bound, linear, table

from arcwise.undirected import boundary, deletion

PENALTIES = (0.0, 0.003, 0.01, 0.05, 0.1, 0.3, 5.0)


@pytest.mark.parametrize("word", SCORES)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_plain_method_at_every_penalty(word, seed):
    score = bound(word, linear(seed))
    path = deletion(score)
    for penalty in PENALTIES:
        assert set(path.at(penalty).numbered_edges) == naive.deletion(score, penalty)


def test_every_pair_is_tested_once_and_told_in_the_order_of_strength():
    score = Counted(bound("loo", linear(1)))
    path = deletion(score)
    assert len(score.asked) == len(set(score.asked)) == 6 + 30
    strengths = [removal.strength for removal in path.removals]
    assert strengths == sorted(strengths) == [removal.penalty for removal in path.removals]
    assert [removal.edges for removal in path.removals] == list(range(14, -1, -1))
    assert path.trace == ()


def test_it_fails_where_either_of_two_edges_would_do_and_boundary_learning_does_not():
    a, blur, noise = np.random.default_rng(3).normal(size=(3, 400))
    score = bound("loo", table({"a": a, "copy": a + 0.01 * blur, "y": a + noise}))
    assert deletion(score).at(0.05).edges == (("a", "copy"),)
    kept = boundary(score).at(0.05).edges
    assert len(kept) == 2
    assert sum("y" in edge for edge in kept) == 1
