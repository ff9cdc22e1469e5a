"""The way of a search: its score against its steps."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from arcwise.errors import FitError
from arcwise.plot.axes import PLAIN, small_axes, whole_numbers
from arcwise.plot.marks import COLOURS
from arcwise.results import Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Searched(Protocol):
    """Anything that came out of a search and kept its steps."""

    @property
    def trace(self) -> Sequence[Step]:
        """The steps."""


def plot_trace(result: Searched, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the score after each step of a search.

    Parameters
    ----------
    result : a learned network or the result of a search.
    ax : where to draw; a new small figure if left out.

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
            "There are no steps to draw: the network was made by hand, read from a file or found "
            "without a search; learn one with a search such as greedy or tabu."
        )
    axes = small_axes() if ax is None else ax
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
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _score_word(result: object) -> str:
    """The word of the score where it is known."""
    words = getattr(result, "settings", {})
    word = words.get("score") if isinstance(words, Mapping) else None
    return f"score ({word})" if word else "score"
