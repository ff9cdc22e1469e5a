"""Scores, one file a kind. `SCORES` is the register: word to what a score of that word needs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.conditionals import Fits
from arcwise.data import Table, folds, held_out_part
from arcwise.errors import WordError
from arcwise.scores.base import Cached, Score, Sum, delta, total
from arcwise.scores.bge import bge
from arcwise.scores.crossval import held_out, kfold, leave_one_out
from arcwise.scores.graph_priors import ArcProbabilities, FairParents
from arcwise.scores.marginal import bdeu, bds, k2, qnml
from arcwise.scores.penalized import (
    Charges,
    aic,
    aic_charges,
    bic,
    bic_charges,
    ebic,
    ebic_charges,
    loglik,
    no_charges,
)
from arcwise.scores.priors import ArcPenalty, ExpertPrior

__all__ = [
    "HELD_OUT",
    "SCORES",
    "ArcPenalty",
    "ArcProbabilities",
    "Cached",
    "Charges",
    "Entry",
    "ExpertPrior",
    "FairParents",
    "Score",
    "Sum",
    "aic",
    "bdeu",
    "bds",
    "bge",
    "bic",
    "delta",
    "ebic",
    "held_out",
    "k2",
    "kfold",
    "leave_one_out",
    "loglik",
    "qnml",
    "total",
]


@dataclass(frozen=True)
class Entry:
    """A registered score: how to bind it to fits, and which parts of the rows it is given.

    `parts` is "none", "one" (a single part to hold out) or "all" (folds that cover the rows). `charges` is
    for scores that are a largest log-likelihood minus charges, which any distribution has: a function of the
    numbers of rows and columns, and of the score's options.
    """

    bind: Callable[..., Score]
    parts: str = "none"
    charges: Callable[..., Charges] | None = None

    def tie(self, fits: Fits, rng: np.random.Generator, **options: Any) -> Score:
        """Bind the score to fits, with the parts of the rows that it holds out.

        Parameters
        ----------
        fits : a family tied to the data.
        rng : random generator of the parts.
        options : of the score, with `folds` where it takes all parts in turn, and `fraction`, the share of
            rows, where it holds out one.

        Raises
        ------
        FitError : rows are needed, and there are only means and covariances.
        WordError : a fraction that is none.
        """
        if self.parts == "none":
            return self.bind(fits, **options)
        data = fits.statistics.rows(
            "A score of rows that are held out needs", "take bic, or read the file as a table"
        )
        if self.parts == "all":
            dealt = folds(data, int(options.pop("folds", 10)), rng)
            return self.bind(fits, dealt.rows, _other(dealt.table, data), **options)
        fraction = float(options.pop("fraction", 1 / 3))
        if not 0 < fraction < 1:
            raise WordError(
                f"fraction is the share of rows held out, between 0 and 1, not {fraction}."
            )
        table, (part,) = held_out_part(data, fraction, rng)
        weight = float(len(part)) if table.weights is None else float(table.weights[part].sum())
        return self.bind(fits, part, weight, _other(table, data), **options)


def _other(dealt: Table, data: Table) -> Table | None:
    """The table whose rows were dealt, where it is not the data's own."""
    return None if dealt is data else dealt


SCORES: dict[str, Entry] = {
    "loglik": Entry(loglik, charges=no_charges),
    "aic": Entry(aic, charges=aic_charges),
    "bic": Entry(bic, charges=bic_charges),
    "ebic": Entry(ebic, charges=ebic_charges),
    "bge": Entry(bge),
    "bdeu": Entry(bdeu),
    "k2": Entry(k2),
    "bds": Entry(bds),
    "qnml": Entry(qnml),
    "loo": Entry(leave_one_out),
    "kfold": Entry(kfold, parts="all"),
    "heldout": Entry(held_out, parts="one"),
}

HELD_OUT = frozenset({"loo", "kfold", "heldout"})
"""Scores of rows that are left out."""
