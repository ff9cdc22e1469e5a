r"""Undirected Gaussian graphs edge by edge: forward and backward steps by the extended BIC.

They maximise over all graphs, with m the number of edges and P = p (p - 1) / 2 that of pairs:

.. math:: \ell(G) - \tfrac m2 \log n - \gamma \log\frac{P^m}{m!} ,

the extended Bayesian information criterion of Chen and Chen (2008) for graphs: about P^m / m! have m edges.
The m-th edge is charged log(n) / 2 + gamma log(P / m): the first one about as by Foygel and Drton (2010),
who charge log(n) / 2 + 2 gamma log p for every edge, and later ones less, since where many edges are real
one more is likelier to be. So little is found in noise, and weak edges in networks.

1. *Pseudo-likelihood.* Half the sum of the log-likelihoods of all variables given their neighbours stands
   for the likelihood: an edge's gain is then the mean of what its two ends gain, in closed form from the
   correlations. The edge that gains most is added; after each addition all edges are removed that are no
   longer worth their charge (Johnson, Jalali and Ravikumar 2012).
2. *Likelihood.* The normal distribution of largest likelihood is fitted to the graph. Fitting the two ends
   of an absent pair to their correlation, all else unchanged, gains

   .. math:: \tfrac n2 \left(\log\frac{1 - w^2}{1 - s^2} - 2 + 2\,\frac{1 - s w}{1 - w^2}\right)

   (s the correlation in the data, w that of the fit), a lower bound of what the edge gains. Pairs above
   their charge are added, the largest first, and so on until there is none. Around hubs this finds edges
   that the regressions of a variable on many neighbours are too weak for. With 15 rows or more for each
   column it finds hardly any but false ones, and is left out.
"""

from dataclasses import dataclass
from functools import partial
from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import FitError
from arcwise.notes import NOT_STOPPED, Stop
from arcwise.results import Step, Trail, Watch
from arcwise.undirected.fixed_graph import refit_graph
from arcwise.undirected.given_matrices import checked_covariance
from arcwise.undirected.lasso_problem import Pairs
from arcwise.undirected.newton import inverse, log_determinant

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Rows that each neighbour of a variable needs.
_ROWS_EACH = 3
# The least gamma that is taken by default.
_LEAST_GAMMA = 0.6
# With this many rows per column regressions are powerful enough: further edges by the likelihood are noise.
_RICH = 15
# Variances given others, in units of the variance, below which a column counts as following from them.
_SINGULAR = 1e-9
# Gains below this, in nats, are rounding.
_ROUNDING = 1e-9
# Gains that differ by less than this, in nats for each row, tie.
_TIE = 1e-10
# Rounds of adding edges by the likelihood; three are usual.
_ROUNDS = 20


class Charge(NamedTuple):
    """What the extended BIC charges for edges, in nats.

    Examples
    --------
    >>> charge = Charge(rows=100, columns=10, gamma=0.5)
    >>> round(charge.edge(1), 3), round(charge.edge(10), 3), round(charge.total(2), 3)
    (4.206, 3.055, 8.065)
    """

    rows: float
    columns: int
    gamma: float

    @property
    def pairs(self) -> float:
        """The number of pairs of columns, at least 1."""
        return max(1.0, 0.5 * self.columns * (self.columns - 1))

    def edge(self, number: int) -> float:
        """Of the edge with this number, counted from 1."""
        return 0.5 * float(np.log(self.rows)) + self.gamma * float(np.log(self.pairs / number))

    def total(self, edges: int) -> float:
        """Of a graph with this many edges."""
        graphs = edges * float(np.log(self.pairs)) - lgamma(edges + 1)
        return 0.5 * edges * float(np.log(self.rows)) + self.gamma * graphs


def usual_gamma(rows: float, columns: int) -> float:
    """Return the gamma for this many rows and columns: 1 - log(n) / (2 log P), and not less than 0.6.

    Where gamma is larger than that, false edges vanish as rows and columns grow (Chen and Chen 2008). With
    few rows for the pairs the first edge is then charged log P: in noise one edge in a few tables is found,
    however many columns there are. The least value is from experiments (benchmarks/undirected.py).

    Examples
    --------
    >>> usual_gamma(1000, 10), round(usual_gamma(100, 100), 2)
    (0.6, 0.73)
    """
    pairs = Charge(rows, columns, 0.0).pairs
    grown = 1.0 - 0.5 * float(np.log(rows)) / float(np.log(pairs)) if pairs > 1 else 0.0
    return max(_LEAST_GAMMA, grown)


class StepPath(NamedTuple):
    """The graph of a stepwise selection.

    `ebic` is its criterion, for standardised columns; None if the graph has no largest likelihood, or
    where there was no time to find it. `added` counts edges that the likelihood added to those of the
    pseudo-likelihood; `trace` has the steps; `stopped` is why the run ended early, and false where it
    did not.
    """

    adjacency: Mask
    ebic: float | None
    gamma: float
    added: int = 0
    trace: tuple[Step, ...] = ()
    stopped: Stop = NOT_STOPPED

    @property
    def edges(self) -> int:
        """The number of edges."""
        return int(np.count_nonzero(self.adjacency)) // 2


def stepwise(
    correlation: ArrayLike,
    rows: float,
    *,
    gamma: float | None = None,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    on_step: Watch | None = None,
) -> StepPath:
    """Find an undirected Gaussian graph edge by edge.

    Parameters
    ----------
    correlation : of the columns.
    rows : the number of its rows; a variable gets at most a third as many neighbours.
    gamma : how much the number of possible graphs counts; 0 is the ordinary criterion, None `usual_gamma`.
    required, forbidden : pairs of column numbers: edges that stay, and edges ruled out.
    on_step : called with every edge; returning True ends the run with the graph so far.

    Examples
    --------
    >>> R = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])
    >>> print(stepwise(R, 100).adjacency.astype(int))
    [[0 1 0]
     [1 0 1]
     [0 1 0]]
    """
    matrix = checked_covariance(correlation)
    if not ((gamma is None or gamma >= 0) and rows > 0):
        raise FitError(f"gamma must be non-negative and rows positive, got {gamma} and {rows}.")
    weight = usual_gamma(rows, len(matrix)) if gamma is None else gamma
    trail, charge = Trail(on_step), Charge(rows, len(matrix), weight)
    state = _Regressions(
        matrix, rows, _pairs(required, len(matrix)), _pairs(forbidden, len(matrix))
    )
    _search(state, charge, trail)
    return _by_likelihood(state, charge, trail)


def _pairs(pairs: Pairs | None, size: int) -> Mask:
    mask = np.zeros((size, size), dtype=bool)
    for one, two in pairs or ():
        mask[one, two] = mask[two, one] = True
    return mask


# -- by the pseudo-likelihood ----------------------------------------------------------------------


class _Regressions:
    """Regressions of variables on their neighbours, with the gain of every pair; steps change them in place.

    `sides[i, j]` is the gain of i by j, or its loss without j if they are adjacent; `worth` is the mean of
    both sides for pairs that may be joined, and minus infinity for others; `top` has its largest values by
    row, `holder` the columns they are in, and `least` the smallest losses of edges that may go. Values
    within `slack` of each other tie, and the pair that comes first by column numbers is taken.
    """

    def __init__(self, matrix: Array, rows: float, required: Mask, forbidden: Mask) -> None:
        size = len(matrix)
        self.matrix, self.rows, self.required = matrix, rows, required
        self.most, self.slack = int((rows - 1) // _ROWS_EACH), _TIE * max(1.0, rows)
        self.barred = forbidden | np.eye(size, dtype=bool)
        self.near: list[list[int]] = [[] for _ in range(size)]
        self.full = np.full(size, self.most < 1)
        with np.errstate(divide="ignore"):
            self.sides = -0.5 * rows * np.log1p(-np.minimum(matrix**2, 1.0 - _SINGULAR))
        self.worth = np.where(self.barred | self.full, -np.inf, self.sides)
        self.holder = self.worth.argmax(axis=1)
        self.top = self.worth[np.arange(size), self.holder]
        self.least, self.edges = np.full(size, np.inf), 0
        for one, two in np.argwhere(np.triu(required)).tolist():
            self.toggle(one, two)

    def toggle(self, one: int, two: int) -> None:
        """Join two variables, or take their edge out."""
        adjacent = two in self.near[one]
        self.edges += -1 if adjacent else 1
        for node, other in ((one, two), (two, one)):
            self.near[node] = [x for x in self.near[node] if x != other] + [other] * (not adjacent)
            self.full[node] = len(self.near[node]) >= self.most
            self.sides[node] = _sides(self.matrix, self.rows, node, self.near[node])
        for node in (one, two):
            self._refresh(node)
        for node in {one, two, *self.near[one], *self.near[two]}:
            near = [other for other in self.near[node] if not self.required[node, other]]
            both = 0.5 * (self.sides[node, near] + self.sides[near, node])
            self.least[node] = both.min(initial=np.inf)

    def _refresh(self, node: int) -> None:
        """Bring the pairs of one variable up to date, and the largest values of all rows."""
        new = 0.5 * (self.sides[node] + self.sides[:, node])
        new[self.barred[node] | self.full | self.full[node]] = -np.inf
        new[self.near[node]] = -np.inf
        self.worth[node] = self.worth[:, node] = new
        stale = (self.holder == node) & (
            new < self.top
        )  # the largest value was here, and has dropped
        stale[node] = True
        larger = ~stale & (new > self.top)
        self.holder[larger] = node
        self.holder[stale] = self.worth[stale].argmax(axis=1)
        changed = stale | larger | (self.holder == node)
        self.top[changed] = self.worth[changed, self.holder[changed]]

    def best(self) -> tuple[float, int, int]:
        """Return the pair that gains most, with its gain."""
        least = self.top.max() - self.slack
        one = int((self.top >= least).argmax())
        two = int((self.worth[one] >= least).argmax())
        return float(self.worth[one, two]), one, two

    def weakest(self) -> tuple[float, int, int]:
        """Return the edge of the least loss, with its loss; infinite if none is removable."""
        most = self.least.min() + self.slack
        one = int((self.least <= most).argmax())
        near = sorted(other for other in self.near[one] if not self.required[one, other])
        both = 0.5 * (self.sides[one, near] + self.sides[near, one])
        position = int((both <= most).argmax()) if near else 0
        return (float(both[position]), one, near[position]) if near else (np.inf, one, one)

    @property
    def adjacency(self) -> Mask:
        """Return the adjacency matrix of the graph."""
        mask = np.zeros_like(self.barred)
        for node, row in enumerate(self.near):
            mask[node, row] = True
        return mask


def _sides(matrix: Array, rows: float, node: int, near: list[int]) -> Array:
    """Return what a variable with these neighbours gains by each other one, or loses without a neighbour."""
    across, residual, base = matrix[node], np.ones(len(matrix)), np.ones(1)
    if near:
        root = np.linalg.inv(np.linalg.cholesky(matrix[np.ix_(near, near)]))
        parts = root @ matrix[near]
        across, residual = (
            across - parts[:, node] @ parts,
            1.0 - np.einsum("ij,ij->j", parts, parts),
        )
        base = np.maximum(residual[node], _SINGULAR)
    share = across**2 / (base * np.maximum(residual, _SINGULAR))
    share[residual < _SINGULAR] = 0.0  # follows from the neighbours: tells nothing new
    gains: Array = -0.5 * rows * np.log1p(-np.minimum(share, 1.0 - _SINGULAR))
    if near:
        slopes, spread = root.T @ parts[:, node], np.einsum("ij,ij->j", root, root)
        gains[near] = 0.5 * rows * np.log1p(slopes**2 / (spread * base))
    gains[node] = 0.0
    return gains


def _search(state: _Regressions, charge: Charge, trail: Trail) -> None:
    """Add the best edge, remove what it makes needless, and so on while the criterion rises."""
    value = -0.5 * state.rows * len(state.near) * (1.0 + float(np.log(2.0 * np.pi)))
    while len(state.near) > 1:
        saved = 0.0
        if state.edges:
            loss, one, two = state.weakest()
            saved = charge.edge(state.edges) - loss
        word = "remove"
        if not saved > _ROUNDING:
            gain, one, two = state.best()
            word, saved = "add", gain - charge.edge(state.edges + 1)
        if not saved > _ROUNDING:
            return
        value += saved
        state.toggle(one, two)
        if trail.add(word, value, state.edges, one, two):
            return


# -- by the likelihood -----------------------------------------------------------------------------


def _by_likelihood(state: _Regressions, charge: Charge, trail: Trail) -> StepPath:
    """Add edges that the joint distribution misses."""
    mask = state.adjacency
    path, fit = StepPath(mask, None, charge.gamma), _Joint(state, charge, trail)
    theta = None if trail.stopped else fit.on(mask, _start(state))
    for _ in range(_ROUNDS):
        if theta is None or trail.stopped:
            break
        value, more = fit.value(theta, mask), _count(mask) - state.edges
        path = StepPath(mask, value, charge.gamma, more)
        if trail.tick("fit", value, path.edges) or charge.rows >= _RICH * charge.columns:
            break
        ahead, mask = fit.grown(theta, mask)
        if _count(mask) == path.edges:
            break
        theta = fit.on(mask, ahead)
    return path._replace(trace=tuple(trail.steps), stopped=trail.stopped)


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask)) // 2


def _start(state: _Regressions) -> Array:
    """Return a precision matrix made of the regressions; without what is between variables where it is
    none.
    """
    size = len(state.near)
    theta = np.zeros((size, size))
    for node, near in enumerate(state.near):
        slopes = np.linalg.solve(state.matrix[np.ix_(near, near)], state.matrix[near, node])
        residual = max(1.0 - float(slopes @ state.matrix[near, node]), _SINGULAR)
        theta[node, near], theta[node, node] = -slopes / residual, 1.0 / residual
    theta = 0.5 * (theta + theta.T)
    return theta if log_determinant(theta) is not None else np.eye(size)


@dataclass(frozen=True, eq=False)
class _Joint:
    """The normal distribution of largest likelihood on a graph, and pairs that it lacks."""

    state: _Regressions
    charge: Charge
    trail: Trail

    def on(self, mask: Mask, start: Array) -> Array | None:
        """Its precision matrix; None if there is none, or no time for it."""
        stop = partial(self.trail.tick, "fit", 0.0, _count(mask))
        places = mask | np.eye(len(mask), dtype=bool)
        theta = refit_graph(self.state.matrix, start, self.charge.rows, stop, places)
        return None if self.trail.stopped else theta

    def value(self, theta: Array, mask: Mask) -> float:
        """Return the criterion."""
        fit = (log_determinant(theta) or 0.0) - float(np.sum(theta * self.state.matrix))
        loglik = 0.5 * self.charge.rows * (fit - len(theta) * float(np.log(2.0 * np.pi)))
        return loglik - self.charge.total(_count(mask))

    def grown(self, theta: Array, mask: Mask) -> tuple[Array, Mask]:
        """Return the graph with the pairs that gain more than their charge, and a precision matrix near its
        fit.
        """
        back, size, grown_mask = inverse(theta), len(theta), mask.copy()
        if back is None:
            return theta, grown_mask
        ahead, w, edges = theta.copy(), back.matrix, _count(mask)
        gains = np.triu(self._gains(w, self.state.matrix), 1)
        gains[mask | self.state.barred] = 0.0
        pairs = np.flatnonzero(gains > self.charge.edge(edges + 1))
        for position in pairs[descending_order(gains.flat[pairs], self.state.slack)].tolist():
            pair = divmod(position, size)
            if self._worth(w, pair, grown_mask, edges):
                edges += 1
                grown_mask[pair], grown_mask[pair[::-1]] = True, True
                w = _join_pair(ahead, w, pair, float(self.state.matrix[pair]))
        return ahead, grown_mask

    def _worth(self, w: Array, pair: tuple[int, int], mask: Mask, edges: int) -> bool:
        """Return whether a pair still gains more than its charge, and may be joined."""
        block = np.ix_(pair, pair)
        gain = self._gains(w[block], self.state.matrix[block])[0, 1]
        crowded = max(mask[pair[0]].sum(), mask[pair[1]].sum()) >= self.state.most
        return bool(gain > self.charge.edge(edges + 1) and not crowded)

    def _gains(self, w: Array, s: Array) -> Array:
        """Return what each pair gains by being fitted, all else unchanged."""
        root = np.sqrt(w.diagonal())
        w = np.clip(w / root[:, None] / root, _SINGULAR - 1.0, 1.0 - _SINGULAR)
        s = np.clip(s, _SINGULAR - 1.0, 1.0 - _SINGULAR)
        free = 1.0 - w**2
        gain: Array = np.log(free / (1.0 - s**2)) - 2.0 + 2.0 * (1.0 - s * w) / free
        return 0.5 * self.charge.rows * gain


def descending_order(values: Array, slack: float) -> NDArray[np.intp]:
    """Return the places of values, the largest first; those that follow each other within the slack by place.

    Examples
    --------
    >>> descending_order(np.array([1.0, 2.0, 3.0, 2.0 + 1e-12]), 1e-9).tolist()
    [2, 1, 3, 0]
    """
    order = np.argsort(-values, kind="stable")
    apart = np.diff(-values[order], prepend=-np.inf) > slack
    return order[np.lexsort((order, np.cumsum(apart)))]


def _join_pair(theta: Array, w: Array, pair: tuple[int, int], correlation: float) -> Array:
    """Fit two variables to their correlation: changes Theta in place, and gives its inverse."""
    block, sides = np.ix_(pair, pair), w[:, pair]
    change = np.linalg.inv([[1.0, correlation], [correlation, 1.0]]) - np.linalg.inv(w[block])
    theta[block] += change
    inner = np.linalg.solve(np.eye(2) + change @ w[block], change)
    return w - sides @ (0.5 * (inner + inner.T)) @ sides.T
