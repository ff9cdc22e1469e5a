"""Orders of the variables with their graphs: what the searches over orders share."""

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.orders import Orders
from arcwise.graphs import DAG, Limits
from arcwise.results import Interrupted, Trail
from arcwise.scores import Score
from arcwise.search.climb import least_gain

__all__ = ["MEMORY", "Ordered", "displaced", "legal_order"]

MEMORY = 512 * (1 << 20)
"""Bytes that remembered parent sets may take by default."""


class Ordered:
    """The search over orders for one score: climbs share what they learn about parent sets.

    `cleared` counts how often the memory was full.
    """

    def __init__(
        self,
        score: Score,
        limits: Limits,
        trail: Trail,
        rng: np.random.Generator,
        memory: float = MEMORY,
    ) -> None:
        self.score, self.limits, self.trail, self.rng = score, limits, trail, rng
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

    def climb(self, order: Sequence[int]) -> tuple[DAG, float] | None:
        """The graph of the best order found from this one, with its score.

        Variables are tried in a random sequence. None if stopped before there was any graph.
        """
        turns = self.rng.permutation(len(order)).tolist()
        found = self._orders.climb(order, turns, self._watch)
        self.cleared = found.cleared
        if found.total == -np.inf:
            return None
        return DAG.unchecked(self.score.nodes, tuple(found.parents)), found.total

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


def displaced(order: Sequence[int], limits: Limits, rng: np.random.Generator) -> list[int]:
    """The order with two of its variables up to a quarter of them at random places.

    Required parents stay before their children.
    """
    p = len(order)
    places = np.empty(p)
    places[list(order)] = np.arange(p)
    moved = rng.choice(p, min(p, int(rng.integers(2, max(3, p // 4)))), replace=False)
    places[moved] = rng.uniform(-0.5, p - 0.5, len(moved))
    return legal_order(limits.start(), places)


def legal_order(required: DAG, places: NDArray[np.float64]) -> list[int]:
    """The variables by their places, but required parents always before their children.

    >>> legal_order(DAG.from_arcs(["c -> a"], ["a", "b", "c"]), np.array([0.0, 1.0, 2.0]))
    [1, 2, 0]
    """
    waiting = [len(row) for row in required.parents]
    ready = [(float(places[i]), i) for i, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready)[1])
        for child in required.children[order[-1]]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (float(places[child]), child))
    return order
