"""Counts: the distinct rows of a file of levels, read batch by batch, with how often each occurs.

Networks of discrete variables are learned from counts, so a row that occurs a thousand times is kept once,
with a weight. Each batch is turned into codes of one or two bytes a cell and added to those before; whenever
the rows so gathered have doubled, equal ones are folded together. Memory is that of one batch and of the
distinct rows, at one byte a cell where no column has more than 255 levels, whatever the size of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.blocks import Source, open_source
from arcwise.data.kinds import FEW, number_array
from arcwise.data.memory import available, size_words
from arcwise.data.source import existing, naming
from arcwise.data.table import Table, checked_weights, gap_note, no_rows_left
from arcwise.data.variable import Level, Variable, code_type, sentence_list
from arcwise.errors import DataError, close_to

__all__ = ["counts"]

Codes = NDArray[Any]

_FOLDED = 1 << 16  # rows that are gathered at least before equal ones are folded together
_MOST = 1 << 16  # levels of a column


def counts(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    na_values: Iterable[object] = (),
    weights: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    memory: float | None = None,
) -> Table:
    """Gather the distinct rows of a file of levels, batch by batch; weights say how often each occurs.

    Parameters
    ----------
    path : a file as for ``read``, of any size.
    columns : the names to use; None for all columns of text, truth values and whole numbers.
    na_values : further values that mean a gap; rows with gaps are left out and counted.
    weights : the name of the column that says how often rows count.
    separator, decimal, encoding : instead of a guess.
    memory : bytes that the rows may take; None for half of what the machine has available.

    Returns
    -------
    A table with weights, a source for every discrete learner; its notes say how many rows were folded.

    Raises
    ------
    DataError : as for ``read``; columns of numbers that are not levels; distinct rows that do not fit.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.csv")
    ...     size = path.write_text("x,y\\na,1\\nb,2\\na,1\\n,1\\n")
    ...     gathered = counts(path)
    >>> gathered.weights.tolist(), gathered.variable("y").levels
    ([2.0, 1.0], (1, 2))
    """
    place, marks = existing(path), {"", *map(str, na_values)}
    with naming(place):
        source = open_source(place, tuple(na_values), (separator, decimal, encoding))
        chosen, notes = _choose(source, columns, weights)
        limit = available() / 2 if memory is None else memory
        return _Gathered(source, sorted(chosen), marks, weights, limit).table(chosen, notes)


def _choose(
    source: Source, columns: Sequence[str] | None, weights: str | None
) -> tuple[list[str], list[str]]:
    """Decide which columns have levels; other numbers are refused, names and dates left out."""
    for name in [*(columns or ()), *([weights] if weights else [])]:
        if name not in source.names:
            raise DataError(f"There is no column {name!r}. {close_to(name, source.names)}")
    wanted = [name for name in columns or source.names if name != weights]
    kinds = {name: source.kind(name) for name in wanted}
    stuck = [name for name, kind in kinds.items() if kind == "number" and not source.whole(name)]
    if stuck:
        raise DataError(_no_levels(stuck))
    other = [name for name, kind in kinds.items() if kind == "other" and not columns]
    said = [f"Left out: {sentence_list(other)} (no states)."] if other else []
    chosen = [name for name in wanted if name not in other]
    if not chosen:
        raise DataError("There is no column of levels.")
    return chosen, [*source.notes, *said]


def _no_levels(names: Sequence[str]) -> str:
    return (
        f"{sentence_list(names)} {'hold' if len(names) > 1 else 'holds'} numbers, and counts are of levels: "
        "name the columns to use with columns=[...], or gather moments()."
    )


@dataclass
class _Gathered:
    """One pass over a source: codes of levels by column, and rows with how often they occur."""

    source: Source
    names: list[str]
    gaps_as: set[str]
    weights: str | None
    limit: float
    rows: int = 0
    complete: int = 0
    missing: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.codes: list[dict[Level, int]] = [{} for _ in self.names]
        self.kept: Codes = np.zeros((0, len(self.names)), dtype=np.uint8)
        self.times: NDArray[np.float64] = np.zeros(0)
        self.parts: list[tuple[Codes, NDArray[np.float64]]] = []

    def table(self, order: Sequence[str], notes: Sequence[str]) -> Table:
        """Read everything."""
        asked = self.names + ([self.weights] if self.weights else [])
        for batch in self.source.batches(asked, levels=True):
            self._add(batch)
        self._fold()
        if not len(self.kept):
            raise DataError(
                no_rows_left(self.rows, self.missing) if self.rows else "There are no rows."
            )
        ordered = [self._ordered(number) for number in range(len(self.names))]
        many = [v.name for v, _ in ordered if v.numeric and len(v.levels or ()) > FEW]
        if many:
            raise DataError(_no_levels(many))
        said = (
            [gap_note(self.rows - self.complete, self.rows, self.missing)] if self.missing else []
        )
        said.append(
            f"{self.rows} rows were read in batches and are kept as {len(self.kept)} distinct ones "
            f"({size_words(self.kept.nbytes + self.times.nbytes)})."
        )
        variables, columns = zip(*ordered, strict=True)
        table = Table(variables, columns, self.times, notes=(*notes, *said))
        return table.select([name for name in order if name in self.names])

    def _add(self, batch: Sequence[Any]) -> None:
        size = len(batch[0])
        block = np.column_stack([self._coded(i, batch[i]) for i in range(len(self.names))])
        heights = np.ones(size)
        if self.weights:
            heights = checked_weights(number_array(batch[-1]), size, some=False)
        gaps = block < 0
        for number in np.flatnonzero(gaps.any(axis=0)).tolist():
            name = self.names[number]
            self.missing[name] = self.missing.get(name, 0) + int(gaps[:, number].sum())
        full = ~gaps.any(axis=1)
        self.rows, self.complete = self.rows + size, self.complete + int(full.sum())
        wide = max(map(len, self.codes)) > 255
        self.parts.append((block[full].astype(np.uint16 if wide else np.uint8), heights[full]))
        if sum(len(times) for _, times in self.parts) > max(_FOLDED, len(self.kept)):
            self._fold()

    def _coded(self, number: int, array: Any) -> NDArray[np.int32]:
        """Codes of a batch's cells, -1 for gaps; levels get numbers in the order in which they come."""
        import pyarrow as pa
        import pyarrow.compute as pc

        name, known = self.names[number], self.codes[number]
        coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        whole = self.source.kind(name) == "number"
        found = []
        for value in coded.dictionary.to_pylist():
            level = value.strip() if isinstance(value, str) else value
            if level is None or str(level) in self.gaps_as:
                found.append(-1)
            else:
                level = _whole(name, level) if whole else level
                found.append(known.setdefault(level, len(known)))
        if len(known) > _MOST:
            raise DataError(
                f"Column {name!r} has more than {_MOST} levels: leave it out with columns=[...]."
            )
        rows = pc.fill_null(coded.indices.cast(pa.int64()), len(found)).to_numpy(
            zero_copy_only=False
        )
        codes: NDArray[np.int32] = np.array([*found, -1], dtype=np.int32)[rows]
        return codes

    def _fold(self) -> None:
        """Put equal rows together; refuse what does not fit."""
        parts = [(self.kept, self.times), *self.parts]
        type_ = np.result_type(*(block.dtype for block, _ in parts))
        block = np.ascontiguousarray(np.concatenate([block.astype(type_) for block, _ in parts]))
        times = np.concatenate([heights for _, heights in parts])
        keys = block.view(np.dtype((np.void, block.shape[1] * block.itemsize))).ravel()
        _, first, where = np.unique(keys, return_index=True, return_inverse=True)
        self.kept, self.parts = block[first], []
        self.times = np.bincount(where, times, minlength=len(first)).astype(float)
        size = self.kept.nbytes + self.times.nbytes
        if size > self.limit:
            raise DataError(
                f"The first {self.rows} rows have {len(self.kept)} distinct ones, {size_words(size)}, above "
                f"the {size_words(self.limit)} that may be used: choose fewer columns with columns=[...]."
            )

    def _ordered(self, number: int) -> tuple[Variable, NDArray[Any]]:
        """A column with its levels in order: numbers by size, words by the alphabet."""
        levels = list(self.codes[number])
        order = sorted(range(len(levels)), key=lambda code: levels[code])
        place = np.empty(len(levels), dtype=code_type(len(levels)))
        place[order] = np.arange(len(levels))
        numbers = all(isinstance(level, int) and not isinstance(level, bool) for level in levels)
        variable = Variable(
            self.names[number], tuple(levels[code] for code in order), ordered=numbers
        )
        return variable, place[self.kept[:, number]]


def _whole(name: str, value: Any) -> int:
    """A whole number, written or not."""
    try:
        return int(value)
    except (TypeError, ValueError):
        raise DataError(
            f"Column {name!r} begins with whole numbers but has {value!r} further on; if that means a gap, "
            f"say na_values=[{value!r}]."
        ) from None
