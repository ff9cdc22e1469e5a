"""The legend of a graph: what widths, colours and heads mean, in as few words as will do.

Only what occurs is explained: a graph without a table of edges has no legend at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from arcwise.plot.axes import text_width
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
# Inches: height of a row, room above the legend, room of an item beside its text.
_ROW, _ABOVE, _SAMPLE = 0.18, 0.2, 0.55
# How much higher than wide a picture is whose legend goes beside it.
_TALL = 1.25


class Item(NamedTuple):
    """One sample line with its words."""

    words: str
    colour: str
    width: float
    dashed: bool = False


def items(lines: Sequence[Line], measure: Measure | None = None) -> list[Item]:
    """List what there is to explain about the lines of a picture, made by a measure."""
    found = []
    signs = {line.sign for line in lines}
    for sign in ("positive", "negative"):
        if sign in signs:
            words = f"{sign} partial correlation"
            found.append(Item(words, COLOURS[sign], 2.0, sign == "negative"))
    strengths = [line.strength for line in lines if line.strength is not None]
    seen = Measure(max(strengths, default=0.0)) if measure is None else measure
    sure = [line.certainty for line in lines if line.certainty is not None]
    for step in steps_of(strengths):
        dark = 1.0 if sure else ink(step, seen)
        shade, width = colour(COLOURS["unknown"], dark), line_width(step, seen.strongest)
        found.append(Item(f"strength {step:g} nats per row", shade, width))
    for step in (1.0, 0.5) if sure else ():
        words = f"{seen.meaning or 'certainty'} {step:g}"
        found.append(Item(words, colour(COLOURS["unknown"], sure_ink(step)), 2.0))
    return [*found, *_head_items(lines, seen, bool(sure))]


def _head_items(lines: Sequence[Line], measure: Measure, sure: bool) -> list[Item]:
    """What heads and lines without them mean."""
    heads, found = [line.arrow for line in lines], []
    some = any(heads) and not all(heads)
    if some or (sure and measure.directed and lines and not any(heads)):
        words = "under half support a direction" if sure else "either direction fits"
        found.append(Item(f"no head: {words}", COLOURS["unknown"], 1.3))
    if measure.unchecked and any(heads):
        found.append(Item("heads are unchecked: no certainty", COLOURS["unknown"], 0.0))
    return found


@dataclass(frozen=True)
class Legend:
    """A legend with its columns, and the inches it needs right of the picture or below it.

    `least` is the width and height that the picture must have for the legend to fit beside it.
    """

    items: list[Item]
    columns: int = 1
    right: float = 0.0
    below: float = 0.0
    least: Size = (0.0, 0.0)

    def around(self, extent: Size) -> Size:
        """Width and height of a picture together with its legend."""
        width, height = (max(pair) for pair in zip(extent, self.least, strict=True))
        return width + self.right, height + self.below


def plan(
    lines: Sequence[Line], extent: Size, axes: Size | None = None, measure: Measure | None = None
) -> Legend:
    """Decide where the legend goes and what room it needs.

    Parameters
    ----------
    lines : the lines of the picture.
    extent : width and height of the picture, inches.
    axes : width and height of the axes if they are given: the legend goes where it makes the
        picture shrink least. Otherwise beside a tall picture and below any other.
    measure : what their strengths are seen against; their own strongest if left out.
    """
    shown = items(lines, measure)
    if not shown:
        return Legend([])
    widest = text_width([each.words for each in shown], _FONT_SIZE) + _SAMPLE
    width, height = extent
    fitting = max(1, min(int(width / widest), 3))
    rows = -(-len(shown) // fitting)
    # As few columns as that many rows need: no column is left with a single item.
    columns = -(-len(shown) // rows)
    below = Legend(shown, columns, below=rows * _ROW + _ABOVE, least=(columns * widest, 0.0))
    beside = Legend(shown, right=widest + 0.2, least=(0.0, len(shown) * _ROW))
    if axes is None:
        return beside if height > _TALL * max(width, widest) else below
    return max((below, beside), key=lambda each: _scale(each, extent, axes))


def _scale(legend: Legend, extent: Size, axes: Size) -> float:
    """How large a picture with its legend can be on axes."""
    return min(room / need for room, need in zip(axes, legend.around(extent), strict=True))


def write_legend(axes: "Axes", legend: Legend, scale: float) -> None:
    """Put the legend at the edge of the axes that was kept free for it."""
    from matplotlib.lines import Line2D

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
        ncols=legend.columns,
        fontsize=_FONT_SIZE * scale,
        frameon=False,
        borderaxespad=0.9,
        handlelength=2.6,
        columnspacing=1.6,
        labelspacing=0.35,
    )
