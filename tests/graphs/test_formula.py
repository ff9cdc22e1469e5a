import re

import pytest
from graphs.strategies import dags, ugraphs
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import (
    DAG,
    UGraph,
    cpdag,
    dag,
    factorisation,
    formula,
    from_model_string,
    model_string,
    ug,
)

LECTURE = "a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f"


@pytest.mark.parametrize(
    "graph",
    [
        ug(LECTURE),
        ug("~" + LECTURE),
        ug(LECTURE.replace(":", "*")),
        ug(LECTURE.replace(" ", "")),
        ug(*LECTURE.split(" + ")),
        ug(*("~" + term for term in LECTURE.split("+"))),
        ug(*(term.split(":") for term in LECTURE.split(" + "))),
        ug([term.split(":") for term in LECTURE.split(" + ")]),
        ug("a:b:e + a:c:e", ["b", "d", "e"], ("c", "d", "e"), "c*g + d:f"),
    ],
)
def test_every_undirected_form_gives_the_lectures_graph(graph):
    assert graph.nodes == tuple("abcdefg")
    assert " ".join(map("".join, graph.edges)) == "ab ac ae bd be cd ce cg de df"


@pytest.mark.parametrize(
    "graph",
    [
        dag("a + b:a + c:a:b + d:c:e + e:a"),
        dag("~a + b*a + c*a*b + d*c*e + e*a"),
        dag("a", "b:a", "c:a:b", "d:c:e", "e:a"),
        dag(["a"], ["b", "a"], ["c", "a", "b"], ["d", "c", "e"], ["e", "a"]),
        dag("a + b|a + c|a:b + d|c*e + e|a"),
        dag("b:a + c:a + c:b + d:c + d:e + e:a"),
        dag("[a][b|a][c|a:b][d|c:e][e|a]"),
        dag("a -> b, a->c, b -> c, c -> d, e -> d, a -> e"),
        dag("~a -> b -> c -> d + a -> e -> d + a -> c"),
        dag(["a -> b", "a -> c", "b -> c", "c -> d", "e -> d", "a -> e"]),
        dag("a -> b -> c", ["a -> c", "c -> d"], "d:e + e:a"),
    ],
)
def test_every_directed_form_gives_the_lectures_graph(graph):
    assert graph.nodes == tuple("abcde")
    assert " ".join(map("".join, graph.arcs)) == "ab ac ae bc cd ed"


def test_single_nodes_and_given_nodes():
    assert ug("a + b").n_edges == 0
    assert dag("b:a", nodes=["c", "b", "a"]).parents == ((), (2,), ())
    assert ug("fixed acidity:pH").edges == (("fixed acidity", "pH"),)
    assert dag([("c+d", "a:b")]).arcs == (("c+d", "a:b"),) == dag({"a:b": ["c+d"]}).arcs
    assert dag("RM -> MEDV, fixed acidity").nodes == ("MEDV", "RM", "fixed acidity")
    assert dag("[size, m2][price|size, m2]").arcs == (("size, m2", "price"),)
    with pytest.raises(GraphError, match="no node 'z'"):
        dag("a -> z", nodes=["a"])
    with pytest.raises(GraphError, match="no node 'z'"):
        dag("z", nodes=["a"])
    with pytest.raises(GraphError, match="no node 'z'"):
        ug("z", nodes=["a"])


@pytest.mark.parametrize(
    ("make", "text", "words"),
    [
        (ug, "a:b + + c", "empty name"),
        (ug, "", "empty name"),
        (ug, "a::b", "empty name"),
        (ug, "a:a", "names 'a' twice"),
        (ug, "a|b", "no |"),
        (ug, "a + ~b", "must be at the start"),
        (ug, ["a", "a"], "each name once"),
        (ug, ["a", ""], "each name once"),
        (ug, 3, "a text, a list"),
        (dag, "a:b + b:a", "cycle"),
        (dag, "a:a", "twice"),
        (dag, "a|b|c", "child|parent"),
        (dag, "a:b|c", "child|parent"),
        (dag, "+", "empty name"),
        (dag, "a -> b,", "empty name"),
        (dag, "a -> -> b", "empty name"),
        (dag, "a -> b -> a", "names 'a' twice"),
        (dag, "a -> b, b -> a", "cycle"),
        (dag, "c -> a:b", "with ':'"),
        (ug, "a -> b", "no ->"),
        (ug, ["a -> b", "b -> c"], "no ->"),
    ],
)
def test_bad_formulas_are_rejected_with_a_message(make, text, words):
    with pytest.raises(GraphError, match=words.replace("|", r"\|")):
        make(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[a][b|a", r"'\[b\|a' at character 4"),
        ("a][b]", "at character 1"),
        ("[a][b|a][b]", "'b' has two pairs"),
        ("[a][b|c]", "no node 'c'.*parent of 'b'"),
        ("[a][b|a:]", "empty name"),
        ("[]", "empty name"),
        ("[a|b][b|a]", "cycle"),
        ("[a][b|a:a]", "twice"),
        ("[a][b|a|c]", "at character 4"),
        ("[:]", "at character 1"),
        ("[a:b|c][c]", "at character 1"),
    ],
)
def test_bad_model_strings_are_rejected_with_a_message(text, words):
    with pytest.raises(GraphError, match=words):
        from_model_string(text)


def test_model_strings_as_bnlearn_writes_them():
    for text in (
        "[A][C][F][B|A][D|A:C][E|B:F]",
        "[A][B][E][G][C|A:B][D|B][F|A:D:E:G]",
    ):
        assert model_string(from_model_string(text)) == text
    assert from_model_string(" [a]\n [b | a] ").arcs == (("a", "b"),)
    assert from_model_string("").nodes == ()


@pytest.mark.parametrize("sign", list("[]|:"))
def test_names_that_a_model_string_cannot_hold(sign):
    with pytest.raises(GraphError, match=f"contains the character '\\{sign}'"):
        model_string(DAG.empty([f"a{sign}b"]))


@pytest.mark.parametrize("sign", [*"+:*|~[,;", "->", "<-", "--", " - "])
def test_names_that_a_formula_cannot_hold(sign):
    with pytest.raises(GraphError, match=f"contains (the character '\\{sign}'|an arrow)"):
        formula(UGraph.empty([f"a{sign}b"]))


def test_blanks_at_the_ends_are_rejected():
    with pytest.raises(GraphError, match="space"):
        model_string(DAG.empty(["a "]))


@given(dags())
def test_directed_round_trips(graph):
    assert dag(formula(graph), nodes=graph.nodes) == graph
    assert from_model_string(model_string(graph)) == graph
    assert dag(str(graph), nodes=graph.nodes[::-1]).over(graph.nodes) == graph


@given(ugraphs())
def test_undirected_round_trips(graph):
    assert ug(formula(graph)) == graph


@given(st.sets(st.text(min_size=1, max_size=6), min_size=2, max_size=5))
def test_any_name_is_given_back_or_rejected(names):
    graph = DAG.complete(sorted(names))
    for write, read in ((model_string, from_model_string), (formula, dag)):
        try:
            text = write(graph)
        except GraphError:
            continue
        assert read(text, nodes=graph.nodes) == graph


def test_the_lectures_factorisation():
    graph = dag("x1 + x2 + x3 + x4:x1:x2:x3 + x5:x1:x3 + x6:x4 + x7:x4:x5")
    wanted = "p(x1)p(x2)p(x3)p(x4|x1,x2,x3)p(x5|x1,x3)p(x6|x4)p(x7|x4,x5)"
    assert factorisation(graph) == wanted


def test_undirected_graphs_are_products_over_cliques():
    graph = ug("a:b:c + c:d + e")
    assert factorisation(graph) == "(1/Z)g(a,b,c)g(c,d)g(e)"
    assert factorisation(UGraph.empty(["a"])) == "(1/Z)g(a)"
    with pytest.raises(GraphError, match="got PDAG"):
        factorisation(cpdag(dag("a")))


@given(dags())
def test_the_graph_can_be_read_off(graph):
    arcs = [
        (parent, child)
        for child, row in re.findall(r"p\((\w)\|?([\w,]*)\)", factorisation(graph))
        for parent in row.split(",")
        if parent
    ]
    assert DAG.from_arcs(arcs, graph.nodes) == graph
