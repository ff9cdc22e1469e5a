"""Mutual information from draws, by nearest neighbours.

For draw i let r_i be the distance of its k-th nearest neighbour in the joint space (largest of the
two distances), n_x and n_y the numbers of draws nearer than r_i in each space alone, itself counted,
and k_i = k, or the number of draws that coincide with it where r_i = 0. Then

    I = mean( psi(k_i) + log N - psi(n_x) - psi(n_y) )

(Gao, Kannan, Oh and Viswanath 2017), which is the estimator of Kraskov, Stogbauer and Grassberger
(2004) where nothing coincides, and the plug-in one for levels. It takes any shape of dependence,
discrete and continuous variables mixed, and needs no density. Mutual information does not change
when a variable is transformed one to one, so that numbers are turned into normal scores first, where
the estimator is least biased. Its bias grows with dependence and dimension; with a few thousand
draws of two variables it is right to about 0.02 nats up to correlations of 0.9.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

APART = 1e3
"""Distance of two different levels: farther than numbers ever are."""


def mutual_information(first: Array, second: Array, neighbours: int = 5) -> float:
    """Mutual information of two groups of variables, in nats.

    Parameters
    ----------
    first, second : draws by variables each, from `scores`.
    neighbours : k; larger has less noise and more bias.

    Returns
    -------
    The estimate, at least 0.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(2000, 1))
    >>> y = 0.8 * x + 0.6 * rng.normal(size=(2000, 1))
    >>> bool(abs(mutual_information(scores(x), scores(y)) + 0.5 * np.log(1 - 0.64)) < 0.06)
    True
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    both = np.concatenate([first, second], axis=1)
    reach = cKDTree(both).query(both, k=[neighbours + 1], p=np.inf)[0][:, 0]
    tied = reach <= 0
    radius = np.where(tied, 1e-12, np.nextafter(reach, 0.0))
    count = [
        cKDTree(part).query_ball_point(part, radius, p=np.inf, return_length=True)
        for part in (first, second)
    ]
    same = cKDTree(both).query_ball_point(both[tied], 1e-12, p=np.inf, return_length=True)
    k = np.full(len(both), float(neighbours))
    k[tied] = same
    terms = digamma(k) + np.log(len(both)) - digamma(count[0]) - digamma(count[1])
    return max(float(terms.mean()), 0.0)


def scores(values: Array, levels: bool = False) -> Array:
    """Draws as the estimator takes them: normal scores of ranks, or levels far from each other.

    >>> scores(np.array([[1.0], [0.0]]), levels=True).tolist()
    [[1000.0], [0.0]]
    """
    from scipy.special import ndtri

    if levels:
        return values * APART
    out = np.empty(values.shape)
    for column in range(values.shape[1]):
        _, place, count = np.unique(values[:, column], return_inverse=True, return_counts=True)
        middle = np.cumsum(count) - 0.5 * count  # ties share the middle of their ranks
        out[:, column] = ndtri(middle / len(values))[place]
    return out
