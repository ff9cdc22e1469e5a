"""Graphs side by side: the same places, the same widths, one legend."""

import io

import numpy as np
import pytest

import arcwise as aw
from arcwise.graphs import DAG, UGraph
from arcwise.plot import plot_graphs

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def nets():
    table = aw.example("sachs")
    return {
        f"rho = {rho}": aw.learn(table, graph="undirected", model="gaussian", penalty=rho)
        for rho in (0.4, 0.2, 0.1)
    }


def patches(ax, kind):
    found = {p.get_gid(): p for p in ax.patches if p.get_gid()}
    return {gid.removeprefix(f"{kind} "): p for gid, p in found.items() if gid.startswith(kind)}


@pytest.mark.parametrize("positions", [None, "circle"])
def test_every_variable_has_one_place(nets, positions):
    axes = plot_graphs(nets, positions=positions)
    assert [ax.get_title() for ax in axes] == list(nets)
    first = {name: box.get_extents().bounds for name, box in patches(axes[0], "box").items()}
    assert len(first) == 11
    for ax, net in zip(axes, nets.values(), strict=True):
        assert len(patches(ax, "line")) == net.graph.n_edges
        assert ax.get_xlim() == pytest.approx(axes[0].get_xlim())
        frame = ax.get_window_extent()
        for name, box in patches(ax, "box").items():
            place = np.array(box.get_extents().bounds) - [frame.x0, frame.y0, 0, 0]
            origin = axes[0].get_window_extent()
            np.testing.assert_allclose(
                place, np.array(first[name]) - [origin.x0, origin.y0, 0, 0], atol=1e-6
            )


def test_the_same_width_is_the_same_strength(nets):
    axes = plot_graphs(nets)
    seen = {}
    for ax, net in zip(axes, nets.values(), strict=True):
        lines = patches(ax, "line")
        for row in net.edges.present:
            seen[row.strength] = lines[f"{row.first} -> {row.second}"].get_linewidth()
    widths = [seen[strength] for strength in sorted(seen)]
    assert widths == sorted(widths)


def test_one_legend_inside_the_figure(nets):
    axes = plot_graphs(nets)
    figure = axes[0].figure
    figure.savefig(io.BytesIO(), format="png")
    legends = [ax.get_legend() for ax in figure.axes if ax.get_legend()]
    assert len(legends) == 1
    box = legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
    assert box.y1 <= min(ax.get_window_extent().y0 for ax in axes) + 1
    assert figure.get_size_inches()[0] <= 12
    without = plot_graphs(nets, legend=False)[0].figure
    assert not any(ax.get_legend() for ax in without.axes)


def test_other_orders_of_nodes_and_kinds_of_graphs():
    chain = DAG.from_arcs(["a -> b", "c -> b"])
    other = DAG.from_arcs(["b -> a"], nodes=["c", "b", "a"])
    pair = UGraph.from_edges([("c", "a")], ["a", "b", "c"])
    axes = plot_graphs([chain, other, pair], columns=2)
    assert {ax.get_title() for ax in axes} == {""}
    assert set(patches(axes[0], "head")) == {"a -> b", "c -> b"}
    assert set(patches(axes[1], "head")) == {"b -> a"}
    assert not patches(axes[2], "head")
    tip = patches(axes[1], "head")["b -> a"].get_xy()[0]
    away = {
        name: np.hypot(
            box.get_x() + box.get_width() / 2 - tip[0], box.get_y() + box.get_height() / 2 - tip[1]
        )
        for name, box in patches(axes[1], "box").items()
    }
    assert min(away, key=away.get) == "a"
    bounds = [ax.get_position().bounds for ax in axes]
    assert bounds[0][1] == bounds[1][1] > bounds[2][1]


def test_what_cannot_be_compared_is_rejected():
    with pytest.raises(aw.GraphError, match="nothing to draw"):
        plot_graphs([])
    with pytest.raises(aw.GraphError, match="same variables, but 'c'"):
        plot_graphs([UGraph.empty(["a", "b"]), UGraph.empty(["a", "c", "b"])])
    with pytest.raises(aw.GraphError, match="top="):
        plot_graphs([UGraph.empty([f"v{i}" for i in range(500)])])


def test_one_network_alone_is_drawn_too():
    (axes,) = plot_graphs(UGraph.from_edges([("a", "b")]))
    assert {text.get_text() for text in axes.texts} >= {"a", "b"}


def test_the_legend_of_directed_graphs_names_effects():
    table = aw.example("boston").select(["MEDV", "LSTAT", "RM"])
    net = aw.learn(table, model="gaussian", certainty=False)
    (ax,) = plot_graphs([net])
    legends = [each.get_legend() for each in ax.figure.axes if each.get_legend()]
    texts = [text.get_text() for text in legends[0].get_texts()]
    assert "positive effect of the parent" in texts
    assert not any("partial correlation" in text for text in texts)
