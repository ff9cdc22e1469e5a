"""Strengths of edges in networks of tables."""

from itertools import product

import numpy as np
import pytest

import arcwise as aw
from arcwise.networks import log_density


def test_networks_of_tables_have_strengths_without_data():
    """The information of child and parent given the other parents, summed over all states by hand."""
    net = aw.example("student")
    states = np.array(list(product(*(range(len(v.levels)) for v in net.net.variables))))
    joint = np.exp(log_density(net.net, tuple(states.T)))
    for edge in net.edges.present:
        tail, head = (net.net.index(name) for name in edge.direction.split(" -> "))
        others = [x for x in net.graph.parents[head] if x != tail]
        total = 0.0
        for state, share in zip(states, joint, strict=True):
            same = {
                key: joint[(states[:, list(key)] == state[list(key)]).all(axis=1)].sum()
                for key in [(head, tail, *others), (tail, *others), (head, *others), tuple(others)]
            }
            a, b, c, d = same.values()
            total += share * np.log(a * d / (b * c)) if share > 0 else 0.0
        assert edge.strength == pytest.approx(total, abs=1e-12)
    assert net.edges["SAT", "letter"].strength == 0.0
    assert "other parents" in net.edges.meaning
