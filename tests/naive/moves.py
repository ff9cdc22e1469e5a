"""Slow, obvious twins of the neighbourhood kernels: powers of matrices, every move tried."""

import numpy as np
from naive.subsets import acyclic

ADD, DROP, FLIP = 0, 1, 2


def below(parents) -> np.ndarray:
    """below[a, b]: there is a directed path from a to b, of at least one arc."""
    p = len(parents)
    arcs = np.zeros((p, p), dtype=bool)
    for child, row in enumerate(parents):
        arcs[list(row), child] = True
    reach = arcs.astype(float)
    for _ in range(p.bit_length()):  # paths of up to 1, 2, 4, ... arcs
        reach = np.minimum(reach + reach @ reach, 1.0)
    return reach > 0


def words(matrix: np.ndarray) -> np.ndarray:
    """Rows of truth values as rows of 64-bit words."""
    p = matrix.shape[1]
    out = np.zeros((len(matrix), (p + 63) // 64), dtype=np.uint64)
    for row, column in np.argwhere(matrix).tolist():
        out[row, column // 64] |= np.uint64(1 << (column % 64))
    return out


def truths(sets: np.ndarray, p: int) -> np.ndarray:
    """Rows of 64-bit words as rows of truth values."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little")
    return bits[:, :p].astype(bool)


def changed(parents, kind: int, tail: int, head: int) -> list[set[int]]:
    rows = [set(row) for row in parents]
    if kind == ADD:
        rows[head].add(tail)
    else:
        rows[head].remove(tail)
    if kind == FLIP:
        rows[tail].add(head)
    return rows


def legal_moves(parents, limits=None):
    """All (kind, tail, head) whose graph is acyclic and within the limits."""
    p = len(parents)
    for head in range(p):
        for tail in range(p):
            if tail == head:
                continue
            kinds = (DROP, FLIP) if tail in parents[head] else (ADD,)
            for kind in kinds:
                if kind == ADD and head in parents[tail]:
                    continue
                rows = changed(parents, kind, tail, head)
                if acyclic(rows) and allowed(rows, limits):
                    yield kind, tail, head


def allowed(rows, limits) -> bool:
    return limits is None or all(limits.allows(c, tuple(sorted(r))) for c, r in enumerate(rows))


def gain(score, parents, kind: int, tail: int, head: int) -> float:
    """Difference of totals, child by child."""
    after = changed(parents, kind, tail, head)
    return sum(
        score.local(c, tuple(sorted(after[c]))) - score.local(c, tuple(sorted(parents[c])))
        for c in {tail, head}
    )
