r"""The graphical lasso: a sparse precision matrix, and with it an undirected graph, from a covariance.

.. math:: \max_\Theta\; \log\det\Theta - \mathrm{tr}\,S\Theta - \sum_{ij} \rho_{ij} |\theta_{ij}|

An edge i - j is a nonzero theta_ij. Larger penalties rho leave fewer edges. Required edges are not
penalised; the entries of forbidden ones are held at zero.

The variables fall apart into the components of the graph |S_ij| > rho_ij, which are exactly those of
the solution (Witten, Friedman and Simon 2011; Mazumder and Hastie 2012): they are solved apart. Each
is solved column by column (Friedman, Hastie and Tibshirani 2008) with active sets, see `columns`.

Every answer comes with its proof: the duality gap, which bounds how much the objective can be below its
maximum, and the largest violation of a condition for the maximum

.. math:: W = \Theta^{-1}:\quad w_{ij} - s_{ij} = \rho_{ij}\,\mathrm{sign}\,\theta_{ij}
          \ \text{where}\ \theta_{ij} \ne 0, \qquad |w_{ij} - s_{ij}| \le \rho_{ij}\ \text{elsewhere},

relative to rho_ij (to a thousandth of the two columns' scale where rho_ij is smaller than that).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso import components, gather, scatter
from arcwise.errors import FitError
from arcwise.results import Trail, Watch
from arcwise.undirected.chordal import completion
from arcwise.undirected.columns import Solved, judged, solve_block
from arcwise.undirected.newton import definite, inverse
from arcwise.undirected.penalties import Pairs, Piece, Problem, checked_covariance

__all__ = ["Glasso", "from_correlation", "glasso", "glasso_path", "largest_penalty"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# A block whose smallest eigenvalue is below minus this (in units of correlations) is indefinite.
_INDEFINITE = 1e-7
_SWEEPS = 10_000


class Glasso(NamedTuple):
    """A solution of the graphical lasso.

    `gap` bounds how far `objective` is below its maximum; `violation` is the largest breach of a
    condition for the maximum relative to the penalty; `sweeps` counts those of the hardest block.
    """

    precision: Array
    covariance: Array
    gap: float
    violation: float
    objective: float
    sweeps: int

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of columns, smaller first, whose entry in the precision matrix is not zero."""
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
    start: Glasso | None = None,
    tolerance: float = 1e-7,
    max_sweeps: int = _SWEEPS,
    threads: int = 1,
    on_step: Watch | None = None,
) -> Glasso:
    """Solve the graphical lasso.

    Parameters
    ----------
    covariance : S, symmetric and positive semi-definite.
    penalty : rho, a number from 0 on, or a symmetric matrix of them (infinite to hold an entry at 0).
    penalise_diagonal : whether the penalty counts for the diagonal, too.
    required, forbidden : pairs of column numbers: edges without penalty, and edges ruled out.
    start : a solution for a nearby penalty.
    tolerance : the largest violation of a condition, relative to the penalty, that is good enough.
    max_sweeps : sweeps over the columns of a block before the best so far is handed back.
    threads : how many blocks are solved at a time; the answer does not depend on it.
    on_step : told of sweeps (as score the last one's largest move); True ends with what there is.

    Returns
    -------
    Glasso : precision and covariance matrix, with the gap and the violation that prove them.

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
    problem = Problem.of(
        checked_covariance(covariance),
        penalty,
        penalise_diagonal=penalise_diagonal,
        required=required,
        forbidden=forbidden,
    )
    _check_definite(problem)
    work = _Work(tolerance, max_sweeps, threads, Trail(on_step))
    return work.solve(problem, start)


def glasso_path(
    covariance: ArrayLike,
    penalties: Sequence[float],
    *,
    penalise_diagonal: bool = True,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    tolerance: float = 1e-7,
    threads: int = 1,
    on_step: Watch | None = None,
) -> Iterator[tuple[float, Glasso]]:
    """Solve for several penalties, each from the solution before; largest first is quickest.

    Parameters
    ----------
    penalties : numbers, in the order in which they are solved and handed out.
    on_step : told of each solution (as score its objective); True ends the path there.

    The others are those of `glasso`.

    Yields
    ------
    Pairs of a penalty and its solution.

    Examples
    --------
    >>> S = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> [(penalty, found.n_edges) for penalty, found in glasso_path(S, [0.5, 0.2, 0.01])]
    [(0.5, 1), (0.2, 2), (0.01, 3)]
    """
    matrix = checked_covariance(covariance)
    pairs = {"required": list(required or ()), "forbidden": list(forbidden or ())}
    problems = [
        Problem.of(matrix, penalty, penalise_diagonal=penalise_diagonal, **pairs)
        for penalty in penalties
    ]
    trail, found = Trail(on_step), None
    work = _Work(tolerance, _SWEEPS, threads, Trail())
    if problems:
        _check_definite(problems[int(np.argmin(penalties))])  # the others' blocks lie in its blocks
    for penalty, problem in zip(penalties, problems, strict=True):
        found = work.solve(problem, found)
        yield float(penalty), found
        if trail.add(f"penalty {float(penalty):.4g}", found.objective, found.n_edges):
            return


def largest_penalty(covariance: ArrayLike) -> float:
    """The smallest penalty that leaves no edge: the largest covariance of two columns, in size.

    Examples
    --------
    >>> largest_penalty([[1.0, -0.6], [-0.6, 1.0]])
    0.6
    """
    matrix = np.abs(np.asarray(covariance, dtype=np.float64))
    return float(np.max(matrix, where=~np.eye(len(matrix), dtype=bool), initial=0.0))


def from_correlation(found: Glasso, scale: ArrayLike) -> Glasso:
    """Map a solution on the scale of correlations back to the units of the data.

    The precision matrix is divided, the covariance multiplied by the columns' standard deviations
    `scale`. Gap and violation do not change; the objective is told in the data's units, as log det
    Theta is.

    Examples
    --------
    >>> R = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> from_correlation(glasso(R, 0.1), [1.0, 10.0]).covariance
    array([[  1.1,   4. ],
           [  4. , 110. ]])
    """
    sd = np.asarray(scale, dtype=np.float64)
    outer = np.outer(sd, sd)
    return found._replace(
        precision=_frozen(found.precision / outer),
        covariance=_frozen(found.covariance * outer),
        objective=found.objective - 2.0 * float(np.log(sd).sum()),
    )


class _Part(NamedTuple):
    """A block, its solution, and how far that can be from the maximum."""

    piece: Piece
    solved: Solved
    gap: float


@dataclass(frozen=True)
class _Work:
    """How to solve a problem: what is good enough, and who is told."""

    tolerance: float
    max_sweeps: int
    threads: int
    trail: Trail

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < np.inf or self.max_sweeps < 1 or self.threads < 1:
            raise FitError(
                "Tolerance, sweeps and threads have to be positive, but "
                f"{self.tolerance}, {self.max_sweeps} and {self.threads} came."
            )

    def solve(self, problem: Problem, start: Glasso | None) -> Glasso:
        size = len(problem.moments)
        if start is not None and start.precision.shape != (size, size):
            raise FitError(
                f"The start has {len(start.precision)} variables, but the covariance {size}."
            )
        labels = components(problem.moments, problem.table())
        alone, blocks = _blocks(labels)
        if self.threads == 1 or len(blocks) == 1:
            parts = [self.block(problem, members, start) for members in blocks]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(lambda members: self.block(problem, members, start), blocks))
        return _assembled(problem, alone, parts)

    def block(self, problem: Problem, members: Indices, start: Glasso | None) -> _Part:
        """Solve one component."""
        piece = problem.piece(members)
        if not piece.penalties.any():
            solved = judged(piece.moments, piece.penalties, _inverted(piece))
        else:
            solved = solve_block(
                piece.moments,
                piece.penalties,
                *_begin(piece, start),
                tolerance=self.tolerance,
                max_sweeps=self.max_sweeps,
                tell=self._tell,
            )
        if solved is None:
            raise _no_maximum(piece)
        return _Part(piece, solved, solved.gap(piece.moments, piece.penalties))

    def _tell(self, sweeps: int, moved: float) -> bool:
        return self.trail.tick(f"sweep {sweeps}", moved, 0)


def _blocks(labels: Indices) -> tuple[Indices, list[Indices]]:
    """Variables alone in their component, and the members of the other components."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    groups = np.split(order, cuts)
    alone = [group for group in groups if len(group) == 1]
    found = np.concatenate(alone) if alone else np.empty(0, dtype=np.int64)
    return found, [group for group in groups if len(group) > 1]


def _check_definite(problem: Problem) -> None:
    """Refuse a covariance that is indefinite, beyond rounding, inside a block that is solved."""
    root = 1.0 / np.sqrt(problem.moments.diagonal())
    for members in _blocks(components(problem.moments, problem.table()))[1]:
        block = gather(problem.moments, members, root[members], root[members])
        np.fill_diagonal(block, 1.0 + _INDEFINITE)
        if definite(block):
            continue
        np.fill_diagonal(block, 1.0)
        least = float(np.linalg.eigvalsh(block)[0])
        raise FitError(
            "The covariance is indefinite: among {columns} the smallest eigenvalue of the correlations "
            f"is {least:.3g}. Pairwise moments need a repair first.",
            members.tolist(),
        )


def _inverted(piece: Piece) -> Array | None:
    found = inverse(piece.moments)
    singular = found is None or found.matrix.diagonal().max() > 1e12
    return None if found is None or singular else found.matrix


def _no_maximum(piece: Piece) -> FitError:
    what = "no penalty" if not piece.penalties.any() else "entries without penalty"
    return FitError(
        "There is no maximum: the covariance of {columns} is singular (fewer rows than columns, or a "
        f"column that follows from others) and meets {what}; give a larger penalty.",
        piece.members.tolist(),
    )


def _begin(piece: Piece, start: Glasso | None) -> tuple[Array, Array]:
    """W and slopes to begin with: W has a unit diagonal, is positive definite and inside the box.

    Only then do sweeps keep it positive definite. Between S, which is in the middle of the box, and any
    positive definite V all matrices but S are positive definite; so the nearest to V inside the box is.
    """
    size = len(piece.members)
    if start is not None:
        over = 1.0 / piece.scale
        covariance = gather(start.covariance, piece.members, over, over)
        own = -1.0 / (start.precision.diagonal()[piece.members] * piece.scale)
        slopes = gather(start.precision, piece.members, own, piece.scale)
        slopes[np.isinf(piece.penalties)] = 0.0
        np.fill_diagonal(slopes, 0.0)
        return _boxed(piece, covariance), slopes
    slopes = np.zeros((size, size))
    if piece.penalties.diagonal().min() > 0:
        covariance = piece.moments.copy()
        np.fill_diagonal(covariance, 1.0)
        return covariance, slopes
    return _boxed(piece, _completed(piece)), slopes


def _boxed(piece: Piece, target: Array) -> Array:
    """Go from S towards a positive definite matrix as far as the box |W - S| <= P allows."""
    target -= piece.moments
    apart = np.abs(target)
    ratio = np.divide(piece.penalties, apart, out=np.full_like(apart, np.inf), where=apart > 0)
    np.fill_diagonal(ratio, np.inf)
    target *= min(1.0, float(ratio.min()))
    target += piece.moments
    np.fill_diagonal(target, 1.0)
    return target


def _completed(piece: Piece) -> Array:
    """A positive definite matrix that agrees with S where there is no penalty."""
    free = piece.penalties == 0
    np.fill_diagonal(free, False)
    if not free.any():
        return np.eye(len(free))
    found = completion(piece.moments, free)
    if found is None:
        raise _no_maximum(piece)
    return found


def _assembled(problem: Problem, alone: Indices, parts: list[_Part]) -> Glasso:
    """Put the blocks back into one matrix."""
    size = len(problem.moments)
    precision, covariance = np.zeros((size, size)), np.zeros((size, size))
    own = problem.moments.diagonal()[alone] + problem.diagonal[alone]
    precision[alone, alone], covariance[alone, alone] = 1.0 / own, own
    objective = -float(np.log(own).sum()) - len(own)
    for piece, solved, _ in parts:
        scatter(solved.precision, piece.members, 1.0 / piece.scale, precision)
        scatter(solved.covariance, piece.members, piece.scale, covariance)
        objective += solved.objective - 2.0 * float(np.log(piece.scale).sum())
    return Glasso(
        _frozen(precision),
        _frozen(covariance),
        sum(part.gap for part in parts),
        max((part.solved.violation for part in parts), default=0.0),
        objective,
        max((part.solved.sweeps for part in parts), default=0),
    )


def _frozen(matrix: Array) -> Array:
    matrix.setflags(write=False)
    return matrix
