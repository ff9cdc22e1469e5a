"""Checks that a local model read from a file is one of its variable and of its parents.

Kernels trust shapes and codes, so nothing from a file reaches them before these checks.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, DiscreteConditional
from arcwise.conditionals.clg import ConditionalGaussianModel
from arcwise.conditionals.parzen.model import ParzenConditional
from arcwise.data import Variable
from arcwise.data.variable import code_type
from arcwise.networks import Fixed


def model_fits(model: Conditional, variable: Variable, parents: Sequence[Variable]) -> bool:
    """Return whether shapes, levels and rows of a local model are those of its variables.

    >>> table = DiscreteConditional(np.array([0.5, 0.5]))
    >>> model_fits(table, Variable("a", ("x", "y")), ()), model_fits(table, Variable("a"), ())
    (True, False)
    """
    if isinstance(model, DiscreteConditional):
        return model.table.shape == tuple(_n_levels(each) for each in (*parents, variable))
    if isinstance(model, ConditionalGaussianModel):
        levels = tuple(_n_levels(each) for each in parents if each.discrete)
        kinds = tuple(each.discrete for each in parents)
        return (
            not variable.discrete and model.discrete == kinds and model.intercepts.shape == levels
        )
    if isinstance(model, ParzenConditional):
        columns = [*zip(parents, model.inputs, strict=True), (variable, model.output)]
        return model.levels == _n_levels(variable) and all(is_column(*each) for each in columns)
    if isinstance(model, Fixed):
        codes = range(max(_n_levels(variable), 1))
        return isfinite(model.value) and (not variable.discrete or model.value in codes)
    return True


def is_column(variable: Variable, column: NDArray[Any]) -> bool:
    """Return whether an array holds values of a variable, none missing."""
    if column.ndim != 1:
        return False
    if variable.levels is None:
        return column.dtype == np.float64 and bool(np.isfinite(column).all())
    return column.dtype.kind == "u" and bool((column < len(variable.levels)).all())


def answers(model: Conditional, variable: Variable, parents: Sequence[Variable]) -> bool:
    """Return whether a local model gives a density at every level of each variable, others at their first."""
    if not model_fits(model, variable, parents):
        return False
    size = 2 + sum(_n_levels(each) for each in (variable, *parents))
    columns, row = [], 2
    for each in (variable, *parents):
        columns.append(_column(each, row, size))
        row += _n_levels(each)
    try:
        logs = np.asarray(model.logpdf(columns[0], tuple(columns[1:])))
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return False
    return logs.shape == (size,) and not bool(np.isnan(logs).any())


def _column(variable: Variable, start: int, size: int) -> NDArray[Any]:
    """Ones, or first levels; of levels each occurs once from a row on."""
    if variable.levels is None:
        return np.ones(size)
    codes = np.zeros(size, dtype=code_type(len(variable.levels)))
    codes[start : start + len(variable.levels)] = np.arange(len(variable.levels))
    return codes


def _n_levels(variable: Variable) -> int:
    return len(variable.levels or ())
