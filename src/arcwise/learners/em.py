"""EM for the parameters of a graph from rows with missing values.

Expected moments are those of the rows under the current network; the network of the next round is fitted to
them, on its graph (Lauritzen 1995). The likelihood of the observed values never decreases.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.conditionals.gaussian import FLOOR, GaussianFits
from arcwise.data import GatheredMoments, Incomplete
from arcwise.graphs import DAG

__all__ = ["fits_on_graph", "implied_covariance"]

Array = NDArray[np.float64]


def fits_on_graph(graph: DAG, fits: Fits, stop: Callable[[], bool] | None = None) -> Fits:
    """Return fits whose models on a graph have the largest likelihood of all observed values.

    These are the same fits if no values are missing. They are meaningless for other graphs.
    `stop` is asked before each round whether to end.
    """
    statistics = fits.statistics
    if not isinstance(fits, GaussianFits) or not isinstance(statistics, Incomplete):
        return fits
    numbers = {int(column): index for index, column in enumerate(statistics.varying)}
    parents = [
        tuple(numbers[x] for x in graph.parents[column] if x in numbers) for column in numbers
    ]
    order = [numbers[x] for x in graph.order() if x in numbers]
    moments = statistics.moments_of(lambda matrix: implied_covariance(matrix, parents, order), stop)
    return GaussianFits(GatheredMoments(moments))


def implied_covariance(matrix: Array, parents: list[tuple[int, ...]], order: list[int]) -> Array:
    """Return the covariance of a linear-Gaussian network whose local models are fitted to a covariance.

    >>> matrix = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    >>> float(implied_covariance(matrix, [(), (0,), (1,)], [0, 1, 2])[0, 2])
    0.25
    """
    slopes, spread = np.zeros_like(matrix), np.diag(matrix).copy()
    for child, row in enumerate(parents):
        if row:
            inputs = list(row)
            coefficients = np.linalg.lstsq(matrix[np.ix_(inputs, inputs)], matrix[inputs, child])[0]
            slopes[child, inputs] = coefficients
            spread[child] = max(spread[child] - matrix[child, inputs] @ coefficients, FLOOR)
    whole = np.eye(len(matrix))
    for child in order:  # parents first: each row is written in terms of the noises
        whole[child] += slopes[child] @ whole
        whole[child, child] = 1.0
    implied: Array = (whole * spread) @ whole.T
    return implied
