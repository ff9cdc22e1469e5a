"""Plots of the pattern of missing values: columns that are missing together, and numbers of rows."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.errors import DataError, plural
from arcwise.plot.axes import PLAIN, diagram, entitle, short
from arcwise.plot.marks import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap

MAX_PATTERNS, MAX_COLUMNS = 20, 60
"""The most frequent patterns, and the columns with the most missing values, that are drawn."""

_CELL = 0.26
_SIDE, _LETTER, _MAX_HEADING = 1.5, 0.085, 6.0  # inches: labels at the left, a letter, a heading


def plot_missing(
    data: Table, *, every: bool = False, title: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the patterns of missing values: one line for each set of columns that are missing together.

    The number of rows is next to each pattern, that of the missing values next to each column. Rows count by
    their weights.

    Parameters
    ----------
    data : a table.
    every : whether to draw the columns without missing values, too.
    title : a line above the figure.
    ax : the axes to draw on; a new figure by default.

    Raises
    ------
    DataError : no value is missing.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.data import table
    >>> rows = table({"a": [1.0, None, 3.5], "b": [2.0, None, 4.0], "c": [1.5, 2.5, 3.0]})
    >>> [label.get_text() for label in plot_missing(rows).get_yticklabels()]
    ['complete: 2 rows', '2 missing: 1 row']
    """
    missing = data.missing()
    weights = np.ones(data.rows) if data.weights is None else data.weights
    totals = weights @ missing
    if not totals.any():
        raise DataError("There is no pattern to draw: no value is missing.")
    names = data.order or data.names
    order = [data.index(name) for name in names if every or totals[data.index(name)]]
    order = sorted(sorted(order, key=lambda node: -totals[node])[:MAX_COLUMNS], key=order.index)
    patterns, rows, hidden = _patterns(missing[:, order], weights)
    wide, high = len(order), len(patterns) + bool(hidden)
    complete = float(weights[~missing.any(axis=1)].sum())
    text = f"{complete:.6g} of {plural(_count(data.total), 'row')} complete"
    if hidden:
        text += f"; {plural(_count(hidden), 'row')} with rarer patterns not drawn"
    heading = text if title is None else title
    width = max(2.4 + _CELL * wide, _SIDE + min(_LETTER * len(heading), _MAX_HEADING))
    size = (width, 1.6 + _CELL * high)
    axes = diagram(ax, size, bare=("top", "right", "left", "bottom"))
    axes.imshow(patterns, cmap=_colours(), vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_xticks(np.arange(wide + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(patterns) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    words = [f"{short(data.variables[node].name, 20)} ({totals[node]:.6g})" for node in order]
    axes.set_xticks(range(wide), words, rotation=90, fontsize=8, **PLAIN)
    labels = [_words(*pair) for pair in zip(patterns, rows, strict=True)]
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    entitle(axes, heading)
    return axes


def _patterns(
    missing: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], list[float], float]:
    """Return the most frequent patterns with their rows, and the rows with any other pattern."""
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), weights, minlength=len(patterns))
    order = np.argsort(-counts, kind="stable")
    kept = order[:MAX_PATTERNS]
    return patterns[kept], counts[kept].tolist(), float(counts[order[MAX_PATTERNS:]].sum())


def _count(rows: float) -> float:
    """Return a number of rows as it is shown: weights need not be integers."""
    return float(f"{rows:.6g}")


def _words(pattern: NDArray[np.bool_], rows: float) -> str:
    count = int(pattern.sum())
    return f"{f'{count} missing' if count else 'complete'}: {plural(_count(rows), 'row')}"


def _colours() -> "ListedColormap":
    from matplotlib.colors import ListedColormap

    return ListedColormap(["#E3E8EE", COLOURS["negative"]])
