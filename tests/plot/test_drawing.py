"""Curves: from edge to edge, clear of other boxes, without swinging out."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise as aw
from arcwise.graphs import DAG, moral, random_dag
from arcwise.plot import arrange
from arcwise.plot.drawing import curves, sample_curve, shorten

graphs = st.builds(
    lambda count, seed: random_dag(count, min(2.5, count - 1), np.random.default_rng(seed)),
    st.integers(2, 20),
    st.integers(0, 10_000),
)


def touched(layout, shapes):
    """Boxes that lines touch though they end elsewhere."""
    found = []
    for ends, shape in zip(layout.lines, shapes, strict=True):
        inside = np.abs(sample_curve(shape, 60)[:, None] - layout.points) < layout.sizes / 2
        hits = set(np.flatnonzero(inside.all(axis=2).any(axis=0)).tolist()) - set(ends)
        found += [(ends, node) for node in hits]
    return found


@settings(max_examples=60, deadline=None)
@given(graphs, st.integers(0, 99))
def test_lines_keep_clear_of_boxes_that_are_not_theirs(graph, seed):
    count = len(graph.nodes)
    rng = np.random.default_rng(seed)
    sizes = np.column_stack([rng.uniform(0.4, 2.0, count), rng.uniform(0.3, 0.9, count)])
    layout = arrange(graph, sizes)
    assert touched(layout, curves(layout)) == []


@settings(max_examples=40, deadline=None)
@given(graphs)
def test_lines_leave_below_and_arrive_above(graph):
    layout = arrange(graph)
    for (tail, head), shape in zip(layout.lines, curves(layout), strict=True):
        assert shape[0, 1] == layout.points[tail, 1] - layout.sizes[tail, 1] / 2
        assert shape[-1, 1] == layout.points[head, 1] + layout.sizes[head, 1] / 2
        for end, node in ((0, tail), (-1, head)):
            assert abs(shape[end, 0] - layout.points[node, 0]) < layout.sizes[node, 0] / 2
        assert (np.diff(sample_curve(shape)[:, 1]) <= 1e-9).all()


def test_lines_of_alarm_keep_clear_of_its_boxes():
    layout = arrange(aw.load_graph(aw.network_file("alarm")))
    assert touched(layout, curves(layout)) == []


def test_heads_at_one_box_do_not_lie_on_each_other():
    graph = DAG.from_arcs([(name, "sink") for name in "abcde"])
    sizes = np.tile([1.2, 0.3], (6, 1))
    layout = arrange(graph, sizes)
    ends = sorted(shape[-1, 0] for shape in curves(layout, np.full(5, 0.1)))
    assert np.diff(ends).min() > 0.1


def test_ports_move_together_where_the_box_is_narrow():
    graph = DAG.from_arcs([(name, "sink") for name in "abcde"])
    layout = arrange(graph, np.tile([0.4, 0.3], (6, 1)))
    ends = [shape[-1, 0] for shape in curves(layout, np.full(5, 0.2))]
    assert np.ptp(ends) <= 0.4


def test_undirected_lines_are_cut_off_at_the_boxes():
    layout = arrange(moral(DAG.from_arcs(["a -> b", "b -> c"])))
    for (one, two), shape in zip(layout.lines, curves(layout), strict=True):
        for end, node in ((0, one), (-1, two)):
            away = np.abs(shape[end] - layout.points[node]) - layout.sizes[node] / 2
            assert np.isclose(away.max(), 0)


def test_shortening_takes_the_length_of_the_head():
    curve = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert shorten(curve, 0.5)[-1].tolist() == [2.5, 0.0]
    assert curve[-1].tolist() == [3.0, 0.0]
