"""What searches and paths return: graphs, their scores, the way there and why it stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from arcwise.graphs import DAG, UGraph

__all__ = ["ASKED", "Knot", "Path", "Result", "Step", "Watch"]

ASKED = "asked to stop"
"""Why a search ended whose watcher asked it to."""


@dataclass(frozen=True)
class Step:
    """One step of a search: what was done to which arc, and where that led.

    `what` is a word such as "add", "drop", "flip", "insert", "delete", "turn", "restart"; `tail` and
    `head` are column numbers (-1 where the step concerns no single arc); `score` is the total after
    the step, `elapsed` the seconds since the start.
    """

    number: int
    what: str
    tail: int
    head: int
    score: float
    edges: int
    elapsed: float


Watch = Callable[[Step], bool | None]
"""A wish to be told of each step; returning True asks the search to stop with the best so far."""


@dataclass(frozen=True)
class Result:
    """A graph found by a search.

    `stopped` says in words why the search ended; `optimal` is True only where the graph is proved
    to have the best score of all graphs that the rules allow.
    """

    graph: DAG
    score: float
    trace: tuple[Step, ...]
    stopped: str
    optimal: bool = False


class Knot(NamedTuple):
    """A graph of a path, and the penalty above which it takes the place of the one before."""

    penalty: float
    graph: UGraph


@dataclass(frozen=True)
class Path:
    """Undirected graphs against the price of an edge.

    `knots` have ascending penalties, the first 0; `unit` is the penalty's. `trace` holds every step
    of the way, `stopped` says in words why it ended.
    """

    knots: tuple[Knot, ...]
    unit: str
    trace: tuple[Step, ...]
    stopped: str

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.knots[0].graph.nodes

    def at(self, penalty: float) -> UGraph:
        """The graph at a penalty: the last one whose knot lies below it."""
        reached = [knot.graph for knot in self.knots[1:] if knot.penalty < penalty]
        return reached[-1] if reached else self.knots[0].graph
