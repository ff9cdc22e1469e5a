"""Prior knowledge about graphs as scores that look at no data (Hofmann and Tresp 1995).

* a penalty per arc: every parent costs the same, p(G) proportional to exp(-penalty x rows x arcs);
* an expert's graph: every parent that only one of the two graphs has costs, so that a reversed arc
  costs twice.

Both are in nats per arc *and row*, so that one number means the same for short and long tables.
"""

import numpy as np

from arcwise.errors import FitError
from arcwise.graphs import DAG
from arcwise.scores.base import ALL, Array, Mask, Numbers, Parents, ParentSets, Score, Sweep

__all__ = ["ArcPenalty", "ExpertPrior"]


def _checked(name: str, value: float) -> float:
    if not 0 <= value < np.inf:
        raise FitError(
            f"{name} must be a non-negative number, in nats per arc and row, got {value}."
        )
    return float(value)


class ArcPenalty(Score):
    """Minus `penalty` x rows for each arc."""

    equivalent = True
    lattice = True

    def __init__(self, nodes: tuple[str, ...], rows: float, penalty: float) -> None:
        self.nodes, self.rows = nodes, rows
        self.cost = _checked("The penalty", penalty) * rows

    def by_number(self) -> Array:
        """Minus the cost of 0, 1, ..., p parents."""
        return -self.cost * np.arange(len(self.nodes) + 1.0)

    def many(self, child: int, sets: ParentSets) -> Array:
        """Minus the cost of the parents."""
        return -self.cost * np.fromiter(map(len, sets), dtype=float, count=len(sets))

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Costs by the number of bits; sets of more than `most` parents score -inf."""
        masks = np.arange(1 << len(others), dtype=np.uint32)
        sizes = np.bitwise_count(masks) + float(len(always))
        return np.where(sizes <= most, -self.cost * sizes, -np.inf)

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Costs of bases and toggles."""
        own = -self.cost * np.fromiter(map(len, bases), dtype=float, count=len(bases))
        toggled = np.repeat(own[:, None] - self.cost, len(self.nodes), axis=1)
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            toggled[row, list(base)] += 2 * self.cost
            toggled[row, child] = -np.inf
        if among is not None:
            toggled[~among] = -np.inf
        return own, toggled


class ExpertPrior(Score):
    """Minus `weight` x rows for each parent that only one of the graph and the expert's has.

    `confidence[parent, child]`, where given, takes the place of `weight` for that arc.
    """

    lattice = True

    def __init__(
        self, expert: DAG, rows: float, weight: float, confidence: Array | None = None
    ) -> None:
        self.nodes, self.rows = expert.nodes, rows
        p = len(expert.nodes)
        costs = np.full((p, p), _checked("The expert's weight", weight))
        if confidence is not None:
            costs = np.asarray(confidence, dtype=float)
        if costs.shape != (p, p) or not (costs >= 0).all():
            raise FitError(f"confidence needs a non-negative number for each of {p} x {p} arcs.")
        self.costs = costs.T * rows  # row = child
        self.wanted = np.zeros((p, p), dtype=bool)
        for child, parents in enumerate(expert.parents):
            self.wanted[child, list(parents)] = True

    def many(self, child: int, sets: ParentSets) -> Array:
        """Minus the cost of the symmetric difference of parent sets."""
        missing, change = self._terms(child)
        return np.array([change[list(s)].sum() - missing for s in sets])

    def _terms(self, child: int) -> tuple[float, Array]:
        """The cost of no parent at all, and what each parent changes."""
        cost, wanted = self.costs[child], self.wanted[child]
        return float(cost[wanted].sum()), np.where(wanted, cost, -cost)

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Costs bit by bit; sets of more than `most` parents score -inf."""
        missing, change = self._terms(child)
        out = np.full(1, change[list(always)].sum() - missing)
        for candidate in others:
            out = np.concatenate((out, out + change[candidate]))
        masks = np.arange(len(out), dtype=np.uint32)
        out[np.bitwise_count(masks) > most - len(always)] = -np.inf
        return out
