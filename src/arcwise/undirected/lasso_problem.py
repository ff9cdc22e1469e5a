r"""The problem of a lasso: a covariance with a penalty for every entry; and the lasso of single variables.

A problem is divided into blocks, scaled so
that the covariance to be fitted has a unit diagonal: the graphical lasso with a matrix of penalties
does not change under scaling, Theta -> D Theta D, S -> S / DD, P -> P / DD.

Neighbourhood selection is the lasso of every variable on all others:

.. math:: \min_b\; \tfrac12 b^T R b - b^T r_j + \rho \sum_k |b_k|

with R the correlations of the others and r_j theirs with variable j. The nonzero coefficients are the
neighbours that j picks. Two variables are joined if both pick each other (rule "and") or if one does
(rule "or"). It finds a graph without fitting a joint distribution, and is consistent where the
graphical lasso need not be (N. Meinshausen and P. Buehlmann, "High-dimensional graphs and variable
selection with the lasso", Annals of Statistics 34 (2006), 1436-1462).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import gather, neighbours
from arcwise.errors import FitError, unknown
from arcwise.results import Trail, Watch
from arcwise.undirected.given_matrices import checked_covariance, checked_factors, checked_penalty

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Pairs = Iterable[tuple[int, int]]


class Piece(NamedTuple):
    """Some variables of a problem, scaled: moments / scale scale', penalties / scale scale'.

    It is `even` if the penalty off the diagonal is a single number before scaling.
    """

    members: Indices
    moments: Array
    penalties: Array
    scale: Array
    even: bool


@dataclass(frozen=True, eq=False)
class LassoProblem:
    """A covariance and its penalties.

    `off` is the penalty of the entries next to the diagonal, one number (an array without dimensions) or a
    matrix whose infinite entries hold Theta at zero; `diagonal` that of the diagonal entries.
    """

    moments: Array
    off: Array
    diagonal: Array

    @classmethod
    def of(
        cls,
        covariance: Array,
        penalty: ArrayLike,
        *,
        factors: ArrayLike | None = None,
        penalise_diagonal: bool = True,
        required: Pairs | None = None,
        forbidden: Pairs | None = None,
    ) -> "LassoProblem":
        """Check the penalty and the pairs against a checked covariance.

        `factors` is a matrix that the penalty is multiplied with, entry by entry.

        Raises
        ------
        FitError : a penalty that is negative, not a number or of the wrong shape, or a pair that is
            no pair of columns, or both required and forbidden.
        """
        size = len(covariance)
        off = checked_penalty(penalty, size)
        if factors is not None:
            off = _multiply(off, checked_factors(factors, size))
        diagonal = np.broadcast_to(off, (size, size)).diagonal().copy()
        if penalise_diagonal and not np.isfinite(diagonal).all():
            raise FitError(
                "The diagonal penalty of {columns} must be finite: give a number, or leave the "
                "diagonal without penalty.",
                np.flatnonzero(~np.isfinite(diagonal))[:1].tolist(),
            )
        off = _apply_rules(
            off, size, _checked_pairs(required, size), _checked_pairs(forbidden, size)
        )
        return cls(covariance, off, diagonal if penalise_diagonal else np.zeros(size))

    def table(self) -> Array:
        """The penalties off the diagonal, (p, p), or (1, 1) if all are equal."""
        return np.atleast_2d(self.off)

    def piece(self, members: Indices) -> Piece:
        """Cut out some variables, scaled so that the fitted covariance has a unit diagonal."""
        scale = np.sqrt(self.moments.diagonal()[members] + self.diagonal[members])
        over = 1.0 / scale
        moments = gather(self.moments, members, over, over)
        if not self.off.ndim:
            penalties = np.outer(self.off * over, over)
        else:
            penalties = gather(self.off, members, over, over)
        np.fill_diagonal(penalties, self.diagonal[members] * over**2)
        np.fill_diagonal(moments, 1.0 - penalties.diagonal())
        return Piece(members, moments, penalties, scale, not self.off.ndim)


def _multiply(off: Array, factors: Array) -> Array:
    """Return the product; infinite factors hold an entry at zero whatever the penalty."""
    is_held = np.isinf(factors)
    return np.where(is_held, np.inf, off * np.where(is_held, 1.0, factors))


def _checked_pairs(pairs: Pairs | None, size: int) -> set[tuple[int, int]]:
    checked = {(min(pair), max(pair)) for pair in pairs or ()}
    for one, two in checked:
        if not 0 <= one < two < size:
            raise FitError(f"({one}, {two}) must be a pair of column numbers from 0 to {size - 1}.")
    return checked


def _apply_rules(
    off: Array, size: int, required: set[tuple[int, int]], forbidden: set[tuple[int, int]]
) -> Array:
    """No penalty for required pairs, an infinite one for forbidden pairs."""
    if both := required & forbidden:
        raise FitError(f"The pair {min(both)} is both required and forbidden.")
    if not required and not forbidden:
        return off
    matrix: Array = np.broadcast_to(off, (size, size)).copy()
    for pairs, value in ((required, 0.0), (forbidden, np.inf)):
        for one, two in pairs:
            matrix[one, two] = matrix[two, one] = value
    return matrix


Rule = Literal["and", "or"]

_TOLERANCE, _LEAST = 1e-9, 1e-3
_RULES = {"and": np.logical_and, "or": np.logical_or}


class Neighbourhoods(NamedTuple):
    """Coefficients of each variable (row) on the others, and their graph.

    Coefficients are those of standardised columns; `violation` is the largest violation of a condition for a
    minimum relative to the penalty (or to a thousandth, where that is larger).
    """

    slopes: Array
    adjacency: NDArray[np.bool_]
    violation: float

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The pairs of adjacent columns, smaller first."""
        rows, columns = np.nonzero(np.triu(self.adjacency))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return int(self.adjacency.sum()) // 2


def neighbourhood(
    covariance: ArrayLike,
    penalty: ArrayLike,
    *,
    rule: Rule = "or",
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    start: Neighbourhoods | None = None,
) -> Neighbourhoods:
    """Select the neighbours of every variable by the lasso.

    Parameters
    ----------
    covariance : of the columns; correlations are made of it.
    penalty : rho on the scale of correlations, a number or a symmetric matrix.
    rule : "or" joins two variables if one picks the other, "and" if both do.
    required, forbidden : pairs of column numbers without penalty, and pairs ruled out.
    start : a solution for a nearby penalty.

    Raises
    ------
    FitError : a matrix that is no covariance, or penalties that make no sense.
    OptionError : an unknown rule.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> neighbourhood(S, 0.1).edges
    [(0, 1), (1, 2)]
    """
    moments = _correlations(checked_covariance(covariance))
    problem = LassoProblem.of(
        moments, penalty, penalise_diagonal=False, required=required, forbidden=forbidden
    )
    return _solve(problem, _checked_rule(rule), start)


def neighbourhood_path(
    covariance: ArrayLike,
    penalties: Sequence[float],
    *,
    rule: Rule = "or",
    factors: ArrayLike | None = None,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    on_step: Watch | None = None,
) -> Iterator[tuple[float, Neighbourhoods]]:
    """Select neighbours for several penalties, each from the answer before.

    Each penalty is multiplied with the `factors`, a matrix, if given. `on_step` is called with each of them;
    True ends the path.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> [(penalty, found.n_edges) for penalty, found in neighbourhood_path(S, [0.55, 0.1])]
    [(0.55, 1), (0.1, 2)]
    """
    moments, graphs, trail = _correlations(checked_covariance(covariance)), None, Trail(on_step)
    rest: dict[str, Any] = {
        "factors": factors,
        "penalise_diagonal": False,
        "required": list(required or ()),
        "forbidden": list(forbidden or ()),
    }
    for penalty in penalties:
        problem = LassoProblem.of(moments, penalty, **rest)
        graphs = _solve(problem, _checked_rule(rule), graphs)
        yield float(penalty), graphs
        if trail.add(f"penalty {float(penalty):.4g}", float(graphs.n_edges), graphs.n_edges):
            return


def _correlations(matrix: Array) -> Array:
    root = np.sqrt(matrix.diagonal())
    scaled: Array = matrix / root[:, None]
    scaled /= root
    np.fill_diagonal(scaled, 1.0)
    return scaled


def _checked_rule(rule: str) -> Rule:
    if rule not in _RULES:
        raise unknown("rule", rule, _RULES)
    return "and" if rule == "and" else "or"


def _solve(problem: LassoProblem, rule: Rule, start: Neighbourhoods | None) -> Neighbourhoods:
    size = len(problem.moments)
    penalties = np.ascontiguousarray(np.broadcast_to(problem.off, (size, size)))
    slopes = np.zeros((size, size)) if start is None else start.slopes.copy()
    violation = neighbours(problem.moments, penalties, slopes, _TOLERANCE, _LEAST)
    picked = slopes != 0
    adjacency = _RULES[rule](picked, picked.T)
    slopes.setflags(write=False)
    adjacency.setflags(write=False)
    return Neighbourhoods(slopes, adjacency, violation)
