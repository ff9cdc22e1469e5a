"""Thin typed faces of the compiled loops: plain arrays in, plain arrays out.

Each face says shapes, units and cost; each loop has a slow, obvious twin in ``tests/naive``.

Lists of parent sets go to the loops as two arrays: set ``r`` is ``indices[indptr[r]:indptr[r + 1]]``, the
row layout of a sparse matrix.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packed", "pack", "unpack"]

Packed = tuple[NDArray[np.int64], NDArray[np.int64]]


def pack(sets: Sequence[tuple[int, ...]]) -> Packed:
    """Return ``(indptr, indices)`` of a list of sets.

    >>> [part.tolist() for part in pack([(0, 2), (), (1,)])]
    [[0, 2, 2, 3], [0, 2, 1]]
    """
    indptr = np.zeros(len(sets) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, sets), dtype=np.int64, count=len(sets)), out=indptr[1:])
    indices = np.fromiter(
        itertools.chain.from_iterable(sets), dtype=np.int64, count=int(indptr[-1])
    )
    return indptr, indices


def unpack(indptr: NDArray[np.int64], indices: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Undo `pack`.

    >>> unpack(*pack([(0, 2), (), (1,)]))
    [(0, 2), (), (1,)]
    """
    places, members = indptr.tolist(), indices.tolist()
    return [tuple(members[a:b]) for a, b in itertools.pairwise(places)]
