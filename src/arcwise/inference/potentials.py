"""The product of tables behind a discrete network: what exact engines sum over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional
from arcwise.conditionals.discrete import DiscreteConditional
from arcwise.data.variable import sentence_list
from arcwise.distributions import Categorical
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import FitError
from arcwise.inference.engine import Answer, Found
from arcwise.inference.joint_answers import Cells
from arcwise.inference.question import Question
from arcwise.networks import BayesNet, Fixed, MarkovNet, Net, TableJoint

__all__ = [
    "Potentials",
    "codes_of",
    "exact_found",
    "impossible",
    "needs_tables",
    "potentials",
]

Array = NDArray[np.float64]


class Potentials(NamedTuple):
    """Tables whose product is the joint distribution.

    `scopes` are the variables of each table, one axis each. In a directed network each variable has the table
    of its own number, in which it stands last.
    """

    levels: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Array, ...]


def potentials(net: Net) -> Potentials | None:
    """The tables of a network; None where it has other local models."""
    if isinstance(net, MarkovNet) and isinstance(net.joint, TableJoint):
        return Potentials(net.joint.levels, net.joint.scopes, net.joint.tables)
    if not isinstance(net, BayesNet) or not all(map(_tabulated, net.conditionals)):
        return None
    if not all(variable.discrete for variable in net.variables):
        return None
    levels = tuple(len(variable.levels or ()) for variable in net.variables)
    scopes = tuple((*parents, node) for node, parents in enumerate(net.graph.parents))
    tables = map(_table, net.conditionals, levels)
    return Potentials(levels, scopes, tuple(tables))


def _tabulated(model: Conditional) -> bool:
    return isinstance(model, DiscreteConditional | Fixed)


def _table(model: Conditional, levels: int) -> Array:
    if isinstance(model, DiscreteConditional):
        return model.table
    sure = np.zeros(levels)
    sure[int(getattr(model, "value", 0))] = 1.0
    return sure


def needs_tables(method: str) -> FitError:
    """What is said to an exact method for discrete networks, asked of another one."""
    return FitError(
        f"method={method!r} needs a network whose local models are all tables of probabilities "
        "(model='discrete'): leave the method out."
    )


def codes_of(question: Question, nodes: list[int], places: NDArray[np.intp]) -> NDArray[np.int64]:
    """The levels of some variables in some rows."""
    codes = np.empty((len(places), len(nodes)), dtype=np.int64)
    for i, node in enumerate(nodes):
        codes[:, i] = question.columns[node][places]
    return codes


def impossible(question: Question, row: int) -> FitError:
    """What is said to evidence of probability zero; where one level is the reason, that it is."""
    try:
        question.check_possible()
    except FitError as error:
        return error
    where = "" if question.size == 1 or question.task == "draws" else f" of row {row + 1}"
    known = [*np.flatnonzero(~question.gaps[row]).tolist(), *question.soft]
    names = sentence_list([question.net.names[node] for node in known])
    return FitError(
        f"The evidence{where} is impossible: what is known of {names} has probability zero together."
    )


def exact_found(question: Question, singles: list[Array], table: Array | None) -> Found:
    """Answers without error from the tables of single variables, and of all together."""
    mixing, answers = Mixing.exact(question.size), []
    for node, shares in zip(question.asked, singles, strict=True):
        variable = question.net.variables[node]
        even = shares / shares.sum(axis=1, keepdims=True)
        answers.append(Answer(Categorical(even, variable.levels, variable.name), mixing))
    if table is None:
        return Found(tuple(answers))
    variables = tuple(question.net.variables[node] for node in question.asked)
    return Found(tuple(answers), Cells(variables, table / table.sum()))
