"""A discrete network while its file is read: what was declared, and the checks all formats share.

A reader declares variables and families as it meets them, in any order, calls ``settle`` once all
are known, which checks everything that does not need the numbers, and only then turns text into
numbers. So it knows how many numbers to expect, and neither a cut file nor one with a line of a
hundred megabytes costs more than that.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np

from arcwise.data import Variable
from arcwise.data.memory import size_words
from arcwise.errors import ArcwiseError, FileError
from arcwise.graphs import DAG
from arcwise.io.tables import DiscreteNet, Numbers, normalised

MOST_NUMBERS = 2**27
"""A gigabyte: only a slip or an attack needs more, as a default row does for forty parents."""
MOST_VARIABLES, MOST_LEVELS = 10**6, 4 * 10**6
SHOWN = 400
"""Longer messages are cut: a name in a damaged file may be of any length."""


def at(line: int, what: str) -> FileError:
    """Make the error for a line of a file.

    >>> at(3, "expected '{'")
    FileError("line 3: expected '{'")
    """
    return FileError(f"line {line}: {what if len(what) <= SHOWN else what[:SHOWN] + ' ...'}")


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
    place = next(place for place, word in enumerate(words) if not _is_number(word))
    raise at(line_of(place), f"expected a number, got {words[place]!r}")


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
            raise at(line, "a variable has no name")
        if name in self.levels:
            raise at(line, f"variable {name!r} is declared a second time")
        self._count += len(levels)
        if len(self.levels) == MOST_VARIABLES or self._count > MOST_LEVELS:
            most = f"{MOST_VARIABLES} variables or {MOST_LEVELS} states"
            raise at(line, f"there are more than {most}, which is more than are read")
        if not levels:
            raise at(line, f"variable {name!r} has no states")
        if len(set(levels)) != len(levels):
            twice = Counter(levels).most_common(1)[0][0]
            raise at(line, f"variable {name!r} has the state {twice!r} twice")
        self.levels[name] = tuple(levels)

    def define(self, child: str, parents: Sequence[str], line: int) -> None:
        """Add a family: a child that has probabilities, and its parents in the order of the file."""
        if child in self.parents:
            raise at(line, f"there is a second table for {child!r}")
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
                f"its tables have {size:.3g} numbers ({size_words(8.0 * size)}), and at most "
                f"{MOST_NUMBERS:.3g} are read"
            )

    def _check_family(self, child: str, parents: tuple[str, ...]) -> None:
        for name in (child, *parents):
            if name not in self.levels:
                said = f"the table of {child!r} names {name!r}, which is not a variable"
                raise at(self.lines[child], said)
        if len(set(parents)) != len(parents):
            raise at(self.lines[child], f"the table of {child!r} names a parent twice")

    def shape(self, child: str) -> tuple[int, ...]:
        """Give the numbers of levels of the parents, in the order of the file, and of the child."""
        return tuple(len(self.levels[name]) for name in (*self.parents[child], child))

    def flat(self, child: str, text: str) -> Numbers:
        """Read a table that is a plain list of numbers, the child's level changing fastest."""
        size = prod(self.shape(child))
        return self.filled(child, text.split(None, size)[: size + 1])

    def filled(self, child: str, words: Sequence[str]) -> Numbers:
        """Turn the words of such a list into a table; there must be as many as cells."""
        size, line = prod(self.shape(child)), self.lines[child]
        if len(words) != size:
            got = f"got {len(words)}" if len(words) < size else "there are more"
            raise at(line, f"the table of {child!r} needs {size} numbers, {got}")
        return numbers(words, lambda place: line).reshape(self.shape(child))

    def net(
        self,
        tables: Mapping[str, Numbers],
        called: Mapping[str, Sequence[str]] | None = None,
        notes: tuple[str, ...] = (),
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
                tuple(self._arranged(name, tables[name], variables, columns) for name in order),
                notes,
            )
        except FileError:
            raise
        except ArcwiseError as error:
            raise FileError(str(error).rstrip(".")) from None

    def _arranged(
        self,
        child: str,
        table: Numbers,
        variables: Mapping[str, Variable],
        columns: Mapping[str, int],
    ) -> Numbers:
        """A table with its parents' axes in the order of their columns."""
        parents = self.parents[child]
        axes = sorted(range(len(parents)), key=lambda axis: columns[parents[axis]])
        above = [variables[parents[axis]] for axis in axes]
        try:
            return normalised(variables[child], above, table.transpose([*axes, len(axes)]))
        except ArcwiseError as error:
            said = str(error).rstrip(".")
            raise at(self.lines[child], said[0].lower() + said[1:]) from None
