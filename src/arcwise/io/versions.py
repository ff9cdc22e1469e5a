"""What earlier versions of the format called things.

Files of versions 1 and 2 are read for ever. A document of theirs is brought to the names of today before
anything else looks at it, by one table for each version: what stood where, and what it is called now. Where a
name stood is the name of what it stood in: ``nodes`` (also those of blanket models), ``about``, ``words`` and
``options`` inside that, ``edges``, ``tuning``, ``joint``; of the fields of a fitted local model it is the
model's word, such as ``parzen``.

**The names on the left are history and never change.** When a field or an option gets a new name, only the
right side of its line does, or a line is added; what has no line is called today what it was called then.
"""

from collections.abc import Mapping
from typing import Any

VERSION = 3
"""The version that is written."""

_FIRST = {
    "about.words": "settings",
    "options.widths": "bandwidths",
    "options.floor": "min_bandwidth",
    "options.tail": "tail_weight",
    "options.count": "n_penalties",
    "options.least": "min_ratio",
    "options.turns": "rotations",
    "parzen.widths": "bandwidths",
    "parzen.tail": "tail_weight",
    "parzen.at_floor": "at_minimum",
    "gaussian.at_floor": "at_floor",
    "gaussian.passed": "redundant",
}

EARLIER: dict[int, Mapping[str, str]] = {1: _FIRST, 2: _FIRST}
"""Of each earlier version: where.name to the name of today."""


def translated(document: dict[str, Any]) -> dict[str, Any]:
    """A document of any version in the names of today.

    >>> old = {"version": 1, "about": {"words": {"model": "parzen"}}, "nodes": []}
    >>> translated(old) == old | {"about": {EARLIER[1]["about.words"]: {"model": "parzen"}}}
    True
    """
    names = EARLIER.get(document["version"])
    return document if names is None else _renamed("", document, names)


def _renamed(place: str, value: Any, names: Mapping[str, str]) -> Any:
    """A value with every name in it that of today; numbers of arrays are not looked at."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_renamed(place, item, names) for item in value]
    if not isinstance(value, dict) or "$array" in value:
        return value
    model = str(value.get("model"))
    return {
        names.get(f"{place}.{name}", name): _renamed(
            model if name == "fields" else name, inner, names
        )
        for name, inner in value.items()
    }
