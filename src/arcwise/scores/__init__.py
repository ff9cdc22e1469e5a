"""Scores, one file per kind. `SCORES` is the registry: name to the requirements of a score."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, Literal

import numpy as np

from arcwise.conditionals import Fits
from arcwise.data import Table, folds, held_out_part
from arcwise.errors import OptionError
from arcwise.scores.crossval import held_out, kfold, leave_one_out
from arcwise.scores.embedded import degenerate_gaussian, truncated_basis
from arcwise.scores.marginal import bdeu, bds, bge, k2, marginal, qnml
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
from arcwise.scores.priors import ArcPenalty, ArcProbabilities, ExpertPrior, FairParents
from arcwise.scores.score import CachedScore, Score, Sum, delta, total

__all__ = [
    "SCORES",
    "ArcPenalty",
    "ArcProbabilities",
    "CachedScore",
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
    "degenerate_gaussian",
    "delta",
    "ebic",
    "held_out",
    "k2",
    "kfold",
    "leave_one_out",
    "loglik",
    "marginal",
    "qnml",
    "total",
    "truncated_basis",
]


Meaning = Literal["posterior", "approximate", "predictive", "penalised"]
"""Meaning of a score: a log probability of the data given a graph, an approximation of it, a held-out
likelihood, or another penalised likelihood.
"""

_PARTS: dict[str, dict[str, Any]] = {"none": {}, "all": {"folds": 10}, "one": {"fraction": 1 / 3}}


@dataclass(frozen=True)
class Entry:
    """A registered score: its binding to fits, its meaning and its requirements.

    `parts` is "none", "one" (a single part to hold out) or "all" (folds that cover the rows). `charges` is
    for penalised likelihoods, which apply to any distribution: the penalties as a function of the numbers of
    rows and columns, and of the score's options. A score with the option `gamma` subtracts gamma log p for
    each parent. Binding raises an error if the fits do not meet the requirements.
    """

    bind: Callable[..., Score]
    meaning: Meaning = "penalised"
    parts: Literal["none", "one", "all"] = "none"
    charges: Callable[..., Charges] | None = None

    @cached_property
    def part_options(self) -> dict[str, Any]:
        """Return the options that select held-out rows, with their defaults."""
        return _PARTS[self.parts]

    @property
    def log_probability(self) -> bool:
        """Whether it is a log probability of the data given a graph, or approximates one."""
        return self.meaning in ("posterior", "approximate")

    def per_parent(self, columns: int, options: Mapping[str, Any]) -> float:
        """Return the cost of a parent beyond its parameters, in nats."""
        if "gamma" not in (parameters := signature(self.bind).parameters):
            return 0.0
        return float(options.get("gamma", parameters["gamma"].default)) * math.log(columns)

    def tie(self, fits: Fits, rng: np.random.Generator, **options: Any) -> Score:
        """Bind the score to fits, with its held-out parts of the rows.

        Parameters
        ----------
        fits : a family bound to the data.
        rng : random generator of the parts.
        options : of the score, with `folds` if it holds out all parts in turn, or `fraction`, the share of
            rows, if it holds out one.

        Raises
        ------
        FitError : the score needs rows, but there are only means and covariances.
        OptionError : an invalid fraction.
        """
        if self.parts == "none":
            return self.bind(fits, **options)
        data = fits.statistics.rows(
            "A held-out score needs", "use bic, or read the file as a table"
        )
        (share,) = (options.pop(word, usual) for word, usual in self.part_options.items())
        if self.parts == "all":
            dealt = folds(data, int(share), rng)
            return self.bind(fits, dealt.rows, _other(dealt.table, data), **options)
        fraction = float(share)
        if not 0 < fraction < 1:
            raise OptionError(
                f"fraction, the share of held-out rows, must be between 0 and 1, got {fraction}."
            )
        table, (part,) = held_out_part(data, fraction, rng)
        weight = float(len(part)) if table.weights is None else float(table.weights[part].sum())
        return self.bind(fits, part, weight, _other(table, data), **options)


def _other(dealt: Table, data: Table) -> Table | None:
    """Return the table whose rows were split, if it is not that of the data."""
    return None if dealt is data else dealt


SCORES: dict[str, Entry] = {
    "loglik": Entry(loglik, charges=no_charges),
    "aic": Entry(aic, charges=aic_charges),
    "bic": Entry(bic, "approximate", charges=bic_charges),
    "ebic": Entry(ebic, charges=ebic_charges),
    "bge": Entry(bge, "posterior"),
    "bdeu": Entry(bdeu, "posterior"),
    "marginal": Entry(marginal, "posterior"),
    "k2": Entry(k2, "posterior"),
    "bds": Entry(bds, "posterior"),
    "qnml": Entry(qnml),
    "loo": Entry(leave_one_out, "predictive"),
    "kfold": Entry(kfold, "predictive", parts="all"),
    "heldout": Entry(held_out, "predictive", parts="one"),
    "degenerate-gaussian": Entry(degenerate_gaussian),
    "truncated-basis": Entry(truncated_basis),
}
