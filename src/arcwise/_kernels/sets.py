"""Parent sets as the two arrays that the compiled loops read, and dynamic programs over all subsets.

Set ``r`` is ``indices[indptr[r]:indptr[r + 1]]``: the row layout of a sparse matrix.

The programs are those of the exact search. Source: Silander and Myllymaki 2006, "A simple approach for
finding the globally optimal Bayesian network structure".
"""

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

IndexArrays = tuple[NDArray[np.int64], NDArray[np.int64]]


def pack(sets: Sequence[tuple[int, ...]]) -> IndexArrays:
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


_SLICE = 1 << 20  # sets between two looks at the clock: some hundredths of a second


def subset_maxima(values: NDArray[np.float64]) -> None:
    """Replace values[mask] by the maximum over all subsets of mask, in place: c 2^c steps."""
    _native.subset_maxima(values)


def best_order(
    tables: NDArray[np.float64],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.uint64],
    required: NDArray[np.uint64],
    check: Callable[[], None] | None = None,
    slack: float = 0.0,
) -> tuple[float, NDArray[np.int64]]:
    """Return the best total score and an order of the variables that reaches it: p 2^p steps.

    `tables[offsets[v]:]` holds variable v's best score inside every subset of its candidates
    (a bit mask over variables), packed; variables in `required[v]` must come before v. At most 31
    variables. The total is -inf where no order is possible. `check` is called several times a second; what it
    raises ends the work. Orders whose every step is within `slack` of the best tie: the lowest numbers come
    last.
    """
    order = np.full(len(candidates), -1, dtype=np.int64)
    search = _native.BestOrder(tables, offsets, candidates, required)
    while not search.advance(_SLICE):
        if check is not None:
            check()
    return float(search.order(order, slack)), order


# -- posterior -----------------------------------------------------------------------------------


Array = NDArray[np.float64]

_TERMS = 4e6  # terms between two looks at the clock: some hundredths of a second


class GraphSums(NamedTuple):
    """The result of a sum over all graphs.

    `log_total` is its logarithm; `arcs[u, v]` (p, p) the share of graphs with u -> v; `chosen[v, U]` the
    share in which the variables before v are U, a mask over the others, packed.
    """

    log_total: float
    arcs: Array
    chosen: Array


def slices(p: int) -> float:
    """About how many times `check` is called for this many variables, without a bound on orders."""
    return (2.0 * 3.0**p + p * p * 2.0**p) / _TERMS


def dag_posterior(
    weights: Array, *, orders: bool = False, check: Callable[[], None] | None = None
) -> GraphSums:
    """Sum the products of local weights over all acyclic graphs, and the share of each arc: 3^p
    terms.

    Parameters
    ----------
    weights : (p, 2^(p-1)) log weight of each variable with each set of the others (bit masks over the
        others in ascending order); -inf where a set is not allowed.
    orders : weigh each graph by the number of orders that agree with it: p 2^p terms.
    check : called several times a second; an exception ends the work.

    Memory: three tables of the size of `weights`, which is one of them.
    """
    p = len(weights)
    sums = _native.DagSums(np.ascontiguousarray(weights, dtype=float), orders)
    while not sums.advance(_TERMS):
        if check is not None:
            check()
    log_total, arcs, shares = sums.found()
    return GraphSums(float(log_total), arcs.reshape(p, p), shares.reshape(weights.shape))
