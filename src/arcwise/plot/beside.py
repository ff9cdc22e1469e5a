"""Words beside points of a diagram: clear of each other, of what is drawn, and inside the axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.plot.axes import PLAIN, text_width
from arcwise.plot.layered import pooled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
_SIZE = 9.0
# Points from a point to its words, aside and above or below; near ones are tried first. Words right
# of their point start there, words left of it end there, those neither left nor right have it in the middle.
_ASIDE, _STEPS = 6.0, (4.0, -14.0, 17.0, -27.0, 30.0, -40.0, 43.0, 56.0)
_SIDES = {"left": _ASIDE, "right": -_ASIDE, "center": 0.0}
_HEIGHT, _FARTHER = 11.0, 0.6
# What words count when they lie on other words, leave the axes, or hide something drawn.
_ON_WORDS, _OUTSIDE, _HIDING = 50.0, 50.0, 1.0


def write_beside(
    axes: "Axes", notes: Sequence[tuple[str, tuple[float, float]]], drawn: Array, colour: str
) -> None:
    """Write words beside points.

    Parameters
    ----------
    axes : matplotlib's, with their final limits.
    notes : words, and the point that they belong to.
    drawn : points of what is drawn already, in the units of the axes.
    colour : of the words.
    """
    from matplotlib.patheffects import withStroke

    if not notes:
        return
    points = pixels(axes, np.array([point for _, point in notes], dtype=float))
    busy = np.concatenate([pixels(axes, drawn), points])
    taken: list[Array] = []
    for (words, place), point in zip(notes, points, strict=True):
        side, step, box = _best(axes, words, point, busy, taken)
        taken.append(box)
        # Words that found no room next to their point are joined to it.
        thin = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        place_of: dict[str, Any] = {"xytext": (_SIDES[side], step), "textcoords": "offset points"}
        joined = thin if step not in _STEPS[:2] else None
        text = axes.annotate(words, place, **place_of, arrowprops=joined, **PLAIN)
        text.set(ha=side, va="bottom", fontsize=_SIZE, color=colour, annotation_clip=False)
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def pixels(axes: "Axes", points: Array) -> Array:
    """Where points of axes are in the figure, once its layout has settled."""
    figure = axes.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    return np.asarray(axes.transData.transform(points.reshape(-1, 2)))


def _best(
    axes: "Axes", words: str, point: Array, busy: Array, taken: list[Array]
) -> tuple[str, float, Array]:
    """The side and the height of words that are least in the way, and the box they fill."""
    pixel = axes.figure.dpi / 72
    wide = text_width([words], _SIZE) * axes.figure.dpi
    frame = axes.get_window_extent()
    found = []
    for order, step in enumerate(_STEPS):
        for side, aside in _SIDES.items():
            start = {"left": 0.0, "right": wide, "center": wide / 2}[side]
            corner = point + np.array([pixel * aside - start, pixel * step])
            box = np.concatenate([corner, corner + np.array([wide, _HEIGHT * pixel])])
            beyond = box[1] < frame.y0 + 2 * pixel or box[3] > frame.y1
            outside = box[0] < frame.x0 or box[2] > frame.x1 or beyond
            hiding = ((busy > box[:2] - pixel) & (busy < box[2:] + pixel)).all(axis=1).sum()
            on_words = sum(_meet(box, other) for other in taken)
            cost = _OUTSIDE * outside + _ON_WORDS * on_words + _HIDING * hiding
            found.append((float(cost) + _FARTHER * order, side, step, box))
    _, side, step, box = min(found, key=lambda each: each[0])
    return side, step, box


def _meet(one: Array, two: Array) -> bool:
    return bool((one[:2] < two[2:]).all() and (two[:2] < one[2:]).all())


def spread_out(places: Sequence[float], apart: float) -> list[float]:
    """Move places on a line as little as needed for them to be so far apart, in the same order.

    Examples
    --------
    >>> spread_out([5.0, 1.0, 1.0], 1.0)
    [5.0, 0.5, 1.5]
    """
    if not places:
        return []
    order = np.argsort(places, kind="stable")
    shifts = apart * np.arange(len(places))
    moved = np.empty(len(places))
    moved[order] = pooled(np.array(places)[order] - shifts, np.ones(len(places))) + shifts
    return [float(each) for each in moved]
