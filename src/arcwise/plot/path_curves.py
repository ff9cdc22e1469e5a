"""Paths: the number of edges, and the partial correlation of each edge, against the penalty per edge.

Edges that go one at a time make stairs (Hofmann and Tresp 1997, fig. 1). Penalties that were solved for one
by one, as by the lasso, are points: what happens between two of them is not known, and no line pretends it
is.

Along the graphical lasso a line starts at zero where its edge comes in, and grows as the penalty falls.
Lines join what was solved for: partial correlations are continuous in the penalty, unlike numbers of edges.
The strongest have colours and names at their ends, the others are thin and grey.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.notes import Fix, Stop
from arcwise.plot.axes import (
    PLAIN,
    diagram,
    entitle,
    pixels,
    spread_out,
    text_width,
    whole_numbers,
    write_beside,
)
from arcwise.plot.marks import COLOURS
from arcwise.plot.tuning_curve import set_penalties
from arcwise.results import Knot, Path
from arcwise.values import clear_calls

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
At = float | Sequence[float] | Mapping[str, float]
"""Penalties to mark: one, several, or several with a label each, such as the rule that chose it."""


class PathLike(Protocol):
    """Interface of paths for plots: graphs at penalties, and the graph at any other."""

    @property
    def knots(self) -> tuple[Knot, ...]:
        """Return the graphs with ascending penalties."""

    @property
    def unit(self) -> str:
        """The penalty's."""

    @property
    def reach(self) -> float:
        """The largest penalty whose graph is known."""

    @property
    def grid(self) -> bool:
        """Whether knots are penalties that were solved for."""

    @property
    def stopped(self) -> Stop:
        """Why it ended."""

    def at(self, penalty: float, /) -> UGraph:
        """Return the graph at a penalty."""


class Mark(NamedTuple):
    """A penalty to mark, the number of edges of its graph, and its caption."""

    penalty: float
    edges: int
    words: str


def marks_of(path: PathLike, at: At) -> list[Mark]:
    """Return the graphs of a path at penalties.

    A path that can solve is queried at the exact penalty. A plain `Path` that was solved at single
    penalties has no graph between two of them: the mark is then at the penalty that was solved.

    Examples
    --------
    >>> knots = (Knot(0.1, UGraph.complete(["a", "b"])), Knot(0.5, UGraph.empty(["a", "b"])))
    >>> [mark.words for mark in marks_of(Path(knots, "rho", (), "", grid=True), {"ebic": 0.1})]
    ['ebic: 1 edge']
    >>> marks_of(Path(knots, "rho", (), "", grid=True), 0.3)
    [Mark(penalty=0.5, edges=0, words='0 edges at 0.5 (0.3 was not solved for)')]
    """
    penalties = list(at.values()) if isinstance(at, Mapping) else at
    try:
        numbers = np.atleast_1d(np.asarray(penalties, dtype=float)).tolist()
    except (TypeError, ValueError):
        raise FitError(
            f"at must be a penalty, several, or a mapping of labels to penalties, got {at!r}."
        ) from None
    return [_mark(path, mark, label) for mark, label in zip(numbers, labels_of(at), strict=True)]


def labels_of(at: At) -> list[str]:
    """Return labels of penalties to mark; empty texts without labels."""
    return [str(name) for name in at] if isinstance(at, Mapping) else [""] * np.size(at)


def _mark(path: PathLike, penalty: float, label: str) -> Mark:
    solved_at, more = penalty, ""
    if isinstance(path, Path) and path.grid:
        solved_at = path.knot(penalty).penalty
        solved = np.isclose(solved_at, penalty, rtol=1e-9)
        more = "" if solved else f" ({penalty:.4g} was not solved for)"
    edges = path.at(penalty).n_edges
    words = f"{label}{': ' if label else ''}{edges} edge{'s' * (edges != 1)}"
    # A label replaces its penalty, which the axis shows.
    return Mark(
        solved_at, edges, words + ("" if label and not more else f" at {solved_at:.4g}{more}")
    )


# -- edges against the penalty --------------------------------------------------------------------


# Space right of the stairs, and above all.
_RIGHT, _ABOVE = 1.04, 1.15


class PathFigure(TypedDict, total=False):
    """Options of `plot_path`."""

    at: At
    ax: "Axes | None"
    linear: bool
    title: str | None


class EdgePathFigure(PathFigure, total=False):
    """Options of `plot_edge_path`."""

    top: int


@clear_calls
def plot_path(
    path: PathLike,
    *,
    at: At = (),
    ax: "Axes | None" = None,
    linear: bool = False,
    title: str | None = None,
) -> "Axes":
    """Draw the number of edges against the penalty.

    Parameters
    ----------
    path : undirected graphs against the penalty per edge.
    at : penalties to mark with the number of edges there: one, several, or a mapping of labels to
        penalties, such as ``{"ebic": 0.06}`` for what rules chose.
    ax : the axes to draw on; a new small figure by default.
    linear : even steps on the axis of penalties. Otherwise the axis is drawn by square roots, or by
        logarithms where penalties were solved for and span more than a decade.
    title : a line above the figure.

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
    >>> from arcwise.results import Path, Removal
    >>> gone = [Removal(0, 1, (0.1, 0.2), 0.2, 1), Removal(1, 2, (0.5, 0.4), 0.5, 0)]
    >>> path = Path.of_removals(UGraph.from_edges([("a", "b"), ("b", "c")]), gone, "nats per row")
    >>> plot_path(path, at=0.3).texts[0].get_text()
    '1 edge at 0.3'
    """
    marks = marks_of(path, at)
    axes = diagram(ax)
    far = _farthest(path, marks)
    drawn, notes = _draw_points(axes, path) if path.grid else _draw_steps(axes, path, far)
    penalties = [*(knot.penalty for knot in path.knots), far, *(mark.penalty for mark in marks)]
    set_penalties(axes, penalties, unit=path.unit, grid=path.grid, linear=linear)
    axes.set_ylim(0.0, max(1.0, _ABOVE * axes.dataLim.y1))
    axes.yaxis.set_major_locator(whole_numbers())
    axes.set_ylabel("edges")
    entitle(axes, title)
    drawn = np.concatenate([drawn, *(_draw_mark(axes, mark) for mark in marks)])
    notes += [(mark.words, (mark.penalty, mark.edges)) for mark in marks]
    write_beside(axes, notes, drawn, COLOURS["negative"])
    return axes


_Notes = list[tuple[str, tuple[float, float]]]


def _farthest(path: PathLike, marks: list[Mark]) -> float:
    """Return the largest penalty of the axis: all known finite ones, and every mark."""
    ends = [knot.penalty for knot in path.knots] + [path.reach, *(mark.penalty for mark in marks)]
    return max((end for end in ends if 0 < end < np.inf), default=1.0)


def _draw_points(axes: "Axes", path: PathLike) -> tuple[Array, _Notes]:
    """Draw the solved penalties as points, and return them."""
    points = np.array([(knot.penalty, knot.graph.n_edges) for knot in path.knots], dtype=float)
    # Points at the ends and without edges are on the frame, and are drawn on top of it.
    (line,) = axes.plot(points[:, 0], points[:, 1], "o", color=COLOURS["positive"])
    line.set(markersize=4.5, markeredgewidth=0, clip_on=False, zorder=3)
    return points, []


def _draw_steps(axes: "Axes", path: PathLike, far: float) -> tuple[Array, _Notes]:
    """Draw the edges as stairs; a path that was stopped early ends with a note."""
    whole = path.reach == np.inf
    knots = [(knot.penalty, knot.graph.n_edges) for knot in path.knots if knot.penalty < np.inf]
    end = far * _RIGHT if whole else max(path.reach, 0.0)
    xs, ys = zip(*knots, (end, knots[-1][1]), strict=True)
    axes.plot(xs, ys, drawstyle="steps-post", color=COLOURS["positive"], linewidth=1.6)
    drawn = _along_stairs(xs, ys)
    if whole:
        return drawn, []
    axes.plot(xs[-1], ys[-1], "x", color=COLOURS["negative"], markersize=7)
    return drawn, [(str(path.stopped), (xs[-1], ys[-1]))]


def _along_stairs(xs: tuple[float, ...], ys: tuple[int, ...]) -> Array:
    """Return the points on all parts of stairs, level and upright."""
    part = np.linspace(0, 1, 12)
    parts = [np.zeros((0, 2))]
    for (x, y), (far, low) in pairwise(zip(xs, ys, strict=True)):
        parts.append(np.column_stack([x + part * (far - x), np.full(12, y)]))
        parts.append(np.column_stack([np.full(12, far), y + part * (low - y)]))
    return np.concatenate(parts)


def _draw_mark(axes: "Axes", mark: Mark) -> Array:
    """Draw a dot at a penalty and a dotted line down to the axis; return points of that."""
    colour, (penalty, edges, _) = COLOURS["negative"], mark
    axes.plot([penalty, penalty], [0, edges], color=colour, linewidth=0.9, linestyle=":")
    axes.plot(penalty, edges, "o", color=colour, markersize=5.5, clip_on=False, zorder=4)
    return np.column_stack([np.full(60, penalty), np.linspace(0, edges, 60)])


# -- partial correlations against the penalty -----------------------------------------------------


# Colours that people with red-green blindness can distinguish (Okabe and Ito 2008), dark ones first.
_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7F4FA0",
)  # fmt: skip
_GREY, _MARK = "#BDBDBD", "#555555"
_SIZE, _LEADING = 8.5, 11.0
# Inches of a figure of its own, names not counted; room above and below the lines, as a part of what
# they span.
_FIGURE, _SPAN = (5.0, 3.9), 0.1


@clear_calls
def plot_edge_path(
    path: PathLike,
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
    ax : the axes to draw on; a new figure by default. Names stand left of the axes: give figures of your own
        ``layout="constrained"``, which leaves room for them.
    linear : even steps on the axis of penalties, else logarithms where they span more than a decade.
    title : a line above the figure.

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
    # A new figure has space for names left of the axes.
    names = [" – ".join(pairs[row]) for row in colours]
    width = _FIGURE[0] + (text_width(names, _SIZE) if names else 0.0)
    axes = diagram(ax, (width, _FIGURE[1]), bare=("top", "left"))
    axes.axhline(0.0, color=_MARK, linewidth=0.6, zorder=1)
    _draw_others(axes, penalties, [values[i] for i in range(len(pairs)) if i not in colours])
    for row, colour in colours.items():
        _draw_line(axes, penalties, values[row], " – ".join(pairs[row]), colour)
    drawn = [*penalties, *(mark.penalty for mark in marks)]
    set_penalties(axes, drawn, unit=path.unit, grid=True, linear=linear)
    _set_values(axes, values, bool(marks))
    entitle(axes, title)
    _draw_marks(axes, marks, labels_of(at))
    _name_lines(
        axes, penalties, [(pairs[row], values[row], colour) for row, colour in colours.items()]
    )
    return axes


def _matrix(path: PathLike) -> tuple[list[tuple[str, str]], Array]:
    """Return every pair with an edge on the path, and its partial correlations, one column per penalty."""
    by_edge: dict[tuple[str, str], dict[int, float]] = {}
    for column, knot in enumerate(path.knots):
        if knot.partial_correlations is None:
            raise FitError(
                "The path has no partial correlations, which only the graphical lasso "
                "({search=}) gives: use that search, or draw the number of edges.",
                fixes=[Fix("search", "glasso")],
            )
        for edge, value in zip(knot.graph.edges, knot.partial_correlations, strict=True):
            by_edge.setdefault(edge, {})[column] = value
    values = np.zeros((len(by_edge), len(path.knots)))
    for row, by_knot in enumerate(by_edge.values()):
        values[row, list(by_knot)] = list(by_knot.values())
    return list(by_edge), values


def _draw_line(axes: "Axes", penalties: Array, values: Array, name: str, colour: str) -> None:
    """Return one line with a dot at each penalty that was solved for."""
    (line,) = axes.plot(penalties, np.where(_visible_points(values), values, np.nan), color=colour)
    line.set(linewidth=1.5, marker="o", markersize=2.4, zorder=3, gid=f"edge {name}")


def _draw_others(axes: "Axes", penalties: Array, lines: list[Array]) -> None:
    """Return all other lines, as one thing: there can be thousands."""
    from matplotlib.collections import LineCollection

    points = [
        np.column_stack([penalties, np.where(_visible_points(curve), curve, np.nan)])
        for curve in lines
    ]
    axes.add_collection(LineCollection(points, color=_GREY, linewidth=0.7, zorder=2))


def _visible_points(values: Array) -> NDArray[np.bool_]:
    """Return the visible points of a line: with an edge, and at the adjacent zeros."""
    nonzero: NDArray[np.bool_] = values != 0
    visible = nonzero.copy()
    visible[1:] |= nonzero[:-1]
    visible[:-1] |= nonzero[1:]
    return visible


def _set_values(axes: "Axes", values: Array, marked: bool) -> None:
    """Set the scale of partial correlations at the right side, with space for labels of marks."""
    low, high = min(values.min(initial=0.0), 0.0), max(values.max(initial=0.0), 0.0)
    spare = _SPAN * (high - low or 1.0)
    axes.set_ylim(low - spare, high + (2.0 if marked else 1.0) * spare)
    axes.yaxis.tick_right()
    axes.yaxis.set_label_position("right")
    axes.set_ylabel("partial correlation")


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
    """Write names left of the lines' ends, moved up or down to avoid overlaps."""
    from matplotlib.transforms import offset_copy

    lines = [line for line in lines if line[1].any()]  # a required edge may be zero all along
    if not lines:
        return
    left = axes.get_xlim()[0]
    ends = [int(np.flatnonzero(values)[0]) for _, values, _ in lines]
    heights = [float(values[end]) for (_, values, _), end in zip(lines, ends, strict=True)]
    pixel_heights = pixels(axes, np.array([(left, height) for height in heights]))[:, 1]
    moved = spread_out(pixel_heights.tolist(), _LEADING * axes.figure.dpi / 72)
    shifts = (np.array(moved) - pixel_heights) * 72 / axes.figure.dpi
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
