"""Plots of beliefs: the distribution of a variable with and without the evidence."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import Distribution
from arcwise.errors import DataError
from arcwise.plot.axes import PLAIN, diagram, entitle, pyplot, short
from arcwise.plot.marks import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

MAX_LEVELS = 20
"""Largest number of levels that are drawn; the others are one bar."""

_BEFORE, _AFTER, _POINTS = "#777777", COLOURS["positive"], 301
_TAIL = 0.001  # probability beyond each end of an axis
_WIDTH, _HEIGHT = 3.1, 2.1  # inches of one of several panels


class BeliefLike(Protocol):
    """Interface of beliefs for plots."""

    @property
    def name(self) -> str:
        """The variable."""

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels of a discrete variable; none of a number."""

    @property
    def probabilities(self) -> Mapping[Any, float]:
        """Return the probability of each level."""

    @property
    def distribution(self) -> Distribution:
        """The distribution, in one row."""

    @property
    def given(self) -> Mapping[str, Any]:
        """Return the values that were seen."""

    @property
    def do(self) -> Mapping[str, Any]:
        """Return the values that were set."""


def plot_belief(
    belief: BeliefLike,
    before: BeliefLike | None = None,
    *,
    title: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a belief: the density of a number with its mean and 95 % interval, or bars of probabilities.

    Parameters
    ----------
    belief : the belief after the evidence.
    before : the belief about the same variable without the evidence, in grey.
    title : a line above the figure; variable and evidence by default.
    ax : the axes to draw on; a new small figure by default.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from types import SimpleNamespace
    >>> from arcwise.distributions import Normal
    >>> after = SimpleNamespace(name="x", levels=(), distribution=Normal(1.0, 0.5), given={"a": 1}, do={})
    >>> plot_belief(after).get_xlabel()
    'x'
    """
    high = 1.2 + 0.26 * min(len(belief.levels), MAX_LEVELS) if belief.levels else 2.6
    axes = diagram(ax, (4.4, max(high, 1.6)))
    (_draw_bars if belief.levels else _draw_density)(axes, belief, before)
    entitle(axes, _sentence(belief) if title is None else title or None)
    return axes


def plot_beliefs(
    beliefs: Sequence[BeliefLike],
    before: Mapping[str, BeliefLike] | None = None,
    *,
    columns: int = 4,
    title: str | None = None,
) -> "list[Axes]":
    """Draw several beliefs, each in a panel.

    Parameters
    ----------
    beliefs : of different variables.
    before : beliefs without the evidence by name.
    columns : panels per row.
    title : a line above all.
    """
    plt = pyplot()
    if not beliefs:
        raise DataError("There is no belief to draw: the evidence covers all variables.")
    columns = min(columns, len(beliefs))
    rows = -(-len(beliefs) // columns)
    size = (_WIDTH * columns, _HEIGHT * rows + 0.3)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for spare in grid.ravel()[len(beliefs) :]:
        spare.remove()
    drawn_axes = [
        plot_belief(shown_belief, (before or {}).get(shown_belief.name), title="", ax=axes)
        for shown_belief, axes in zip(beliefs, grid.ravel(), strict=False)
    ]
    _common_legend(figure, drawn_axes)
    figure.suptitle(_evidence(beliefs[0]) if title is None else title, fontsize=10, **PLAIN)
    return drawn_axes


def _common_legend(figure: "Figure", panels: "list[Axes]") -> None:
    """One legend below all panels; the means go above them."""
    entries: dict[str, Any] = {}
    for axes in panels:
        means = []
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            name, _, value = label.partition(": ")
            entries.setdefault(name, handle)
            means += [value.replace("mean ", "")] if value else []
        entitle(axes, f"mean {' → '.join(means)}" if means else None)
        legend = axes.get_legend()
        if legend is not None:
            legend.remove()
    if len(entries) > 1:
        figure.legend(
            entries.values(),
            entries,
            loc="outside lower center",
            ncols=3,
            fontsize=8,
            frameon=False,
        )


def _sentence(belief: BeliefLike) -> str:
    return f"{short(belief.name)} {_evidence(belief)}".strip()


def _evidence(belief: BeliefLike) -> str:
    """Return the evidence in one line, cut if it is long."""
    seen = ", ".join(f"{short(name)} = {_value(value)}" for name, value in belief.given.items())
    done = ", ".join(f"{short(name)} = {_value(value)}" for name, value in belief.do.items())
    parts = [f"given {seen}" if seen else "", f"do {done}" if done else ""]
    return short(", ".join(filter(None, parts)), 90) if seen or done else ""


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else short(value)


def _draw_density(axes: "Axes", belief: BeliefLike, before: BeliefLike | None) -> None:
    """Draw the density after the evidence filled, and that before it as a line."""
    parts = (
        [(belief, _AFTER, "after")]
        if before is None
        else [
            (before, _BEFORE, "before"),
            (belief, _AFTER, "after"),
        ]
    )
    for part, colour, label in parts:
        xs, density = _curve(part.distribution)
        mean, (low, high) = float(part.distribution.mean[0]), _interval(part.distribution)
        if not high > low:  # certain: a line where the value is
            words = f"{mean:.4g}" if before is None else f"{label}: {mean:.4g}"
            axes.axvline(mean, color=colour, linewidth=2, label=words)
            continue
        style = "--" if label == "before" else "-"
        words = f"mean {mean:.4g}" if before is None else f"{label}: mean {mean:.4g}"
        axes.plot(xs, density, style, color=colour, linewidth=1.5, label=words)
        if label == "after":
            inner = (xs >= low) & (xs <= high)
            axes.fill_between(
                xs[inner], density[inner], color=colour, alpha=0.2, linewidth=0, label="95 %"
            )
        axes.axvline(mean, ymax=0.06, color=colour, linewidth=1.5)
    top = float(axes.dataLim.y1)
    axes.set_ylim(0, 1.3 * top if 0 < top < np.inf else None)  # room for the legend
    axes.set_xlabel(short(belief.name), **PLAIN)
    axes.set_ylabel("density")
    axes.ticklabel_format(axis="x", useOffset=True)
    _legend(axes)


def _curve(distribution: Distribution) -> tuple[Array, Array]:
    """Return the points of a density, over nearly all of its probability."""
    low, high = distribution.quantile(np.array([_TAIL, 1 - _TAIL]))[0].tolist()
    if not high > low:
        return np.array([low]), np.array([np.inf])
    xs = np.linspace(low, high, _POINTS)
    return xs, np.exp(distribution.logpdf(xs[None, :])[0])


def _interval(distribution: Distribution) -> tuple[float, float]:
    low, high = distribution.quantile(np.array([0.025, 0.975]))[0].tolist()
    return low, high


def _draw_bars(axes: "Axes", belief: BeliefLike, before: BeliefLike | None) -> None:
    """Draw the probability of each level as a bar, and the one before the evidence as a grey frame."""
    names, after, earlier = _levels(belief, before)
    heights = range(len(names))
    axes.barh(heights, after, height=0.62, color=_AFTER, alpha=0.85, label="after")
    if before is not None:
        axes.barh(
            heights, earlier, height=0.82, facecolor="none", edgecolor=_BEFORE, linewidth=1.2,
            linestyle="--", label="before",
        )  # fmt: skip
    top = float(max(after.max(), earlier.max()))
    for height, share, other in zip(heights, after, earlier, strict=True):
        text = f"{share:.3g}" if share >= 0.001 or share == 0 else f"{share:.1g}"
        axes.text(max(share, other) + 0.02 * top, height, text, va="center", fontsize=8)
    axes.set_yticks(heights, names, **PLAIN)
    axes.invert_yaxis()
    axes.set_xlim(0, min(1.18 * top, 1.15) or 1.0)
    axes.set_xlabel(f"probability of {short(belief.name)}", **PLAIN)
    if before is not None:
        _legend(axes)


def _levels(belief: BeliefLike, before: BeliefLike | None) -> tuple[list[str], Array, Array]:
    """Return the names and probabilities of the levels that are drawn; rare ones of many are one bar."""
    after = np.array([float(each) for each in belief.probabilities.values()])
    earlier = np.zeros(len(after))
    if before is not None:
        earlier = np.array([float(value) for value in before.probabilities.values()])
    names = [short(str(level), 24) for level in belief.levels]
    if len(names) <= MAX_LEVELS:
        return names, after, earlier
    kept = np.sort(np.argsort(-np.maximum(after, earlier), kind="stable")[: MAX_LEVELS - 1])
    rest = np.setdiff1d(np.arange(len(names)), kept)
    shown = [*(names[i] for i in kept), f"{len(rest)} others"]
    after, earlier = (np.append(each[kept], each[rest].sum()) for each in (after, earlier))
    return shown, after, earlier


def _legend(axes: "Axes") -> None:
    drawn_legend = axes.legend(fontsize=8, loc="best", framealpha=0.7, edgecolor="none")
    for text in drawn_legend.get_texts():
        text.set(**PLAIN)
