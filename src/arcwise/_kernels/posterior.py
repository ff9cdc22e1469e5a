"""Sums over all directed acyclic graphs, for exact posteriors."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

__all__ = ["Posterior", "dag_posterior", "slices"]

Array = NDArray[np.float64]

_SLICE = 4e6  # terms between two looks at the clock: some hundredths of a second


class Posterior(NamedTuple):
    """What a sum over all graphs tells.

    `log_total` is its logarithm; `arcs[u, v]` (p, p) the share of graphs with u -> v; `chosen[v, U]` the
    share in which the variables before v are U, a mask over the others, packed.
    """

    log_total: float
    arcs: Array
    chosen: Array


def slices(p: int) -> float:
    """About how many times `check` is called for so many variables, without a bound on orders."""
    return (2.0 * 3.0**p + p * p * 2.0**p) / _SLICE


def dag_posterior(
    weights: Array, *, orders: bool = False, check: Callable[[], None] | None = None
) -> Posterior:
    """Sum the products of local weights over all acyclic graphs, and the share of each arc: 3^p terms.

    Parameters
    ----------
    weights : (p, 2^(p-1)) log weight of each variable with each set of the others (bit masks over the
        others in ascending order); -inf where a set is not allowed.
    orders : weigh each graph by the number of orders that agree with it: p 2^p terms.
    check : called several times a second; what it raises ends the work.

    Memory: three tables of the size of `weights`, which is one of them.
    """
    p = len(weights)
    sums = _native.DagSums(np.ascontiguousarray(weights, dtype=float), orders)
    while not sums.advance(_SLICE):
        if check is not None:
            check()
    log_total, arcs, chosen = sums.found()
    return Posterior(float(log_total), arcs.reshape(p, p), chosen.reshape(weights.shape))
