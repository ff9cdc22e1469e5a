"""Partial correlations of edges against the penalty, along the graphical lasso.

A line starts at zero where its edge comes in, and grows as the penalty falls. Lines join what was solved
for: partial correlations are continuous in the penalty, unlike numbers of edges. The strongest have
colours and names at their ends, the others are thin and grey.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.plot.axes import PLAIN, entitle, small_axes, text_width
from arcwise.plot.beside import pixels, spread_out, write_beside
from arcwise.plot.penalty_axis import At, Mark, Priced, labels_of, marks_of, set_penalties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
# Colours that people who do not tell red from green can tell apart (Okabe and Ito 2008), dark ones first.
_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7F4FA0",
)  # fmt: skip
_GREY, _MARK = "#BDBDBD", "#555555"
_SIZE, _LEADING = 8.5, 11.0
# Inches of a figure of its own, names not counted; room above and below the lines, as a part of what
# they span.
_FIGURE, _SPARE = (5.0, 3.9), 0.1


def plot_edge_path(
    path: Priced,
    *,
    at: At = (),
    top: int = len(_COLOURS),
    ax: "Axes | None" = None,
    linear: bool = False,
    title: str | None = None,
) -> "Axes":
    """Draw the partial correlation of each edge against the penalty.

    Parameters
    ----------
    path : a path of the graphical lasso, such as ``aw.path(table, search="glasso")``.
    at : penalties to mark: one, several, or a mapping of labels to penalties.
    top : how many edges get a colour and their names, those with the largest partial correlations.
    ax : where to draw; a new figure if left out. Names stand left of the axes: give figures of your own
        ``layout="constrained"``, which leaves room for them.
    linear : even steps on the axis of penalties, else logarithms where they span more than a decade.
    title : a line above the picture.

    Returns
    -------
    matplotlib's axes; nothing is shown on a screen. Names stand left, where the penalty is smallest,
    and the scale of partial correlations right.

    Raises
    ------
    FitError : the path has no partial correlations, or a penalty to mark is out of its reach.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.graphs import UGraph
    >>> from arcwise.results import Knot, Path
    >>> knots = (Knot(0.1, UGraph.complete(["a", "b"]), (0.6,)), Knot(0.7, UGraph.empty(["a", "b"]), ()))
    >>> ax = plot_edge_path(Path(knots, "rho", (), "", grid=True))
    >>> [text.get_text() for text in ax.texts]
    ['a – b']
    """
    pairs, values = _matrix(path)
    marks = marks_of(path, at)
    penalties = np.array([knot.penalty for knot in path.knots])
    named = np.argsort(-np.abs(values).max(axis=1, initial=0.0), kind="stable")[: max(top, 0)]
    colours = {int(row): _COLOURS[rank % len(_COLOURS)] for rank, row in enumerate(named)}
    axes = _own_axes([pairs[row] for row in colours]) if ax is None else ax
    axes.axhline(0.0, color=_MARK, linewidth=0.6, zorder=1)
    _draw_others(axes, penalties, [values[i] for i in range(len(pairs)) if i not in colours])
    for row, colour in colours.items():
        _draw_line(axes, penalties, values[row], " – ".join(pairs[row]), colour)
    known = [*penalties, *(mark.penalty for mark in marks)]
    set_penalties(axes, known, unit=path.unit, grid=True, linear=linear)
    _set_values(axes, values, bool(marks))
    entitle(axes, title)
    _draw_marks(axes, marks, labels_of(at))
    _name_lines(axes, penalties, [(pairs[row], values[row], each) for row, each in colours.items()])
    return axes


def _matrix(path: Priced) -> tuple[list[tuple[str, str]], Array]:
    """Every pair that is ever joined, and its partial correlations, one column a penalty."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for column, knot in enumerate(path.knots):
        if knot.partial_correlations is None:
            raise FitError(
                "The path holds no partial correlations, as one of the graphical lasso "
                "(search='glasso') does: take that search, or draw the number of edges."
            )
        for edge, value in zip(knot.graph.edges, knot.partial_correlations, strict=True):
            found.setdefault(edge, {})[column] = value
    values = np.zeros((len(found), len(path.knots)))
    for row, known in enumerate(found.values()):
        values[row, list(known)] = list(known.values())
    return list(found), values


def _own_axes(named: list[tuple[str, str]]) -> "Axes":
    """Axes of a figure that has room for names beside them."""
    names = text_width([" – ".join(pair) for pair in named], _SIZE) if named else 0.0
    return small_axes((_FIGURE[0] + names, _FIGURE[1]))


def _draw_line(axes: "Axes", penalties: Array, values: Array, name: str, colour: str) -> None:
    """One line with a dot at each penalty that was solved for."""
    (line,) = axes.plot(penalties, np.where(_shown(values), values, np.nan), color=colour)
    line.set(linewidth=1.5, marker="o", markersize=2.4, zorder=3, gid=f"edge {name}")


def _draw_others(axes: "Axes", penalties: Array, lines: list[Array]) -> None:
    """All other lines, as one thing: there can be thousands."""
    from matplotlib.collections import LineCollection

    points = [np.column_stack([penalties, np.where(_shown(each), each, np.nan)]) for each in lines]
    axes.add_collection(LineCollection(points, color=_GREY, linewidth=0.7, zorder=2))


def _shown(values: Array) -> NDArray[np.bool_]:
    """Where a line is drawn: where its edge is there, and at the zeros beside that."""
    there: NDArray[np.bool_] = values != 0
    shown = there.copy()
    shown[1:] |= there[:-1]
    shown[:-1] |= there[1:]
    return shown


def _set_values(axes: "Axes", values: Array, marked: bool) -> None:
    """The scale of partial correlations: right, as names stand left; labels of marks have room above."""
    low, high = min(values.min(initial=0.0), 0.0), max(values.max(initial=0.0), 0.0)
    spare = _SPARE * (high - low or 1.0)
    axes.set_ylim(low - spare, high + (2.0 if marked else 1.0) * spare)
    axes.yaxis.tick_right()
    axes.yaxis.set_label_position("right")
    axes.set_ylabel("partial correlation")
    axes.spines[["top", "left"]].set_visible(False)


def _draw_marks(axes: "Axes", marks: list[Mark], labels: list[str]) -> None:
    """Dotted lines at penalties, with their labels at the top."""
    _, high = axes.get_ylim()
    for mark in marks:
        axes.axvline(mark.penalty, color=_MARK, linewidth=0.9, linestyle=":", zorder=1)
    notes = [
        (label or f"{mark.penalty:.4g}", (mark.penalty, high))
        for mark, label in zip(marks, labels, strict=True)
    ]
    write_beside(axes, notes, np.zeros((0, 2)), _MARK)


def _name_lines(
    axes: "Axes", penalties: Array, lines: list[tuple[tuple[str, str], Array, str]]
) -> None:
    """Names left of the lines' ends, moved up or down as far as they must be not to overlap."""
    from matplotlib.transforms import offset_copy

    lines = [line for line in lines if line[1].any()]  # a required edge may be zero all along
    if not lines:
        return
    left = axes.get_xlim()[0]
    ends = [int(np.flatnonzero(values)[0]) for _, values, _ in lines]
    heights = [float(values[end]) for (_, values, _), end in zip(lines, ends, strict=True)]
    places = pixels(axes, np.array([(left, height) for height in heights]))[:, 1]
    moved = spread_out(places.tolist(), _LEADING * axes.figure.dpi / 72)
    shifts = (np.array(moved) - places) * 72 / axes.figure.dpi
    for (pair, _, colour), end, height, shift in zip(lines, ends, heights, shifts, strict=True):
        beside: Any = offset_copy(
            axes.transData, axes.get_figure(root=True), x=-8, y=shift, units="points"
        )
        join = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "relpos": (1, 0.5)}
        text = axes.annotate(
            " – ".join(pair),
            (penalties[end], height),
            xytext=(left, height),
            textcoords=beside,
            arrowprops={**join, "shrinkA": 1, "shrinkB": 1},
            **PLAIN,
        )
        text.set(ha="right", va="center", fontsize=_SIZE, color=colour, annotation_clip=False)
