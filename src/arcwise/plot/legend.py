"""Legends of graphs: the meaning of widths, colours and heads, and a caption.

Only what occurs is explained: a graph without a table of edges has no legend.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arcwise.plot.axes import PLAIN, text_width
from arcwise.plot.marks import (
    COLOURS,
    Line,
    Measure,
    colour,
    dashes,
    ink,
    line_width,
    steps_of,
    sure_ink,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Size = tuple[float, float]
_FONT_SIZE = 8.0
# Inches: height of a row, space above the legend, space between an item and its text.
_ROW, _ABOVE, _SAMPLE = 0.18, 0.2, 0.55
# Inches that a caption may be wide next to a narrower figure.
_CAPTION = 3.5
# Ratio of height to width above which a figure has its legend at its side.
_TALL = 1.25


class Item(NamedTuple):
    """One sample line with its label."""

    words: str
    colour: str
    width: float
    dashed: bool = False


def items(lines: Sequence[Line], measure: Measure | None = None) -> list[Item]:
    """Return the items of a legend for the lines of a figure, made by a measure."""
    shown = _sign_items(lines, measure is None or measure.directed)
    strengths = [line.strength for line in lines if line.strength is not None]
    seen = Measure(max(strengths, default=0.0)) if measure is None else measure
    sure = [line.certainty for line in lines if line.certainty is not None]
    for step in steps_of(strengths):
        dark = 1.0 if sure else ink(step, seen)
        shade, width = colour(COLOURS["unknown"], dark), line_width(step, seen.strongest)
        shown.append(Item(f"strength {step:g} nats per row", shade, width))
    for step in (1.0, 0.5) if sure else ():
        notion = "posterior probability" if seen.meaning == "posterior" else seen.meaning
        words = f"{notion or 'certainty'} {step:g}"
        shown.append(Item(words, colour(COLOURS["unknown"], sure_ink(step)), 2.0))
    return [*shown, *_head_items(lines, seen, bool(sure))]


def _sign_items(lines: Sequence[Line], directed: bool) -> list[Item]:
    """Return items for colours."""
    signs = {line.sign for line in lines}
    notion = "effect of the parent" if directed else "partial correlation"
    entries = [
        Item(f"{sign} {notion}", COLOURS[sign], 2.0, sign == "negative")
        for sign in ("positive", "negative")
        if sign in signs
    ]
    if entries and "unknown" in signs:
        entries.append(Item("no single sign", COLOURS["unknown"], 2.0))
    return entries


def _head_items(lines: Sequence[Line], measure: Measure, sure: bool) -> list[Item]:
    """Return items for heads and for lines without them."""
    heads, entries = [line.arrow for line in lines], []
    some = any(heads) and not all(heads)
    from_table = sure or any(line.strength is not None for line in lines)
    if some or (from_table and measure.directed and not any(heads)):
        words = "under half support a direction" if sure else "either direction fits"
        entries.append(Item(f"no head: {words}", COLOURS["unknown"], 1.3))
    if measure.unchecked and any(heads):
        entries.append(Item("heads are unchecked: no certainty", COLOURS["unknown"], 0.0))
    return entries


@dataclass(frozen=True)
class Legend:
    """A legend with its columns, and the inches it needs right of the figure or below it.

    `least` is the width and height that the figure must have for the legend to fit next to it; the lines of
    the caption are below all.
    """

    items: list[Item]
    columns: int = 1
    right: float = 0.0
    below: float = 0.0
    least: Size = (0.0, 0.0)
    caption: Sequence[str] = ()

    def around(self, extent: Size) -> Size:
        """Return the width and height of a figure together with its legend."""
        width, height = (max(pair) for pair in zip(extent, self.least, strict=True))
        return width + self.right, height + self.below


def plan(
    lines: Sequence[Line],
    extent: Size,
    axes: Size | None = None,
    measure: Measure | None = None,
    caption: str = "",
) -> Legend:
    """Return the position and the size of a legend.

    Parameters
    ----------
    lines : the lines of the figure.
    extent : width and height of the figure, inches.
    axes : width and height of the axes if they are given: the legend goes where it makes the
        figure shrink least. Otherwise next to a tall figure and below any other.
    measure : what their strengths are seen against; their own strongest by default.
    caption : a text below all.
    """
    return legend_of(items(lines, measure), extent, axes, caption)


def legend_of(
    shown: list[Item], extent: Size, axes: Size | None = None, caption: str = ""
) -> Legend:
    """Return the position of a legend of some items; parameters are those of `plan`."""
    if not shown:
        return _captioned(Legend([]), extent, caption)
    widest = text_width([each.words for each in shown], _FONT_SIZE) + _SAMPLE
    width, height = extent
    fitting = max(1, min(int(width / widest), 3))
    rows = -(-len(shown) // fitting)
    # As few columns as that many rows need: no column is left with a single item.
    columns = -(-len(shown) // rows)
    below = Legend(shown, columns, below=rows * _ROW + _ABOVE, least=(columns * widest, 0.0))
    beside = Legend(shown, right=widest + 0.2, least=(0.0, len(shown) * _ROW))
    below, beside = (_captioned(each, extent, caption) for each in (below, beside))
    if axes is None:
        return beside if height > _TALL * max(width, widest) else below
    return max((below, beside), key=lambda each: _scale(each, extent, axes))


def _captioned(legend: Legend, extent: Size, caption: str) -> Legend:
    """Return a legend with a caption below it, broken into lines as wide as the figure."""
    if not caption:
        return legend
    width = max(extent[0] + legend.right, legend.least[0], _CAPTION)
    letters = int(0.95 * width / text_width([caption], _FONT_SIZE) * len(caption))
    lines = textwrap.wrap(caption, max(letters, 20))
    least = max(legend.least[0], text_width(lines, _FONT_SIZE) - legend.right)
    below = legend.below + len(lines) * _ROW + _ABOVE / 2
    return replace(legend, caption=lines, below=below, least=(least, legend.least[1]))


def _scale(legend: Legend, extent: Size, axes: Size) -> float:
    """Return how large a figure with its legend can be on axes."""
    return min(room / need for room, need in zip(axes, legend.around(extent), strict=True))


def write_legend(axes: "Axes", legend: Legend, scale: float) -> None:
    """Draw the legend at the edge of the axes."""
    from matplotlib.lines import Line2D

    height = axes.get_window_extent().height / axes.figure.dpi / scale
    base = (len(legend.caption) * _ROW + _ABOVE / 2) / height if legend.caption else 0.0
    if legend.caption:
        text = axes.annotate(
            "\n".join(legend.caption), (0.5, 0.06 / height), xycoords="axes fraction", **PLAIN
        )
        text.set(ha="center", va="bottom", fontsize=_FONT_SIZE * scale, color="#444444")
    if not legend.items:
        return
    samples = []
    for item in legend.items:
        line = Line2D([], [], color=item.colour, linewidth=item.width * scale)
        line.set(solid_capstyle="butt", dash_capstyle="butt")
        if item.dashed:
            line.set_linestyle(dashes(item.width))
        samples.append(line)
    axes.legend(
        samples,
        [item.words for item in legend.items],
        loc="upper right" if legend.right else "lower center",
        bbox_to_anchor=(0.0, base, 1.0, 1.0 - base),
        ncols=legend.columns,
        fontsize=_FONT_SIZE * scale,
        frameon=False,
        borderaxespad=0.9,
        handlelength=2.6,
        columnspacing=1.6,
        labelspacing=0.35,
    )
