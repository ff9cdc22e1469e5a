"""Strengths at the lines, and undirected networks drawn with their table of edges."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from arcwise.graphs import DAG, UGraph
from arcwise.plot import plot_graph
from arcwise.plot.drawing import format_strength

matplotlib = pytest.importorskip("matplotlib")

GRAPH = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c")])


def row(first, second, strength):
    return SimpleNamespace(
        first=first,
        second=second,
        present=True,
        reversible=False,
        strength=strength,
        partial_correlation=math.nan,
    )


ROWS = [row(a, b, 0.1 * (i + 1)) for i, (a, b) in enumerate(GRAPH.edges)]


def numbers(ax):
    return [text for text in ax.texts if (text.get_gid() or "").startswith("number")]


def test_an_undirected_table_gives_widths_but_neither_heads_nor_signs():
    ax = plot_graph(GRAPH, edges=ROWS)
    lines = {p.get_gid(): p for p in ax.patches if (p.get_gid() or "").startswith("line")}
    assert len(lines) == 5
    widths = [lines[f"line {a} -> {b}"].get_linewidth() for a, b in GRAPH.edges]
    assert widths == sorted(widths)
    assert len(set(widths)) == 5
    assert len({line.get_edgecolor() for line in lines.values()}) == 1
    assert not any((p.get_gid() or "").startswith("head") for p in ax.patches)
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert all(words.startswith("strength") for words in said)
    assert numbers(ax) == []


def test_strengths_are_written_on_their_lines_and_clear_of_each_other():
    ax = plot_graph(GRAPH, edges=ROWS, numbers=True)
    found = numbers(ax)
    assert [text.get_text() for text in found] == ["0.1", "0.2", "0.3", "0.4", "0.5"]
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    patches = [p for p in ax.patches if (p.get_gid() or "").startswith("box")]
    boxes = [p.get_window_extent(renderer) for p in patches]
    places = [text.get_window_extent(renderer) for text in found]
    for i, place in enumerate(places):
        assert not any(place.overlaps(other) for other in places[:i] + boxes)


def test_only_known_strengths_are_written_and_directed_graphs_have_numbers_too():
    assert numbers(plot_graph(GRAPH, numbers=True)) == []
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    edges = [row("a", "b", 0.25), row("b", "c", np.nan)]
    (text,) = numbers(plot_graph(graph, edges=edges, numbers=True, target="a"))
    assert text.get_text() == "0.25"


@pytest.mark.parametrize(
    ("strength", "words"),
    [(0.0, "0"), (0.123, "0.12"), (0.999, "1"), (1.26, "1.3"), (9.99, "10"), (123.4, "123")],
)
def test_numbers_are_short(strength, words):
    assert format_strength(strength) == words
