import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from graphs.strategies import dags
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import DAG, PDAG, UGraph, node_names, random_dag, to_networkx


@pytest.fixture
def lecture():
    families = {"x4": "123", "x5": "13", "x6": "4", "x7": "45"}
    return DAG.from_arcs((f"x{i}", child) for child, row in families.items() for i in row)


def test_values_are_normalised_hashable_and_equal():
    one = DAG(["a", "b", "c"], [[], [0], [np.int64(1), 0]])
    two = DAG.from_arcs(["a -> c", ("b", "c"), ("a", "b")])
    assert one == two
    assert hash(one) == hash(two)
    assert one.parents == ((), (0,), (0, 1))
    assert len({one, two, DAG.empty("abc"[i] for i in range(3))}) == 2
    assert one != DAG(("a", "b", "d"), one.parents)


def test_a_graph_cannot_be_changed(lecture):
    with pytest.raises(AttributeError):
        lecture.nodes = ()


def test_pickle_and_copy_keep_the_graph(lecture):
    lecture.order()
    assert pickle.loads(pickle.dumps(lecture)) == lecture
    assert copy.deepcopy(lecture) == lecture


def test_cycle_is_shown_by_names():
    with pytest.raises(GraphError, match="cycle: b -> c -> d -> b"):
        DAG.from_arcs(["a -> b", "b -> c", "c -> d", "d -> b", "d -> e"])
    with pytest.raises(GraphError, match="a -> b -> a"):
        DAG(("a", "b"), ((1,), (0,)))


@pytest.mark.parametrize(
    ("nodes", "parents", "words"),
    [
        (("a", "a"), ((), ()), "occurs twice"),
        (("a", ""), ((), ()), "non-empty text"),
        (("a", 3), ((), ()), "non-empty text"),
        ("ab", ((), ()), "list of names"),
        (("a", "b"), ((),), "2 nodes must have"),
        (("a", "b"), ((), (2,)), "beyond the numbers"),
        (("a", "b"), ((), (-1,)), "beyond the numbers"),
        (("a", "b"), ((), (1,)), "must not be one of its own"),
        (("a", "b"), ((), (0, 0)), "twice"),
        (("a", "b"), ((), ("a",)), "from_arcs"),
    ],
)
def test_bad_input_is_rejected_with_a_message(nodes, parents, words):
    with pytest.raises(GraphError, match=words):
        DAG(nodes, parents)


def test_unknown_nodes_are_answered_with_close_ones():
    graph = DAG.empty(["alcohol", "density"])
    with pytest.raises(GraphError, match=r"'alcool'.*'alcohol'"):
        graph.parents_of("alcool")
    with pytest.raises(GraphError, match="number 2"):
        graph.index(2)
    with pytest.raises(GraphError, match="a name or a number"):
        graph.index(1.5)
    with pytest.raises(GraphError, match="names"):
        DAG.from_arcs([(0, 1)])
    with pytest.raises(GraphError, match="pair"):
        DAG.from_arcs([("a", "b", "c")])
    with pytest.raises(GraphError, match="tail -> head"):
        DAG.from_arcs(["a -> b -> c"])


def test_families_of_the_lecture(lecture):
    assert lecture.n_arcs == len(lecture.arcs) == 8
    assert lecture.arcs[0] == ("x1", "x4")
    assert lecture.parents_of("x4") == ("x1", "x2", "x3")
    assert lecture.children_of(3) == ("x6", "x7")
    assert lecture.ancestors_of("x6") == ("x1", "x2", "x3", "x4")
    assert lecture.descendants_of("x3") == ("x4", "x5", "x6", "x7")
    assert lecture.blanket_of("x1") == ("x2", "x3", "x4", "x5")
    assert lecture.blanket_of("x4") == ("x1", "x2", "x3", "x5", "x6", "x7")
    assert lecture.has_arc("x1", "x5")
    assert not lecture.has_arc("x5", "x1")


def test_names_may_hold_any_signs():
    graph = DAG.from_arcs([("fixed acidity", "pH|x"), ("ä:[ö]", "pH|x")])
    assert graph.parents_of("pH|x") == ("fixed acidity", "ä:[ö]")


def test_arcs_are_added_and_taken_away(lecture):
    with pytest.raises(GraphError, match="x6 -> x1 -> x4 -> x6"):
        lecture.with_arc("x6", "x1")
    with pytest.raises(GraphError, match="already"):
        lecture.with_arc("x1", "x4")
    with pytest.raises(GraphError, match="x1 -> x2 is not"):
        lecture.without_arc("x1", "x2")
    with pytest.raises(GraphError, match="cycle"):
        lecture.with_arc("x1", "x1")
    assert lecture.with_arc("x1", "x2").without_arc("x1", "x2") == lecture


def test_complete_graphs_follow_their_order():
    graph = DAG.complete(["a", "b", "c", "d"], order=["d", "b", "a", "c"])
    assert node_names(graph, graph.order()) == ("d", "b", "a", "c")
    assert graph.n_arcs == 6
    with pytest.raises(GraphError, match="exactly once"):
        DAG.complete(["a", "b"], order=["a", "a"])


def test_large_graphs_are_shown_by_size(lecture):
    assert str(lecture) == "[x1][x2][x3][x4|x1:x2:x3][x5|x1:x3][x6|x4][x7|x4:x5]"
    assert repr(random_dag(40, 0, np.random.default_rng(1))) == "<DAG 40 nodes, 0 arcs>"
    assert repr(DAG.empty([])) == "<DAG 0 nodes, 0 arcs>"


def test_over_takes_another_order_or_more_nodes(lecture):
    turned = lecture.over(["new", *reversed(lecture.nodes)])
    assert set(turned.arcs) == set(lecture.arcs)
    assert turned.index("x7") == 1
    with pytest.raises(GraphError, match="no node 'x1'"):
        lecture.over(["x2"])


@given(dags())
def test_order_and_relatives_agree_with_networkx(graph):
    other = to_networkx(graph)
    assert list(graph.order()) == [
        graph.index(name)
        for name in nx.lexicographical_topological_sort(other, key=graph.nodes.index)
    ]
    for name in graph.nodes:
        assert set(graph.ancestors_of(name)) == nx.ancestors(other, name)
        assert set(graph.descendants_of(name)) == nx.descendants(other, name)
    assert set(graph.arcs) == set(other.edges)


@given(dags())
def test_over_there_and_back(graph):
    assert graph.over(graph.nodes[::-1]).over(graph.nodes) == graph


@given(dags(min_nodes=3))
def test_subgraphs_and_new_names_agree_with_networkx(graph):
    keep = graph.nodes[::2]
    small, other = graph.subgraph(reversed(keep)), to_networkx(graph).subgraph(keep)
    assert small.nodes == keep
    assert set(small.arcs) == set(other.edges)
    names = {name: f"{name} new" for name in keep}
    renamed = graph.rename(names)
    assert set(renamed.arcs) == set(nx.relabel_nodes(to_networkx(graph), names).edges)
    assert renamed.rename({new: old for old, new in names.items()}) == graph
    assert [graph.index(name) for name in graph.node_order] == list(graph.order())


def test_graphs_of_all_kinds_have_subgraphs_and_new_names():
    chain = UGraph.from_edges(["a -- b", "b -- c"])
    assert chain.subgraph("b").edges == ()
    assert chain.rename({"c": "d"}).edges == (("a", "b"), ("b", "d"))
    mixed = PDAG.from_edges(["a -> b"], ["b -- c", "c -- d"])
    assert mixed.subgraph(["c", "b", "a"]) == PDAG.from_edges(["a -> b"], ["b -- c"])
    assert mixed.rename({"d": "z"}).edges == (("b", "c"), ("c", "z"))
    with pytest.raises(GraphError, match="occurs twice"):
        chain.rename({"a": "b"})
    with pytest.raises(GraphError, match="no node 'x'"):
        chain.rename({"x": "y"})


def test_arcs_are_reversed_unless_that_closes_a_cycle():
    graph = DAG.from_arcs(["a -> b", "b -> c", "a -> c"])
    assert graph.reverse("b", "c").arcs == (("a", "b"), ("a", "c"), ("c", "b"))
    with pytest.raises(GraphError, match="cycle: c -> a -> b -> c"):
        graph.reverse("a", "c")
    with pytest.raises(GraphError, match="not in the graph"):
        graph.reverse("c", "a")
