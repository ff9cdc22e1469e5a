"""Axes of small diagrams, and names in boxes: broken into lines, and measured before anything is drawn.

Names are plain text: a dollar sign or an underscore means itself, never mathematics. A long name is
broken after blanks and joining marks; a very long one loses its middle, never its ends.
"""

import re
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FileError
from arcwise.io.files import write_bytes

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


# -- texts ----------------------------------------------------------------------------------------


FONT_SIZE = 10.0
"""Points; the size for which a layout is made."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""Options for texts in which every character stands for itself."""

# Letters a line, and letters a name may have before its middle is left out.
_LINE, _LONGEST = 18, 72
# Inches between text and box at the sides, above and below; smallest width of a box.
_PAD, _NARROWEST = (0.09, 0.07), 0.42
# Inches of box for each line that ends there, and how far that may widen a box.
_PORT, _WIDENED = 0.13, 2.0
_LEADING = 1.25


def label(name: str) -> str:
    r"""Break a name into lines that fit a box.

    Examples
    --------
    >>> label("total_sulfur_dioxide_of_the_wine")
    'total_sulfur_\ndioxide_of_the_\nwine'
    """
    text = "".join(each if each.isprintable() else " " for each in name).strip() or "·"
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"
    lines = [""]
    for part in _parts(text):
        if lines[-1] and len((lines[-1] + part).rstrip()) > _LINE:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines if line.strip())


def _parts(text: str) -> list[str]:
    """Pieces after which a line may end; what has no such place is cut to length."""
    words = re.findall(r"[^\s_.\-/:]*[\s_.\-/:]+|[^\s_.\-/:]+", text)
    return [word[i : i + _LINE] for word in words for i in range(0, len(word), _LINE)]


def text_width(lines: Sequence[str], size: float) -> float:
    """Inches that the longest of some lines takes in a size given in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    ruler, font = TextToPath(), FontProperties(size=size)
    found = [ruler.get_text_width_height_descent(line, font, ismath=False)[0] for line in lines]
    return float(max(found)) / 72


def boxes(labels: Sequence[str], ends: Sequence[int] | None = None) -> NDArray[np.float64]:
    """Measure the boxes for texts.

    Parameters
    ----------
    labels : the texts, broken into lines.
    ends : how many lines end at the same side of each box, where they need room there.

    Returns
    -------
    Width and height of each box, inches.
    """
    sizes = np.zeros((len(labels), 2))
    for i, (text, count) in enumerate(zip(labels, ends or [0] * len(labels), strict=True)):
        lines = text.split("\n")
        wide = text_width(lines, FONT_SIZE) + 2 * _PAD[0]
        high = len(lines) * _LEADING * FONT_SIZE / 72 + 2 * _PAD[1]
        sizes[i] = max(wide, _NARROWEST, min(_PORT * (count + 1), _WIDENED)), high
    return sizes
