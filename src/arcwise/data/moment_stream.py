"""Streams: the moments of the numbers of a file that need not fit into memory.

Gaussian learning needs n, the means and the scatter matrix only. Memory is that of one batch and
of one p x p matrix. Integers are numbers; dates, names and row numbers are dropped; other text is an error.

With missing values, all observed ones are used, by EM in several passes (`batch_em`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data.batch_em import ObservedSums, fit_batches
from arcwise.data.batches import Pass, open_source
from arcwise.data.kinds import FEW, left_out_note, number_array
from arcwise.data.memory import check_square
from arcwise.data.moments import Accumulator, Moments
from arcwise.data.prepare import checked_policy
from arcwise.data.statistics.incomplete import (
    NOT_CONVERGED,
    PRIOR,
    check_pairs,
    complete_equivalent,
    pair_notes,
    share_note,
)
from arcwise.data.variable import Variable, sentence_list
from arcwise.errors import DataError, plural
from arcwise.notes import Fix
from arcwise.values import clear_calls

Floats = NDArray[np.float64]


class Totals:
    """Running sums and ranges of columns of numbers."""

    def __init__(self, size: int) -> None:
        self.sums = Accumulator(size)
        self.low, self.high = np.full(size, np.inf), np.full(size, -np.inf)

    def add(self, rows: Floats, weights: Floats | None = None) -> None:
        """Add rows without missing values, which may be overwritten."""
        np.minimum(self.low, rows.min(axis=0), out=self.low)
        np.maximum(self.high, rows.max(axis=0), out=self.high)
        self.sums.add(rows, weights, own=True)

    def moments(self, names: Sequence[str]) -> Moments:
        """Return the moments."""
        return self.sums.moments(tuple(map(Variable, names)), order=(), notes=())

    def consecutive(self, found: Moments) -> NDArray[np.bool_]:
        """Return a mask of the columns with n consecutive integers, by mean, variance and range.

        Those from a to a + n - 1 have mean a + (n - 1) / 2 and variance (n^2 - 1) / 12.
        """
        n, variance = found.n, np.diag(found.scatter) / found.n
        middle = np.isclose(found.mean, (self.low + self.high) / 2, rtol=1e-9, atol=1e-6)
        spread = np.isclose(variance, (n * n - 1) / 12, rtol=1e-9)
        hits: NDArray[np.bool_] = (self.high - self.low + 1 == n) & middle & spread
        return hits


@clear_calls
def moments(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    na_values: Iterable[object] = (),
    weights: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: str = "auto",
) -> Moments:
    """Return the moments of a file's numbers, read in batches, in one pass if no values are missing.

    Parameters
    ----------
    path : a file as for ``read``.
    columns : the names to use; None for all columns of numbers.
    na_values, weights, separator, decimal, encoding : as for ``counts``.
    missing : "auto" uses all observed values, by EM, which reads the file several times; "drop" takes only
        complete rows.

    Returns
    -------
    The moments; their notes report dropped columns and rows.

    Raises
    ------
    DataError : as for ``read``; text columns that were not excluded by ``columns``; more columns
        than a square matrix in memory can hold; no complete row.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.csv")
    ...     size = path.write_text("x,y\\n1,2\\n3,\\n5,4\\n")
    ...     gathered = moments(path, missing="drop")
    >>> gathered.n, gathered.mean.tolist(), gathered.notes
    (2.0, [3.0, 3.0], (<Note: 1 of 3 rows dropped because of missing values (most in 'y': 1).>,))
    """
    check_policy(missing)
    if not isinstance(path, str | os.PathLike):
        raise DataError(
            f"moments must be given the path of a file, got {type(path).__name__}: learn takes tables."
        )
    layout = (separator, decimal, encoding)
    with open_source(path, columns, na_values=na_values, weights=weights, asked=layout) as file:
        return moments_of(file, missing)


def check_policy(missing: object) -> None:
    """Raise an error unless it is a policy that needs no rows."""
    if checked_policy(missing) not in ("auto", "drop"):
        raise DataError(
            f"{{missing=}} must be 'auto' or 'drop' for files read in batches, got "
            f"{missing!r}: read the table.",
            fixes=[Fix("missing")],
        )


def moments_of(file: Pass, missing: str = "auto") -> Moments:
    """Return the moments of an open file; text is an error."""
    uses = file.uses()
    names = [name for name, use in uses.items() if use in ("number", "whole", "empty")]
    stuck = [name for name, use in uses.items() if use in ("text", "truth")]
    if stuck:
        raise DataError(
            f"{sentence_list(stuck)} {'hold' if len(stuck) > 1 else 'holds'} text or booleans, but moments "
            "need numbers: choose columns with {columns=}.",
            fixes=[Fix("columns", [...])],
        )
    if not names:
        raise DataError("There is no column of numbers.")
    check_square(len(names))
    moments = _Stream(
        file, sorted(names), {n for n, use in uses.items() if use == "whole"}, missing == "auto"
    ).run()
    other = [name for name, use in uses.items() if use == "other"]
    notes = file.notes(other, "no numbers, and no states either")
    return moments.select([name for name in names if name in moments.names]).with_notes(*notes)


@dataclass
class _Stream:
    """One pass over a file: sums, and the range of each column."""

    file: Pass
    names: list[str]
    whole: set[str]
    uses_all: bool = False

    def run(self) -> Moments:
        totals, sums = Totals(len(self.names)), ObservedSums(len(self.names))
        for every, weights in self._batches():
            rows, heights = self._complete(every, weights)
            if self.uses_all:
                sums.add(every, weights)
            if len(rows):
                totals.add(rows, heights)
        if self.uses_all and self.file.missing:
            return self._all_observed(totals, sums)
        self.file.check()
        moments = totals.moments(self.names)
        plain = len(self.names) > 1 and not self.file.weights and not self.file.missing
        hits = np.flatnonzero(totals.consecutive(moments)) if plain and moments.n > FEW else ()
        numbered = [self.names[i] for i in hits if self.names[i] in self.whole]
        if not numbered:
            return moments
        note = left_out_note(numbered, "consecutive numbers of the rows")
        return moments.select([n for n in self.names if n not in numbered]).with_notes(note)

    def _batches(self) -> Iterator[tuple[Floats, Floats | None]]:
        for batch, weights in self.file.batches(self.names):
            numbers = [number_array(array, self.file.na_values) for array in batch]
            yield np.array(numbers).T, weights

    def _all_observed(self, totals: Totals, sums: ObservedSums) -> Moments:
        """Return the moments of all observed values, by EM."""
        check_pairs(self.names, sums.pairs, self.file.rows)
        complete = totals.moments(self.names) if self.file.kept else None
        fit = fit_batches(self._batches, sums, complete, PRIOR)
        worth = complete_equivalent(sums.pairs)
        shares = 1 - sums.cells / sums.rows
        how = f"used, by EM in {plural(len(fit.logliks) + 1, 'pass', 'passes')} over the file,"
        note = share_note(self.names, shares, worth, how, self.file.kept, self.file.rows)
        self.file.missing.clear()  # no rows are dropped
        notes = (note, *pair_notes(tuple(self.names), sums.pairs, worth))
        notes = notes if fit.converged else (*notes, NOT_CONVERGED)
        variables = tuple(map(Variable, self.names))
        return Moments(variables, worth, fit.mean, fit.covariance * worth, tuple(self.names), notes)

    def _complete(self, rows: Floats, weights: Floats | None) -> tuple[Floats, Floats | None]:
        """Drop and count the rows with missing values; infinite values are an error."""
        if np.isfinite(rows).all():
            self.file.rows, self.file.kept = self.file.rows + len(rows), self.file.kept + len(rows)
            return rows, weights
        self._refuse_infinite(rows, self.file.rows)
        full = self.file.complete(self.names, np.isnan(rows))
        return rows[full], None if weights is None else weights[full]

    def _refuse_infinite(self, rows: Floats, before: int) -> None:
        where = np.argwhere(np.isinf(rows))
        if len(where):
            row, number = where[0]
            raise DataError(
                f"Column {self.names[number]!r} has an infinite value in row {before + row + 1}: replace "
                "it, or treat it as missing with {na_values=}.",
                fixes=[Fix("na_values", ["inf", "-inf"])],
            )
