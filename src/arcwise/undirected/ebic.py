r"""Choice of a penalty by the extended Bayesian information criterion (Foygel and Drton 2010).

It maximises loglik - |E|/2 log n - 2 gamma |E| log p over the graphs on a path, with the largest likelihood
on each graph (that of a penalised estimate would be quicker, but chooses worse).
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import FitError
from arcwise.results import Trail
from arcwise.undirected.fixed_graph import refit_graph
from arcwise.undirected.given_matrices import checked_covariance
from arcwise.undirected.glasso import glasso_path
from arcwise.undirected.newton import inverse
from arcwise.undirected.selection import PenaltyChoice, cut_short, penalties_for, usual_penalty

Array = NDArray[np.float64]

# Up to this many columns every graph is measured: it is cheap, and the curve is complete.
_SMALL = 50
# A matrix of correlations whose inverse has a larger entry counts as singular.
_SINGULAR = 1e12
# Without a bound the search ends if there are fewer rows than this per neighbour, and this many
# penalties beyond the best were tried.
_CROWDED, _BEYOND = 20, 4


def by_ebic(
    correlation: ArrayLike,
    rows: float,
    penalties: Sequence[float] | None = None,
    *,
    gamma: float = 0.5,
    **options: Any,
) -> PenaltyChoice:
    """Choose the graphical lasso's penalty by the extended Bayesian information criterion.

    Parameters
    ----------
    correlation : of the columns.
    rows : the number of its rows.
    penalties : the path, descending; `penalties_for` the correlations by default.
    gamma : weight of the number of possible graphs; 0 is the ordinary criterion.
    options : for `glasso_path`.

    Examples
    --------
    >>> R = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.05], [0.0, 0.05, 1.0]])
    >>> print(by_ebic(R, 100, [0.7, 0.3, 0.1, 0.01]).reason)
    EBIC (gamma 0.5) is highest, -406.768, at penalty 0.3: 1 edge.
    """
    matrix = checked_covariance(correlation)
    grid = tuple(sorted(penalties_for(matrix) if penalties is None else penalties, reverse=True))
    if not grid:
        raise FitError("A path must have at least one penalty, got none.")
    trail = Trail(options.pop("on_step", None))
    path = (
        Candidate(
            penalty,
            solution.n_edges,
            np.packbits(solution.precision != 0).tobytes(),
            partial(
                refit_graph, matrix, solution.precision, rows, partial(trail.tick, "refit", 0.0, 0)
            ),
        )
        for penalty, solution in glasso_path(matrix, longer(grid), on_step=trail.pass_on, **options)
    )
    return highest_ebic(matrix, rows, path, gamma=gamma, n_planned=len(grid), trail=trail)


def longer(penalties: Sequence[float]) -> tuple[float, ...]:
    """Return a path that continues in the same ratio, half as long again, for the case that its end is the
    best.

    Examples
    --------
    >>> longer([0.4, 0.2])
    (0.4, 0.2, 0.1)
    """
    if len(penalties) < 2 or not 0 < penalties[-1] < penalties[0]:
        return tuple(penalties)
    ratio = (penalties[-1] / penalties[0]) ** (1.0 / (len(penalties) - 1))
    more = max(1, len(penalties) // 2)
    return (*penalties, *(float(penalties[-1] * ratio**step) for step in range(1, more + 1)))


class Candidate(NamedTuple):
    """A graph on a path; equal keys `graph` mean equal graphs.

    `fit` returns the precision matrix of largest likelihood on the graph, or None if there is none.
    """

    penalty: float
    edges: int
    graph: Hashable
    fit: Callable[[], Array | None]


def highest_ebic(
    matrix: Array,
    rows: float,
    path: Iterable[Candidate],
    *,
    gamma: float = 0.5,
    n_planned: int | None = None,
    trail: Trail | None = None,
) -> PenaltyChoice:
    """Return the graph on a path with the highest EBIC.

    Up to 50 columns all graphs are measured. With more, dense ones would take nearly all the time. The
    likelihood of a graph is at most that of the complete one, so a graph is not fitted if
    the penalty of its edges alone puts it below the best so far. The search ends if graphs have twice as many
    edges as that takes (on the path of a lasso their number sometimes decreases, but by little).

    If the complete graph has no largest likelihood, as with fewer rows than columns, that of dense graphs is
    unbounded, and so is EBIC. Then the search ends if variables have more neighbours on average than a
    twentieth of the rows, or graphs have no largest likelihood, and the last
    four penalties were worse than the best.

    Parameters
    ----------
    matrix : covariance, or correlations.
    rows : the number of its rows.
    path : graphs from the largest penalty on.
    gamma : how much the number of possible graphs counts.
    n_planned : how many graphs are looked at; those that follow only while the last one is the best.
    trail : the record of the run, whose early stop is part of the reason.
    """
    if not (gamma >= 0 and rows > 0):
        raise FitError(f"gamma must be non-negative and rows positive, got {gamma} and {rows}.")
    price = 0.5 * float(np.log(rows)) + 2.0 * gamma * float(np.log(len(matrix)))
    walk = _PathWalk(matrix, rows, price, _saturated_loglik(matrix, rows))
    for candidate in path:
        walk.look_at(candidate)
        if trail is not None and trail.stopped:
            walk.drop_last()
            break
        if walk.is_over or (n_planned is not None and len(walk.curve) >= n_planned and walk.past):
            break
    if trail is not None and trail.stopped and not walk.is_over:
        walk.short = True
    if walk.best == -np.inf:
        return cut_short("ebic", usual_penalty(rows, len(matrix), walk.penalties))
    return walk.choice(f"EBIC (gamma {gamma:g})")


@dataclass(eq=False)
class _PathWalk:
    """A search along a path by EBIC: the results so far."""

    matrix: Array
    rows: float
    price: float
    roof: float  # no likelihood is above it
    penalties: list[float] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    curve: list[float] = field(default_factory=list)
    last: Hashable = None
    hopeless: bool = False  # a graph without a largest likelihood was met
    bounded: bool = False  # a graph was too dear to be the best
    short: bool = False  # asked to stop

    @property
    def best(self) -> float:
        return max(self.curve, default=-np.inf)

    @property
    def enough(self) -> float:
        """Return whether a graph with this many edges is below the best, whatever its likelihood."""
        if self.price <= 0 or len(self.matrix) <= _SMALL:
            return np.inf
        return float((self.roof - self.best) / self.price)

    def look_at(self, candidate: Candidate) -> None:
        """Measure a graph, unless it cannot be the best or is the one before."""
        if candidate.graph == self.last:
            value = self.curve[-1]
        elif candidate.edges >= self.enough:
            value, self.bounded = -np.inf, True
        else:
            value = self._measure(candidate)
        self.penalties.append(candidate.penalty)
        self.edges.append(candidate.edges)
        self.curve.append(value)
        self.last = candidate.graph

    def _measure(self, candidate: Candidate) -> float:
        precision = None if self.hopeless else candidate.fit()
        if precision is None:  # denser graphs have none either
            self.hopeless = True
            return -np.inf
        return _likelihood(self.matrix, self.rows, precision) - self.price * candidate.edges

    @property
    def past(self) -> int:
        """The number of graphs after the best."""
        return len(self.curve) - 1 - int(np.argmax(self.curve))

    def drop_last(self) -> None:
        """Drop the last graph, whose likelihood is incomplete, unless it is the only one."""
        if len(self.curve) > 1:
            del self.penalties[-1], self.edges[-1], self.curve[-1]
            self.hopeless = False

    @property
    def is_over(self) -> bool:
        """Whether the search must end: continuing cannot help or, without a bound, does not pay."""
        if np.isfinite(self.roof):
            return self.edges[-1] >= 2 * self.enough
        crowded = 2 * self.edges[-1] / len(self.matrix) > self.rows / _CROWDED
        return (crowded or self.hopeless) and self.past >= _BEYOND

    def choice(self, name: str) -> PenaltyChoice:
        at = int(np.argmax(self.curve))
        edges = self.edges[at]
        reason = (
            f"{name} is highest, {self.best:.6g}, at penalty {self.penalties[at]:.4g}: "
            f"{edges} edge{'s' * (edges != 1)}."
        )
        if self.short:
            reason += (
                f" The run was stopped early after {len(self.curve)} "
                f"penalt{'y' if len(self.curve) == 1 else 'ies'}: others may do better."
            )
        elif self.bounded:
            reason += f" No graph of {np.ceil(self.enough):.0f} edges or more can reach it."
        elif self.is_over:
            reason += " Denser graphs were not tried."
        elif self.hopeless:
            reason += " The likelihood of denser graphs has no maximum."
        elif (
            0 < at == len(self.curve) - 1 and edges < len(self.matrix) * (len(self.matrix) - 1) / 2
        ):
            reason += " That is the end of the path; a longer one may do better."
        path, curve = tuple(self.penalties), tuple(self.curve)
        return PenaltyChoice("ebic", path[at], path, curve, name, tuple(self.edges), reason)


def _saturated_loglik(matrix: Array, rows: float) -> float:
    """Return the largest log-likelihood of the complete graph; infinite if the matrix is singular."""
    root = np.sqrt(matrix.diagonal())
    inverted = inverse(matrix / root[:, None] / root)
    if inverted is None or inverted.matrix.diagonal().max() > _SINGULAR:
        return np.inf
    logdet = inverted.logdet + 2.0 * float(np.log(root).sum())
    return -0.5 * rows * (logdet + len(matrix) * (1.0 + float(np.log(2.0 * np.pi))))


def _likelihood(matrix: Array, rows: float, precision: Array) -> float:
    """Return the log-likelihood of moments in the units of the matrix."""
    trace = float(np.sum(matrix * precision))
    logdet = float(np.linalg.slogdet(precision)[1])
    return 0.5 * rows * (logdet - trace - len(matrix) * float(np.log(2.0 * np.pi)))
