"""Scores, one file a kind. `SCORES` is the register: word to what a score of that word needs."""

from collections.abc import Callable
from dataclasses import dataclass

from arcwise.scores.base import Cached, Score, Sum, delta, total
from arcwise.scores.bge import bge
from arcwise.scores.crossval import held_out, kfold, leave_one_out
from arcwise.scores.penalized import aic, bic, ebic, loglik
from arcwise.scores.priors import ArcPenalty, ExpertPrior

__all__ = [
    "SCORES",
    "ArcPenalty",
    "Cached",
    "Entry",
    "ExpertPrior",
    "Score",
    "Sum",
    "aic",
    "bge",
    "bic",
    "delta",
    "ebic",
    "held_out",
    "kfold",
    "leave_one_out",
    "loglik",
    "total",
]


@dataclass(frozen=True)
class Entry:
    """A registered score: how to bind it to fits, and which parts of the rows it is given.

    `parts` is "none", "one" (a single part to hold out) or "all" (folds that cover the rows).
    """

    bind: Callable[..., Score]
    parts: str = "none"


SCORES: dict[str, Entry] = {
    "loglik": Entry(loglik),
    "aic": Entry(aic),
    "bic": Entry(bic),
    "ebic": Entry(ebic),
    "bge": Entry(bge),
    "loo": Entry(leave_one_out),
    "kfold": Entry(kfold, parts="all"),
    "heldout": Entry(held_out, parts="one"),
}
