r"""How well averages over graphs are known where graphs were drawn, or are not all there.

With shares s_g of n independent draws, and weights w_g once what is seen has spoken for some graphs, an
average m = sum w_g m_g is a ratio of two means over draws. Its standard error is, to first order,

.. math:: \sqrt{\frac{1}{n} \sum_g \frac{w_g^2}{s_g} (m_g - m)^2},

which is the usual sqrt(variance / n) where nothing was seen. To its square comes that of 1 / n of the range
of answers: what one more draw of the farthest graph would change, for graphs so rare that few were drawn.
Where one graph alone was drawn, others may have a share of 3 / n (the rule of three), and the answer may be
off by so much of its standard deviation. Exact weights have no such error: an average is off by at most the
share of the graphs that are left out, times the range of answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Drawn"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where the weights of graphs come from.

    Parameters
    ----------
    size : independent draws that the weights are shares of; infinite where they were computed.
    left : the probability of graphs that are left out, of computed weights.
    groups : for each graph the number of the draw it stands for, where several stand for one.

    >>> means, even = np.array([[1.0], [3.0]]), np.array([[0.5], [0.5]])
    >>> Drawn(size=100.0).error(means, even[:, 0], even, np.ones(1)).round(4).tolist()
    [0.102]
    """

    size: float = math.inf
    left: float = 0.0
    groups: NDArray[np.intp] | None = None

    @property
    def exact(self) -> bool:
        """Whether averages are sums over all graphs."""
        return math.isinf(self.size) and self.left == 0.0

    def taken(self, kept: list[int]) -> Drawn:
        """The same for some of the graphs."""
        groups = None if self.groups is None else self.groups[kept]
        return Drawn(self.size, self.left, groups)

    def error(self, values: Array, shares: Array, weights: Array, scale: Array) -> Array:
        """Standard errors of averages.

        Parameters
        ----------
        values : what each graph says (graphs by numbers).
        shares : what graphs counted before anything was seen (graphs).
        weights : what they count (graphs by numbers, or by one).
        scale : standard deviation of what each number is the mean of; for a single graph.
        """
        if math.isinf(self.size):
            ratio = weights / np.where(shares > 0, shares, 1.0)[:, None]
            most = np.minimum(self.left * np.maximum(1.0, ratio.max(axis=0)), 1.0)
            bound: Array = most * (values.max(axis=0) - values.min(axis=0))
            return bound
        groups = np.arange(len(values)) if self.groups is None else self.groups
        _, place = np.unique(groups, return_inverse=True)
        if place.max() == 0:
            alone: Array = min(3.0 / self.size, 1.0) * np.asarray(scale, dtype=float)
            return alone
        off = weights * (values - (weights * values).sum(axis=0))
        sums = np.zeros((int(place.max()) + 1, off.shape[1]))
        np.add.at(sums, place, off)
        whole = np.bincount(place, shares)
        parts = sums**2 / np.where(whole > 0, whole, 1.0)[:, None]
        step = (
            values.max(axis=0) - values.min(axis=0)
        ) / self.size  # one more draw of the farthest
        found: Array = np.sqrt(parts.sum(axis=0) / self.size + step**2)
        return found
