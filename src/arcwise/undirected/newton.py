r"""Newton's method for a precision matrix whose nonzero places and signs are known.

On the places E of a graph (its diagonal included) and with signs z the penalised likelihood is smooth:

.. math:: f(\Theta) = -\log\det\Theta + \mathrm{tr}\,S\Theta + \sum_{ij} P_{ij} z_{ij} \theta_{ij} .

Its gradient is S - W + P z on E, its curvature D -> (W D W) on E with W = Theta^-1. Newton's equations
are solved by conjugate gradients, preconditioned by R -> (Theta R Theta) on E, which is the exact
inverse where E is everything. Convergence is quadratic whatever the conditioning, where sweeps over
columns may take thousands. The idea is that of F. Oztoprak, J. Nocedal, S. Rennie and P. A. Olsen,
"Newton-like methods for sparse inverse covariance estimation", NIPS 2012; here it only finishes what
sweeps have begun, so no sign may change on the way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.glasso_loops import curvature, mirror

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# The share of nonzero entries from which two dense products are quicker than sparse ones.
_DENSE = 0.12
# Conjugate gradients stop at this gain; Newton's next step then starts two or three digits further.
_GAIN, _MOST_GRADIENTS = 1e-3, 300
_MOST_STEPS, _HALVINGS = 60, 30
# Far from the end directions need not be exact: gradients of this size, and this many of them at most.
_FAR, _FEW_GRADIENTS = 0.05, 60
# Where there is no maximum, every step makes Theta larger by about this factor.
_DOUBLED = 1.7
# Gradients (of a matrix with unit diagonal) that no longer decrease are accepted below the first value, or if
# the expected gain of the last step is at most the second.
_ENOUGH, _FELL = 1e-8, 1e-8
# Expected gains that rounding hides in the objective, and negligible ones.
_LEVEL, _NOTHING = 1e-9, 1e-18


class Inverse(NamedTuple):
    """The inverse of a positive definite matrix, and the logarithm of that matrix's determinant."""

    matrix: Array
    logdet: float


def inverse(matrix: Array) -> Inverse | None:
    """Invert a symmetric matrix by Cholesky's factor; None if it is not positive definite.

    Examples
    --------
    >>> print(inverse(np.array([[2.0, 1.0], [1.0, 1.0]])).matrix.round(12))
    [[ 1. -1.]
     [-1.  2.]]
    """
    from scipy.linalg import lapack

    factor, failed = lapack.dpotrf(matrix.T, lower=0, clean=0)
    diagonal = factor.diagonal()
    if failed or not np.isfinite(diagonal).all():
        return None
    logdet = 2.0 * float(np.log(diagonal).sum())
    upper, failed = lapack.dpotri(factor, lower=0, overwrite_c=1)
    if failed:
        return None
    inverse_matrix: Array = upper.T  # in C order the filled triangle is the lower one
    mirror(inverse_matrix)
    return Inverse(inverse_matrix, logdet)


def log_determinant(matrix: Array) -> float | None:
    """Return the logarithm of a symmetric matrix's determinant; None if it is not positive definite.

    Examples
    --------
    >>> log_determinant(np.eye(3)), log_determinant(np.array([[1.0, 2.0], [2.0, 1.0]]))
    (0.0, None)
    """
    from scipy.linalg import lapack

    factor, failed = lapack.dpotrf(matrix.T, lower=0, clean=0)
    diagonal = factor.diagonal()
    return (
        None if failed or not np.isfinite(diagonal).all() else 2.0 * float(np.log(diagonal).sum())
    )


@dataclass(frozen=True)
class _Places:
    """The pairs first <= second in which Theta may differ from zero, and their multiplicities."""

    size: int
    first: Indices
    second: Indices
    weights: Array

    @classmethod
    def of(cls, places: NDArray[np.bool_]) -> "_Places":
        first, second = np.nonzero(np.triu(places))
        return cls(len(places), first, second, np.where(first == second, 1.0, 2.0))

    def take(self, matrix: Array) -> Array:
        return matrix[self.first, self.second]

    def spread(self, values: Array) -> Array:
        matrix = np.zeros((self.size, self.size))
        matrix[self.first, self.second] = values
        matrix[self.second, self.first] = values
        return matrix

    def sandwich(self, matrix: Array, values: Array) -> Array:
        """M D M on the places, D having the given values there."""
        if len(values) < 0.5 * _DENSE * self.size**2:
            return curvature(matrix, self.first, self.second, values)
        return self.take(matrix @ self.spread(values) @ matrix)


def finish(
    moments: Array,
    penalties: Array,
    start: Array,
    places: NDArray[np.bool_],
    tolerance: float,
    *,
    enough: float = 0.0,
    doublings: int = _MOST_STEPS,
    stop: Callable[[], bool] | None = None,
) -> Array | None:
    """Maximise the likelihood over given places, signs unchanged.

    Parameters
    ----------
    moments, penalties : S and P, scaled so that W has a unit diagonal.
    start : a positive definite matrix that is zero outside the places.
    places : True if Theta may differ from zero; symmetric, the diagonal included.
    tolerance : the gradient that is small enough, entry by entry.
    enough : as good is a point from where f falls by no more than this, to second order.
    doublings : where Theta has been doubled more often than this, one time after the other, there is no
        maximum.
    stop : called regularly; True ends the work.

    Returns
    -------
    Theta, as near to the maximum as rounding allows; None if a penalised entry wants to change its
    sign, or where no progress can be made.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> print(finish(S, np.zeros((2, 2)), np.eye(2), np.ones((2, 2), bool), 1e-12).round(4))
    [[ 1.3333 -0.6667]
     [-0.6667  1.3333]]
    """
    descent = _Descent(moments, penalties, _Places.of(places), start, stop)
    return descent.run(tolerance, enough, doublings)


def complete_by_newton(
    moments: Array, absent: NDArray[np.bool_], tolerance: float
) -> Inverse | None:
    r"""Maximise the likelihood on a nearly complete graph: Newton's method for the few free entries of W.

    W agrees with S on all edges, so only its entries at absent pairs are to be found: those of
    the largest determinant (Dempster 1972), where the inverse of W is zero. With few such pairs a step costs
    little more than inverting W, where going by the many entries of Theta takes minutes.

    Parameters
    ----------
    moments : S, with a unit diagonal.
    absent : True for pairs without an edge; symmetric.
    tolerance : the partial correlation of absent pairs that is small enough.

    Returns
    -------
    W's inverse Theta, zero at absent pairs, with the logarithm of W's determinant; None if S is not
    positive definite.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> print(complete_by_newton(S, apart, 1e-12).matrix.round(4) + 0.0)
    [[ 1.3333 -0.6667  0.    ]
     [-0.6667  1.6667 -0.6667]
     [ 0.     -0.6667  1.3333]]
    """
    places, w, current = _Places.of(absent), moments, inverse(moments)
    before = np.inf
    for _ in range(_MOST_STEPS):
        if current is None:
            return None
        theta, gradient = current.matrix, places.take(current.matrix)
        root = np.sqrt(theta.diagonal())
        size = float(np.abs(gradient / root[places.first] / root[places.second]).max(initial=0.0))
        if size <= tolerance or (
            size < _ENOUGH and size > 0.5 * before
        ):  # rounding: no more to gain
            break
        before, w, current = size, *_take_step(places, w, current, gradient, size)
    if current is not None:
        current.matrix[absent] = 0.0
    return current


def _take_step(
    places: _Places, w: Array, current: Inverse, gradient: Array, size: float
) -> tuple[Array, Inverse | None]:
    """Return Newton's next W, or part of the way to it, and its inverse."""
    direction = _conjugate_gradients(
        lambda values: places.sandwich(current.matrix, values),
        lambda values: places.sandwich(w, values),
        gradient,
        places.weights,
        _FEW_GRADIENTS if size > _FAR else _MOST_GRADIENTS,
        lambda: False,
    )
    slope, step = float(np.sum(places.weights * gradient * direction)), 1.0
    for _ in range(_HALVINGS):
        ahead = w + step * places.spread(direction)
        new = inverse(ahead)
        if new is not None and (
            new.logdet >= current.logdet + 1e-4 * step * slope or slope < _LEVEL
        ):
            return ahead, new
        step *= 0.5
    return w, None


class _Descent:
    """The state of Newton's method: the values on the places, and W."""

    def __init__(
        self,
        moments: Array,
        penalties: Array,
        places: _Places,
        start: Array,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self.places = places
        self.values = places.take(start)
        penalty = places.take(penalties)
        self.signed = penalty > 0
        self.linear = places.take(moments) + penalty * np.sign(self.values)
        self.matrix, self.inverse = start, inverse(start)
        self.stop = stop or (lambda: False)

    def run(self, tolerance: float, enough: float, doublings: int) -> Array | None:
        least, best, fall, doubled = np.inf, None, np.inf, 0
        for _ in range(_MOST_STEPS):
            if self.inverse is None:
                break
            gradient = self.linear - self.places.take(self.inverse.matrix)
            size = float(np.abs(gradient).max())
            if size <= tolerance:
                return self.matrix
            if size > 0.5 * least and fall < _NOTHING:  # rounding: nothing more to gain
                break
            if size < least:
                least, best = size, self.matrix
            largest = self.matrix.diagonal().max()
            step = self._step(gradient, self.inverse, size)
            if step is None or self.stop():
                break
            fall = step
            if 0.5 * fall <= enough:
                return self.matrix
            doubled = doubled + 1 if self.matrix.diagonal().max() > _DOUBLED * largest else 0
            if doubled > doublings:
                return None
        return best if least < _ENOUGH or fall < _FELL else None

    def _step(self, gradient: Array, current: Inverse, size: float) -> float | None:
        """Go to Newton's next point, or part of the way if the objective requires it.

        Near the end objectives differ by rounding only, and the full step is taken. Returns twice the
        expected gain of a full step; None if no step is possible.
        """
        direction = self._direction(gradient, current, size)
        slope = float(np.sum(self.places.weights * gradient * direction))
        before = self._objective(self.values, current)
        step = 1.0
        for _ in range(_HALVINGS if slope < 0 else 0):
            values = self.values + step * direction
            matrix = self.places.spread(values)
            new = inverse(matrix)
            after = self._objective(values, new)
            if after <= before + 1e-4 * step * slope or (-slope < _LEVEL and after < np.inf):
                keeps_signs = not np.any(self.signed & (values * self.values <= 0))
                self.values, self.matrix, self.inverse = values, matrix, new
                return -slope if keeps_signs else None
            step *= 0.5
        return None

    def _objective(self, values: Array, current: Inverse | None) -> float:
        if current is None:
            return np.inf
        return float(np.sum(self.places.weights * self.linear * values)) - current.logdet

    def _direction(self, gradient: Array, current: Inverse, size: float) -> Array:
        return _conjugate_gradients(
            lambda values: self.places.sandwich(current.matrix, values),
            lambda values: self.places.sandwich(self.matrix, values),
            -gradient,
            self.places.weights,
            _FEW_GRADIENTS if size > _FAR else _MOST_GRADIENTS,
            self.stop,
        )


def _conjugate_gradients(
    curve: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    right: Array,
    weights: Array,
    most: int,
    stop: Callable[[], bool],
) -> Array:
    """Solve curve(x) = right, in the inner product with the given weights."""
    solution, residual = np.zeros_like(right), right
    ahead = direction = precondition(residual)
    product = first = float(np.sum(weights * residual * ahead))
    for _ in range(most):
        curved = curve(direction)
        bend = float(np.sum(weights * direction * curved))
        if not (bend > 0 and product > 0):
            break
        solution = solution + product / bend * direction
        residual = residual - product / bend * curved
        ahead = precondition(residual)
        product, before = float(np.sum(weights * residual * ahead)), product
        if product <= _GAIN**2 * first or stop():
            break
        direction = ahead + product / before * direction
    return solution
