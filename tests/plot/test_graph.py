"""Real drawings, without a screen: nothing cut off, nothing missing, nothing warned about."""

import io
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import GraphError
from arcwise.evaluate import Edge
from arcwise.graphs import DAG, PDAG, UGraph, cpdag, moral
from arcwise.plot import plot_graph

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def boston():
    return aw.learn(aw.example("boston"), model="gaussian")


def parts(ax, kind):
    """Drawn shapes of a kind (line, head, box), by what they stand for."""
    named = [p.get_gid() for p in ax.patches if p.get_gid()]
    return [name.removeprefix(f"{kind} ") for name in named if name.startswith(f"{kind} ")]


def rendered(ax):
    """Draw for good; gives the renderer to measure with."""
    ax.figure.savefig(io.BytesIO(), format="png")
    return ax.figure.canvas.get_renderer()


def box_of(ax, name):
    return next(p for p in ax.patches if p.get_gid() == f"box {name}")


def check(ax, graph):
    """Every name is in its box, every box in the figure, legend and title too."""
    renderer = rendered(ax)
    whole = ax.figure.bbox
    assert len(ax.texts) == len(graph.nodes)
    for text, name in zip(ax.texts, graph.nodes, strict=True):
        words = text.get_window_extent(renderer)
        box = box_of(ax, name).get_window_extent(renderer)
        assert box.x0 <= words.x0 <= words.x1 <= box.x1
        assert box.y0 <= words.y0 <= words.y1 <= box.y1
        assert inside(box, whole)
    rest = [ax.get_legend(), ax.title if ax.get_title() else None]
    for artist in filter(None, rest):
        assert inside(artist.get_window_extent(renderer), whole)


def inside(small, large):
    return (
        large.x0 <= small.x0 + 1
        and small.x1 <= large.x1 + 1
        and large.y0 <= small.y0 + 1
        and small.y1 <= large.y1 + 1
    )


GRAPHS = {
    "chain": DAG.from_arcs(["a -> b", "b -> c"]),
    "one": DAG.empty(["alone"]),
    "none": DAG.empty([]),
    "empty": DAG.empty([f"n{i}" for i in range(14)]),
    "two pieces": DAG.from_arcs(["a -> b", "c -> d"], nodes=list("abcdef")),
    "star": DAG.from_arcs([("class", f"feature{i}") for i in range(30)]),
    "ring": UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]),
    "mixed": PDAG.from_edges(["a -> c", "b -> c"], [("c", "d")]),
    "names": DAG.from_arcs(
        [
            ("$x_1$", "Größe (м)"),
            ("$x_1$", "\\alpha^2 {b}"),
            ("Größe (м)", "a_very_long_name_of_a_variable_that_goes_on_and_on_and_on"),
            ("$x_1$", "Averyveryverylongwordwithoutanybreakatall"),
            ("$x_1$", "tab\tand\nnew line"),
            ("$x_1$", "50% & #1 ^ ~"),
        ]
    ),
}


@pytest.mark.parametrize("word", GRAPHS)
def test_every_name_is_readable(word):
    graph = GRAPHS[word]
    check(plot_graph(graph), graph)


@pytest.mark.parametrize("word", ["asia", "alarm"])
@pytest.mark.parametrize("kind", [lambda g: g, moral, cpdag], ids=["dag", "moral", "cpdag"])
def test_networks_of_the_field(word, kind):
    graph = kind(aw.load_graph(aw.network_file(word)))
    ax = plot_graph(graph, title=word)
    check(ax, graph)
    arcs = [] if isinstance(graph, UGraph) else graph.arcs
    assert sorted(parts(ax, "head")) == sorted(f"{a} -> {b}" for a, b in arcs)


def test_a_learned_network(boston):
    ax = boston.plot(title="Boston")
    check(ax, boston.graph)
    present = boston.edges.present.rows
    assert len(parts(ax, "line")) == boston.graph.n_arcs
    supported = {row.direction for row in present if row.head}
    compelled = {row.direction for row in present if not row.reversible}
    assert set(parts(ax, "head")) == supported
    assert supported < compelled
    assert len(compelled) < len(present)
    assert "no head: under half support a direction" in words(ax)
    widths = {p.get_gid(): p.get_linewidth() for p in ax.patches if p.get_gid()}
    strongest = max(present, key=lambda row: row.strength)
    assert widths[f"line {strongest.direction}"] == max(widths.values())


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_heads_without_certainty_are_called_unchecked():
    homes = aw.example("boston")
    net = aw.learn(homes, certainty=False)
    ax = net.plot()
    heads = {row.direction for row in net.edges.present if row.head}
    assert set(parts(ax, "head")) == heads
    assert heads > {
        row.direction for row in net.edges.present if not row.reversible
    }  # by shape, too
    assert words(ax)[-1] == "heads are unchecked: no certainty"
    given = aw.fit("RM -> MEDV -> LSTAT", homes)
    ax = given.plot()
    assert set(parts(ax, "head")) == {"RM -> MEDV", "MEDV -> LSTAT"}
    assert not any("head" in each for each in words(ax))


def test_colours_and_dashes_are_the_signs_of_effects(boston):
    ax = boston.plot()
    lines = {p.get_gid(): p for p in ax.patches}
    for row in boston.edges.present:
        line = lines[f"line {row.direction}"]
        parent, child = row.direction.split(" -> ")
        model = boston[child]
        effect = model.coefficients[[each.name for each in model.parents].index(parent)]
        expected = "#0072B2" if effect > 0 else "#D55E00"
        hue, ink, value = matplotlib.colors.rgb_to_hsv(line.get_edgecolor()[:3])
        full = matplotlib.colors.rgb_to_hsv(matplotlib.colors.to_rgb(expected))
        assert hue == pytest.approx(full[0], abs=0.02)
        assert ink <= full[1] + 1e-9  # at most paler
        assert value >= full[2] - 1e-9
        assert (line.get_linestyle() == "solid") == (effect > 0)
    strongest = max(boston.edges.present, key=lambda row: row.strength)
    colour = lines[f"line {strongest.direction}"].get_edgecolor()
    assert matplotlib.colors.to_hex(colour) == "#0072b2"


def test_the_legend_shows_what_negative_lines_look_like(boston):
    legend = boston.plot().get_legend()
    words = [text.get_text() for text in legend.get_texts()]
    styles = dict(zip(words, (line.get_linestyle() for line in legend.get_lines()), strict=True))
    assert styles["positive effect of the parent"] == "-"
    assert styles["negative effect of the parent"] == "--"


# -- places that are given -----------------------------------------------------------------------


def centres(ax, names):
    boxes = [box_of(ax, name) for name in names]
    return np.array(
        [(b.get_x() + b.get_width() / 2, b.get_y() + b.get_height() / 2) for b in boxes]
    )


def similar(one, two):
    """Whether places are the same but for a shift and a common scale."""
    one, two = one - one.mean(axis=0), two - two.mean(axis=0)
    scale = (one * two).sum() / (one * one).sum()
    return scale > 0 and np.allclose(scale * one, two, atol=1e-8)


def test_nodes_go_where_they_are_reported():
    graph = DAG.from_arcs(["a -> b", "b -> c", "a -> c"])
    places = {"a": (0, 10), "b": (3, 0), "c": (7, 4), "not in it": (1, 1)}
    ax = plot_graph(graph, positions=places)
    check(ax, graph)
    assert similar(np.array([places[name] for name in "abc"], dtype=float), centres(ax, "abc"))
    assert len(parts(ax, "head")) == 3


@pytest.mark.parametrize("count", [1, 2, 3, 11, 30])
def test_boxes_on_a_circle_are_apart(count):
    names = [f"a longer name {i}" for i in range(count)]
    graph = UGraph.complete(names) if count < 12 else UGraph.empty(names)
    ax = plot_graph(graph, positions="circle")
    check(ax, graph)
    renderer = rendered(ax)
    boxes = [box_of(ax, name).get_window_extent(renderer) for name in names]
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    if count > 2:
        away = centres(ax, names) - centres(ax, names).mean(axis=0)
        np.testing.assert_allclose(np.hypot(*away.T), np.hypot(*away[0]))


def test_a_circle_can_have_an_order():
    graph = UGraph.from_edges([("a", "b"), ("c", "d")])
    ax = plot_graph(graph, positions=["c", "a", "b", "d"])
    top, right, bottom, left = centres(ax, "cabd")
    assert top[1] > right[1] > bottom[1]
    assert right[0] > top[0] > left[0]


def test_places_of_another_graph_are_taken():
    dense = moral(aw.load_graph(aw.network_file("asia")))
    sparse = UGraph.empty(dense.nodes)
    alone = centres(plot_graph(dense), dense.nodes)
    assert similar(alone, centres(plot_graph(sparse, positions=dense), dense.nodes))


@pytest.mark.parametrize(
    ("positions", "hint"),
    [
        ({"a": (0, 0)}, "no entry for 'b'"),
        ({"a": (0, 0), "b": (0, 0)}, "the same point"),
        ({"a": (0, 0), "b": (0, float("nan"))}, "two finite numbers"),
        ({"a": (0, 0), "b": 1}, "two finite numbers"),
        ({"a": (0, 0), "b": (1, 2, 3)}, "two finite numbers"),
        (["a"], "no entry for 'b'"),
        ("square", "circle"),
    ],
)
def test_places_that_are_none(positions, hint):
    with pytest.raises(aw.ArcwiseError, match=hint):
        plot_graph(UGraph.from_edges([("a", "b")]), positions=positions)


def test_a_common_scale_of_widths(boston):
    strongest = max(row.strength for row in boston.edges.present)

    def widest(ax):
        return max(p.get_linewidth() for p in ax.patches if (p.get_gid() or "").startswith("line"))

    assert widest(boston.plot(strongest=4 * strongest)) < 0.6 * widest(boston.plot())


def test_without_a_table_every_arc_has_a_head(boston):
    ax = plot_graph(boston.graph)
    assert len(parts(ax, "head")) == boston.graph.n_arcs
    assert ax.get_legend() is None


def test_a_target_and_its_blanket_stand_out():
    graph = aw.load_graph(aw.network_file("asia"))
    ax = plot_graph(graph, target="tub")
    fills = {name: box_of(ax, name).get_facecolor() for name in graph.nodes}
    blanket = set(graph.blanket_of("tub"))
    assert {name for name in graph.nodes if fills[name] == fills[next(iter(blanket))]} == blanket
    assert fills["tub"] not in (fills["smoke"], fills["asia"])


def test_top_draws_the_strongest_edges_and_their_variables(boston):
    ax = boston.plot(top=5)
    rows = boston.edges.present.sorted().rows[:5]
    assert set(parts(ax, "line")) == {row.direction for row in rows}
    drawn = {name for row in rows for name in (row.first, row.second)}
    assert set(parts(ax, "box")) == drawn
    caption = ax.texts[-1].get_text().replace("\n", " ")
    assert caption.startswith(
        f"5 of 34 edges: strength {rows[-1].strength:.2g} nats per row or more."
    )
    assert all(name in caption for name in set(boston.graph.nodes) - drawn)
    assert inside(ax.texts[-1].get_window_extent(rendered(ax)), ax.figure.bbox)
    ax = boston.plot(top=0, target="CHAS")
    assert parts(ax, "box") == ["CHAS"]
    ax = boston.plot(top=1000)
    assert len(parts(ax, "line")) == boston.graph.n_arcs
    assert not any("of 34" in text.get_text() for text in ax.texts)


def test_top_keeps_the_target_joined(boston):
    ax = boston.plot(top=5, target="CHAS")
    strongest = max(
        (row for row in boston.edges.present if "CHAS" in row[:2]), key=lambda row: row.strength
    )
    expected = {row.direction for row in boston.edges.present.sorted().rows[:4]}
    assert set(parts(ax, "line")) == expected | {strongest.direction}
    assert "and the strongest edge of CHAS" in ax.texts[-1].get_text().replace("\n", " ")


def test_large_graphs_are_drawn_by_their_strongest_edges():
    rng = np.random.default_rng(0)
    graph = DAG.from_arcs([(f"v{i}", f"v{i + 1}") for i in range(260)])
    rows = [
        Edge(*arc, True, " -> ".join(arc), False, strength, 1.0, 0.5, 1)
        for arc, strength in zip(graph.arcs, rng.random(260), strict=True)
    ]
    ax = plot_graph(graph, edges=rows)
    assert len(parts(ax, "line")) == 100
    assert ax.texts[-1].get_text().startswith("100 of 260 edges")
    assert "more variables" in ax.texts[-1].get_text()
    assert len(parts(plot_graph(graph, edges=rows, top=150), "line")) == 150
    assert len(parts(plot_graph(graph), "line")) == 260  # nothing tells which are strong


def test_top_works_on_every_kind_of_graph(boston):
    for graph in (boston.cpdag, moral(boston.graph)):
        assert len(parts(plot_graph(graph, edges=boston.edges, top=4), "line")) == 4


def test_names_are_never_mathematics():
    ax = plot_graph(DAG.from_arcs([("$a_1$", "b_2")]), title="$x^2$ of _y_")
    assert [text.get_text() for text in ax.texts] == ["$a_1$", "b_2"]
    assert not any(text.get_parse_math() for text in [*ax.texts, ax.title])


def test_on_given_axes_everything_shrinks_to_fit(boston):
    _, axes = matplotlib.pyplot.subplots(1, 2, figsize=(9, 5))
    ax = boston.plot(ax=axes[0])
    assert ax is axes[0]
    check(ax, boston.graph)
    renderer = rendered(ax)
    frame = ax.get_window_extent(renderer)
    for name in boston.graph.nodes:
        assert inside(box_of(ax, name).get_window_extent(renderer), frame)
    assert ax.texts[0].get_fontsize() < 10


def test_small_graphs_are_not_blown_up():
    _, ax = matplotlib.pyplot.subplots(figsize=(12, 9))
    plot_graph(DAG.from_arcs(["a -> b"]), ax=ax)
    assert ax.texts[0].get_fontsize() <= 13


def test_the_figure_follows_the_graph():
    small = plot_graph(DAG.from_arcs(["a -> b"])).figure.get_size_inches()
    large = plot_graph(aw.load_graph(aw.network_file("alarm"))).figure.get_size_inches()
    assert (large > 2 * small).all()
    assert (large < 12).all()


def test_same_graph_same_bytes(boston):
    def picture():
        out = io.BytesIO()
        boston.plot().figure.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()

    assert picture() == picture()


def test_legend_can_be_left_out(boston):
    assert boston.plot(legend=False).get_legend() is None
    assert boston.plot().get_legend() is not None


def test_nothing_is_shown_on_a_screen(boston, monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("show was called")

    monkeypatch.setattr(matplotlib.pyplot, "show", forbidden)
    assert boston.plot().figure is not None


def test_errors_say_what_to_do(boston):
    with pytest.raises(GraphError, match="Did you mean 'MEDV'"):
        boston.plot(target="medv")
    with pytest.raises(GraphError, match="table of edges"):
        plot_graph(boston.graph, top=3)
    with pytest.raises(GraphError, match="negative"):
        boston.plot(top=-1)
    with pytest.raises(GraphError, match="top="):
        plot_graph(DAG.empty([f"n{i}" for i in range(500)]))


def test_150_nodes_are_acceptable():
    graph = aw.graphs.random_dag(150, 2, np.random.default_rng(1))
    ax = plot_graph(graph)
    check(ax, graph)
    assert ax.texts[0].get_fontsize() > 5


def test_matplotlib_is_imported_only_when_something_is_drawn():
    words = "import sys, arcwise.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0
