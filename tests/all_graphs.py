"""Scores from tables of numbers, sums over all graphs by hand, and chi-square of graphs."""

import numpy as np
from naive import posterior as naive
from scipy.stats import chi2

from arcwise.graphs import DAG
from arcwise.scores import Score


class TableScore(Score):
    """Any numbers: weights[child, packed mask of parents]."""

    rows = 10.0

    def __init__(self, weights, lattice=True):
        self.weights, self.lattice = np.asarray(weights, dtype=float), lattice
        self.nodes = tuple("abcdefgh"[: len(self.weights)])

    def many(self, child, sets):
        return np.array([self.weights[child, naive.packed(s, child)] for s in sets])


def random_score(p, seed=1, spread=1.0, **options):
    rng = np.random.default_rng(seed)
    return TableScore(spread * rng.standard_normal((p, 2 ** (p - 1))), **options)


def distribution(score, limits, *, orders=False, beta=1.0):
    """The probability of each graph that the rules allow."""
    logs = {}
    for parents in naive.all_dags(len(score.nodes)):
        graph = DAG(score.nodes, tuple(tuple(sorted(row)) for row in parents))
        if limits.allows_graph(graph):
            value = sum(score.local(v, row) for v, row in enumerate(graph.parents))
            logs[graph] = beta * value + (np.log(naive.orders(parents)) if orders else 0.0)
    shares = np.exp(np.array(list(logs.values())) - max(logs.values()))
    return dict(zip(logs, (shares / shares.sum()).tolist(), strict=True))


def arcs_of(shares):
    """(tail, head) probabilities of arcs."""
    p = len(next(iter(shares)).nodes)
    found = np.zeros((p, p))
    for graph, share in shares.items():
        for tail, head in graph.numbered_arcs:
            found[tail, head] += share
    return found


def surprise(counts, shares):
    """Chi-square of counts, cells that expect under 5 pooled; (statistic, its 99.9 % point)."""
    draws = sum(counts.values())
    assert set(counts) <= set(shares), "a graph that the rules forbid was visited"
    expected = np.array(list(shares.values())) * draws
    seen = np.array([counts.get(graph, 0) for graph in shares], dtype=float)
    rare = expected < 5
    if rare.any():
        expected = np.append(expected[~rare], expected[rare].sum())
        seen = np.append(seen[~rare], seen[rare].sum())
    if len(expected) > 1 and expected[-1] < 5:
        expected = np.append(expected[:-2], expected[-2:].sum())
        seen = np.append(seen[:-2], seen[-2:].sum())
    statistic = ((seen - expected) ** 2 / expected).sum()
    return float(statistic), float(chi2.ppf(0.999, max(1, len(expected) - 1)))
