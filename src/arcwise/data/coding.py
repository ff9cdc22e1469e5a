"""Codings of raw text and times of day as levels, and levels defined by the user.

A variable that was made from text or times keeps its coding, as one made from numbers keeps its cuts, so that
new raw values can be coded: an address, a time. A value that equals a level is coded as that level.

*Text* has the level of the first pattern that matches it; patterns are regular expressions of RE2
(no look-ahead, no back references), which take time in proportion to the text whatever the pattern: an
untrusted model file cannot stall a program. *Times of day* have the level of the last mark that is
not after them; those before the first mark have that of the last, since the clock is circular.

Users define a level by its values:

==========================================  =======================================================
a level holds                               given as
==========================================  =======================================================
numbers from one to another, both included  ``(0, 4)``; ``(11, None)`` and ``(None, 4)`` are open
text of a form                              ``"*.edu"`` (* any text, ? any letter), or a compiled
                                            regular expression, or a list of such
times of day, from one to before another    ``("22:00", "6:00")``, or a list of such
all the rest, of text or of times           ``None``
==========================================  =======================================================
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError
from arcwise.values import is_number, is_pair

if TYPE_CHECKING:
    from arcwise.data.variable import Level

READS = ("text", "time")
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]+)?))?"
    r"(?:\s*([aApP])\.?[mM]\.?)?"
)
_IN_TEXT = re.compile(rf"(?:^|[T\s])(?:{_CLOCK.pattern})(?=$|[\sZz+-])")
_LETTERS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))


@dataclass(frozen=True)
class Coding:
    """Marks in raw values, and the level that each of them represents.

    Parameters
    ----------
    reads : "text" or "time".
    marks : regular expressions, the first match decides; or times of day, ascending, such as "06:00".
    codes : the number of each mark's level.

    Raises
    ------
    DataError : marks and codes that do not fit, or an invalid expression or time.

    >>> Coding("text", ("[.]edu$", ""), (0, 1)).of_texts(["ann@mit.edu", "bob@web.de"])
    array([0, 1])
    >>> Coding("time", ("00:00", "06:00"), (1, 0)).of_hours(np.array([5.9, 6.0]))
    array([1, 0])
    """

    reads: str
    marks: tuple[str, ...]
    codes: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.reads not in READS:
            raise DataError(f"A coding must read {' or '.join(READS)}, got {self.reads!r}.")
        if not self.marks or len(self.marks) != len(self.codes):
            raise DataError(f"{len(self.marks)} marks of a coding have {len(self.codes)} codes.")
        if self.reads == "time" and (np.diff([hour_of(mark) for mark in self.marks]) <= 0).any():
            raise DataError(f"The times of a coding must ascend, got {self.marks!r}.")
        if self.reads == "text":
            for mark in self.marks:
                _find([""], mark)

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Return the code of each text; -1 if no pattern matches it."""
        codes = np.full(len(texts), -1, dtype=np.intp)
        for mark, code in zip(self.marks, self.codes, strict=True):
            codes[(codes < 0) & _find(texts, mark)] = code
        return codes

    def of_hours(self, hours: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the code of each time of day, in hours since midnight."""
        marks = np.array([hour_of(mark) for mark in self.marks])
        places = np.searchsorted(marks, hours, side="right") - 1
        return np.array(self.codes, dtype=np.intp)[
            places
        ]  # before the first mark is after the last

    def of_values(self, name: str, values: Sequence[Any]) -> NDArray[np.intp]:
        """Return the codes of raw values of a variable.

        Raises
        ------
        DataError : a text that no pattern matches, or an invalid time.
        """
        if self.reads == "time":
            return self.of_hours(np.array([hour_of(value, name) for value in values]))
        texts = [str(value) for value in values]
        codes = self.of_texts(texts)
        if len(codes) and codes.min() < 0:
            raise DataError(
                f"{name!r} has the value {texts[codes.argmin()]!r}, which fits no pattern of its "
                "levels: add a level with None for the rest."
            )
        return codes


def as_expression(pattern: str | re.Pattern[str]) -> str:
    r"""Write a pattern as a regular expression that carries its flags.

    A text is a glob for the whole value, in which * represents any text and ? one letter, without
    regard to case; a compiled expression may match anywhere and is unchanged.

    >>> as_expression("*.edu")
    '(?is)^.*\\.edu$'
    >>> as_expression(re.compile("edu$"))
    'edu$'
    """
    if isinstance(pattern, str):
        anything = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\ ", " ")
        return f"(?is)^{anything}$"
    flags = "".join(letter for flag, letter in _LETTERS if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def _find(texts: Sequence[str], expression: str) -> NDArray[np.bool_]:
    """Return a mask of the texts that match an expression."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        hits = pc.match_substring_regex(pa.array(texts, pa.large_string()), expression)
    except pa.ArrowInvalid as error:
        why = str(error).removeprefix("Invalid regular expression: ").rstrip(".")
        raise DataError(f"{expression!r} is not a regular expression of RE2 ({why}).") from None
    return np.asarray(hits.to_numpy(zero_copy_only=False), dtype=bool)


# -- times of day --------------------------------------------------------------------------------


def hour_of(value: Any, name: str = "") -> float:
    """Return the time of day in hours since midnight, of a text, a time or a date with a time.

    >>> hour_of("6:30"), hour_of("2024-02-01T18:15:00Z"), hour_of(datetime.time(6, 30)), hour_of("1:00 pm")
    (6.5, 18.25, 6.5, 13.0)
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.time | datetime.datetime):
        seconds = value.second + value.microsecond / 1e6
        return value.hour + value.minute / 60 + seconds / 3600
    match = _IN_TEXT.search(value) if isinstance(value, str) else None
    hour = None if match is None else _hour(*match.groups())
    if hour is None:
        what = f"The values of {name!r}" if name else "A time"
        raise DataError(
            f"{what} must be a time of day such as '6:30' or '2024-02-01 18:15', got {value!r}."
        )
    return hour


def _hour(hour: str, minute: str, second: str | None, half: str | None) -> float | None:
    """Return a time of day in hours; None if it is invalid, such as 13:00 pm or 24:30."""
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half in "pP" else 0)
    exact = hours + int(minute) / 60 + float((second or "0").replace(",", ".")) / 3600
    return None if exact > 24 else exact % 24


def is_clock(text: object) -> bool:
    """Return whether a value is a time of day alone: "6:30", or datetime.time(6, 30)."""
    return isinstance(text, datetime.time) or (
        isinstance(text, str) and _CLOCK.fullmatch(text.strip()) is not None
    )


def hours_of(array: Any) -> NDArray[np.float64]:
    """Return an Arrow array of times, or of dates with times, as hours since midnight; missing values are
    NaN.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = zip((pc.hour, pc.minute, pc.second, pc.subsecond), (1, 60, 3600, 3600), strict=True)
    hours = [pc.divide(pc.cast(part(array), pa.float64()), unit) for part, unit in parts]
    total = pc.fill_null(pc.add(pc.add(hours[0], hours[1]), pc.add(hours[2], hours[3])), np.nan)
    return np.asarray(total.to_numpy(), dtype=np.float64)


# -- definitions ---------------------------------------------------------------------------------


DAY = 24.0


@dataclass(frozen=True)
class Definition:
    """Levels defined by a user: cuts for numbers, with the ends of each level, or a coding of text and
    times.
    """

    levels: tuple[Level, ...] | None
    cuts: tuple[float, ...] | None = None
    coding: Coding | None = None
    ends: tuple[tuple[float, float], ...] | None = None


def by_cuts(name: str, cuts: Any) -> Definition:
    """Define levels by ascending cuts; the code of a number is the number of cuts that are at most it."""
    try:
        numbers = [float(cut) for cut in cuts]
    except (TypeError, ValueError):
        raise DataError(f"The cuts of {name!r} must be a list of numbers, got {cuts!r}.") from None
    if not np.isfinite(numbers).all() or any(high <= low for low, high in pairwise(numbers)):
        raise DataError(f"The cuts of {name!r} must be finite and ascending, got {cuts!r}.")
    return Definition(None, tuple(numbers))


def by_levels(name: str, levels: Any) -> Definition:
    """Define levels by the values of each.

    Raises
    ------
    DataError : an unknown form, overlapping ranges, times in no level.

    >>> by_levels("links", {"Low": (0, 4), "Medium": (5, 10), "High": (11, None)}).cuts
    (5.0, 11.0)
    >>> by_levels("sent", {"AM": ("0:00", "6:00"), "later": None}).coding
    Coding(reads='time', marks=('00:00', '06:00'), codes=(0, 1))
    """
    if not isinstance(levels, Mapping) or not levels:
        raise DataError(
            f"The levels of {name!r} must be given with their contents, as in {{'low': (0, 4), "
            f"'high': (5, None)}}, got {levels!r}."
        )
    forms = [form for form in levels.values() if form is not None]
    if forms and all(map(_is_range, forms)):
        return _by_ranges(name, levels)
    if list(levels.values()).count(None) > 1:
        raise DataError(f"Two levels of {name!r} are None, for the rest: give one of them a range.")
    if forms and all(map(_are_times, forms)):
        return _by_times(name, levels)
    if forms and all(map(_are_patterns, forms)):
        return _by_patterns(levels)
    raise DataError(
        f"The levels of {name!r} must all be ranges of numbers, such as (0, 4), all patterns of text, such "
        f"as '*.edu', or all times of day, such as ('0:00', '6:00'), got {dict(levels)!r}."
    )


def _is_range(form: Any) -> bool:
    return is_pair(form) and all(map(_is_end, form))


def _is_end(end: Any) -> bool:
    return end is None or (is_number(end) and not np.isnan(end))


def _forms(form: Any) -> list[Any]:
    """Return the values of a level as a list; empty for a level of all other values."""
    return [] if form is None else form if isinstance(form, list) else [form]


def _are_times(held: Any) -> bool:
    forms = _forms(held)
    return bool(forms) and all(is_pair(form) and all(map(is_clock, form)) for form in forms)


def _are_patterns(held: Any) -> bool:
    forms = _forms(held)
    return bool(forms) and all(isinstance(form, str | re.Pattern) for form in forms)


def _by_ranges(name: str, levels: Mapping[Level, Any]) -> Definition:
    if None in levels.values():
        rest = next(level for level, form in levels.items() if form is None)
        raise DataError(
            f"The level {rest!r} of {name!r} must have a range of numbers, such as (11, None)."
        )
    ends = {level: _ends(form) for level, form in levels.items()}
    ordered = sorted(ends, key=lambda level: ends[level])
    for level in ordered:
        if ends[level][0] > ends[level][1]:
            raise DataError(f"The level {level!r} of {name!r} ends before it begins.")
    for one, two in pairwise(ordered):
        if ends[one][1] > ends[two][0] or ends[one][0] == ends[two][0]:
            raise DataError(f"The levels {one!r} and {two!r} of {name!r} overlap.")
    cuts = tuple(ends[level][0] for level in ordered[1:])
    sides = [-np.inf, *(end for level in ordered for end in ends[level]), np.inf]
    covering = sides[0::2] == sides[1::2]  # each level ends where the next begins
    return Definition(
        tuple(ordered), cuts, ends=None if covering else tuple(ends[level] for level in ordered)
    )


def _ends(form: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = form
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


def _by_patterns(levels: Mapping[Level, Any]) -> Definition:
    marks: list[str] = []
    codes: list[int] = []
    for code, held in enumerate(levels.values()):
        forms = _forms(held)
        marks += [as_expression(form) for form in forms]
        codes += [code] * len(forms)
    if None in levels.values():
        marks.append("")  # is found in every text
        codes.append(list(levels.values()).index(None))
    return Definition(tuple(levels), coding=Coding("text", tuple(marks), tuple(codes)))


def _by_times(name: str, levels: Mapping[Level, Any]) -> Definition:
    values = list(levels.values())
    rest = values.index(None) if None in values else None
    periods = sorted(
        (hour_of(_plain(start)), hour_of(_plain(end)), code)
        for code, value in enumerate(values)
        for start, end in _forms(value)
    )
    marks: dict[str, int] = {}
    for number, (start, end, code) in enumerate(periods):
        following = periods[(number + 1) % len(periods)][0]
        length, free = (end - start) % DAY or DAY, (following - start) % DAY or DAY
        if length > free or (len(periods) > 1 and following == start):
            raise DataError(f"Two levels of {name!r} contain the time {_clock(following)}.")
        marks[_clock(start)] = code
        if length < free and rest is None:
            raise DataError(
                f"No level of {name!r} contains the time {_clock(end)}: give one level None, which "
                "means the rest."
            )
        if length < free and rest is not None:
            marks[_clock(end)] = rest
    ordered = sorted(marks, key=hour_of)
    codes = tuple(marks[mark] for mark in ordered)
    return Definition(tuple(levels), coding=Coding("time", tuple(ordered), codes))


def _plain(clock: str | datetime.time) -> str | datetime.time:
    return clock.strip() if isinstance(clock, str) else clock


def _clock(hour: float) -> str:
    """Format a time of day: to the minute, or to the second if it is not a full minute.

    >>> _clock(6.5), _clock(0.0), _clock(23.999722222222222)
    ('06:30', '00:00', '23:59:59')
    """
    seconds = round(hour * 3600) % 86400
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text
