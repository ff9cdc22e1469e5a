"""Markov boundary learning in plain words: everything scored again at every step, one penalty at a time."""

from itertools import combinations

TIE = 1e-10


def boundary(score, penalty, forbidden=(), required=()):
    """The edges left at one penalty (Hofmann and Tresp 1997), as a set of pairs (i, j), i < j."""
    p = len(score.nodes)
    edges = {pair for pair in combinations(range(p), 2) if pair not in forbidden}
    while True:
        tried = {
            pair: removal_score(score, edges, *pair) + penalty
            for pair in sorted(edges - set(required))
        }
        if not tried or max(tried.values()) <= TIE:
            return edges
        best = max(tried.values())
        edges.remove(min(pair for pair, value in tried.items() if value >= best - TIE))


def removal_score(score, edges, i, j):
    """The smaller improvement, per row, of the two models that lose a neighbour."""
    return min(improvement(score, edges, i, j), improvement(score, edges, j, i))


def improvement(score, edges, i, j):
    around = neighbours(edges, i)
    without = tuple(x for x in around if x != j)
    return (score.local(i, without) - score.local(i, around)) / score.rows


def neighbours(edges, i):
    return tuple(sorted({a + b - i for a, b in edges if i in (a, b)}))


def deletion(score, penalty):
    """Every pair tested in the complete graph, on its own."""
    every = set(combinations(range(len(score.nodes)), 2))
    return {pair for pair in every if removal_score(score, every, *pair) + penalty <= TIE}
