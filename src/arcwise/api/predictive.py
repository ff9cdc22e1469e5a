"""How well a network predicts held-out rows, as a report shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from arcwise.data import Table, statistics_of
from arcwise.data import folds as cut
from arcwise.data.folds import Folds
from arcwise.errors import ArcwiseError, plural
from arcwise.evaluate import Validation, validate_folds
from arcwise.learners import GraphFitter, prepare_data

if TYPE_CHECKING:
    from arcwise.api.net import Network

__all__ = ["HeldOutSummary", "PredictedVariable", "predictive"]

FOLDS = 5
MAX_CELLS = 100_000
"""Values of a table up to which parameters are fitted again for a report: a quarter of a second."""

MIN_ROWS = 50
QUICK = frozenset(("gaussian", "discrete", "clg", "glm"))
"""Local models whose parameters are fitted quickly."""


class PredictedVariable(TypedDict):
    """Errors of predictions from all other variables.

    `gain` is R2 of numbers. For levels it is the share of the errors of the most frequent level that is
    avoided.
    """

    variable: int
    gain: float
    rmse: float | None
    accuracy: float | None
    majority: float | None


class HeldOutSummary(TypedDict):
    """Cross-validation: what was held out, the mean log density of its rows, and errors by variable."""

    text: str
    measure: str
    mean: float
    error: float
    variables: list[PredictedVariable]


def predictive(net: Network, validation: Validation | None = None) -> HeldOutSummary | None:
    """Summarise a cross-validation; without one, a quick one of the parameters of this graph.

    None if the data are not available, few or many, or if the local models are slow to fit.
    """
    relearned = validation is not None
    known = validation or _quick_validation(net)
    if known is None:
        return None
    return {
        "text": _text(known, relearned, not relearned and _has_gaps(net)),
        "measure": known.measure,
        "mean": float(f"{known.mean:.6g}"),
        "error": float(f"{known.error:.3g}"),
        "variables": _variables(net, known),
    }


def _has_gaps(net: Network) -> bool:
    return isinstance(net.data, Table) and _complete(net, net.data) < net.data.rows


def _complete(net: Network, data: Table) -> int:
    """Rows of a table without missing values: completed ones would be in several folds."""
    return int((~data.select(net.variables).missing().any(axis=1)).sum())


def _text(known: Validation, relearned: bool, gaps: bool) -> str:
    folds = len(known.edges)
    rows = plural(known.rows, "complete row" if gaps else "row")
    if relearned:
        return (
            f"{folds}-fold cross-validation of {rows}; the graph was learned again for each fold."
        )
    return (
        f"{folds}-fold cross-validation of {rows}. The graph is the one learned from all rows; only its "
        "parameters were fitted again for each fold, so these figures are a little optimistic."
    )


def _variables(net: Network, known: Validation) -> list[PredictedVariable]:
    names = set(net.variables)
    rows: list[PredictedVariable] = [
        {
            "variable": net.net.index(name),
            "gain": round(float(known.gains[i]), 4),
            "rmse": _number(known.rmse[i]),
            "accuracy": _number(known.accuracy[i]),
            "majority": _number(known.majority[i]),
        }
        for i, name in enumerate(known.names)
        if name in names and np.isfinite(known.gains[i])
    ]
    return sorted(rows, key=lambda row: -row["gain"])


def _number(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None


def _quick_validation(net: Network) -> Validation | None:
    """Cross-validate the parameters of the graph, where that is quick."""
    data, spec = net.data, net.specification
    if not isinstance(data, Table) or spec is None or not set(net.net.models) <= QUICK:
        return None
    if not MIN_ROWS <= _complete(net, data) <= MAX_CELLS / max(len(net.variables), 1):
        return None
    try:
        whole = data.select(net.variables).complete()
        spec, ready = prepare_data(spec.but(search="auto"), statistics_of(whole))
        rows = ready.rows("Cross-validation needs")
        dealt = Folds(*cut(rows, FOLDS, np.random.default_rng(0)))
        return validate_folds(dealt, GraphFitter(spec, net.graph))
    except ArcwiseError:  # such as a level that a fold lacks
        return None
