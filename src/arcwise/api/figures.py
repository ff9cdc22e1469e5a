"""The figures of a network, as methods: each calls one function of `arcwise.plot`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from arcwise.evaluate import EdgeTable
from arcwise.graphs import DAG, UGraph

if TYPE_CHECKING:
    from arcwise.plot import Axes
    from arcwise.plot.layout import Positions


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
        """Draw the graph: width is strength, colour the sign of the effect, and ink the certainty.

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

    def plot_trace(self, *, ax: Axes | None = None) -> Axes:
        """Draw the score against the steps of the search."""
        from arcwise.plot import plot_trace

        source: Any = self
        return plot_trace(source, ax=ax)

    def plot_tuning(self, *, ax: Axes | None = None, title: str | None = None) -> Axes:
        """Draw what the penalty was chosen by against the penalty."""
        from arcwise.api.describe import plot_tuning

        source: Any = self
        return plot_tuning(source, ax=ax, title=title)
