"""Searches and distributions over graphs: scores against steps and draws, probabilities, reliability."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG, UGraph, adjacency
from arcwise.plot.axes import PLAIN, diagram, whole_numbers
from arcwise.plot.marks import COLOURS
from arcwise.plot.panels import PALETTE
from arcwise.results import GraphDistribution, Step
from arcwise.values import clear_calls

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

_CELL, _MOST, _MAX_WRITTEN = 0.28, 60, 20
_BINS = 10


class HasTrace(Protocol):
    """Interface of results of a search that kept its steps."""

    @property
    def trace(self) -> Sequence[Step]:
        """The steps."""


@clear_calls
def plot_trace(result: HasTrace, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the score after each step of a search.

    Parameters
    ----------
    result : a learned network or the result of a search.
    ax : the axes to draw on; a new small figure by default.

    Returns
    -------
    matplotlib's axes; nothing is shown on a screen.

    Raises
    ------
    FitError : no steps were kept, as in a network made by hand or read from a file.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from types import SimpleNamespace
    >>> steps = [Step(0, "add", 0, 1, -20.5, 1, 0.0), Step(1, "add", 1, 2, -18.0, 2, 0.1)]
    >>> len(plot_trace(SimpleNamespace(trace=steps)).lines[0].get_xdata())
    2
    """
    steps = list(result.trace)
    if not steps:
        raise FitError(
            "The network has no search steps: it was made from parameters, read from a file or learned "
            "without a search. Learn one with a search such as greedy or tabu."
        )
    axes = diagram(ax)
    numbers, scores = [step.number for step in steps], [step.score for step in steps]
    marker = "o" if len(steps) <= 60 else ""
    axes.plot(
        numbers, scores, color=COLOURS["positive"], marker=marker, markersize=3, linewidth=1.2
    )
    best = max(range(len(steps)), key=lambda i: scores[i])
    axes.plot(numbers[best], scores[best], "o", color=COLOURS["negative"], markersize=6)
    words = f"best {scores[best]:.6g}, {steps[best].edges} edges"
    axes.set_title(words, loc="right", fontsize=9, color=COLOURS["negative"], **PLAIN)
    axes.set_xlabel("step")
    axes.set_ylabel(_score_word(result), **PLAIN)
    axes.xaxis.set_major_locator(whole_numbers())
    if len(steps) == 1:
        axes.set_xlim(numbers[0] - 1, numbers[0] + 1)
    return axes


class Curve(Protocol):
    """Training and test likelihood along a search, in nats per row."""

    @property
    def steps(self) -> Sequence[int] | NDArray[np.intp]:
        """The numbers of the steps."""

    @property
    def edges(self) -> Sequence[int] | NDArray[np.intp]:
        """The edges after each step."""

    @property
    def train(self) -> Array:
        """Log-likelihoods of the training rows, leave-one-out."""

    @property
    def test(self) -> Array:
        """Log-likelihoods of other rows."""


def plot_search_curve(curve: Curve, *, ax: "Axes | None" = None) -> "Axes":
    """Draw training and test likelihood along the steps of a search (Hofmann and Tresp 1995, fig. 1).

    Parameters
    ----------
    curve : the likelihoods after each step.
    ax : the axes to draw on; a new small figure by default.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from types import SimpleNamespace
    >>> ends = {"train": np.array([-3.0, -2.0]), "test": np.array([-3.1, -2.2])}
    >>> plot_search_curve(SimpleNamespace(steps=[0, 1], edges=[0, 1], **ends)).get_xlabel()
    'step of the search'
    """
    axes = diagram(ax)
    marker = "o" if len(curve.steps) <= 60 else ""
    style: dict[str, Any] = {"marker": marker, "markersize": 3, "linewidth": 1.3}
    first, second = COLOURS["positive"], COLOURS["negative"]
    axes.plot(curve.steps, curve.train, color=first, label="training rows, leave-one-out", **style)
    axes.plot(curve.steps, curve.test, "--", color=second, label="test rows", **style)
    best = int(np.argmax(curve.test))
    words = f"test rows: largest after step {curve.steps[best]}, {curve.edges[best]} edges"
    axes.axvline(curve.steps[best], color="#999999", linewidth=0.8, zorder=0)
    axes.set_title(words, loc="right", fontsize=9, color=COLOURS["negative"], **PLAIN)
    axes.set_xlabel("step of the search")
    axes.set_ylabel("log-likelihood (nats per row)")
    axes.xaxis.set_major_locator(whole_numbers())
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return axes


def _score_word(result: object) -> str:
    """Return the name of the score if known."""
    words = getattr(result, "settings", {})
    word = words.get("score") if isinstance(words, Mapping) else None
    return f"score ({word})" if word else "score"


def plot_probabilities(
    posterior: GraphDistribution, *, order: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the probability of each arc, parents in rows and children in columns; of edges, both alike.

    Parameters
    ----------
    posterior : a distribution over graphs.
    order : the variables in the order of rows and columns.
    ax : the axes to draw on; a new figure by default.

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
    indices = [posterior.nodes.index(name) for name in names]
    chances = posterior.arcs if posterior.directed else posterior.adjacent
    side = 1.8 + _CELL * len(names)
    axes = diagram(ax, (side + 0.9, side), bare=())
    image = axes.imshow(chances[np.ix_(indices, indices)], vmin=0.0, vmax=1.0, cmap="Blues")
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=8, **PLAIN)
    axes.set_yticks(range(len(names)), names, fontsize=8, **PLAIN)
    if posterior.directed:
        axes.set_xlabel("child")
        axes.set_ylabel("parent")
    if len(names) <= _MAX_WRITTEN:
        for (row, column), value in np.ndenumerate(chances[np.ix_(indices, indices)]):
            if row != column:
                colour = "white" if value > 0.5 else "#222222"
                style: dict[str, Any] = {"ha": "center", "va": "center", "color": colour}
                axes.text(column, row, f"{value:.2f}", fontsize=6, **style)
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
    axes = diagram(ax)
    for number, line in enumerate(np.atleast_2d(scores)):
        colour = PALETTE[number % len(PALETTE)]
        xs, name = np.arange(1, len(line) + 1), f"chain {number + 1}"
        axes.plot(xs, line, linewidth=0.6, color=colour, label=name)
    axes.set_xlabel("draw")
    axes.set_ylabel("log score")
    drawn_legend = axes.legend(
        frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
    for handle in drawn_legend.get_lines():
        handle.set_linewidth(2.0)
    return axes


def reliability(
    posteriors: Sequence[GraphDistribution], truths: Sequence[DAG | UGraph], bins: int = _BINS
) -> Array:
    """Return the reliability of edge probabilities: for each tenth the mean, the share of true edges, and
    pairs.

    Returns
    -------
    One row for each bin that has pairs: mean stated probability, share that is true, number of pairs.
    """
    stated, true = [], []
    for posterior, truth in zip(posteriors, truths, strict=True):
        upper = np.triu_indices(len(posterior.nodes), 1)
        stated.append(posterior.adjacent[upper])
        true.append(_adjacent(truth.over(posterior.nodes))[upper])
    chances, outcomes = np.concatenate(stated), np.concatenate(true)
    bin_of = np.minimum((chances * bins).astype(np.intp), bins - 1)
    rows = [
        (chances[bin_of == b].mean(), outcomes[bin_of == b].mean(), float((bin_of == b).sum()))
        for b in range(bins)
        if (bin_of == b).any()
    ]
    return np.array(rows)


def share_errors(shares: Array, counts: Array) -> Array:
    """Return the distances of shares to the ends of the interval of one standard error (Wilson 1927).

    Unlike the standard error it is not zero if a share is 0 or 1.

    >>> share_errors(np.array([0.0, 0.5]), np.array([3.0, 100.0])).round(3)
    array([[0.  , 0.05],
           [0.25, 0.05]])
    """
    middle = (shares + 0.5 / counts) / (1 + 1 / counts)
    variance = np.maximum(shares * (1 - shares), 0.0) / counts + 0.25 / counts**2
    half = np.sqrt(variance) / (1 + 1 / counts)
    ends = np.array([shares - middle + half, middle + half - shares])
    return np.asarray(np.maximum(ends, 0.0))


class Bin(Protocol):
    """A bin of predicted probabilities."""

    @property
    def rows(self) -> float:
        """Predictions in it."""

    @property
    def predicted(self) -> float:
        """Their mean probability."""

    @property
    def observed(self) -> float:
        """The share that came true."""


def plot_calibration(bins: Sequence[Bin], *, ax: "Axes | None" = None) -> "Axes":
    """Draw predicted probabilities against the share that came true; on the diagonal they are calibrated.

    Parameters
    ----------
    bins : the bins, as `calibration()` of a validated classifier gives them; the area of a dot is the number
        of its predictions.
    ax : the axes to draw on; a new small figure by default.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from types import SimpleNamespace
    >>> plot_calibration([SimpleNamespace(rows=8, predicted=0.2, observed=0.25)]).get_xlabel()
    'predicted probability'
    """
    axes = diagram(ax, (3.8, 3.6))
    predicted, observed, rows = (
        np.array([(b.predicted, b.observed, b.rows) for b in bins]).reshape(-1, 3).T
    )
    spread = share_errors(observed, np.maximum(rows, 1))
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
    axes.errorbar(
        predicted, observed, yerr=spread, fmt="-", color=COLOURS["positive"], linewidth=1.0
    )
    size = 12 + 120 * rows / max(rows.max(initial=1.0), 1.0)
    axes.scatter(predicted, observed, s=size, color=COLOURS["positive"], alpha=0.8)
    axes.set_xlabel("predicted probability")
    axes.set_ylabel("share that came true")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    return axes


def _adjacent(graph: DAG | UGraph) -> Array:
    matrix = adjacency(graph)
    return np.asarray(matrix | matrix.T, dtype=float)


def plot_reliability(
    posteriors: Sequence[GraphDistribution],
    truths: Sequence[DAG | UGraph],
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how often edges of a stated probability are in the true graphs; on the diagonal it is calibrated.

    Parameters
    ----------
    posteriors : distributions over graphs.
    truths : the graph that is true, for each.
    ax : the axes to draw on; a new small figure by default.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from arcwise.results import of_draws
    >>> graph = DAG.from_arcs(["a -> b"])
    >>> plot_reliability([of_draws([graph], meaning="posterior")], [graph]).get_xlabel()
    'stated: posterior'
    """
    axes = diagram(ax, (3.6, 3.4))
    rows = reliability(posteriors, truths)
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
    spread = share_errors(rows[:, 1], rows[:, 2])
    axes.errorbar(
        rows[:, 0], rows[:, 1], yerr=spread, fmt="o-", color=COLOURS["positive"], linewidth=1.0
    )
    axes.set_xlabel(f"stated: {posteriors[0].meaning}", **PLAIN)
    axes.set_ylabel("share of pairs that are adjacent")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    return axes
