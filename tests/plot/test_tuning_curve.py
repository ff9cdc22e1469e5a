"""How a penalty was chosen, drawn."""

import numpy as np
import pytest

from arcwise.errors import FitError
from arcwise.plot import plot_tuning

matplotlib = pytest.importorskip("matplotlib")

EBIC = [
    {"penalty": 0.4, "edges": 0.0, "ebic": -40.0},
    {"penalty": 0.2, "edges": 3.0, "ebic": -30.0},
    {"penalty": 0.1, "edges": 6.0, "ebic": -34.0},
    {"penalty": 0.05, "edges": 9.0},  # without a largest likelihood
]
CV = [
    {"penalty": p, "mean": m, "error": 9.0, "loss": -1 - m, "loss_error": e, "edges": 2.5}
    for p, m, e in ((0.0, -1.4, 0.2), (0.1, -1.0, 0.0), (0.2, -1.1, 0.15))
]


def curve(ax):
    line = max(ax.lines, key=lambda each: len(each.get_xdata()))
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


def test_the_figure_and_the_edges_are_drawn_and_the_choice_is_marked():
    ax = plot_tuning(EBIC, 0.2, unit="rho", title="$x_1$")
    above, below = ax.figure.axes
    assert ax is above
    assert curve(above) == [(0.1, -34.0), (0.2, -30.0), (0.4, -40.0)]
    assert curve(below) == [(0.05, 9.0), (0.1, 6.0), (0.2, 3.0), (0.4, 0.0)]
    assert [text.get_text() for text in ax.texts] == ["penalty 0.2, 3 edges"]
    assert any(list(line.get_xdata()) == [0.2] for line in above.lines)
    assert below.get_xlabel() == "penalty (rho)"
    assert below.get_xscale() == "linear"  # within a decade
    ax.figure.canvas.draw()


def test_penalties_over_more_than_a_decade_are_drawn_by_logarithms():
    rows = [{"penalty": p, "edges": 1.0, "ebic": -p} for p in (0.01, 0.1, 0.5)]
    ax = plot_tuning(rows, 0.01)
    assert ax.figure.axes[1].get_xscale() == "log"
    assert ax.texts[0].get_horizontalalignment() == "left"
    assert plot_tuning(rows, 0.5).texts[0].get_horizontalalignment() == "right"


def test_what_is_allowed_is_a_line():
    rows = [{"penalty": p, "edges": 1.0, "allowed": 0.05, "instability": p} for p in (0.1, 0.01)]
    ax = plot_tuning(rows, 0.01)
    assert any(list(line.get_ydata()) == [0.05, 0.05] for line in ax.lines)


def test_errors_are_those_of_the_difference_to_the_best_and_zero_has_a_place():
    ax = plot_tuning(CV, 0.1)
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(-1.6)
    assert band[:, 1].max() == pytest.approx(-0.95)
    assert "2.5 edges on average" in ax.texts[0].get_text()
    below = ax.figure.axes[1]
    assert below.get_xlim()[0] == 0.0
    assert {0.0, 0.1} <= set(below.get_xticks())
    ax.figure.canvas.draw()


def test_hopeless_penalties_do_not_hide_the_best():
    heights = [-1e6, *np.linspace(-20, -10, 11)]
    rows = [{"penalty": 1 / (i + 1), "edges": i, "ebic": y} for i, y in enumerate(heights)]
    low, high = plot_tuning(rows, 1 / 12).get_ylim()
    assert -40 < low < -17
    assert -10 < high < 0


def test_shifts_have_a_stroke_each():
    ax = plot_tuning([{"penalty": 0.3}, {"penalty": 0.2}, {"penalty": 0.4}], 0.2)
    assert len(ax.figure.axes) == 1
    assert len(ax.collections[0].get_positions()) == 3
    ax.figure.canvas.draw()


def test_given_axes_get_the_figure_alone():
    _, given = matplotlib.pyplot.subplots()
    assert plot_tuning(EBIC, 0.2, ax=given) is given
    assert len(given.figure.axes) == 1


def test_no_curve_is_an_error_that_says_why():
    with pytest.raises(FitError, match="its penalty was given"):
        plot_tuning([], 0.2)


def test_points_below_the_picture_have_an_arrow():
    rows = [
        {"penalty": 0.1 * k, "edges": 10 - k, "ebic": -1000.0 if k == 9 else -float(k)}
        for k in range(1, 10)
    ]
    ax = plot_tuning(rows, 0.1)
    (arrows,) = [line for line in ax.lines if line.get_gid() == "below the picture"]
    assert arrows.get_xdata() == pytest.approx([0.9])
    assert ax.get_ylim()[0] > -1000
