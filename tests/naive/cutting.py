"""Slow, obvious twins of the cut points in arcwise.data.cuts: rows one by one, all divisions tried."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations


def entropy_cuts(xs, labels):
    """Fayyad and Irani (1993), from rows: midpoints of accepted cuts, ascending."""
    rows = sorted(zip(xs, labels, strict=True))
    return sorted(_divide(rows))


def _bits(rows):
    counts = Counter(label for _, label in rows).values()
    return -sum(c / len(rows) * math.log2(c / len(rows)) for c in counts)


def _kinds(rows):
    return len({label for _, label in rows})


def _divide(rows):
    n, best = len(rows), None
    for place in range(1, n):
        if rows[place - 1][0] == rows[place][0]:
            continue
        left, right = rows[:place], rows[place:]
        mean = (len(left) * _bits(left) + len(right) * _bits(right)) / n
        if best is None or mean < best[0] - 1e-12:
            best = (mean, place)
    if best is None:
        return []
    mean, place = best
    left, right = rows[:place], rows[place:]
    gain = _bits(rows) - mean
    delta = math.log2(3 ** _kinds(rows) - 2) - (
        _kinds(rows) * _bits(rows) - _kinds(left) * _bits(left) - _kinds(right) * _bits(right)
    )
    if gain <= (math.log2(n - 1) + delta) / n:
        return []
    cut = (left[-1][0] + right[0][0]) / 2
    return [*_divide(left), cut, *_divide(right)]


def squares(groups):
    """The sum of squared distances from the means of groups of whole numbers, exactly."""
    total = Fraction(0)
    for group in groups:
        mean = Fraction(sum(group), len(group))
        total += sum((x - mean) ** 2 for x in group)
    return total


def groups_of(xs, cuts):
    """Rows by level: x has level i if exactly i cuts are at most it."""
    groups = [[] for _ in range(len(cuts) + 1)]
    for x in xs:
        groups[sum(cut <= x for cut in cuts)].append(x)
    return groups


def least_squares(xs, bins):
    """The least sum of squares over all divisions of the distinct values into so many levels."""
    values = sorted(set(xs))
    best = None
    for places in combinations(values[1:], min(bins, len(values)) - 1):
        found = squares(groups_of(xs, places))
        best = found if best is None else min(best, found)
    return best


def nearest_shares(xs, bins):
    """For each share k/bins the least distance of a boundary between distinct values, in rows."""
    values = sorted(set(xs))
    below = [sum(x < v for x in xs) for v in values[1:]]
    wanted = [Fraction(len(xs) * k, bins) for k in range(1, bins)]
    return [min(abs(b - w) for b in below) for w in wanted]
