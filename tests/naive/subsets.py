"""Slow, obvious twins of the programs over subsets: every subset, every order, every graph."""

from itertools import permutations, product

import numpy as np


def subset_maxima(values: np.ndarray) -> np.ndarray:
    """Largest value over all subsets of each mask."""
    size = len(values)
    return np.array([max(values[s] for s in range(size) if s & mask == s) for mask in range(size)])


def best_order(tables, candidates, required) -> float:
    """Best total over all orders; tables[v][mask over v's candidates] must be subset maxima."""
    p, best = len(tables), -np.inf
    for order in permutations(range(p)):
        value, before = 0.0, set()
        for v in order:
            if not set(required[v]) <= before:
                value = -np.inf
                break
            value += tables[v][sum(1 << b for b, c in enumerate(candidates[v]) if c in before)]
            before.add(v)
        best = max(best, value)
    return best


def all_graphs(p: int):
    """Every directed acyclic graph on p nodes, as a tuple of parent sets."""
    pairs = [(a, b) for b in range(p) for a in range(b)]
    for ways in product((0, 1, 2), repeat=len(pairs)):
        rows: list[list[int]] = [[] for _ in range(p)]
        for (a, b), way in zip(pairs, ways, strict=True):
            if way:
                rows[b if way == 1 else a].append(a if way == 1 else b)
        if acyclic(rows):
            yield tuple(tuple(sorted(row)) for row in rows)


def acyclic(rows) -> bool:
    """Take away nodes without parents until none is left."""
    left = {child: set(row) for child, row in enumerate(rows)}
    while left:
        free = [child for child, row in left.items() if not row & set(left)]
        if not free:
            return False
        for child in free:
            del left[child]
    return True


def best_graph(score, limits=None) -> float:
    """Largest total score of all graphs that the limits allow."""
    p, best = len(score.nodes), -np.inf
    known: dict = {}
    for rows in all_graphs(p):
        if limits is not None and not all(limits.allows(c, row) for c, row in enumerate(rows)):
            continue
        for key in enumerate(rows):
            if key not in known:
                known[key] = score.local(*key)
        best = max(best, sum(known[key] for key in enumerate(rows)))
    return best
