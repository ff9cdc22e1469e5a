"""Lists of parent sets as the two arrays that the compiled loops read.

Set ``r`` is ``indices[indptr[r]:indptr[r + 1]]``: the row layout of a sparse matrix.
"""

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

Packed = tuple[NDArray[np.int64], NDArray[np.int64]]


def pack(sets: Sequence[tuple[int, ...]]) -> Packed:
    """Return ``(indptr, indices)`` of a list of sets.

    >>> [part.tolist() for part in pack([(0, 2), (), (1,)])]
    [[0, 2, 2, 3], [0, 2, 1]]
    """
    indptr = np.zeros(len(sets) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, sets), dtype=np.int64, count=len(sets)), out=indptr[1:])
    indices = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(indptr[-1]))
    return indptr, indices


def unpack(indptr: NDArray[np.int64], indices: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Undo `pack`.

    >>> unpack(*pack([(0, 2), (), (1,)]))
    [(0, 2), (), (1,)]
    """
    places, members = indptr.tolist(), indices.tolist()
    return [tuple(members[a:b]) for a, b in pairwise(places)]
