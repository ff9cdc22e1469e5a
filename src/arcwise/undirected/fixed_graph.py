r"""Maximum likelihood of Gaussian networks on a fixed graph.

The precision matrix Theta is zero where the graph has no edge; its inverse W agrees with the sample
covariance S on the edges and the diagonal:

.. math:: w_{ij} = s_{ij}\ \text{for edges and}\ i = j, \qquad \theta_{ij} = 0\ \text{elsewhere}

(Dempster 1972). On a decomposable graph that has a closed form. On others the columns are solved in turn by
regression on the neighbours (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning,
algorithm 17.1), and Newton's method ends it to full precision. On large graphs that are nearly complete,
Newton's method finds the few entries of W that the data do not fix.

In a decomposable graph the nodes can be ordered so that the earlier neighbours of each are all adjacent.
The maximum-likelihood estimate is then a chain of regressions, each node on its earlier neighbours:

.. math:: \Theta = (I - B)^T V^{-1} (I - B), \qquad W = \Theta^{-1},

with the coefficients in the rows of B and the residual variances on the diagonal of V. It is the same
as the sum of the cliques' inverse covariances less those of their separators (Lauritzen 1996, section
5.3). A graph becomes decomposable if each node's later neighbours are made adjacent as it is removed, here
always a node with the fewest remaining neighbours.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import descend, moves_for, precision
from arcwise.errors import FitError
from arcwise.graphs import UGraph, cardinality_order, decomposable
from arcwise.undirected.given_matrices import checked_covariance, freeze
from arcwise.undirected.newton import complete_by_newton, finish, inverse

Array = NDArray[np.float64]
Family = tuple[int, tuple[int, ...]]

# A residual variance, as a share of the variance, below which the covariance of a clique is singular.
_DEPENDENT = 1e-11
# W agrees with S to this, in units of correlations, before it is called converged.
_TOLERANCE = 1e-13
# Sweeps before Newton's method takes over, and the move of W from which it does.
_SWEEPS, _NEAR = 20, 1e-4
# Nats that the likelihood of a graph may miss that is only compared with others.
_NEAR_ENOUGH = 1e-4
# The largest disagreement that is accepted where rounding ends the work, and what inverting a matrix loses
# for each unit of its largest entry.
_ACCEPTED, _LOST = 1e-8, 1e-14
# A diagonal entry of the precision matrix, in units of correlations, beyond which a maximum counts as none.
_SINGULAR = 1e11
# Diagonal entry from which cliques are checked for linear dependence.
_SUSPECT = 1e6
# To explain a missing maximum, cliques of up to this many variables are checked for a conditional variance
# below this.
_TRIED, _CONDITION = 200, 1e-9
# How often Theta is doubled before that counts as growing without bound: from fewer rows than columns, where
# that is to be expected, and from more.
_DOUBLINGS, _SHARP = 16, 40
# Graphs of more variables, with fewer absent pairs than this share, are nearly complete.
_LARGE, _ABSENT = 100, 0.05
# The penalty at which a fit begins whose covariance is singular.
_FIRST = 0.1


class Inverses(NamedTuple):
    """Precision matrix and its inverse."""

    precision: Array
    covariance: Array


class Singular(Exception):  # noqa: N818 (a message between files of this room, not an error)
    """A node that is a linear combination of its earlier neighbours."""

    def __init__(self, node: int, earlier: tuple[int, ...]) -> None:
        self.node, self.earlier = node, earlier


def chain(moments: Array, families: Sequence[Family]) -> Inverses:
    """Return the estimate by regressions of each node on its earlier neighbours.

    Parameters
    ----------
    moments : a covariance matrix with a unit diagonal.
    families : each node with its earlier neighbours, which are all adjacent; in order.

    Raises
    ------
    Singular : a node that is a linear combination of its earlier neighbours.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.9], [0.5, 1.0, 0.5], [0.9, 0.5, 1.0]])
    >>> chain(S, [(0, ()), (1, (0,)), (2, (1,))]).covariance
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    size = len(moments)
    precision, covariance = np.zeros((size, size)), np.zeros((size, size))
    order = np.array([node for node, _ in families])
    for count, (node, earlier) in enumerate(families):
        near, earlier_nodes = np.array(earlier, dtype=np.intp), order[:count]
        slopes, residual = _regression(moments, node, near)
        if residual < _DEPENDENT:
            raise Singular(node, earlier)
        members, row = np.append(near, node), np.append(-slopes, 1.0)
        precision[members[:, None], members] += np.outer(row, row / residual)
        across = slopes @ covariance[near[:, None], earlier_nodes]
        covariance[node, earlier_nodes] = covariance[earlier_nodes, node] = across
        covariance[node, node] = moments[node, node]
    return Inverses(precision, covariance)


def completion(moments: Array, edges: NDArray[np.bool_]) -> Array | None:
    """Return a positive definite matrix with the moments' diagonal and, on the edges, their entries.

    None if a clique of the graph, made decomposable, has a singular covariance.

    Examples
    --------
    >>> S = np.full((3, 3), 1.0)
    >>> S[0, 1] = S[1, 0] = 0.5
    >>> completion(S, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], bool))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    root = np.sqrt(moments.diagonal())
    near = [set(np.flatnonzero(row).tolist()) for row in edges]
    try:
        result = chain(moments / root[:, None] / root, elimination(near)).covariance
    except Singular:
        return None
    return result * root[:, None] * root


def elimination(near: list[set[int]]) -> list[Family]:
    """Return an order of the nodes, with fill-in, in which each one's earlier neighbours are all adjacent.

    `near` (the neighbours of each node) is changed: edges that were filled in are added.

    Examples
    --------
    >>> elimination([{1, 3}, {0, 2}, {1, 3}, {0, 2}])
    [(3, ()), (2, (3,)), (1, (2, 3)), (0, (1, 3))]
    """
    import heapq

    near_left = [set(row) for row in near]
    queue = [(len(row), node) for node, row in enumerate(near_left)]
    heapq.heapify(queue)
    families: list[Family] = []
    gone = [False] * len(near)
    while queue:
        degree, node = heapq.heappop(queue)
        if gone[node] or degree != len(near_left[node]):
            continue
        gone[node] = True
        families.append((node, tuple(sorted(near_left[node]))))
        for other in near_left[node]:
            added = near_left[node] - near_left[other] - {other}
            near[other] |= added
            near_left[other] |= added
            near_left[other].discard(node)
            heapq.heappush(queue, (len(near_left[other]), other))
    return families[::-1]


def _regression(moments: Array, node: int, near: NDArray[np.intp]) -> tuple[Array, float]:
    """Return the coefficients of one node on others, and the variance that is left."""
    if not len(near):
        return np.zeros(0), float(moments[node, node])
    across = moments[node, near]
    try:
        slopes = np.linalg.solve(moments[near[:, None], near], across)
    except np.linalg.LinAlgError:
        return np.zeros(len(near)), 0.0
    return slopes.astype(np.float64, copy=False), float(moments[node, node] - across @ slopes)


class FixedGraph(NamedTuple):
    """The estimate for a fixed graph.

    `iterations` counts sweeps (0 for the closed form); `violation` is the largest difference between W
    and S on edges and diagonal, in units of correlations, with W the true inverse of the precision.
    """

    precision: Array
    covariance: Array
    iterations: int
    violation: float


def fixed_graph(
    covariance: ArrayLike, graph: UGraph, *, check: Callable[[], None] | None = None
) -> FixedGraph:
    """Fit a Gaussian network to a graph.

    Parameters
    ----------
    covariance : of the columns in the order of the graph's nodes.
    graph : which entries of the precision matrix may differ from zero.
    check : called regularly while it takes long; an exception ends the work.

    Raises
    ------
    FitError : a matrix that is no covariance, or one for which there is no maximum: too few rows for
        the graph.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> print(fixed_graph(S, UGraph.from_edges([("a", "b"), ("b", "c")])).covariance)
    [[1.   0.5  0.25]
     [0.5  1.   0.5 ]
     [0.25 0.5  1.  ]]
    """
    matrix = checked_covariance(covariance)
    if len(graph.nodes) != len(matrix):
        raise FitError(
            f"The graph has {len(graph.nodes)} nodes, but the covariance has {len(matrix)} columns."
        )
    root = np.sqrt(matrix.diagonal())
    moments = matrix / root[:, None] / root
    np.fill_diagonal(moments, 1.0)
    try:
        inverses, sweeps = (
            _closed_form(moments, graph) if decomposable(graph) else _iterate(moments, graph, check)
        )
    except Singular as reason:
        raise _no_maximum(graph, (*reason.earlier, reason.node)) from None
    return FixedGraph(
        freeze(inverses.precision / root[:, None] / root),
        freeze(inverses.covariance * root[:, None] * root),
        sweeps,
        _violation(moments, inverses, graph),
    )


def refit_graph(
    covariance: Array,
    precision: Array,
    rows: float,
    stop: Callable[[], bool] | None = None,
    places: NDArray[np.bool_] | None = None,
) -> Array | None:
    """Return the estimate on the graph of a precision matrix, such as the graphical lasso's, from there.

    It is as accurate as a comparison of likelihoods of this many `rows` needs. `stop`, called regularly,
    may end it. `places`, where given, are the entries that may differ from zero, with the diagonal.

    Returns
    -------
    Its precision matrix; None if there is no maximum.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> print(refit_graph(S, np.array([[1.0, -0.1], [-0.1, 1.0]]), 100).round(4))
    [[ 1.3333 -0.6667]
     [-0.6667  1.3333]]
    """
    root = np.sqrt(covariance.diagonal())
    scale = np.outer(root, root)
    start = precision * scale
    nothing = np.zeros_like(start)
    enough = 2.0 * _NEAR_ENOUGH / rows
    # With more rows than columns there is a maximum, if a sharp one for near-copies of columns.
    often = _DOUBLINGS if rows <= len(covariance) else _SHARP
    theta = finish(
        covariance / scale,
        nothing,
        start,
        start != 0 if places is None else places,
        0.0,
        enough=enough,
        doublings=often,
        stop=stop,
    )
    if theta is None or theta.diagonal().max() > _SINGULAR:
        return None
    back: Array = theta / scale
    return back


def _closed_form(moments: Array, graph: UGraph) -> tuple[Inverses, int]:
    """Return the closed form, along an order in which earlier neighbours are all adjacent."""
    order = cardinality_order(graph)
    rank_of = {node: rank for rank, node in enumerate(order)}
    families = [
        (node, tuple(other for other in graph.neighbours[node] if rank_of[other] < rank_of[node]))
        for node in order
    ]
    return chain(moments, families), 0


def _iterate(
    moments: Array, graph: UGraph, check: Callable[[], None] | None = None
) -> tuple[Inverses, int]:
    """Return the estimate by sweeps over the columns, then Newton's method; by the absent pairs if
    these are few.
    """
    edges = _places(graph)
    size = len(moments)
    if size > _LARGE and 2 * graph.n_edges > (1.0 - _ABSENT) * size * (size - 1):
        absent = ~edges
        np.fill_diagonal(absent, False)
        few = complete_by_newton(moments, absent, _TOLERANCE)
        covariance = None if few is None else inverse(few.matrix)
        if few is not None and covariance is not None:
            return Inverses(few.matrix, covariance.matrix), 0
    check_stop = check or (lambda: None)
    check_stop()
    begin = completion(moments, edges)
    start, sweeps = _sweep_columns(moments, edges, begin, check_stop)
    np.fill_diagonal(edges, True)
    nothing = np.zeros_like(moments)
    theta = finish(
        moments,
        nothing,
        start,
        edges,
        _TOLERANCE,
        doublings=_SHARP,
        stop=lambda: bool(check_stop()),
    )
    back = None if theta is None else inverse(theta)
    if theta is None or back is None:
        raise _no_maximum(graph, _singular_clique(moments, graph))
    return Inverses(theta, back.matrix), sweeps


def _sweep_columns(
    moments: Array, edges: NDArray[np.bool_], begin: Array | None, check: Callable[[], None]
) -> tuple[Array, int]:
    """Return a precision matrix to start from, and the sweeps it took.

    `begin` is a positive definite matrix that agrees with the moments on the edges. Without one
    there may still be a maximum: then a small penalty on all entries is used.
    """
    penalty = 0.0 if begin is not None else _FIRST
    share = 1.0 / (1.0 + penalty)
    scaled, penalties = moments * share, np.where(edges, penalty * share, np.inf)
    np.fill_diagonal(penalties, penalty * share)
    covariance = begin if begin is not None else scaled.copy()
    np.fill_diagonal(covariance, 1.0)
    slopes, moves = np.zeros_like(moments), moves_for(len(moments))
    sweeps, moved = 0, np.inf
    while sweeps < _SWEEPS and moved > _NEAR:
        check()
        moved = descend(scaled, penalties, covariance, slopes, _NEAR, 1, moves, moved).moved
        sweeps += 1
    theta = precision(covariance, slopes)
    if theta is None or inverse(theta) is None:
        return np.eye(len(moments)), sweeps
    return theta * share, sweeps


def _places(graph: UGraph) -> NDArray[np.bool_]:
    edges = np.zeros((len(graph.nodes),) * 2, dtype=bool)
    for node, row in enumerate(graph.neighbours):
        edges[node, list(row)] = True
    return edges


def _singular_clique(moments: Array, graph: UGraph) -> tuple[int, ...]:
    """Return a clique with a singular covariance, or nothing if the greedy search has none.

    From each variable on, it adds the common neighbour with the smallest variance given those so far.
    """
    near = [set(row) for row in graph.neighbours]
    for node in range(min(len(near), _TRIED)):
        clique, remaining = [node], set(near[node])
        while remaining:
            rest = sorted(remaining)
            inner = moments[np.ix_(clique, clique)]
            across = moments[np.ix_(clique, rest)]
            residuals = 1.0 - np.sum(across * np.linalg.solve(inner, across), axis=0)
            clique.append(rest[int(residuals.argmin())])
            if residuals.min() < _CONDITION:
                return tuple(clique)
            remaining &= near[clique[-1]]
    return ()


def _violation(moments: Array, inverses: Inverses, graph: UGraph) -> float:
    """Return the difference of the inverse of Theta from S on edges and diagonal."""
    back = inverse(inverses.precision)
    places = _places(graph)
    np.fill_diagonal(places, True)
    apart = np.inf if back is None else float(np.abs(back.matrix - moments)[places].max())
    largest = float(inverses.precision.diagonal().max())
    if largest > _SUSPECT and (guilty := _singular_clique(moments, graph)):
        raise _no_maximum(graph, guilty)
    if largest > _SINGULAR or apart > max(_ACCEPTED, _LOST * largest):
        raise _no_maximum(graph, _singular_clique(moments, graph))
    return apart


def _no_maximum(graph: UGraph, members: tuple[int, ...]) -> FitError:
    names = ", ".join(graph.nodes[node] for node in members[:8])
    why = "it has too many edges for the rows"
    if members:
        more = ", ..." if len(members) > 8 else ""
        why = f"the covariance of {names}{more}, which are all adjacent, is singular"
    return FitError(
        f"The likelihood has no maximum on this graph: {why} (or too close to it for the "
        "precision of numbers). Use fewer edges, more rows, or a penalty."
    )
