import pickle

import numpy as np
import pytest
from graphs.strategies import all_dags, dags
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import DAG, Limits, Rules


def test_arcs_come_as_pairs_or_words():
    rules = Rules(required=["a -> b", ("a", "b"), ["c d", "e->f"]], forbidden=[("b", "a")])
    assert rules.required == (("a", "b"), ("c d", "e->f"))
    assert rules == Rules([("a", "b"), ("c d", "e->f")], ["b -> a"])
    assert rules.names == ("a", "b", "c d", "e->f")


@pytest.mark.parametrize("text", ["a -- b", "a--b", "a - b", "a:b", " a : b "])
def test_edges_without_a_direction_bind_the_pair(text):
    rules = Rules(required=[text, "b -- a"])
    assert (rules.required, rules.joined, rules.names) == ((), (("a", "b"),), ("a", "b"))
    assert rules.on(["a", "b"], directed=False).required == ((), (0,))
    with pytest.raises(GraphError, match="edge a -- b without a direction: write 'a -> b' or"):
        rules.on(["a", "b"])
    barred = Rules(forbidden=[text, "a -> b"])
    assert barred.forbidden == (("a", "b"), ("b", "a"))
    limits = barred.on([*"abc"])
    assert [limits.candidates(i).tolist() for i in range(3)] == [[2], [2], [0, 1]]


def test_signs_inside_names_and_triangles_of_edges():
    rules = Rules(required=["x-y -- z", "z -- a:b", "a:b -- x-y", ("p:q", "r--s")])
    assert rules.joined == (("x-y", "z"), ("z", "a:b"), ("a:b", "x-y"))
    assert rules.required == (("p:q", "r--s"),)
    assert len(rules.on(rules.names, directed=False).required) == 5
    assert pickle.loads(pickle.dumps(rules)) == rules


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"required": ["a -- b"], "forbidden": ["b:a"]}, "edge a -- b is both required and forb"),
        ({"required": ["a -- a"]}, "'a -- a' names 'a' twice"),
        ({"required": ["a -- b -- a"]}, "names 'a' twice"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "undirected graphs are written"),
        ({"required": ["a -> b", "b -> c", "c -> a"]}, "contradict.*a -> b -> c -> a"),
        ({"required": ["a -> b"], "forbidden": [("a", "b")]}, "both required and forbidden"),
        ({"required": ["b -> a"], "tiers": [["a"], ["b"]]}, "later tier into an earlier"),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' must be in one tier only"),
        ({"tiers": "ab"}, "list of lists"),
        ({"tiers": [[1]]}, "must contain names"),
        ({"required": ["a -> c", "b -> c"], "max_parents": 1}, "'c' has 2 required parents"),
        ({"required": "a <-> b"}, "one direction"),
        ({"forbidden": ["a b"]}, "tail -> head"),
        ({"forbidden": [("a", "a")]}, "two different nodes"),
        ({"forbidden": [(0, 1)]}, "pair of names"),
        ({"max_parents": -1}, "non-negative integer"),
        ({"max_parents": 1.5}, "non-negative integer"),
        ({"max_parents": True}, "non-negative integer"),
    ],
)
def test_contradictions_are_rejected_with_a_message(rules, words):
    with pytest.raises(GraphError, match=words):
        Rules(**rules)


def test_unknown_names_are_answered_with_close_ones():
    with pytest.raises(GraphError, match=r"'alcool'.*'alcohol'"):
        Rules(forbidden=["alcool -> pH"]).on(["alcohol", "pH"])
    with pytest.raises(GraphError, match="'pHH'"):
        Rules(tiers=[["pHH"]]).on(["alcohol", "pH"])


def test_tiers_forbid_later_to_earlier_and_free_the_rest():
    limits = Rules(tiers=[["a", "b"], ["c"], ["d"]]).on(["a", "b", "c", "d", "e"])
    assert limits.candidates(0).tolist() == [1, 4]
    assert limits.candidates(2).tolist() == [0, 1, 4]
    assert limits.candidates(3).tolist() == [0, 1, 2, 4]
    assert limits.candidates(4).tolist() == [0, 1, 2, 3]


def test_candidates_leave_out_required_and_a_full_family():
    rules = Rules(required=["a -> b"], forbidden=["c -> b"])
    limits = rules.on(["a", "b", "c", "d"])
    assert limits.candidates(1).tolist() == [3]
    assert limits.allowed_mask(1).tolist() == [True, False, False, True]
    assert limits.candidates(1).dtype == np.intp
    full = Rules(required=["a -> b"], max_parents=1).on(["a", "b", "c"])
    assert full.candidates(1).tolist() == []
    assert full.allowed_mask(1).tolist() == [True, False, False]
    assert Rules(max_parents=0).on(["a", "b"]).candidates(0).tolist() == []


def test_one_set_serves_a_whole_tier():
    names = [f"v{i:05d}" for i in range(20_000)]
    limits = Rules(tiers=[names[:10_000], names[10_000:]]).on(names)
    assert limits.barred is not None
    assert limits.barred[0] is limits.barred[9_999]
    assert len(limits.barred[15_000]) == 0


def test_no_rules_at_all():
    assert Rules().on(["a", "b"]).free
    assert Rules().on(["a", "b"]) == Limits.none(["a", "b"])
    assert Rules(tiers=[["a", "b"]]).on(["a", "b"]).free
    assert not Rules(max_parents=3).on(["a", "b"]).free
    assert not Rules(required=["a -> b"]).on(["a", "b"]).free


def test_start_holds_the_required_arcs_and_is_permitted():
    limits = Rules(required=["a -> c"], forbidden=["b -> c"]).on(["a", "b", "c"])
    assert limits.start() == DAG.from_arcs(["a -> c"], ["a", "b", "c"])
    assert limits.allows_graph(limits.start())
    with pytest.raises(GraphError, match="bind them again"):
        limits.allows_graph(DAG.empty(["a", "b"]))


def test_rules_and_limits_are_values():
    rules = Rules(["a -> b"], tiers=[["a"], ["b"]], max_parents=2)
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules.on(["a", "b"])) == hash(rules.on(["a", "b"]))
    with pytest.raises(AttributeError):
        rules.max_parents = 3


@given(dags(min_nodes=2), st.data())
def test_allows_graph_means_what_the_rules_say(graph, data):
    names = st.sampled_from(graph.nodes)
    pairs = st.tuples(names, names).filter(lambda arc: arc[0] != arc[1])
    forbidden = data.draw(st.lists(pairs, max_size=3))
    tiers = [list(graph.nodes[:1]), list(graph.nodes[1:2])]
    limits = Rules((), forbidden, tiers, data.draw(st.integers(0, 4))).on(graph.nodes)
    broken = (
        any(arc in forbidden for arc in graph.arcs)
        or (tiers[1][0], tiers[0][0]) in graph.arcs
        or max(map(len, graph.parents)) > limits.max_parents
    )
    assert limits.allows_graph(graph) is not broken
    for child in range(len(graph.nodes)):
        single = [limits.allows(child, (other,)) for other in range(len(graph.nodes))]
        assert limits.allowed_mask(child).tolist() == [
            fine and other != child for other, fine in enumerate(single)
        ]


def test_count_of_permitted_graphs():
    limits = Rules(required=["a -> b"], forbidden=["b -> c"]).on(["a", "b", "c"])
    wanted = [d for d in all_dags(3) if ("a", "b") in d.arcs and ("b", "c") not in d.arcs]
    assert [d for d in all_dags(3) if limits.allows_graph(d)] == wanted
