"""Pairs of parents at once: what shows in three variables together, but in no two of them."""

from itertools import combinations

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import DAG, Rules, random_dag
from arcwise.scores import bdeu
from arcwise.search.pairs import best_pair


def parity(p, rows=200, seed=0):
    codes = list(np.random.default_rng(seed).integers(0, 2, (p, rows)))
    codes[2] = codes[0] ^ codes[1]
    return aw.table({f"v{i:02d}": [f"l{x}" for x in c] for i, c in enumerate(codes)})


@pytest.mark.parametrize("p", [15, 18, 21, 30, 50])
def test_parity_is_found_whatever_the_number_of_columns(p):
    net = aw.learn(parity(p))
    inside = {"v00", "v01", "v02"}
    assert any(set(net.parents(name)) == inside - {name} for name in inside)


def test_rules_hold():
    net = aw.learn(parity(21), max_parents=1)
    assert max(map(len, net.graph.parents)) <= 1
    net = aw.learn(parity(21), forbidden=["v00 -> v02", "v00 -> v01", "v02 -> v00"])
    assert not {("v00", "v02"), ("v00", "v01"), ("v02", "v00")} & set(net.graph.arcs)


def naive(score, graph, limits):
    """The best gain of two further parents, by trying all."""
    best = 0.0
    for child, parents in enumerate(graph.parents):
        for pair in combinations(range(len(graph.nodes)), 2):
            if child in pair or set(pair) & set(parents):
                continue
            rows = list(graph.parents)
            rows[child] = tuple(sorted((*parents, *pair)))
            try:
                made = DAG(graph.nodes, tuple(rows))
            except aw.GraphError:
                continue
            if limits.allows_graph(made):
                best = max(best, score.local(child, rows[child]) - score.local(child, parents))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_pair_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    table = parity(6, rows=60, seed=seed)
    score = bdeu(FAMILIES["discrete"].bind(table), gamma=0.5)
    names = score.nodes
    rules = Rules(forbidden=[(names[0], names[1])], max_parents=3) if seed % 2 else Rules()
    limits = rules.on(names)
    graph = random_dag(names, 1.0, rng)
    graph = graph if limits.allows_graph(graph) else DAG.empty(names)
    made, wanted = best_pair(score, graph, limits), naive(score, graph, limits)
    if made is None:
        assert wanted == pytest.approx(0.0, abs=1e-6)
        return
    assert limits.allows_graph(DAG(names, made.parents))
    gain = sum(
        score.local(i, a) - score.local(i, b)
        for i, (a, b) in enumerate(zip(made.parents, graph.parents, strict=True))
    )
    assert gain == pytest.approx(wanted)
