"""Pictures of a distribution over graphs: probabilities as a matrix, scores of chains, reliability."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs import DAG, UGraph
from arcwise.plot.axes import PLAIN, small_axes
from arcwise.plot.marks import COLOURS
from arcwise.results import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

_CELL, _MOST = 0.28, 60
_BINS = 10


def plot_probabilities(
    posterior: Posterior, *, order: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the probability of each arc, parents in rows and children in columns; of edges, both alike.

    Parameters
    ----------
    posterior : a distribution over graphs.
    order : the variables in the order of rows and columns.
    ax : where to draw; a new figure if left out.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.results import of_draws
    >>> found = of_draws([DAG.from_arcs(["a -> b"])] * 3, meaning="bootstrap frequency")
    >>> plot_probabilities(found).get_ylabel()
    'parent'
    """
    names = list(posterior.nodes if order is None else order)
    if len(names) > _MOST:
        raise GraphError(
            f"A matrix of {len(names)} variables cannot be read; at most {_MOST} are drawn."
        )
    places = [posterior.nodes.index(name) for name in names]
    shown = posterior.arcs if posterior.directed else posterior.adjacent
    side = 1.8 + _CELL * len(names)
    axes = small_axes((side + 0.9, side)) if ax is None else ax
    image = axes.imshow(shown[np.ix_(places, places)], vmin=0.0, vmax=1.0, cmap="Blues")
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=8, **PLAIN)
    axes.set_yticks(range(len(names)), names, fontsize=8, **PLAIN)
    if posterior.directed:
        axes.set_xlabel("child")
        axes.set_ylabel("parent")
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8)
    bar.set_label(posterior.meaning, **PLAIN)
    return axes


def plot_scores(scores: Array, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the scores of the graphs that chains drew (chains by draws), one line a chain.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> len(plot_scores(np.zeros((4, 10))).lines)
    4
    """
    axes = small_axes() if ax is None else ax
    for number, line in enumerate(np.atleast_2d(scores)):
        axes.plot(np.arange(1, len(line) + 1), line, linewidth=0.6, label=f"chain {number + 1}")
    axes.set_xlabel("draw")
    axes.set_ylabel("log score")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def reliability(
    posteriors: Sequence[Posterior], truths: Sequence[DAG | UGraph], bins: int = _BINS
) -> Array:
    """Stated against true: for each tenth of probability its mean, the share of true edges, and the pairs.

    Returns
    -------
    One row for each bin that has pairs: mean stated probability, share that is true, number of pairs.
    """
    stated, true = [], []
    for found, truth in zip(posteriors, truths, strict=True):
        upper = np.triu_indices(len(found.nodes), 1)
        stated.append(found.adjacent[upper])
        true.append(_adjacent(truth.over(found.nodes))[upper])
    chances, there = np.concatenate(stated), np.concatenate(true)
    place = np.minimum((chances * bins).astype(np.intp), bins - 1)
    rows = [
        (chances[place == b].mean(), there[place == b].mean(), float((place == b).sum()))
        for b in range(bins)
        if (place == b).any()
    ]
    return np.array(rows)


def _adjacent(graph: Any) -> Array:
    rows = graph.inputs
    found = np.zeros((len(graph.nodes), len(graph.nodes)))
    for node, row in enumerate(rows):
        found[node, list(row)] = found[list(row), node] = 1.0
    return found


def plot_reliability(
    posteriors: Sequence[Posterior],
    truths: Sequence[DAG | UGraph],
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how often edges of a stated probability are in the true graphs; on the diagonal it is calibrated.

    Parameters
    ----------
    posteriors : distributions over graphs.
    truths : the graph that is true, for each.
    ax : where to draw; a new small figure if left out.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.results import of_draws
    >>> graph = DAG.from_arcs(["a -> b"])
    >>> plot_reliability([of_draws([graph], meaning="posterior")], [graph]).get_xlabel()
    'stated: posterior'
    """
    axes = small_axes((3.6, 3.4)) if ax is None else ax
    rows = reliability(posteriors, truths)
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
    spread = np.sqrt(np.maximum(rows[:, 1] * (1 - rows[:, 1]), 0.0) / rows[:, 2])
    axes.errorbar(
        rows[:, 0], rows[:, 1], yerr=spread, fmt="o-", color=COLOURS["positive"], linewidth=1.0
    )
    axes.set_xlabel(f"stated: {posteriors[0].meaning}", **PLAIN)
    axes.set_ylabel("share of pairs that are joined")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.spines[["top", "right"]].set_visible(False)
    return axes
