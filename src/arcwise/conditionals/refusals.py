"""Errors for models, parameter counts and marginal likelihoods that a family does not have."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from arcwise.data import Table, Variable
from arcwise.errors import DataError, FitError
from arcwise.notes import Fix

if TYPE_CHECKING:
    from arcwise.conditionals.base import Family

__all__ = ["check_sizes", "no_count", "no_marginal", "no_model"]

_LARGEST = 1e140  # squares, and sums of squares, stay within floating-point numbers


def no_count(family: "Family") -> NoReturn:
    """Raise an error: such models have no number of parameters."""
    raise FitError(
        f"A {family.name} model has no number of free parameters, so scores that count them (aic, bic, "
        "ebic) cannot be used: use loo or kfold."
    )


def no_model(word: str, child: Variable, parents: Sequence[Variable]) -> FitError:
    """Return the error for a model that the family does not have."""
    inputs = ", ".join(f"{parent.name!r} ({parent.kind})" for parent in parents)
    return FitError(
        f"There is no {word} model of {child.name!r} ({child.kind}) given {inputs or 'nothing'}: use "
        "another model for it, or another graph."
    )


def check_sizes(table: Table) -> None:
    """Raise an error for columns of numbers whose squares overflow or vanish."""
    for variable, column in zip(table.variables, table.columns, strict=True):
        if variable.discrete or np.isnan(column).all():
            continue
        size, spread = np.nanmax(np.abs(column)), np.nanmax(column) / 2 - np.nanmin(column) / 2
        if size > _LARGEST or 0 < spread < 1 / _LARGEST:
            raise DataError(
                f"The values of column {variable.name!r} are of the size {size:.3g} with a spread of "
                f"{2 * spread:.3g}; their squares overflow: change the unit."
            )


def no_marginal(models: Sequence[str]) -> FitError:
    """Return the error for models without a marginal likelihood of this kind."""
    return FitError(
        f"The score 'marginal' is one of neural models, and these are {', '.join(sorted(set(models)))}: take "
        "{model=}, or {score=} of gaussian and 'bdeu' of discrete models.",
        fixes=[Fix("model", "neural"), Fix("score", "bge")],
    )
