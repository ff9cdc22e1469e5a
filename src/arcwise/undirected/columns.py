"""One block of the graphical lasso: sweeps over its columns, then Newton's method if need be.

Sweeps gain about a digit each on sparse problems. Where they are slow (strong correlations, small
penalties) but have settled which entries are zero, Newton's method on the others finishes; where that
shows a zero to be wrong, the sweeps go on from its answer. Either way the answer is judged as it
stands: by the conditions for a maximum and by the duality gap, with W the true inverse of Theta.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.glasso import (
    Certificate,
    Mismatch,
    Sweeps,
    certify,
    descend,
    mismatch,
    moves_for,
    precision,
)
from arcwise.undirected.newton import finish, inverse, log_determinant

Array = NDArray[np.float64]
Tell = Callable[[int, float], bool]

LEAST = 1e-3
"""Breaches of conditions are told relative to the penalty, or to this where the penalty is smaller
(in units of the two standard deviations)."""

# Sweeps between two looks at how it goes, and how many more are as dear as Newton's method.
_CHUNK, _PATIENCE = 6, 50
# In blocks of more columns six sweeps may take seconds: the watcher is asked after so many.
_WIDE, _FEW = 200, 2
# What sweeps leave of Theta may be indefinite where it is badly conditioned.
_SHARES = (1.0, 0.999, 0.99, 0.9, 0.5)
# Bounds may be loose: so many answers that look settled before an exact one is made.
_TRIES = 3
# How much smaller moves have to get where an answer is not good enough yet.
_CLOSER = 0.25
# The largest |Theta W - I| at which W may stand for the inverse of Theta.
_APART = 1e-2
# Moves of W below this are rounding.
_ROUNDING = 1e-15


class Solved(NamedTuple):
    """Theta and W of one block, log det Theta, what judges them, and the sweeps it took.

    `apart` tells how far W is from Theta^-1, where it is not just that.
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
        """The largest breach of a condition for the maximum, relative to the penalty."""
        return self.certificate.violation

    def gap(self, moments: Array, penalties: Array) -> float:
        """How much the objective can be below its maximum, at most.

        The dual's value at W~ = W + E inside the box is -log det W~ - p. Theta W~ = I + F has the real
        eigenvalues 1 + f, and where x = |F| < 1/2, log det(I + F) >= tr F - x^2.
        """
        judge, apart = self.certificate, self.apart
        size = judge.longest * judge.outside + (apart.size if apart else 0.0)
        slack = judge.slack + (apart.trace if apart else 0.0)
        rest = judge.trace + judge.norm - len(self.precision)
        if size < 0.1:
            return max(rest - slack + size**2, 0.0)
        boxed = np.clip(self.covariance, moments - penalties, moments + penalties)
        found = inverse(boxed)
        return np.inf if found is None else max(rest - found.logdet - self.logdet, 0.0)


def solve_block(
    moments: Array,
    penalties: Array,
    covariance: Array,
    slopes: Array,
    *,
    tolerance: float,
    max_sweeps: int,
    exact: bool = True,
    tell: Tell | None = None,
) -> Solved | None:
    """Solve one block, from a positive definite W and slopes that are both changed in place.

    Parameters
    ----------
    moments, penalties : scaled, so that W has a unit diagonal.
    covariance, slopes : where to start.
    tolerance : the largest breach of a condition, relative to the penalty, that is good enough.
    max_sweeps : how many sweeps are done at most.
    exact : whether the covariance handed back is the inverse of the precision matrix to rounding;
        else it may be the sweeps' own, which saves the inversion, and its error counts as a breach.
    tell : called now and then with the sweeps done and the last one's largest move; True to stop.

    Returns
    -------
    The best found, good enough or not; None where no positive definite Theta was found.
    """
    goal = (
        (8.0 if exact else 2.0) * tolerance * _scale(penalties)
    )  # bounds are larger than breaches
    best: Solved | None = None
    sweeps, last, next_finish, tries = 0, np.inf, 0, 0
    moves = moves_for(len(moments))
    while True:
        chunk = min(_CHUNK, max_sweeps - sweeps)
        went, end = _sweep(moments, penalties, covariance, slopes, goal, chunk, moves, tell)
        sweeps += went.done
        settled = went.moved <= goal
        tries += settled
        slow = (
            went.changed == 0 and sweeps >= next_finish and _remaining(went, last, goal) > _PATIENCE
        )
        slow = slow or (settled and tries > (1 if exact else _TRIES))
        end = end or (tell is not None and tell(sweeps, went.moved)) or sweeps >= max_sweeps
        last = went.moved
        if not (settled or slow or end):
            continue
        theta = precision(covariance, slopes)
        near = None if exact else _bounded(moments, penalties, theta, covariance)
        if near is not None and near.violation <= tolerance:
            return near._replace(sweeps=sweeps)
        found = _damped(moments, penalties, theta) if exact or slow or end else None
        if found is not None and found.violation > tolerance and slow and not end:
            stop = partial(tell, sweeps, went.moved) if tell is not None else None
            newer = _finished(moments, penalties, found, tolerance, stop)
            next_finish = 2 * sweeps
            if newer is not None and newer.violation > tolerance:
                _restart(newer, covariance, slopes)
                moves = moves_for(len(moments))
            found = _better(found, newer)
        best = _better(best, found)
        if end or (best is not None and best.violation <= tolerance):
            return best and best._replace(sweeps=sweeps)
        if settled:
            goal *= _CLOSER
            if goal < _ROUNDING:
                return best and best._replace(sweeps=sweeps)


def _sweep(
    moments: Array,
    penalties: Array,
    covariance: Array,
    slopes: Array,
    goal: float,
    chunk: int,
    moves: Array,
    tell: Tell | None,
) -> tuple[Sweeps, bool]:
    """Some sweeps, and whether the watcher, asked between those of a wide block, wants an end."""
    step = _FEW if tell is not None and len(moments) > _WIDE else chunk
    done, changed, moved = 0, 0, np.inf
    while True:
        most = min(step, chunk - done)
        went = descend(moments, penalties, covariance, slopes, goal, most, moves, moved)
        moved = went.moved
        done, changed = done + went.done, changed + went.changed
        total = Sweeps(done, moved, changed)
        if done >= chunk or moved <= goal:
            return total, False
        if tell is not None and tell(done, moved):
            return total, True


def _remaining(went: Sweeps, last: float, goal: float) -> float:
    """How many more sweeps it takes until moves are as small as the goal, at the present pace."""
    if not 0 < went.moved < last < np.inf:
        return 0.0 if last == np.inf else np.inf
    pace = np.log(last / went.moved) / went.done
    return float(np.log(went.moved / goal) / pace)


def judged(moments: Array, penalties: Array, theta: Array | None) -> Solved | None:
    """Invert Theta and look how well the conditions hold; None where it is not positive definite."""
    found = None if theta is None else inverse(theta)
    if theta is None or found is None:
        return None
    certificate = certify(moments, penalties, found.matrix, theta, LEAST)
    return Solved(theta, found.matrix, found.logdet, certificate)


def _bounded(
    moments: Array, penalties: Array, theta: Array | None, covariance: Array
) -> Solved | None:
    """Judge Theta by a W that is nearly its inverse; None where it is not near enough for that."""
    if theta is None:
        return None
    logdet, apart = log_determinant(theta), mismatch(theta, covariance)
    if logdet is None or not apart.size < _APART:
        return None
    certificate = certify(moments, penalties, covariance, theta, LEAST, apart)
    return Solved(theta, covariance, logdet, certificate, apart=apart)


def _damped(moments: Array, penalties: Array, theta: Array | None) -> Solved | None:
    """Judge Theta, its entries beside the diagonal shrunk until it is positive definite."""
    if theta is None:
        return None
    for share in _SHARES:
        shrunk = theta if share == 1.0 else theta * share
        np.fill_diagonal(shrunk, theta.diagonal())
        found = judged(moments, penalties, shrunk)
        if found is not None:
            return found
    return None


def _scale(penalties: Array) -> float:
    """The smallest penalty that counts."""
    least = float(np.min(penalties, where=penalties > 0, initial=np.inf))
    return max(least, LEAST) if np.isfinite(least) else LEAST


def _finished(
    moments: Array,
    penalties: Array,
    found: Solved,
    tolerance: float,
    stop: Callable[[], bool] | None,
) -> Solved | None:
    """Go on by Newton's method on the nonzero places; None where that does not work."""
    places = (found.precision != 0) | (penalties == 0)
    np.fill_diagonal(places, True)
    target = 0.1 * tolerance * _scale(penalties)
    theta = finish(moments, penalties, found.precision, places, target, stop=stop)
    return judged(moments, penalties, theta)


def _restart(found: Solved, covariance: Array, slopes: Array) -> None:
    """Set W and slopes to sweep on from a precision matrix."""
    own = 1.0 / np.sqrt(found.covariance.diagonal())
    np.multiply(found.covariance, own[:, None], out=covariance)
    covariance *= own
    np.multiply(found.precision, -1.0 / found.precision.diagonal()[:, None], out=slopes)
    np.fill_diagonal(slopes, 0.0)


def _better(one: Solved | None, two: Solved | None) -> Solved | None:
    """The one whose conditions hold better."""
    if one is None or two is None:
        return two if one is None else one
    return one if one.violation <= two.violation else two
