"""Edges against penalty, drawn."""

from itertools import pairwise

import pytest
from undirected.tables import bound, linear

from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.plot import plot_path
from arcwise.results import Knot, Path
from arcwise.undirected import boundary

matplotlib = pytest.importorskip("matplotlib")
SCORE = bound("loo", linear(1))
PATH = boundary(SCORE)


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib.use("agg")
    yield
    matplotlib.pyplot.close("all")


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
