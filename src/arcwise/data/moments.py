r"""Moments: the sufficient statistics of Gaussian networks.

They are the number of cases n, the means and the scatter matrix

.. math:: S = \sum_i w_i (x_i - \bar x)(x_i - \bar x)^T, \qquad n = \sum_i w_i .

An accumulator sums batches of rows, so that a file may be larger than memory. Each batch is centred before it
is squared, means are kept relative to the first batch's mean, and two parts are merged by the pairwise update

.. math:: S = S_1 + S_2 + \frac{n_1 n_2}{n_1 + n_2} (\bar x_2 - \bar x_1)(\bar x_2 - \bar x_1)^T

of T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample variance", The American
Statistician 37 (1983), 242-247. A mean of 1e9 with a standard deviation of 1 is therefore harmless. The
squares are BLAS ``syrk`` calls. `Moments.minus` removes a fold by the inverse of this formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.covariance import check_given, floats, in_order, positive
from arcwise.data.memory import check_square
from arcwise.data.table import Table
from arcwise.data.variable import Variable, numbers_of
from arcwise.errors import DataError, close_to
from arcwise.notes import Note

Floats = NDArray[np.float64]
Batch = tuple[Floats, Floats | None]

# Numbers per block of a table in memory: 16 MB fit into the caches.
BLOCK = 1 << 21


@dataclass(frozen=True, eq=False, repr=False)
class Moments:
    """Number of cases, means and scatter of continuous variables.

    Parameters
    ----------
    variables : continuous, sorted by name.
    n : the number of cases, that is the sum of the weights.
    mean : one per variable.
    scatter : the sum of weighted products of deviations from the mean, symmetric.
    order : the names in the order the user gave them; empty for sorted.
    notes : dropped columns and other decisions.

    Raises
    ------
    DataError : shapes, names or numbers that do not fit together.

    >>> table = Table((Variable("x"), Variable("y")), (np.array([0.0, 2.0]), np.array([1.0, 5.0])))
    >>> Moments.of(table).covariance
    array([[1., 2.],
           [2., 4.]])
    """

    variables: tuple[Variable, ...]
    n: float
    mean: Floats
    scatter: Floats
    order: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        size = len(self.variables)
        if self.mean.shape != (size,) or self.scatter.shape != (size, size):
            raise DataError(
                f"Moments of {size} variables need {size} means and a square scatter matrix of "
                f"that size, got shapes {self.mean.shape} and {self.scatter.shape}."
            )
        if any(a >= b for a, b in zip(self.names, self.names[1:], strict=False)):
            raise DataError("The variables of moments must be sorted by name, each once.")
        if not (np.isfinite(self.n) and self.n > 0):
            raise DataError(f"The number of cases must be positive, got {self.n!r}.")
        self.mean.setflags(write=False)
        self.scatter.setflags(write=False)
        object.__setattr__(self, "order", tuple(self.order) or self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, in column-number order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @property
    def total(self) -> float:
        """The number of cases, as in a table."""
        return self.n

    @property
    def covariance(self) -> Floats:
        """The maximum-likelihood covariance, scatter / n."""
        return self.scatter / self.n

    def index(self, name: str) -> int:
        """Return the column number of a name; an unknown one is a DataError with close matches."""
        number = self._numbers.get(name)
        if number is None:
            raise DataError(f"There is no column {name!r}. {close_to(name, self.order)}")
        return number

    @classmethod
    def of(cls, table: Table, *, memory: float | None = None) -> Moments:
        """Return the moments of a table's complete rows; numeric levels count as numbers.

        Parameters
        ----------
        table : continuous columns or columns with numeric levels.
        memory : bytes the scatter matrix may take; None for the available memory.

        Raises
        ------
        DataError : text columns, no complete row, or more columns than memory allows.
        """
        check_square(len(table.variables), memory)
        full = table.complete()
        variables = tuple(Variable(variable.name) for variable in full.variables)
        gathered = Accumulator(len(variables))
        for batch, weights in _blocks(full):
            gathered.add(batch, weights, own=True)
        return gathered.moments(variables, order=full.order, notes=full.notes)

    @classmethod
    def from_batches(
        cls,
        variables: Sequence[Variable],
        batches: Iterable[Batch],
        *,
        order: tuple[str, ...] = (),
        notes: tuple[Note, ...] = (),
        memory: float | None = None,
    ) -> Moments:
        """Return the moments of batches of rows.

        Parameters
        ----------
        variables : sorted by name.
        batches : pairs of a matrix, rows by variables without missing values, and its row weights or None.
        order, notes : passed to the result.
        memory : bytes the scatter matrix may take; None for the available memory.

        Raises
        ------
        DataError : no rows at all, a batch of another width, or too many variables.

        >>> halves = [(np.array([[0.0]]), None), (np.array([[2.0]]), np.array([3.0]))]
        >>> moments = Moments.from_batches([Variable("x")], halves)
        >>> moments.n, moments.mean, moments.covariance
        (4.0, array([1.5]), array([[0.75]]))
        """
        check_square(len(variables), memory)
        gathered = Accumulator(len(variables))
        for rows, weights in batches:
            gathered.add(np.asarray(rows, dtype=np.float64), weights)
        return gathered.moments(tuple(variables), order=order, notes=notes)

    @classmethod
    def given(
        cls, names: Sequence[str], n: float, mean: ArrayLike, covariance: ArrayLike
    ) -> Moments:
        """Make moments from published numbers: cases, means and covariance matrix.

        Parameters
        ----------
        names : in any order; means and covariances follow it, unless they are labelled.
        n : number of cases.
        mean, covariance : as printed; the covariance has divisor n.

        Raises
        ------
        DataError : repeated names, or numbers that no data can have: a matrix that is not symmetric, a
            negative variance, a correlation beyond 1, correlations that are jointly impossible.

        >>> Moments.given(["b", "a"], 10, [2, 1], [[4, 0], [0, 1]]).mean
        array([1., 2.])
        """
        names, n = tuple(map(str, names)), positive(n)
        centre = floats("means", in_order("means", mean, names))
        spread = floats("covariances", in_order("covariances", covariance, names))
        check_given(names, centre, spread)
        by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
        variables = tuple(Variable(names[i]) for i in by_name)
        scatter = (spread[np.ix_(by_name, by_name)] + spread[np.ix_(by_name, by_name)].T) * (n / 2)
        return cls(variables, n, centre[by_name], scatter, order=names)

    def select(self, names: Iterable[str]) -> Moments:
        """Return these variables only, presented in this order."""
        selected = tuple(names)
        keep = sorted(self.index(name) for name in selected)
        if len(keep) == len(self.variables):  # spares a copy of a large matrix
            return replace(self, order=selected)
        variables = tuple(self.variables[i] for i in keep)
        scatter = self.scatter[np.ix_(keep, keep)]
        return Moments(variables, self.n, self.mean[keep], scatter, selected, self.notes)

    def with_notes(self, *notes: Note) -> Moments:
        """Add notes, each once."""
        fresh = tuple(note for note in dict.fromkeys(notes) if note not in self.notes)
        return replace(self, notes=self.notes + fresh) if fresh else self

    def __repr__(self) -> str:
        shown = ", ".join(self.order[:8]) + (", ..." if len(self.order) > 8 else "")
        return f"Moments({self.n:g} cases, {len(self.variables)} variables: {shown})"


class Accumulator:
    """Sums moments batch by batch; means are relative to the first batch's mean.

    Parameters
    ----------
    size : number of variables.

    >>> gathered = Accumulator(1)
    >>> gathered.add(np.array([[1.0], [3.0]]))
    >>> gathered.n
    2.0
    """

    def __init__(self, size: int) -> None:
        self.n = 0.0
        self._shift = np.zeros(size)
        self._mean = np.zeros(size)
        self._scatter = np.zeros((size, size))

    def add(self, rows: Floats, weights: Floats | None = None, *, own: bool = False) -> None:
        """Add a batch of rows without missing values.

        Parameters
        ----------
        rows : a matrix, rows by variables.
        weights : one per row; None for weights of one.
        own : whether ``rows`` may be overwritten, which saves a copy.
        """
        if rows.ndim != 2 or rows.shape[1] != len(self._mean):
            raise DataError(f"A batch needs {len(self._mean)} columns, got shape {rows.shape}.")
        n = float(len(rows) if weights is None else np.sum(weights))
        if not n > 0:
            return
        centre = rows.mean(axis=0) if weights is None else weights @ rows / n
        if not np.isfinite(centre).all():
            raise DataError(
                "A batch of rows must have finite values only: drop rows with missing or "
                "infinite ones."
            )
        if self.n == 0:
            self._shift = centre
        centred = np.subtract(rows, centre, out=rows if own else None)
        rest = (centred.sum(axis=0) if weights is None else weights @ centred) / n
        centred -= rest  # what rounding left of the mean: large where the offset is
        if weights is not None:
            centred *= np.sqrt(weights)[:, None]
        self._merge(n, (centre - self._shift) + rest, centred)

    def _merge(self, n: float, mean: Floats, centred: Floats) -> None:
        """Add the squares of a centred batch, and of the difference of the two means."""
        step, total = mean - self._mean, self.n + n
        if self.n > 0:
            centred = np.vstack([centred, step * np.sqrt(self.n * n / total)])
        # numpy hands a product of a matrix with its own transpose to BLAS syrk.
        self._scatter += centred.T @ centred
        self._mean = self._mean + step * (n / total)
        self.n = total

    @property
    def mean_parts(self) -> tuple[Floats, Floats]:
        """Return a point near the mean, and the difference of the mean from it."""
        return self._shift, self._mean

    def moments(
        self, variables: tuple[Variable, ...], *, order: tuple[str, ...], notes: tuple[Note, ...]
    ) -> Moments:
        """Return the moments; the accumulator must not be used afterwards."""
        if self.n == 0:
            raise DataError("Moments need at least one row, got none.")
        scatter, self._scatter = self._scatter, np.zeros((0, 0))
        return Moments(variables, self.n, self._shift + self._mean, scatter, order, notes)


def _blocks(table: Table) -> Iterator[Batch]:
    """Yield matrices of a few megabytes, stored column-wise."""
    height = max(BLOCK // len(table.columns), 256)
    for start in range(0, table.rows, height):
        stop = min(start + height, table.rows)
        block = np.empty((stop - start, len(table.columns)), order="F")
        for number, variable in enumerate(table.variables):
            block[:, number] = numbers_of(variable, table.columns[number][start:stop])
        yield block, None if table.weights is None else table.weights[start:stop]
