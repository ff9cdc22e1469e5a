"""Best order score search (BOSS): the best place for each variable in an order of all of them.

A graph without cycles has an order in which parents come before children. Given an order, the parents of
each variable can be found one variable at a time: *grow* a set by the variable before it that raises the
score most, until none does, then *shrink* it. So the search need not walk over graphs. It takes one
variable out of the order and puts it back at the best of all places, and goes on until no variable has a
better place. Where graphs are dense this leads much further than changing single arcs or classes, since
one move turns and replaces many arcs at once.

An order's graph may still hold arcs that its equivalence class can do without, so a backward equivalence
search ends each climb. Further climbs start from other orders, which are cheap: parent sets that were
grown once are remembered.

Source: Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld (2023), Fast scalable and accurate
discovery of DAGs using the best order score search and grow-shrink trees, NeurIPS 36. Ours differs in
finding out which variables a move can touch at all, and in letting branches with the same set share a node.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.orders import Climbed, Orders
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.results import Interrupted, Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import least_gain, starting_graph
from arcwise.search.equivalence import ges

__all__ = ["Ordered", "boss"]

_MIB = 1 << 20


class Ordered:
    """The search over orders for one score: climbs share what they learn about parent sets."""

    def __init__(self, score: Score, limits: Limits, trail: Trail, memory: float) -> None:
        self.score, self.trail = score, trail
        self.cleared = 0
        self._careful = score.watched(trail.check)
        p = len(score.nodes)
        barred = limits.barred or (frozenset[int](),) * p
        self._orders = Orders(
            score.compiled() or self._rows,
            [tuple(sorted(row)) for row in barred],
            limits.required,
            max_parents=p if limits.max_parents is None else limits.max_parents,
            tolerance=least_gain(score),
            most=max(1, int(memory) // 4),
        )

    def climb(self, order: Sequence[int], turns: Sequence[int]) -> tuple[DAG, Climbed] | None:
        """The graph of the best order found from this one; None if stopped before there was any."""
        found = self._orders.climb(order, turns, self._watch)
        self.cleared = found.cleared
        if found.total == -np.inf:
            return None
        return DAG.unchecked(self.score.nodes, tuple(found.parents)), found

    def _rows(
        self, child: int, base: tuple[int, ...], among: list[int]
    ) -> NDArray[np.float64] | None:
        try:
            own = self._careful.local(child, base)
            row = self._careful.toggles(child, base, among) if among else np.zeros(0)
        except Interrupted:
            return None
        return np.concatenate([[own], row])

    def _watch(self, column: int, value: float, arcs: int) -> bool:
        if column < 0:
            return self.trail.tick("look", value, arcs)
        return self.trail.add("move", value, arcs, head=column)


def boss(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    restarts: int = 10,
    memory: float = 512 * _MIB,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Move variables to their best places in an order, from several orders.

    Parameters
    ----------
    score : what to maximise; any decomposable score, in compiled loops where it has a closed form.
    start : graph whose order the first climb starts from; the required arcs alone by default.
    rng : source of the further orders, and of the sequence in which variables are tried.
    limits : rules bound to the score's columns.
    restarts : further climbs, each from a random order.
    memory : bytes that remembered parent sets may take; where more are needed they are forgotten and
        found again, and the result says so.
    max_steps, on_step : as in `greedy`; a step is a move of one variable.

    Returns
    -------
    Result : the best graph of all climbs.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import FAMILIES
    >>> from arcwise.data import Moments
    >>> from arcwise.scores import bic
    >>> cov = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> moments = Moments.given(("a", "b", "c"), 500, np.zeros(3), cov)
    >>> boss(bic(FAMILIES["gaussian"].bind(moments)), rng=np.random.default_rng(1)).graph
    <DAG [a][b][c|a:b]>
    """
    graph, bounds = starting_graph(score, start, limits)
    if restarts < 0 or not memory > 0:
        raise FitError(f"boss needs restarts >= 0 and some memory, not {restarts} and {memory}.")
    trail = Trail(on_step, max_steps)
    orders = Ordered(score, bounds, trail, memory)
    best, top = graph, -np.inf
    for attempt in range(restarts + 1):
        order = graph.order() if attempt == 0 else random_order(bounds.start(), rng)
        found = orders.climb(order, rng.permutation(len(score.nodes)).tolist())
        if found is not None:
            member, value = thinned(score, found[0], bounds, trail)
            if value > top + least_gain(score):
                best, top = member, value
        if trail.stopped:
            break
    if best is not graph and top < (before := total(score, graph)):
        best, top = graph, before
    forgot = f"; the memory was full {orders.cleared} times" if orders.cleared else ""
    stopped = trail.stopped or f"{restarts + 1} climbs are over{forgot}"
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def thinned(score: Score, graph: DAG, limits: Limits, trail: Trail) -> tuple[DAG, float]:
    """What a backward equivalence search makes of a graph, and its score."""
    if trail.stopped or not score.equivalent:
        return graph, total(score, graph)
    result = ges(
        score,
        graph,
        limits=limits,
        phases=("backward",),
        max_steps=trail.left,
        on_step=trail.passing,
    )
    trail.steps.extend(result.trace)
    return result.graph, result.score


def random_order(required: DAG, rng: np.random.Generator) -> list[int]:
    """A random order that keeps required parents before their children."""
    keys = rng.random(len(required.nodes))
    waiting = [len(row) for row in required.parents]
    ready = [i for i, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        node = min(ready, key=keys.__getitem__)
        ready.remove(node)
        order.append(node)
        for child in required.children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return order
