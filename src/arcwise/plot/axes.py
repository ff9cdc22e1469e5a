"""Axes of small diagrams: steps of a search, edges against penalty."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.errors import FileError
from arcwise.io.files import write_bytes
from arcwise.plot.labels import PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

PICTURES = (".png", ".pdf", ".svg")
"""What the name of a picture may end in."""


def small_axes(inches: tuple[float, float] = (5.0, 3.0)) -> "Axes":
    """Axes of a new figure that is as large as a diagram in a text."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=inches, layout="constrained")[1]


def entitle(axes: "Axes", title: str | None) -> None:
    """Write a line above a diagram, where there is one to write."""
    if title is not None:
        axes.set_title(title, loc="left", fontsize=10, **PLAIN)


def whole_numbers(most: int = 9) -> "Locator":
    """Ticks at whole numbers, for what is counted; about so many at most."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, integer=True, min_n_ticks=1, steps=(1, 2, 5, 10))


def save_picture(draw: Callable[[], Any], place: Path) -> None:
    """Draw axes, and write the picture whole or not at all; the end of its name says of which kind it is.

    Raises
    ------
    FileError : matplotlib is not there, or the place cannot be written to.
    """
    try:
        axes = draw()
    except ImportError:
        raise FileError(
            "No picture can be drawn: pip install 'arcwise[plot]' brings what it needs."
        ) from None
    import matplotlib.pyplot as plt

    content = BytesIO()
    kind = Path(place.name.lower().removesuffix(".gz")).suffix.lstrip(".")
    axes.figure.savefig(content, format=kind, dpi=150, bbox_inches="tight")
    plt.close(axes.figure)
    write_bytes(place, content.getvalue())
