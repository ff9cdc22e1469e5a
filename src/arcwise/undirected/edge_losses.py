"""Removable edges, and the losses of both ends without them: the base of undirected learners.

Rules. An edge has no direction, so rules on arcs apply to the pair.

A required arc requires the edge, whatever its direction, and so does "a -- b"; an arc that is forbidden
in one direction forbids the edge. Tiers and a largest number of parents concern directions only: they
raise an error.

Losses. With s(i, B) the local score of i given B, and B_i the neighbours of i, the loss of i without j is

    loss[i, j] = (s(i, B_i) - s(i, B_i - j)) / rows

in nats per row. The *strength* of the edge i - j is the larger of loss[i, j] and loss[j, i]; minus
the strength is its edge-removal score (Hofmann and Tresp 1997). Taking an edge out changes the
neighbours of its two ends only, so only two rows of the matrix are out of date.

Either loss alone bounds the strength from below. So the weakest edge is known once no other edge has a
known loss below its strength, and where local scores are expensive the rest are never requested: on Boston
housing (14 columns, Parzen windows) a path from the complete graph to none needs 802 of 1288.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError, GraphError
from arcwise.graphs import Limits, Rules, UGraph
from arcwise.results import Trail
from arcwise.scores import Score


class EdgeBounds(NamedTuple):
    """The largest graph that rules allow, and the pairs (smaller number first) that must stay."""

    largest: UGraph
    required: frozenset[tuple[int, int]]

    @property
    def smallest(self) -> UGraph:
        """The graph of the pairs that must stay."""
        nodes = self.largest.nodes
        rows = (
            tuple(two for two in row if (min(one, two), max(one, two)) in self.required)
            for one, row in enumerate(self.largest.neighbours)
        )
        return UGraph.make_unchecked(nodes, tuple(rows))


def edge_limits(rules: Rules, nodes: Iterable[str]) -> Limits:
    """Bind rules to columns for undirected learning.

    Parameters
    ----------
    rules : by names; directions are ignored.
    nodes : names, in the order that gives the numbers.

    Returns
    -------
    Limits, for `boundary` and `deletion`.

    Raises
    ------
    GraphError : there are tiers or a largest number of parents, or an edge is both required and
        forbidden.

    Examples
    --------
    >>> limits = edge_limits(Rules(required=["a -- b"], forbidden=["c -> b"]), ["a", "b", "c"])
    >>> edge_bounds(limits)
    EdgeBounds(largest=<UGraph a:b + a:c>, required=frozenset({(0, 1)}))
    """
    if rules.target is not None:
        raise GraphError("A target needs directed arcs: leave it out, or learn a directed graph.")
    if rules.tiers:
        raise GraphError("Tiers need directed arcs: leave them out, or learn a directed graph.")
    limits = rules.on(nodes, directed=False)
    edge_bounds(limits)
    return limits


def edge_bounds(limits: Limits) -> EdgeBounds:
    """Return the bounds on edges that limits imply, ignoring directions.

    Raises
    ------
    GraphError : there is a largest number of parents, or an edge is both required and forbidden.
    """
    if limits.max_parents is not None:
        raise GraphError(
            "max_parents needs directed arcs: leave it out, and use a larger penalty for fewer "
            "edges."
        )
    largest = UGraph.complete(limits.nodes) if limits.barred is None else _allowed_graph(limits)
    pairs = ((tail, head) for head, row in enumerate(limits.required) for tail in row)
    required = frozenset((min(pair), max(pair)) for pair in pairs)
    for one, two in sorted(required):
        if two not in largest.neighbours[one]:
            raise GraphError(
                f"Undirected learning ignores directions, so the edge {limits.nodes[one]} - "
                f"{limits.nodes[two]} is both required and forbidden: remove one of the rules."
            )
    return EdgeBounds(largest, required)


def _allowed_graph(limits: Limits) -> UGraph:
    """Return the complete graph without the pairs that are barred in either direction."""
    barred = limits.barred or ()
    every = range(len(limits.nodes))
    rows = (
        tuple(
            two for two in every if two != one and two not in barred[one] and one not in barred[two]
        )
        for one in every
    )
    return UGraph.make_unchecked(limits.nodes, tuple(rows))


def bounds_for(nodes: tuple[str, ...], limits: Limits | None) -> EdgeBounds:
    """Return the bounds of a run on a score's columns; everything is allowed without limits."""
    if limits is not None and limits.nodes != nodes:
        raise FitError("The rules must be bound to the variables of the score.")
    return edge_bounds(Limits.none(nodes) if limits is None else limits)


UNIT = "nats per edge and row"
"""Unit of penalties and strengths."""

ROUNDING = 1e-10
"""Differences of scores up to this share of the score, or of the rows if that is larger, count as rounding:
losses as none, strengths as ties."""


def rounding_of(value: float, rows: float) -> float:
    """Return the largest difference from a local score, in nats, that counts as rounding.

    >>> rounding_of(-2e6, 100.0), rounding_of(-5.0, 100.0)
    (0.0002, 1e-08)
    """
    return ROUNDING * max(rows, abs(value) if np.isfinite(value) else 0.0)


class Losses:
    """An undirected graph with the losses of removable edges; removals change it in place.

    No local score is requested twice: that of a boundary after a removal was among the reduced ones
    before it. From the complete graph of p variables down to none there are p (1 + p (p - 1) / 2) in all.
    """

    def __init__(self, score: Score, bounds: EdgeBounds) -> None:
        p = len(score.nodes)
        self.score = score
        self.neighbours = list(bounds.largest.neighbours)
        self.edges = bounds.largest.n_edges
        self.own = np.zeros(p)
        self.reduced, self.losses = np.zeros((p, p)), np.zeros((p, p))
        self.known = np.zeros((p, p), dtype=bool)  # which losses are up to date
        self.free = np.zeros((p, p), dtype=bool)
        for one, two in bounds.largest.numbered_edges:
            self.free[one, two] = self.free[two, one] = (one, two) not in bounds.required

    @property
    def total(self) -> float:
        """Return the sum of the local scores of all variables given their neighbours."""
        return float(self.own.sum())

    def enter(self, trail: Trail) -> bool:
        """Score every variable given its neighbours; return False if the callback stopped it."""
        p = len(self.neighbours)
        for node in range(p):
            self.own[node] = self.score.local(node, self.neighbours[node])
            if trail.tick(f"{node + 1} of {p} variables", -np.inf, self.edges):
                return False
        return True

    def fill(self, trail: Trail) -> bool:
        """Compute all losses; return False if the callback stopped it."""
        p = len(self.neighbours)
        for node in range(p):
            self._find(node, np.flatnonzero(self.free[node] & ~self.known[node]))
            if trail.tick(f"edges of {node + 1} of {p} variables", self.total, self.edges):
                return False
        return True

    def _find(self, node: int, others: NDArray[np.intp]) -> None:
        """Return the losses of one variable without each of some neighbours."""
        if not len(others):
            return
        reduced = self.score.toggles(node, self.neighbours[node], others.tolist())
        self.reduced[node, others] = reduced
        with np.errstate(invalid="ignore"):  # infinity minus infinity is refused below
            loss = (self.own[node] - reduced) / self.score.rows
        if np.isnan(loss).any():
            raise FitError(
                f"The score of {self.score.nodes[node]!r} given some of its neighbours is not a "
                "number: use another score or model."
            )
        least = rounding_of(float(self.own[node]), self.score.rows) / self.score.rows
        self.losses[node, others] = np.where(np.abs(loss) <= least, 0.0, loss)
        self.known[node, others] = True

    def weakest(self, trail: Trail) -> tuple[int, int] | None:
        """Return the weakest removable edge; for ties, the one with the lowest column numbers.

        None if there is none, or if the callback stopped it.
        """
        if self.score.lattice and not self.fill(
            trail
        ):  # a sweep finds all losses of a variable at once
            return None
        while self.free.any():
            both = self.free & self.known & self.known.T
            least = np.where(self.known, self.losses, -np.inf)
            bounds = np.maximum(least, least.T)
            limit = bounds[both].min(initial=np.inf) + ROUNDING
            doubtful = self.free & ~both & (bounds <= limit)
            if not doubtful.any():
                # Both triangles hold every pair, so the first hit by rows has its smaller number first.
                return divmod(int((both & (bounds <= limit)).argmax()), len(self.neighbours))
            self._look_at(doubtful, bounds)
            if trail.tick(f"{self.known.sum()} losses", self.total, self.edges):
                return None
        return None

    def _look_at(self, doubtful: NDArray[np.bool_], bounds: NDArray[np.float64]) -> None:
        """Compute unknown losses of the pairs that may be weakest: as many as are scored at a time.

        If neither loss of a pair is known, the one that was larger before comes first.
        """
        last = np.maximum(self.losses, self.losses.T)
        order = np.lexsort((last[doubtful], bounds[doubtful]))
        one, two = np.argwhere(doubtful)[order[0]].tolist()
        if self.known[one, two] or (
            not self.known[two, one] and self.losses[two, one] > self.losses[one, two]
        ):
            one, two = two, one
        others = np.flatnonzero(doubtful[one] & ~self.known[one])
        others = others[np.lexsort((last[one, others], bounds[one, others]))]
        self._find(one, others[: max(self.score.threads, 1)])

    def remove(self, one: int, two: int) -> tuple[float, float]:
        """Remove an edge with known losses; return the losses of the two sides."""
        lost = self.sides(one, two)
        self.free[one, two] = self.free[two, one] = False
        self.edges -= 1
        for node, other in ((one, two), (two, one)):
            self.own[node] = self.reduced[node, other]
            self.neighbours[node] = tuple(x for x in self.neighbours[node] if x != other)
            self.known[node] = False
        return lost

    def sides(self, one: int, two: int) -> tuple[float, float]:
        """Return the losses of both ends of an edge without the other."""
        return float(self.losses[one, two]), float(self.losses[two, one])
