r"""Gaussian networks whose graph is known: maximum likelihood.

The precision matrix Theta is zero where the graph has no edge; its inverse W agrees with the sample
covariance S on the edges and the diagonal:

.. math:: w_{ij} = s_{ij}\ \text{for edges and}\ i = j, \qquad \theta_{ij} = 0\ \text{elsewhere}

(Dempster 1972). On a decomposable graph that has a closed form, see `chordal`. On others the columns
are solved in turn by regression on the neighbours (Hastie, Tibshirani and Friedman, The Elements of
Statistical Learning, algorithm 17.1), and Newton's method ends it to full precision.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso import descend, precision
from arcwise.errors import FitError
from arcwise.graphs import UGraph, cardinality_order, decomposable, maximal_cliques
from arcwise.undirected.chordal import Chain, Singular, chain, completion
from arcwise.undirected.newton import finish, inverse
from arcwise.undirected.penalties import checked_covariance

__all__ = ["Known", "known", "refitted"]

Array = NDArray[np.float64]

# W agrees with S to this, in units of correlations, before it is called converged.
_TOLERANCE = 1e-13
# Sweeps before Newton's method takes over, and the move of W from which it does.
_SWEEPS, _NEAR = 20, 1e-4
# How well a graph is refitted that is only compared with others.
_NEAR_ENOUGH = 1e-6
# The largest disagreement that is accepted where rounding ends the work.
_ACCEPTED = 1e-8


class Known(NamedTuple):
    """The estimate for a known graph.

    `iterations` counts sweeps (0 for the closed form); `violation` is the largest difference between W
    and S on edges and diagonal, in units of correlations, with W the true inverse of the precision.
    """

    precision: Array
    covariance: Array
    iterations: int
    violation: float


def known(covariance: ArrayLike, graph: UGraph) -> Known:
    """Fit a Gaussian network to a graph.

    Parameters
    ----------
    covariance : of the columns in the order of the graph's nodes.
    graph : which entries of the precision matrix may differ from zero.

    Raises
    ------
    FitError : a matrix that is no covariance, or one for which there is no maximum: too few rows for
        the cliques of the graph.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> print(known(S, UGraph.from_edges([("a", "b"), ("b", "c")])).covariance)
    [[1.   0.5  0.25]
     [0.5  1.   0.5 ]
     [0.25 0.5  1.  ]]
    """
    matrix = checked_covariance(covariance)
    if len(graph.nodes) != len(matrix):
        raise FitError(
            f"The graph has {len(graph.nodes)} nodes, but the covariance {len(matrix)} columns."
        )
    root = np.sqrt(matrix.diagonal())
    moments = matrix / root[:, None] / root
    np.fill_diagonal(moments, 1.0)
    try:
        found, sweeps = (
            _closed(moments, graph) if decomposable(graph) else _iterated(moments, graph)
        )
    except Singular as reason:
        raise _no_maximum(graph, (*reason.earlier, reason.node)) from None
    return Known(
        _frozen(found.precision / root[:, None] / root),
        _frozen(found.covariance * root[:, None] * root),
        sweeps,
        _violation(moments, found, graph),
    )


def refitted(covariance: Array, precision: Array) -> Array | None:
    """The estimate on the graph of a precision matrix, such as the graphical lasso's, from there.

    Returns
    -------
    Its precision matrix; None where there is no maximum.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> print(refitted(S, np.array([[1.0, -0.1], [-0.1, 1.0]])).round(4))
    [[ 1.3333 -0.6667]
     [-0.6667  1.3333]]
    """
    root = np.sqrt(covariance.diagonal())
    scale = np.outer(root, root)
    start = precision * scale
    nothing = np.zeros_like(start)
    found = finish(covariance / scale, nothing, start, start != 0, _NEAR_ENOUGH)
    return None if found is None else found / scale


def _closed(moments: Array, graph: UGraph) -> tuple[Chain, int]:
    """The closed form, along an order in which earlier neighbours are all joined."""
    order = cardinality_order(graph)
    place = {node: rank for rank, node in enumerate(order)}
    families = [
        (node, tuple(other for other in graph.neighbours[node] if place[other] < place[node]))
        for node in order
    ]
    return chain(moments, families), 0


def _iterated(moments: Array, graph: UGraph) -> tuple[Chain, int]:
    """Sweeps over the columns, then Newton's method."""
    edges = _places(graph)
    begin = completion(moments, edges)
    if begin is None:  # the cliques of a decomposable supergraph are too large; those of the graph?
        _check_cliques(moments, graph)
        begin = moments.copy()
        if inverse(begin) is None:
            raise _no_maximum(graph, ())
    penalties = np.where(edges, 0.0, np.inf)
    np.fill_diagonal(penalties, 0.0)
    slopes = np.zeros_like(moments)
    went = descend(moments, penalties, begin, slopes, _NEAR, _SWEEPS)
    np.fill_diagonal(edges, True)
    start = _definite_start(precision(begin, slopes), moments)
    found = finish(moments, np.zeros_like(moments), start, edges, _TOLERANCE)
    back = None if found is None else inverse(found)
    if found is None or back is None:
        raise _no_maximum(graph, ())
    return Chain(found, back.matrix), went.done


def _definite_start(theta: Array | None, moments: Array) -> Array:
    """What sweeps have found, or its diagonal where that is not positive definite."""
    if theta is not None and inverse(theta) is not None:
        return theta
    return np.eye(len(moments))


def _places(graph: UGraph) -> NDArray[np.bool_]:
    edges = np.zeros((len(graph.nodes),) * 2, dtype=bool)
    for node, row in enumerate(graph.neighbours):
        edges[node, list(row)] = True
    return edges


def _check_cliques(moments: Array, graph: UGraph) -> None:
    for clique in maximal_cliques(graph):
        chain(moments[np.ix_(clique, clique)], [(k, tuple(range(k))) for k in range(len(clique))])


def _violation(moments: Array, found: Chain, graph: UGraph) -> float:
    """How far the inverse of Theta is from S on edges and diagonal."""
    back = inverse(found.precision)
    places = _places(graph)
    np.fill_diagonal(places, True)
    apart = np.inf if back is None else float(np.abs(back.matrix - moments)[places].max())
    if apart > _ACCEPTED:
        raise _no_maximum(graph, ())
    return apart


def _no_maximum(graph: UGraph, members: tuple[int, ...]) -> FitError:
    names = ", ".join(graph.nodes[node] for node in members[:8])
    what = f"of {names}" if names and len(members) <= 8 else "of some of its cliques"
    return FitError(
        f"There is no maximum of the likelihood on this graph: the covariance {what} is singular (or "
        "so close to it that numbers do not suffice). Fewer edges, more rows, or a penalty would help."
    )


def _frozen(matrix: Array) -> Array:
    matrix.setflags(write=False)
    return matrix
