"""Graphs as SVG: boxes with names, and lines between them, at given positions.

It has no scripts. Names are escaped. Boxes and names have the colour of the text around them, and lines have
colours that can be read on white and on black, so that the figure is light or dark with its page.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

Point = Sequence[float]

UNIT = 96
"""Pixels to an inch."""

COLOURS = {"positive": "#2f86d1", "negative": "#dd6a1f", "unknown": "currentColor"}
"""Colours of lines by their sign."""

FONT_SIZE = 10
"""Points."""


MOST_TITLE = 300
"""Letters that are shown under the mouse."""


class Box(NamedTuple):
    """A node: its centre and size in inches, y growing upwards, the lines of its label, and its name."""

    centre: Point
    size: Point
    lines: Sequence[str]
    name: str


class Stroke(NamedTuple):
    """A line of the graph.

    Parameters
    ----------
    points : of cubic Bezier pieces, inches: the start, and three for each piece.
    head : the corners of an arrow head; none if there is none.
    width : points.
    sign : "positive", "negative" (dashed) or "unknown".
    ink : how dark it is, from 0 to 1.
    title : shown under the mouse.
    """

    points: Sequence[Point]
    head: Sequence[Point] = ()
    width: float = 1.3
    sign: str = "unknown"
    ink: float = 1.0
    title: str = ""


def svg(size: Point, boxes: Sequence[Box], strokes: Sequence[Stroke], title: str = "") -> str:
    """Draw a graph.

    Parameters
    ----------
    size : width and height of all in inches.
    boxes, strokes : the boxes and lines; later strokes are above earlier ones.
    title : a description of the figure, for screen readers.

    >>> text = svg((1, 1), [Box((0.5, 0.5), (0.8, 0.3), ["<a>"], "<a>")], [])
    >>> "&lt;a&gt;</text>" in text, "<a>" in text
    (True, False)
    """
    margin = 6
    wide, high = (round(length * UNIT) + 2 * margin for length in size)
    place = f"translate({margin} {high - margin})"
    parts = [*(_stroke(each) for each in strokes), *(_box(each) for each in boxes)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" width="{wide}" '
        f'height="{high}" viewBox="0 0 {wide} {high}" style="max-width:100%;height:auto" '
        f'font-family="system-ui,sans-serif" font-size="{FONT_SIZE / 72 * UNIT:.4g}" fill="none">'
        f'<g transform="{place}">{"".join(parts)}</g></svg>'
    )


def _at(point: Point) -> str:
    return f"{point[0] * UNIT:.1f} {-point[1] * UNIT:.1f}"


def _stroke(line: Stroke) -> str:
    colour, ink = COLOURS[line.sign], f"{max(line.ink, 0.2):.2g}"
    wide = line.width / 72 * UNIT
    curve = f"M{_at(line.points[0])}C{' '.join(map(_at, line.points[1:]))}"
    dashes = f' stroke-dasharray="{3 * wide + 3:.1f} {wide + 3:.1f}"' * (line.sign == "negative")
    path = f'<path d="{curve}" stroke="{colour}" stroke-width="{wide:.2f}"{dashes}/>'
    corners = ",".join(map(_at, line.head))
    head = f'<polygon points="{corners}" fill="{colour}"/>' if corners else ""
    return f'<g opacity="{ink}"><title>{escape(line.title[:MOST_TITLE])}</title>{path}{head}</g>'


def _box(box: Box) -> str:
    wide, high = (length * UNIT for length in box.size)
    x, y = box.centre[0] * UNIT, -box.centre[1] * UNIT
    leading = 1.25 * FONT_SIZE / 72 * UNIT
    first = y - leading * (len(box.lines) - 1) / 2
    texts = "".join(
        f'<text x="{x:.1f}" y="{first + leading * i:.1f}" dominant-baseline="central" '
        f'text-anchor="middle" fill="currentColor">{escape(line)}</text>'
        for i, line in enumerate(box.lines)
    )
    frame = (
        f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" '
        'rx="5" stroke="currentColor" stroke-opacity=".45"/>'
    )
    return f"<g><title>{escape(box.name[:MOST_TITLE])}</title>{frame}{texts}</g>"
