"""The kinds of graphs that can be learned. `GRAPHS` is the register: word to what learning it means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.api import directed, lasso, solved, undirected
from arcwise.api.recipe import Learned, Recipe
from arcwise.api.solved import Solved
from arcwise.api.undirected import Walked
from arcwise.data import Moments, Table
from arcwise.errors import GraphError, unknown
from arcwise.networks import Net
from arcwise.results import Watch

__all__ = ["GRAPHS", "Kind", "kind_for", "kind_of", "run"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A kind of graph: how words and data become a task, and how it is done.

    `grid` are penalties worth trying, `along` gives a network for each of several penalties, and
    `log_density` says what such networks are compared by on rows that they have not seen. `walk` finds
    the graphs at many penalties where one run tells them all. `rule` finds the penalty where none is
    given.
    """

    task: Callable[[Recipe, Table | Moments], Any]
    learn_on: Callable[[Any, Watch | None], Learned]
    grid: Callable[[Recipe, Table, float], Array]
    along: Callable[[Recipe, Table, Array, Watch | None], list[Net] | None]
    log_density: Callable[[Net, Table], Array]
    walk: Callable[[Any, Watch | None], Walked | Solved]
    rule: str | None = None


def _no_walk(task: Any, watch: Watch | None) -> Walked | Solved:
    """Directed graphs are searched for at each penalty anew."""
    raise GraphError(
        "A path takes edges out of the complete undirected graph one by one; directed graphs are "
        "searched for at each penalty anew: call learn(..., penalty=...) for each of them."
    )


GRAPHS: dict[str, Kind] = {
    "directed": Kind(
        directed.bench,
        directed.learn_on,
        lambda recipe, table, usual: directed.grid(len(table.names), table.total, usual),
        directed.along,
        directed.log_density,
        _no_walk,
    ),
    "undirected": Kind(
        undirected.bench,
        undirected.learn_on,
        lambda recipe, table, usual: undirected.grid(len(table.names), table.total, usual),
        undirected.along,
        undirected.log_density,
        undirected.walk,
    ),
}

LASSO = Kind(
    lasso.task,
    solved.learn_on,
    lambda recipe, table, usual: solved.grid(recipe, table),
    solved.along,
    undirected.log_density,
    solved.walk,
    "ebic",
)
"""Undirected Gaussian networks at a penalty: where one is given, or the lasso asked for."""

STEPWISE = Kind(
    lasso.task,
    solved.learn_stepwise,
    lambda recipe, table, usual: np.zeros(0),
    lambda recipe, source, penalties, watch: None,
    undirected.log_density,
    _no_walk,
)
"""Undirected Gaussian networks, unless another search, a score or a penalty is asked for. They have none."""


def kind_of(word: object) -> Kind:
    """What a word for a kind of graph means."""
    if not isinstance(word, str) or word not in GRAPHS:
        raise unknown("kind of graph", word, GRAPHS)
    return GRAPHS[word]


def kind_for(recipe: Recipe, source: Table | Moments) -> Kind:
    """The kind of graph that a recipe asks for, with the way to learn it."""
    kind = kind_of(recipe.graph)
    if recipe.graph != "undirected" or not lasso.meant(recipe, source):
        return kind
    return STEPWISE if lasso.by_steps(recipe) else LASSO


def run(recipe: Recipe, source: Table | Moments, watch: Watch | None = None) -> Learned:
    """Learn a network from a table or from moments."""
    kind = kind_for(recipe, source)
    return kind.learn_on(kind.task(recipe, source), watch)
