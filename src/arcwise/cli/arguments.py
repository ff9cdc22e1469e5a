"""How things are typed: names, numbers, arcs, events and settings as values, and words for the shell.

A name may hold any sign. Lists of names are separated by commas, and a name that holds a comma
stands in double quotes, as in a CSV file. ``name=value`` is cut at its last ``=``.
"""

import csv
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arcwise.errors import DataError

Bounds = tuple[float | None, float | None]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SIGN = r"(<=|>=|<|>)"
_BETWEEN = re.compile(rf"({_NUMBER})\s*{_SIGN}\s*(.+?)\s*{_SIGN}\s*({_NUMBER})")
_PAIR = re.compile(r'\s*"((?:[^"]|"")*)"\s*,\s*"((?:[^"]|"")*)"\s*')
_NAME_FIRST = re.compile(rf"(.+?)\s*{_SIGN}\s*({_NUMBER})")
_EQUAL = re.compile(r"([^<>]*[^<>=\s])\s*==?\s*([^<>=\s][^<>=]*)")
_NAME_LAST = re.compile(rf"({_NUMBER})\s*{_SIGN}\s*(.+)")


def names(texts: Iterable[str]) -> list[str]:
    """Give the names in lists separated by commas.

    >>> names(["a,b", '"c, d"'])
    ['a', 'b', 'c, d']
    """
    found = [cell.strip() for row in csv.reader(texts, skipinitialspace=True) for cell in row]
    return [name for name in found if name]


def arcs(texts: Iterable[str]) -> list[str | tuple[str, str]]:
    """Give arcs for rules: ``a -> b`` or ``a -- b`` as it is, and ``"a","b"`` as a pair.

    The last form is for names that hold such signs themselves.

    >>> arcs(["a -> b", '"x -> y","z"'])
    ['a -> b', ('x -> y', 'z')]
    """
    found: list[str | tuple[str, str]] = []
    for text in texts:
        pair = _PAIR.fullmatch(text)
        ends = pair and tuple(end.replace('""', '"') for end in pair.groups())
        found.append((ends[0], ends[1]) if ends else text)
    return found


def assignments(texts: Iterable[str], option: str) -> dict[str, str]:
    """Take ``name=value`` apart, at the last equals sign.

    >>> assignments(["a=1", "b=c=2"], "--given")
    {'a': '1', 'b=c': '2'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.rpartition("="))
        if not (sign and name and value):
            raise DataError(f"{option} must be written as name=value, got {text!r}.")
        if name in found:
            raise DataError(f"{option} names {name!r} twice.")
        found[name] = value
    return found


def number(text: str) -> float | str:
    """Give a number where the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def numbers(texts: Iterable[str]) -> list[float] | None:
    """Give several texts as numbers; None if one of them is none."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        return None


def values(
    texts: Iterable[str], option: str, levels: Mapping[str, Sequence[Any]] | None = None
) -> dict[str, Any]:
    """Give values by name: levels where a variable has some, else numbers where they are numbers.

    Several may stand in one text, separated by commas, if each has a name; of levels there may be several,
    with weights or without, or a range (see `level`).

    >>> values(["alcohol=11.5,colour=red"], "--given")
    {'alcohol': 11.5, 'colour': 'red'}
    >>> values(["die=1|2"], "--given", {"die": (1, 2, 3)})
    {'die': [1, 2]}
    """
    cells = [cell for text in texts for cell in _each_named(text)]
    return {
        name: level(value, (levels or {}).get(name, ()))
        for name, value in assignments(cells, option).items()
    }


def _each_named(text: str) -> list[str]:
    """The parts between commas where each is ``name=value``, else the text as it is."""
    parts = names([text])
    return parts if len(parts) > 1 and all("=" in part for part in parts) else [text]


def level(text: str, levels: Sequence[Any]) -> Any:
    """Give what a text says of a variable: a level, several of them, weights or a range of them, or a number.

    >>> level("a|b", "abc"), level("a:0.7|b:0.2|c:0.1", "abc"), level("2..", (1, 2, 3)), level("6..7", ())
    (['a', 'b'], {'a': 0.7, 'b': 0.2, 'c': 0.1}, (2.0, None), (6.0, 7.0))
    """
    known = {str(each): each for each in levels}
    if text in known:
        return known[text]
    if not known:
        return bounds(text) or number(text)
    parts = [part.strip() for part in text.split("|")]
    if len(parts) > 1 and all(part in known for part in parts):
        return [known[part] for part in parts]
    pairs = [[each.strip() for each in part.rpartition(":")[::2]] for part in parts]
    weights = numbers(weight for _, weight in pairs)
    if weights is not None and all(name in known for name, _ in pairs):
        return {known[name]: weight for (name, _), weight in zip(pairs, weights, strict=True)}
    return bounds(text) or number(text)


def bounds(text: str) -> Bounds | None:
    """Give the ends of a range such as ``2..5``, where either may be left out; None of another text.

    >>> bounds("2..5"), bounds("..5"), bounds("25")
    ((2.0, 5.0), (None, 5.0), None)
    """
    low, dots, high = (part.strip() for part in text.partition(".."))
    if not dots or not (low or high) or numbers(filter(None, (low, high))) is None:
        return None
    return float(low) if low else None, float(high) if high else None


def option_value(text: str) -> Any:
    """Give a whole number, a number, a truth value, nothing, or the text itself.

    >>> [option_value(text) for text in ("10", "0.5", "true", "none", "one")]
    [10, 0.5, True, None, 'one']
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else number(text)


def options(texts: Iterable[str]) -> dict[str, Any]:
    """Give options by name; a dash counts as an underscore."""
    pairs = assignments(texts, "--option").items()
    return {name.replace("-", "_"): option_value(value) for name, value in pairs}


def event(text: str) -> dict[str, Any]:
    """Read an event: bounds or a level of one variable, or of several joined by ``and``.

    Parameters
    ----------
    text : such as ``quality > 6``, ``5 < quality < 7``, ``pH < 3.2 and quality >= 6``, ``colour = red``.

    Returns
    -------
    By name a pair (low, high), None for an open end, or the text of a level; of a continuous variable
    ``<`` and ``<=`` mean the same.

    Raises
    ------
    DataError : another form.

    >>> event("5 < quality < 7 and pH > 3")
    {'quality': (5.0, 7.0), 'pH': (3.0, None)}
    >>> event("lung = yes and age > 60")
    {'lung': 'yes', 'age': (60.0, None)}
    """
    found: dict[str, Any] = {}
    for part in re.split(r"\s+and\s+", text.strip()):
        if equal := _EQUAL.fullmatch(part):
            name, value = equal.groups()
            if name in found:
                raise DataError(f"The event {text!r} bounds {name!r} twice.")
            found[name] = value
            continue
        name, low, high = _bounds(part)
        if isinstance(found.get(name), str):
            raise DataError(f"The event {text!r} bounds {name!r} twice.")
        if name[0] in "<>" or name[-1] in "<>":
            raise _no_event(part)
        low, high = _narrow_bounds(found.get(name, (None, None)), low, high)
        if low is not None and high is not None and low > high:
            raise DataError(
                f"Nothing can satisfy {text!r}: the lower bound is above the upper one."
            )
        found[name] = (low, high)
    return found


def _bounds(text: str) -> tuple[str, float | None, float | None]:
    if between := _BETWEEN.fullmatch(text):
        first, sign, name, second, last = between.groups()
        if sign[0] == second[0]:
            ends = (float(first), float(last))
            return (name, *(ends if sign[0] == "<" else ends[::-1]))
    elif single := _NAME_FIRST.fullmatch(text):
        name, sign, bound = single.groups()
        return (name, None, float(bound)) if sign[0] == "<" else (name, float(bound), None)
    elif single := _NAME_LAST.fullmatch(text):
        bound, sign, name = single.groups()
        return (name, float(bound), None) if sign[0] == "<" else (name, None, float(bound))
    raise _no_event(text)


def _no_event(text: str) -> DataError:
    return DataError(
        "An event must be written like 'quality > 6', '5 < quality < 7' or 'colour = "
        f"red', got {text!r}."
    )


def _narrow_bounds(known: Bounds, low: float | None, high: float | None) -> Bounds:
    """Narrow known bounds by further ones."""
    lows = [each for each in (known[0], low) if each is not None]
    highs = [each for each in (known[1], high) if each is not None]
    return max(lows, default=None), min(highs, default=None)


# -- words to read and to type -------------------------------------------------------------------


def either(words: Iterable[str]) -> str:
    """Write words as a choice.

    >>> either([".png", ".pdf", ".svg"])
    '.png, .pdf or .svg'
    """
    *first, last = words
    return " or ".join(filter(None, [", ".join(first), last]))


def quote_for_shell(text: str) -> str:
    r"""Quote a text as one would type it; what cannot be seen becomes an escape in ``$'...'``.

    >>> print(quote_for_shell("pH"), quote_for_shell("a b"), quote_for_shell("tab\tname"))
    pH 'a b' $'tab\u0009name'
    """
    if text.isprintable():
        return shlex.quote(text)
    seen = text.replace("\\", r"\\").replace("'", r"\'")
    return "$'" + "".join(c if c.isprintable() else _escape(c) for c in seen) + "'"


def _escape(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 1 << 16 else f"\\U{number:08x}"
