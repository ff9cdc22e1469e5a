"""Edges against penalty, drawn."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from undirected.tables import bound, linear

import arcwise as aw
from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.plot import plot_edge_path, plot_path
from arcwise.plot.axes import spread_out
from arcwise.results import Knot, Path
from arcwise.undirected import boundary

matplotlib = pytest.importorskip("matplotlib")
SCORE = bound("loo", linear(1))
PATH = boundary(SCORE)


def words(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("linear", [False, True])
def test_the_stairs_are_the_curve_of_the_path(linear):
    ax = plot_path(PATH, linear=linear, title="$v_1$")
    (line,) = ax.lines
    assert line.get_drawstyle() == "steps-post"
    assert list(zip(line.get_xdata(), line.get_ydata(), strict=True))[:-1] == PATH.curve()
    low, high = ax.get_xlim()
    assert low == 0
    assert high > PATH.knots[-1].penalty
    assert ax.get_ylim()[0] == 0
    assert ax.get_xlabel() == "penalty (nats per edge and row)"
    ax.figure.canvas.draw()


def test_penalties_are_marked_with_their_edges():
    _, given = matplotlib.pyplot.subplots()
    ax = plot_path(PATH, at=[0.05, 0], ax=given)
    assert ax is given
    assert words(ax) == [f"{PATH.at(x).n_edges} edges at {x:g}" for x in (0.05, 0)]
    high = plot_path(PATH, at=2 * PATH.knots[-1].penalty)
    assert high.get_xlim()[1] > 2 * PATH.knots[-1].penalty
    assert words(high)[0].startswith("0 edges")


def test_a_path_cut_short_ends_in_words():
    short = boundary(SCORE, on_step=lambda step: step.number == 9)
    ax = plot_path(short)
    assert words(ax) == ["asked to stop"]
    assert ax.lines[0].get_xdata()[-1] == max(short.reach, 0)
    with pytest.raises(FitError, match="ended early"):
        plot_path(short, at=10.0)
    begun = boundary(SCORE, on_step=lambda step: True)
    plot_path(begun).figure.canvas.draw()


@pytest.mark.parametrize("far", [1e-7, 0.004, 0.9, 1.0, 12.0, 3e5])
def test_ticks_are_round_and_do_not_crowd(far):
    names = ("a", "b")
    knots = (Knot(0.0, UGraph.complete(names)), Knot(far, UGraph.empty(names)))
    ax = plot_path(Path(knots, "nats", (), ""))
    ticks = ax.get_xticks()
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 8
    renderer = ax.figure.canvas.get_renderer()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent(renderer) for text in ax.get_xticklabels()]
    assert all(one.x1 < two.x0 for one, two in pairwise(boxes))


def test_nothing_to_remove_and_a_price_that_nobody_pays():
    names = ("a", "b")
    alone = Path((Knot(0.0, UGraph.empty(names)),), "nats", (), "no edge is left")
    plot_path(alone, at=0.2).figure.canvas.draw()
    never = (Knot(0.0, UGraph.complete(names)), Knot(float("inf"), UGraph.empty(names)))
    ax = plot_path(Path(never, "nats", (), ""))
    assert set(ax.lines[0].get_ydata()) == {1}
    ax.figure.canvas.draw()


# -- penalties that were solved for ------------------------------------------------------------------


@pytest.fixture(scope="module")
def lasso():
    return aw.path(aw.example("boston"), graph="undirected", model="gaussian")


def dots(ax):
    """Places of the marks."""
    return [
        (float(line.get_xdata()[0]), int(line.get_ydata()[0]))
        for line in ax.lines[1:]
        if line.get_marker() == "o"
    ]


def test_a_mark_between_solved_penalties_is_solved_for(lasso):
    ax = lasso.plot(at=0.3)
    edges = aw.learn(
        aw.example("boston"), graph="undirected", model="gaussian", penalty=0.3
    ).graph.n_edges
    assert words(ax) == [f"{edges} edges at 0.3"]
    assert dots(ax) == [(0.3, edges)]
    assert edges != lasso.path.at(0.3).n_edges  # what the next solved penalty has


def test_a_plain_path_marks_the_penalty_that_was_solved_for(lasso):
    knot = lasso.path.knot(0.3)
    assert knot.penalty > 0.3
    ax = plot_path(lasso.path, at=0.3)
    assert dots(ax) == [(knot.penalty, knot.graph.n_edges)]
    assert words(ax) == [
        f"{knot.graph.n_edges} edges at {knot.penalty:.4g} (0.3 was not solved for)"
    ]
    assert "not solved" not in words(plot_path(lasso.path, at=knot.penalty))[0]


def test_solved_penalties_are_whole_points_and_nothing_else(lasso):
    ax = lasso.plot()
    (line,) = ax.lines
    assert list(zip(line.get_xdata(), line.get_ydata(), strict=True)) == lasso.curve()
    assert line.get_linestyle() == "None"
    assert not line.get_clip_on()
    low, high = ax.get_xlim()
    assert low < lasso.knots[0].penalty < lasso.knots[-1].penalty < high


def test_the_axis_is_logarithmic_beyond_a_decade():
    def axis(*penalties, **options):
        knots = tuple(Knot(each, UGraph.empty(("a", "b"))) for each in penalties)
        ax = plot_path(Path(knots, "rho", (), "", grid=True), **options)
        ax.figure.canvas.draw()
        return ax

    assert axis(0.01, 1.0).get_xscale() == "log"
    assert axis(0.2, 1.0).get_xscale() == "linear"
    assert axis(0.01, 1.0, linear=True).get_xscale() == "linear"
    assert axis(0.0, 1.0).get_xscale() == "function"  # zero has no logarithm
    for low, high in ((0.0091, 0.91), (1e-6, 1.0), (0.05, 0.6), (3.0, 4e5), (0.4, 0.4)):
        ax = axis(low, high)
        assert len(ax.get_xticks()) >= 2
        renderer = ax.figure.canvas.get_renderer()
        boxes = [text.get_window_extent(renderer) for text in ax.get_xticklabels()]
        assert all(one.x1 < two.x0 for one, two in pairwise(boxes))


def test_what_rules_chose_is_marked_by_their_names_without_overlap(lasso):
    rules = {"ebic": 0.0612, "cv": 0.055, "cv-1se": 0.065, "ric": 0.22, "stars": 0.4874}
    ax = lasso.plot(at=rules)
    assert words(ax) == [f"{name}: {lasso.at(x).n_edges} edges" for name, x in rules.items()]
    assert [x for x, _ in dots(ax)] == list(rules.values())
    ax.figure.canvas.draw()
    # The box of the words alone: that of an annotation holds the line to its point, too.
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in ax.texts]
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    frame = ax.figure.bbox
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


def test_a_mark_below_the_solved_penalties_widens_the_axis(lasso):
    low = lasso.knots[0].penalty / 5
    assert lasso.plot(at=low).get_xlim()[0] < low
    with pytest.raises(FitError, match="solved down to"):
        plot_path(lasso.path, at=low)


def test_places_are_spread_in_their_order_and_no_more_than_needed():
    rng = np.random.default_rng(3)
    for _ in range(50):
        wanted = rng.uniform(0, 5, size=7).tolist()
        found = spread_out(wanted, 0.8)
        order = np.argsort(wanted)
        assert (np.diff(np.array(found)[order]) >= 0.8 - 1e-9).all()
        assert np.mean(found) == pytest.approx(np.mean(wanted))
    assert spread_out([0.0, 3.0, 1.0], 1.0) == [0.0, 3.0, 1.0]
    assert spread_out([], 1.0) == []


def test_what_is_no_penalty_is_rejected_with_a_message():
    knots = (Knot(0.1, UGraph.complete(["a", "b"])), Knot(0.5, UGraph.empty(["a", "b"])))
    with pytest.raises(FitError, match="mapping of labels"):
        plot_path(Path(knots, "rho", (), "", grid=True), at="ebic")


@pytest.fixture(scope="module")
def short_path():
    return aw.path(
        aw.example("boston"), graph="undirected", model="gaussian", search=aw.Glasso(n_penalties=12)
    )


def lines(ax):
    """The lines by their pairs of names."""
    named = {line.get_gid(): line for line in ax.lines if line.get_gid()}
    return {tuple(name.removeprefix("edge ").split(" – ")): line for name, line in named.items()}


def test_every_edge_has_a_line_through_its_partial_correlations(short_path):
    rows = short_path.edge_rows()
    count = len({(row.first, row.second) for row in rows})
    drawn = lines(short_path.plot_edges(top=1000))
    assert set(drawn) == {(row.first, row.second) for row in rows}
    for row in rows:
        line = drawn[row.first, row.second]
        (place,) = np.flatnonzero(line.get_xdata() == row.penalty)
        assert line.get_ydata()[place] == row.partial_correlation
    ax = short_path.plot_edges(top=3)
    grey = [part[:, 1] for part in ax.collections[0].get_segments()]
    assert len(lines(ax)) == 3
    assert len(grey) == count - 3
    weaker = [line.get_ydata() for pair, line in drawn.items() if pair not in lines(ax)]
    known = sorted(value for line in weaker for value in line if np.isfinite(value))
    assert sorted(value for line in grey for value in line if np.isfinite(value)) == known


def test_a_line_ends_at_the_zero_beside_its_edge():
    names = ("a", "b")
    pair, none = UGraph.complete(names), UGraph.empty(names)
    knots = [Knot(x, pair, (0.6 - x,)) for x in (0.1, 0.3)]
    knots += [Knot(x, none, ()) for x in (0.5, 0.7)]
    path = Path(tuple(knots), "rho", (), "", grid=True)
    (line,) = lines(plot_edge_path(path)).values()
    np.testing.assert_allclose(line.get_ydata(), [0.5, 0.3, 0.0, np.nan])


def test_the_strongest_have_names_that_do_not_overlap(short_path):
    ax = short_path.plot_edges(top=8)
    strongest: dict[tuple[str, str], float] = {}
    for row in short_path.edge_rows():
        pair = row.first, row.second
        strongest[pair] = max(strongest.get(pair, 0.0), abs(row.partial_correlation))
    wanted = sorted(strongest, key=lambda pair: -strongest[pair])[:8]
    assert {text.get_text() for text in ax.texts} == {" – ".join(pair) for pair in wanted}
    colours = {line.get_color() for pair, line in lines(ax).items() if pair in wanted}
    assert len(colours) == 8
    assert set(lines(ax)) == set(wanted)
    ax.figure.canvas.draw()
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in ax.texts]
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= ax.get_window_extent().x0 for box in boxes)


def test_penalties_are_marked(short_path):
    ax = short_path.plot_edges(top=0, at={"ebic": 0.06, "stars": 0.5}, title="$x_1$")
    assert [text.get_text() for text in ax.texts] == ["ebic", "stars"]
    assert [text.get_text() for text in short_path.plot_edges(top=0, at=0.3).texts] == ["0.3"]


def test_without_edges_there_is_an_empty_picture():
    path = Path((Knot(0.5, UGraph.empty(["a", "b"]), ()),), "rho", (), "", grid=True)
    ax = plot_edge_path(path)
    ax.figure.canvas.draw()
    assert lines(ax) == {}
    assert not [text for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("search", ["boundary", "neighbourhood"])
def test_paths_without_partial_correlations_say_so(search):
    table = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    path = aw.path(table, graph="undirected", model="gaussian", search=search)
    with pytest.raises(aw.FitError, match="search='glasso'"):
        path.plot_edges()
    assert {row.partial_correlation for row in path.edge_rows()} == {None}
