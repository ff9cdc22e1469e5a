"""Classifiers written out: sums over rows and over all states, one at a time."""

from itertools import combinations, product
from math import log

import numpy as np


def conditional_information(x, y, c, weights=None):
    """I(X; Y | C) in nats per row, from shares of rows; rows with None anywhere do not count."""
    weights = [1.0] * len(x) if weights is None else weights
    rows = [
        (a, b, k, w) for a, b, k, w in zip(x, y, c, weights, strict=True) if None not in (a, b, k)
    ]
    n = sum(w for *_, w in rows)

    def share(a=None, b=None, k=None):
        wanted = [(i, v) for i, v in enumerate((a, b, k)) if v is not None]
        return sum(row[3] for row in rows if all(row[i] == v for i, v in wanted)) / n

    total = 0.0
    for a, b, k in {(a, b, k) for a, b, k, _ in rows}:
        joint = share(a, b, k)
        total += joint * log(joint * share(k=k) / (share(a, k=k) * share(b=b, k=k)))
    return total


def best_tree(weights):
    """The largest total weight of a spanning tree, over all of them."""
    size = len(weights)
    pairs = list(combinations(range(size), 2))

    def joined(edges):
        reached = {0}
        for _ in range(size):
            reached |= {b for a, b in edges if a in reached} | {a for a, b in edges if b in reached}
        return len(reached) == size

    trees = [edges for edges in combinations(pairs, size - 1) if joined(edges)]
    return max(sum(weights[a][b] for a, b in edges) for edges in trees)


def smoothed(rows, wanted, given, levels, alpha=1.0):
    """(rows with `wanted` and `given` + alpha) / (rows with `given` and any value + alpha levels)."""
    (name, value), inside = wanted, [r for r in rows if all(r[k] == v for k, v in given.items())]
    known = [r for r in inside if r[name] is not None]
    return (sum(r[name] == value for r in known) + alpha) / (len(known) + alpha * levels)


def aode(rows, target, levels, query, min_count):
    """Webb's average over one-dependence classifiers, by shares of rows; dictionaries are rows."""
    features = [name for name in levels if name != target]
    votes = dict.fromkeys(levels[target], 0.0)
    parents = [
        p for p in features
        if query[p] is not None and sum(r[p] == query[p] for r in rows) >= min_count
    ]  # fmt: skip
    for c, parent in product(levels[target], parents or [None]):
        value = smoothed(rows, (target, c), {}, len(levels[target]))
        for name in features:
            if query[name] is None:
                continue
            given = {target: c}
            if parent is not None and name != parent:
                given[parent] = query[parent]
            value *= smoothed(rows, (name, query[name]), given, len(levels[name]))
        votes[c] += value
    total = sum(votes.values())
    return np.array([votes[c] / total for c in levels[target]])


def enumerated(log_density, sizes, target, row):
    """Log p(class, known) by adding up the joint over all states that agree with a row; None is a gap."""
    states = np.array(list(product(*map(range, sizes)))).T
    logs = log_density(tuple(states))
    keep = np.ones(states.shape[1], dtype=bool)
    for node, value in enumerate(row):
        if value is not None and node != target:
            keep &= states[node] == value
    return np.array(
        [np.logaddexp.reduce(logs[keep & (states[target] == k)]) for k in range(sizes[target])]
    )
