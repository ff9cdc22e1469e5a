"""Axes of small diagrams: steps of a search, edges against penalty."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

__all__ = ["small_axes", "whole_numbers"]


def small_axes(inches: tuple[float, float] = (5.0, 3.0)) -> "Axes":
    """Axes of a new figure that is as large as a diagram in a text."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=inches, layout="constrained")[1]


def whole_numbers() -> "Locator":
    """Ticks at whole numbers, for what is counted."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, min_n_ticks=1, steps=(1, 2, 5, 10))
