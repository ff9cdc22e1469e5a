"""Descendants and best moves against powers of matrices, at the edges of 64-bit words."""

import numpy as np
import pytest
from naive import moves as naive

from arcwise._kernels import graph_moves as kernel
from arcwise.graphs import random_dag

SIZES = [1, 2, 3, 10, 63, 64, 65, 130]


def parents_of(p: int, seed: int, degree: float = 3.0):
    return random_dag(p, min(degree, p - 1), np.random.default_rng(seed)).parents


def arcs_of(parents) -> np.ndarray:
    out = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, row in enumerate(parents):
        out[list(row), child] = True
    return out


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("seed", range(2))
def test_link_and_unlink_keep_the_descendants(p, seed):
    rng = np.random.default_rng(seed)
    rows = [set(row) for row in parents_of(p, seed)]
    below = naive.words(naive.below(rows))
    for _ in range(40 if p > 1 else 0):
        tail, head = (int(x) for x in rng.choice(p, 2, replace=False))
        if tail in rows[head]:
            rows[head].remove(tail)
            kernel.unlink(below, naive.words(arcs_of(rows)), tail)
        elif kernel.legal_add(below, tail, head):
            rows[head].add(tail)
            kernel.link(below, tail, head)
        else:
            assert naive.below(rows)[head, tail]
            continue
        assert (naive.truths(below, p) == naive.below(rows)).all()


@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("gains", ["random", "ties"])
def test_scan_finds_the_best_legal_move_into_each_head(p, gains):
    rng = np.random.default_rng(p)
    parents = parents_of(p, p)
    below = naive.below(parents)
    values = rng.normal(size=(p, p)) if gains == "random" else rng.integers(-1, 2, (p, p)) * 1.0
    values[rng.random((p, p)) < 0.1] = -np.inf
    blocked = rng.random((p, p)) < 0.1
    blocked |= blocked.T
    arcs = arcs_of(parents)
    kept = arcs.T & (rng.random((p, p)) < 0.2)
    best, kind, tails = np.zeros(p), np.zeros(p, np.int64), np.zeros(p, np.int64)
    words = [naive.words(m) for m in (arcs.T, arcs, below, blocked, kept)]
    kernel.scan(values, *words, 0.0, np.arange(p), best, kind, tails)
    reference: list[list] = [[] for _ in range(p)]
    for what, tail, head in naive.legal_moves(parents) if p <= 10 else sampled(parents, below):
        if blocked[head, tail] or (what != kernel.ADD and kept[head, tail]):
            continue
        gain = values[head, tail] + (values[tail, head] if what == kernel.FLIP else 0.0)
        if gain > -np.inf:
            reference[head].append((gain, what, tail))
    for head in range(p):
        if not reference[head]:
            assert kind[head] == -1
            continue
        assert best[head] == max(gain for gain, _, _ in reference[head])
        assert (best[head], kind[head], tails[head]) in reference[head]


def sampled(parents, below):
    """The legal moves of a large graph by its descendants (checked above against trying all)."""
    p = len(parents)
    for head in range(p):
        for tail in range(p):
            if tail in parents[head]:
                yield kernel.DROP, tail, head
                others = [c for c in range(p) if tail in parents[c] and c != head]
                if not any(below[c, head] for c in others):
                    yield kernel.FLIP, tail, head
            elif tail != head and not below[head, tail]:
                yield kernel.ADD, tail, head


@pytest.mark.parametrize("p", [2, 5, 9])
@pytest.mark.parametrize("seed", range(4))
def test_single_moves_are_legal_exactly_where_the_graph_stays_acyclic(p, seed):
    parents = parents_of(p, seed)
    arcs, legal = arcs_of(parents), set(naive.legal_moves(parents))
    below, children = naive.words(naive.below(parents)), naive.words(arcs)
    for head in range(p):
        for tail in range(p):
            if tail in parents[head]:
                fine = kernel.legal_flip(children, below, tail, head)
                assert fine == ((kernel.FLIP, tail, head) in legal)
            elif tail != head and head not in parents[tail]:
                fine = kernel.legal_add(below, tail, head)
                assert fine == ((kernel.ADD, tail, head) in legal)
    assert set(sampled(parents, naive.below(parents))) == legal
