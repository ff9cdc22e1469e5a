"""The product of factors over discrete variables as one table."""

import numpy as np


def product(levels, scopes, tables):
    """The whole table, one axis a variable."""
    whole = np.ones(tuple(levels))
    for scope, table in zip(scopes, tables, strict=False):
        order = np.argsort(scope)
        shape = [levels[v] if v in scope else 1 for v in range(len(levels))]
        whole = whole * np.transpose(table, order).reshape(shape)
    return whole


def restricted(whole, seen, row, soft=None):
    """The table with zeros where levels differ from those seen, and with soft weights."""
    out = whole.copy()
    for v, level in zip(seen, row, strict=True):
        keep = np.zeros(whole.shape[v])
        keep[level] = 1.0
        out *= keep.reshape([-1 if i == v else 1 for i in range(whole.ndim)])
    at = 0
    for v, size in enumerate(whole.shape if soft is not None else ()):
        if v not in seen:
            out *= soft[at : at + size].reshape([-1 if i == v else 1 for i in range(whole.ndim)])
        at += size
    return out


def marginal(table, target):
    """The distribution of some variables, in their order."""
    sums = table.sum(axis=tuple(v for v in range(table.ndim) if v not in target))
    kept = sorted(target)
    return np.transpose(sums, [kept.index(v) for v in target]) / table.sum()


def random_factors(rng, p, most=4, sparse=0.0):
    """Factors of a random directed network: a table for each variable given some before it."""
    levels = rng.integers(1, most + 1, p)
    scopes, tables = [], []
    for v in range(p):
        parents = rng.choice(v, min(v, int(rng.integers(0, 4))), replace=False) if v else []
        scope = (*(int(x) for x in parents), v)
        shape = [int(levels[x]) for x in scope]
        table = rng.random(shape) * (rng.random(shape) >= sparse)
        table = table + 1e-3 * (table.sum(axis=-1, keepdims=True) == 0)
        scopes.append(scope)
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return [int(r) for r in levels], scopes, tables
