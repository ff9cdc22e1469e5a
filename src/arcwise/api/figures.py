"""The figures of a network, as methods: each calls one function of `arcwise.plot`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arcwise.conditionals import Fits
from arcwise.data import Source, Table, conform
from arcwise.errors import DataError, FitError
from arcwise.evaluate import EdgeTable, SearchCurve, search_curve
from arcwise.graphs import DAG, UGraph
from arcwise.networks import Net
from arcwise.notes import Fix
from arcwise.results import Step
from arcwise.values import clear_methods

if TYPE_CHECKING:
    from arcwise.plot import Axes
    from arcwise.plot.layout import Positions


@clear_methods
class Figures(ABC):
    """What can be drawn of a network with matplotlib; each method returns matplotlib's axes."""

    @property
    @abstractmethod
    def graph(self) -> DAG | UGraph:
        """The graph."""

    @property
    @abstractmethod
    def edges(self) -> EdgeTable:
        """The table of edges."""

    net: Net
    data: Source | None
    fits: Fits | None
    trace: tuple[Step, ...]

    def plot(
        self,
        *,
        target: str | None = None,
        top: int | None = None,
        positions: Positions | None = None,
        strongest: float | None = None,
        title: str | None = None,
        legend: bool = True,
        numbers: bool = False,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the graph: width is strength, colour the sign of the effect, darkness the certainty.

        Parameters
        ----------
        target : a variable to stress together with its Markov blanket.
        top : draw only this many of the strongest edges; a caption names the rest. Graphs of more than 200
            nodes or 400 edges are drawn by their 100 strongest edges.
        positions : a mapping of names to (x, y), "circle", names in the order of a circle, or another graph
            whose positions are used.
        strongest : the strength of the widest line, so that figures can share a scale.
        title : a line above the figure.
        legend : whether to explain widths, colours and heads.
        numbers : whether to write the strengths at the lines.
        ax : where to draw; a new figure that suits the graph if left out.
        """
        from arcwise.plot import plot_graph

        return plot_graph(
            self.graph,
            edges=self.edges,
            ax=ax,
            target=target,
            top=top,
            positions=positions,
            strongest=strongest,
            title=title,
            legend=legend,
            numbers=numbers,
        )

    def plot_local(
        self,
        name: str,
        against: str | Sequence[str] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        level: Any = None,
        rows: bool = True,
        title: str | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the local model of a variable against one or two of its parents (undirected: neighbours).

        Parameters
        ----------
        name : the variable.
        against : one or two of its parents; by default the one that moves it most.
        given : values of the other parents; by default medians and most frequent levels.
        level : the level whose probability is drawn against two parents; the last one by default.
        rows : whether to draw the rows of the data, moved to the values of the other parents.
        title : a line above the figure.
        ax : where to draw; a new figure if left out.
        """
        from arcwise.plot import plot_local

        data = self.data if rows and isinstance(self.data, Table) else None
        return plot_local(
            self.net, name, against, data=data, given=given, level=level, title=title, ax=ax
        )

    def plot_differences(
        self,
        other: Any,
        *,
        names: tuple[str, str] = ("this graph", "the other"),
        positions: Positions | None = None,
        title: str | None = None,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw two graphs as one: common edges in grey, others in colour.

        Arcs have heads as in the table of edges, so that directions differ only if both are claimed.

        Parameters
        ----------
        other : a network, or a graph over the same variables in any form.
        names : what the legend calls the two.
        positions : as for `plot`.
        title : a line above the figure.
        legend : whether to explain the colours and to count the edges.
        ax : where to draw; a new figure if left out.
        """
        from arcwise.plot import plot_differences

        graph = other.edges.drawn(other.graph) if isinstance(other, Figures) else other
        more: dict[str, Any] = {"positions": positions, "title": title, "legend": legend, "ax": ax}
        return plot_differences(self.edges.drawn(self.graph), graph, names=names, **more)

    def plot_pairs(
        self,
        first: str,
        second: str,
        *,
        neighbours: int = 3,
        data: Any = None,
        title: str | None = None,
    ) -> list[Axes]:
        """Draw the rows of two variables and of their neighbours, pair by pair, next to their edges.

        Parameters
        ----------
        first, second : two variables, adjacent or not.
        neighbours : how many of their neighbours are drawn, too: those with the strongest edges to the two.
        data : the rows; by default those that the network was learned from.
        title : a line above the figure.
        """
        from arcwise.plot import plot_pairs

        rows = self.data if data is None else conform(data, self.net.variables)
        if not isinstance(rows, Table):
            raise DataError(
                "Pairs need rows: give {data=} to a network that was loaded or built manually.",
                fixes=[Fix("data")],
            )
        names = (first, second, *self._strongest_neighbours((first, second), neighbours))
        graph = self.edges.drawn(self.graph)
        return plot_pairs(rows, graph, names, edges=self.edges, title=title)

    def _strongest_neighbours(self, pair: tuple[str, str], count: int) -> list[str]:
        """The neighbours of two variables, those with the strongest edges first."""
        for name in pair:
            self.net.index(name)
        best: dict[str, float] = {}
        for row in self.edges.present:
            for end, other in ((row.first, row.second), (row.second, row.first)):
                if end in pair and other not in pair:
                    strength = row.strength if row.strength == row.strength else 0.0
                    best[other] = max(best.get(other, strength), strength)
        return sorted(best, key=lambda name: (-best[name], name))[: max(count, 0)]

    def plot_trace(self, test: Any = None, *, ax: Axes | None = None) -> Axes:
        """Draw the score against the steps of the search; with test rows, their likelihood, too.

        Parameters
        ----------
        test : rows that were not used in learning. Then the curves are the log-likelihood of the training
            rows (leave-one-out) and of these, in nats per row; directed searches that move single arcs.
        ax : where to draw; a new figure if left out.
        """
        from arcwise.plot import plot_search_curve, plot_trace

        source: Any = self
        if test is None:
            return plot_trace(source, ax=ax)
        return plot_search_curve(self.search_curve(test), ax=ax)

    def search_curve(self, test: Any) -> SearchCurve:
        """Return the training (leave-one-out) and test likelihood after each step of the search.

        Parameters
        ----------
        test : rows that were not used in learning, without missing values.
        """
        if self.fits is None or not self.graph.directed:
            raise FitError("Curves need a directed network that was learned in this session.")
        rows = conform(test, self.net.variables)
        if rows.missing().any():
            raise DataError("Test rows must have no missing value: give rows.complete().")
        return search_curve(self.fits, self.graph, self.trace, rows)

    def plot_tuning(self, *, ax: Axes | None = None, title: str | None = None) -> Axes:
        """Draw the criterion that chose the penalty against the penalty."""
        from arcwise.api.describe import plot_tuning

        source: Any = self
        return plot_tuning(source, ax=ax, title=title)
