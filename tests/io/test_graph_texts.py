"""Tables of arcs, and DOT for all kinds of graphs and all kinds of names."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import FileError, GraphError
from arcwise.graphs import DAG, PDAG, UGraph, cpdag
from arcwise.io import StoredNet, dot, load, read_arcs, save, write_arcs
from arcwise.io.graph_texts import quote_name

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.lists(names, unique=True, min_size=1, max_size=6), st.data())
def test_there_and_back(nodes, data):
    order = data.draw(st.permutations(nodes))
    pairs = [(order[i], order[j]) for j in range(len(order)) for i in range(j)]
    arcs = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = DAG.from_arcs(arcs, sorted(nodes))
    assert read_arcs(write_arcs(StoredNet(graph))).graph == graph


def test_a_table_of_another_program(shared_data):
    graph = load(shared_data / "bidag" / "asia_arcs.csv").graph
    assert (len(graph.nodes), graph.n_arcs) == (8, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header 'parent,child'"),
        ("x,y\na,b\n", "header 'parent,child'"),
        ("parent,child\na\n", "row 2 must name the two ends of an edge"),
        ("parent,child\n,b\n", "row 2 must name the two ends"),
        ("parent,child\na,b\nb,a\n", "cycle"),
        ("parent,child\na,a\n", "its own parents"),
    ],
)
def test_bad_tables(tmp_path, text, message):
    place = tmp_path / "arcs.csv"
    place.write_text(text)
    with pytest.raises(FileError, match=message):
        load(place)


def test_byte_order_marks_blank_lines_and_further_columns():
    content = "\ufeffSource, Target, weight\na,b,1\n\nc,b,2\n".encode()
    assert read_arcs(content).graph.arcs == (("a", "b"), ("c", "b"))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_edges_without_direction_have_a_header_of_their_own(tmp_path, ending):
    graph = UGraph.from_edges([("b", "a"), ("b", 'q"uote,')], ["a", "b", "c", 'q"uote,'])
    save(StoredNet(graph), tmp_path / f"edges{ending}")
    assert load(tmp_path / f"edges{ending}").graph == graph
    for head in ("first,second", "One, Two,", "node1,node2,x"):
        assert read_arcs(f"{head}\nb,a\n".encode()).graph == UGraph.from_edges([("a", "b")])
    with pytest.raises(FileError, match=r"its own|itself"):
        read_arcs_from(tmp_path, "first,second\na,a\n")


def read_arcs_from(folder, text):
    (folder / "bad.csv").write_text(text)
    return load(folder / "bad.csv")


def test_graphs_directed_in_part_are_rejected(tmp_path):
    with pytest.raises(FileError, match="directed acyclic graphs only"):
        save(StoredNet(cpdag(DAG.from_arcs([("a", "b")]))), tmp_path / "arcs.csv")
    assert list(tmp_path.iterdir()) == []


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
    assert quote_name(name) == text


@given(st.text())
def test_a_quoted_name_ends_where_it_should(name):
    inside = quote_name(name)[1:-1]
    stripped = inside.replace("\\\\", "").replace('\\"', "")
    assert '"' not in stripped
    assert "\n" not in inside


def test_files(tmp_path):
    for name, graph in (("a.dot", DIRECTED), ("b.gv", UNDIRECTED)):
        save(StoredNet(graph), tmp_path / name)
        assert (tmp_path / name).read_text() == dot(graph) + "\n"


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it():
    graph = DAG.from_arcs([('q"uote', "back\\"), ("back\\", "two\nlines")])
    subprocess.run(["dot", "-Tsvg"], input=dot(graph), text=True, check=True, capture_output=True)
