"""Tables of arcs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import FileError
from arcwise.graphs import DAG, UGraph
from arcwise.io import Stored, load, read_arcs, save, write_arcs

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.lists(names, unique=True, min_size=1, max_size=6), st.data())
def test_there_and_back(nodes, data):
    order = data.draw(st.permutations(nodes))
    pairs = [(order[i], order[j]) for j in range(len(order)) for i in range(j)]
    arcs = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = DAG.from_arcs(arcs, sorted(nodes))
    assert read_arcs(write_arcs(Stored(graph))).graph == graph


def test_a_table_of_another_program(shared_data):
    graph = load(shared_data / "bidag" / "asia_arcs.csv").graph
    assert (len(graph.nodes), graph.n_arcs) == (8, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header 'parent,child'"),
        ("x,y\na,b\n", "header 'parent,child'"),
        ("parent,child\na\n", "row 2 should have a parent and a child"),
        ("parent,child\n,b\n", "row 2 should have a parent"),
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


def test_undirected_graphs_are_refused(tmp_path):
    with pytest.raises(FileError, match="directed acyclic graphs only"):
        save(Stored(UGraph.from_edges([("a", "b")])), tmp_path / "arcs.csv")
    assert list(tmp_path.iterdir()) == []
