"""Streams: the counts of levels of a file that need not fit into memory; moments are in `moment_stream`.

Networks of discrete variables are learned from counts, so a row that occurs a thousand times is
kept once, with a weight. Each batch becomes codes of one or two bytes per cell and is appended; whenever the
rows have doubled, equal rows are merged. Memory is that of one batch and of the distinct rows, at one byte
per cell if no column has more than 255 levels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.data.batches import Pass, Use, open_source
from arcwise.data.folds import with_copies
from arcwise.data.kinds import FEW, left_out_note
from arcwise.data.memory import available, size_words
from arcwise.data.moment_stream import Totals, check_policy, moments_of
from arcwise.data.moments import Moments
from arcwise.data.source import GAPS
from arcwise.data.table import Table
from arcwise.data.variable import Level, Variable, code_type, sentence_list
from arcwise.errors import DataError
from arcwise.notes import Fix, data_note
from arcwise.values import clear_calls

Codes = NDArray[Any]
Floats = NDArray[np.float64]

_FOLDED = 1 << 16  # rows that are gathered at least before equal ones are folded together
_MOST = 1 << 16  # levels of a column
_TRUTH = {"true": True, "false": False}


@clear_calls
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
    copies: str = "apart",
) -> Table:
    """Return the distinct rows of a file of levels, read in batches; weights are their counts.

    Parameters
    ----------
    path, separator, decimal, encoding : as for ``read``; a file of any size.
    columns : the names to use; None for all columns of text, booleans and integers.
    na_values : further values that mean "missing"; rows with missing values are left out and counted.
    weights : the name of the column of row weights.
    memory : bytes that the rows may take; None for half of the available memory.
    copies : as for ``table``: "together" if equal rows repeat one measurement.

    Returns
    -------
    A table with weights, a source for every discrete learner; its notes report the number of merged rows.

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
    layout = (separator, decimal, encoding)
    with open_source(path, columns, na_values=na_values, weights=weights, asked=layout) as file:
        return with_copies(counts_of(file, memory), copies)


def gather_file(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    drop: Collection[str] = (),
    na_values: Iterable[object] = (),
    weights: str | None = None,
    levels: bool | None = None,
    copies: str = "apart",
    missing: str = "auto",
) -> Table | Moments:
    """Return the counts of levels or the moments of numbers of a file, read in batches.

    Parameters
    ----------
    path, columns, na_values, weights, copies : as for ``counts``.
    drop : columns to omit.
    missing : as for ``moments``; rows of levels with missing values are dropped.
    levels : whether columns are levels; None to decide by the rules for kinds: they are if some column
        has words or booleans, or all have integers with few values.
    """
    check_policy(missing)
    marks = tuple(na_values)
    start = partial(open_source, path, columns, drop=drop, na_values=marks, weights=weights)
    with start() as file:
        uses = set(file.uses().values())
        if levels or (levels is None and uses & {"text", "truth"}):
            return with_copies(counts_of(file), copies)
        if levels is None and "number" not in uses and "whole" in uses:
            with suppress(NotLevelsError):
                return with_copies(counts_of(file), copies)
    if copies != "apart":
        raise DataError(
            "Moments have no rows: leave {copies=} out, or read the table.", fixes=[Fix("copies")]
        )
    with start() as file:
        return moments_of(file, missing)


def counts_of(file: Pass, memory: float | None = None) -> Table:
    """Return the distinct rows of an open file; numbers that are not levels are an error."""
    uses = file.uses()
    stuck = [name for name, use in uses.items() if use == "number"]
    if stuck:
        raise NotLevelsError.of(stuck)
    other = [name for name, use in uses.items() if use == "other" and not file.named]
    names = [name for name in uses if name not in other]
    if not names:
        raise DataError("There is no column of levels.")
    limit = available() / 2 if memory is None else memory
    table = _Pass(file, [(name, uses[name]) for name in sorted(names)], limit).table()
    notes = file.notes(other, "no states")
    return table.select([name for name in names if name in table.names]).with_notes(*notes)


class NotLevelsError(DataError):
    """Columns of numbers in a file of levels."""

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """Return the error for these columns."""
        return cls(
            f"{sentence_list(names)} {'hold' if len(names) > 1 else 'holds'} numbers, but counts need "
            "levels: choose columns with {columns=}, or cut the numbers into levels first, with "
            "{discretise()}.",
            fixes=[Fix("columns", [...]), Fix(verb="discretise")],
        )


class _Column:
    """One column: its levels with their codes, in the order of occurrence.

    Many integers are not levels; if they number the rows, `span` has totals and the column is dropped.
    """

    def __init__(self, name: str, use: Use, na_values: Iterable[object]) -> None:
        self.name, self.use = name, use
        self.codes: dict[Level, int] = {}
        self.gaps = {"", *map(str, na_values), *(GAPS if use == "whole" else ())}
        self.ordered = use == "whole"
        self.rows = 0
        self.span: Totals | None = None

    def coded(self, array: Any) -> NDArray[np.int32]:
        """Return the codes of a batch's cells, -1 if missing; 0 for all once there are too many numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        self.ordered |= coded.type.ordered  # declared levels keep their order
        codes_of = [self._code(value) for value in coded.dictionary.to_pylist()]
        rows = pc.fill_null(coded.indices.cast(pa.int64()), len(codes_of)).to_numpy(
            zero_copy_only=False
        )
        codes: NDArray[np.int32] = np.array([*codes_of, -1], dtype=np.int32)[rows]
        if self.use == "whole" and (self.span or len(self.codes) > FEW):
            self._leave(codes)
            return np.minimum(codes, 0)
        if len(self.codes) > _MOST:
            raise DataError(
                f"Column {self.name!r} has more than {_MOST} levels: choose other columns with "
                "{columns=}.",
                fixes=[Fix("columns", [...])],
            )
        self.rows += len(codes)
        return codes

    def _leave(self, codes: NDArray[np.int32]) -> None:
        """Stop coding; continue only if the numbers so far, each of them once, may number the rows."""
        if (codes < 0).any() or self.rows + len(codes) > len(self.codes):
            raise NotLevelsError.of([self.name])
        self.span = self.span or Totals(1)
        self.span.add(np.array(list(self.codes), dtype=float)[:, None])
        self.codes, self.rows = {}, 0

    def _code(self, value: Any) -> int:
        level = value.strip() if isinstance(value, str) else value
        if level is None or str(level) in self.gaps:
            return -1
        if self.use == "whole":
            level = self._read(int, level, "integers")
        elif self.use == "truth" and isinstance(level, str):
            level = self._read(lambda text: _TRUTH[text.lower()], level, "booleans")
        return self.codes.setdefault(level, len(self.codes))

    def _read(self, make: Callable[[Any], Level], value: Any, kind: str) -> Level:
        try:
            return make(value)
        except (TypeError, ValueError, KeyError):
            raise DataError(
                f"Column {self.name!r} begins with {kind} but has {value!r} later; if that means missing, "
                f"give {{na_values=}}.",
                fixes=[Fix("na_values", [value])],
            ) from None

    def settled(self, codes: NDArray[Any]) -> tuple[Variable, NDArray[Any]]:
        """Return the variable with ordered levels (by size, or by the alphabet), and its codes."""
        levels = list(self.codes)
        declared = self.ordered and self.use == "text"
        order = sorted(range(len(levels)), key=None if declared else levels.__getitem__)
        rank = np.empty(len(levels), dtype=code_type(len(levels)))
        rank[order] = np.arange(len(levels))
        ordered = tuple(levels[code] for code in order)
        return Variable(self.name, ordered, ordered=self.ordered), rank[codes]


class _Pass:
    """One pass over a file: distinct rows of codes with their counts."""

    def __init__(self, file: Pass, columns: Sequence[tuple[str, Use]], limit: float) -> None:
        self.file, self.limit = file, limit
        self.columns = [_Column(name, use, file.na_values) for name, use in columns]
        self.names = [column.name for column in self.columns]
        self.kept: Codes = np.zeros((0, len(columns)), dtype=np.uint8)
        self.times: Floats = np.zeros(0)
        self.parts: list[tuple[Codes, Floats]] = []

    def table(self) -> Table:
        """Read the whole file."""
        for batch, heights in self.file.batches(self.names, levels=True):
            self._add(batch, heights)
        self._fold()
        self.file.check()
        numbering = [column for column in self.columns if column.span]
        spans = [(column.name, column.span) for column in numbering if column.span]
        stuck = [name for name, span in spans if not span.consecutive(span.moments([name])).all()]
        if stuck:
            raise NotLevelsError.of(stuck)
        kept = (
            f"{len(self.kept)} distinct ones ({size_words(self.kept.nbytes + self.times.nbytes)})"
        )
        notes = [data_note(f"{self.file.rows} rows were read in batches and are kept as {kept}.")]
        if numbered := [column.name for column in numbering]:
            notes.insert(0, left_out_note(numbered, "consecutive numbers of the rows"))
        pairs = [
            column.settled(self.kept[:, number])
            for number, column in enumerate(self.columns)
            if not column.span
        ]
        variables, columns = zip(*pairs, strict=True)
        return Table(variables, columns, self.times, notes=tuple(notes))

    def _add(self, batch: Sequence[Any], weights: Floats | None) -> None:
        pairs = zip(self.columns, batch, strict=True)
        block = np.column_stack([column.coded(array) for column, array in pairs])
        full = self.file.complete(self.names, block < 0)
        heights = np.ones(len(block)) if weights is None else weights
        wide = max(len(column.codes) for column in self.columns) > 255
        self.parts.append((block[full].astype(np.uint16 if wide else np.uint8), heights[full]))
        if sum(len(times) for _, times in self.parts) > max(_FOLDED, len(self.kept)):
            self._fold()

    def _fold(self) -> None:
        """Merge equal rows; raise an error if they do not fit into memory."""
        parts = [(self.kept, self.times), *self.parts]
        type_ = np.result_type(*(block.dtype for block, _ in parts))
        block = np.ascontiguousarray(np.concatenate([block.astype(type_) for block, _ in parts]))
        block[:, [column.span is not None for column in self.columns]] = 0
        times = np.concatenate([heights for _, heights in parts])
        keys = block.view(np.dtype((np.void, block.shape[1] * block.itemsize))).ravel()
        _, first, where = np.unique(keys, return_index=True, return_inverse=True)
        self.kept, self.parts = block[first], []
        self.times = np.bincount(where, times, minlength=len(first)).astype(float)
        size = self.kept.nbytes + self.times.nbytes
        if size > self.limit:
            raise DataError(
                f"The first {self.file.rows} rows have {len(self.kept)} distinct ones, {size_words(size)}, "
                f"above the {size_words(self.limit)} that may be used: choose fewer columns with "
                "{columns=}.",
                fixes=[Fix("columns", [...])],
            )
