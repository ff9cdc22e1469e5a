"""What notebooks show of results: closed, escaped HTML without scripts, never a dump."""

import numpy as np
import pytest
from test_frame import Tags

import arcwise as aw
from arcwise.frame import Frame, Framed, Series, text_html
from arcwise.inference import NamedMatrix
from arcwise.plot import graph_svg
from arcwise.plot.static import MOST_NODES, width_of
from arcwise.view import picture, pictures_by

HOSTILE = ("<script>x</script>", '" onload="x', "a & b")
MOST_LETTERS = 60_000


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 1))
    columns = np.hstack([x, x + rng.normal(size=(120, 1)), rng.normal(size=(120, 1))])
    return aw.table(dict(zip(HOSTILE, columns.T, strict=True)))


@pytest.fixture(scope="module")
def levels():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, size=(200, 2))
    codes[:, 1] = np.where(rng.random(200) < 0.9, codes[:, 0], codes[:, 1])
    words = np.array(["<b>no</b>", "yes & more"])
    return aw.table(dict(zip(HOSTILE, words[codes].T, strict=False)))


def results(numbers, levels):
    net, told = aw.learn(numbers), aw.learn(levels)
    first, second = HOSTILE[:2]
    yield from (numbers, levels, net, told, net.graph, net.cpdag, net.net, net.edges)
    yield from (net.covariance, net.query(first, given={second: 1.0}), net.marginals())
    yield from (net.query(list(HOSTILE)), net.predict(numbers, first), told.explain())
    yield from (told.query(first), told.query([first, second]), told.predict(levels, first))
    undirected = aw.learn(numbers, graph="undirected")
    post = aw.posterior(numbers)
    yield from (undirected, undirected.graph, post, post.edges, numbers.audit(), levels.audit())
    yield from (aw.validate(numbers, folds=3), aw.prune(numbers, first))
    yield aw.compare(net, aw.dag([(HOSTILE[2], first)], nodes=net.nodes))
    yield from (numbers.variable(first), levels.variable(first), post.graphs, aw.examples())
    yield from (aw.Rules(), aw.Rules(required=[(first, second)], tiers=[[first], [second]]))
    yield aw.classify(levels, first, structure="naive", folds=3).validated


def test_html_is_closed_escaped_and_short(numbers, levels):
    for each in results(numbers, levels):
        html = each._repr_html_()
        tags = Tags(html)
        assert not {"script", "b"} & set(tags.seen), type(each)
        assert not any("onload" in name for name in tags.attributes), type(each)
        assert tags.seen[:2] == ["div", "style"], type(each)
        assert len(html) < MOST_LETTERS


@pytest.mark.filterwarnings("ignore")
def test_very_long_names_and_levels_are_cut(numbers, levels):
    """Names and levels of 10 000 letters, quotes, pictographs and signs of HTML."""
    names = [f"<b>{'x' * 10_000}</b>", "🦔 '\"`&", "plain"]
    long_names = aw.table({n: numbers.column(old) for n, old in zip(names, HOSTILE, strict=True)})
    words = np.array([f"<script>{'y' * 10_000}", '🦔 & "q"'])
    codes = np.column_stack([levels.column(name) for name in levels.order])
    long_levels = aw.table({"first": words[codes[:, 0]], "second": words[codes[:, 1]]})
    net, told = aw.learn(long_names), aw.learn(long_levels)
    for each in (
        *(long_names, net, net.graph, net.edges, net.query(names[:2]), net.marginals()),
        *(net.predict(long_names, "plain"), long_levels, told, told.query(["first", "second"])),
        *(told.predict(long_levels, "first"), told.explain(), long_names.audit(), net.covariance),
    ):
        html = each._repr_html_()
        tags = Tags(html)
        assert not {"script", "b"} & set(tags.seen), type(each)
        assert len(html) < MOST_LETTERS, type(each)
    assert any("🦔" in text for text in Tags(net.edges._repr_html_()).text)


def test_reprs_of_tables_are_one_short_line(numbers, levels):
    for each in results(numbers, levels):
        if isinstance(each, Framed) and not isinstance(each, NamedMatrix):
            assert "\n" not in repr(each), type(each)
            assert len(repr(each)) < 250, type(each)


def test_a_subclass_keeps_its_repr():
    class Mine(Framed):
        @property
        def frame(self):
            return Frame((Series("a", [1, 2]),), "many words " * 100)

    class Other(Mine):
        def __repr__(self):
            return "other"

    class Last(Other):
        pass

    assert repr(Mine()).startswith("<Mine: many words many")
    assert len(repr(Mine())) < 180
    assert repr(Last()) == "other"


def test_texts_are_html_too():
    html = text_html("\n".join(["<b>", *map(str, range(100))]))
    assert "&lt;b&gt;" in html
    assert "... 61 more lines ..." in html
    assert html.count("\n") < 60
    assert "pre" in Tags(html).seen


def test_graphs_are_pictures_without_matplotlib():
    graph = aw.DAG.from_arcs([("<i>", "b"), ("b", "c"), ("<i>", "c")])
    drawn = graph._repr_html_()
    tags = Tags(drawn)
    assert tags.seen.count("rect") == 3
    assert tags.seen.count("path") == tags.seen.count("polygon") == 3
    assert "currentColor" in drawn
    assert "<i>" in tags.text
    assert Tags(graph_svg(aw.UGraph.from_edges([("a", "b")]))).seen.count("polygon") == 0
    assert graph_svg(aw.PDAG.from_edges([("a", "b")], [("b", "c")])).count("<polygon") == 1
    assert aw.DAG.from_arcs([], [])._repr_html_() is None
    assert aw.DAG.from_arcs([], list(map(str, range(MOST_NODES + 1))))._repr_html_() is None
    assert aw.graphs.cpdag(graph)._repr_html_().count("<polygon") == 0


def test_wide_and_long_tables_are_cut():
    wide = aw.table(np.random.default_rng(0).normal(size=(30, 40)))
    tags = Tags(wide._repr_html_())
    assert tags.seen.count("tr") == 11
    assert tags.seen.count("th") == 10
    assert {"... 20 more rows", "... 30 more columns"} <= set(tags.text)


def test_names_have_room_in_their_boxes():
    assert width_of(["ab", "abc"], 10.0) == width_of(["abc"], 10.0) > width_of(["ab"], 10.0)
    assert width_of(["漢字"], 10.0) > width_of(["ab"], 10.0)
    assert width_of(["MM"], 10.0) > width_of(["ii"], 10.0)


def test_a_picture_may_be_drawn_by_others():
    before = pictures_by(lambda graph: "mine")
    try:
        assert picture(aw.dag("a + b:a")) == "mine"
    finally:
        pictures_by(before)
    assert "<svg" in picture(aw.dag("a + b:a"))
