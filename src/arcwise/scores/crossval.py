"""Predictive scores: the likelihood of held-out rows.

* leave-one-out: every unit under the model fitted to all others;
* k-fold: each fold under the model fitted to the other folds;
* held-out: one part, fitted once to the rest.

A row of weight 3 is three units, of which one is held out at a time, unless the table's copies stay together.
These scores need no count of parameters, so they suit any family. They are totals over the held-out rows. If
equivalent graphs have the same fitted joint density, as Gaussian models do, their scores are equal.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.data import Table
from arcwise.scores.score import Array, ParentSets, Score

__all__ = ["HeldOutScore", "LeaveOneOut", "held_out", "kfold", "leave_one_out"]


class LeaveOneOut(Score):
    """Leave-one-out log-likelihood of the family."""

    def __init__(self, fits: Fits) -> None:
        self.fits = fits
        self.nodes, self.rows, self.equivalent = fits.nodes, fits.rows, fits.same_joint
        self.threads = fits.threads

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return leave-one-out log-likelihoods."""
        return self.fits.loo(child, sets)


class HeldOutScore(Score):
    """Log-likelihood of parts of the rows, each under the model fitted to the rows outside it."""

    def __init__(
        self,
        fits: Fits,
        parts: Sequence[NDArray[np.intp]],
        rows: float,
        table: Table | None = None,
    ) -> None:
        self.held = fits.held_out(parts) if table is None else fits.held_out(parts, table)
        self.nodes, self.rows, self.equivalent = fits.nodes, rows, fits.same_joint
        self.threads = fits.threads

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return held-out log-likelihoods."""
        return self.held.loglik(child, sets)


def leave_one_out(fits: Fits) -> Score:
    """Return the leave-one-out log-likelihood."""
    return LeaveOneOut(fits)


def kfold(fits: Fits, parts: Sequence[NDArray[np.intp]], table: Table | None = None) -> Score:
    """Return the k-fold log-likelihood; `parts` are the folds, which cover every row of `table` once."""
    return HeldOutScore(fits, parts, fits.rows, table)


def held_out(fits: Fits, part: NDArray[np.intp], rows: float, table: Table | None = None) -> Score:
    """Return the log-likelihood of one part with total weight `rows`, under models fitted to the rest
    of `table`.
    """
    return HeldOutScore(fits, (part,), rows, table)
