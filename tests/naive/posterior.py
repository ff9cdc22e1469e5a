"""Sums over all acyclic graphs, graph by graph."""

import itertools

import numpy as np


def all_dags(p):
    """Every acyclic graph, as parent sets."""
    pairs = list(itertools.permutations(range(p), 2))
    for present in itertools.product((False, True), repeat=len(pairs)):
        parents = [set() for _ in range(p)]
        for (u, v), there in zip(pairs, present, strict=True):
            if there:
                parents[v].add(u)
        if acyclic(parents):
            yield parents


def acyclic(parents):
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not parents[v] & left}
        if not free:
            return False
        left -= free
    return True


def orders(parents):
    """How many orders of the variables agree with a graph."""
    place = itertools.permutations(range(len(parents)))
    return sum(
        all(o.index(u) < o.index(v) for v in o for u in parents[v]) for o in map(list, place)
    )


def packed(members, v):
    return sum(1 << (u if u < v else u - 1) for u in members)


def posterior(weights, by_orders=False):
    """(log of the sum, arcs)."""
    p = len(weights)
    logs, graphs = [], []
    for parents in all_dags(p):
        log = sum(weights[v, packed(parents[v], v)] for v in range(p))
        logs.append(log + (np.log(orders(parents)) if by_orders else 0.0))
        graphs.append(parents)
    top = max(logs)
    shares = np.exp(np.array(logs) - top)
    arcs = np.zeros((p, p))
    for share, parents in zip(shares / shares.sum(), graphs, strict=True):
        for v in range(p):
            for u in parents[v]:
                arcs[u, v] += share
    return top + np.log(shares.sum()), arcs
