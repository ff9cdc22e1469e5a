"""Checks of the content of files: local models fit their variables, the joint and the blankets.

Kernels trust shapes and codes, so nothing from a file reaches them before these checks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, linear_of, table_of
from arcwise.data import Variable
from arcwise.data.variable import code_type
from arcwise.errors import FileError
from arcwise.networks import BayesNet, MarkovNet, Net


def _answers(model: Conditional, variable: Variable, parents: Sequence[Variable]) -> bool:
    """Return whether a local model gives a density at every level of each variable, others at their first."""
    matches = getattr(model, "matches", None)
    if matches is not None and not matches(variable, parents):
        return False
    size = 2 + sum(_n_levels(column_variable) for column_variable in (variable, *parents))
    columns, row = [], 2
    for column_variable in (variable, *parents):
        columns.append(_column(column_variable, row, size))
        row += _n_levels(column_variable)
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
    """Raise an error for local models that are not those of the joint distribution."""
    if net.joint is None:
        return
    for node, (name, model) in enumerate(zip(net.names, net.conditionals, strict=True)):
        local = net.joint.local(node, net.inputs[node])
        if not _are_alike(local, model, _n_levels(net.variables[node])):
            raise FileError(f"the local model of {name!r} is not that of the joint distribution")


def _are_alike(one: Conditional, two: Conditional, levels: int) -> bool:
    """Return whether two regressions, or two tables, are the same but for rounding."""
    table, other = table_of(one, levels), table_of(two, levels)
    if table is not None and other is not None:
        return table.shape == other.shape and np.allclose(table, other, atol=1e-12)
    lines = linear_of(one), linear_of(two)
    if lines[0] is None or lines[1] is None:
        return False
    first, second = ([line.intercept, line.variance, *line.coefficients] for line in lines if line)
    size = np.abs([first, second]).max(initial=1e-300)
    return bool(np.allclose(first, second, rtol=1e-9, atol=1e-12 * size))


def check_blankets(net: BayesNet) -> None:
    """Reject blanket models of other variables, or of variables that are no blanket."""
    if net.blankets is None:
        return
    if net.blankets.variables != net.variables:
        raise FileError("its blanket models are of other variables")
    for name in net.names:
        if net.blankets.graph.neighbours_of(name) != net.graph.blanket_of(name):
            raise FileError(f"the blanket model of {name!r} must have its blanket as inputs")


def check_models(net: Net) -> None:
    """Check every local model against its variables, and query it for densities."""
    with np.errstate(all="ignore"):
        for node, conditional in enumerate(net.conditionals):
            parents = [net.variables[parent] for parent in net.inputs[node]]
            if not _answers(conditional, net.variables[node], parents):
                raise FileError(f"the local model of {net.names[node]!r} does not work")
