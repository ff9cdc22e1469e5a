r"""Checks of given covariances and penalties of pairs, and noise for redundant columns.

If columns depend exactly on others, the likelihood has no maximum; a little noise gives it one.

A copy of a column (in other units, or rounded) has correlation 1 with it. On every graph with an edge between
the two the likelihood is unbounded, so graphs cannot be compared, and none can be fitted. Here such
columns get noise of `NOISE` of their variance, as if measured with that error:

.. math:: r_{ij} \to r_{ij} / \sqrt{(1 + \delta_i)(1 + \delta_j)},\quad i \ne j .

With more rows than columns these are all columns in a combination that hardly varies. With fewer rows
every column follows from others; only copies are looked for.
"""

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, FitError, close_to
from arcwise.graphs import UGraph
from arcwise.values import is_number, is_pair

Array = NDArray[np.float64]

# Differences between mirror images, and correlations above one, up to here are rounding.
_ROUNDING = 1e-8


def checked_covariance(covariance: ArrayLike) -> Array:
    """Return a checked covariance matrix, or raise an error.

    Mirror images that differ by rounding are both replaced by their mean, so that no search depends on which
    of the two it looks at.

    Raises
    ------
    FitError : not square, not finite, not symmetric, a column without variance, or a correlation
        beyond one.

    Examples
    --------
    >>> checked_covariance([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    matrix: Array = np.ascontiguousarray(covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise FitError(f"A covariance must be a square matrix, got shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise FitError(
            f"The covariance of {{columns}} is {matrix[row, column]}, but all must be finite: "
            "drop incomplete rows, or estimate it by EM.",
            [row, column],
        )
    variance = matrix.diagonal()
    if not (variance > 0).all():
        column = int(np.argmin(variance))
        raise FitError(
            f"{{columns}} has variance {variance[column]:g}, but a Gaussian network needs "
            "columns that vary: drop constant ones.",
            [column],
        )
    _check_pairs_of_entries(matrix)
    return matrix if np.array_equal(matrix, matrix.T) else 0.5 * (matrix + matrix.T)


def _check_pairs_of_entries(matrix: Array) -> None:
    """Mirror images agree, and no correlation is beyond one."""
    root = np.sqrt(matrix.diagonal())
    work = matrix - matrix.T
    row, column = _largest(work, root)
    if work[row, column] > _ROUNDING:
        raise FitError(
            f"A covariance must be symmetric, but entry ({row}, {column}) is "
            f"{matrix[row, column]:.6g} and ({column}, {row}) is {matrix[column, row]:.6g}."
        )
    work[...] = matrix
    row, column = _largest(work, root)
    if work[row, column] > 1 + _ROUNDING:
        raise FitError(
            "The covariance is indefinite: {columns} would have a correlation of "
            f"{work[row, column]:.6g}; a covariance of complete rows never is.",
            [row, column],
        )


def _largest(work: Array, root: Array) -> tuple[int, int]:
    """Make entries absolute and relative to standard deviations; the place of the largest."""
    np.abs(work, out=work)
    work /= root[:, None]
    work /= root
    position = int(work.argmax())
    return position // len(work), position % len(work)


def freeze(matrix: Array) -> Array:
    """Make an array read-only."""
    matrix.setflags(write=False)
    return matrix


NOISE = 1e-5
"""The share of its variance that a column gets as noise: a standard deviation of three thousandths."""

# The part of a column, relative to the largest, from which it is in a combination.
_LOADING = 0.05


class Steady(NamedTuple):
    """Correlations, and the columns that got noise."""

    matrix: Array
    columns: tuple[int, ...]

    def note(self, nodes: Sequence[str]) -> str:
        """Return a sentence on the columns that got noise; nothing if none did."""
        if not self.columns:
            return ""
        return (
            f"{sentence_list([nodes[i] for i in self.columns])} determine each other (a copy, a "
            "sum, or few distinct rows): each is treated as measured with an error of "
            f"{100 * NOISE**0.5:.1g} % of its standard deviation, since the likelihood has no "
            "maximum otherwise; drop one to see the dependences of the rest."
        )


def add_noise(correlations: Array, rows: float) -> Steady:
    """Return correlations with noise in columns that depend exactly on others.

    Parameters
    ----------
    correlations : of columns that vary.
    rows : how many rows they are from.

    Examples
    --------
    >>> found = add_noise(np.array([[1.0, 1.0, 0.3], [1.0, 1.0, 0.3], [0.3, 0.3, 1.0]]), 50)
    >>> found.columns, found.matrix[0].round(6).tolist()
    ((0, 1), [1.0, 0.99999, 0.299999])
    """
    guilty = (
        _dependent_columns(correlations)
        if rows > len(correlations)
        else np.unique(_copies(correlations))
    )
    if not len(guilty):
        return Steady(correlations, ())
    noise = np.zeros(len(correlations))
    noise[guilty] = NOISE
    scale = 1.0 / np.sqrt(1.0 + noise)
    matrix: Array = correlations * scale[:, None] * scale
    np.fill_diagonal(matrix, 1.0)
    return Steady(matrix, tuple(guilty.tolist()))


def _copies(correlations: Array) -> NDArray[np.intp]:
    """Return the pairs whose difference hardly varies."""
    return np.argwhere(np.triu(1.0 - np.abs(correlations) < NOISE, 1))


def _dependent_columns(correlations: Array) -> NDArray[np.intp]:
    """Return the columns with a part in a combination that hardly varies."""
    values, vectors = np.linalg.eigh(correlations)
    # How much of each column lies in the space of such combinations, whichever span it.
    part = np.linalg.norm(vectors[:, values < NOISE], axis=1)
    if not part.any():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(part > _LOADING * part.max())


def edge_partials(graph: UGraph, precision: NDArray[np.float64] | None) -> tuple[float, ...] | None:
    """Return the partial correlations of the edges of a graph, in their order.

    Parameters
    ----------
    graph : an undirected graph.
    precision : of its variables; None gives None.

    Examples
    --------
    >>> edge_partials(UGraph.complete(["a", "b"]), np.array([[2.0, -1.0], [-1.0, 2.0]]))
    (0.5,)
    """
    if precision is None:
        return None
    first, second = np.array(graph.numbered_edges, dtype=np.intp).reshape(-1, 2).T
    diagonal = np.diag(precision)
    values = -precision[first, second] / np.sqrt(diagonal[first] * diagonal[second])
    return tuple(values.tolist())


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
        """Return the matrix for some nodes of a table whose columns came in `order`.

        Raises
        ------
        FitError : no row for a node, another number of rows than columns of the table, or numbers that
            are negative, missing or not symmetric.
        """
        names = tuple(order) if self.names is None else self.names
        if len(names) != len(self.values):
            raise FitError(
                "A matrix of penalties without names must have a row for each of the "
                f"{len(names)} columns, in their order, got {len(self.values)} rows."
            )
        there, here = (nodes, names) if self.picked else (names, nodes)
        for name in here:
            if name not in there:
                what = "The table has no column" if self.picked else "The penalties have no row for"
                raise FitError(f"{what} {name!r}. {close_to(name, there)}")
        number_of = {name: number for number, name in enumerate(names)}
        rows = [number for number, node in enumerate(nodes) if node in number_of]
        columns = [number_of[nodes[number]] for number in rows]
        matrix = np.ones((len(nodes), len(nodes)))
        matrix[np.ix_(rows, rows)] = self.values[np.ix_(columns, columns)]
        _check_symmetric(matrix, nodes)
        return checked_factors(matrix, len(nodes))

    def __str__(self) -> str:
        if self.picked:
            count = int(np.count_nonzero(np.triu(self.values != 1.0)))
            return f"for {count} pair{'s' * (count != 1)}"
        finite = self.values[np.isfinite(self.values)]
        span = f", {finite.min():g} to {finite.max():g}" if len(finite) else ""
        return f"a matrix of {len(self.values)} x {len(self.values)}{span}"


def factors_of(value: Any, what: str = "The penalties") -> Factors:
    """Read factors off a data frame with names, a plain matrix, a file's path, or a mapping of pairs.

    A file has the names in its first line and in its first column, as a data frame writes them. Errors
    call the numbers `what`.

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
        return _from_file(Path(value), what)
    if isinstance(value, Mapping):
        return _from_pairs(value)
    columns = getattr(value, "column_names", None) or getattr(
        value, "columns", None
    )  # Arrow's word
    if columns is None:
        return Factors(_square(value, what), None)
    names = tuple(map(str, columns))
    rows = getattr(value, "index", None)
    if rows is None or callable(rows):  # only pandas names rows: others are in the columns' order
        numbers = np.column_stack([np.asarray(value[name]) for name in columns])
        return _order_rows(names, names, numbers, what)
    return _order_rows(tuple(map(str, rows)), names, value.to_numpy(), what)


def _from_pairs(pairs: Mapping[Any, Any]) -> Factors:
    """Return the factors of some pairs, each given once."""
    for pair in pairs:
        if not is_pair(pair) or pair[0] == pair[1]:
            raise FitError(f"Factors must be given for pairs of variables, got {pair!r}.")
    names = sorted({str(name) for pair in pairs for name in pair})
    values = np.ones((len(names), len(names)))
    for (one, two), value in pairs.items():
        if not is_number(value) or not value >= 0:
            raise FitError(
                f"The factor of {one!r} and {two!r} must be a non-negative number, got {value!r}."
            )
        if pairs.get((two, one), value) != value:
            raise FitError(f"The pair {one!r} and {two!r} must have one factor, got two.")
        places = names.index(str(one)), names.index(str(two))
        values[places] = values[places[::-1]] = float(value)
    return Factors(freeze(values), tuple(names), picked=True)


def _from_file(path: Path, what: str) -> Factors:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{what} cannot be read from {path}: there is no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{what} cannot be read from {path}: {error}.") from None
    lines = text.splitlines()
    mark = "\t" if lines and "\t" in lines[0] else ","
    try:
        table = [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error as error:
        raise DataError(f"{what} cannot be read from {path}: {error}.") from None
    names = tuple(cell.strip() for cell in table[0][1:]) if table else ()
    rows = tuple(row[0].strip() for row in table[1:])
    return _order_rows(rows, names, [row[1:] for row in table[1:]], f"{what} in {path}")


def _order_rows(rows: Sequence[str], columns: tuple[str, ...], values: Any, what: str) -> Factors:
    """Return the rows put in the order of the columns."""
    if sorted(rows) != sorted(columns) or len(set(columns)) < len(columns):
        raise FitError(
            f"{what} must have the same names for rows and columns, each once, but the rows are "
            f"{_few(rows)} and the columns {_few(columns)}."
        )
    matrix = _square(values, what)
    position = {name: number for number, name in enumerate(rows)}
    return Factors(matrix[[position[name] for name in columns]], columns)


def _few(names: Sequence[str]) -> str:
    text = ", ".join(names[:4])
    return (text + ", ..." if len(names) > 4 else text) or "none"


def _square(values: Any, what: str) -> Array:
    try:
        matrix = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise FitError(
            f"{what} must be a number, a rule, or a square matrix of numbers, got a "
            f"{type(values).__name__} with other content."
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FitError(f"{what} must be a square matrix, got shape {matrix.shape}.")
    return freeze(matrix)


def _check_symmetric(matrix: Array, names: Sequence[str]) -> None:
    """Name the pair; NaN is left to the check of the numbers."""
    wrong = np.argwhere((matrix != matrix.T) & ~np.isnan(matrix) & ~np.isnan(matrix.T))
    if len(wrong):
        one, two = wrong[0]
        raise FitError(
            f"The penalty of {names[one]!r} and {names[two]!r} is {matrix[one, two]:g} one way "
            f"and {matrix[two, one]:g} the other, but a matrix of penalties must be symmetric."
        )


def checked_factors(factors: ArrayLike, size: int) -> Array:
    """Return a checked matrix of factors of the penalty, or raise an error.

    Examples
    --------
    >>> checked_factors([[1, 2], [2, 1]], 2)
    array([[1., 2.],
           [2., 1.]])
    """
    checked = checked_penalty(factors, size)
    if not checked.ndim:
        raise FitError(
            f"Factors of the penalty must be a matrix of shape {(size, size)}, got {checked}."
        )
    return checked


def checked_penalty(penalty: ArrayLike, size: int) -> Array:
    """Return a checked penalty: one number (an array without dimensions), or a symmetric matrix."""
    matrix: Array = np.ascontiguousarray(penalty, dtype=np.float64)
    if np.isnan(matrix).any() or (matrix < 0).any():
        raise FitError(f"The penalty must be a non-negative number, got {np.min(matrix):g}.")
    if np.ndim(penalty) == 0:
        if not np.isfinite(matrix).all():
            raise FitError("The penalty must be finite: forbid an edge to exclude it.")
        return matrix.reshape(())
    if matrix.shape != (size, size):
        raise FitError(
            f"The penalty must be one number or a matrix of shape {(size, size)}, got "
            f"{matrix.shape}."
        )
    if not np.array_equal(matrix, matrix.T):
        row, column = np.argwhere(matrix != matrix.T)[0]
        raise FitError(
            f"A matrix of penalties must be symmetric, but entry ({row}, {column}) is "
            f"{matrix[row, column]:g} and ({column}, {row}) is {matrix[column, row]:g}."
        )
    return matrix
