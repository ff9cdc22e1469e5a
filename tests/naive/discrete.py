"""Local scores of discrete columns, term by term."""

import itertools
import math
from collections import defaultdict

import numpy as np


def counts(codes, weights, child, parents):
    """{configuration: {level: count}} of what occurs."""
    found = defaultdict(lambda: defaultdict(float))
    for row in range(codes.shape[1]):
        key = tuple(int(codes[x, row]) for x in parents)
        found[key][int(codes[child, row])] += 1.0 if weights is None else float(weights[row])
    return found


def score(codes, levels, weights, child, parents, kind="likelihood", each="table", alpha=1.0):
    """The sum over configurations, without charges."""
    found = counts(codes, weights, child, parents)
    found = {key: row for key, row in found.items() if sum(row.values()) > 0}
    r = int(levels[child])
    q = math.prod(int(levels[x]) for x in parents)
    share = {"cell": 1, "row": r, "table": r * q, "seen": r * max(len(found), 1)}[each]
    per_cell = alpha / share
    total = 0.0
    for row in found.values():
        n = sum(row.values())
        cells = [c for c in row.values() if c > 0]
        if kind == "likelihood":
            total += sum(c * math.log(c / n) for c in cells)
        elif kind == "loo":
            total += sum(c * math.log((c - 1 + per_cell) / (n - 1 + r * per_cell)) for c in cells)
        else:
            total += math.lgamma(r * per_cell) - math.lgamma(r * per_cell + n)
            total += sum(math.lgamma(per_cell + c) - math.lgamma(per_cell) for c in cells)
    return total


def influence(codes, levels, weights, x, y, alpha=1.0):
    """What the gain of an arc between two columns loses at most with one row (or a lighter cell)."""

    def gain(weights):
        args = (codes, levels, weights)
        return score(*args, y, (x,), "marginal", "table", alpha) - score(
            *args, y, (), "marginal", "table", alpha
        )

    weights = np.ones(codes.shape[1]) if weights is None else weights
    whole, lost = gain(weights), [0.0]
    for cell in set(zip(codes[x].tolist(), codes[y].tolist(), strict=True)):
        inside = (codes[x] == cell[0]) & (codes[y] == cell[1])
        held = float(weights[inside].sum())
        if held > 0:
            lost.append(
                whole - gain(np.where(inside, weights * (1 - min(held, 1.0) / held), weights))
            )
    return max(lost)


def regret(n, cells):
    """log of the sum, over all tables of n rows in so many cells, of their largest likelihood."""
    total = 0.0
    for cuts in itertools.combinations(range(n + cells - 1), cells - 1):
        edges = (-1, *cuts, n + cells - 1)
        split = [b - a - 1 for a, b in itertools.pairwise(edges)]
        ways = math.lgamma(n + 1) - sum(math.lgamma(c + 1) for c in split)
        total += math.exp(ways + sum(c * math.log(c / n) for c in split if c))
    return math.log(total)


def random_table(rng, p=6, n=60, most=4, related=True):
    """Codes whose columns depend on one another, and their numbers of levels."""
    levels = rng.integers(1, most + 1, p)
    hidden = rng.integers(0, most, n) * related
    codes = np.array([(hidden * (rng.random(n) < 0.6) + rng.integers(0, r, n)) % r for r in levels])
    return codes.astype(np.uint16), levels
