"""Discrete networks as tables: the value that readers of network files give and writers take.

A ``DiscreteNet`` has one table per variable, p(child given parents), with one axis for each parent
and the child's levels last::

    tables[i][code of the first parent, code of the second, ..., code of the child]

Variables are sorted by name and parents by column number, whatever order the file has, so equal
networks from files in different formats are equal arrays. Rows of a table sum to one: published
files round their numbers, so a row that misses one by at most 1e-4 is divided by its sum, and one
that misses it by more is an error. Rows within 1e-12 of one are kept as they are, which makes
reading what was written exact to the last bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.errors import DataError, FileError
from arcwise.graphs import DAG

__all__ = ["DiscreteNet", "Numbers", "identifiers", "level_texts", "normalised", "rows"]

Numbers = NDArray[np.float64]

TOLERANCE = 1e-4
"""How far the sum of a row may be from one in a file."""
IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")
EXACT = 1e-12
"""Rows that are so near to one are left alone: dividing again would change their last bits."""


@dataclass(frozen=True, eq=False)
class DiscreteNet:
    """A discrete Bayesian network: variables with levels, parents and conditional tables.

    Parameters
    ----------
    variables : sorted by name; each has levels.
    parents : for each variable the column numbers of its parents, ascending.
    tables : for each variable the probabilities of its levels (last axis) for each combination of
        its parents' levels (the axes before, in the order of ``parents``).
    notes : remarks on how a file was read.

    Raises
    ------
    DataError : a table of another shape, numbers that are negative or not finite, rows that do not
        sum to one.
    GraphError : names that are not unique, or arcs that form a cycle.

    >>> rain, wet = Variable("rain", ("yes", "no")), Variable("wet", ("yes", "no"))
    >>> net = DiscreteNet((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.05, 0.95]]))
    >>> net
    <DiscreteNet 2 variables, 1 arcs, 3 free parameters>
    >>> net.graph
    <DAG [rain][wet|rain]>
    """

    variables: tuple[Variable, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Numbers, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if list(self.names) != sorted(self.names):
            raise DataError("The variables of a discrete network must be sorted by name.")
        for variable in self.variables:
            if not variable.levels:
                raise DataError(f"{variable.name!r} has no levels, and needs at least one.")
        if self.graph.parents != tuple(map(tuple, self.parents)):
            raise DataError("The parents of a variable must be ascending column numbers.")
        if len(self.tables) != len(self.variables):
            raise DataError(f"{len(self.variables)} variables need as many tables.")
        object.__setattr__(self, "tables", tuple(map(self._checked, range(len(self.tables)))))

    def _checked(self, child: int) -> Numbers:
        above = [self.variables[parent] for parent in self.parents[child]]
        return normalised(self.variables[child], above, self.tables[child])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def graph(self) -> DAG:
        """The structure."""
        return DAG(self.names, self.parents)

    def __repr__(self) -> str:
        free = sum(table.size - table.size // table.shape[-1] for table in self.tables)
        return (
            f"<DiscreteNet {len(self.variables)} variables, {self.graph.n_arcs} arcs, "
            f"{free} free parameters>"
        )


def normalised(variable: Variable, parents: Sequence[Variable], table: Any) -> Numbers:
    """Check one conditional table and make its rows sum to one.

    Parameters
    ----------
    variable : the child.
    parents : the parents, in the order of the table's axes.
    table : the probabilities, the child's levels on the last axis.

    Returns
    -------
    A read-only array.

    Raises
    ------
    DataError : what ``DiscreteNet`` says of tables; names the child and the parents' levels.

    >>> normalised(Variable("x", ("a", "b")), (), [0.5, 0.6])
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: The probabilities of 'x' sum to 1.1, and should sum to 1.
    """
    shape = tuple(len(each.levels or ()) for each in (*parents, variable))
    numbers = np.array(table, dtype=np.float64, order="C")
    if numbers.shape != shape:
        raise DataError(
            f"The table of {variable.name!r} has the shape {numbers.shape}, and its parents' levels "
            f"and its own need {shape}."
        )
    # Sums of negative or infinite numbers may look right, so numbers are looked at first.
    wrong = ~np.isfinite(numbers) | (numbers < 0.0)
    if wrong.any():
        place = np.argwhere(wrong)[0]
        where = _given(variable, parents, place[:-1])
        raise DataError(
            f"The probabilities of {where} have the number {numbers[tuple(place)]:g}, and should "
            "be from 0 to 1."
        )
    sums = numbers.sum(axis=-1, keepdims=True)
    off = np.abs(sums - 1.0)
    far = off > TOLERANCE + EXACT
    if far.any():
        place = np.argwhere(far)[0]
        where = _given(variable, parents, place[:-1])
        raise DataError(
            f"The probabilities of {where} sum to {sums[tuple(place)]:.6g}, and should sum to 1."
        )
    np.divide(numbers, sums, out=numbers, where=off > EXACT)
    numbers.flags.writeable = False
    return numbers


def _given(variable: Variable, parents: Sequence[Variable], codes: NDArray[np.intp]) -> str:
    """Name a row of a table."""
    pairs = zip(parents, codes, strict=True)
    said = ", ".join(f"{each.name} = {(each.levels or ())[code]!r}" for each, code in pairs)
    return f"{variable.name!r} given {said}" if said else repr(variable.name)


def level_texts(net: DiscreteNet) -> tuple[tuple[str, ...], ...]:
    """Give the levels of all variables as text, for files.

    Raises
    ------
    FileError : two levels of a variable are the same text, such as 1 and "1".
    """
    texts = tuple(tuple(map(str, variable.levels or ())) for variable in net.variables)
    for variable, levels in zip(net.variables, texts, strict=True):
        if len(set(levels)) != len(levels):
            raise FileError(
                f"variable {variable.name!r} has levels that are the same as text; rename one"
            )
    return texts


def rows(net: DiscreteNet, child: int) -> list[list[float]]:
    """List the rows of a table, the last parent's level changing fastest."""
    table = net.tables[child]
    rows: list[list[float]] = table.reshape(-1, table.shape[-1]).tolist()
    return rows


def identifiers(texts: Sequence[str], reserved: Container[str] = ()) -> tuple[str, ...]:
    """Find different words of letters, digits and underscores, the nearest to the texts.

    Parameters
    ----------
    texts : different texts.
    reserved : words that may not be taken.

    Returns
    -------
    One word for each text, beginning with a letter: the text itself where it is such a word.

    >>> identifiers(["pH", "wine pH", "wine_pH", "1st", "node"], {"node"})
    ('pH', 'wine_pH_2', 'wine_pH', 'x1st', 'node_2')
    """
    fit = {text for text in texts if IDENTIFIER.fullmatch(text) and text not in reserved}
    taken: Counter[str] = Counter(fit)
    words = []
    for text in texts:
        stem = re.sub("[^A-Za-z0-9_]", "_", text)
        stem = word = stem if IDENTIFIER.fullmatch(stem) else f"x{stem}"
        while text not in fit and (taken[word] or word in reserved):
            taken[stem] += 1
            word = f"{stem}_{max(taken[stem], 2)}"
        taken[word] += text not in fit
        words.append(word)
    return tuple(words)
