"""Discrete networks as tables: the value that readers of network files give and writers take, and its draft.

A ``DiscreteNet`` has one table per variable, p(child given parents), with one axis for each parent
and the child's levels last::

    tables[i][code of the first parent, code of the second, ..., code of the child]

Variables are sorted by name and parents by column number, whatever order the file has, so equal
networks from files in different formats are equal arrays. Rows of a table sum to one: published
files round their numbers, so a row that misses one by at most 1e-4 is divided by its sum, and one
that misses it by more is an error. Rows within 1e-12 of one are kept as they are, which makes
reading what was written exact to the last bit.

A reader declares variables and families in a ``Draft`` as it meets them, in any order, calls ``decide`` once
all are known, which checks everything that does not need the numbers, and only then turns text into
numbers. So it knows how many numbers to expect, and neither a cut file nor one with a line of a
hundred megabytes costs more than that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.data.memory import size_words
from arcwise.errors import ArcwiseError, DataError, FileError
from arcwise.graphs import DAG
from arcwise.io.scanner import error_at
from arcwise.notes import Note

Numbers = NDArray[np.float64]

TOLERANCE = 1e-4
"""How far the sum of a row may be from one in a file."""
IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")
EXACT = 1e-12
"""Rows that are so near to one are left alone: dividing again would change their last bits."""
MOST_NUMBERS = 2**27
"""A gigabyte: only a slip or an attack needs more, as a default row does for forty parents."""
MOST_VARIABLES, MOST_LEVELS = 10**6, 4 * 10**6


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
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if list(self.names) != sorted(self.names):
            raise DataError("The variables of a discrete network must be sorted by name.")
        for variable in self.variables:
            if not variable.levels:
                raise DataError(f"{variable.name!r} must have at least one level, got none.")
        if self.graph.parents != tuple(map(tuple, self.parents)):
            raise DataError("The parents of a variable must be ascending column numbers.")
        if len(self.tables) != len(self.variables):
            raise DataError(f"{len(self.variables)} variables must have as many tables.")
        object.__setattr__(self, "tables", tuple(map(self._check_table, range(len(self.tables)))))

    def _check_table(self, child: int) -> Numbers:
        above = [self.variables[parent] for parent in self.parents[child]]
        return normalise(self.variables[child], above, self.tables[child])

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


def normalise(variable: Variable, parents: Sequence[Variable], table: Any) -> Numbers:
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

    >>> normalise(Variable("x", ("a", "b")), (), [0.5, 0.6])
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: The probabilities of 'x' must sum to 1, got 1.1.
    """
    shape = tuple(len(parent.levels or ()) for parent in (*parents, variable))
    numbers = np.array(table, dtype=np.float64, order="C")
    if numbers.shape != shape:
        raise DataError(
            f"The table of {variable.name!r} must have shape {shape} (levels of the parents, "
            f"then its own), got {numbers.shape}."
        )
    # Sums of negative or infinite numbers may look right, so numbers are looked at first.
    wrong = ~np.isfinite(numbers) | (numbers < 0.0)
    if wrong.any():
        cell = np.argwhere(wrong)[0]
        where = _row_name(variable, parents, cell[:-1])
        raise DataError(
            f"The probabilities of {where} must be from 0 to 1, got {numbers[tuple(cell)]:g}."
        )
    sums = numbers.sum(axis=-1, keepdims=True)
    off = np.abs(sums - 1.0)
    far = off > TOLERANCE + EXACT
    if far.any():
        cell = np.argwhere(far)[0]
        where = _row_name(variable, parents, cell[:-1])
        raise DataError(f"The probabilities of {where} must sum to 1, got {sums[tuple(cell)]:.6g}.")
    np.divide(numbers, sums, out=numbers, where=off > EXACT)
    numbers.flags.writeable = False
    return numbers


def _row_name(variable: Variable, parents: Sequence[Variable], codes: NDArray[np.intp]) -> str:
    """Name a row of a table."""
    pairs = zip(parents, codes, strict=True)
    parents_text = ", ".join(
        f"{parent.name} = {(parent.levels or ())[code]!r}" for parent, code in pairs
    )
    return f"{variable.name!r} given {parents_text}" if parents_text else repr(variable.name)


def level_texts(net: DiscreteNet) -> tuple[tuple[str, ...], ...]:
    """Return the levels of all variables as text, for files.

    Raises
    ------
    FileError : two levels of a variable are the same text, such as 1 and "1".
    """
    texts = tuple(tuple(map(str, variable.levels or ())) for variable in net.variables)
    for variable, levels in zip(net.variables, texts, strict=True):
        if len(set(levels)) != len(levels):
            raise FileError(
                f"variable {variable.name!r} has levels that are equal as text: rename one"
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
    counts: Counter[str] = Counter(fit)
    words = []
    for text in texts:
        stem = re.sub("[^A-Za-z0-9_]", "_", text)
        stem = word = stem if IDENTIFIER.fullmatch(stem) else f"x{stem}"
        while text not in fit and (counts[word] or word in reserved):
            counts[stem] += 1
            word = f"{stem}_{max(counts[stem], 2)}"
        counts[word] += text not in fit
        words.append(word)
    return tuple(words)


# -- a network while its file is read -----------------------------------------------------------


def numbers(words: Sequence[str], line_of: Callable[[int], int]) -> Numbers:
    """Turn words into numbers, or say in which line one is not a number.

    >>> numbers(["0.5", "1e-3"], lambda place: 1)
    array([0.5  , 0.001])
    """
    try:
        if "_" not in "".join(words):  # Python reads 1_000, other programs do not
            return np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        pass
    position = next(position for position, word in enumerate(words) if not _is_number(word))
    raise error_at(line_of(position), f"expected a number, got {words[position]!r}")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


class Draft:
    """What a reader has found of a network so far.

    Parameters
    ----------
    format_name : how messages call the format.

    >>> draft = Draft("BIF")
    >>> draft.declare("a", ("yes", "no"), line=1)
    >>> draft.define("a", (), line=2)
    >>> draft.settle()
    >>> draft.net({"a": draft.flat("a", "0.25 0.75")}).tables
    (array([0.25, 0.75]),)
    """

    def __init__(self, format_name: str) -> None:
        self.format_name = format_name
        self.levels: dict[str, tuple[str, ...]] = {}
        self.parents: dict[str, tuple[str, ...]] = {}
        self.lines: dict[str, int] = {}
        self._count = 0

    def declare(self, name: str, levels: Sequence[str], line: int) -> None:
        """Add a variable."""
        if not name:
            raise error_at(line, "a variable has no name")
        if name in self.levels:
            raise error_at(line, f"variable {name!r} is declared a second time")
        self._count += len(levels)
        if len(self.levels) == MOST_VARIABLES or self._count > MOST_LEVELS:
            most = f"{MOST_VARIABLES} variables or {MOST_LEVELS} states"
            raise error_at(line, f"there must be at most {most}")
        if not levels:
            raise error_at(line, f"variable {name!r} has no states")
        if len(set(levels)) != len(levels):
            twice = Counter(levels).most_common(1)[0][0]
            raise error_at(line, f"variable {name!r} has the state {twice!r} twice")
        self.levels[name] = tuple(levels)

    def define(self, child: str, parents: Sequence[str], line: int) -> None:
        """Add a family: a child that has probabilities, and its parents in the order of the file."""
        if child in self.parents:
            raise error_at(line, f"there is a second table for {child!r}")
        self.parents[child] = tuple(parents)
        self.lines[child] = line

    def reverse_parents(self) -> None:
        """Turn the order of all parents, for files whose first parent's level changes fastest."""
        self.parents = {child: parents[::-1] for child, parents in self.parents.items()}

    def settle(self) -> None:
        """Check that variables and families fit together, are free of cycles and not too large."""
        if not self.levels:
            raise FileError(f"it has no variables, so it is not a {self.format_name} network")
        for name in self.levels:
            if name not in self.parents:
                raise FileError(f"variable {name!r} has no probabilities; the file may be cut off")
        for child, parents in self.parents.items():
            self._check_family(child, parents)
        arcs = [(parent, child) for child, parents in self.parents.items() for parent in parents]
        try:
            DAG.from_arcs(arcs, sorted(self.levels))
        except ArcwiseError as error:
            raise FileError(str(error).rstrip(".")) from None
        size = sum(prod(self.shape(child)) for child in self.levels)
        if size > MOST_NUMBERS:
            raise FileError(
                f"its tables must have at most {MOST_NUMBERS:.3g} numbers, got {size:.3g} "
                f"({size_words(8.0 * size)})"
            )

    def _check_family(self, child: str, parents: tuple[str, ...]) -> None:
        for name in (child, *parents):
            if name not in self.levels:
                message = f"the table of {child!r} names {name!r}, which is not a variable"
                raise error_at(self.lines[child], message)
        if len(set(parents)) != len(parents):
            raise error_at(self.lines[child], f"the table of {child!r} names a parent twice")

    def shape(self, child: str) -> tuple[int, ...]:
        """Return the numbers of levels of the parents, in the order of the file, and of the child."""
        return tuple(len(self.levels[name]) for name in (*self.parents[child], child))

    def flat(self, child: str, text: str) -> Numbers:
        """Read a table that is a plain list of numbers, the child's level changing fastest."""
        size = prod(self.shape(child))
        return self.fill_table(child, text.split(None, size)[: size + 1])

    def fill_table(self, child: str, words: Sequence[str]) -> Numbers:
        """Turn the words of such a list into a table; there must be as many as cells."""
        size, line = prod(self.shape(child)), self.lines[child]
        if len(words) != size:
            got = f"got {len(words)}" if len(words) < size else "there are more"
            raise error_at(line, f"the table of {child!r} needs {size} numbers, {got}")
        return numbers(words, lambda position: line).reshape(self.shape(child))

    def net(
        self,
        tables: Mapping[str, Numbers],
        called: Mapping[str, Sequence[str]] | None = None,
        notes: tuple[Note, ...] = (),
    ) -> DiscreteNet:
        """Finish: put variables and parents in order, check the rows of all tables.

        Parameters
        ----------
        tables : for each child its table, axes in the order of the file, the child's last.
        called : true name and levels of variables whose name the format cannot hold.
        notes : remarks on how the file was read.
        """
        names = {name: (name, *levels) for name, levels in self.levels.items()}
        names.update({name: tuple(texts) for name, texts in (called or {}).items()})
        variables = {name: Variable(texts[0], texts[1:]) for name, texts in names.items()}
        order = sorted(self.levels, key=lambda name: names[name][0])
        columns = {name: column for column, name in enumerate(order)}
        try:
            return DiscreteNet(
                tuple(variables[name] for name in order),
                tuple(tuple(sorted(columns[p] for p in self.parents[name])) for name in order),
                tuple(self._arrange(name, tables[name], variables, columns) for name in order),
                notes,
            )
        except FileError:
            raise
        except ArcwiseError as error:
            raise FileError(str(error).rstrip(".")) from None

    def _arrange(
        self,
        child: str,
        table: Numbers,
        variables: Mapping[str, Variable],
        columns: Mapping[str, int],
    ) -> Numbers:
        """Return a table with its parents' axes in the order of their columns."""
        parents = self.parents[child]
        axes = sorted(range(len(parents)), key=lambda axis: columns[parents[axis]])
        above = [variables[parents[axis]] for axis in axes]
        try:
            return normalise(variables[child], above, table.transpose([*axes, len(axes)]))
        except ArcwiseError as error:
            message = str(error).rstrip(".")
            raise error_at(self.lines[child], message[0].lower() + message[1:]) from None
