"""Priors over graphs as scores without data: sums over parent sets, not normalised over graphs.

By the number m of parents:

* uniform: every graph has the same prior; no score is needed;
* a penalty per arc: p(G) proportional to exp(-penalty x rows x arcs);
* fair over numbers of parents: p(S) proportional to 1 / C(p - 1, m), so that each number of parents has the
  same weight (Friedman and Koller 2003).

Arc by arc:

* a probability q for each arc: p(S) = prod_{u in S} q(u -> v) prod_{u not in S} (1 - q(u -> v));
* an expert's graph: a penalty for every parent that only one of the two graphs has, so that a reversed arc
  costs twice (Hofmann and Tresp 1995).

Penalty and expert are in nats per arc *and row*, so that one number means the same for short and long tables.
"""

from collections.abc import Sequence
from math import lgamma

import numpy as np

from arcwise.errors import FitError
from arcwise.graphs import DAG
from arcwise.scores.score import ALL, Array, Mask, Numbers, Parents, ParentSets, Score, Sweep

__all__ = ["ArcPenalty", "ArcProbabilities", "ExpertPrior", "FairParents"]


class _ByNumber(Score):
    """A prior by the number of parents: `values` (p + 1,)."""

    lattice = True

    def __init__(self, nodes: tuple[str, ...], rows: float, values: Array) -> None:
        self.nodes, self.rows, self.values = nodes, rows, values

    def by_number(self) -> Array:
        """Return the prior of 0, 1, ..., p parents."""
        return self.values

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return the prior by the number of parents."""
        values: Array = self.values[np.fromiter(map(len, sets), dtype=np.intp, count=len(sets))]
        return values

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return the prior by the number of bits; sets of more than `most` parents score -inf."""
        masks = np.arange(1 << len(others), dtype=np.uint32)
        sizes = np.bitwise_count(masks).astype(np.intp) + len(always)
        return np.where(sizes <= most, self.values[sizes], -np.inf)

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return the prior of bases and toggles."""
        sizes = np.fromiter(map(len, bases), dtype=np.intp, count=len(bases))
        toggled = np.repeat(self.values[sizes + 1][:, None], len(self.nodes), axis=1)
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            toggled[row, list(base)] = self.values[max(len(base) - 1, 0)]
            toggled[row, child] = -np.inf
        if among is not None:
            toggled[~among] = -np.inf
        return self.values[sizes], toggled


class ArcPenalty(_ByNumber):
    """Minus `penalty` times rows for each arc."""

    equivalent = True

    def __init__(self, nodes: tuple[str, ...], rows: float, penalty: float) -> None:
        self.cost = _check_value("The penalty", penalty) * rows
        super().__init__(nodes, rows, -self.cost * np.arange(len(nodes) + 1.0))


class FairParents(_ByNumber):
    """Minus log C(p - 1, m) for m parents: each number of parents has the same weight."""

    def __init__(self, nodes: tuple[str, ...], rows: float = 1.0) -> None:
        others = len(nodes) - 1
        logs = np.array([lgamma(m + 1.0) for m in range(others + 1)])
        ways = logs[others] - logs - logs[::-1]
        super().__init__(nodes, rows, np.append(-ways, -np.inf))  # nothing has p parents


class _ByArc(Score):
    """A prior by arcs: `there[child, parent]` if the arc is in the graph, else `absent[child, parent]`."""

    lattice = True

    def __init__(self, nodes: tuple[str, ...], rows: float, there: Array, absent: Array) -> None:
        self.nodes, self.rows, self.there, self.absent = nodes, rows, there, absent

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return sums over the present and the absent arcs."""
        out = np.empty(len(sets))
        for row, members in enumerate(sets):
            mask = np.zeros(len(self.nodes), dtype=bool)
            mask[list(members)] = True
            out[row] = np.where(mask, self.there[child], self.absent[child]).sum()
        return out

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return the sums of all subsets; sets of more than `most` parents score -inf."""
        rest = [u for u in range(len(self.nodes)) if u not in {*others, *always}]
        out = np.full(1, self.there[child, list(always)].sum() + self.absent[child, rest].sum())
        for u in others:
            out = np.concatenate((out + self.absent[child, u], out + self.there[child, u]))
        masks = np.arange(len(out), dtype=np.uint32)
        out[np.bitwise_count(masks) > most - len(always)] = -np.inf
        return out


class ArcProbabilities(_ByArc):
    """A prior with a probability for each arc, independent apart from acyclicity.

    Parameters
    ----------
    nodes : names.
    probabilities : (tail, head) from 0, never present, to 1, always present; the diagonal is ignored.
    """

    def __init__(
        self, nodes: tuple[str, ...], probabilities: Array | Sequence[Sequence[float]]
    ) -> None:
        p = len(nodes)
        chances = np.array(probabilities, dtype=float)
        if chances.shape != (p, p):
            raise FitError(
                f"A prior by arcs must have a probability between 0 and 1 for each of {p} x {p} "
                f"arcs, got an array of shape {chances.shape}."
            )
        np.fill_diagonal(chances, 0.0)
        for tail, head in np.argwhere(~((chances >= 0) & (chances <= 1))).tolist():
            raise FitError(
                "A prior by arcs must have probabilities between 0 and 1, got "
                f"{chances[tail, head]:g} for {nodes[tail]} -> {nodes[head]}."
            )
        with np.errstate(divide="ignore"):
            super().__init__(nodes, 1.0, np.log(chances.T), np.log1p(-chances.T))


class ExpertPrior(_ByArc):
    """Minus `weight` times rows for each parent that only one of the graph and the expert's graph has.

    `confidence[parent, child]`, if given, replaces `weight` for that arc.
    """

    def __init__(
        self, expert: DAG, rows: float, weight: float, confidence: Array | None = None
    ) -> None:
        p = len(expert.nodes)
        costs = np.full((p, p), _check_value("The expert's weight", weight))
        if confidence is not None:
            costs = np.asarray(confidence, dtype=float)
        if costs.shape != (p, p) or not (costs >= 0).all():
            raise FitError(f"confidence must be a non-negative number for each of {p} x {p} arcs.")
        expert_arcs = np.zeros((p, p), dtype=bool)
        for child, parents in enumerate(expert.parents):
            expert_arcs[child, list(parents)] = True
        loss = -costs.T * rows  # row = child
        super().__init__(
            expert.nodes, rows, np.where(expert_arcs, 0, loss), np.where(expert_arcs, loss, 0)
        )


def _check_value(name: str, value: float) -> float:
    if not 0 <= value < np.inf:
        raise FitError(
            f"{name} must be a non-negative number, in nats per arc and row, got {value}."
        )
    return float(value)
