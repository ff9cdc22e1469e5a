"""Variables in Arcwise's own files: a name, and of a discrete one its levels and what makes them.

::

    {"name": "links", "levels": ["Low", "High"], "ordered": true, "cuts": [5.0],
     "ends": [[0.0, 4.0], [5.0, null]]}
    {"name": "sender", "levels": ["edu", "other"], "ordered": false,
     "coding": {"reads": "text", "marks": ["(?is)^.*\\\\.edu$", ""], "codes": [0, 1]}}
"""

from __future__ import annotations

from itertools import pairwise
from math import inf, isinf, isnan
from typing import Any

from arcwise.data import Coding, Variable
from arcwise.errors import FileError
from arcwise.io.values import Codec


def write_variable(variable: Variable, codec: Codec) -> dict[str, Any]:
    """Give a variable as what ``json`` can write."""
    entry: dict[str, Any] = {"name": variable.name}
    if variable.levels is not None:
        entry["levels"] = codec.encode(list(variable.levels))
        entry["ordered"] = variable.ordered
    if variable.cuts is not None:
        entry["cuts"] = codec.encode(list(variable.cuts))
    if variable.ends is not None:
        entry["ends"] = [[None if isinf(end) else end for end in each] for each in variable.ends]
    if variable.coding is not None:
        marks, codes = list(variable.coding.marks), list(variable.coding.codes)
        entry["coding"] = {"reads": variable.coding.reads, "marks": marks, "codes": codes}
    return entry


def read_variable(entry: Any, codec: Codec) -> Variable:
    """Make a variable from what ``json`` read; FileError or DataError for what is none."""
    name = of_type(of_type(entry, dict, "node")["name"], str, "name")
    if "levels" not in entry:
        return Variable(name)
    levels = tuple(codec.decode(of_type(entry["levels"], list, "levels")))
    if not all(isinstance(level, str | int | float | bool) for level in levels):
        raise FileError(f"a level of {name!r} is neither text nor a number")
    if not levels or any(isnan(level) for level in levels if isinstance(level, float)):
        raise FileError(f"the levels of {name!r} must be one or more texts or numbers")
    ordered = of_type(entry.get("ordered", False), bool, "ordered")
    cuts = codec.decode(entry["cuts"]) if "cuts" in entry else None
    known = None if cuts is None else tuple(map(float, cuts))
    if known and not all(low < high for low, high in pairwise((-inf, *known, inf))):
        raise FileError(f"the cuts of {name!r} must be finite and ascending")
    coding, ends = _read_coding(entry.get("coding")), _read_ends(entry.get("ends"), name)
    if ends is not None and (known is None or len(ends) != len(known) + 1):
        raise FileError(f"the ends of the levels of {name!r} do not go with its cuts")
    return Variable(name, levels, ordered, known, coding, ends)


def _read_ends(entry: Any, name: str) -> tuple[tuple[float, float], ...] | None:
    """The ends of levels given by hand; None in a file for one that is open."""
    if entry is None:
        return None
    pairs = of_type(entry, list, "list of ends")
    if not all(isinstance(each, list) and len(each) == 2 for each in pairs):
        raise FileError(f"the ends of the levels of {name!r} must be pairs")
    for each in (end for pair in pairs for end in pair if end is not None):
        if isinstance(each, bool) or not isinstance(each, int | float) or isnan(each):
            raise FileError(f"the ends of the levels of {name!r} must be numbers")
    return tuple(
        (-inf if low is None else float(low), inf if high is None else float(high))
        for low, high in pairs
    )


def _read_coding(entry: Any) -> Coding | None:
    if entry is None:
        return None
    found = of_type(entry, dict, "coding")
    reads = of_type(found["reads"], str, "coding's entry 'reads'")
    marks = [of_type(each, str, "mark") for each in of_type(found["marks"], list, "marks")]
    codes = [of_type(each, int, "code") for each in of_type(found["codes"], list, "codes")]
    return Coding(reads, tuple(marks), tuple(codes))


def of_type(value: Any, wanted: type, what: str) -> Any:
    """Give a value that is of the type wanted; else say what is wrong in the file."""
    if not isinstance(value, wanted):
        raise FileError(f"a {what} in it is of type {type(value).__name__}, not {wanted.__name__}")
    return value
