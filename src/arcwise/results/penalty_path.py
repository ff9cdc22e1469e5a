"""Undirected graphs against the penalty per edge, as a value and as a table of removed edges.

If edges are removed one at a time, the graph at a penalty is the one before the first removal that costs at
least the penalty. If each penalty was solved separately, each knot is a penalty with its graph.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from arcwise.errors import FitError
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs import UGraph
from arcwise.notes import NOT_STOPPED, Stop
from arcwise.results.searches import Step

__all__ = ["EdgeAt", "Knot", "Path", "Removal"]

_INFINITE = float("inf")
_SHOWN = 40
"""Removals that are printed: the last ones, of the strongest edges."""


class Knot(NamedTuple):
    """A graph of a path, and the penalty above which it replaces the one before.

    The first knot is the exception: its graph is that at penalty 0, without edges of zero gain. If
    the graph has a precision matrix, as from the graphical lasso, `partial_correlations` are those of its
    edges, in their order, shrunk by the penalty; None if there are none.
    """

    penalty: float
    graph: UGraph
    partial_correlations: tuple[float, ...] | None = None


class EdgeAt(NamedTuple):
    """An edge of the graph at a penalty; its partial correlation there is None if not known."""

    penalty: float
    first: str
    second: str
    partial_correlation: float | None


class Removal(NamedTuple):
    """The removal of one edge on a path.

    `losses` are the losses of the local models of `first` and of `second` by the removal, in the path's unit;
    negative if a model improves. The graph at a penalty lacks the edge if `penalty`, the largest strength up
    to this removal, is smaller or is not above 0. `edges` is the number of remaining edges.
    """

    first: int
    second: int
    losses: tuple[float, float]
    penalty: float
    edges: int

    @property
    def strength(self) -> float:
        """The larger loss of the two sides: minus the edge-removal score."""
        return max(self.losses)


@dataclass(frozen=True, repr=False)
class Path(Framed):
    """Undirected graphs against the penalty per edge.

    Parameters
    ----------
    knots : graphs with ascending penalties, the first 0.
    unit : the penalty's.
    trace : all steps of the search.
    stopped : the reason for its end.
    removals : the edges in the order of removal, if removed one at a time.
    reach : the largest penalty whose graph is known; infinite unless the search was stopped early.
    grid : whether each penalty was solved separately, as in the graphical lasso: the first need
        not be 0, a knot's graph is the one AT its penalty, and penalties between two knots get the graph
        of the larger.

    Examples
    --------
    >>> start = UGraph.from_edges([("a", "b"), ("b", "c")])
    >>> path = Path.of_removals(start, [Removal(0, 1, (0.1, 0.2), 0.2, 1)], "nats per row")
    >>> path.at(0.2), path.at(0.3)
    (<UGraph a:b + b:c>, <UGraph b:c + a>)
    """

    knots: tuple[Knot, ...]
    unit: str
    trace: tuple[Step, ...]
    stopped: Stop
    removals: tuple[Removal, ...] = ()
    reach: float = _INFINITE
    grid: bool = False

    @classmethod
    def of_removals(
        cls,
        start: UGraph,
        removals: Iterable[Removal],
        unit: str,
        *,
        trace: Sequence[Step] = (),
        stopped: Stop = NOT_STOPPED,
        whole: bool = True,
    ) -> Self:
        """Make the path of edges that go one at a time.

        Parameters
        ----------
        start : the graph before the first removal.
        removals : in their order.
        unit : the penalty's.
        trace : the steps of the search.
        stopped : the reason for its end.
        whole : whether it was complete; otherwise only graphs at penalties up to the largest strength
            are known.
        """
        gone = tuple(removals)
        reach = (
            _INFINITE if whole else max((removal.strength for removal in gone), default=-_INFINITE)
        )
        return cls(_knots(start, gone), unit, tuple(trace), stopped, gone, reach)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Return the names of the variables."""
        return self.knots[0].graph.nodes

    @property
    def last(self) -> UGraph:
        """The last graph of the path; if stopped early, the graph at that point."""
        return self.knots[-1].graph

    def at(self, penalty: float) -> UGraph:
        """Return the graph at a penalty: the last one whose knot lies below it; on a grid, see there.

        Raises
        ------
        FitError : the penalty is no non-negative number, or the path was stopped early before it.
        """
        return self.knot(penalty).graph

    def knot(self, penalty: float) -> Knot:
        """Return the knot whose graph is the one at a penalty; on a grid it has the penalty that was solved.

        Raises
        ------
        FitError : as `at`.
        """
        if not penalty >= 0:
            raise FitError(
                f"The penalty must be a non-negative number ({self.unit}), got {penalty}."
            )
        if penalty > self.reach:
            far = "it had no step yet: allow more time"
            if self.reach >= 0:
                far = (
                    f"it goes as far as {self.reach:.4g}: use a smaller penalty, or allow more time"
                )
            raise FitError(
                f"The path has no graph at penalty {penalty:g}: it ended early ({self.stopped}), "
                f"and {far}."
            )
        if self.grid:
            return self._knot_at(penalty)
        reached = [knot for knot in self.knots[1:] if knot.penalty < penalty]
        return reached[-1] if reached else self.knots[0]

    def _knot_at(self, penalty: float) -> Knot:
        """Return the knot at the penalty of a grid, or at the next larger; beyond the largest, that."""
        near = self.knots[0].penalty
        if penalty < near * (1 - 1e-12):
            raise FitError(
                f"The path was solved down to penalty {near:.4g}, and has no graph at "
                f"{penalty:g}: learn at that penalty, or use a path with smaller ones."
            )
        above = (knot for knot in self.knots if knot.penalty * (1 + 1e-12) >= penalty)
        return next(above, self.knots[-1])

    def curve(self) -> list[tuple[float, int]]:
        """Return the edges against penalty: from each of these penalties on there are this many edges."""
        return [(knot.penalty, knot.graph.n_edges) for knot in self.knots]

    def edge_rows(self) -> list[EdgeAt]:
        """Return a long table: one row for each penalty of the curve and each edge of the graph there.

        Examples
        --------
        >>> pair = UGraph.complete(["a", "b"])
        >>> Path((Knot(0.1, pair, (0.6,)),), "rho", (), Stop(), grid=True).edge_rows()
        [EdgeAt(penalty=0.1, first='a', second='b', partial_correlation=0.6)]
        """
        rows = []
        for knot in self.knots:
            edges = knot.graph.edges
            values = knot.partial_correlations or (None,) * len(edges)
            rows += [
                EdgeAt(knot.penalty, *edge, value)
                for edge, value in zip(edges, values, strict=True)
            ]
        return rows

    def strengths(self) -> dict[tuple[str, str], float]:
        """Return the strength of each edge when it was removed, in the order in which they went."""
        return {
            (self.nodes[removal.first], self.nodes[removal.second]): removal.strength
            for removal in self.removals
        }

    def document(self) -> dict[str, Any]:
        """Return all but the trace as plain values, for JSON; an infinite reach is None."""
        return {
            "nodes": list(self.nodes),
            "unit": self.unit,
            "grid": self.grid,
            "stopped": str(self.stopped),
            "stop_reason": self.stopped.reason.value,
            "reach": self.reach if abs(self.reach) < _INFINITE else None,
            "whole": self.reach == _INFINITE,
            "knots": [_plain_knot(knot) for knot in self.knots],
            "removals": [_plain(removal, self.nodes) for removal in self.removals],
        }

    def _summary(self) -> str:
        most, least = self.knots[0].graph.n_edges, self.last.n_edges
        return f"{len(self.nodes)} variables: {most} to {least} edges"

    @property
    def frame(self) -> Frame:
        """Return one row per removed edge; without removals, one per penalty."""
        title = f"Path of {self._summary()}, penalty in {self.unit}; {self.stopped}\n"
        return replace(_removal_frame(self) if self.removals else _curve_frame(self), title=title)

    @property
    def display(self) -> Frame:
        """The last removals, or the first penalties."""
        frame = self.frame
        first = max(len(frame) - _SHOWN, 0) if self.removals else 0
        last_rows = frame.take(range(first, min(first + _SHOWN, len(frame))))
        if first:
            return replace(last_rows, title=f"{frame.title}... {first} removals before these\n")
        rest = len(frame) - len(last_rows)
        return replace(last_rows, notes=(f"... and {rest} more",) if rest else ())


def _knots(start: UGraph, removals: Iterable[Removal]) -> tuple[Knot, ...]:
    """Return the graphs between which the penalty decides: the last before each rise of the price."""
    knots, graph = [Knot(0.0, start)], start
    for removal in removals:
        graph = graph.without_edge(removal.first, removal.second)
        first_stays = (
            len(knots) == 1 and removal.penalty > 0
        )  # it is the graph at 0: nothing worth 0 is in it
        if first_stays or removal.penalty > knots[-1].penalty:
            knots.append(Knot(removal.penalty, graph))
        else:
            knots[-1] = Knot(knots[-1].penalty, graph)
    return tuple(knots)


def _plain_knot(knot: Knot) -> dict[str, Any]:
    plain = {"penalty": knot.penalty, "edges": [list(edge) for edge in knot.graph.edges]}
    if knot.partial_correlations is None:
        return plain
    return {**plain, "partial_correlations": list(knot.partial_correlations)}


def _plain(removal: Removal, nodes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "first": nodes[removal.first],
        "second": nodes[removal.second],
        "strength": removal.strength,
        "losses": list(removal.losses),
        "penalty": max(removal.penalty, 0.0),
        "edges": removal.edges,
    }


def _removal_frame(path: Path) -> Frame:
    """Return the removals as a table."""
    gone = path.removals
    first, second = (
        [path.nodes[end] for end in ends] for ends in zip(*(x[:2] for x in gone), strict=True)
    )
    edges = [f"{one} -- {two}" for one, two in zip(first, second, strict=True)]
    return Frame(
        (
            Series("edges", [removal.edges for removal in gone], head="edges left"),
            Series(
                "penalty", [max(removal.penalty, 0.0) for removal in gone], ".4f", "from penalty"
            ),
            Series("edge", edges, head="edge removed"),
            Series("first", first, shown=False),
            Series("second", second, shown=False),
            Series("first_loss", [removal.losses[0] for removal in gone], ".4f", "first loses"),
            Series("second_loss", [removal.losses[1] for removal in gone], ".4f", "second loses"),
            Series("strength", [removal.strength for removal in gone], ".4f", shown=False),
        )
    )


def _curve_frame(path: Path) -> Frame:
    """Return the edges against penalty as a table."""
    penalties, edges = zip(*path.curve(), strict=True)
    head = f"{'at' if path.grid else 'from'} penalty".rjust(12)
    return Frame(
        (Series("edges", edges, head="edges left"), Series("penalty", penalties, ".4f", head))
    )
