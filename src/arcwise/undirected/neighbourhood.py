r"""Neighbourhood selection: the lasso of every variable on all others.

.. math:: \min_b\; \tfrac12 b^T R b - b^T r_j + \rho \sum_k |b_k|

with R the correlations of the others and r_j theirs with variable j. The nonzero coefficients are the
neighbours that j picks. Two variables are joined if both pick each other (rule "and") or if one does
(rule "or"). It finds a graph without fitting a joint distribution, and is consistent where the
graphical lasso need not be (N. Meinshausen and P. Buehlmann, "High-dimensional graphs and variable
selection with the lasso", Annals of Statistics 34 (2006), 1436-1462).
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import neighbours
from arcwise.errors import unknown
from arcwise.results import Trail, Watch
from arcwise.undirected.covariance import checked_covariance
from arcwise.undirected.penalties import Pairs, Problem

Array = NDArray[np.float64]
Rule = Literal["and", "or"]

_TOLERANCE, _LEAST = 1e-9, 1e-3
_RULES = {"and": np.logical_and, "or": np.logical_or}


class Neighbourhoods(NamedTuple):
    """Coefficients of each variable (row) on the others, and the graph they make.

    Coefficients are those of standardised columns; `violation` is the largest breach of a condition for a
    minimum relative to the penalty (or to a thousandth, where that is larger).
    """

    slopes: Array
    adjacency: NDArray[np.bool_]
    violation: float

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of joined columns, smaller first."""
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
    WordError : an unknown rule.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> neighbourhood(S, 0.1).edges
    [(0, 1), (1, 2)]
    """
    moments = _correlations(checked_covariance(covariance))
    problem = Problem.of(
        moments, penalty, penalise_diagonal=False, required=required, forbidden=forbidden
    )
    return _solved(problem, _checked_rule(rule), start)


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

    Each penalty is multiplied with the `factors`, a matrix, if given. `on_step` is told of each of them; True
    ends the path.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    >>> [(penalty, found.n_edges) for penalty, found in neighbourhood_path(S, [0.55, 0.1])]
    [(0.55, 1), (0.1, 2)]
    """
    moments, found, trail = _correlations(checked_covariance(covariance)), None, Trail(on_step)
    rest: dict[str, Any] = {
        "factors": factors,
        "penalise_diagonal": False,
        "required": list(required or ()),
        "forbidden": list(forbidden or ()),
    }
    for penalty in penalties:
        problem = Problem.of(moments, penalty, **rest)
        found = _solved(problem, _checked_rule(rule), found)
        yield float(penalty), found
        if trail.add(f"penalty {float(penalty):.4g}", float(found.n_edges), found.n_edges):
            return


def _correlations(matrix: Array) -> Array:
    root = np.sqrt(matrix.diagonal())
    found: Array = matrix / root[:, None]
    found /= root
    np.fill_diagonal(found, 1.0)
    return found


def _checked_rule(rule: str) -> Rule:
    if rule not in _RULES:
        raise unknown("rule", rule, _RULES)
    return "and" if rule == "and" else "or"


def _solved(problem: Problem, rule: Rule, start: Neighbourhoods | None) -> Neighbourhoods:
    size = len(problem.moments)
    off = problem.off
    penalties = np.full((size, size), off) if isinstance(off, float) else off
    slopes = np.zeros((size, size)) if start is None else start.slopes.copy()
    violation = neighbours(problem.moments, penalties, slopes, _TOLERANCE, _LEAST)
    picked = slopes != 0
    adjacency = _RULES[rule](picked, picked.T)
    slopes.setflags(write=False)
    adjacency.setflags(write=False)
    return Neighbourhoods(slopes, adjacency, violation)
