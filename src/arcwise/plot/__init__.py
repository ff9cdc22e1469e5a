"""Figures: positions of nodes computed without drawing, and drawings with matplotlib.

matplotlib (the extra `plot`) is imported only when something is drawn.
"""

from typing import TYPE_CHECKING

from arcwise.plot.axes import PICTURES, save_picture
from arcwise.plot.belief_curves import plot_belief, plot_beliefs
from arcwise.plot.dependence import plot_local
from arcwise.plot.differences import plot_differences
from arcwise.plot.graph import GraphFigure, plot_graph, plot_graphs
from arcwise.plot.layout import Layout, arrange
from arcwise.plot.missing_rows import plot_missing
from arcwise.plot.pair_panels import plot_pairs
from arcwise.plot.path_curves import EdgePathFigure, PathFigure, plot_edge_path, plot_path
from arcwise.plot.static import graph_html, graph_svg
from arcwise.plot.trace import (
    plot_calibration,
    plot_probabilities,
    plot_reliability,
    plot_scores,
    plot_search_curve,
    plot_trace,
)
from arcwise.plot.tuning_curve import plot_tuning

if TYPE_CHECKING:
    from matplotlib.axes import (
        Axes as Axes,  # the type of what is returned, for signatures elsewhere
    )

__all__ = [
    "PICTURES",
    "EdgePathFigure",
    "GraphFigure",
    "Layout",
    "PathFigure",
    "arrange",
    "graph_html",
    "graph_svg",
    "plot_belief",
    "plot_beliefs",
    "plot_calibration",
    "plot_differences",
    "plot_edge_path",
    "plot_graph",
    "plot_graphs",
    "plot_local",
    "plot_missing",
    "plot_pairs",
    "plot_path",
    "plot_probabilities",
    "plot_reliability",
    "plot_scores",
    "plot_search_curve",
    "plot_trace",
    "plot_tuning",
    "save_picture",
]
