"""Edges against the price of an edge (Hofmann and Tresp 1997, fig. 1).

Most edges go at small penalties, so the axis of penalties is drawn by square roots: it starts at
zero, as the logarithm cannot, and gives room to where most happens.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.plot.axes import small_axes, whole_numbers
from arcwise.plot.labels import PLAIN
from arcwise.plot.marks import COLOURS
from arcwise.results import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_path"]

# Least room between two ticks, as a part of the axis, and what is left free at its ends.
_APART, _SPARE, _ABOVE = 0.11, 1.04, 1.1


def plot_path(
    path: Path,
    *,
    at: float | Sequence[float] = (),
    ax: "Axes | None" = None,
    linear: bool = False,
    title: str | None = None,
) -> "Axes":
    """Draw the number of edges against the penalty.

    Parameters
    ----------
    path : undirected graphs against the price of an edge.
    at : penalties to mark, with the number of edges there.
    ax : where to draw; a new small figure if left out.
    linear : even steps on the axis of penalties instead of square roots.
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
    >>> from arcwise.results import Removal
    >>> gone = [Removal(0, 1, (0.1, 0.2), 0.2, 1), Removal(1, 2, (0.5, 0.4), 0.5, 0)]
    >>> path = Path.of_removals(UGraph.from_edges([("a", "b"), ("b", "c")]), gone, "nats per row")
    >>> plot_path(path, at=0.3).texts[0].get_text()
    '1 edge at 0.3'
    """
    marks = [float(each) for each in np.atleast_1d(at)]
    points = [(each, path.at(each).n_edges) for each in marks]
    axes = small_axes() if ax is None else ax
    far = _farthest(path, marks)
    _draw_steps(axes, path, far)
    _set_axis(axes, far, linear)
    for penalty, edges in points:
        _mark(axes, penalty, edges, far)
    axes.set_xlabel(f"penalty ({path.unit})", **PLAIN)
    axes.set_ylabel("edges")
    if title is not None:
        axes.set_title(title, loc="left", fontsize=10, **PLAIN)
    return axes


def _farthest(path: Path, marks: Sequence[float]) -> float:
    """The penalty up to which the axis goes: all that is known and finite, and every mark."""
    ends = [knot.penalty for knot in path.knots] + [path.reach, *marks]
    return max((each for each in ends if 0 < each < np.inf), default=1.0)


def _draw_steps(axes: "Axes", path: Path, far: float) -> None:
    """Draw the edges as stairs; a path that was cut short ends in words."""
    whole = path.reach == np.inf
    known = [(x, y) for x, y in path.curve() if x < np.inf]
    end = far * _SPARE if whole else max(path.reach, 0.0)
    xs, ys = zip(*known, (end, known[-1][1]), strict=True)
    # What was solved for at single penalties is drawn as points on a line, and not as stairs.
    style = {"marker": ".", "markersize": 5} if path.grid else {"drawstyle": "steps-post"}
    axes.plot(xs, ys, **style, color=COLOURS["positive"], linewidth=1.6)
    if not whole:
        axes.plot(xs[-1], ys[-1], "x", color=COLOURS["negative"], markersize=7)
        _write(axes, path.stopped, (xs[-1], ys[-1]), left=xs[-1] > far / 2)


def _set_axis(axes: "Axes", far: float, linear: bool) -> None:
    """Both axes start at zero; that of the penalties has round ticks that do not crowd."""
    if not linear:
        axes.set_xscale("function", functions=(_root, np.square))
        axes.set_xticks(_ticks(far), [f"{each:g}" for each in _ticks(far)])
    axes.set_xlim(0.0, far * _SPARE)
    axes.set_ylim(0.0, max(1.0, _ABOVE * axes.dataLim.y1))
    axes.yaxis.set_major_locator(whole_numbers())
    axes.spines[["top", "right"]].set_visible(False)


def _root(x: NDArray[np.float64]) -> NDArray[np.float64]:
    # matplotlib also asks for places left of the axis
    return np.sqrt(np.maximum(x, 0.0))


def _ticks(far: float) -> list[float]:
    """Zero, and those of 1, 2 and 5 times powers of ten that have room, the largest first."""
    top = int(np.floor(np.log10(far)))
    found = (digit * 10.0**power for power in (top, top - 1, top - 2) for digit in (5, 2, 1))
    kept: list[float] = []
    for each in (each for each in found if each <= far):
        place = np.sqrt(each / far)
        if place > _APART and (not kept or np.sqrt(kept[0] / far) - place > _APART):
            kept.insert(0, each)
    return [0.0, *kept]


def _mark(axes: "Axes", penalty: float, edges: int, far: float) -> None:
    """A dot on the stairs at a penalty, with the number of edges."""
    colour = COLOURS["negative"]
    axes.plot([penalty, penalty], [0, edges], color=colour, linewidth=0.9, linestyle=":")
    axes.plot(penalty, edges, "o", color=colour, markersize=5, clip_on=False)
    words = f"{edges} edge{'s' * (edges != 1)} at {penalty:g}"
    _write(axes, words, (penalty, edges), left=penalty > 0.6 * far)


def _write(axes: "Axes", words: str, point: tuple[float, float], left: bool) -> None:
    """Words beside a point, clear of the stairs: above and right, or below and left of it."""
    low = point[1] < 0.15 * axes.dataLim.y1  # nothing fits below, and the stairs are flat there
    axes.annotate(
        words,
        point,
        xytext=(-6, 5 if low else -9) if left else (6, 5),
        textcoords="offset points",
        ha="right" if left else "left",
        va="bottom" if low or not left else "top",
        fontsize=9,
        color=COLOURS["negative"],
        **PLAIN,
    )
