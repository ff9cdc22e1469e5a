"""The axis of penalties, which all pictures of a path share, and the penalties marked on it.

Where edges go one by one, most go at small penalties: the axis is drawn by square roots, as it starts
at zero and the logarithm cannot. Penalties that were solved for lie evenly on a logarithm, and are drawn
so where they span more than a decade.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.plot.axes import PLAIN
from arcwise.results import Knot, Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

At = float | Sequence[float] | Mapping[str, float]
"""Penalties to mark: one, several, or several with a label each, such as the rule that chose it."""

# Least room between two ticks, as a part of the axis, and what is left free at its ends.
_APART, _SPARE = 0.11, 1.04
_DECADE = 10.0


class Priced(Protocol):
    """What is needed of a path: graphs at penalties, and the graph at any other."""

    @property
    def knots(self) -> tuple[Knot, ...]:
        """Graphs with ascending penalties."""

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
    def stopped(self) -> str:
        """Why it ended, in words."""

    def at(self, penalty: float, /) -> UGraph:
        """The graph at a penalty."""


class Mark(NamedTuple):
    """A penalty to mark, the number of edges of its graph, and what is said of it."""

    penalty: float
    edges: int
    words: str


def marks_of(path: Priced, at: At) -> list[Mark]:
    """Ask a path for the graphs at penalties.

    A path that can solve is asked for the very penalty. A plain `Path` that was solved at single
    penalties knows no graph between two of them: the mark is then where its graph was solved for.

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
        asked = np.atleast_1d(np.asarray(penalties, dtype=float)).tolist()
    except (TypeError, ValueError):
        raise FitError(
            f"at= is a penalty, several, or a mapping of labels to them, got {at!r}."
        ) from None
    return [_mark(path, each, label) for each, label in zip(asked, labels_of(at), strict=True)]


def labels_of(at: At) -> list[str]:
    """The labels of penalties to mark; empty words where there are none."""
    return [str(each) for each in at] if isinstance(at, Mapping) else [""] * np.size(at)


def _mark(path: Priced, penalty: float, label: str) -> Mark:
    place, more = penalty, ""
    if isinstance(path, Path) and path.grid:
        place = path.knot(penalty).penalty
        solved = np.isclose(place, penalty, rtol=1e-9)
        more = "" if solved else f" ({penalty:.4g} was not solved for)"
    edges = path.at(penalty).n_edges
    words = f"{label}{': ' if label else ''}{edges} edge{'s' * (edges != 1)}"
    # A label stands for its penalty, which the axis tells.
    return Mark(place, edges, words + ("" if label and not more else f" at {place:.4g}{more}"))


def set_penalties(
    axes: "Axes", penalties: Iterable[float], *, unit: str, grid: bool, linear: bool = False
) -> None:
    """Give the axis of penalties its scale, round ticks that do not crowd, its ends and its name.

    Parameters
    ----------
    axes : matplotlib's.
    penalties : all that must be on it.
    unit : of the penalties; empty where it is not known.
    grid : whether they were solved for one by one.
    linear : whether even steps are asked for.
    """
    axes.set_xlabel(f"penalty ({unit})" if unit else "penalty", **PLAIN)
    known = [each for each in penalties if 0 <= each < np.inf]
    far = max((each for each in known if each > 0), default=1.0)
    near = min(known, default=0.0)
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
    # Powers of ten first, then what has room beside them.
    found = sorted(_round(low, high), key=lambda x: not np.isclose(np.log10(x) % 1, (0, 1)).any())
    wide = np.log(high / low)
    _set_ticks(axes, sorted(_spread(found, lambda x: float(np.log(x / low) / wide), ends=False)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(low, high)


def _set_ticks(axes: "Axes", ticks: list[float]) -> None:
    axes.set_xticks(ticks, [f"{each:g}" for each in ticks])


def _root(x: NDArray[np.float64]) -> NDArray[np.float64]:
    # matplotlib also asks for places left of the axis
    return np.sqrt(np.maximum(x, 0.0))


def _round(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two numbers, the largest first."""
    powers = range(int(np.floor(np.log10(high))), int(np.floor(np.log10(low))) - 1, -1)
    found = (float(f"{digit}e{power}") for power in powers for digit in (5, 2, 1))
    return [each for each in found if low <= each <= high]


def _spread(
    ticks: Iterable[float], place: Callable[[float], float], ends: bool = True
) -> list[float]:
    """Those of some ticks that have room; the first ones have it. `ends` keeps the origin clear."""
    kept: list[float] = []
    for each in ticks:
        taken = [place(other) for other in kept] + [0.0] * ends
        if all(abs(place(each) - other) > _APART for other in taken):
            kept.append(each)
    return sorted(kept)
