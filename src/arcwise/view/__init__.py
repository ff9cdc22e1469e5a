"""What results look like on a page: figures of graphs as SVG, made from plain numbers.

Graphs know of no layout, so that they cannot draw themselves. Whoever can draw them says so once:

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
    """Set what returns the package that draws with matplotlib, for values below that package."""
    _figures[:] = [library]


def figure(name: str) -> Callable[..., Any]:
    """Return a function of the package that draws, such as "plot_belief"."""
    function: Callable[..., Any] = getattr(_figures[0](), name)
    return function


def pictures_by(drawer: Drawer) -> Drawer:
    """Set what draws a graph as HTML; give what did so before."""
    before, _drawers[0] = _drawers[0], drawer
    return before


def picture(graph: Any) -> str | None:
    """Return a graph as HTML; None if it cannot be drawn."""
    return _drawers[0](graph)
