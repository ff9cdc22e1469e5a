"""Axes of small diagrams, labels of points, and names in boxes, measured before anything is drawn.

Names are plain text: a dollar sign or an underscore is never mathematics. A long name is broken after
spaces and hyphens; a very long one loses its middle. Labels of points do not overlap each other or the
drawing, and are inside the axes.
"""

import re
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import LibraryError
from arcwise.io.files import write_bytes
from arcwise.plot.layered import pool_violators

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

Array = NDArray[np.float64]
Ruler = Callable[[Sequence[str], float], float]

PICTURES = (".png", ".pdf", ".svg")
"""File extensions of figures."""


def pyplot() -> Any:
    """Return matplotlib's pyplot.

    Raises
    ------
    LibraryError : matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise LibraryError("A figure needs matplotlib: pip install 'arcwise[plot]'.") from None
    return plt


def diagram(
    ax: "Axes | None",
    inches: tuple[float, float] = (5.0, 3.0),
    bare: Sequence[str] = ("top", "right"),
) -> "Axes":
    """Return axes without a frame at some sides: the given ones, or those of a new figure."""
    axes = pyplot().subplots(figsize=inches, layout="constrained")[1] if ax is None else ax
    for side in bare:
        axes.spines[side].set_visible(False)
    return axes


def entitle(axes: "Axes", title: str | None) -> None:
    """Write a line above a diagram, if there is one."""
    if title is not None:
        axes.set_title(title, loc="left", fontsize=10, **PLAIN)


def whole_numbers(most: int = 9) -> "Locator":
    """Return ticks at integers, for counts; about this many at most."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, integer=True, min_n_ticks=1, steps=(1, 2, 5, 10))


def save_picture(draw: Callable[[], Any], path: Path) -> None:
    """Draw axes, or several of one figure, and write the figure completely or not at all.

    The file extension decides on the format.

    Raises
    ------
    LibraryError : matplotlib is not installed.
    FileError : the file cannot be written.
    """
    plt = pyplot()
    drawn = draw()
    axes = drawn[0] if isinstance(drawn, list) else drawn
    content = BytesIO()
    kind = Path(path.name.lower().removesuffix(".gz")).suffix.lstrip(".")
    axes.figure.savefig(content, format=kind, dpi=150, bbox_inches="tight")
    plt.close(axes.figure)
    write_bytes(path, content.getvalue())


# -- texts ----------------------------------------------------------------------------------------


FONT_SIZE = 10.0
"""Points; the size for which a layout is made."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Options of texts without mathematics."""

# Letters a line, and letters a name may have before its middle is left out.
_LINE, _LONGEST = 18, 72
# Inches between text and box at the sides, above and below; smallest width of a box.
_PAD, _NARROWEST = (0.09, 0.07), 0.42
# Inches of box for each line that ends there, and how far that may widen a box.
_PORT, _WIDENED = 0.13, 2.0
_LEADING = 1.25


def label(name: str) -> str:
    r"""Break a name into lines that fit a box.

    Examples
    --------
    >>> label("total_sulfur_dioxide_of_the_wine")
    'total_sulfur_\ndioxide_of_the_\nwine'
    """
    text = "".join(letter if letter.isprintable() else " " for letter in name).strip() or "·"
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    lines = [""]
    for part in _parts(text):
        if lines[-1] and len((lines[-1] + part).rstrip()) > _LINE:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines if line.strip())


def short(name: object, letters: int = 28) -> str:
    """Return a name in one line, without its middle if it is long.

    Examples
    --------
    >>> short("total_sulfur_dioxide_of_the_wine_in_mg", 20)
    'total_sulf…ine_in_mg'
    """
    text = "".join(letter if letter.isprintable() else " " for letter in str(name)).strip() or "·"
    half = letters // 2
    return text if len(text) <= letters else f"{text[:half]}…{text[-half + 1 :]}"


def _parts(text: str) -> list[str]:
    """Return the pieces after which a line may break; longer ones are cut to length."""
    words = re.findall(r"[^\s_.\-/:]*[\s_.\-/:]+|[^\s_.\-/:]+", text)
    return [word[i : i + _LINE] for word in words for i in range(0, len(word), _LINE)]


def text_width(lines: Sequence[str], size: float) -> float:
    """Return the width of the longest of some lines, in inches, at a size in points."""
    pyplot()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    ruler, font = TextToPath(), FontProperties(size=size)
    widths = [ruler.get_text_width_height_descent(line, font, ismath=False)[0] for line in lines]
    return float(max(widths)) / 72


def boxes(
    labels: Sequence[str], ends: Sequence[int] | None = None, width: Ruler = text_width
) -> Array:
    """Return the sizes of boxes for texts.

    Parameters
    ----------
    labels : the texts, broken into lines.
    ends : how many lines end at the same side of each box, where they need space.
    width : inches of lines of text in a size given in points.

    Returns
    -------
    Width and height of each box, inches.
    """
    sizes = np.zeros((len(labels), 2))
    for i, (text, count) in enumerate(zip(labels, ends or [0] * len(labels), strict=True)):
        lines = text.split("\n")
        wide = width(lines, FONT_SIZE) + 2 * _PAD[0]
        high = len(lines) * _LEADING * FONT_SIZE / 72 + 2 * _PAD[1]
        sizes[i] = max(wide, _NARROWEST, min(_PORT * (count + 1), _WIDENED)), high
    return sizes


# -- labels of points -----------------------------------------------------------------------------


_NOTE_SIZE = 9.0
# Offsets in points from a point to its label; near ones are tried first. Labels right of their
# point are left-aligned, labels left of it right-aligned, others centred.
_ASIDE, _STEPS = 6.0, (4.0, -14.0, 17.0, -27.0, 30.0, -40.0, 43.0, 56.0)
_SIDES = {"left": _ASIDE, "right": -_ASIDE, "center": 0.0}
_HEIGHT, _FARTHER = 11.0, 0.6
# Costs of labels that overlap labels, leave the axes, or hide a drawn point.
_ON_WORDS, _OUTSIDE, _HIDING = 50.0, 50.0, 1.0


def write_beside(
    axes: "Axes", notes: Sequence[tuple[str, tuple[float, float]]], drawn: Array, colour: str
) -> None:
    """Write labels next to points.

    Parameters
    ----------
    axes : matplotlib's, with their final limits.
    notes : labels and their points.
    drawn : points that are drawn already, in the units of the axes.
    colour : colour of the labels.
    """
    from matplotlib.patheffects import withStroke

    if not notes:
        return
    points = pixels(axes, np.array([point for _, point in notes], dtype=float))
    busy = np.concatenate([pixels(axes, drawn), points])
    used_boxes: list[Array] = []
    for (words, xy), point in zip(notes, points, strict=True):
        side, step, box = _best(axes, words, point, busy, used_boxes)
        used_boxes.append(box)
        # Labels far from their point are connected with it.
        thin = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        place_of: dict[str, Any] = {"xytext": (_SIDES[side], step), "textcoords": "offset points"}
        arrow = thin if step not in _STEPS[:2] else None
        text = axes.annotate(words, xy, **place_of, arrowprops=arrow, **PLAIN)
        text.set(ha=side, va="bottom", fontsize=_NOTE_SIZE, color=colour, annotation_clip=False)
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def pixels(axes: "Axes", points: Array) -> Array:
    """Return points of axes as pixels of the figure, after its layout."""
    figure = axes.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    return np.asarray(axes.transData.transform(points.reshape(-1, 2)))


def _best(
    axes: "Axes", words: str, point: Array, busy: Array, used_boxes: list[Array]
) -> tuple[str, float, Array]:
    """Return the side and the height of a label with the least overlap, and its box."""
    pixel = axes.figure.dpi / 72
    wide = text_width([words], _NOTE_SIZE) * axes.figure.dpi
    frame = axes.get_window_extent()
    candidates = []
    for order, step in enumerate(_STEPS):
        for side, aside in _SIDES.items():
            start = {"left": 0.0, "right": wide, "center": wide / 2}[side]
            corner = point + np.array([pixel * aside - start, pixel * step])
            box = np.concatenate([corner, corner + np.array([wide, _HEIGHT * pixel])])
            beyond = box[1] < frame.y0 + 2 * pixel or box[3] > frame.y1
            outside = box[0] < frame.x0 or box[2] > frame.x1 or beyond
            hiding = ((busy > box[:2] - pixel) & (busy < box[2:] + pixel)).all(axis=1).sum()
            on_words = sum(_meet(box, other) for other in used_boxes)
            cost = _OUTSIDE * outside + _ON_WORDS * on_words + _HIDING * hiding
            candidates.append((float(cost) + _FARTHER * order, side, step, box))
    _, side, step, box = min(candidates, key=lambda each: each[0])
    return side, step, box


def _meet(one: Array, two: Array) -> bool:
    return bool((one[:2] < two[2:]).all() and (two[:2] < one[2:]).all())


def spread_out(positions: Sequence[float], apart: float) -> list[float]:
    """Return positions on a line moved as little as needed to be `apart`, in the same order.

    Examples
    --------
    >>> spread_out([5.0, 1.0, 1.0], 1.0)
    [5.0, 0.5, 1.5]
    """
    if not positions:
        return []
    order = np.argsort(positions, kind="stable")
    shifts = apart * np.arange(len(positions))
    moved = np.empty(len(positions))
    moved[order] = (
        pool_violators(np.array(positions)[order] - shifts, np.ones(len(positions))) + shifts
    )
    return [float(position) for position in moved]
