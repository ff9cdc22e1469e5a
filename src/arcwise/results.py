"""What a search returns: the graph, its score, the way there and why it stopped."""

from collections.abc import Callable
from dataclasses import dataclass

from arcwise.graphs import DAG

__all__ = ["ASKED", "Result", "Step", "Watch"]

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
