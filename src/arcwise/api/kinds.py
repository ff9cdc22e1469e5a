"""The kinds of graphs that can be learned. `GRAPHS` is the register: word to what learning it means."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.api import directed, undirected
from arcwise.api.recipe import Bench, Learned, Recipe
from arcwise.data import Moments, Table
from arcwise.errors import unknown
from arcwise.networks import Net
from arcwise.results import Watch

__all__ = ["GRAPHS", "Kind", "kind_of", "run"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A kind of graph: how words and data are laid out for it, and how it is learned.

    `grid` are penalties worth trying, `along` gives a network for each of several penalties, and
    `log_density` says what such networks are compared by on rows that they have not seen.
    """

    bench: Callable[[Recipe, Table | Moments], Bench]
    learn_on: Callable[[Bench, Watch | None], Learned]
    grid: Callable[[int, float, float], Array]
    along: Callable[[Recipe, Table, Array, Watch | None], list[Net] | None]
    log_density: Callable[[Net, Table], Array]


GRAPHS: dict[str, Kind] = {
    "directed": Kind(
        directed.bench, directed.learn_on, directed.grid, directed.along, directed.log_density
    ),
    "undirected": Kind(
        undirected.bench,
        undirected.learn_on,
        undirected.grid,
        undirected.along,
        undirected.log_density,
    ),
}


def kind_of(word: object) -> Kind:
    """What a word for a kind of graph means."""
    if not isinstance(word, str) or word not in GRAPHS:
        raise unknown("kind of graph", word, GRAPHS)
    return GRAPHS[word]


def run(recipe: Recipe, source: Table | Moments, watch: Watch | None = None) -> Learned:
    """Learn a network from a table or from moments."""
    kind = kind_of(recipe.graph)
    return kind.learn_on(kind.bench(recipe, source), watch)
