"""Cut points that divide a column of numbers into a few levels.

All methods use the distinct values of a column in ascending order, each with its count, so that equal values
have the same level and the order of rows does not matter. A cut lies above the value below it and at or below
the value above it: the level of a number is the number of cuts that are at most it.

=========  ===========================================================================================
name       cuts
=========  ===========================================================================================
width      equal steps from the smallest to the largest value
quantiles  between values, where the share of rows below is nearest to 1/k, 2/k, ... (equal frequency)
kmeans     the exact optimum of k-means in one dimension, by dynamic programming (Wang and Song 2011);
           a number goes to the nearest mean
entropy    recursively at the least entropy of a class, as long as the minimum description length
           criterion accepts the cut (Fayyad and Irani 1993)
=========  ===========================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_NEAR = 0.01  # of the distance of the values around a cut, by which rounding may move it


def width(values: Array, counts: Array, bins: int) -> Array:
    """Return cuts of the range into steps of equal width.

    >>> width(np.array([0.0, 1.0, 9.0]), np.ones(3), 3)
    array([3., 6.])
    """
    low, high = values[0], values[-1]
    shares = np.arange(1, bins) / bins
    cuts = low * (1 - shares) + high * shares  # no difference, which could overflow
    return np.unique(cuts[(cuts > low) & (cuts <= high)])


def quantiles(values: Array, counts: Array, bins: int) -> Array:
    """Return cuts into levels of nearly equal count; equal values are never divided.

    >>> quantiles(np.array([1.0, 2.0, 3.0, 8.0]), np.array([1.0, 1.0, 1.0, 1.0]), 2)
    array([2.5])
    """
    if len(values) < 2:
        return np.zeros(0)
    total = counts.sum()
    below, wanted = np.cumsum(counts)[:-1], total * np.arange(1, bins) / bins
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    # The lower of two boundaries that are equally near, up to rounding.
    lower = wanted - below[before] <= below[after] - wanted + 1e-12 * total
    positions = np.unique(np.where(lower, before, after))
    return midpoints(values[positions], values[positions + 1])


def midpoints(lower: Array, upper: Array) -> Array:
    """Return the midpoints, above the lower values even after rounding."""
    middle = lower / 2 + upper / 2
    return np.where((middle > lower) & (middle <= upper), middle, upper)


# -- k-means -------------------------------------------------------------------------------------


def kmeans(values: Array, counts: Array, bins: int) -> Array:
    """Return the cuts with the least sum of squared distances from the means of the levels.

    The best last level of the first j values begins no earlier than that of the first j - 1, so each of
    the k rows of the program takes a binary search: O(k n log n), in whole-array steps.

    >>> kmeans(np.array([1.0, 2.0, 10.0, 12.0]), np.ones(4), 2)
    array([6.25])
    """
    levels = min(bins, len(values))
    if levels < 2:
        return np.zeros(0)
    sums = _RunningSums.of(values, counts)
    ends = np.arange(1, len(values) + 1)
    cost = sums.cost(np.zeros_like(ends), ends)
    starts = []
    for level in range(1, levels):
        cost, start = _next_row(sums, cost, level)
        starts.append(start)
    edges = [len(values)]
    for start in reversed(starts):
        edges.append(int(start[edges[-1] - 1]))
    edges = [0, *reversed(edges)]
    means = [sums.mean(a, b) for a, b in pairwise(edges)]
    centre = midpoints(np.array(means[:-1]), np.array(means[1:])) * sums.scale + sums.origin
    lower, upper = values[np.array(edges[1:-1]) - 1], values[edges[1:-1]]
    return np.where((centre > lower) & (centre <= upper), centre, midpoints(lower, upper))


class _RunningSums:
    """Running sums of centred and scaled values, for the mean and sum of squares of any interval."""

    def __init__(self, scaled: Array, counts: Array, origin: float, scale: float) -> None:
        self.origin, self.scale = origin, scale
        parts = (counts, counts * scaled, counts * scaled**2)
        self._w, self._x, self._xx = (np.concatenate([[0.0], np.cumsum(terms)]) for terms in parts)

    @classmethod
    def of(cls, values: Array, counts: Array) -> _RunningSums:
        origin = float(values[len(values) // 2])
        apart = values / 2 - origin / 2
        if not apart.any():  # nothing is left of half of the smallest numbers that there are
            apart = values - origin
        scale = float(np.abs(apart).max()) * 2
        return cls(apart / (scale / 2), counts, origin, scale)

    def cost(self, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> Array:
        """Return the sums of squares about the means of values[starts:ends]."""
        weight, total = self._w[ends] - self._w[starts], self._x[ends] - self._x[starts]
        squares = self._xx[ends] - self._xx[starts]
        costs: Array = np.maximum(squares - total**2 / weight, 0.0)
        return costs

    def mean(self, start: int, end: int) -> float:
        return float((self._x[end] - self._x[start]) / (self._w[end] - self._w[start]))


def _next_row(sums: _RunningSums, cost: Array, level: int) -> tuple[Array, NDArray[np.intp]]:
    """Return the costs of the first 1, 2, ... values in one more level, and the starts of the last level.

    `cost[j - 1]` is that of the first j values in `level` levels. Each round solves the middle of each open
    interval of ends; its solution bounds those to the left and to the right.
    """
    size = len(cost)
    best, start = np.full(size, np.inf), np.zeros(size, dtype=np.intp)
    first, last = np.array([level]), np.array([size - 1])  # stretches of positions j - 1
    least, most = np.array([level]), np.array([size - 1])  # where their last level may begin
    while len(first):
        middle = (first + last) // 2
        lengths = np.minimum(most, middle) - least + 1
        offsets = np.cumsum(lengths) - lengths
        begin = np.arange(lengths.sum()) + np.repeat(least - offsets, lengths)
        total = cost[begin - 1] + sums.cost(begin, np.repeat(middle + 1, lengths))
        lowest = np.minimum.reduceat(total, offsets)
        hits = np.flatnonzero(total == np.repeat(lowest, lengths))
        starts = begin[hits[np.searchsorted(hits, offsets)]]  # the first of each stretch
        best[middle], start[middle] = lowest, starts
        first, last = np.concatenate([first, middle + 1]), np.concatenate([middle - 1, last])
        least, most = np.concatenate([least, starts]), np.concatenate([starts, most])
        open_ = first <= last
        first, last, least, most = first[open_], last[open_], least[open_], most[open_]
    return best, start


# -- entropy -------------------------------------------------------------------------------------


def entropy(values: Array, table: Array) -> Array:
    """Return the cuts with most information about a class, as long as they pay for their description.

    A set S of N cases with k classes is divided at the least mean entropy of the two parts. The cut
    is kept if its gain exceeds log2(N - 1) / N + D / N, with D = log2(3^k - 2) - (k H - k1 H1 - k2 H2),
    H the entropies of S and of its parts in bits and k1, k2 the classes that occur in these; then the parts
    are divided in turn.

    Parameters
    ----------
    values : distinct and ascending.
    table : values by classes, counts of the pairs.

    >>> entropy(np.array([1.0, 2.0, 3.0, 4.0]), np.array([[9, 0], [9, 0], [0, 9], [0, 9]]))
    array([2.5])
    """
    splits: list[int] = []
    stretches = [(0, len(values))]
    while stretches:
        start, end = stretches.pop()
        split_at = _best_place(table[start:end])
        if split_at:
            splits.append(start + split_at)
            stretches += [(start, start + split_at), (start + split_at, end)]
    cuts = np.array(sorted(splits), dtype=np.intp)
    return midpoints(values[cuts - 1], values[cuts])


def _best_place(table: Array) -> int:
    """Return the number of values below the accepted cut; 0 if none is accepted."""
    # Each side is summed separately: a difference of sums would leave traces of absent classes.
    below, above = np.cumsum(table, axis=0), np.cumsum(table[::-1], axis=0)[::-1]
    cases = float(below[-1].sum())
    if len(table) < 2 or not cases > 1:
        return 0
    (bits,), (kinds,) = _entropies(below[-1:])
    (low, low_kinds), (high, high_kinds) = _entropies(below[:-1]), _entropies(above[1:])
    share = below[:-1].sum(axis=1) / cases
    mean = share * low + (1 - share) * high
    best = int(np.argmax(mean <= mean.min() + 1e-12))  # of equal ones, up to rounding, the lowest
    models = kinds * np.log2(3.0) + np.log2(1 - 2 * 3.0**-kinds)
    models -= kinds * bits - low_kinds[best] * low[best] - high_kinds[best] * high[best]
    return best + 1 if bits - mean[best] > (np.log2(cases - 1) + models) / cases else 0


def _entropies(counts: Array) -> tuple[Array, Array]:
    """Return the entropy of each row of counts in bits, and the number of its classes that occur."""
    occurs = counts > 0
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    logs = np.log2(shares, out=np.zeros_like(shares), where=occurs)
    return -(shares * logs).sum(axis=1), occurs.sum(axis=1)


CUTTERS: dict[str, Callable[[Array, Array, int], Array]] = {
    "quantiles": quantiles,
    "width": width,
    "kmeans": kmeans,
}
"""Methods that need no class, by name."""


# -- columns and levels ---------------------------------------------------------------------------


def count_values(
    numbers: Array, weights: Array | None, classes: NDArray[Any], kinds: int
) -> tuple[Array, Array]:
    """Return the distinct values and their counts for each class; rows with a missing value are ignored."""
    usable = ~np.isnan(numbers) & (classes < kinds)
    if weights is not None:
        usable &= weights > 0
    counts = np.ones(int(usable.sum())) if weights is None else weights[usable]
    values, positions = np.unique(numbers[usable], return_inverse=True)
    cells = positions * kinds + classes[usable]
    # Sums of weights do not depend on the order of the rows.
    order = np.lexsort((counts, cells))
    sums = np.bincount(cells[order], counts[order], minlength=len(values) * kinds)
    return values, sums.reshape(len(values), kinds).astype(float)


def neat(values: Array, cuts: Array) -> Array:
    """Return cuts with few digits that divide the values in the same way; cuts of integers are integers.

    Rounding changes a cut by at most a hundredth of the distance of its neighbouring values or cuts.

    >>> neat(np.array([1.25, 2.5, 4.75]), np.array([1.8333333, 3.0]))
    array([1.83, 3.  ])
    """
    if bool((values == np.floor(values)).all()):
        return np.unique(np.ceil(cuts))
    cuts = np.unique(cuts)
    above = np.searchsorted(values, cuts)
    between = (cuts[:-1] / 2 + cuts[1:] / 2).tolist()
    lows = np.maximum(values[above - 1], [-np.inf, *between])
    highs = np.minimum(values[above], [*between, np.inf])
    rounded = [
        _round_cut(*bounds)
        for bounds in zip(lows.tolist(), cuts.tolist(), highs.tolist(), strict=True)
    ]
    return np.array(rounded, dtype=float)


def _round_cut(low: float, cut: float, high: float) -> float:
    """Return a cut rounded to the fewest decimals that keep it near, above `low` and at most `high`."""
    allowed = _NEAR * (high - low)
    if not 0 < allowed < math.inf:
        return cut
    least = math.ceil(-math.log10(2 * allowed))
    for decimals in range(least, least + 18):
        rounded = round(cut, decimals) + 0.0  # no -0
        if low < rounded <= high:
            return rounded
    return cut


def labels(cuts: Array) -> tuple[str, ...]:
    """Return the names of the levels between cuts, with all their digits; a cut belongs to the level above.

    >>> labels(np.array([0.5, 2.0]))
    ('below 0.5', '0.5 to below 2', 'from 2')
    """
    if not len(cuts):
        return ("all",)
    numbers = [repr(float(cut) + 0.0).removesuffix(".0") for cut in cuts]
    middle = [f"{low} to below {high}" for low, high in pairwise(numbers)]
    return (f"below {numbers[0]}", *middle, f"from {numbers[-1]}")
