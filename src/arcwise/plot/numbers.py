"""Strengths written at the lines of a graph (as in Hofmann and Tresp 1997, fig. 4).

A number lies on its line, in the middle if there it is clear of boxes, of other numbers and of other
lines; otherwise at the place along the line that is in the way of least.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.plot.curves import sampled
from arcwise.plot.labels import text_width
from arcwise.plot.layout import Layout

__all__ = ["NUMBER_SIZE", "number_places", "written"]

Array = NDArray[np.float64]
NUMBER_SIZE = 7.5
"""Points."""

# Inches around a number; parts of a line at which it may lie, the best first.
_PAD = 0.03
_PARTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
# What a number in the way of a box, another number, or a line counts when places are compared.
_BOX, _NUMBER, _LINE = 100.0, 30.0, 1.0


def written(strength: float | None) -> str:
    """A strength in as few digits as tell it; nothing where it is not known.

    Examples
    --------
    >>> written(0.3124), written(0.01), written(12.34), written(0.0002), written(None)
    ('0.31', '0.01', '12', '0.0002', '')
    """
    if strength is None:
        return ""
    return f"{strength:.0f}" if strength >= 10 else f"{float(f'{strength:.2g}'):g}"


def number_places(layout: Layout, shapes: Sequence[Array], words: Sequence[str]) -> list[Array]:
    """The centre of the number of each line.

    Parameters
    ----------
    layout : places of boxes.
    shapes : the curves of the lines.
    words : the numbers; empty ones take no room.

    Returns
    -------
    One point a line, in inches of the layout.
    """
    lines = [sampled(shape) for shape in shapes]
    taken: list[tuple[Array, Array]] = []
    places = []
    for i, (line, word) in enumerate(zip(lines, words, strict=True)):
        half = np.array([text_width([word], NUMBER_SIZE), NUMBER_SIZE / 72]) / 2 + _PAD
        others = np.concatenate([np.zeros((0, 2)), *lines[:i], *lines[i + 1 :]])
        points = [line[round(part * (len(line) - 1))] for part in _PARTS]
        costs = [_cost(point, half, layout, others, taken) for point in points]
        places.append(points[int(np.argmin(costs))])
        if word:
            taken.append((places[-1], half))
    return places


def _cost(
    point: Array, half: Array, layout: Layout, others: Array, taken: list[tuple[Array, Array]]
) -> float:
    """How much a number at a place would be in the way."""
    on_boxes = (np.abs(layout.points - point) < layout.sizes / 2 + half).all(axis=1).sum()
    on_numbers = sum(bool((np.abs(place - point) < half + its).all()) for place, its in taken)
    on_lines = (np.abs(others - point) < half).all(axis=1).sum()
    return float(_BOX * on_boxes + _NUMBER * on_numbers + _LINE * on_lines)
