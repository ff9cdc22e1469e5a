"""What each side of each edge loses without it: the state that undirected learners share.

With s(i, B) the local score of i given B, and B_i the neighbours of i, the loss of i without j is

    loss[i, j] = (s(i, B_i) - s(i, B_i - j)) / rows

in nats per row. The *strength* of the edge i - j is the larger of loss[i, j] and loss[j, i]; minus
the strength is its edge-removal score (Hofmann and Tresp 1997). Taking an edge out changes the
neighbours of its two ends only, so only two rows of the matrix are scored again.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.results import Trail
from arcwise.scores import Score
from arcwise.undirected.limits import Bounds

__all__ = ["UNIT", "Losses"]

UNIT = "nats per edge and row"
"""Of penalties and strengths."""

ROUNDING = 1e-10
"""Differences up to this, in nats per row, count as rounding: losses as none, strengths as ties."""


class Losses:
    """An undirected graph with the losses of all edges that may go; removals change it in place.

    Every local score is asked for once: that of a boundary after a removal was among the reduced
    ones before it. From the complete graph of p variables down to none, p (1 + p (p - 1) / 2) in all.
    """

    def __init__(self, score: Score, bounds: Bounds) -> None:
        p = len(score.nodes)
        self.score = score
        self.neighbours = list(bounds.largest.neighbours)
        self.edges = bounds.largest.n_edges
        self.own = np.zeros(p)
        self.reduced, self.losses = np.zeros((p, p)), np.zeros((p, p))
        self.free = np.zeros((p, p), dtype=bool)
        for one, two in bounds.largest.numbered_edges:
            self.free[one, two] = self.free[two, one] = (one, two) not in bounds.required

    @property
    def total(self) -> float:
        """Sum of the local scores of all variables given their neighbours."""
        return float(self.own.sum())

    def fill(self, trail: Trail) -> bool:
        """Score every variable for the first time; False if the watcher asked to stop."""
        p = len(self.neighbours)
        for node in range(p):
            self.own[node] = self.score.local(node, self.neighbours[node])
            self._score(node)
            if trail.tick(f"{node + 1} of {p} variables", -np.inf, self.edges):
                return False
        return True

    def _score(self, node: int) -> None:
        """Losses of one variable without each neighbour that may go."""
        others = np.flatnonzero(self.free[node])
        if not len(others):
            return
        reduced = self.score.toggles(node, self.neighbours[node], others.tolist())
        self.reduced[node, others] = reduced
        with np.errstate(invalid="ignore"):  # infinity minus infinity is refused below
            loss = (self.own[node] - reduced) / self.score.rows
        if np.isnan(loss).any():
            raise FitError(
                f"The score of {self.score.nodes[node]!r} given some of its neighbours is not a "
                "number: take another score or model."
            )
        self.losses[node, others] = np.where(np.abs(loss) <= ROUNDING, 0.0, loss)

    def strengths(self) -> NDArray[np.float64]:
        """The larger loss of the two sides, for every pair."""
        return np.maximum(self.losses, self.losses.T)

    def weakest(self) -> tuple[int, int] | None:
        """The weakest edge that may go; of those that tie, the one with the lowest column numbers."""
        if not self.free.any():
            return None
        strengths = self.strengths()
        least = strengths[self.free].min()
        # Both triangles hold every pair, so the first hit by rows has its smaller number first.
        hit = int((self.free & (strengths <= least + ROUNDING)).argmax())
        return divmod(hit, len(self.neighbours))

    def remove(self, one: int, two: int) -> tuple[float, float]:
        """Take an edge out and score its two ends again; gives what the two sides lost."""
        lost = self.sides(one, two)
        self.free[one, two] = self.free[two, one] = False
        self.edges -= 1
        for node, other in ((one, two), (two, one)):
            self.own[node] = self.reduced[node, other]
            self.neighbours[node] = tuple(x for x in self.neighbours[node] if x != other)
            self._score(node)
        return lost

    def sides(self, one: int, two: int) -> tuple[float, float]:
        """What each end of an edge loses without the other."""
        return float(self.losses[one, two]), float(self.losses[two, one])
