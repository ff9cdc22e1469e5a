"""Results on a page: figures of graphs as SVG, from plain numbers.

Graphs do not depend on the layout code. The package that draws them registers a function once:

>>> before = pictures_by(lambda graph: f"<svg>{graph}</svg>")
>>> picture("a graph")
'<svg>a graph</svg>'
>>> _ = pictures_by(before)
"""

from collections.abc import Callable
from typing import Any

from arcwise.view.page import page
from arcwise.view.svg import UNIT, Box, Stroke, svg

__all__ = ["UNIT", "Box", "Stroke", "figure", "figures_by", "page", "picture", "pictures_by", "svg"]

Drawer = Callable[[Any], str | None]

_drawers: list[Drawer] = [lambda graph: None]

_figures: list[Callable[[], Any]] = []


def figures_by(library: Callable[[], Any]) -> None:
    """Register the function that returns the drawing package, for values in lower packages."""
    _figures[:] = [library]


def figure(name: str) -> Callable[..., Any]:
    """Return a function of the package that draws, such as "plot_belief"."""
    function: Callable[..., Any] = getattr(_figures[0](), name)
    return function


def pictures_by(drawer: Drawer) -> Drawer:
    """Register the function that draws a graph as HTML; return the one before."""
    before, _drawers[0] = _drawers[0], drawer
    return before


def picture(graph: Any) -> str | None:
    """Return a graph as HTML; None if it cannot be drawn."""
    return _drawers[0](graph)
