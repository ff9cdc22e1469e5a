"""Places of nodes: finite, apart, the same each time, parents above children."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise as aw
from arcwise.graphs import DAG, PDAG, UGraph, cpdag, moral, random_dag
from arcwise.plot import arrange
from arcwise.plot.layered import layers_of, pool_violators

graphs = st.builds(
    lambda count, degree, seed: random_dag(
        count, min(degree, count - 1), np.random.default_rng(seed)
    ),
    st.integers(2, 14),
    st.floats(0, 2.5),
    st.integers(0, 10_000),
)


def overlapping(layout):
    """Pairs of boxes that share a point."""
    gaps = np.abs(layout.points[:, None] - layout.points[None])
    need = (layout.sizes[:, None] + layout.sizes[None]) / 2
    hit = (gaps < need - 1e-9).all(axis=2)
    return int(np.triu(hit, 1).sum())


def wide_boxes(count):
    """Boxes of different widths and heights."""
    return np.column_stack([0.5 + 0.3 * (np.arange(count) % 4), 0.3 + 0.1 * (np.arange(count) % 3)])


@settings(max_examples=40, deadline=None)
@given(graphs)
def test_layers_respect_arcs_and_boxes_are_apart(graph):
    layout = arrange(graph, wide_boxes(len(graph.nodes)))
    assert np.isfinite(layout.points).all()
    assert overlapping(layout) == 0
    for tail, head in graph.numbered_arcs:
        above, below = layout.points[tail], layout.points[head]
        room = (layout.sizes[tail, 1] + layout.sizes[head, 1]) / 2
        assert above[1] - below[1] > room


@settings(max_examples=40, deadline=None)
@given(graphs)
def test_undirected_boxes_are_apart(graph):
    layout = arrange(moral(graph), wide_boxes(len(graph.nodes)))
    assert np.isfinite(layout.points).all()
    assert overlapping(layout) == 0


@settings(max_examples=20, deadline=None)
@given(graphs, st.sampled_from([lambda g: g, moral, cpdag]))
def test_same_graph_same_places(graph, kind):
    one, two = arrange(kind(graph)), arrange(kind(graph))
    assert np.array_equal(one.points, two.points)
    for a, b in zip(one.routes, two.routes, strict=True):
        assert np.array_equal(a, b)


@settings(max_examples=20, deadline=None)
@given(graphs, st.sampled_from([lambda g: g, moral, cpdag]))
def test_routes_join_the_centres_of_their_ends(graph, kind):
    layout = arrange(kind(graph))
    for (one, two), route in zip(layout.lines, layout.routes, strict=True):
        assert np.allclose(route[0], layout.points[one])
        assert np.allclose(route[-1], layout.points[two])


@settings(max_examples=30, deadline=None)
@given(graphs)
def test_arcs_are_as_short_as_single_moves_can_make_them(graph):
    layer = layers_of(len(graph.nodes), graph.numbered_arcs)
    for node in range(len(layer)):
        pull = len(graph.parents[node]) - len(graph.children[node])
        # A node that would gain by going up must be stopped by a parent, and likewise down.
        if pull > 0:
            assert any(layer[p] == layer[node] - 1 for p in graph.parents[node])
        if pull < 0:
            assert any(layer[c] == layer[node] + 1 for c in graph.children[node])


def test_layers_shorten_arcs_in_total_better_than_longest_paths():
    graph = aw.load_graph(aw.network_file("alarm"))
    layer = layers_of(len(graph.nodes), graph.numbered_arcs)
    depth = [0] * len(layer)
    for node in graph.order():
        depth[node] = max((depth[p] + 1 for p in graph.parents[node]), default=0)
    ours = sum(layer[h] - layer[t] for t, h in graph.numbered_arcs)
    assert ours < sum(depth[h] - depth[t] for t, h in graph.numbered_arcs)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.1, 4)), min_size=1, max_size=8))
def test_pooling_gives_the_nearest_rising_sequence(rows):
    wishes, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = pool_violators(wishes, weights)
    assert (np.diff(found) >= -1e-12).all()
    best = weights @ (found - wishes) ** 2
    rng = np.random.default_rng(1)
    for _ in range(30):
        other = np.sort(found + rng.normal(scale=0.3, size=len(found)))
        assert weights @ (other - wishes) ** 2 >= best - 1e-9


def test_a_star_is_not_drawn_as_one_long_row():
    star = DAG.from_arcs([("class", f"feature{i:02}") for i in range(30)])
    layout = arrange(star)
    assert len(np.unique(layout.points[:, 1])) == 4
    width, height = layout.extent
    assert width < 15
    assert height > 2


def test_pieces_are_set_side_by_side_and_lonely_nodes_in_rows():
    layout = arrange(DAG.from_arcs(["a -> b", "c -> d"], nodes=list("abcdefghijklmn")))
    assert overlapping(layout) == 0
    width, height = layout.extent
    assert 0.5 < width / height < 4
    assert np.allclose((layout.points - layout.sizes / 2).min(axis=0), 0, atol=1e-9)


def test_a_line_past_a_box_is_led_around_it():
    graph = DAG.from_arcs(["a -> b", "b -> c", "a -> c"])
    layout = arrange(graph)
    route = layout.routes[layout.lines.index((0, 2))]
    assert len(route) == 3
    assert abs(route[1, 0] - layout.points[1, 0]) > layout.sizes[1, 0] / 2


def test_distances_follow_the_graph_on_a_ring():
    names = [f"n{i}" for i in range(8)]
    ring = UGraph.from_edges([(names[i], names[(i + 1) % 8]) for i in range(8)], names)
    points = arrange(ring).points
    near = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    far = np.linalg.norm(points - np.roll(points, 4, axis=0), axis=1)
    assert near.max() < far.min()


def test_undirected_edges_of_a_mixed_graph_may_run_either_way():
    graph = PDAG.from_edges(arcs=["c -> a", "b -> a"], edges=[("c", "d")])
    layout = arrange(graph)
    assert layout.points[2, 1] > layout.points[0, 1]
    assert layout.lines == ((1, 0), (2, 0), (2, 3))


@pytest.mark.parametrize("kind", [DAG, UGraph, PDAG])
def test_no_nodes_and_one_node(kind):
    assert arrange(kind.empty([])).extent == (0.0, 0.0)
    alone = arrange(kind.empty(["a"]))
    assert np.isfinite(alone.points).all()
    assert alone.extent == pytest.approx((0.8, 0.3))


def test_places_cannot_be_changed():
    layout = arrange(DAG.from_arcs(["a -> b"]))
    with pytest.raises(ValueError, match="read-only"):
        layout.points[0, 0] = 1.0
