r"""The graphical lasso: a sparse precision matrix, and with it an undirected graph, from a covariance.

.. math:: \max_\Theta\; \log\det\Theta - \mathrm{tr}\,S\Theta - \sum_{ij} \rho_{ij} |\theta_{ij}|

An edge i - j is a nonzero theta_ij. Larger penalties rho leave fewer edges. Required edges are not
penalised; the entries of forbidden ones are held at zero.

The components of the graph |S_ij| > rho_ij are exactly those of the solution (Witten, Friedman and
Simon 2011; Mazumder and Hastie 2012), so they are solved separately. Each
is solved column by column (Friedman, Hastie and Tibshirani 2008) with active sets, see `sweeps`.

Every solution has a certificate: the duality gap, which bounds how much the objective can be below its
maximum, and the largest violation of a condition for the maximum

.. math:: W = \Theta^{-1}:\quad w_{ij} - s_{ij} = \rho_{ij}\,\mathrm{sign}\,\theta_{ij}
          \ \text{where}\ \theta_{ij} \ne 0, \qquad |w_{ij} - s_{ij}| \le \rho_{ij}\ \text{elsewhere},

relative to rho_ij (to a thousandth of the two columns' scale where rho_ij is smaller than that).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import components, gather, scatter
from arcwise.errors import FitError
from arcwise.results import Trail, Watch
from arcwise.undirected.given_matrices import checked_covariance, checked_factors, freeze
from arcwise.undirected.lasso_problem import LassoProblem, Pairs, Piece
from arcwise.undirected.newton import inverse, log_determinant
from arcwise.undirected.sweeps import (
    BlockSolution,
    LassoBlock,
    Start,
    begin,
    judge_solution,
    no_maximum,
    share_of,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A block whose smallest eigenvalue is below minus this (in units of correlations) is indefinite.
_INDEFINITE = 1e-7
_SWEEPS = 10_000
# Largest number of sweeps of a solution from an extrapolated start.
_EAGER = 60
# Components up to this size are solved together with others.
_SMALL = 48


class GlassoSolution(NamedTuple):
    """A solution of the graphical lasso.

    `covariance` is the inverse of `precision` (on a path, to within `violation`). `gap` bounds how far
    `objective` is below its maximum; `violation` is the largest violation of a condition for the maximum
    relative to the penalty; `sweeps` counts those of the hardest block.
    """

    precision: Array
    covariance: Array
    gap: float
    violation: float
    objective: float
    sweeps: int

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Return the pairs of columns, smaller first, whose entry in the precision matrix is not zero."""
        rows, columns = np.nonzero(np.triu(self.precision, 1))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return (int(np.count_nonzero(self.precision)) - len(self.precision)) // 2


def glasso(
    covariance: ArrayLike,
    penalty: ArrayLike,
    *,
    penalise_diagonal: bool = True,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    start: GlassoSolution | None = None,
    tolerance: float = 1e-7,
    max_sweeps: int = _SWEEPS,
    threads: int = 1,
    on_step: Watch | None = None,
) -> GlassoSolution:
    """Solve the graphical lasso.

    Parameters
    ----------
    covariance : S, symmetric and positive semi-definite.
    penalty : rho, a non-negative number, or a symmetric matrix of them (infinite to hold an entry at 0).
    penalise_diagonal : whether the penalty counts for the diagonal, too.
    required, forbidden : pairs of column numbers: edges without penalty, and edges ruled out.
    start : a solution for a nearby penalty.
    tolerance : the largest violation of a condition, relative to the penalty, that is good enough.
    max_sweeps : sweeps over the columns of a block before the best so far is handed back.
    threads : how many blocks are solved at a time; the answer does not depend on it.
    on_step : called with sweeps (as score the last one's largest move); True ends with what there is.

    Returns
    -------
    GlassoSolution : precision and covariance matrix, with the gap and the violation that prove them.

    Raises
    ------
    FitError : a matrix that is no covariance, penalties that make no sense, or no maximum because
        entries without penalty meet a singular covariance.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> found = glasso(S, 0.2, penalise_diagonal=False)
    >>> found.edges
    [(0, 1), (1, 2)]
    >>> print(found.covariance.round(3))
    [[1.   0.4  0.04]
     [0.4  1.   0.1 ]
     [0.04 0.1  1.  ]]
    """
    problem = LassoProblem.of(
        checked_covariance(covariance),
        penalty,
        penalise_diagonal=penalise_diagonal,
        required=required,
        forbidden=forbidden,
    )
    _check_definite(problem)
    work = _Work(tolerance, max_sweeps, threads, True, Trail(on_step))
    return work.solve(problem, None if start is None else Start(start.precision, start.covariance))


def glasso_path(
    covariance: ArrayLike,
    penalties: Sequence[float],
    *,
    factors: ArrayLike | None = None,
    penalise_diagonal: bool = True,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    tolerance: float = 1e-6,
    threads: int = 1,
    on_step: Watch | None = None,
) -> Iterator[tuple[float, GlassoSolution]]:
    """Solve for several penalties, each from the solution before; largest first is quickest.

    Parameters
    ----------
    penalties : numbers, in the order in which they are solved and handed out.
    factors : a matrix that each of them is multiplied with (infinite to hold an entry at 0).
    on_step : called with sweeps and of each solution (as score its objective); True ends the path with
        the last one that is good, or with the first one as it is.

    The others are those of `glasso`.

    Yields
    ------
    Pairs of a penalty and its solution. To save an inversion at each step, its covariance may be the
    inverse of the precision matrix but for an error, which `gap` and `violation` account for: they are
    then bounds.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> [(penalty, found.n_edges) for penalty, found in glasso_path(S, [0.5, 0.2, 0.01])]
    [(0.5, 1), (0.2, 2), (0.01, 3)]
    """
    matrix, trail = checked_covariance(covariance), Trail(on_step)
    rest: dict[str, Any] = {
        "factors": None if factors is None else checked_factors(factors, len(matrix)),
        "penalise_diagonal": penalise_diagonal,
        "required": list(required or ()),
        "forbidden": list(forbidden or ()),
    }
    if len(penalties):
        # Blocks of larger penalties lie in those of the smallest.
        _check_definite(LassoProblem.of(matrix, np.min(penalties), **rest))
    work, start = _Work(tolerance, _SWEEPS, threads, False, Trail(on_step)), None
    for number, penalty in enumerate(penalties):
        solution = work.solve(LassoProblem.of(matrix, penalty, **rest), start)
        if work.trail.stopped and number and solution.violation > tolerance:
            return
        yield float(penalty), solution
        nearby = penalties[max(number - 1, 0) : number + 2]
        earlier = None if start is None else start.covariance
        start = Start(solution.precision, solution.covariance, earlier, share_of(nearby))
        if trail.add(f"penalty {float(penalty):.4g}", solution.objective, solution.n_edges):
            return


def largest_penalty(covariance: ArrayLike, factors: ArrayLike | None = None) -> float:
    """Return the smallest penalty that leaves no edge: the largest covariance of two columns, in size.

    With `factors` of the penalty, the largest one over its factor; edges whose factor is zero stay.

    Examples
    --------
    >>> largest_penalty([[1.0, -0.6], [-0.6, 1.0]])
    0.6
    >>> largest_penalty([[1.0, -0.6], [-0.6, 1.0]], [[1, 2], [2, 1]])
    0.3
    """
    matrix = np.abs(np.asarray(covariance, dtype=np.float64))
    if factors is not None:
        by = np.asarray(factors, dtype=np.float64)
        matrix = np.divide(matrix, by, out=np.zeros_like(matrix), where=by > 0)
    return float(np.max(matrix, where=~np.eye(len(matrix), dtype=bool), initial=0.0))


class _Part(NamedTuple):
    """A block, its solution, and how far that can be from the maximum."""

    piece: Piece
    solved: BlockSolution
    gap: float


@dataclass(frozen=True)
class _Work:
    """How to solve a problem: tolerances, and callbacks."""

    tolerance: float
    max_sweeps: int
    threads: int
    exact: bool
    trail: Trail

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < np.inf or self.max_sweeps < 1 or self.threads < 1:
            raise FitError(
                f"Tolerance, sweeps and threads must be positive, got {self.tolerance}, "
                f"{self.max_sweeps} and {self.threads}."
            )

    def solve(self, problem: LassoProblem, start: Start | None) -> GlassoSolution:
        size = len(problem.moments)
        if start is not None and start.precision.shape != (size, size):
            raise FitError(
                f"The start has {len(start.precision)} variables, but the covariance has {size}."
            )
        labels = components(problem.moments, problem.table())
        alone, blocks = _blocks(labels)
        if self.threads == 1 or len(blocks) == 1:
            parts = [self.block(problem, members, start) for members in blocks]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(lambda members: self.block(problem, members, start), blocks))
        return _assemble_blocks(problem, alone, parts)

    def block(self, problem: LassoProblem, members: Indices, start: Start | None) -> _Part:
        """Solve one component."""
        piece = problem.piece(members)
        if not piece.penalties.any():
            solved = judge_solution(piece, _invert(piece))
        else:
            solved = self._eagerly(piece, start)
            if solved is None:
                solved = self._sweep_piece(piece, begin(piece, start), self.max_sweeps)
        if solved is None and (piece.penalties > 0).all():  # there is a maximum, but too few sweeps
            solved = judge_solution(piece, np.eye(len(members)))
        if solved is None:
            raise no_maximum(piece)
        return _Part(piece, solved, solved.gap(piece))

    def _eagerly(self, piece: Piece, start: Start | None) -> BlockSolution | None:
        """Solve from a start extrapolated from the last two solutions; None if that does not converge
        quickly.

        W may not be positive definite there. Then no solution is accepted, since the check uses Theta.
        """
        if start is None or not start.share:
            return None
        solved = self._sweep_piece(piece, start.extrapolate(piece), min(_EAGER, self.max_sweeps))
        good = solved is not None and solved.violation <= self.tolerance
        return solved if good else None

    def _sweep_piece(
        self, piece: Piece, start: tuple[Array, Array], max_sweeps: int
    ) -> BlockSolution | None:
        block = LassoBlock(piece, *start, self.tolerance, self.exact, self._tell)
        return block.solve(max_sweeps)

    def _tell(self, sweeps: int, moved: float) -> bool:
        return self.trail.tick(f"sweep {sweeps}", moved, 0)


def _blocks(labels: Indices) -> tuple[Indices, list[Indices]]:
    """Return variables alone in their component, and the members of the other components.

    Small components are merged: the entries between them are zero in any case, and a few larger problems are
    quicker than hundreds of tiny ones.
    """
    counts = np.bincount(labels, minlength=len(labels))[labels]
    alone, connected = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    if not len(connected):
        return alone, []
    connected = connected[np.argsort(labels[connected], kind="stable")]
    blocks: list[Indices] = []
    small: list[Indices] = []
    for group in np.split(connected, np.flatnonzero(np.diff(labels[connected])) + 1):
        if len(group) > _SMALL:
            blocks.append(group)
            continue
        small.append(group)
        if sum(map(len, small)) > _SMALL:
            blocks.append(np.concatenate(small))
            small = []
    return alone, [*blocks, *([np.concatenate(small)] if small else [])]


def _check_definite(problem: LassoProblem) -> None:
    """Reject a covariance that is indefinite, beyond rounding, inside a block that is solved."""
    root = 1.0 / np.sqrt(problem.moments.diagonal())
    for members in _blocks(components(problem.moments, problem.table()))[1]:
        block = gather(problem.moments, members, root[members], root[members])
        np.fill_diagonal(block, 1.0 + _INDEFINITE)
        if log_determinant(block) is not None:
            continue
        np.fill_diagonal(block, 1.0)
        least = float(np.linalg.eigvalsh(block)[0])
        raise FitError(
            "The covariance is indefinite: among {columns} the smallest eigenvalue of the "
            f"correlations is {least:.3g}. Estimate it by EM where values are missing.",
            members.tolist(),
        )


def _invert(piece: Piece) -> Array | None:
    inverted = inverse(piece.moments)
    singular = inverted is None or inverted.matrix.diagonal().max() > 1e12
    return None if inverted is None or singular else inverted.matrix


def _assemble_blocks(problem: LassoProblem, alone: Indices, parts: list[_Part]) -> GlassoSolution:
    """Put the blocks back into one matrix."""
    size = len(problem.moments)
    precision, covariance = np.zeros((size, size)), np.zeros((size, size))
    diagonal_alone = problem.moments.diagonal()[alone] + problem.diagonal[alone]
    precision[alone, alone], covariance[alone, alone] = 1.0 / diagonal_alone, diagonal_alone
    objective = -float(np.log(diagonal_alone).sum()) - len(diagonal_alone)
    for piece, solved, _ in parts:
        scatter(solved.precision, piece.members, 1.0 / piece.scale, precision)
        scatter(solved.covariance, piece.members, piece.scale, covariance)
        objective += solved.objective - 2.0 * float(np.log(piece.scale).sum())
    return GlassoSolution(
        freeze(precision),
        freeze(covariance),
        sum(part.gap for part in parts),
        max((part.solved.violation for part in parts), default=0.0),
        objective,
        max((part.solved.sweeps for part in parts), default=0),
    )
