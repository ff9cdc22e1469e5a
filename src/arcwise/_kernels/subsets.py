"""Dynamic programs over all subsets of variables, for the exact search.

Source: Silander and Myllymaki 2006, "A simple approach for finding the globally optimal Bayesian
network structure".
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

__all__ = ["best_order", "subset_maxima"]

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
