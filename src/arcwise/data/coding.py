"""Codings: how raw text, or the time of day, becomes a level.

A variable that was made from text or from times keeps its coding, as one made from numbers keeps its cuts,
so that new raw values can be asked about: an address, a moment. A value that is a level is that level.

*Text* goes to the level of the first pattern that is found in it; patterns are regular expressions of RE2
(no look-ahead, no back references), which take time in proportion to the text whatever the pattern: a
model file from a stranger cannot hang a program. *Times of day* go to the level of the last mark that is
not after them, and those before the first mark to that of the last: the clock is a circle.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError

READS = ("text", "time")
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]+)?))?"
    r"(?:\s*([aApP])\.?[mM]\.?)?"
)
_IN_TEXT = re.compile(rf"(?:^|[T\s])(?:{_CLOCK.pattern})(?=$|[\sZz+-])")
_LETTERS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))


@dataclass(frozen=True)
class Coding:
    """Marks in raw values, and the level that each of them stands for.

    Parameters
    ----------
    reads : "text" or "time".
    marks : regular expressions, the first that is found counts; or times of day, ascending, such as "06:00".
    codes : the number of each mark's level.

    Raises
    ------
    DataError : marks and codes that do not fit, or an expression or a time that is none.

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
            raise DataError(f"A coding reads {' or '.join(READS)}, not {self.reads!r}.")
        if not self.marks or len(self.marks) != len(self.codes):
            raise DataError(f"{len(self.marks)} marks of a coding have {len(self.codes)} codes.")
        if self.reads == "time" and (np.diff([hour_of(mark) for mark in self.marks]) <= 0).any():
            raise DataError(f"The times of a coding have to ascend, but are {self.marks!r}.")
        if self.reads == "text":
            for mark in self.marks:
                _found([""], mark)

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Give the code of each text; -1 where no pattern is found in it."""
        codes = np.full(len(texts), -1, dtype=np.intp)
        for mark, code in zip(self.marks, self.codes, strict=True):
            codes[(codes < 0) & _found(texts, mark)] = code
        return codes

    def of_hours(self, hours: NDArray[np.float64]) -> NDArray[np.intp]:
        """Give the code of each time of day, in hours since midnight."""
        marks = np.array([hour_of(mark) for mark in self.marks])
        places = np.searchsorted(marks, hours, side="right") - 1
        return np.array(self.codes, dtype=np.intp)[
            places
        ]  # before the first mark is after the last

    def of_values(self, name: str, values: Sequence[Any]) -> NDArray[np.intp]:
        """Give the codes of raw values of a variable.

        Raises
        ------
        DataError : a text without any of the patterns, or what is no time.
        """
        if self.reads == "time":
            return self.of_hours(np.array([hour_of(value, name) for value in values]))
        texts = [str(value) for value in values]
        codes = self.of_texts(texts)
        if len(codes) and codes.min() < 0:
            raise DataError(
                f"{name!r} has the value {texts[codes.argmin()]!r}, which fits no pattern of its levels: "
                "name a level for all the rest."
            )
        return codes


def as_expression(pattern: str | re.Pattern[str]) -> str:
    r"""Write a pattern as a regular expression that carries its flags.

    A text is a glob for the whole value, in which * stands for any text and ? for one letter, small and
    capital letters alike; a compiled expression is looked for anywhere and stays as it is.

    >>> as_expression("*.edu")
    '(?is)^.*\\.edu$'
    >>> as_expression(re.compile("edu$"))
    'edu$'
    """
    if isinstance(pattern, str):
        return f"(?is)^{_any(pattern)}$"
    flags = "".join(letter for flag, letter in _LETTERS if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def _any(glob: str) -> str:
    return re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\ ", " ")


def _found(texts: Sequence[str], expression: str) -> NDArray[np.bool_]:
    """Say in which texts an expression is found."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pc.match_substring_regex(pa.array(texts, pa.large_string()), expression)
    except pa.ArrowInvalid as error:
        why = str(error).removeprefix("Invalid regular expression: ").rstrip(".")
        raise DataError(f"{expression!r} is not a regular expression of RE2 ({why}).") from None
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


# -- times of day --------------------------------------------------------------------------------


def hour_of(value: Any, name: str = "") -> float:
    """Give the time of day in hours since midnight, of a text, a time or a date with a time.

    >>> hour_of("6:30"), hour_of("2024-02-01T18:15:00Z"), hour_of(datetime.time(6, 30)), hour_of("1:00 pm")
    (6.5, 18.25, 6.5, 13.0)
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.time | datetime.datetime):
        seconds = value.second + value.microsecond / 1e6
        return value.hour + value.minute / 60 + seconds / 3600
    found = _IN_TEXT.search(value) if isinstance(value, str) else None
    hour = None if found is None else _hour(*found.groups())
    if hour is None:
        where = (
            f"{name!r} has the value {value!r}, where" if name else f"{value!r} was given, where"
        )
        raise DataError(f"{where} a time of day such as '6:30' or '2024-02-01 18:15' is needed.")
    return hour


def _hour(hour: str, minute: str, second: str | None, half: str | None) -> float | None:
    """The hours of a time in its parts; None of one that is none, as 13:00 pm or 24:30."""
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half in "pP" else 0)
    exact = hours + int(minute) / 60 + float((second or "0").replace(",", ".")) / 3600
    return None if exact > 24 else exact % 24


def is_clock(text: object) -> bool:
    """Say whether a value is a time of day alone: "6:30", or datetime.time(6, 30)."""
    return isinstance(text, datetime.time) or (
        isinstance(text, str) and _CLOCK.fullmatch(text.strip()) is not None
    )


def hours_of(array: Any) -> NDArray[np.float64]:
    """Give an Arrow array of times, or of dates with times, as hours since midnight; gaps are NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = zip((pc.hour, pc.minute, pc.second, pc.subsecond), (1, 60, 3600, 3600), strict=True)
    hours = [pc.divide(pc.cast(part(array), pa.float64()), unit) for part, unit in parts]
    total = pc.fill_null(pc.add(pc.add(hours[0], hours[1]), pc.add(hours[2], hours[3])), np.nan)
    return np.asarray(total.to_numpy(), dtype=np.float64)
