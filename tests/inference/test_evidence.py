"""Pruning keeps exactly what can change an answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_networks import dense_conditional, dense_moments, random_net

from arcwise.graphs import DAG
from arcwise.inference.evidence import relevant, upward

CHAIN = DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d")])
COLLIDER = DAG.from_arcs([("a", "c"), ("b", "c"), ("c", "d")])


@pytest.mark.parametrize(
    ("graph", "target", "known", "expected"),
    [
        (CHAIN, 1, set(), {0, 1}),  # what is below is barren, what is above is not
        (CHAIN, 1, {0, 2, 3}, {1, 2}),  # blanket: the parent is a constant
        (CHAIN, 1, {3}, {0, 1, 2, 3}),
        (CHAIN, 3, {1}, {2, 3}),
        (COLLIDER, 0, set(), {0}),
        (COLLIDER, 0, {1}, {0}),
        (COLLIDER, 0, {2}, {0, 1, 2}),  # a common effect joins its causes
        (COLLIDER, 0, {1, 3}, {0, 2, 3}),
    ],
)
def test_small_cases(graph, target, known, expected):
    assert relevant(graph, [target], known) == expected


def test_upward_stops_at_known():
    assert upward(CHAIN, [3], set()) == {0, 1, 2}
    assert upward(CHAIN, [3], {1}) == {2}
    assert upward(CHAIN, [3], {2}) == set()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_evidence_outside_never_matters(seed, data):
    net = random_net(np.random.default_rng(seed), 7, 0.3)
    target = data.draw(st.integers(0, 6))
    others = [i for i in range(7) if i != target]
    known = data.draw(st.sets(st.sampled_from(others)))
    inside = relevant(net.graph, [target], known)
    values = dict.fromkeys(known, 1.0)
    moments = dense_moments(net)
    before = dense_conditional(*moments, [target], values)
    # Parents of what is inside are constants there, so their values do matter.
    near = inside.union(*(net.graph.parents[node] for node in inside))
    changed = {node: value if node in near else value + 3.0 for node, value in values.items()}
    after = dense_conditional(*moments, [target], changed)
    np.testing.assert_allclose(after[0], before[0], atol=1e-6)
