"""What lines say: width by strength, colour by sign, heads only where the direction is known."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.graphs import DAG, PDAG, UGraph, cpdag
from arcwise.plot.axes import label
from arcwise.plot.legend import items, plan
from arcwise.plot.marks import (
    Measure,
    blanket_of,
    edge_rows,
    ink,
    line_width,
    mark_lines,
    measure_lines,
    steps_of,
)


def row(first, second, strength=0.1, partial=0.5, reversible=False, present=True):
    return SimpleNamespace(
        first=first,
        second=second,
        present=present,
        reversible=reversible,
        strength=strength,
        partial_correlation=partial,
    )


def test_rows_decide_on_width_colour_and_head():
    graph = DAG.from_arcs(["a -> b", "b -> c", "c -> d"])
    rows = edge_rows(
        [row("a", "b", 0.4, 0.9), row("b", "c", 0.1, -0.2, reversible=True), row("a", "d", 9.0)]
    )
    first, second, third = mark_lines(graph, rows)
    assert (first.sign, second.sign, third.sign) == ("positive", "negative", "unknown")
    assert (first.arrow, second.arrow, third.arrow) == (True, False, True)
    assert first.width > second.width
    assert third.strength is None


def test_absent_pairs_are_no_edges():
    assert edge_rows([row("a", "b", present=False)]) == {}
    assert edge_rows(None) == {}


@pytest.mark.parametrize("strength", [math.nan, math.inf, -math.inf])
def test_a_strength_that_cannot_be_drawn_gets_the_plain_line(strength):
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    first, second = mark_lines(graph, edge_rows([row("a", "b", strength), row("b", "c", 0.2)]))
    assert first.width == line_width(None, 0.2)
    assert second.width == line_width(0.2, 0.2)


def test_a_negative_strength_is_the_thinnest_line():
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    first, _ = mark_lines(graph, edge_rows([row("a", "b", -0.3), row("b", "c", 0.2)]))
    assert first.width == line_width(0.0, 0.2)


def test_undirected_lines_have_no_heads():
    assert not any(line.arrow for line in mark_lines(UGraph.from_edges([("a", "b")]), {}))
    mixed = PDAG.from_edges(["a -> b"], [("b", "c")])
    assert [line.arrow for line in mark_lines(mixed, {})] == [True, False]


@given(st.floats(1e-9, 1e6), st.floats(1e-9, 1e6))
def test_stronger_is_never_thinner(one, two):
    strongest = max(one, two)
    widths = line_width(min(one, two), strongest), line_width(strongest, strongest)
    assert 0 < widths[0] <= widths[1] <= 5.0


def strength(r):
    return -0.5 * math.log1p(-(r**2))


def test_weak_edges_nearly_vanish_in_a_dense_graph():
    names = [f"v{i}" for i in range(12)]
    graph = UGraph.complete(names)
    pairs = list(graph.edges)
    rows = edge_rows([row(*pair, strength(0.03), 0.03) for pair in pairs[2:]])
    rows |= edge_rows([row(*pairs[0], strength(0.3), 0.3), row(*pairs[1], strength(0.7), -0.7)])
    lines = mark_lines(graph, rows)
    assert lines[0].ink == lines[1].ink == 1.0
    assert max(line.ink for line in lines[2:]) < 0.25
    assert max(line.width for line in lines[2:]) < 0.4 * lines[0].width
    sparse = mark_lines(UGraph.from_edges([pairs[0], pairs[2]]), rows)
    assert min(line.ink for line in sparse) > 0.4


@given(st.floats(0, 50), st.floats(0, 50), st.floats(1e-9, 50))
def test_stronger_is_never_paler(one, two, strongest):
    weak, strong = sorted((one, two))
    measure = Measure(strongest, 0.18)
    assert 0.18 <= ink(weak, measure) <= ink(strong, measure) <= 1.0
    assert ink(strongest, measure) == 1.0


def test_a_measure_is_that_of_all_graphs():
    one, two = UGraph.from_edges([("a", "b")]), UGraph.from_edges([("a", "c")])
    tables = edge_rows([row("a", "b", 0.1)]), edge_rows([row("a", "c", 0.7), row("a", "b", 9.0)])
    assert measure_lines([one, two], tables).strongest == 0.7
    assert measure_lines([one], tables[:1], 0.3).strongest == 0.3
    assert measure_lines([UGraph.empty([])], [{}]).strongest == 0


@given(st.lists(st.floats(1e-8, 1e5), min_size=1, max_size=10))
def test_steps_of_the_legend_are_round_and_within_the_strengths(strengths):
    steps = steps_of(strengths)
    assert 1 <= len(steps) <= 3
    assert steps == sorted(steps, reverse=True)
    assert steps[0] <= max(strengths) * 1.000001
    assert all(f"{step:.0e}"[0] in "125" for step in steps)


def test_blankets_agree_with_those_of_the_graph():
    graph = DAG.from_arcs(["a -> c", "b -> c", "c -> d", "e -> b", "a -> e"])
    for node, name in enumerate(graph.nodes):
        expected = {graph.index(each) for each in graph.blanket_of(name)}
        assert blanket_of(graph, node) == expected
        assert blanket_of(cpdag(graph), node) == expected


def test_the_legend_explains_only_what_occurs():
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    assert items(mark_lines(graph, {})) == []
    rows = edge_rows([row("a", "b", 0.4, 0.9), row("b", "c", 0.4, 0.3)])
    words = [item.words for item in items(mark_lines(graph, rows))]
    assert words == ["positive effect of the parent", "strength 0.2 nats per row"]


def test_the_legend_goes_where_there_is_room():
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    lines = mark_lines(graph, edge_rows([row("a", "b", 0.4, 0.9), row("b", "c", 0.1, -0.3)]))
    assert plan(lines, (2.0, 9.0)).right > 0
    assert plan(lines, (9.0, 2.0)).below > 0
    assert plan(lines, (4.0, 4.0), axes=(12.0, 4.0)).right > 0
    assert plan(lines, (4.0, 4.0), axes=(4.0, 12.0)).below > 0


@given(st.text(max_size=200))
def test_labels_fit_their_lines_and_keep_the_letters(name):
    text = label(name)
    assert text
    assert all(0 < len(line) <= 18 for line in text.split("\n"))
    if len(name) <= 72:
        kept = "".join(each for each in name if each.isprintable() and not each.isspace())
        assert text.replace("\n", "").replace(" ", "") == (kept or "·")


def test_a_very_long_name_keeps_both_ends():
    text = label("begin" + "x" * 300 + "end").replace("\n", "")
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "…" in text
