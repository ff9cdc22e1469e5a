"""One block of the graphical lasso: sweeps over its columns, then Newton's method if needed.

Sweeps gain about a digit each on sparse problems. If they are slow (strong correlations, small
penalties) but the zero entries are fixed, Newton's method on the others finishes; if that shows a
zero to be wrong, the sweeps continue from its solution. In both cases the solution is checked by the
conditions for a maximum and by the duality gap, with W the true inverse of Theta.

The start W of sweeps must be positive definite, with a unit diagonal, and inside the box |W - S| <= P: then
they keep it positive definite. On a path the last two solutions extrapolate to a better start, which may
violate this.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.glasso_loops import (
    Certificate,
    Mismatch,
    Sweeps,
    box,
    certify,
    descend,
    extrapolate,
    gather,
    mismatch,
    moves_for,
    precision,
)
from arcwise.errors import FitError
from arcwise.undirected.fixed_graph import completion
from arcwise.undirected.lasso_problem import Piece
from arcwise.undirected.newton import finish, inverse, log_determinant

Array = NDArray[np.float64]

# On a path, steps this much longer than the one before are not extrapolated.
_FARTHEST = 3.0


class Start(NamedTuple):
    """The latest solution, the covariance of the one before, and the length of the extrapolation."""

    precision: Array
    covariance: Array
    earlier: Array | None = None
    share: float = 0.0

    def extrapolate(self, piece: Piece) -> tuple[Array, Array]:
        """Return W and slopes extrapolated from the last two solutions; W may not be positive definite."""
        if self.earlier is None:
            return self.latest(piece)
        over, pair = 1.0 / piece.scale, (self.covariance, self.earlier)
        guess = extrapolate(piece.moments, piece.penalties, *pair, piece.members, over, self.share)
        return guess, self._slopes(piece)

    def latest(self, piece: Piece) -> tuple[Array, Array]:
        """Return W and slopes of the latest solution."""
        over = 1.0 / piece.scale
        w = gather(self.covariance, piece.members, over, over)
        box(piece.moments, piece.penalties, w)
        return w, self._slopes(piece)

    def _slopes(self, piece: Piece) -> Array:
        """Return the scaled regressions of each variable on the others."""
        diagonal = -1.0 / (self.precision.diagonal()[piece.members] * piece.scale)
        slopes = gather(self.precision, piece.members, diagonal, piece.scale)
        if not piece.even:
            slopes[np.isinf(piece.penalties)] = 0.0
        np.fill_diagonal(slopes, 0.0)
        return slopes


def share_of(penalties: Sequence[float]) -> float:
    """Return the step to the third of three penalties relative to the step before; 0 if there is none.

    Examples
    --------
    >>> share_of([0.4, 0.2, 0.1]), share_of([0.4, 0.2]), share_of([0.2, 0.1, 0.2])
    (0.5, 0.0, 0.0)
    """
    if len(penalties) < 3 or penalties[0] == penalties[1]:
        return 0.0
    share = (penalties[2] - penalties[1]) / (penalties[1] - penalties[0])
    return float(share) if 0.0 < share <= _FARTHEST else 0.0


def begin(piece: Piece, start: Start | None) -> tuple[Array, Array]:
    """Return starts of W and slopes, with W positive definite.

    Raises
    ------
    FitError : entries without penalty, if no such W is available.
    """
    if start is not None:
        return start.latest(piece)
    slopes = np.zeros_like(piece.moments)
    if piece.penalties.diagonal().min() > 0:
        covariance = piece.moments.copy()
        np.fill_diagonal(covariance, 1.0)
        return covariance, slopes
    covariance = _complete_matrix(piece)
    box(piece.moments, piece.penalties, covariance)
    return covariance, slopes


def no_maximum(piece: Piece) -> FitError:
    """Return the message if entries without penalty meet a singular covariance."""
    what = "no penalty" if not piece.penalties.any() else "entries without penalty"
    return FitError(
        "The likelihood has no maximum: the covariance of {columns} is singular (fewer rows "
        f"than columns, or a column determined by others) and has {what}: use a larger penalty.",
        piece.members.tolist(),
    )


def _complete_matrix(piece: Piece) -> Array:
    """Return a positive definite matrix that agrees with S where there is no penalty."""
    free = piece.penalties == 0
    np.fill_diagonal(free, False)
    if not free.any():
        return np.eye(len(free))
    w = completion(piece.moments, free)
    if w is None:
        raise no_maximum(piece)
    return w


Tell = Callable[[int, float], bool]

LEAST = 1e-3
"""Violations of conditions are relative to the penalty, or to this if the penalty is smaller (in units
of the two standard deviations).
"""

# Sweeps between two checks, and the number of further ones with the cost of Newton's method.
_CHUNK, _PATIENCE = 6, 50
# In blocks of more columns six sweeps may take seconds: the callback is called after this many.
_WIDE, _FEW = 200, 2
# Theta after sweeps may be indefinite if it is badly conditioned.
_SHARES = (1.0, 0.999, 0.99, 0.9, 0.5)
# Bounds may be loose: number of apparently converged solutions before an exact check.
_TRIES = 3
# Factor by which moves must decrease if a solution is not accurate enough.
_CLOSER = 0.25
# The largest |Theta W - I| at which W may represent the inverse of Theta.
_APART = 1e-2
# Moves of W below this are rounding.
_ROUNDING = 1e-15


class BlockSolution(NamedTuple):
    """Theta and W of one block, log det Theta, their accuracy, and the number of sweeps.

    `apart` is the distance of W from Theta^-1, if not zero.
    """

    precision: Array
    covariance: Array
    logdet: float
    certificate: Certificate
    sweeps: int = 0
    apart: Mismatch | None = None

    @property
    def objective(self) -> float:
        """The penalised log-likelihood, to be maximised."""
        return self.logdet - self.certificate.trace - self.certificate.norm

    @property
    def violation(self) -> float:
        """The largest violation of a condition for the maximum, relative to the penalty."""
        return self.certificate.violation

    def gap(self, piece: Piece) -> float:
        """Return a bound on the distance of the objective from its maximum.

        The dual's value at W~ = W + E inside the box is -log det W~ - p. Theta W~ = I + F has the real
        eigenvalues 1 + f, and where x = |F| < 1/2, log det(I + F) >= tr F - x^2.
        """
        judge, apart = self.certificate, self.apart
        size = judge.longest * judge.outside + (apart.size if apart else 0.0)
        slack = judge.slack + (apart.trace if apart else 0.0)
        rest = judge.trace + judge.norm - len(self.precision)
        if size < 0.1:
            return max(rest - slack + size**2, 0.0)
        low, high = piece.moments - piece.penalties, piece.moments + piece.penalties
        boxed = np.clip(self.covariance, low, high)
        inverted = inverse(boxed)
        return np.inf if inverted is None else max(rest - inverted.logdet - self.logdet, 0.0)


@dataclass(eq=False)
class LassoBlock:
    """One block, to be solved from a positive definite W and slopes that are both changed in place.

    Parameters
    ----------
    piece : moments and penalties, scaled, so that W has a unit diagonal.
    covariance, slopes : the start.
    tolerance : the largest accepted violation of a condition, relative to the penalty.
    exact : whether the returned covariance is the inverse of the precision matrix to rounding;
        else it may be the sweeps' own, which saves the inversion, and its error counts as a violation.
    tell : called regularly with the sweeps done and the last one's largest move; True to stop.
    """

    piece: Piece
    covariance: Array
    slopes: Array
    tolerance: float
    exact: bool
    tell: Tell

    def solve(self, max_sweeps: int) -> BlockSolution | None:
        """Return the best solution of this many sweeps, accurate or not; None if no Theta is positive
        definite.
        """
        # Bounds are larger than violations.
        goal = (8.0 if self.exact else 2.0) * self.tolerance * self._scale
        best: BlockSolution | None = None
        sweeps, last, next_finish, tries = 0, np.inf, 0, 0
        moves = moves_for(len(self.slopes))
        while True:
            went, end = self._sweep(goal, min(_CHUNK, max_sweeps - sweeps), moves)
            sweeps += went.done
            is_done = went.moved <= goal
            tries += is_done
            far = sweeps >= next_finish and _remaining_sweeps(went, last, goal) > _PATIENCE
            slow = (went.changed == 0 and far) or (
                is_done and tries > (1 if self.exact else _TRIES)
            )
            end = end or self.tell(sweeps, went.moved) or sweeps >= max_sweeps
            last = went.moved
            if not (is_done or slow or end):
                continue
            theta = precision(self.covariance, self.slopes)
            near = None if self.exact else self._judge_bounded(theta)
            if near is not None and near.violation <= self.tolerance:
                return near._replace(sweeps=sweeps)
            candidate = self._judge_damped(theta) if self.exact or slow or end else None
            if candidate is not None and candidate.violation > self.tolerance and slow and not end:
                newer = self._finish_by_newton(candidate, partial(self.tell, sweeps, went.moved))
                next_finish = 2 * sweeps
                if newer is not None and newer.violation > self.tolerance:
                    self._restart(newer)
                    moves = moves_for(len(self.slopes))
                candidate = _better(candidate, newer)
            best = _better(best, candidate)
            if end or (best is not None and best.violation <= self.tolerance):
                return best and best._replace(sweeps=sweeps)
            if is_done:
                goal *= _CLOSER
                if goal < _ROUNDING:
                    return best and best._replace(sweeps=sweeps)

    @property
    def _scale(self) -> float:
        """The smallest penalty that is used as a scale."""
        penalties = self.piece.penalties
        least = float(np.min(penalties, where=penalties > 0, initial=np.inf))
        return max(least, LEAST) if np.isfinite(least) else LEAST

    def _sweep(self, goal: float, chunk: int, moves: Array) -> tuple[Sweeps, bool]:
        """Run some sweeps; return them, and whether the callback, called between those of a wide block,
        stopped them.
        """
        arrays = (self.piece.moments, self.piece.penalties, self.covariance, self.slopes, goal)
        step = _FEW if len(self.slopes) > _WIDE else chunk
        total = Sweeps(0, np.inf, 0)
        while True:
            went = descend(*arrays, min(step, chunk - total.done), moves, total.moved)
            total = Sweeps(total.done + went.done, went.moved, total.changed + went.changed)
            if total.done >= chunk or total.moved <= goal:
                return total, False
            if self.tell(total.done, total.moved):
                return total, True

    def _judge_bounded(self, theta: Array | None) -> BlockSolution | None:
        """Check Theta by a W that is nearly its inverse; None if it is not near enough for that."""
        if theta is None:
            return None
        logdet, apart = log_determinant(theta), mismatch(theta, self.covariance)
        if logdet is None or not apart.size < _APART:
            return None
        arrays = (self.piece.moments, self.piece.penalties, self.covariance)
        certificate = certify(*arrays, theta, LEAST, apart)
        return BlockSolution(theta, self.covariance, logdet, certificate, apart=apart)

    def _judge_damped(self, theta: Array | None) -> BlockSolution | None:
        """Check Theta, with its off-diagonal entries shrunk until it is positive definite."""
        if theta is None:
            return None
        for share in _SHARES:
            shrunk = theta if share == 1.0 else theta * share
            np.fill_diagonal(shrunk, theta.diagonal())
            candidate = judge_solution(self.piece, shrunk)
            if candidate is not None:
                return candidate
        return None

    def _finish_by_newton(
        self, candidate: BlockSolution, stop: Callable[[], bool]
    ) -> BlockSolution | None:
        """Continue by Newton's method on the nonzero places; None if that does not work."""
        moments, penalties = self.piece.moments, self.piece.penalties
        places = (candidate.precision != 0) | (penalties == 0)
        np.fill_diagonal(places, True)
        target = 0.1 * self.tolerance * self._scale
        theta = finish(moments, penalties, candidate.precision, places, target, stop=stop)
        return judge_solution(self.piece, theta)

    def _restart(self, candidate: BlockSolution) -> None:
        """Set W and slopes from a precision matrix, to continue with sweeps."""
        root = 1.0 / np.sqrt(candidate.covariance.diagonal())
        np.multiply(candidate.covariance, root[:, None], out=self.covariance)
        self.covariance *= root
        np.multiply(
            candidate.precision, -1.0 / candidate.precision.diagonal()[:, None], out=self.slopes
        )
        np.fill_diagonal(self.slopes, 0.0)


def _remaining_sweeps(went: Sweeps, last: float, goal: float) -> float:
    """Return the number of further sweeps until moves are as small as the goal, at the present rate."""
    if not 0 < went.moved < last < np.inf:
        return 0.0 if last == np.inf else np.inf
    pace = np.log(last / went.moved) / went.done
    return float(np.log(went.moved / goal) / pace)


def judge_solution(piece: Piece, theta: Array | None) -> BlockSolution | None:
    """Invert Theta and check the conditions; None if it is not positive definite."""
    inverted = None if theta is None else inverse(theta)
    if theta is None or inverted is None:
        return None
    certificate = certify(piece.moments, piece.penalties, inverted.matrix, theta, LEAST)
    return BlockSolution(theta, inverted.matrix, inverted.logdet, certificate)


def _better(one: BlockSolution | None, two: BlockSolution | None) -> BlockSolution | None:
    """Return the solution with the smaller violation."""
    if one is None or two is None:
        return two if one is None else one
    return one if one.violation <= two.violation else two
