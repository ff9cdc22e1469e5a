"""Drawing of graphs: lines as smooth curves from box to box, with numbers.

In layers a line leaves its box below and arrives from above. Lines that share a box get places side
by side on its edge (*ports*), in the order of where they come from: heads do not lie on each other.
Between its points a line is a cubic in y whose slopes follow Fritsch and Carlson (1980): it
never swings out beyond the points it joins, so it keeps clear of the boxes it was led around.

Curves are control points of cubic Bezier pieces, shape (1 + 3 pieces, 2).

A number lies on its line, in the middle if there it is clear of boxes, of other numbers and of other
lines; otherwise at the place along the line that is in the way of least (as in Hofmann and Tresp 1997,
fig. 4).

Lengths are inches of the layout. On axes of another size everything shrinks alike, names too, so that
nothing is cut off or overlaps that did not before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.plot.axes import FONT_SIZE, PLAIN, pyplot, text_width
from arcwise.plot.layout import Layout
from arcwise.plot.legend import Legend
from arcwise.plot.marks import COLOURS, Line, colour, dashes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
# Inches between two ports besides their heads; part of a box that ports may use.
_PORT, _USED = 0.05, 0.82
# Part of the straight line's slope that remains at the ends of a line: 0 leaves boxes vertically.
_LEAN = 0.45
# Inches that a line keeps from boxes that are not its own.
_CLEAR = 0.03


def curves(layout: Layout, widths: Array | None = None) -> list[Array]:
    """Return the curve of every line of a layout.

    Parameters
    ----------
    layout : places of boxes and lines.
    widths : width of the head of each line on the edge of a box, inches; 0.09 by default.

    Examples
    --------
    >>> from arcwise.graphs import DAG
    >>> from arcwise.plot.layout import arrange
    >>> [curve.shape for curve in curves(arrange(DAG.from_arcs(["a -> b"])))]
    [(4, 2)]
    """
    if not layout.upright:
        return [_between(layout, i) for i in range(len(layout.lines))]
    routes = [np.array(route) for route in layout.routes]
    _to_ports(layout, routes, np.full(len(routes), 0.09) if widths is None else widths)
    return [_clear(layout, line, route) for line, route in enumerate(routes)]


def shorten(curve: Array, length: float) -> Array:
    """Draw the end of a curve back along its last direction, to make room for a head.

    Examples
    --------
    >>> shorten(np.array([[0.0, 3.0], [0.0, 2.0], [0.0, 1.0], [0.0, 0.0]]), 0.5)[-1].tolist()
    [0.0, 0.5]
    """
    out = curve.copy()
    out[-2:] -= length * direction(curve)
    return out


def direction(curve: Array) -> Array:
    """Return the unit vector in which a curve ends."""
    step = curve[-1] - curve[-2]
    return np.asarray(step / max(float(np.hypot(*step)), 1e-12))


def _to_ports(layout: Layout, routes: list[Array], widths: Array) -> None:
    """Move the ends of all routes, in place, from centres to ports on the edges of the boxes."""
    ports: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for line, route in enumerate(routes):
        for end, inner in ((0, 1), (-1, -2)):
            above = bool(route[inner, 1] > route[end, 1])
            node = layout.lines[line][end]
            ports.setdefault((node, above), []).append((float(route[inner, 0]), line, end))
    for (node, above), ends in ports.items():
        width, height = layout.sizes[node]
        ends.sort()
        shifts = _side_by_side(widths[[line for _, line, _ in ends]], _USED * width)
        for shift, (_, line, end) in zip(shifts, ends, strict=True):
            routes[line][end] += (shift, height / 2 if above else -height / 2)


def _side_by_side(widths: Array, room: float) -> Array:
    """Return the centres of heads set side by side around zero, closer if space is scarce."""
    steps = (widths[1:] + widths[:-1]) / 2 + _PORT
    offsets = np.concatenate([[0.0], np.cumsum(steps)])
    part = min(1.0, room / offsets[-1]) if offsets[-1] > 0 else 1.0
    return np.asarray(part * (offsets - offsets[-1] / 2))


def _clear(layout: Layout, line: int, route: Array) -> Array:
    """Return a smooth curve; if it would touch a box, it passes that box's layer vertically."""
    met: list[int] = []
    while True:
        shape = _smooth(_route_past_boxes(layout, met, route, layout.routes[line][:, 1]))
        more = [node for node in _boxes_met(shape, layout, layout.lines[line]) if node not in met]
        if not more:
            return shape
        met += more


def _route_past_boxes(layout: Layout, met: list[int], route: Array, centres: Array) -> Array:
    """Return a route with a second point in each layer where it met boxes: one before them, one after."""
    way = np.sign(route[-1, 1] - route[0, 1])
    points: list[Array] = []
    for i, (point, centre) in enumerate(zip(route, centres, strict=True)):
        same = np.abs(layout.points[met, 1] - centre) < 1e-6
        half = float((layout.sizes[met, 1][same] / 2 + _CLEAR).max(initial=0.0))
        if half <= abs(point[1] - centre):
            points.append(point)
            continue
        before, after = (np.array([point[0], centre + side * way * half]) for side in (-1, 1))
        points.append(point if i == 0 else before)
        points.append(point if i == len(route) - 1 else after)
    return np.array(points)


def _boxes_met(curve: Array, layout: Layout, ends: tuple[int, int]) -> list[int]:
    """Boxes that a curve touches, its own two left out."""
    points = sample_curve(curve)
    inside = np.abs(points[:, None] - layout.points[None]) < layout.sizes / 2 + _CLEAR
    hit = inside.all(axis=2).any(axis=0)
    return [int(node) for node in np.flatnonzero(hit) if node not in ends]


def sample_curve(curve: Array, count: int = 24) -> Array:
    """Return points on a curve, this many for each of its pieces.

    Examples
    --------
    >>> sample_curve(np.array([[0.0, 3.0], [0.0, 2.0], [0.0, 1.0], [0.0, 0.0]]), 2).tolist()
    [[0.0, 3.0], [0.0, 0.0]]
    """
    t = np.linspace(0, 1, count)[:, None]
    pieces = [curve[i : i + 4] for i in range(0, len(curve) - 1, 3)]
    weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
    return np.concatenate(
        [sum(w * p for w, p in zip(weights, piece, strict=True)) for piece in pieces]
    )


def _smooth(route: Array) -> Array:
    """Join points that follow each other downwards (or upwards) by cubics in y."""
    steps = np.diff(route, axis=0)
    chords = steps[:, 0] / steps[:, 1]
    inner = [_between_slopes(a, b) for a, b in pairwise(chords)]
    slopes = np.array([_LEAN * chords[0], *inner, _LEAN * chords[-1]])
    tangents = np.column_stack([slopes, np.ones(len(slopes))])
    third = steps[:, 1:] / 3
    out = [route[:1]]
    for i in range(len(steps)):
        after = route[i] + third[i] * tangents[i]
        before = route[i + 1] - third[i] * tangents[i + 1]
        out.append(np.array([after, before, route[i + 1]]))
    return np.concatenate(out)


def _between_slopes(one: float, two: float) -> float:
    """Return the harmonic mean of two slopes of the same sign, else level."""
    return 2 * one * two / (one + two) if one * two > 0 else 0.0


def _between(layout: Layout, line: int) -> Array:
    """Return a straight or once bent line, cut off at the boxes of its two ends."""
    route = layout.routes[line]
    one, two = route[0], route[-1]
    pull = 2 * route[1] - (one + two) / 2 if len(route) == 3 else (one + two) / 2
    start = _edge(one, pull, layout.sizes[layout.lines[line][0]])
    end = _edge(two, pull, layout.sizes[layout.lines[line][1]])
    return np.array([start, start + 2 / 3 * (pull - start), end + 2 / 3 * (pull - end), end])


def _edge(centre: Array, towards: Array, size: Sequence[float] | Array) -> Array:
    """Return the point at which the straight line from the centre of a box leaves the box."""
    step = towards - centre
    part = np.min(np.asarray(size) / 2 / np.maximum(np.abs(step), 1e-12))
    return np.asarray(centre + min(part, 1.0) * step)


# -- numbers at lines ----------------------------------------------------------------------------

NUMBER_SIZE = 7.5
"""Points."""

# Inches around a number; possible positions along a line, the best first.
_PAD = 0.03
_PARTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
# Costs of a number that overlaps a box, another number, or a line.
_BOX, _NUMBER, _LINE = 100.0, 30.0, 1.0


def format_strength(strength: float | None) -> str:
    """Return a strength with few digits; nothing if it is not known.

    Examples
    --------
    >>> [format_strength(x) for x in (0.3124, 0.01, 12.34, 0.0002, None)]
    ['0.31', '0.01', '12', '0.0002', '']
    """
    if strength is None:
        return ""
    return f"{strength:.0f}" if strength >= 10 else f"{float(f'{strength:.2g}'):g}"


def number_places(layout: Layout, shapes: Sequence[Array], words: Sequence[str]) -> list[Array]:
    """Return the centre of the number of each line.

    Parameters
    ----------
    layout : places of boxes.
    shapes : the curves of the lines.
    words : the numbers; empty ones take no space.

    Returns
    -------
    One point per line, in inches of the layout.
    """
    lines = [sample_curve(shape) for shape in shapes]
    numbers_so_far: list[tuple[Array, Array]] = []
    centres = []
    for i, (line, word) in enumerate(zip(lines, words, strict=True)):
        half = np.array([text_width([word], NUMBER_SIZE), NUMBER_SIZE / 72]) / 2 + _PAD
        others = np.concatenate([np.zeros((0, 2)), *lines[:i], *lines[i + 1 :]])
        points = [line[round(part * (len(line) - 1))] for part in _PARTS]
        costs = [_cost(point, half, layout, others, numbers_so_far) for point in points]
        centres.append(points[int(np.argmin(costs))])
        if word:
            numbers_so_far.append((centres[-1], half))
    return centres


def _cost(
    point: Array,
    half: Array,
    layout: Layout,
    others: Array,
    numbers_so_far: list[tuple[Array, Array]],
) -> float:
    """Return the cost of a number at a position."""
    on_boxes = (np.abs(layout.points - point) < layout.sizes / 2 + half).all(axis=1).sum()
    on_numbers = sum(
        bool((np.abs(centre - point) < half + its).all()) for centre, its in numbers_so_far
    )
    on_lines = (np.abs(others - point) < half).all(axis=1).sum()
    return float(_BOX * on_boxes + _NUMBER * on_numbers + _LINE * on_lines)


# -- drawing ------------------------------------------------------------------------------------

# Inches around the figure and above it for a title; smallest and greatest side of a figure.
_MARGIN, _TITLE = 0.12, 0.34
_SMALLEST, _LARGEST = (2.4, 0.8), (24.0, 18.0)
_TITLE_SIZE = 11.0
# Small figures are not blown up further than this on large axes.
_MAGNIFIED = 1.3
_INK, _PALE = "#222222", "#9A9A9A"
_FILL = {"target": "#F0E442", "blanket": "#FBF6C3", "other": "#FFFFFF"}


@dataclass(frozen=True)
class Picture:
    """A graph to draw: positions, names, lines, and the role of each node."""

    layout: Layout
    nodes: tuple[str, ...]
    labels: list[str]
    lines: list[Line]
    roles: list[str]


def draw_picture(axes: "Axes", picture: Picture, scale: float, numbers: bool = False) -> None:
    """Draw lines, boxes and names, and strengths if requested."""
    shapes = _draw_lines(axes, picture, scale)
    _draw_boxes(axes, picture, scale)
    if numbers:
        _draw_numbers(axes, picture, shapes, scale)


def fit_axes(
    extent: tuple[float, float], legend: Legend, ax: "Axes | None", title: str | None
) -> "tuple[Axes, float]":
    """Return axes in inches of the layout, and the scale of the figure."""
    need = np.array(legend.around(extent)) + 2 * _MARGIN
    axes = _figure(need[0], need[1], title) if ax is None else ax
    real = np.array(inches(axes))
    scale = float(min(*(real / need), _MAGNIFIED))
    room = real / scale
    # The figure is centred in the space that the legend leaves.
    left = (room[0] - legend.right - extent[0]) / 2
    below = (room[1] - legend.below - extent[1]) / 2 + legend.below
    axes.set_xlim(-left, room[0] - left)
    axes.set_ylim(-below, room[1] - below)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return axes, scale


def inches(axes: "Axes") -> tuple[float, float]:
    """Return the width and height of axes."""
    box = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    return box.width, box.height


def _figure(width: float, height: float, title: str | None) -> "Axes":
    """Return a figure that suits the drawing and its title."""
    if title is not None:
        width = max(width, text_width(title.split("\n"), _TITLE_SIZE) + 2 * _MARGIN)
    above = _TITLE + 0.2 * (title or "").count("\n")
    wide = float(np.clip(width, _SMALLEST[0], _LARGEST[0]))
    high = float(np.clip(height, _SMALLEST[1], _LARGEST[1])) + above
    figure: Figure = pyplot().figure(figsize=(wide, high))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0 - above / high))


def _draw_lines(axes: "Axes", picture: Picture, scale: float) -> list[Array]:
    """Draw weak lines first; each has a white rim, so that crossings stay clear. Gives the curves."""
    widths = np.array([2 * half_head(line.width) for line in picture.lines])
    shapes = curves(picture.layout, widths)
    order = sorted(
        range(len(shapes)), key=lambda i: (_in_focus(picture, i), picture.lines[i].width)
    )
    for depth, i in enumerate(order):
        _draw_line(axes, picture, i, shapes[i], scale, 1 + depth / (len(order) + 1))
    return shapes


def _draw_line(
    axes: "Axes", picture: Picture, i: int, curve: Array, scale: float, depth: float
) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    line = picture.lines[i]
    names = f"{picture.nodes[line.tail]} -> {picture.nodes[line.head]}"
    shade = colour(COLOURS[line.sign], line.ink) if _in_focus(picture, i) else "#D0D0D0"
    end = colour(COLOURS[line.sign], line.head_ink) if _in_focus(picture, i) else shade
    width = line.width * scale
    if line.arrow:
        corners, length = arrow_head(curve, line.width)
        axes.add_patch(Polygon(corners, color=end, linewidth=0, zorder=depth, gid=f"head {names}"))
        curve = shorten(curve, length)
    way = Path(curve, [Path.MOVETO] + [Path.CURVE4] * (len(curve) - 1))
    style: dict[str, Any] = {"facecolor": "none", "zorder": depth, "capstyle": "butt"}
    rim = width + 1.6 * scale
    axes.add_patch(PathPatch(way, edgecolor="white", linewidth=rim, **style))
    patch = PathPatch(way, edgecolor=shade, linewidth=width, gid=f"line {names}", **style)
    if line.sign == "negative":
        patch.set_linestyle(dashes(line.width))
    axes.add_patch(patch)


def arrow_head(curve: Array, width: float) -> tuple[Array, float]:
    """Return the corners of an arrow head at the end of a curve, and how much of the line it takes."""
    length, half = (6.0 + 1.5 * width) / 72, half_head(width)
    along = direction(curve)
    aside = np.array([-along[1], along[0]])
    base = curve[-1] - length * along
    # The line ends inside the head, so that no space shows between them.
    return np.array([curve[-1], base + half * aside, base - half * aside]), 0.9 * length


def half_head(width: float) -> float:
    """Return half the breadth of the head of a line, inches."""
    return (2.0 + 0.9 * width) / 72


def _in_focus(picture: Picture, i: int) -> bool:
    """Return whether a line is inside the blanket of the target, or there is no target."""
    line = picture.lines[i]
    return "other" not in (picture.roles[line.tail], picture.roles[line.head])


def _draw_boxes(axes: "Axes", picture: Picture, scale: float) -> None:
    """Draw boxes and names above all lines."""
    from matplotlib.patches import FancyBboxPatch

    for i, (x, y) in enumerate(picture.layout.points):
        role, (width, height) = picture.roles[i], picture.layout.sizes[i]
        ink = _PALE if role == "other" else _INK
        box = FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=_FILL.get(role, "#FFFFFF"),
            edgecolor=ink,
            linewidth=(1.6 if role == "target" else 0.8) * scale,
            zorder=3,
            gid=f"box {picture.nodes[i]}",
        )
        axes.add_patch(box)
        text = axes.text(x, y, picture.labels[i], ha="center", va="center", **PLAIN)
        text.set(fontsize=FONT_SIZE * scale, color=ink, zorder=4, linespacing=1.15)


def _draw_numbers(axes: "Axes", picture: Picture, shapes: list[Array], scale: float) -> None:
    """Write strengths on their lines, on white."""
    words = [format_strength(line.strength) for line in picture.lines]
    rim = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    for i, (x, y) in enumerate(number_places(picture.layout, shapes, words)):
        if not words[i]:
            continue
        text = axes.text(x, y, words[i], ha="center", va="center", bbox=rim, **PLAIN)
        ink = _INK if _in_focus(picture, i) else _PALE
        text.set(fontsize=NUMBER_SIZE * scale, color=ink, zorder=2.5, gid=f"number {i}")
