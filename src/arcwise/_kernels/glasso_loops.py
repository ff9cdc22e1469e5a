"""The graphical lasso's loops: sweeps over columns, conditions, curvature, and components.

For a moment matrix S (p, p) and penalties P (p, p; infinite if an entry of Theta is held at 0),

    maximise  log det Theta - sum_ij S_ij theta_ij - sum_ij P_ij |theta_ij|.

W represents Theta^-1, and row j of the slopes B for the regression of variable j on the others, that
is -theta_jk / theta_jj. All matrices are C-contiguous float64, scaled so that W has a unit diagonal:
tolerances are absolute.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Sweeps(NamedTuple):
    """How many sweeps were done, the last one's largest move in W, and how many signs changed."""

    done: int
    moved: float
    changed: int


class Certificate(NamedTuple):
    """Accuracy of a solution; E is the change of W that moves it into the box |W - S| <= P.

    `violation` is the largest violation of a condition relative to the penalty, `trace` tr(S Theta),
    `norm` the sum of P |theta|, `slack` tr(Theta E), `outside` the Frobenius norm of E, `longest` the
    largest absolute row sum of Theta, `edges` the number of nonzero pairs.
    """

    violation: float
    trace: float
    norm: float
    slack: float
    outside: float
    longest: float
    edges: int


def descend(
    moments: Array,
    penalties: Array,
    covariance: Array,
    slopes: Array,
    tolerance: float,
    sweeps: int,
    moves: Array | None = None,
    moved: float = np.inf,
) -> Sweeps:
    """Sweep over the columns until no entry of W moves by more than `tolerance`.

    `covariance` W and `slopes` B are changed in place; W has to be positive definite. A sweep takes
    O(p x nonzeros of B), and a lasso on the nonzeros of each row. Columns that can have changed by no
    more than the tolerance since they were solved are skipped. `moves`, from `moves_for`, and `moved`, of
    the call before, tell this one of it: sweeps may be done in as many calls as one likes.
    """
    passed = moves_for(len(moments)) if moves is None else moves
    state = moments, penalties, covariance, slopes, passed
    return Sweeps(*_native.glasso_descend(*state, tolerance, sweeps, moved))


def moves_for(size: int) -> Array:
    """Return the moves of the rows of W in the last sweep (2, p): not known, and none skipped."""
    return np.vstack([np.full(size, np.inf), np.zeros(size)])


def neighbours(
    moments: Array, penalties: Array, slopes: Array, tolerance: float, least: float
) -> float:
    """Solve the lasso of each variable on all others: row j of `slopes`, from its present values.

    O(p x nonzeros) and a lasso on the nonzeros of each row. Returns the largest violation of a condition for
    a minimum relative to max(P, `least`).
    """
    return float(_native.glasso_neighbours(moments, penalties, slopes, tolerance, least))


def precision(covariance: Array, slopes: Array) -> Array | None:
    """Theta (p, p) from W and the slopes, made symmetric; None if its diagonal is not positive."""
    theta = np.empty_like(covariance)
    return theta if _native.glasso_precision(covariance, slopes, theta) else None


def certify(
    moments: Array,
    penalties: Array,
    covariance: Array,
    precision: Array,
    least: float,
    apart: "Mismatch | None" = None,
) -> Certificate:
    """Return the accuracy of Theta and W = Theta^-1 in O(p^2); violations are relative to max(P, `least`).

    Where W is Theta^-1 but nearly, `apart` has how far: the violation is then what it is at most.
    """
    nothing = np.zeros(len(moments))
    length, off = (nothing, nothing) if apart is None else (apart.length, apart.bound)
    values = _native.glasso_certify(moments, penalties, covariance, precision, least, length, off)
    return Certificate(*values)


class Mismatch(NamedTuple):
    """How far W is from Theta^-1: of E = Theta W - I the trace and the lengths of columns.

    `length` has those of the rows of W.
    """

    trace: float
    length: Array
    off: Array

    @property
    def size(self) -> float:
        """The Frobenius norm of E."""
        return float(np.sqrt(np.sum(self.off**2)))

    @property
    def bound(self) -> Array:
        """Return a bound on entry (i, j) of Theta^-1 - W = -Theta^-1 E, over the length of row i.

        Rows of Theta^-1 = W - Theta^-1 E are no longer than those of W over 1 - |E|.
        """
        return self.off / (1.0 - self.size)


def mismatch(precision: Array, covariance: Array) -> Mismatch:
    """Compare W with Theta^-1 without inverting, in O(p x nonzeros of Theta)."""
    length, off = np.empty(len(precision)), np.empty(len(precision))
    trace = _native.glasso_mismatch(precision, covariance, length, off)
    return Mismatch(trace, length, off)


def curvature(matrix: Array, first: Indices, second: Indices, values: Array) -> Array:
    """M D M on the pairs first <= second (m,) of a symmetric D: O(m p), p^2 numbers of memory."""
    out = np.empty(len(values))
    _native.glasso_curvature(matrix, first, second, values, out)
    return out


def components(moments: Array, penalties: Array) -> Indices:
    """Return the label (p,) of each variable's component in the graph |S_ij| > P_ij: its smallest member.

    `penalties` is (p, p), or (1, 1) where all are the same. O(p^2).
    """
    labels = np.empty(len(moments), dtype=np.int64)
    _native.glasso_components(moments, penalties, labels)
    return labels


def gather(matrix: Array, members: Indices, left: Array, right: Array) -> Array:
    """Cut out some rows and columns, row a times left[a] and column b times right[b]."""
    block = np.empty((len(members), len(members)))
    _native.glasso_gather(matrix, members, left, right, block)
    return block


def scatter(block: Array, members: Indices, factor: Array, matrix: Array) -> None:
    """Put a block to its rows and columns of a matrix, entry (a, b) times factor[a] factor[b]."""
    _native.glasso_scatter(block, members, factor, matrix)


def box(moments: Array, penalties: Array, covariance: Array) -> None:
    """Move `covariance` V, in place, towards S as far as the box |V - S| <= P asks; unit diagonal.

    Between S and a positive definite V all matrices but S are positive definite, so V stays that.
    """
    _native.glasso_box(moments, penalties, covariance)


def extrapolate(
    moments: Array,
    penalties: Array,
    latest: Array,
    earlier: Array,
    members: Indices,
    factor: Array,
    share: float,
) -> Array:
    """Members of V + share (V - U), entry (a, b) times factor[a] factor[b], cut to the box |W - S| <= P.

    V is the `latest` covariance, U an `earlier` one; the diagonal becomes 1.
    """
    out = np.empty_like(moments)
    _native.glasso_ahead(moments, penalties, latest, earlier, members, factor, share, out)
    return out


def mirror(matrix: Array) -> None:
    """Copy the lower triangle to the upper one, in place."""
    _native.glasso_mirror(matrix)
