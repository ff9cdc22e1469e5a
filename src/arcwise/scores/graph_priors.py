"""Priors over graphs that are sums over parent sets, as scores that look at no data.

* uniform: every graph the same; no score is needed;
* a penalty per arc: p(G) proportional to exp(-penalty x arcs), see `priors.ArcPenalty` with one row;
* fair over numbers of parents: p(S) of a parent set S of m of p - 1 variables is proportional to
  1 / C(p - 1, m), so that each number of parents has the same weight (Friedman and Koller 2003);
* a probability q for each arc: p(S) = prod_{u in S} q(u -> v) prod_{u not in S} (1 - q(u -> v)).

None is normalised over acyclic graphs.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from arcwise.errors import FitError
from arcwise.scores.base import ALL, Array, Mask, Numbers, Parents, ParentSets, Score, Sweep

__all__ = ["ArcProbabilities", "FairParents"]


class FairParents(Score):
    """Minus log C(p - 1, m) for m parents: each number of them has the same weight."""

    lattice = True

    def __init__(self, nodes: tuple[str, ...], rows: float = 1.0) -> None:
        self.nodes, self.rows = nodes, rows
        others = len(nodes) - 1
        m = np.arange(others + 1.0)
        ways = gammaln(others + 1.0) - gammaln(m + 1.0) - gammaln(others - m + 1.0)
        self.values = np.append(-ways, -np.inf)  # nothing has p parents

    def by_number(self) -> Array:
        """The prior of 0, 1, ..., p parents."""
        return self.values

    def many(self, child: int, sets: ParentSets) -> Array:
        """The prior by the number of parents."""
        found: Array = self.values[np.fromiter(map(len, sets), dtype=np.intp, count=len(sets))]
        return found

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """The prior by the number of bits; sets of more than `most` parents score -inf."""
        masks = np.arange(1 << len(others), dtype=np.uint32)
        sizes = np.bitwise_count(masks).astype(np.intp) + len(always)
        return np.where(sizes <= most, self.values[sizes], -np.inf)

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """The prior of bases and toggles."""
        sizes = np.fromiter(map(len, bases), dtype=np.intp, count=len(bases))
        toggled = np.repeat(self.values[sizes + 1][:, None], len(self.nodes), axis=1)
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            toggled[row, list(base)] = self.values[max(len(base) - 1, 0)]
            toggled[row, child] = -np.inf
        if among is not None:
            toggled[~among] = -np.inf
        return self.values[sizes], toggled


class ArcProbabilities(Score):
    """Each arc is there with its own probability, independently of the others but for cycles.

    Parameters
    ----------
    nodes : names.
    probabilities : (tail, head) from 0, never there, to 1, always there; the diagonal does not matter.
    """

    lattice = True

    def __init__(
        self, nodes: tuple[str, ...], probabilities: Array | Sequence[Sequence[float]]
    ) -> None:
        p = len(nodes)
        self.nodes, self.rows = nodes, 1.0
        chances = np.array(probabilities, dtype=float)
        if chances.shape == (p, p):
            np.fill_diagonal(chances, 0.0)
        if chances.shape != (p, p):
            raise FitError(
                f"A prior by arcs needs a probability between 0 and 1 for each of {p} x {p} arcs, got "
                f"an array of shape {chances.shape}."
            )
        for tail, head in np.argwhere(~((chances >= 0) & (chances <= 1))).tolist():
            raise FitError(
                f"A prior by arcs needs a probability between 0 and 1, got {chances[tail, head]:g} for "
                f"{nodes[tail]} -> {nodes[head]}."
            )
        with np.errstate(divide="ignore"):
            self.there, self.absent = np.log(chances.T), np.log1p(-chances.T)  # row = child

    def many(self, child: int, sets: ParentSets) -> Array:
        """Logs of the probabilities of the arcs that are there and of those that are not."""
        out = np.empty(len(sets))
        for place, members in enumerate(sets):
            mask = np.zeros(len(self.nodes), dtype=bool)
            mask[list(members)] = True
            out[place] = np.where(mask, self.there[child], self.absent[child]).sum()
        return out

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """The same bit by bit; sets of more than `most` parents score -inf."""
        rest = [u for u in range(len(self.nodes)) if u not in {*others, *always}]
        out = np.full(1, self.there[child, list(always)].sum() + self.absent[child, rest].sum())
        for u in others:
            out = np.concatenate((out + self.absent[child, u], out + self.there[child, u]))
        masks = np.arange(len(out), dtype=np.uint32)
        out[np.bitwise_count(masks) > most - len(always)] = -np.inf
        return out
