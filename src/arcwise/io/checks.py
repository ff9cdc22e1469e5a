"""Checks of what a file holds: local models fit their variables, and go with the joint and the blankets.

Kernels trust shapes and codes, so nothing from a file reaches them before these checks.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, DiscreteConditional, GaussianConditional
from arcwise.conditionals.clg import ConditionalGaussianModel
from arcwise.conditionals.parzen.windows import ParzenConditional
from arcwise.data import Variable
from arcwise.data.variable import code_type
from arcwise.errors import FileError
from arcwise.networks import BayesNet, Fixed, MarkovNet, Net


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


def _answers(model: Conditional, variable: Variable, parents: Sequence[Variable]) -> bool:
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


def check_joint(net: MarkovNet) -> None:
    """Refuse local models that are not those of the joint distribution beside them."""
    if net.joint is None:
        return
    for node, (name, model) in enumerate(zip(net.names, net.conditionals, strict=True)):
        own = net.joint.local(node, net.inputs[node])
        if not _alike(own, model):
            raise FileError(f"the local model of {name!r} is not that of the joint distribution")


def _alike(one: Conditional, two: Conditional) -> bool:
    """Whether two regressions, or two tables, are the same but for rounding."""
    if isinstance(one, DiscreteConditional) and isinstance(two, DiscreteConditional):
        return one.table.shape == two.table.shape and np.allclose(one.table, two.table, atol=1e-12)
    if not isinstance(one, GaussianConditional) or not isinstance(two, GaussianConditional):
        return False
    first, second = ([m.intercept, m.variance, *m.coefficients] for m in (one, two))
    size = np.abs([first, second]).max(initial=1e-300)
    return bool(np.allclose(first, second, rtol=1e-9, atol=1e-12 * size))


def check_blankets(net: BayesNet) -> None:
    """Refuse blanket models of other variables, or of variables that are no blanket."""
    if net.blankets is None:
        return
    if net.blankets.variables != net.variables:
        raise FileError("its blanket models are of other variables")
    for name in net.names:
        if net.blankets.graph.neighbours_of(name) != net.graph.blanket_of(name):
            raise FileError(f"the blanket model of {name!r} has other inputs than its blanket")


def check_models(net: Net) -> None:
    """Check every local model against its variables, and query it for densities."""
    with np.errstate(all="ignore"):
        for node, conditional in enumerate(net.conditionals):
            parents = [net.variables[parent] for parent in net.inputs[node]]
            if not _answers(conditional, net.variables[node], parents):
                raise FileError(f"the local model of {net.names[node]!r} does not work")
