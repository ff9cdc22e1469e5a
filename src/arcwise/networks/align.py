"""Conversion of tables to the variables and the coding of a network."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table, Variable
from arcwise.data.variable import cut_codes, numbers_of, sentence_list
from arcwise.errors import DataError, close_to
from arcwise.networks.nets import Net
from arcwise.notes import Note, NoteKind
from arcwise.values import written


def align(net: Net, table: Table, unread: Collection[str] = ()) -> Table:
    """Return a table with the variables and the coding of a network.

    Numbers with few values, which a table may have as levels, become numbers again if the
    network has a continuous variable; levels get the codes of the network. A variable that
    the table does not have becomes a column of missing values; columns that the network does not have are
    dropped. Notes report both.

    Parameters
    ----------
    net : the network.
    table : the rows.
    unread : variables that become missing in all rows, such as a target.

    Returns
    -------
    A table with exactly the network's variables, and the rows and weights of the given one.

    Raises
    ------
    DataError : no column in common, text or infinity if numbers are needed, an unknown level.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.graphs import DAG
    >>> from arcwise.networks import BayesNet
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> net = BayesNet((Variable("x"),), DAG.empty(["x"]), (model,))
    >>> rows = Table((Variable("x"), Variable("y")), (np.ones(2), np.ones(2)))
    >>> align(net, rows).notes
    (<Note: The network has no variable 'y': ignored.>,)
    """
    shared_names = set(table.names).difference(unread)
    shared = shared_names.intersection(net.names)
    if not shared.union(unread):
        raise DataError(
            "The table must share a column with the network: it has "
            f"{sentence_list(table.names)}, the network {sentence_list(net.names)}."
        )
    columns = tuple(
        _encode_column(variable, table)
        if variable.name in shared_names
        else np.full(table.rows, variable.gap, variable.dtype)
        for variable in net.variables
    )
    order = [*(name for name in table.order if name in shared), *_names_without(net.names, shared)]
    aligned = Table(net.variables, columns, table.weights, tuple(order), table.notes)
    return aligned.with_notes(*_notes(net, table, unread))


def _notes(net: Net, table: Table, unread: Collection[str]) -> list[Note]:
    extra = _names_without(table.order, net.names)
    absent = _names_without(net.names, {*table.names, *unread})
    notes = []
    if extra:
        word = "variable" + "s" * (len(extra) != 1)
        text = f"The network has no {word} {sentence_list(extra)}: ignored."
        notes.append(Note(NoteKind.ROWS, text, tuple(extra)))
    if absent:
        word = "column" + "s" * (len(absent) != 1)
        text = f"The table has no {word} {sentence_list(absent)}: missing in every row."
        notes.append(Note(NoteKind.ROWS, text, tuple(absent)))
    return notes


def _names_without(names: Sequence[str], others: Collection[str]) -> list[str]:
    left_out = set(others)
    return [name for name in names if name not in left_out]


def _encode_column(variable: Variable, table: Table) -> NDArray[Any]:
    """Return a column of the table in the coding of the network's variable."""
    source, column = table.variable(variable.name), table.column(variable.name)
    if variable.levels is None:
        return _finite(variable.name, numbers_of(source, column))
    if source.levels == variable.levels:
        return column
    if variable.cuts is not None and (source.levels is None or source.numeric):
        return cut_codes(variable, numbers_of(source, column))
    return _looked_up(variable, source, column)


def _finite(name: str, column: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = np.flatnonzero(np.isinf(column))
    if len(wrong):
        raise DataError(
            f"{name!r} must be finite, got infinity in row {wrong[0] + 1}: leave the cell empty "
            "if the value is missing."
        )
    return column


def _looked_up(variable: Variable, source: Variable, column: NDArray[Any]) -> NDArray[Any]:
    """Code the values, each distinct one looked up once among the network's levels."""
    levels = variable.levels or ()
    codes: dict[object, int] = {level: code for code, level in enumerate(levels)}
    distinct, places = np.unique(column, return_inverse=True)
    values = [_value(source, raw) for raw in distinct.tolist()]
    codes |= {value: codes[text] for value in values if (text := written(value)) in codes}
    fresh = [value for value in values if value is not None and value not in codes]
    if fresh and variable.coding is None:
        raise DataError(
            f"{variable.name!r} has the value {fresh[0]!r}, which is not in the training data. "
            + close_to(fresh[0], map(str, levels))
        )
    if fresh and variable.coding is not None:
        coded = variable.coding.of_values(variable.name, fresh).tolist()
        codes |= dict(zip(fresh, coded, strict=True))
    codes[None] = len(levels)
    table = np.array([codes[value] for value in values], dtype=variable.dtype)
    return table[places] if len(values) else table


def _value(variable: Variable, raw: float) -> object:
    """Return the value behind a stored number; None for a missing value."""
    if variable.levels is None:
        return None if np.isnan(raw) else raw
    return [*variable.levels, None][int(raw)]
