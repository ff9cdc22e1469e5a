"""Streams: the moments of a file that need not fit into memory.

Gaussian learning needs n, the means and the scatter matrix only, so a file is read once, batch by
batch: Parquet by row groups, text by blocks. Memory is that of one batch and of one p x p matrix,
whatever the number of rows. The rules for kinds hold as far as a stream allows: whole numbers count
as numbers; dates, names (judged by the first batch) and row numbers are left out with a note; other
text is refused, because its states would have to become numbers first.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.blocks import Pass, opened
from arcwise.data.gaps import refuse_missing
from arcwise.data.kinds import FEW, number_array
from arcwise.data.memory import check_square
from arcwise.data.moments import Accumulator, Moments
from arcwise.data.variable import Variable, sentence_list
from arcwise.errors import DataError


def moments(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    na_values: Iterable[object] = (),
    weights: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: object = None,
) -> Moments:
    """Gather the moments of a file's numbers in one pass, batch by batch.

    Parameters
    ----------
    path : a file as for ``read``.
    columns : the names to use; None for all columns of numbers.
    na_values : further values that mean a gap; rows with gaps are left out and counted.
    weights : the name of the column that says how often rows count.
    separator, decimal, encoding : instead of a guess.
    missing : not here; where a network is learned it says what to do about gaps.

    Returns
    -------
    The moments; their notes say what was left out.

    Raises
    ------
    DataError : as for ``read``; text columns that were not excluded by ``columns``; more columns
        than a square matrix in memory can hold; no complete row.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.csv")
    ...     size = path.write_text("x,y\\n1,2\\n3,\\n5,4\\n")
    ...     gathered = moments(path)
    >>> gathered.n, gathered.mean.tolist(), gathered.notes
    (2.0, [3.0, 3.0], ("1 of 3 rows left out because of gaps (most in 'y': 1).",))
    """
    refuse_missing(missing)
    asked = (separator, decimal, encoding)
    with opened(path, columns, na_values=na_values, weights=weights, asked=asked) as file:
        return moments_of(file)


def moments_of(file: Pass) -> Moments:
    """Gather the moments of a file that was opened; text is refused."""
    uses = file.uses()
    chosen = [name for name, use in uses.items() if use in ("number", "whole", "empty")]
    stuck = [name for name, use in uses.items() if use in ("text", "truth")]
    if stuck:
        raise DataError(
            f"{sentence_list(stuck)} {'hold' if len(stuck) > 1 else 'holds'} text or truth values,"
            " and moments are of numbers: name the columns to use with columns=[...]."
        )
    if not chosen:
        raise DataError("There is no column of numbers.")
    check_square(len(chosen))
    whole = [name for name, use in uses.items() if use == "whole"]
    found = _Stream(file, sorted(chosen), whole).run()
    other = [name for name, use in uses.items() if use == "other"]
    notes = file.notes(other, "no numbers, and no states either")
    return found.select([name for name in chosen if name in found.names]).with_notes(*notes)


@dataclass
class _Stream:
    """What is gathered on the way: sums, and the range of each column."""

    file: Pass
    names: list[str]
    whole: list[str]

    def run(self) -> Moments:
        size = len(self.names)
        gathered = Accumulator(size)
        self.low, self.high = np.full(size, np.inf), np.full(size, -np.inf)
        for batch, weights in self.file.batches(self.names):
            rows, heights = self._complete(self._numbers(batch), weights)
            if len(rows):
                np.minimum(self.low, rows.min(axis=0), out=self.low)
                np.maximum(self.high, rows.max(axis=0), out=self.high)
                gathered.add(rows, heights, own=True)
        self.file.check()
        found = gathered.moments(tuple(map(Variable, self.names)), order=(), notes=())
        numbered = self._row_numbers(found)
        if not numbered:
            return found
        said = f"Left out: {sentence_list(numbered)} (consecutive numbers of the rows)."
        return found.select([n for n in self.names if n not in numbered]).with_notes(said)

    def _numbers(self, batch: Sequence[Any]) -> NDArray[np.float64]:
        """Turn Arrow arrays into a matrix, with gaps still in."""
        rows = np.empty((len(batch[0]), len(self.names)), order="F")
        for number in range(len(self.names)):
            rows[:, number] = number_array(batch[number], self.file.na_values)
        return rows

    def _complete(
        self, rows: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Count and leave out the rows with gaps; refuse infinity."""
        if np.isfinite(rows).all():
            self.file.rows, self.file.kept = self.file.rows + len(rows), self.file.kept + len(rows)
            return rows, weights
        self._refuse_infinite(rows, self.file.rows)
        full = self.file.complete(self.names, np.isnan(rows))
        return rows[full], None if weights is None else weights[full]

    def _refuse_infinite(self, rows: NDArray[np.float64], before: int) -> None:
        where = np.argwhere(np.isinf(rows))
        if len(where):
            row, number = where[0]
            raise DataError(
                f"Column {self.names[number]!r} has an infinite value in row {before + row + 1}:"
                " replace it, or call it a gap with na_values=['inf', '-inf']."
            )

    def _row_numbers(self, found: Moments) -> list[str]:
        """Find columns that number the rows by what consecutive numbers have to have.

        n whole numbers from a to a + n - 1 have mean a + (n - 1) / 2 and variance (n^2 - 1) / 12.
        """
        n = float(self.file.kept)
        if self.file.weights or n <= FEW or self.file.missing or len(self.names) == 1:
            return []
        span = self.high - self.low + 1 == n
        middle = np.isclose(found.mean, (self.low + self.high) / 2, rtol=1e-9, atol=1e-6)
        spread = np.isclose(np.diag(found.scatter) / n, (n * n - 1) / 12, rtol=1e-9)
        numbered = [self.names[number] for number in np.flatnonzero(span & middle & spread)]
        return [name for name in numbered if name in self.whole]
