"""Definitions: levels that are given by hand, by what each of them holds.

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
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from arcwise.data.coding import Coding, as_expression, hour_of, is_clock
from arcwise.data.variable import Level, Variable
from arcwise.errors import DataError

DAY = 24.0


@dataclass(frozen=True)
class Definition:
    """Levels by hand: cuts for numbers, with the ends of each level, or a coding for text and times."""

    levels: tuple[Level, ...] | None
    cuts: tuple[float, ...] | None = None
    coding: Coding | None = None
    ends: tuple[tuple[float, float], ...] | None = None

    def variable(self, name: str) -> Variable:
        """Give the variable of these levels."""
        ordered = self.cuts is not None
        return Variable(name, self.levels, ordered, self.cuts, self.coding, self.ends)


def by_cuts(name: str, cuts: Any) -> Definition:
    """Define levels by ascending cuts; a number has as many levels below it as cuts are at most it."""
    try:
        numbers = [float(cut) for cut in cuts]
    except (TypeError, ValueError):
        raise DataError(f"The cuts of {name!r} must be a list of numbers, got {cuts!r}.") from None
    if not np.isfinite(numbers).all() or any(high <= low for low, high in pairwise(numbers)):
        raise DataError(f"The cuts of {name!r} must be finite and ascending, got {cuts!r}.")
    return Definition(None, tuple(numbers))


def by_levels(name: str, levels: Any) -> Definition:
    """Define levels by what each of them holds.

    Raises
    ------
    DataError : what is of no form, ranges that overlap, times that no level holds.

    >>> by_levels("links", {"Low": (0, 4), "Medium": (5, 10), "High": (11, None)}).cuts
    (5.0, 11.0)
    >>> by_levels("sent", {"AM": ("0:00", "6:00"), "later": None}).coding
    Coding(reads='time', marks=('00:00', '06:00'), codes=(0, 1))
    """
    if not isinstance(levels, Mapping) or not levels:
        raise DataError(
            f"The levels of {name!r} are given by what each of them holds, as in "
            f"{{'low': (0, 4), 'high': (5, None)}}, got {levels!r}."
        )
    held = [each for each in levels.values() if each is not None]
    if held and all(map(_is_range, held)):
        return _by_ranges(name, levels)
    if list(levels.values()).count(None) > 1:
        raise DataError(f"Two levels of {name!r} are for all the rest: give one of them a form.")
    if held and all(map(_are_times, held)):
        return _by_times(name, levels)
    if held and all(map(_are_patterns, held)):
        return _by_patterns(levels)
    raise DataError(
        f"The levels of {name!r} must all be ranges of numbers, such as (0, 4), all patterns of text, such "
        f"as '*.edu', or all times of day, such as ('0:00', '6:00'), got {dict(levels)!r}."
    )


def _is_range(held: Any) -> bool:
    return isinstance(held, tuple) and len(held) == 2 and all(map(_is_end, held))


def _is_end(end: Any) -> bool:
    number = isinstance(end, int | float | np.integer | np.floating) and not isinstance(end, bool)
    return end is None or (number and not np.isnan(end))


def _are_times(held: Any) -> bool:
    if isinstance(held, list):
        return bool(held) and all(map(_are_times, held))
    return isinstance(held, tuple) and len(held) == 2 and all(map(is_clock, held))


def _are_patterns(held: Any) -> bool:
    if isinstance(held, list):
        return bool(held) and all(map(_are_patterns, held))
    return isinstance(held, str | re.Pattern)


def _by_ranges(name: str, levels: Mapping[Level, Any]) -> Definition:
    if None in levels.values():
        rest = next(level for level, held in levels.items() if held is None)
        raise DataError(
            f"The level {rest!r} of {name!r} needs a range of numbers, such as (11, None)."
        )
    ends = {level: _ends(held) for level, held in levels.items()}
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


def _ends(held: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = held
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


def _by_patterns(levels: Mapping[Level, Any]) -> Definition:
    marks: list[str] = []
    codes: list[int] = []
    for code, held in enumerate(levels.values()):
        forms = held if isinstance(held, list) else [] if held is None else [held]
        marks += [as_expression(form) for form in forms]
        codes += [code] * len(forms)
    if None in levels.values():
        marks.append("")  # is found in every text
        codes.append(list(levels.values()).index(None))
    return Definition(tuple(levels), coding=Coding("text", tuple(marks), tuple(codes)))


def _by_times(name: str, levels: Mapping[Level, Any]) -> Definition:
    held = list(levels.values())
    rest = held.index(None) if None in held else None
    periods = sorted(
        (hour_of(_plain(start)), hour_of(_plain(end)), code)
        for code, each in enumerate(held)
        for start, end in ([] if each is None else each if isinstance(each, list) else [each])
    )
    marks: dict[str, int] = {}
    for number, (start, end, code) in enumerate(periods):
        following = periods[(number + 1) % len(periods)][0]
        length, free = (end - start) % DAY or DAY, (following - start) % DAY or DAY
        if length > free or (len(periods) > 1 and following == start):
            raise DataError(f"Two levels of {name!r} hold the time {_clock(following)}.")
        marks[_clock(start)] = code
        if length < free and rest is None:
            raise DataError(
                f"No level of {name!r} holds the time {_clock(end)}: give one of them None, which is all "
                "the rest."
            )
        if length < free and rest is not None:
            marks[_clock(end)] = rest
    ordered = sorted(marks, key=hour_of)
    codes = tuple(marks[mark] for mark in ordered)
    return Definition(tuple(levels), coding=Coding("time", tuple(ordered), codes))


def _plain(clock: str | datetime.time) -> str | datetime.time:
    return clock.strip() if isinstance(clock, str) else clock


def _clock(hour: float) -> str:
    """Write a time of day: to the minute, or to the second where it is not whole.

    >>> _clock(6.5), _clock(0.0), _clock(23.999722222222222)
    ('06:30', '00:00', '23:59:59')
    """
    seconds = round(hour * 3600) % 86400
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text
