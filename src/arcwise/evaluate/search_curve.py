"""Training and test likelihood along the steps of a search (Hofmann and Tresp 1995, fig. 1).

A search climbs the score of its rows. The log-likelihood of other rows rises with it as long as arcs
carry information on them, and falls once the search fits noise.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.data import Table
from arcwise.errors import FitError
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs import DAG
from arcwise.notes import Fix
from arcwise.results import Step

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SearchCurve(Framed):
    """Log-likelihoods after each step of a search, in nats per row.

    Parameters
    ----------
    steps, edges : the number of each step, 0 for the start, and the edges after it.
    train : of the training rows, each under the model of all others (leave-one-out).
    test : of rows that were not used in learning.
    """

    steps: NDArray[np.intp]
    edges: NDArray[np.intp]
    train: Array
    test: Array

    @property
    def best(self) -> int:
        """The place of the step with the largest test likelihood."""
        return int(np.argmax(self.test))

    @property
    def frame(self) -> Frame:
        """Return one row per step."""
        return Frame(
            (
                Series("step", self.steps),
                Series("edges", self.edges),
                Series("train", self.train, ".4f", head="train (leave-one-out)"),
                Series("test", self.test, ".4f"),
            ),
            notes=(f"largest test likelihood after step {self.steps[self.best]}; nats per row",),
        )


def search_curve(fits: Fits, graph: DAG, trace: Sequence[Step], test: Table) -> SearchCurve:
    """Return the training and the test likelihood along the single-arc steps of a search.

    Parameters
    ----------
    fits : the local models of the training rows.
    graph : the graph after the steps; the start follows from it.
    trace : the steps of the search.
    test : other rows, none with a missing value, with the columns of the fits.

    Raises
    ------
    FitError : no steps, or steps that do not change single arcs of a directed graph.
    """
    moves, parents = _start(graph, trace)
    columns = [test.column(name) for name in fits.nodes]

    @cache
    def term(child: int, inputs: tuple[int, ...]) -> tuple[float, float]:
        model = fits.conditional(child, inputs)
        logs = model.logpdf(columns[child], tuple(columns[node] for node in inputs))
        return float(fits.loo(child, [inputs])[0]), float(logs.sum())

    values = [_total(term, parents)]
    for step in moves:
        _apply(parents, step.what, step.tail, step.head)
        values.append(_total(term, parents))
    edges = [moves[0].edges - _CHANGES[moves[0].what], *(step.edges for step in moves)]
    train, tested = np.array(values).T
    numbers = np.arange(len(values))
    return SearchCurve(numbers, np.array(edges), train / fits.rows, tested / test.rows)


Parents = list[set[int]]
_CHANGES = {"add": 1, "drop": -1, "flip": 0}
_REVERSED = {"add": "drop", "drop": "add"}


def _start(graph: DAG, trace: Sequence[Step]) -> tuple[list[Step], Parents]:
    """Return the steps up to the first that is not a move of one arc, and the graph before them."""
    moves = list(takewhile(lambda step: step.what in _CHANGES, trace))
    if not moves:
        raise FitError(
            "Curves need a search that moves single arcs: learn the network with {search=} or 'tabu'.",
            fixes=[Fix("search", "greedy")],
        )
    whole = len(moves) == len(trace)
    start: Parents | None = [set() for _ in graph.nodes]
    if moves[0].edges != _CHANGES[moves[0].what]:
        if not whole:
            raise FitError(
                "Curves of several rounds need the empty graph as the start of the search."
            )
        undone = [_undo(step) for step in reversed(moves)]
        start = _replay([set(row) for row in graph.parents], undone)
    end = None if start is None else _replay(start, [_move(step) for step in moves])
    if start is None or end is None or (whole and end != [set(row) for row in graph.parents]):
        raise FitError(
            "Curves need one search from one start, and the steps of this network are of several: "
            "learn it with {search=}.",
            fixes=[Fix("search", "greedy")],
        )
    return moves, start


Change = tuple[str, int, int]


def _move(step: Step) -> Change:
    return step.what, step.tail, step.head


def _undo(step: Step) -> Change:
    """Return the move that takes a step back."""
    if step.what == "flip":
        return "flip", step.head, step.tail
    return _REVERSED[step.what], step.tail, step.head


def _replay(parents: Parents, moves: Iterable[Change]) -> Parents | None:
    """Return the graph after some moves; None if one of them is impossible, as after a change that is
    no step.
    """
    parents = [set(row) for row in parents]
    for what, tail, head in moves:
        if (tail in parents[head]) == (what == "add"):
            return None
        _apply(parents, what, tail, head)
    return parents


def _apply(parents: Parents, what: str, tail: int, head: int) -> None:
    """Make a move, in place."""
    if what == "add":
        parents[head].add(tail)
        return
    parents[head].remove(tail)
    if what == "flip":
        parents[tail].add(head)


def _total(term: Callable[[int, tuple[int, ...]], tuple[float, float]], parents: Parents) -> Array:
    """Return the sums of the local terms of a graph."""
    pairs = [term(child, tuple(sorted(row))) for child, row in enumerate(parents)]
    return np.asarray(np.sum(pairs, axis=0))
