"""Every form of a graph that is accepted gives the same graph; every other one raises an error."""

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from graphs.strategies import dags, ugraphs
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    PDAG,
    Rules,
    UGraph,
    adjacency,
    any_graph,
    compare,
    cpdag,
    dag,
    formula,
    graph_of,
    minimal_separator,
    moral,
    separated,
    shd,
    to_networkx,
    ug,
    v_structures,
)

COLLIDER = DAG(("A", "B", "C"), ((), (0, 2), ()))
FRAME = pd.DataFrame(adjacency(COLLIDER), columns=list("ABC"), index=list("ABC"))
FORMS = [
    [("A", "B"), ("C", "B")],
    [["A", "B"], ["C", "B"]],
    (("A", "B"), ("C", "B")),
    {("A", "B"), ("C", "B")},
    {"B": ["A", "C"]},
    {"B": ("C", "A"), "A": [], "C": None},
    "A->B<-C",
    "A -> B <- C",
    "A -> B; C -> B",
    "A -> B, C -> B",
    "A -> B\nC -> B\n",
    "B <- A; B <- C;",
    "A --> B <-- C",
    "A → B ← C",
    ["A -> B", "B <- C"],
    [("A", "B"), "C -> B"],
    "B|A:C",
    "B:A:C + A + C",
    "[A][C][B|A:C]",
    networkx.DiGraph([("A", "B"), ("C", "B")]),
    FRAME,
    FRAME.loc[list("CBA")],
    pd.DataFrame({"from": ["A", "C"], "to": ["B", "B"]}),
    pd.DataFrame({"weight": [0.5, 2], "child": ["B", "B"], "parent": ["A", "C"]}),
    pl.DataFrame({"Source": ["A", "C"], "Target": ["B", "B"]}),
    pa.table({"one": ["A", "C"], "other": ["B", "B"]}),
    np.array([["A", "B"], ["C", "B"]]),
    COLLIDER,
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
def test_the_collider_in_every_form(form):
    assert dag(form) == COLLIDER
    assert graph_of(form) == COLLIDER


@pytest.mark.parametrize(
    "form",
    [each for each in FORMS if not str(each).startswith(("B|", "B:"))],
    ids=lambda form: type(form).__name__,
)
def test_graph_functions_and_comparisons_take_the_same_forms(form):
    assert moral(form) == UGraph.complete(["A", "B", "C"])
    assert cpdag(form).arcs == COLLIDER.arcs
    assert v_structures(form) == (("A", "B", "C"),)
    assert minimal_separator(form, "A", "C") == ()
    assert not separated(form, "A", "C", given="B")
    assert shd(form, COLLIDER) == shd(COLLIDER, form) == 0
    assert compare(form, "A -> B -> C").reversed == 1


def test_comparisons_add_nodes_that_a_text_leaves_out():
    whole = DAG.from_arcs(["A -> B"], nodes=["A", "B", "C"])
    assert compare(whole, "A -> B").shd == compare({"B": ["A"]}, whole).shd == 0
    assert compare(whole, "A -> B; B -> C").missing == 1
    with pytest.raises(GraphError, match="same nodes"):
        compare(whole, DAG.from_arcs(["A -> B"]))


def test_a_matrix_with_arcs_and_edges_is_a_pdag_and_not_a_network():
    mixed = [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert any_graph(mixed) == PDAG.from_edges(["x1 -> x2"], ["x2 -- x3"])
    with pytest.raises(GraphError, match=r"x2 -- x3 has no direction.*extension"):
        graph_of(mixed)


@pytest.mark.parametrize(
    "form",
    [each for each in FORMS if not str(each).startswith(("B|", "B:"))],
    ids=lambda form: type(form).__name__,
)
def test_rules_take_the_same_forms(form):
    rules = Rules(required=form)
    assert sorted(rules.required) == [("A", "B"), ("C", "B")]
    assert Rules(forbidden=form).forbidden == rules.required


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (["B", "A"], "two meanings"),
        ([["B", "A", "C"], ["A"]], "pair \\(parent, child\\)"),
        ([{"A", "B"}], "pair of names"),
        ({"B", "A"}, "two meanings"),
        ({"C", "B", "A"}, "no order"),
        ([(0, 1)], "pair of names"),
        ({"B": "A, C"}, "list of names"),
        ({"B": 3}, "list of names"),
        ({"B": {"A": 1}}, "list of names"),
        ({"B": ["A", "A"]}, "once"),
        ({1: ["A"]}, "each name once"),
        ("A <-> B", "one direction"),
        ("A ↔ B", "one direction"),
        ("A -- B", "must have arcs such as"),
        ("A - B", "must have arcs such as"),
        ("A => B", "arrow"),
        ("A ->> B", "must be names"),
        ("A ~> B", "must be at the start"),
        ("dag {A -> B}", "braces"),
        ("{A, C} -> B", "braces"),
        ("A -> A", "twice"),
        ("A -> B -> ", "empty name"),
        ("[A -> B][C]", "arrow"),
        (networkx.Graph([("A", "B")]), "must have arcs such as"),
        (networkx.MultiDiGraph([("A", "B")]), "must be a Graph or DiGraph"),
        (networkx.DiGraph([("A", "A")]), "two different nodes"),
        (UGraph.from_edges(["A -- B"]), "must have arcs such as"),
        (np.ones((2, 3)), "square"),
        (np.array([["A", "B", "x"], ["C", "B", "y"]]), "square"),
        (np.array([[0, np.nan], [0, 0]]), "finite"),
        (pd.DataFrame({"a": ["A", "C"], "b": ["B", "B"], "c": ["x", "y"]}), "square"),
        (pd.DataFrame({"from": ["A", 3], "to": ["B", "B"]}), "must hold numbers.*'from' and 'to'"),
        (FRAME.set_axis(["A", "B", "D"]), "names of its columns"),
        (3, "a text, a list"),
    ],
    ids=lambda form: type(form).__name__,
)
def test_other_forms_of_a_dag_raise_an_error(form, words):
    with pytest.raises(GraphError, match=words):
        dag(form)


def test_terms_of_names_are_child_first_and_pairs_are_arcs():
    assert dag(["b", "a"], ["c", "a", "b"]).arcs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert dag(("a", "b"), ("c", "b")).arcs == (("a", "b"), ("c", "b"))
    with pytest.raises(GraphError, match=r"write \[\('a', 'b'\)\] for the arc a -> b"):
        dag(["b", "a"], ["d", "c"])


@pytest.mark.parametrize(
    "form",
    [
        "a -- b, b -- c",
        "a - b - c",
        "a -- b\nb - c",
        [("a", "b"), ("c", "b")],
        [["a", "b"], "b -- c"],
        "a:b + b:c",
        networkx.Graph([("a", "b"), ("b", "c")]),
        np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ],
    ids=lambda form: type(form).__name__,
)
def test_a_chain_of_edges_in_every_form(form):
    names = {"nodes": ["a", "b", "c"]} if isinstance(form, np.ndarray) else {}
    assert ug(form, **names) == UGraph(("a", "b", "c"), ((1,), (0, 2), (1,)))


@pytest.mark.parametrize(
    "form",
    [
        "a -> b",
        "a <-> b",
        "a <- b",
        {"b": ["a"]},
        [("a", 1)],
        networkx.DiGraph([("a", "b")]),
        COLLIDER,
        "a => b",
    ],
    ids=lambda form: type(form).__name__,
)
def test_other_forms_of_an_undirected_graph_raise_an_error(form):
    with pytest.raises(GraphError):
        ug(form)


@given(dags(min_nodes=2), st.randoms(use_true_random=False))
def test_every_form_of_a_random_dag_gives_that_dag(graph, random):
    matrix, names = adjacency(graph), list(graph.nodes)
    frame = pd.DataFrame(matrix, columns=names, index=names)
    shuffled = random.sample(names, len(names))
    forms = [
        list(graph.arcs),
        [list(arc) for arc in graph.arcs],
        {name: list(graph.parents_of(name)) for name in names},
        _text(graph, random),
        [_text(graph, random)] if graph.n_arcs else [],
        formula(graph),
        str(graph),
        to_networkx(graph),
        matrix,
        csr_matrix(matrix),
        matrix.tolist(),
        frame,
        graph,
    ]
    for form in forms:
        assert dag(form, nodes=names) == graph
    assert dag(frame.loc[shuffled, names]) == graph
    assert all(set(Rules(forbidden=form).forbidden) == set(graph.arcs) for form in forms[:3])


def _text(graph, random):
    """The arcs of a graph in the order and the signs of chance, and every node by itself."""
    parts = list(graph.nodes)
    for tail, head in graph.arcs:
        blank = random.choice(["", " "])
        right = f"{tail}{blank}{random.choice(['->', '-->'])}{blank}{head}"
        parts.append(random.choice([right, f"{head}{blank}<-{blank}{tail}"]))
    if not graph.n_arcs:
        return ";".join(parts)
    text = ""
    for part in random.sample(parts, len(parts)):
        text += part + random.choice([",", "; ", " \n", " + "])
    return text.rstrip(",;+ \n")


@given(ugraphs(min_nodes=2))
def test_every_form_of_a_random_undirected_graph_gives_that_graph(graph):
    names = list(graph.nodes)
    matrix = adjacency(graph)
    text = "; ".join([*names, *(f"{one} -- {two}" for one, two in graph.edges)])
    for form in (
        list(graph.edges),
        text,
        text.replace("--", "-"),
        matrix,
        matrix.tolist(),
        to_networkx(graph),
        graph,
    ):
        assert ug(form, nodes=names) == graph


@given(st.text(alphabet="ab-><=~. ,;\n:+|[]{}*→", max_size=14))
def test_no_text_makes_a_name_with_an_arrow(text):
    for make in (dag, ug, graph_of):
        try:
            graph = make(text)
        except GraphError:
            continue
        # Brackets hold a name together: in a model string only [ ] | : have a meaning.
        signs = ":" if text.lstrip().startswith("[") else ",;\n+:*"
        for name in graph.nodes:
            assert not any(sign in name for sign in ("->", "<-", "--", " - ", "=>", "→", *signs)), (
                name
            )


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from(["->", "<-"]), st.sampled_from("abcd")),
        min_size=1,
        max_size=4,
    )
)
def test_a_text_of_arcs_has_those_arcs_or_raises_an_error(arcs):
    text = "; ".join(" ".join(arc) for arc in arcs)
    wanted = {(left, right) if sign == "->" else (right, left) for left, sign, right in arcs}
    try:
        graph = dag(text)
    except GraphError:
        assert not networkx.is_directed_acyclic_graph(networkx.DiGraph(wanted))
        return
    assert set(graph.arcs) == wanted
