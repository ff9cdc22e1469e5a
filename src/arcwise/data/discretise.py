"""Discretisation of columns of numbers, text or times into a few levels.

Numbers are cut by one of the methods of `cuts`, or by given cuts; text has levels by patterns, and times by
the time of day (`coding`). Each variable keeps its rule (`Variable.cuts`, `Variable.coding`), so that raw
values can be evidence in a network learned from the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.coding import Definition, by_cuts, by_levels
from arcwise.data.cuts import CUTTERS, count_values, entropy, labels, neat
from arcwise.data.frames import Raw, raw_of, table, to_arrow
from arcwise.data.kinds import row_weights, settle, small
from arcwise.data.prepare import finite_numbers, raw_column
from arcwise.data.source import check_file, name_file_in_errors, raw
from arcwise.data.table import Table
from arcwise.data.variable import (
    Column,
    Kind,
    Level,
    Variable,
    cut_codes,
    numbers_of,
    sentence_list,
)
from arcwise.errors import DataError, OptionError, close_to, unknown
from arcwise.notes import Fix, Note, data_note, mention
from arcwise.values import as_tuple, clear_calls, is_integer

METHODS = (*CUTTERS, "entropy")
"""Methods to compute cuts, by name."""

BINS, MOST_BINS = 3, 255


@clear_calls
def discretise(
    data: Any,
    method: str | None = "quantiles",
    *,
    bins: int | Mapping[str, int] | None = None,
    target: str | None = None,
    columns: Iterable[str] | None = None,
    levels: Mapping[str, Mapping[Any, Any]] | None = None,
    cuts: Mapping[str, Sequence[float]] | None = None,
    names: Mapping[str, Sequence[Any]] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    weights: str | ArrayLike | None = None,
    na_values: Iterable[object] = (),
) -> Table:
    """Turn columns of numbers, text or times into levels.

    Parameters
    ----------
    data : a table, a file's path, or whatever `table` takes. Dates and near-unique text, which a table
        omits, are available only from the file or frame itself.
    method : how to cut columns that have no entry in `levels` or `cuts`: "quantiles" (equal frequency),
        "width", "kmeans" or "entropy" (minimum description length, with a class in `target`); None keeps
        them.
    bins : number of levels, 3 by default, or a number per column; entropy chooses it.
    target : the class for entropy: a discrete column.
    columns : cut these only; by default all continuous ones.
    levels : by column, the values of each level: ``{"links": {"Low": (0, 4), "High": (5, None)}, "sender":
        {"edu": "*.edu", "other": None}, "sent": {"night": ("22:00", "6:00"), "day": None}}``.
    cuts : by column, ascending numbers: the level of a value is the number of cuts that are at most it.
    names : by column, names of the levels that cuts or a method make, lowest first.
    kinds, weights, na_values : as for `table`.

    Returns
    -------
    A table whose variables keep their cuts and codings; missing values stay missing. Its notes report
    the cuts, and equal cuts that were merged.

    Raises
    ------
    DataError : an unknown column, values in no level, infinite values, a target without levels.
    OptionError : an unknown method.

    >>> mail = {"links": [0, 3, 7, 25], "sender": ["a@mit.edu", "b@x.com", "c@x.com", "d@uni.edu"]}
    >>> found = discretise(mail, cuts={"links": [5, 11]}, names={"links": ["Low", "Medium", "High"]},
    ...                    levels={"sender": {"edu": "*.edu", "other": None}})
    >>> found.values("links").tolist(), found.values("sender").tolist()
    (['Low', 'Low', 'Medium', 'High'], ['edu', 'other', 'other', 'edu'])
    """
    wanted = _Wishes(method, bins, target, columns, levels, cuts, names)
    return wanted.apply(_table(data, wanted, _TableOptions(kinds or {}, weights, tuple(na_values))))


class _Wishes:
    """The options of `discretise`, checked as far as possible without a table.

    `given` are user-defined levels, by column.
    """

    def __init__(
        self,
        method: str | None,
        bins: int | Mapping[str, int] | None,
        target: str | None,
        columns: Iterable[str] | None,
        levels: Mapping[str, Mapping[Any, Any]] | None,
        cuts: Mapping[str, Sequence[float]] | None,
        names: Mapping[str, Sequence[Any]] | None,
    ) -> None:
        if method is not None and method not in METHODS:
            raise unknown("method of making categories", method, METHODS)
        if method == "entropy" and target is None:
            raise OptionError(
                "{method=} cuts for a class: give its column as {target=}.",
                fixes=[mention("method", "entropy"), Fix("target")],
            )
        if method != "entropy" and target is not None:
            raise OptionError(
                "{target=} is for {method=}, got {method=}.",
                fixes=[Fix("target"), mention("method", "entropy"), mention("method", method)],
            )
        if method == "entropy" and bins is not None:
            raise OptionError(
                "{method=} chooses the number of levels: leave {bins=} out.",
                fixes=[mention("method", "entropy"), Fix("bins")],
            )
        if isinstance(bins, Mapping):
            self.bins_of, self.bins = bins, BINS
        else:
            self.bins_of, self.bins = {}, BINS if bins is None else bins
        for count in (self.bins, *self.bins_of.values()):
            if not is_integer(count) or not 2 <= count <= MOST_BINS:
                raise DataError(f"bins must be an integer from 2 to {MOST_BINS}, got {count!r}.")
        twice = sorted(set(levels or {}) & set(cuts or {}))
        if twice:
            raise DataError(
                f"{sentence_list(twice)} is in both {{levels=}} and {{cuts=}}: choose one.",
                fixes=[Fix("levels"), Fix("cuts")],
            )
        self.given = {name: by_levels(name, form) for name, form in (levels or {}).items()}
        self.given |= {name: by_cuts(name, bounds) for name, bounds in (cuts or {}).items()}
        self.columns = None if columns is None else as_tuple(columns)
        self.names = {name: tuple(labels) for name, labels in (names or {}).items()}
        self.method, self.target = method, target

    def apply(self, source: Table) -> Table:
        """Discretise the columns of a table; columns that have levels already are unchanged."""
        chosen_names = self._chosen(source)
        classes = self._classes(source) if self.target is not None else None
        fresh: dict[str, tuple[Variable, Column]] = {}
        notes: list[Note | None] = []
        for name in (*self.given, *chosen_names):
            variable, column, note = self._made(source, name, classes)
            fresh[name] = variable, column
            notes.append(note)
        if chosen_names:
            notes.insert(
                0,
                data_note(
                    f"Cut by {self.method}: {sentence_list(chosen_names)}.", tuple(chosen_names)
                ),
            )
        pairs = zip(source.variables, source.columns, strict=True)
        both = [fresh.get(variable.name, (variable, column)) for variable, column in pairs]
        made = replace(
            source,
            variables=tuple(variable for variable, _ in both),
            columns=tuple(column for _, column in both),
            fixed=source.fixed | frozenset(fresh),
        )
        return made.with_notes(*filter(None, notes))

    def _chosen(self, source: Table) -> list[str]:
        """Return the columns that the method cuts, in the user's order."""
        for name in (*self.given, *self.names, *(self.columns or ()), *self.bins_of):
            source.index(name)
        both = sorted(set(self.given) & set(self.columns or ()))
        if both:
            raise DataError(
                f"{sentence_list(both)} has levels from {{levels=}} or {{cuts=}}: leave it "
                "out of {columns=}.",
                fixes=[Fix("levels"), Fix("cuts"), Fix("columns")],
            )
        if self.method is None:
            return []
        if self.columns is not None:
            return [name for name in self.columns if name != self.target]
        return [
            name
            for name in source.order
            if name not in self.given and name != self.target and not source.variable(name).discrete
        ]

    def _classes(self, source: Table) -> tuple[Column, int]:
        """Return the codes of the class, and the number of its levels."""
        name = str(self.target)
        variable, column = source.variable(name), source.column(name)
        if variable.levels is None:
            raise DataError(
                f"The target {name!r} must be discrete for {{method=}}: use {{kinds=}}, or cut "
                "it first.",
                fixes=[mention("method", "entropy"), Fix("kinds")],
            )
        return column, len(variable.levels)

    def _made(
        self, source: Table, name: str, classes: tuple[Column, int] | None
    ) -> tuple[Variable, Column, Note | None]:
        """Return a variable with levels, its codes, and a note if needed."""
        definition = self.given.get(name)
        if definition is not None and definition.coding is not None:
            return self._coded(source, name, definition)
        numbers = finite_numbers(name, numbers_of(source.variable(name), source.column(name)))
        if definition is not None:
            cuts, note = np.array(definition.cuts), None
        else:
            cuts, note = self._found(source, name, numbers, classes)
        levels = definition.levels if definition and definition.levels else labels(cuts)
        ends = definition.ends if definition else None
        names = self._named(name, levels, note)
        variable = Variable(name, names, True, tuple(cuts.tolist()), ends=ends)
        return variable, cut_codes(variable, numbers), note

    def _coded(
        self, source: Table, name: str, definition: Definition
    ) -> tuple[Variable, Column, Note | None]:
        """Return a variable and codes for a column that holds text or times as levels."""
        variable = Variable(name, definition.levels, coding=definition.coding)
        if source.variable(name) == variable:
            return variable, source.column(name), None
        if not source.variable(name).discrete:
            raise DataError(f"The levels of {name!r} are for text or times, but it is numeric.")
        array = to_arrow(source.select([name])).column(0)
        return variable, raw_column(variable, array, source.rows), None

    def _named(self, name: str, levels: tuple[Level, ...], note: Note | None) -> tuple[Level, ...]:
        names = self.names.get(name, levels)
        if len(names) != len(levels):
            why = f" ({str(note).rstrip('.')})" if note else ""
            raise DataError(
                f"{name!r} has {len(levels)} level{'s' * (len(levels) != 1)}{why}, but {len(names)} names."
            )
        return names

    def _found(
        self,
        source: Table,
        name: str,
        numbers: NDArray[np.float64],
        classes: tuple[Column, int] | None,
    ) -> tuple[NDArray[np.float64], Note | None]:
        """Return the cuts of a column by the method, and a note if they are fewer than requested."""
        if classes is not None:
            values, counts = count_values(numbers, source.weights, *classes)
            cuts = entropy(values, counts) if len(values) else np.zeros(0)
            return neat(values, cuts), None if len(cuts) else data_note(
                f"No cut of {name!r} is informative about {self.target!r}: it has one level.",
                (name,),
            )
        bins = self.bins_of.get(name, self.bins)
        values, counts = count_values(numbers, source.weights, np.zeros(len(numbers), np.uint8), 1)
        if len(values) < 2:
            return np.zeros(0), data_note(f"{name!r} is constant: it has one level.", (name,))
        cuts = neat(values, CUTTERS[str(self.method)](values, counts[:, 0], bins))
        fewer = (
            f"{name!r} has {len(cuts) + 1} levels in place of {bins}: equal cut points are merged."
        )
        return cuts, data_note(fewer, (name,)) if len(cuts) + 1 < bins else None


# -- tables ----------------------------------------------------------------------------------------


class _TableOptions(NamedTuple):
    """Options of `table` for raw columns."""

    kinds: Mapping[str, Kind]
    weights: str | ArrayLike | None
    na_values: tuple[object, ...]


def _table(data: Any, wanted: _Wishes, reading: _TableOptions) -> Table:
    """Return a table of any data, with text and times coded by the user-defined levels."""
    if isinstance(data, Table):
        for name, definition in wanted.given.items():
            if definition.coding is not None and name not in data.names:
                raise DataError(
                    f"There is no column {name!r} in the table. {close_to(name, data.order)} "
                    "Tables drop dates and text with nearly as many values as rows: give the "
                    "file or the frame."
                )
        return table(data, **reading._asdict())
    if isinstance(data, str | os.PathLike):
        file = check_file(data)
        with name_file_in_errors(file):
            return _encode(raw(file, reading.na_values), wanted, reading)
    return _encode(data if isinstance(data, Raw) else raw_of(data), wanted, reading)


def _encode(found: Raw, wanted: _Wishes, reading: _TableOptions) -> Table:
    """Make a table of raw columns, in which columns with a user-defined coding are coded directly."""
    present = dict(zip(found.names, found.arrays, strict=True))
    for name in wanted.given:
        if name not in present:
            raise DataError(f"There is no column {name!r}. {close_to(name, found.names)}")
    made: dict[str, tuple[Variable, Column]] = {}
    for name, definition in wanted.given.items():
        if definition.coding is not None:
            variable = Variable(name, definition.levels, coding=definition.coding)
            array = _without_marks(present[name], reading.na_values)
            made[name] = variable, raw_column(variable, array, found.rows)
    rest = tuple(name for name in found.names if name not in made)
    numbers = {*wanted.given, *(wanted.columns or ())}.intersection(rest)
    numeric: dict[str, Kind] = dict.fromkeys(numbers, "continuous")
    heights, weighing = row_weights(found, reading.weights)
    settled = None
    if set(rest) - {weighing}:
        remaining = replace(found, names=rest, arrays=tuple(present[name] for name in rest))
        kinds = {**numeric, **reading.kinds}
        settled = settle(remaining, **reading._replace(kinds=kinds)._asdict())
    return _join(settled, made, found, heights)


def _without_marks(array: Any, na_values: tuple[object, ...]) -> Any:
    """Return the array with missing values in place of the values that mean "missing"."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not na_values:
        return array
    marks = pa.array([str(value) for value in na_values])
    return pc.if_else(pc.is_in(array.cast(pa.string()), value_set=marks), None, array)


def _join(
    settled: Table | None,
    made: Mapping[str, tuple[Variable, Column]],
    found: Raw,
    weights: NDArray[np.float64] | None,
) -> Table:
    """Return the coded columns and the other columns as one table."""
    variables = [variable for variable, _ in made.values()]
    columns = [column for _, column in made.values()]
    if settled is None:
        order = tuple(name for name in found.names if name in made)
        return Table(tuple(variables), tuple(columns), weights, order=order, notes=found.notes)
    kept, early = {*settled.names, *made}, small(settled)  # said before all columns were there
    result = replace(
        settled,
        variables=(*settled.variables, *variables),
        columns=(*settled.columns, *columns),
        order=tuple(name for name in found.names if name in kept),
        notes=tuple(note for note in settled.notes if note not in early),
    )
    return result.with_notes(*small(result))
