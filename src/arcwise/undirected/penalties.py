"""What the graphical lasso is asked: a covariance and a penalty for every entry, and factors for pairs.

Bad input is answered in words, where it comes in. A problem then hands out blocks of itself, scaled so
that the covariance to be fitted has a unit diagonal: the graphical lasso with a matrix of penalties
does not change under scaling, Theta -> D Theta D, S -> S / DD, P -> P / DD.
"""

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise._kernels.glasso_loops import gather
from arcwise.errors import DataError, FitError, close_to
from arcwise.undirected.covariance import frozen

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Pairs = Iterable[tuple[int, int]]


class Piece(NamedTuple):
    """Some variables of a problem, scaled: moments / scale scale', penalties / scale scale'.

    It is `even` where the penalty beside the diagonal is one number before scaling.
    """

    members: Indices
    moments: Array
    penalties: Array
    scale: Array
    even: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """A covariance and its penalties.

    `off` is the penalty of the entries beside the diagonal, one number or a matrix whose infinite
    entries hold Theta at zero; `diagonal` that of the diagonal entries.
    """

    moments: Array
    off: float | Array
    diagonal: Array

    @classmethod
    def of(
        cls,
        covariance: Array,
        penalty: ArrayLike,
        *,
        factors: ArrayLike | None = None,
        penalise_diagonal: bool = True,
        required: Pairs | None = None,
        forbidden: Pairs | None = None,
    ) -> "Problem":
        """Check the penalty and the pairs against a checked covariance.

        `factors` is a matrix that the penalty is multiplied with, entry by entry.

        Raises
        ------
        FitError : a penalty that is negative, not a number or of the wrong shape, or a pair that is
            no pair of columns, or both required and forbidden.
        """
        size = len(covariance)
        off = _checked_penalty(penalty, size)
        if factors is not None:
            off = _multiplied(off, checked_factors(factors, size))
        own = np.full(size, off) if isinstance(off, float) else off.diagonal().copy()
        if penalise_diagonal and not np.isfinite(own).all():
            raise FitError(
                "The diagonal penalty of {columns} has to be finite; give a number, or leave the "
                "diagonal without penalty.",
                np.flatnonzero(~np.isfinite(own))[:1].tolist(),
            )
        off = _ruled(off, size, _checked_pairs(required, size), _checked_pairs(forbidden, size))
        return cls(covariance, off, own if penalise_diagonal else np.zeros(size))

    def table(self) -> Array:
        """The penalties beside the diagonal, (p, p), or (1, 1) where all are the same."""
        return np.full((1, 1), self.off) if isinstance(self.off, float) else self.off

    def piece(self, members: Indices) -> Piece:
        """Cut out some variables, scaled so that the fitted covariance has a unit diagonal."""
        scale = np.sqrt(self.moments.diagonal()[members] + self.diagonal[members])
        over = 1.0 / scale
        moments = gather(self.moments, members, over, over)
        if isinstance(self.off, float):
            penalties = np.outer(self.off * over, over)
        else:
            penalties = gather(self.off, members, over, over)
        np.fill_diagonal(penalties, self.diagonal[members] * over**2)
        np.fill_diagonal(moments, 1.0 - penalties.diagonal())
        return Piece(members, moments, penalties, scale, isinstance(self.off, float))


def checked_factors(factors: ArrayLike, size: int) -> Array:
    """Take a matrix of factors of the penalty, or say what is wrong with it.

    Examples
    --------
    >>> checked_factors([[1, 2], [2, 1]], 2)
    array([[1., 2.],
           [2., 1.]])
    """
    found = _checked_penalty(factors, size)
    if isinstance(found, float):
        raise FitError(f"Factors of the penalty are a matrix of shape {(size, size)}, not {found}.")
    return found


def _multiplied(off: float | Array, factors: Array) -> Array:
    """The product; infinite factors hold an entry at zero whatever the penalty."""
    held = np.isinf(factors)
    return np.where(held, np.inf, off * np.where(held, 1.0, factors))


def _checked_penalty(penalty: ArrayLike, size: int) -> float | Array:
    matrix: Array = np.ascontiguousarray(penalty, dtype=np.float64)
    if np.isnan(matrix).any() or (matrix < 0).any():
        raise FitError(f"A penalty is a non-negative number, got {np.min(matrix):g}.")
    if np.ndim(penalty) == 0:
        if not np.isfinite(matrix).all():
            raise FitError("A penalty is a finite number; to leave out an edge, forbid it.")
        return float(matrix.reshape(-1)[0])
    if matrix.shape != (size, size):
        raise FitError(
            f"Penalties are one number or a matrix of shape {(size, size)}, not {matrix.shape}."
        )
    if not np.array_equal(matrix, matrix.T):
        row, column = np.argwhere(matrix != matrix.T)[0]
        raise FitError(
            f"A matrix of penalties is symmetric, but entry ({row}, {column}) is "
            f"{matrix[row, column]:g} and ({column}, {row}) is {matrix[column, row]:g}."
        )
    return matrix


def _checked_pairs(pairs: Pairs | None, size: int) -> set[tuple[int, int]]:
    found = {(min(pair), max(pair)) for pair in pairs or ()}
    for one, two in found:
        if not 0 <= one < two < size:
            raise FitError(
                f"({one}, {two}) is not a pair of two columns out of 0 to {size - 1}; rules for the "
                "graphical lasso are pairs of column numbers."
            )
    return found


def _ruled(
    off: float | Array, size: int, required: set[tuple[int, int]], forbidden: set[tuple[int, int]]
) -> float | Array:
    """No penalty for required pairs, an infinite one for forbidden pairs."""
    if both := required & forbidden:
        raise FitError(f"The pair {min(both)} is both required and forbidden.")
    if not required and not forbidden:
        return off
    matrix: Array = np.full((size, size), off) if isinstance(off, float) else off.copy()
    for pairs, value in ((required, 0.0), (forbidden, np.inf)):
        for one, two in pairs:
            matrix[one, two] = matrix[two, one] = value
    return matrix


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors of the penalty, one for each pair of variables.

    `names` are those of the rows and columns; None means the data's columns, in their order. Where only
    some pairs were `picked`, the others have the factor 1. `alone` says that they are the penalties
    themselves.
    """

    values: Array
    names: tuple[str, ...] | None
    picked: bool = False
    alone: bool = False

    def on(self, nodes: Sequence[str], order: Sequence[str]) -> Array:
        """The matrix for some nodes of a table whose columns came in `order`.

        Raises
        ------
        FitError : no row for a node, another number of rows than columns of the table, or numbers that
            are negative, missing or not symmetric.
        """
        names = tuple(order) if self.names is None else self.names
        if len(names) != len(self.values):
            raise FitError(
                f"A matrix of penalties without names has a row for each of the {len(names)} columns, "
                f"in their order, but it has {len(self.values)} rows."
            )
        there, here = (nodes, names) if self.picked else (names, nodes)
        for name in here:
            if name not in there:
                what = "The table has no column" if self.picked else "The penalties have no row for"
                raise FitError(f"{what} {name!r}. {close_to(name, there)}")
        own = {name: number for number, name in enumerate(names)}
        found = [number for number, node in enumerate(nodes) if node in own]
        chosen = [own[nodes[number]] for number in found]
        matrix = np.ones((len(nodes), len(nodes)))
        matrix[np.ix_(found, found)] = self.values[np.ix_(chosen, chosen)]
        _check_symmetric(matrix, nodes)
        return checked_factors(matrix, len(nodes))

    def __str__(self) -> str:
        if self.picked:
            count = int(np.count_nonzero(np.triu(self.values != 1.0)))
            return f"for {count} pair{'s' * (count != 1)}"
        finite = self.values[np.isfinite(self.values)]
        span = f", {finite.min():g} to {finite.max():g}" if len(finite) else ""
        return f"a matrix of {len(self.values)} x {len(self.values)}{span}"


def factors_of(value: Any) -> Factors:
    """Read factors off a data frame with names, a plain matrix, a file's path, or a mapping of pairs.

    A file has the names in its first line and in its first column, as a data frame writes them.

    Raises
    ------
    FitError, DataError : not a square matrix of numbers.

    >>> import pandas as pd
    >>> names = ["a", "b"]
    >>> found = factors_of(pd.DataFrame([[1.0, 2.0], [2.0, 1.0]], index=names, columns=names))
    >>> print(found)
    a matrix of 2 x 2, 1 to 2
    >>> found.on(["b", "a"], names)[0].tolist()
    [1.0, 2.0]
    """
    if isinstance(value, Factors):
        return value
    if isinstance(value, str | os.PathLike):
        return _from_file(Path(value))
    if isinstance(value, Mapping):
        return _from_pairs(value)
    columns = getattr(value, "column_names", None) or getattr(
        value, "columns", None
    )  # Arrow's word
    if columns is None:
        return Factors(_square(value, "The penalties"), None)
    names = tuple(map(str, columns))
    rows = getattr(value, "index", None)
    if rows is None or callable(rows):  # only pandas names rows: others are in the columns' order
        numbers = np.column_stack([np.asarray(value[name]) for name in columns])
        return _named(names, names, numbers, "The penalties")
    return _named(tuple(map(str, rows)), names, value.to_numpy(), "The penalties")


def _from_pairs(pairs: Mapping[Any, Any]) -> Factors:
    """Factors of some pairs, each given once."""
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise FitError(f"Factors are given for pairs of two variables, not for {pair!r}.")
    names = sorted({str(name) for pair in pairs for name in pair})
    values = np.ones((len(names), len(names)))
    for (one, two), value in pairs.items():
        number = isinstance(value, Real) and not isinstance(value, bool) and float(value) >= 0
        if not number:
            raise FitError(
                f"The factor of {one!r} and {two!r} is a non-negative number, not {value!r}."
            )
        if pairs.get((two, one), value) != value:
            raise FitError(f"The pair {one!r} and {two!r} has two factors; give one.")
        places = names.index(str(one)), names.index(str(two))
        values[places] = values[places[::-1]] = float(value)
    return Factors(frozen(values), tuple(names), picked=True)


def _from_file(path: Path) -> Factors:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(
            f"The penalties cannot be read from {path}: there is no such file."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"The penalties cannot be read from {path}: {error}.") from None
    lines = text.splitlines()
    mark = "\t" if lines and "\t" in lines[0] else ","
    try:
        table = [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error as error:
        raise DataError(f"The penalties cannot be read from {path}: {error}.") from None
    names = tuple(cell.strip() for cell in table[0][1:]) if table else ()
    rows = tuple(row[0].strip() for row in table[1:])
    return _named(rows, names, [row[1:] for row in table[1:]], f"The penalties in {path}")


def _named(rows: Sequence[str], columns: tuple[str, ...], values: Any, what: str) -> Factors:
    """Rows put in the order of the columns."""
    if sorted(rows) != sorted(columns) or len(set(columns)) < len(columns):
        raise FitError(
            f"{what} need the same names for rows and columns, each once, but the rows are "
            f"{_few(rows)} and the columns {_few(columns)}."
        )
    matrix = _square(values, what)
    place = {name: number for number, name in enumerate(rows)}
    return Factors(matrix[[place[name] for name in columns]], columns)


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return (shown + ", ..." if len(names) > 4 else shown) or "none"


def _square(values: Any, what: str) -> Array:
    try:
        matrix = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise FitError(
            f"{what} are a number, a rule, or a square matrix of numbers, got a {type(values).__name__} "
            "with something else in it."
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FitError(f"{what} are a square matrix, got one of shape {matrix.shape}.")
    return frozen(matrix)


def _check_symmetric(matrix: Array, names: Sequence[str]) -> None:
    """Name the pair; NaN is left to the check of the numbers."""
    wrong = np.argwhere((matrix != matrix.T) & ~np.isnan(matrix) & ~np.isnan(matrix.T))
    if len(wrong):
        one, two = wrong[0]
        raise FitError(
            f"The penalty of {names[one]!r} and {names[two]!r} is {matrix[one, two]:g} one way and "
            f"{matrix[two, one]:g} the other; a matrix of penalties is symmetric."
        )
