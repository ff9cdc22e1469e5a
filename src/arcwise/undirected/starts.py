"""Where the sweeps of the graphical lasso begin.

W has to be positive definite, with a unit diagonal, and inside the box |W - S| <= P: only then do sweeps
keep it positive definite. On a path the last two solutions point to a better start, of which that is
not certain.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.glasso_loops import ahead, box, gather
from arcwise.errors import FitError
from arcwise.undirected.chordal import completion
from arcwise.undirected.penalties import Piece

Array = NDArray[np.float64]

# Of a path, steps this much longer than the one before are not foreseen from it.
_FARTHEST = 3.0


class Start(NamedTuple):
    """The latest solution, the covariance of the one before, and how far to go on in that direction."""

    precision: Array
    covariance: Array
    earlier: Array | None = None
    share: float = 0.0

    def ahead(self, piece: Piece) -> tuple[Array, Array]:
        """W and slopes where the last two solutions point to; W may not be positive definite."""
        if self.earlier is None:
            return self.behind(piece)
        over, pair = 1.0 / piece.scale, (self.covariance, self.earlier)
        found = ahead(piece.moments, piece.penalties, *pair, piece.members, over, self.share)
        return found, self._slopes(piece)

    def behind(self, piece: Piece) -> tuple[Array, Array]:
        """W and slopes of the latest solution."""
        over = 1.0 / piece.scale
        found = gather(self.covariance, piece.members, over, over)
        box(piece.moments, piece.penalties, found)
        return found, self._slopes(piece)

    def _slopes(self, piece: Piece) -> Array:
        """Regressions of each variable on the others, scaled."""
        own = -1.0 / (self.precision.diagonal()[piece.members] * piece.scale)
        found = gather(self.precision, piece.members, own, piece.scale)
        if not piece.even:
            found[np.isinf(piece.penalties)] = 0.0
        np.fill_diagonal(found, 0.0)
        return found


def share_of(penalties: Sequence[float]) -> float:
    """Of the step between two penalties, what the step to the third one is; 0 where there is none.

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
    """W and slopes to begin with, for certain positive definite.

    Raises
    ------
    FitError : entries without penalty, where no such W is at hand.
    """
    if start is not None:
        return start.behind(piece)
    slopes = np.zeros_like(piece.moments)
    if piece.penalties.diagonal().min() > 0:
        covariance = piece.moments.copy()
        np.fill_diagonal(covariance, 1.0)
        return covariance, slopes
    covariance = _completed(piece)
    box(piece.moments, piece.penalties, covariance)
    return covariance, slopes


def no_maximum(piece: Piece) -> FitError:
    """What to say where entries without penalty meet a singular covariance."""
    what = "no penalty" if not piece.penalties.any() else "entries without penalty"
    return FitError(
        "There is no maximum: the covariance of {columns} is singular (fewer rows than columns, or a "
        f"column that follows from others) and meets {what}; give a larger penalty.",
        piece.members.tolist(),
    )


def _completed(piece: Piece) -> Array:
    """A positive definite matrix that agrees with S where there is no penalty."""
    free = piece.penalties == 0
    np.fill_diagonal(free, False)
    if not free.any():
        return np.eye(len(free))
    found = completion(piece.moments, free)
    if found is None:
        raise no_maximum(piece)
    return found
