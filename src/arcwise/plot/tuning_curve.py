"""The axis of penalties, and how a penalty was chosen: the rule's figure against it, and the edges below.

Where edges go one at a time, most go at small penalties: the axis is drawn by square roots, as it starts
at zero and the logarithm cannot. Penalties that were solved for lie evenly on a logarithm, and are drawn
so where they span more than a decade.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.plot.axes import PLAIN, entitle, pyplot, whole_numbers
from arcwise.plot.marks import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, float]]

_ABOVE = 1.15  # room above the edges
# Where the lower quarter of a curve takes more than this many times the room of all above it, it is cut.
_STEEP = 3.0


class _Figure(NamedTuple):
    """The figure of a rule: its column, the column of its error, and its name on the axis."""

    column: str
    error: str | None
    words: str


# Least space between two ticks, relative to the axis, and the space at its ends.
_APART, _SPARE = 0.11, 1.04
_DECADE = 10.0

_FIGURES = (
    _Figure("ebic", None, "EBIC"),
    _Figure("instability", None, "instability"),
    _Figure("mean", "loss_error", "log-likelihood of\nheld-out rows (nats per row)"),
)


def plot_tuning(
    rows: Rows, chosen: float, *, unit: str = "", ax: "Axes | None" = None, title: str | None = None
) -> "Axes":
    """Draw the figure by which a penalty was chosen, and the number of edges, against the penalty.

    The band of cross-validation is one standard error of the difference to the best penalty, row by
    row: "cv-1se" takes the largest penalty whose band reaches the best. Shifts of columns ("ric") have a
    penalty each; the smallest is taken.

    Parameters
    ----------
    rows : the curve, as `tuning` of a network holds it.
    chosen : the penalty that was taken.
    unit : of the penalties, for the axis.
    ax : the axes to draw on the rule's figure, alone; a new figure, with the edges below it, by default.
    title : a line above the figure.

    Returns
    -------
    matplotlib's axes of the rule's figure; nothing is shown on a screen.

    Raises
    ------
    FitError : there is no curve.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> rows = [{"penalty": 0.4, "edges": 0, "ebic": -9.0}, {"penalty": 0.2, "edges": 2, "ebic": -7.0}]
    >>> plot_tuning(rows, 0.2).texts[0].get_text()
    'penalty 0.2, 2 edges'
    """
    if not rows:
        raise FitError(
            "The network has no tuning curve: its penalty was given, or it has none, or the choice "
            "stopped early."
        )
    figure = next(
        (candidate for candidate in _FIGURES if any(candidate.column in row for row in rows)), None
    )
    ordered = sorted(rows, key=lambda row: row["penalty"])
    below = None
    if ax is None:
        ax, below = _panels(edges=figure is not None)
    if figure is None:
        _draw_turns(ax, ordered)
    else:
        _draw_figure(ax, ordered, figure)
    if below is not None:
        _draw_edges(below, ordered, chosen)
    lowest = ax if below is None else below
    penalties = [row["penalty"] for row in ordered]
    set_penalties(lowest, penalties, unit=unit, grid=min(penalties) > 0)
    _mark(ax, ordered, figure, chosen)
    entitle(ax, title)
    return ax


def _panels(edges: bool) -> "tuple[Axes, Axes | None]":
    """Return a panel for the rule's figure and, below it, a lower one for the edges."""
    plt = pyplot()
    if not edges:
        return plt.subplots(figsize=(5.0, 2.2), layout="constrained")[1], None
    _, (above, below) = plt.subplots(
        2, sharex=True, figsize=(5.0, 4.0), layout="constrained", height_ratios=(2.4, 1.0)
    )
    return above, below


def _draw_figure(axes: "Axes", rows: Rows, figure: _Figure) -> None:
    """Return the curve, with its band, and the line that it is read against."""
    measured = [row for row in rows if figure.column in row]
    xs, ys = [row["penalty"] for row in measured], [row[figure.column] for row in measured]
    if figure.error is not None:
        errors = [row[figure.error] for row in measured]
        low = [y - error for y, error in zip(ys, errors, strict=True)]
        high = [y + error for y, error in zip(ys, errors, strict=True)]
        axes.fill_between(xs, low, high, color=COLOURS["positive"], alpha=0.2, linewidth=0)
        axes.axhline(max(ys), color=COLOURS["unknown"], linewidth=0.8, linestyle="--")
    axes.plot(xs, ys, marker=".", markersize=5, linewidth=1.4, color=COLOURS["positive"])
    allowed = rows[0].get("allowed")
    if allowed is not None:
        axes.axhline(allowed, color=COLOURS["unknown"], linewidth=0.8, linestyle="--")
    axes.set_ylabel(figure.words, **PLAIN)
    axes.margins(y=0.12)
    if figure.column != "instability":
        _cut_below(axes, xs, ys)
    axes.spines[["top", "right"]].set_visible(False)


def _cut_below(axes: "Axes", penalties: Sequence[float], heights: Sequence[float]) -> None:
    """Cut the axis below the best values: penalties far below leave the figure, with an arrow for each."""
    best, quarter = max(heights), sorted(heights)[len(heights) // 4]
    room = best - quarter
    if not best - min(heights) > _STEEP * room > 0:
        return
    bottom = quarter - 0.3 * room
    axes.set_ylim(bottom, best + 0.2 * room)
    gone = [x for x, height in zip(penalties, heights, strict=True) if height < bottom]
    axes.plot(
        gone,
        [0.03] * len(gone),
        "v",
        markersize=4,
        color=COLOURS["positive"],
        transform=axes.get_xaxis_transform(),
        gid="below the picture",
    )


def _draw_turns(axes: "Axes", rows: Rows) -> None:
    """Draw a stroke for the penalty of each shift, which has no other figure."""
    axes.eventplot([row["penalty"] for row in rows], colors=COLOURS["positive"], linewidths=1.2)
    axes.set_ylim(0.4, 2.0)
    axes.set_yticks([])
    axes.set_title(
        "for each shift of the columns, the smallest penalty without edges", loc="right", fontsize=9
    )
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_edges(axes: "Axes", rows: Rows, chosen: float) -> None:
    xs, ys = [row["penalty"] for row in rows], [row["edges"] for row in rows]
    axes.plot(xs, ys, marker=".", markersize=4, linewidth=1.2, color=COLOURS["unknown"])
    axes.axvline(chosen, color=COLOURS["negative"], linewidth=0.9, linestyle=":")
    axes.set_ylim(0.0, max(1.0, _ABOVE * max(ys)))
    axes.yaxis.set_major_locator(whole_numbers(4))
    axes.set_ylabel("edges")
    axes.spines[["top", "right"]].set_visible(False)


def _mark(axes: "Axes", rows: Rows, figure: _Figure | None, chosen: float) -> None:
    """Draw a dot at the chosen penalty, with a label."""
    colour = COLOURS["negative"]
    axes.axvline(chosen, color=colour, linewidth=0.9, linestyle=":")
    row = next((row for row in rows if row["penalty"] == chosen), {})
    height = 1.0 if figure is None else row.get(figure.column)
    if height is not None:
        axes.plot(chosen, height, "o", color=colour, markersize=6)
    words = f"penalty {chosen:.3g}"
    if "edges" in row:
        edges = float(f"{row['edges']:.3g}")
        mean = " on average" if figure is not None and figure.error else ""  # of the folds
        words += f", {edges:g} edge{'s' * (edges != 1)}{mean}"
    pixel = axes.transData.transform((chosen, axes.get_ylim()[0]))
    right = bool(axes.transAxes.inverted().transform(pixel)[0] > 0.5)
    axes.annotate(
        words,
        (chosen, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if right else 5, -1),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top",
        fontsize=9,
        color=colour,
        **PLAIN,
    )


# -- the axis of penalties -------------------------------------------------------------------------


def set_penalties(
    axes: "Axes", penalties: Iterable[float], *, unit: str, grid: bool, linear: bool = False
) -> None:
    """Set the scale of the axis of penalties, round ticks without overlap, its ends and its name.

    Parameters
    ----------
    axes : matplotlib's.
    penalties : all that must be on it.
    unit : of the penalties; empty if unknown.
    grid : whether they were solved for one at a time.
    linear : whether to draw even steps.
    """
    axes.set_xlabel(f"penalty ({unit})" if unit else "penalty", **PLAIN)
    finite = [penalty for penalty in penalties if 0 <= penalty < np.inf]
    far = max((penalty for penalty in finite if penalty > 0), default=1.0)
    near = min(finite, default=0.0)
    if linear or (grid and near > 0 and far <= _DECADE * near):
        axes.set_xlim(0.0, far * _SPARE)
    elif grid and near > 0:
        _by_logarithms(axes, near, far)
    else:
        axes.set_xscale("function", functions=(_root, np.square))
        _set_ticks(axes, [0.0, *_spread(_round(far / 100, far), lambda x: np.sqrt(x / far))])
        axes.set_xlim(0.0, far * _SPARE)


def _by_logarithms(axes: "Axes", near: float, far: float) -> None:
    from matplotlib.ticker import NullLocator

    spare = (far / near) ** (_SPARE - 1)
    low, high = near / spare, far * spare
    axes.set_xscale("log")
    # Powers of ten first, then others that fit between them.
    ticks = sorted(_round(low, high), key=lambda x: not np.isclose(np.log10(x) % 1, (0, 1)).any())
    wide = np.log(high / low)
    _set_ticks(axes, sorted(_spread(ticks, lambda x: float(np.log(x / low) / wide), ends=False)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(low, high)


def _set_ticks(axes: "Axes", ticks: list[float]) -> None:
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _root(x: NDArray[np.float64]) -> NDArray[np.float64]:
    # matplotlib also asks for places left of the axis
    return np.sqrt(np.maximum(x, 0.0))


def _round(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten between two numbers, the largest first."""
    powers = range(int(np.floor(np.log10(high))), int(np.floor(np.log10(low))) - 1, -1)
    numbers = (float(f"{digit}e{power}") for power in powers for digit in (5, 2, 1))
    return [number for number in numbers if low <= number <= high]


def _spread(
    ticks: Iterable[float], position: Callable[[float], float], ends: bool = True
) -> list[float]:
    """Return those ticks that fit, the first ones with priority. `ends` keeps the origin clear."""
    kept: list[float] = []
    for tick in ticks:
        taken = [position(other) for other in kept] + [0.0] * ends
        if all(abs(position(tick) - other) > _APART for other in taken):
            kept.append(tick)
    return sorted(kept)
