"""Crossings: counted like a person would, never more than at the start."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arcwise.plot.layered import crossings, reduce_crossings


def naive(layers, down):
    """Every pair of lines between the same two layers, looked at one by one."""
    place = {v: i for layer in layers for i, v in enumerate(layer)}
    count = 0
    for layer in layers:
        lines = [(place[v], place[w]) for v in layer for w in down[v]]
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(lines, 2))
    return count


@st.composite
def levels(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=2, max_size=4))
    starts = np.cumsum([0, *sizes]).tolist()
    layers = [list(range(a, b)) for a, b in pairwise(starts)]
    up, down = [[] for _ in range(starts[-1])], [[] for _ in range(starts[-1])]
    for above, below in pairwise(layers):
        for v in above:
            for w in below:
                if draw(st.booleans()):
                    down[v].append(w)
                    up[w].append(v)
    return layers, up, down


@given(levels())
def test_crossings_are_counted_as_by_hand(case):
    layers, _, down = case
    assert crossings(layers, down) == naive(layers, down)


@given(levels())
def test_never_more_crossings_than_the_first_order(case):
    layers, up, down = case
    found = reduce_crossings(layers, up, down)
    assert crossings(found, down) <= crossings(layers, down)
    assert [sorted(layer) for layer in found] == layers


def test_a_ladder_that_is_twisted_gets_straight():
    down = [[7], [6], [5], [4], [], [], [], []]
    up = [[], [], [], [], [3], [2], [1], [0]]
    found = reduce_crossings([[0, 1, 2, 3], [4, 5, 6, 7]], up, down)
    assert crossings(found, down) == 0


def test_the_start_is_left_as_it_was():
    layers = [[0, 1], [2, 3]]
    reduce_crossings(layers, [[], [], [1], [0]], [[3], [2], [], []])
    assert layers == [[0, 1], [2, 3]]
