"""DOT text for all kinds of graphs and all kinds of names."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import DAG, PDAG, UGraph
from arcwise.io import Stored, dot, save
from arcwise.io.dot import quoted

DIRECTED = DAG.from_arcs([("a", "b"), ("c", "b")])
UNDIRECTED = UGraph.from_edges([("a", "b")], nodes=["a", "b", "c"])


def test_directed():
    assert dot(DIRECTED).splitlines()[4:] == ['  "a" -> "b";', '  "c" -> "b";', "}"]


def test_undirected_with_a_label_in_either_order():
    text = dot(UNDIRECTED, {("b", "a"): 0.25})
    assert text.splitlines() == [
        "graph {",
        '  "a";',
        '  "b";',
        '  "c";',
        '  "a" -- "b" [label="0.25"];',
        "}",
    ]


def test_partially_directed():
    mixed = PDAG(("a", "b", "c"), ((), (0,), ()), ((), (2,), (1,)))
    lines = dot(mixed, {("c", "b"): "?"}).splitlines()
    assert lines[0] == "digraph {"
    assert lines[4:] == ['  "a" -> "b";', '  "b" -> "c" [dir=none, label="?"];', "}"]


def test_labels_must_belong_to_edges():
    with pytest.raises(GraphError, match=r"'b' -> 'a', which is not an edge.*a -> b"):
        dot(DIRECTED, {("b", "a"): 1})
    with pytest.raises(GraphError, match="not an edge"):
        dot(UNDIRECTED, {("a", "c"): 1})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", '"plain"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("back\\", '"back\\\\"'),
        ("two\nlines", '"two\\nlines"'),
        ("größe 大", '"größe 大"'),
        ("", '""'),
    ],
)
def test_quoting(name, text):
    assert quoted(name) == text


@given(st.text())
def test_a_quoted_name_ends_where_it_should(name):
    inside = quoted(name)[1:-1]
    stripped = inside.replace("\\\\", "").replace('\\"', "")
    assert '"' not in stripped
    assert "\n" not in inside


def test_files(tmp_path):
    for name, graph in (("a.dot", DIRECTED), ("b.gv", UNDIRECTED)):
        save(Stored(graph), tmp_path / name)
        assert (tmp_path / name).read_text() == dot(graph) + "\n"


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it():
    graph = DAG.from_arcs([('q"uote', "back\\"), ("back\\", "two\nlines")])
    subprocess.run(["dot", "-Tsvg"], input=dot(graph), text=True, check=True, capture_output=True)
