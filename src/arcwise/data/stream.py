"""Streams: the moments of a file that need not fit into memory.

Gaussian learning needs n, the means and the scatter matrix only, so a file is read once, batch by
batch: Parquet by row groups, text by blocks. Memory is that of one batch and of one p x p matrix,
whatever the number of rows. The rules for kinds hold as far as a stream allows: whole numbers count
as numbers; dates, names (judged by the first batch) and row numbers are left out with a note; other
text is refused, because its states would have to become numbers first.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.blocks import Source, open_source
from arcwise.data.gaps import refuse_missing
from arcwise.data.kinds import FEW, number_array
from arcwise.data.memory import check_square
from arcwise.data.moments import Accumulator, Moments
from arcwise.data.source import existing, naming
from arcwise.data.table import checked_weights, gap_note, no_rows_left
from arcwise.data.variable import Variable, sentence_list
from arcwise.errors import DataError, close_to


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

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     size = path.write_text("x,y\\n1,2\\n3,\\n5,4\\n")
    ...     gathered = moments(path)
    >>> gathered.n, gathered.mean.tolist(), gathered.notes
    (2.0, [3.0, 3.0], ("1 of 3 rows left out because of gaps (most in 'y': 1).",))
    """
    refuse_missing(missing)
    place, marks = existing(path), tuple(na_values)
    with naming(place):
        source = open_source(place, marks, (separator, decimal, encoding))
        chosen, notes = _choose(source, columns, weights)
        check_square(len(chosen))
        gathered = _Stream(source, sorted(chosen), marks, weights)
        return (
            gathered.run(place)
            .select([name for name in chosen if name not in gathered.row_numbers])
            .with_notes(*notes)
        )


def _choose(
    source: Source, columns: Sequence[str] | None, weights: str | None
) -> tuple[list[str], list[str]]:
    """Decide which columns count as numbers; text is left out or refused."""
    for name in [*(columns or ()), *([weights] if weights else [])]:
        if name not in source.names:
            raise DataError(f"There is no column {name!r}. {close_to(name, source.names)}")
    wanted = [name for name in columns or source.names if name != weights]
    chosen = [name for name in wanted if source.kind(name) == "number"]
    stuck = [name for name in wanted if source.kind(name) == "text"]
    if stuck:
        raise DataError(
            f"{sentence_list(stuck)} {'hold' if len(stuck) > 1 else 'holds'} text or truth values,"
            " and moments are of numbers: name the columns to use with columns=[...]."
        )
    other = [name for name in wanted if source.kind(name) == "other"]
    said = list(source.notes)
    if other:
        said.append(f"Left out: {sentence_list(other)} (no numbers, and no states either).")
    if not chosen:
        raise DataError("There is no column of numbers.")
    return chosen, said


@dataclass
class _Stream:
    """One pass over a source: what is gathered on the way."""

    source: Source
    names: list[str]
    na_values: tuple[object, ...]
    weights: str | None
    rows: int = 0
    kept: int = 0
    row_numbers: list[str] = field(default_factory=list)

    def run(self, place: Path) -> Moments:
        size = len(self.names)
        gathered = Accumulator(size)
        self.gaps = np.zeros(size, dtype=np.int64)
        self.low, self.high = np.full(size, np.inf), np.full(size, -np.inf)
        asked = self.names + ([self.weights] if self.weights else [])
        for batch in self.source.batches(asked):
            rows, heights = self._complete(*self._numbers(batch))
            if len(rows):
                np.minimum(self.low, rows.min(axis=0), out=self.low)
                np.maximum(self.high, rows.max(axis=0), out=self.high)
                gathered.add(rows, heights, own=True)
        missing = {n: int(k) for n, k in zip(self.names, self.gaps, strict=True) if k}
        if not self.kept:
            raise DataError(no_rows_left(self.rows, missing) if self.rows else "There are no rows.")
        variables = tuple(map(Variable, self.names))
        found = gathered.moments(variables, order=(), notes=())
        self._find_row_numbers(found)
        said = [gap_note(self.rows - self.kept, self.rows, missing)] if missing else []
        if self.row_numbers:
            left = sentence_list(self.row_numbers)
            said.append(f"Left out: {left} (consecutive numbers of the rows).")
        return found.with_notes(*said)

    def _numbers(
        self, batch: Sequence[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Turn Arrow arrays into a matrix and weights, with gaps still in."""
        rows = np.empty((len(batch[0]), len(self.names)), order="F")
        for number in range(len(self.names)):
            rows[:, number] = number_array(batch[number], self.na_values)
        if not self.weights:
            return rows, None
        return rows, checked_weights(number_array(batch[-1]), len(rows), some=False)

    def _complete(
        self, rows: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Count and leave out the rows with gaps; refuse infinity."""
        before, self.rows = self.rows, self.rows + len(rows)
        if not np.isfinite(rows).all():
            self._refuse_infinite(rows, before)
            gaps = np.isnan(rows)
            self.gaps += gaps.sum(axis=0)
            full = ~gaps.any(axis=1)
            rows = rows[full]
            weights = None if weights is None else weights[full]
        self.kept += len(rows)
        return rows, weights

    def _refuse_infinite(self, rows: NDArray[np.float64], before: int) -> None:
        where = np.argwhere(np.isinf(rows))
        if len(where):
            row, number = where[0]
            raise DataError(
                f"Column {self.names[number]!r} has an infinite value in row {before + row + 1}:"
                " replace it, or call it a gap with na_values=['inf', '-inf']."
            )

    def _find_row_numbers(self, found: Moments) -> None:
        """Find columns that number the rows by what consecutive numbers have to have.

        n whole numbers from a to a + n - 1 have mean a + (n - 1) / 2 and variance (n^2 - 1) / 12.
        """
        n = float(self.kept)
        if self.weights or n <= FEW or self.kept < self.rows:
            return
        span = self.high - self.low + 1 == n
        middle = np.isclose(found.mean, (self.low + self.high) / 2, rtol=1e-9, atol=1e-6)
        spread = np.isclose(np.diag(found.scatter) / n, (n * n - 1) / 12, rtol=1e-9)
        for number in np.flatnonzero(span & middle & spread):
            if self.source.whole(self.names[number]) and len(self.names) > 1:
                self.row_numbers.append(self.names[number])
