"""Sums over all directed acyclic graphs, for exact posteriors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

__all__ = ["Posterior", "dag_posterior"]

Array = NDArray[np.float64]


class Posterior(NamedTuple):
    """What a sum over all graphs tells.

    `log_total` is its logarithm; `arcs[u, v]` (p, p) the share of graphs with u -> v; `chosen[v, U]` the
    share in which the variables before v are U, a mask over the others, packed.
    """

    log_total: float
    arcs: Array
    chosen: Array


def dag_posterior(weights: Array, *, orders: bool = False) -> Posterior:
    """Sum the products of local weights over all acyclic graphs, and the share of each arc: 3^p terms.

    Parameters
    ----------
    weights : (p, 2^(p-1)) log weight of each variable with each set of the others (bit masks over the
        others in ascending order); -inf where a set is not allowed.
    orders : weigh each graph by the number of orders that agree with it: p 2^p terms.

    Memory: three tables of the size of `weights`.
    """
    p = len(weights)
    log_total, arcs, chosen = _native.dag_posterior(
        np.ascontiguousarray(weights, dtype=float), orders
    )
    return Posterior(float(log_total), arcs.reshape(p, p), chosen.reshape(weights.shape))
