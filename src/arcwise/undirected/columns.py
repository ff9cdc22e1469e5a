"""One block of the graphical lasso: sweeps over its columns, then Newton's method if need be.

Sweeps gain about a digit each on sparse problems. Where they are slow (strong correlations, small
penalties) but have settled which entries are zero, Newton's method on the others finishes; where that
shows a zero to be wrong, the sweeps go on from its answer. Either way the answer is judged as it
stands: by the conditions for a maximum and by the duality gap, with W the true inverse of Theta.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.glasso import Certificate, certify, descend, precision
from arcwise.undirected.newton import finish, inverse

__all__ = ["LEAST", "Solved", "judged", "solve_block"]

Array = NDArray[np.float64]
Tell = Callable[[int, float], bool]

LEAST = 1e-3
"""Breaches of conditions are told relative to the penalty, or to this where the penalty is smaller
(in units of the two standard deviations)."""

# Sweeps between two looks at how it goes; slow is a gain of less than a factor 20 in so many.
_CHUNK, _SLOW = 4, 0.05
# What sweeps leave of Theta may be indefinite where it is badly conditioned.
_SHARES = (1.0, 0.999, 0.99, 0.9, 0.5)
# Moves of W below this are rounding.
_ROUNDING = 1e-15


class Solved(NamedTuple):
    """Theta and W of one block, log det Theta, what judges them, and the sweeps it took."""

    precision: Array
    covariance: Array
    logdet: float
    certificate: Certificate
    sweeps: int

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

        The dual's value at W~ = W + E inside the box is -log det W~ - p, and with x = |Theta| |E| < 1/2
        log det(W + E) >= log det W + tr(Theta E) - x^2.
        """
        judge = self.certificate
        size = judge.longest * judge.outside
        rest = judge.trace + judge.norm - len(self.precision)
        if size < 0.1:
            return max(rest - judge.slack + size**2, 0.0)
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
    tell: Tell | None = None,
) -> Solved | None:
    """Solve one block, from a positive definite W and slopes that are both changed in place.

    Parameters
    ----------
    moments, penalties : scaled, so that W has a unit diagonal.
    covariance, slopes : where to start.
    tolerance : the largest breach of a condition, relative to the penalty, that is good enough.
    max_sweeps : how many sweeps are done at most.
    tell : called now and then with the sweeps done and the last one's largest move; True to stop.

    Returns
    -------
    The best found, good enough or not; None where no positive definite Theta was found.
    """
    goal = 8.0 * tolerance * _scale(penalties)
    best: Solved | None = None
    sweeps, last, next_finish, settled = 0, np.inf, 0, False
    while True:
        went = descend(
            moments, penalties, covariance, slopes, goal, min(_CHUNK, max_sweeps - sweeps)
        )
        sweeps += went.done
        again, settled = settled, went.moved <= goal
        slow = went.changed == 0 and went.moved > _SLOW * last and sweeps >= next_finish
        slow = slow or (settled and again)
        end = (tell is not None and tell(sweeps, went.moved)) or sweeps >= max_sweeps
        last = went.moved
        if not (settled or slow or end):
            continue
        found = _damped(moments, penalties, precision(covariance, slopes))
        if found is not None and found.violation > tolerance and (slow or end):
            newer, next_finish = _finished(moments, penalties, found, tolerance), 2 * sweeps
            if newer is not None and newer.violation > tolerance:
                _restart(newer, covariance, slopes)
            found = _better(found, newer)
        best = _better(best, found)
        if end or (best is not None and best.violation <= tolerance):
            return best and best._replace(sweeps=sweeps)
        if settled:
            goal *= 0.1
            if goal < _ROUNDING:
                return best and best._replace(sweeps=sweeps)


def judged(moments: Array, penalties: Array, theta: Array | None) -> Solved | None:
    """Invert Theta and look how well the conditions hold; None where it is not positive definite."""
    found = None if theta is None else inverse(theta)
    if theta is None or found is None:
        return None
    certificate = certify(moments, penalties, found.matrix, theta, LEAST)
    return Solved(theta, found.matrix, found.logdet, certificate, 0)


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


def _finished(moments: Array, penalties: Array, found: Solved, tolerance: float) -> Solved | None:
    """Go on by Newton's method on the nonzero places; None where that does not work."""
    places = (found.precision != 0) | (penalties == 0)
    np.fill_diagonal(places, True)
    target = 0.1 * tolerance * _scale(penalties)
    theta = finish(moments, penalties, found.precision, places, target)
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
