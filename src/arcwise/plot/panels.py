"""Panels of plots of local models, by the kinds of the variable and of the inputs on axes."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.distributions import Distribution
from arcwise.plot.axes import PLAIN, short
from arcwise.plot.dependence import View, span
from arcwise.plot.marks import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Panel = Callable[[View, "Axes"], None]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222")
"""Colours for levels, which people with red-green blindness can distinguish (Okabe and Ito 2008)."""

BAND = (0.05, 0.95)
"""The quantiles that bound the band: 90 % of the density lies between them."""

_MEAN, _ROWS = COLOURS["negative"], "#222222"
_ALONG, _UP, _SURFACE, _BINS = 161, 161, 60, 10
_CUT = "the model continues outside of this axis"
_JITTER = 0.28
_NEAR = 0.08  # of the range of an axis: a surface is pale beyond it, counted from the nearest row


def panel(view: View) -> Panel:
    """Return the function that draws a view, by the kinds of its variables."""
    levels = [view.input(axis).discrete for axis in range(len(view.axes))]
    discrete = view.variable.discrete
    if not levels:
        return draw_levels if discrete else draw_marginal
    if len(levels) == 1:
        if discrete:
            return draw_cells if levels[0] else draw_shares
        return draw_strips if levels[0] else draw_density
    if all(levels):
        return draw_table
    return draw_curves if any(levels) else draw_surface


# -- one input ------------------------------------------------------------------------------------


def draw_density(view: View, ax: "Axes") -> None:
    """Draw a number against a number: density, mean, band and rows."""
    node, xs = view.axes[0], np.asarray(view.values(0, _ALONG), dtype=float)
    answer, rows = view.distribution({node: xs}, len(xs)), view.sample
    low, high = _limits(answer, rows[view.child], view.reach)
    ys = np.linspace(low, high, _UP)
    ax.pcolormesh(
        xs, ys, _shade(answer, ys).T, cmap=_blues(), vmin=0, vmax=1, shading="gouraud",
        rasterized=True, zorder=0,
    )  # fmt: skip
    _points(ax, rows[node], rows[view.child], _ROWS, view.sizes)
    ax.plot(xs, answer.mean, color=_MEAN, linewidth=1.8, label="mean")
    for edge, label in zip(
        answer.quantile(np.array(BAND)).T, ("90 % of the density", ""), strict=True
    ):
        ax.plot(xs, edge, "--", color=_MEAN, linewidth=0.9, label=label or None)
    ax.set_xlim(xs[0], xs[-1])
    ax.set_ylim(low, high)
    _mark_cut(ax, answer, low, high)
    _name(ax, view.input(0).name, view.variable.name)
    _legend(ax)


def draw_strips(view: View, ax: "Axes") -> None:
    """Draw a number against levels: density, mean, band and rows for each level."""
    node, codes = view.axes[0], view.values(0, 0)
    answer, rows = view.distribution({node: codes}, len(codes)), view.sample
    low, high = _limits(answer, rows[view.child], view.reach)
    ys = np.linspace(low, high, _UP)
    shade, band = _shade(answer, ys) ** 2, answer.quantile(np.array(BAND))
    for code, width in enumerate(0.42 * shade):
        ax.fill_betweenx(
            ys, code - width, code + width, color=COLOURS["positive"], alpha=0.3, linewidth=0
        )
        ax.plot([code, code], band[code], color=_MEAN, linewidth=1.2)
        ax.plot([code - 0.2, code + 0.2], [answer.mean[code]] * 2, color=_MEAN, linewidth=2.2)
    _points(ax, _jittered(rows[node]), rows[view.child], _ROWS, view.sizes)
    ax.plot([], [], color=_MEAN, linewidth=2.2, label="mean and 90 % of the density")
    ax.set_ylim(low, high)
    _mark_cut(ax, answer, low, high)
    _name(ax, view.input(0).name, view.variable.name)
    _level_ticks(ax, "x", view.input(0))
    _legend(ax)


def draw_shares(view: View, ax: "Axes") -> None:
    """Draw the probabilities of levels against a number, with the shares of rows in tenths of them."""
    node, xs = view.axes[0], view.values(0, _ALONG)
    shares = view.distribution({node: xs}, len(xs)).chances(len(view.variable.levels or ()))
    order = _frequent(shares.mean(axis=0))
    seen = None if view.fixed else _binned(view, node)
    for colour, code in zip(PALETTE, order, strict=False):
        ax.plot(xs, shares[:, code], color=colour, linewidth=1.8, label=_level(view.variable, code))
        if seen is not None:
            ax.plot(seen[0], seen[1][:, code], "o", color=colour, markersize=4, alpha=0.7)
    rest = np.setdiff1d(np.arange(shares.shape[1]), order)
    if len(rest):
        ax.plot(xs, shares[:, rest].sum(axis=1), color="#999999", label=f"{len(rest)} other levels")
    if seen is not None:
        ax.plot([], [], "o", color="#777777", markersize=4, label="rows, in tenths")
    ax.set_xlim(xs[0], xs[-1])
    ax.set_ylim(-0.02, 1.02)
    _name(ax, view.input(0).name, f"probability of {short(view.variable.name)}")
    _legend(ax, outside=True)


def draw_cells(view: View, ax: "Axes") -> None:
    """Draw the probabilities of levels for each level of the input, as a table."""
    node, codes = view.axes[0], view.values(0, 0)
    shares = view.distribution({node: codes}, len(codes)).chances(len(view.variable.levels or ()))
    _cells(ax, shares.T, "probability", (0.0, 1.0))
    _name(ax, view.input(0).name, view.variable.name)
    _level_ticks(ax, "x", view.input(0))
    _level_ticks(ax, "y", view.variable)


# -- no input -------------------------------------------------------------------------------------


def draw_marginal(view: View, ax: "Axes") -> None:
    """Draw the density of a number, and a histogram of the rows."""
    answer, rows = view.distribution({}, 1), view.sample[view.child]
    low, high = _limits(answer, rows, view.reach)
    ys = np.linspace(low, high, 401)
    if len(rows):
        ax.hist(
            rows,
            bins=min(40, max(5, int(np.sqrt(len(rows))))),
            density=True,
            weights=view.sizes,
            color="#CCCCCC",
            label="rows",
        )
    ax.plot(ys, np.exp(answer.logpdf(ys[None, :])[0]), color=COLOURS["positive"], label="density")
    _name(ax, view.variable.name, "density")
    _legend(ax)


def draw_levels(view: View, ax: "Axes") -> None:
    """Draw the probabilities of levels, and the shares of rows."""
    count = len(view.variable.levels or ())
    shares, rows = view.distribution({}, 1).chances(count)[0], view.sample[view.child]
    ax.bar(range(count), shares, width=0.6, color=COLOURS["positive"], label="probability")
    if len(rows):
        seen = np.bincount(rows.astype(np.intp), view.sizes, minlength=count)
        seen = seen / seen.sum()
        ax.plot(range(count), seen, "o", color=_ROWS, markersize=4, label="share of rows")
    _name(ax, view.variable.name, "probability")
    _level_ticks(ax, "x", view.variable)
    _legend(ax)


# -- two inputs -----------------------------------------------------------------------------------


def draw_surface(view: View, ax: "Axes") -> None:
    """Draw the mean, or the probability of a level, over two numbers; rows have the colour of their value.

    It is pale where no row is near.
    """
    from matplotlib.patheffects import withStroke

    first, second = (np.asarray(view.values(axis, _SURFACE), dtype=float) for axis in (0, 1))
    across, up = np.meshgrid(first, second)
    one, two = view.axes
    mean = view.mean({one: across.ravel(), two: up.ravel()}, across.size).reshape(across.shape)
    rows = view.sample
    values = np.asarray(rows[view.child], dtype=float)
    if view.variable.discrete:
        values = (values == view.level).astype(float)
    low, high = (
        (0.0, 1.0)
        if view.variable.discrete
        else span(np.clip(np.concatenate([mean.ravel(), *_middle(values)]), *view.reach))
    )
    look: dict[str, Any] = {"cmap": "cividis", "vmin": low, "vmax": high}
    image = ax.pcolormesh(across, up, mean, shading="gouraud", rasterized=True, **look)
    lines = ax.contour(across, up, mean, levels=6, colors="#333333", linewidths=0.7, zorder=2)
    for text in ax.clabel(lines, fontsize=7, fmt=lambda value: f"{value:.3g}"):
        text.set_path_effects([withStroke(linewidth=2, foreground="white")])
    label = _value_name(view)
    if len(values):
        _fade(ax, first, second, rows[one], rows[two])
        sizes = 14.0 if view.sizes is None else 14.0 * view.sizes
        look |= {"s": sizes, "edgecolors": "white", "linewidths": 0.4, "zorder": 3}
        ax.scatter(rows[one], rows[two], c=values, **look)
        label += " (pale: no row near)"
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(label, **PLAIN)
    ax.set_xlim(first[0], first[-1])
    ax.set_ylim(second[0], second[-1])
    _name(ax, view.input(0).name, view.input(1).name)


def _fade(ax: "Axes", xs: Array, ys: Array, one: NDArray[Any], two: NDArray[Any]) -> None:
    """Lay white over the parts of a surface that are far from all rows: the model extrapolates there."""
    from scipy.spatial import cKDTree

    scale = np.array([np.ptp(xs), np.ptp(ys)])
    across, up = np.meshgrid(xs, ys)
    grid = np.column_stack([across.ravel(), up.ravel()]) / scale
    away, _ = cKDTree(np.column_stack([one, two]) / scale).query(grid)
    white = np.ones((*across.shape, 4))
    white[..., 3] = np.clip((away - _NEAR) / _NEAR, 0.0, 0.75).reshape(across.shape)
    ends = (xs[0], xs[-1], ys[0], ys[-1])
    look: dict[str, Any] = {"origin": "lower", "aspect": "auto", "interpolation": "bilinear"}
    ax.imshow(white, extent=ends, zorder=1.5, **look)


def draw_curves(view: View, ax: "Axes") -> None:
    """Draw the mean, or the probability of a level, against a number: one curve for each level."""
    number, group = (0, 1) if view.input(1).discrete else (1, 0)
    node, other = view.axes[number], view.axes[group]
    xs, rows = np.asarray(view.values(number, _ALONG), dtype=float), view.sample
    counts = np.bincount(view.columns[other].astype(np.intp), minlength=len(view.values(group, 0)))
    for colour, code in zip(PALETTE, _frequent(counts), strict=False):
        levels_column = np.full(len(xs), code, view.input(group).dtype)
        points = {node: xs, other: levels_column}
        label = f"{short(view.input(group).name)} = {_level(view.input(group), code)}"
        ax.plot(xs, view.mean(points, len(xs)), color=colour, linewidth=1.8, label=label)
        if not view.variable.discrete:
            band = view.distribution(points, len(xs)).quantile(np.array(BAND))
            ax.fill_between(xs, band[:, 0], band[:, 1], color=colour, alpha=0.12, linewidth=0)
            mine = rows[other] == code
            sizes = None if view.sizes is None else view.sizes[mine]
            _points(ax, rows[node][mine], rows[view.child][mine], colour, sizes, label=False)
    ax.set_xlim(xs[0], xs[-1])
    if view.variable.discrete:
        ax.set_ylim(-0.02, 1.02)
    _name(ax, view.input(number).name, _value_name(view))
    _legend(ax, outside=True)


def draw_table(view: View, ax: "Axes") -> None:
    """Draw the mean, or the probability of a level, for each pair of levels of two inputs."""
    first, second = view.values(0, 0), view.values(1, 0)
    across, up = np.meshgrid(first, second)
    one, two = view.axes
    mean = view.mean({one: across.ravel(), two: up.ravel()}, across.size).reshape(across.shape)
    limits = (0.0, 1.0) if view.variable.discrete else span(mean)
    _cells(ax, mean, _value_name(view), limits)
    _name(ax, view.input(0).name, view.input(1).name)
    _level_ticks(ax, "x", view.input(0))
    _level_ticks(ax, "y", view.input(1))


# -- shared by panels -----------------------------------------------------------------------------


def _limits(
    answer: Distribution, rows: NDArray[Any], reach: tuple[float, float]
) -> tuple[float, float]:
    """Return the range of an axis for a number: the rows, and nearly all of the density that is within
    reach.
    """
    edges = answer.quantile(np.array([0.01, 0.99]))
    values = np.concatenate([edges[np.isfinite(edges)], np.asarray(rows, dtype=float)])
    low, high = span(np.clip(values, *reach))
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _mark_cut(ax: "Axes", answer: Distribution, low: float, high: float) -> None:
    """Write that the model continues outside of an axis, if its mean or its band does."""
    edges = np.column_stack([answer.mean, answer.quantile(np.array(BAND))])
    if not ((edges >= low) & (edges <= high)).all():
        text = ax.text(0.99, 0.02, _CUT, transform=ax.transAxes, ha="right", va="bottom")
        text.set(fontsize=7, color="#444444")


def _shade(answer: Distribution, ys: Array) -> Array:
    """Return the square root of densities, 1 at the largest except for a few very narrow ones."""
    size = len(answer.mean)
    density = np.exp(answer.logpdf(np.broadcast_to(ys, (size, len(ys))).copy()))
    top = float(np.quantile(density.max(axis=1), 0.9))
    return np.sqrt(np.clip(density / (top or 1.0), 0.0, 1.0))


def _blues() -> Any:
    """White to a blue on which rows and lines can be seen."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("density", ["#FFFFFF", "#BFD9EA", "#6BAED6"])


def _points(
    ax: "Axes",
    xs: NDArray[Any],
    ys: NDArray[Any],
    colour: str,
    sizes: Array | None = None,
    *,
    label: bool = True,
) -> None:
    """Draw rows as dots, fainter if there are many; their areas are their weights, if they have any."""
    if not len(xs):
        return
    faint = float(np.clip(12 / np.sqrt(len(xs)), 0.25, 0.9))
    style: dict[str, Any] = {"color": colour, "alpha": faint}
    if sizes is None:
        name = "rows" if label else None
        ax.plot(xs, ys, ".", markersize=3.5, markeredgewidth=0, label=name, **style)
    else:
        name = "rows (area: weight)" if label else None
        ax.scatter(xs, ys, s=4.0 * sizes, linewidths=0, label=name, **style)


def _jittered(codes: NDArray[Any]) -> Array:
    """Return the codes spread to the sides, by golden steps: nothing is random."""
    turns = np.arange(len(codes)) * 0.6180339887 % 1.0
    return np.asarray(codes + _JITTER * (2 * turns - 1))


def _middle(values: Array) -> Iterator[Array]:
    """Return the values between the percentiles 2 and 98, which set a scale of colours."""
    if len(values):
        yield np.quantile(values, [0.02, 0.98])


def _frequent(weights: NDArray[Any]) -> NDArray[np.intp]:
    """Return the levels that get a colour, in their order: the most frequent if there are many."""
    keep = np.argsort(-weights, kind="stable")[
        : len(PALETTE) if len(weights) <= len(PALETTE) else 6
    ]
    return np.sort(keep)


def _binned(view: View, node: int) -> tuple[Array, Array] | None:
    """Return the mean values of tenths of the rows, and the shares of levels in them."""
    if not view.observed:
        return None
    xs, codes = (
        np.asarray(view.columns[node], dtype=float),
        view.columns[view.child].astype(np.intp),
    )
    parts = np.array_split(np.argsort(xs, kind="stable"), min(_BINS, len(xs)))
    count = len(view.variable.levels or ())
    weights = np.ones(len(xs)) if view.weights is None else view.weights
    shares = [
        np.bincount(codes[part], weights[part], minlength=count) / weights[part].sum()
        for part in parts
    ]
    means = [np.average(xs[part], weights=weights[part]) for part in parts]
    return np.array(means), np.array(shares)


def _cells(ax: "Axes", values: Array, label: str, limits: tuple[float, float]) -> None:
    """Draw a table of numbers on colours."""
    ax.spines[:].set_visible(False)
    image = ax.imshow(
        values, cmap="Blues", vmin=limits[0], vmax=limits[1], aspect="auto", origin="lower"
    )
    middle = (limits[0] + limits[1]) / 2
    if values.size <= 150:
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if value > middle else "#222222"
            ax.text(column, row, f"{value:.2g}", ha="center", va="center", color=colour, fontsize=8)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(label, **PLAIN)


def _value_name(view: View) -> str:
    """Return the name of the values drawn against two inputs."""
    name = short(view.variable.name)
    if not view.variable.discrete:
        return f"mean of {name}"
    return f"probability of {name} = {_level(view.variable, view.level)}"


def _level(variable: Variable, code: int) -> str:
    return short(str((variable.levels or ())[code]))


def _name(ax: "Axes", x: str, y: str) -> None:
    ax.set_xlabel(short(x), **PLAIN)
    ax.set_ylabel(short(y, 40), **PLAIN)


def _level_ticks(ax: "Axes", axis: str, variable: Variable) -> None:
    """Set the levels as ticks at their codes; long ones are vertical on the horizontal axis."""
    words = [short(str(level), 16) for level in variable.levels or ()]
    positions = range(len(words))
    if axis == "y":
        ax.set_yticks(positions, words, **PLAIN)
    else:
        upright = 90 if sum(map(len, words)) > 45 else 0
        ax.set_xticks(positions, words, rotation=upright, **PLAIN)


def _legend(ax: "Axes", *, outside: bool = False) -> None:
    if outside:
        made = ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        made = ax.legend(fontsize=8, loc="best", framealpha=0.7, edgecolor="none")
    for text in made.get_texts():
        text.set(**PLAIN)
