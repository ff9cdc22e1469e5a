import dataclasses
from collections import Counter

import numpy as np
import pytest
from graphs.strategies import dags
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    UGraph,
    compare,
    cpdag,
    difference,
    equivalent,
    random_dag,
    shd,
    shd_cpdag,
    skeleton,
    skeleton_scores,
)

TRUE = DAG.from_arcs(["a -> b", "b -> c", "c -> d"], ["a", "b", "c", "d", "e"])


@st.composite
def pairs(draw):
    one = draw(dags(min_nodes=2, max_nodes=6))
    size = len(one.nodes)
    two = draw(dags(min_nodes=size, max_nodes=size))
    return one, two


def test_by_hand():
    found = DAG.from_arcs(["b -> a", "b -> c", "d -> e", "a -> e"], ["a", "b", "c", "d", "e"])
    answer = compare(found, TRUE)
    assert (answer.common, answer.extra, answer.missing, answer.reversed) == (2, 2, 1, 1)
    assert answer.shd == shd(found, TRUE) == 4
    # CPDAGs: c - b - a, a -> e <- d against a - b - c - d.
    assert answer.shd_cpdag == shd_cpdag(found, TRUE) == 3
    assert (answer.precision, answer.recall) == (0.5, 2 / 3)
    assert answer.f1 == pytest.approx(4 / 7)
    assert answer.difference == difference(found, TRUE) == 3 / 10
    assert skeleton_scores(found, TRUE) == (answer.precision, answer.recall, answer.f1)


def test_shown_in_lines():
    lines = str(compare(TRUE, TRUE)).splitlines()
    assert lines[0] == "edges in both 3 (0 reversed), extra 0, missing 0"
    assert lines[-1] == "structural Hamming distance of the CPDAGs 0"
    flat = skeleton(TRUE)
    assert "Hamming" not in str(compare(flat, TRUE))
    assert "reversed" not in str(compare(flat, TRUE))


def test_a_reversal_counts_one_in_each_distance():
    collider = DAG.from_arcs(["a -> b", "c -> b"])
    turned = DAG.from_arcs(["a -> b", "b -> c"])
    assert shd(collider, turned) == 1
    assert shd_cpdag(collider, turned) == 2


def test_kinds_that_have_no_direction():
    flat = skeleton(TRUE)
    answer = compare(flat, TRUE)
    assert answer.shd is None
    assert answer.shd_cpdag is None
    assert answer.f1 == 1
    assert compare(cpdag(TRUE), TRUE).shd is None
    assert compare(cpdag(TRUE), TRUE).shd_cpdag == 0
    with pytest.raises(GraphError, match="two DAGs"):
        shd(cpdag(TRUE), TRUE)
    with pytest.raises(GraphError, match="undirected"):
        shd_cpdag(flat, TRUE)


def test_graphs_are_matched_by_name():
    assert compare(TRUE, TRUE.over(TRUE.nodes[::-1])).shd == 0
    assert shd_cpdag(TRUE.over(TRUE.nodes[::-1]), TRUE) == 0
    with pytest.raises(GraphError, match="one of them only: 'e', 'f'"):
        compare(TRUE, DAG.from_arcs(["a -> b", "c -> d"], ["a", "b", "c", "d", "f"]))


def test_nothing_to_be_wrong_about():
    empty, full = UGraph.empty(["a", "b"]), UGraph.complete(["a", "b"])
    assert skeleton_scores(empty, empty) == (1, 1, 1)
    assert skeleton_scores(empty, full) == (1, 0, 0)
    assert skeleton_scores(full, empty) == (0, 1, 0)
    assert difference(UGraph.empty(["a"]), UGraph.empty(["a"])) == 0


@given(pairs())
def test_distances_are_symmetric_and_zero_where_they_should_be(graphs):
    one, two = graphs
    there, back = compare(one, two), compare(two, one)
    assert (there.shd, there.shd_cpdag) == (back.shd, back.shd_cpdag)
    assert (there.shd == 0) == (one == two)
    assert (there.shd_cpdag == 0) == equivalent(one, two)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.shd == there.extra + there.missing + there.reversed
    assert there.f1 == pytest.approx(back.f1)
    assert dataclasses.asdict(there)["nodes"] == len(one.nodes)


@given(pairs())
def test_every_difference_is_listed(graphs):
    one, two = graphs
    found = compare(one, two)
    counts = Counter(each.change for each in found.differences)
    assert counts == +Counter(missing=found.missing, extra=found.extra, reversed=found.reversed)
    arcs = {f"{a} -> {b}" for a, b in one.arcs}, {f"{a} -> {b}" for a, b in two.arcs}
    for change, here, there in found.differences:
        assert (here in arcs[0]) == (change != "missing")
        assert (there in arcs[1]) == (change != "extra")


def test_differences_of_other_kinds_of_graphs():
    chain = DAG.from_arcs(["a -> b", "b -> c"])
    lines = PDAG.from_edges([("a", "b")], [("b", "c")])
    assert compare(lines, chain).to_records() == [
        {"change": "undirected", "graph": "b -- c", "reference": "b -> c"}
    ]
    assert compare(chain, lines).differences[0].change == "directed"
    plain = UGraph.from_edges([("b", "a"), ("a", "c")])
    found = compare(plain, chain)
    assert found.to_dict()["change"] == ["missing", "extra"]
    assert str(found).endswith("missing: b -- c\nextra: a -- c")
    assert compare(chain, chain).to_records() == []


@given(dags(min_nodes=3), dags(min_nodes=3), dags(min_nodes=3))
def test_triangle_inequality(one, two, three):
    nodes = list("abcdefg")
    a, b, c = (graph.over(nodes) for graph in (one, two, three))
    assert shd(a, c) <= shd(a, b) + shd(b, c)
    assert shd_cpdag(a, c) <= shd_cpdag(a, b) + shd_cpdag(b, c)


def test_large_graphs_and_pdags():
    rng = np.random.default_rng(5)
    one, two = (random_dag(5_000, 3, rng) for _ in range(2))
    answer = compare(one, two)
    assert answer.common + answer.extra == one.n_arcs
    assert compare(PDAG.empty(one.nodes), one).shd_cpdag == one.n_arcs
