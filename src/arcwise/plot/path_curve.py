"""Number of edges against the penalty per edge (Hofmann and Tresp 1997, fig. 1).

Edges that go one by one make stairs. Penalties that were solved for one by one, as by the lasso, are
points: what happens between two of them is not known, and no line pretends it is.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.plot.axes import entitle, small_axes, whole_numbers
from arcwise.plot.beside import write_beside
from arcwise.plot.marks import COLOURS
from arcwise.plot.penalty_axis import At, Mark, Priced, marks_of, set_penalties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
# What is left free right of the stairs, and above all.
_SPARE, _ABOVE = 1.04, 1.15


def plot_path(
    path: Priced,
    *,
    at: At = (),
    ax: "Axes | None" = None,
    linear: bool = False,
    title: str | None = None,
) -> "Axes":
    """Draw the number of edges against the penalty.

    Parameters
    ----------
    path : undirected graphs against the penalty per edge.
    at : penalties to mark with the number of edges there: one, several, or a mapping of labels to
        penalties, such as ``{"ebic": 0.06}`` for what rules chose.
    ax : where to draw; a new small figure if left out.
    linear : even steps on the axis of penalties. Otherwise the axis is drawn by square roots, or by
        logarithms where penalties were solved for and span more than a decade.
    title : a line above the picture.

    Returns
    -------
    matplotlib's axes; nothing is shown on a screen.

    Raises
    ------
    FitError : a penalty to mark that is negative, or that the path does not reach.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.graphs import UGraph
    >>> from arcwise.results import Path, Removal
    >>> gone = [Removal(0, 1, (0.1, 0.2), 0.2, 1), Removal(1, 2, (0.5, 0.4), 0.5, 0)]
    >>> path = Path.of_removals(UGraph.from_edges([("a", "b"), ("b", "c")]), gone, "nats per row")
    >>> plot_path(path, at=0.3).texts[0].get_text()
    '1 edge at 0.3'
    """
    marks = marks_of(path, at)
    axes = small_axes() if ax is None else ax
    far = _farthest(path, marks)
    drawn, notes = _draw_points(axes, path) if path.grid else _draw_steps(axes, path, far)
    penalties = [*(knot.penalty for knot in path.knots), far, *(mark.penalty for mark in marks)]
    set_penalties(axes, penalties, unit=path.unit, grid=path.grid, linear=linear)
    axes.set_ylim(0.0, max(1.0, _ABOVE * axes.dataLim.y1))
    axes.yaxis.set_major_locator(whole_numbers())
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel("edges")
    entitle(axes, title)
    drawn = np.concatenate([drawn, *(_draw_mark(axes, mark) for mark in marks)])
    notes += [(mark.words, (mark.penalty, mark.edges)) for mark in marks]
    write_beside(axes, notes, drawn, COLOURS["negative"])
    return axes


_Notes = list[tuple[str, tuple[float, float]]]


def _farthest(path: Priced, marks: list[Mark]) -> float:
    """The penalty up to which the axis goes: all that is known and finite, and every mark."""
    ends = [knot.penalty for knot in path.knots] + [path.reach, *(mark.penalty for mark in marks)]
    return max((each for each in ends if 0 < each < np.inf), default=1.0)


def _draw_points(axes: "Axes", path: Priced) -> tuple[Array, _Notes]:
    """Draw what was solved for as points; gives them."""
    points = np.array([(knot.penalty, knot.graph.n_edges) for knot in path.knots], dtype=float)
    # Points at the ends and without edges lie on the frame, and are drawn whole on top of it.
    (line,) = axes.plot(points[:, 0], points[:, 1], "o", color=COLOURS["positive"])
    line.set(markersize=4.5, markeredgewidth=0, clip_on=False, zorder=3)
    return points, []


def _draw_steps(axes: "Axes", path: Priced, far: float) -> tuple[Array, _Notes]:
    """Draw the edges as stairs; a path that was cut short ends in words."""
    whole = path.reach == np.inf
    known = [(knot.penalty, knot.graph.n_edges) for knot in path.knots if knot.penalty < np.inf]
    end = far * _SPARE if whole else max(path.reach, 0.0)
    xs, ys = zip(*known, (end, known[-1][1]), strict=True)
    axes.plot(xs, ys, drawstyle="steps-post", color=COLOURS["positive"], linewidth=1.6)
    drawn = _along_stairs(xs, ys)
    if whole:
        return drawn, []
    axes.plot(xs[-1], ys[-1], "x", color=COLOURS["negative"], markersize=7)
    return drawn, [(path.stopped, (xs[-1], ys[-1]))]


def _along_stairs(xs: tuple[float, ...], ys: tuple[int, ...]) -> Array:
    """Points on all parts of stairs, level and upright."""
    part = np.linspace(0, 1, 12)
    found = [np.zeros((0, 2))]
    for (x, y), (far, low) in pairwise(zip(xs, ys, strict=True)):
        found.append(np.column_stack([x + part * (far - x), np.full(12, y)]))
        found.append(np.column_stack([np.full(12, far), y + part * (low - y)]))
    return np.concatenate(found)


def _draw_mark(axes: "Axes", mark: Mark) -> Array:
    """A dot at a penalty, and a dotted line down to the axis; gives points of that."""
    colour, (penalty, edges, _) = COLOURS["negative"], mark
    axes.plot([penalty, penalty], [0, edges], color=colour, linewidth=0.9, linestyle=":")
    axes.plot(penalty, edges, "o", color=colour, markersize=5.5, clip_on=False, zorder=4)
    return np.column_stack([np.full(60, penalty), np.linspace(0, edges, 60)])
